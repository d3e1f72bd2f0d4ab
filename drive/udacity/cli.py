"""``nsac-udacity-sim``: its only command."""

from maps.command_line import Command, run

STAND_IN = Command(
    "drive.udacity.simulator.config:StandInConfig",
    "drive.udacity.simulator.program:run_stand_in",
    "A stand-in for the Udacity simulator: connect to a controller, or record.",
    resumes=False,
)


def main(arguments: list[str] | None = None) -> None:
    """Runs the stand-in; see ``maps.command_line`` for how it ends."""
    run("nsac-udacity-sim", STAND_IN.description, {}, arguments, default=STAND_IN)
