"""``nsac-record``: its commands."""

from maps.command_line import Command, run

COMMANDS = {
    "carracing": Command(
        "recorders.config:RecordConfig",
        "recorders.commands:carracing",
        "Record CarRacing demonstrations as a Minari data set; repeat the command to resume.",
    ),
    "udacity": Command(
        "recorders.udacity_config:UdacityRecordConfig",
        "recorders.commands:udacity",
        "Record what somebody drives in the Udacity simulator, or in the stand-in, until Ctrl+C.",
    ),
    "info": Command(
        "recorders.care.config:InfoConfig",
        "recorders.care.commands:info",
        "Say what a data set holds: episodes, drivers, returns, actions.",
        resumes=False,
    ),
    "show": Command(
        "recorders.care.config:ShowConfig",
        "recorders.care.commands:show",
        "Draw a data set: a contact sheet, the steering, the returns.",
        resumes=False,
    ),
    "check": Command(
        "recorders.care.config:CheckConfig",
        "recorders.care.commands:check",
        "Say what is wrong with a data set, or with a recording of the Udacity simulator.",
        resumes=False,
    ),
    "merge": Command(
        "recorders.care.config:MergeConfig",
        "recorders.care.commands:merge",
        "Make one data set of several.",
        resumes=False,
    ),
    "drop-episodes": Command(
        "recorders.care.config:DropEpisodesConfig",
        "recorders.care.commands:drop_episodes",
        "Leave episodes out of a data set.",
        resumes=False,
    ),
    "export": Command(
        "recorders.care.config:ExportConfig",
        "recorders.care.commands:export",
        "Write a data set for other programs: Parquet and video as LeRobot has them, or npz.",
    ),
}


def main(arguments: list[str] | None = None) -> None:
    """Records, or looks after recordings; see ``maps.command_line`` for how it ends."""
    run("nsac-record", "Record driving demonstrations, and look after them.", COMMANDS, arguments)
