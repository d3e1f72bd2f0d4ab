"""``nsac-demo``: its only command."""

from maps.command_line import Command, run

DEMO = Command(
    "evaluation.demo_config:DemoConfig",
    "evaluation.demo:run_demo",
    "The whole loop on one machine: record, clone, correct, drive, report; repeat the command to "
    "resume.",
)


def main(arguments: list[str] | None = None) -> None:
    """Runs the demonstration; see ``maps.command_line`` for how it ends."""
    run("nsac-demo", DEMO.description, {}, arguments, default=DEMO)
