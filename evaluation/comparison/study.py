"""A comparison from its first stage to its last."""

from collections.abc import Callable

import policies
from evaluation.comparison.clones import clones_of, make_clones
from evaluation.comparison.config import ComparisonConfig
from evaluation.comparison.laps import drive_all
from evaluation.comparison.open_loop import predict_all
from evaluation.comparison.recording import record_expert
from evaluation.comparison.report import Report, report
from evaluation.comparison.selective import SelectiveConfig, drive_selective
from evaluation.identity import digest_of
from maps.files.locks import locked_folder
from nsac_core.benchmarks.runner import claim

Tell = Callable[[str], None]


def compare(config: ComparisonConfig, tell: Tell = print) -> Report | None:
    """Runs the stages asked for; what is done already is not done again.

    Args:
        config: What to compare.
        tell: Told a line after each stage.

    Returns:
        The report, or None where it was not asked for.

    Raises:
        EvaluationError: The configuration cannot be, a stage lacks what an earlier one makes, or
            some clones cannot be trained.
        nsac_core.benchmarks.errors.BenchmarkError: The folder holds another comparison.
        policies.PolicyError: A policy cannot be loaded or trained.
        recorders.RecordError: A recording cannot be made.
        policies.demonstrations.DemonstrationError: The demonstrations are not recorded.
        maps.MapError: There is no such map.
        maps.files.locks.LockedError: Another process is at work in the folder.
        OSError: It cannot be written.
    """
    config.check()
    with locked_folder(config.out):
        return _compare(config, tell)


def _compare(config: ComparisonConfig, tell: Tell) -> Report | None:
    if config.stages != ("report",):  # a report needs neither the expert nor its settings
        expert = digest_of(config.expert, policies.load(config.expert, trust=config.trust))
        claim(config.out, {**config.decisive(), "expert_sha256": expert})
        _make_and_drive(config, tell)
    if "report" not in config.stages:
        return None
    found = report(config.out, config.page)
    if found.left:
        tell(f"{config.page}: not made yet, left as they are: {', '.join(found.left)}")
    return found


def _make_and_drive(config: ComparisonConfig, tell: Tell) -> None:
    """All stages but the report."""
    clones = clones_of(config)
    if "record" in config.stages:
        facts = record_expert(config)
        tell(
            f"{facts['episodes']} episodes, {facts['steps']} steps, {facts['laps']} laps complete, "
            f"mean return {facts['mean_return']:.1f}; fingerprint {facts['fingerprint']}"
        )
        tell(f"recipe: {facts['recipe']}")
    if "clone" in config.stages and config.clones is None:
        make_clones(config)
        tell(f"{len(clones)} clones in {config.clones_folder}")
    if "open-loop" in config.stages:
        tell(f"open loop: {predict_all(config, clones)}")
    if "drive" in config.stages:
        drive_all(config, clones)
        tell(f"laps of {len(clones)} clones in {config.out / 'runs'}")
    if "selective" in config.stages:
        drive_selective(_selective(config))
        tell(f"laps under supervision in {config.out / 'selective'}")


def _selective(config: ComparisonConfig) -> SelectiveConfig:
    """The plain clones of the first seeds, on the tracks of all clones."""
    seeds = range(config.first_seed, config.first_seed + min(config.supervised, config.seeds))
    clones = [clone for clone in clones_of(config, ("plain",)) if clone.seed in seeds]
    return SelectiveConfig(
        tuple(str(clone.file(config)) for clone in clones),
        out=config.out / "selective",
        validation=config.validation_tracks,
        tracks=config.tracks,
        renderer=config.renderer,
        batch=config.batch,
        max_steps=config.max_steps,
        workers=config.workers,
        quiet=config.quiet,
    )
