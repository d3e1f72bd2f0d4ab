"""``nsac-inspect``: its commands."""

from maps.command_line import Command, run

COMMANDS = {
    "report": Command(
        "evaluation.inspection.report.config:ReportConfig",
        "evaluation.inspection.commands:report",
        "Put laps on one page in which everything moves with one time slider.",
    ),
    "saliency": Command(
        "evaluation.inspection.saliency.config:SaliencyConfig",
        "evaluation.inspection.commands:saliency",
        "Show where drivers look along laps: scores, a video a lap, Figure 8 D.",
    ),
    "traces": Command(
        "evaluation.inspection.traces_config:TracesConfig",
        "evaluation.inspection.commands:traces",
        "Trace the neurons of a driver along laps: tables, figures, a file a lap.",
    ),
    "wiring": Command(
        "evaluation.inspection.wiring_config:WiringConfig",
        "evaluation.inspection.commands:wiring",
        "Draw the circuit of a driver, at a step of a lap where one is given.",
        resumes=False,
    ),
}


def main(arguments: list[str] | None = None) -> None:
    """Inspects laps; see ``maps.command_line`` for how it ends."""
    run("nsac-inspect", "Look into a driver and its laps.", COMMANDS, arguments)
