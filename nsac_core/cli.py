"""``nsac-bench``: its commands."""

from maps.command_line import Command, run

_BENCHMARKS = "nsac_core.benchmarks"
_RUN = "nsac_core.commands:run"

COMMANDS = {
    "boston": Command(
        f"{_BENCHMARKS}.config:Boston", _RUN, "Boston housing: 506 rows of 13 features."
    ),
    "kin8nm": Command(
        f"{_BENCHMARKS}.config:Kin8nm",
        _RUN,
        "Kin8nm: 8192 positions of a robot's arm, 8 features.",
    ),
    "spiral": Command(
        f"{_BENCHMARKS}.spiral.config:Spiral",
        _RUN,
        "A noisy spiral, interpolated and extrapolated from 50 observed points.",
    ),
    "ettm1": Command(
        f"{_BENCHMARKS}.forecasting.config:Ettm1",
        _RUN,
        "ETTm1: the oil temperature of a transformer, 6 hours ahead from 12.",
    ),
    "jena": Command(
        f"{_BENCHMARKS}.forecasting.config:Jena",
        _RUN,
        "Jena: the temperature of the air, 4 hours ahead from 8.",
    ),
    "bearings": Command(
        f"{_BENCHMARKS}.bearings.config:Bearings",
        _RUN,
        "Degradation of bearings: learnt on one rig, tested on others.",
    ),
    "synthetic-bearings": Command(
        f"{_BENCHMARKS}.bearings.config:SyntheticBearings",
        _RUN,
        "The same on simulated vibration, where the recordings are not to be had.",
    ),
    "ablations": Command(
        f"{_BENCHMARKS}.ablations.config:Ablations",
        _RUN,
        "NSAC on the spiral, extrapolated, with one setting varied at a time.",
    ),
    "runtime": Command(
        f"{_BENCHMARKS}.runtime.config:Runtime",
        _RUN,
        "Time, memory and parameters of a prediction from one sequence.",
        resumes=False,
    ),
    "all": Command(
        f"{_BENCHMARKS}.suite_config:Suite",
        "nsac_core.commands:run_suite",
        "All benchmarks, one after the other.",
    ),
    "table1": Command(
        f"{_BENCHMARKS}.table_one.config:TableOne",
        "nsac_core.commands:gather_table_one",
        "The paper's Table 1 from whatever runs there are, beside the paper's numbers.",
        resumes=False,
    ),
    "report": Command(
        f"{_BENCHMARKS}.page_config:ReportRun",
        "nsac_core.commands:report_run",
        "Write the tables and figures of a run anew, from the cells it has.",
        resumes=False,
    ),
    "page": Command(
        f"{_BENCHMARKS}.page_config:Page",
        "nsac_core.commands:fill_page",
        "Fill the tables and figures of a page from the runs that it names.",
        resumes=False,
    ),
}


def main(arguments: list[str] | None = None) -> None:
    """Runs a benchmark or shows one; see ``maps.command_line`` for how it ends."""
    run(
        "nsac-bench",
        "Compare uncertainty methods on public data, beside the paper's numbers; repeat a command "
        "to resume.",
        COMMANDS,
        arguments,
    )
