"""The benchmark of the spiral."""

from functools import partial

from nsac_core.benchmarks.experiment import Experiment, Presentation
from nsac_core.benchmarks.parts import Split
from nsac_core.benchmarks.report import Report
from nsac_core.benchmarks.spiral.config import Spiral, Tokens
from nsac_core.benchmarks.spiral.curves import POINTS
from nsac_core.benchmarks.spiral.figures import figures
from nsac_core.benchmarks.spiral.parts import EXTRAPOLATION, HALF, INTERPOLATION, SEEN, split
from nsac_core.benchmarks.spiral.tables import sheets
from nsac_core.benchmarks.spiral.tokens import TimeTokens
from nsac_core.benchmarks.training import run_experiment

PRESENTATION = Presentation(
    main=INTERPOLATION,  # its Table 1 has the error that its Table 2 calls interpolation
    published={INTERPOLATION: "spiral"},
    pools={"all": (INTERPOLATION, EXTRAPOLATION)},
    target="the points of the first half",
    sheets=sheets,
    figures=figures,
)


def benchmark(config: Spiral) -> Report:
    """Runs the cells that are missing and reports all of the run.

    Raises:
        BenchmarkError: If the configuration cannot be, or the folder holds another run.
    """
    return run_experiment(config, experiment)


def experiment(config: Spiral) -> Experiment:
    """The spirals as an experiment: every point of a sequence attends to those seen."""
    reach = HALF if config.observed == "first_half" else POINTS
    return Experiment(
        split=partial(split, config.curves, reach),
        encoder=partial(_encoder, config.tokens),
        layer={"positions": "all", "time_feature": 0, "context": SEEN},
        presentation=PRESENTATION,
    )


def _encoder(tokens: Tokens, parts: Split) -> TimeTokens:
    return TimeTokens(parts.train.x.shape[-1], tokens)
