"""What ``nsac-inspect`` does with a configuration: calls the library and prints."""

from evaluation.errors import EvaluationError
from evaluation.inspection.report.config import ReportConfig
from evaluation.inspection.report.make_report import make_report
from evaluation.inspection.saliency.config import SaliencyConfig
from evaluation.inspection.saliency.study import study
from evaluation.inspection.trace_study import trace
from evaluation.inspection.traces_config import TracesConfig
from evaluation.inspection.wiring_config import WiringConfig
from evaluation.inspection.wiring_figure import save_wiring
from evaluation.side_by_side.tables import screen
from maps import MapError
from maps.console import console
from maps.faults import one_line
from policies.errors import PolicyError

FAULTS = (EvaluationError, PolicyError, MapError)


def traces(config: TracesConfig) -> None:
    """Traces the neurons of a driver along laps."""
    with one_line(*FAULTS):
        traced = trace(config)
    shown = console(soft_wrap=False)
    for sheet in traced.sheets:
        shown.print(screen(sheet))
    for file in traced.figures:
        print(file)  # noqa: T201


def saliency(config: SaliencyConfig) -> None:
    """Shows where drivers look along laps."""
    with one_line(*FAULTS):
        found = study(config)
    shown = console(soft_wrap=False)
    for sheet in found.sheets:
        shown.print(screen(sheet))
    for line in [*found.left_out, *map(str, found.files)]:
        print(line)  # noqa: T201


def wiring(config: WiringConfig) -> None:
    """Draws the circuit of a driver."""
    with one_line(*FAULTS):
        print(save_wiring(config))  # noqa: T201


def report(config: ReportConfig) -> None:
    """Puts laps on one page."""
    with one_line(*FAULTS):
        made = make_report(config)
    for line in made.left_out:
        print(f"no saliency: {line}")  # noqa: T201
    for file in (*made.figures, *([made.rerun] if made.rerun else [])):
        print(file)  # noqa: T201
    print(f"report: {made.report}")  # noqa: T201
