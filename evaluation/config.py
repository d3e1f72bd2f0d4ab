"""What is evaluated, and the identity of a run: what must not change under its folder."""

import hashlib
import inspect
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

import maps
import policies
from evaluation.closed_loop import Conditions, check_observation, check_positive
from evaluation.errors import EvaluationError
from evaluation.lane import MAX_STEPS
from evaluation.perturbations import Perturbed, with_clean
from policies import Policy
from policies.loading import BUNDLED
from policies.selective import SelectiveDriver, parse

VERSION = 2
"""Of the meaning of a run's files."""


@dataclass(frozen=True)
class EvaluateConfig:
    """Which policies drive where.

    Attributes:
        policy: Policies: ``nsac`` (bundled), ``privileged``, checkpoint files, or
            ``package.module:factory``; or ``selective:POLICY?threshold=0.05``, which hands over to
            ``privileged`` where the steering is more uncertain than that. All drive the same laps.
        maps: Names with commas between them; ``seed:2000-2099`` stands for 100 seeds.
        out: Folder of the run. The same command again resumes it, or prints a finished one.
        perturb: Perturbations with commas between them, each with a severity from 1 to 5 (3 by
            default) or several: ``colours,blur:2,noise:1-5``. Every lap is driven clean, and once
            more under each of them. ``nsac-evaluate perturbations --out FOLDER`` shows them all.
        renderer: Who draws what the policies see: ``exact`` for figures to report, ``fast`` for
            a quick look.
        batch: Laps in lock-step. They share a forward pass, so another batch is another run.
        seed: Of everything random.
        workers: Processes, with one torch thread each; they do not change the laps.
        max_steps: Limit of an episode, of 1/50 s each.
        quiet: No progress bar.
    """

    policy: Annotated[tuple[str, ...], tyro.conf.arg(metavar="POLICY [POLICY ...]")]
    maps: str
    out: Path
    perturb: str = ""
    renderer: Literal["exact", "fast"] = "exact"
    batch: int = 10
    seed: int = 0
    workers: int = 1
    max_steps: int = MAX_STEPS
    quiet: bool = False

    @property
    def conditions(self) -> Conditions:
        """What holds for all laps alike, but for the perturbation.

        Raises:
            EvaluationError: A number cannot be.
        """
        return Conditions(self.renderer, self.seed, self.max_steps)

    @property
    def perturbations(self) -> tuple[Perturbed, ...]:
        """Under which every lap is driven, clean first.

        Raises:
            EvaluationError: There is no such perturbation.
        """
        return with_clean(self.perturb)


@dataclass(frozen=True)
class Entrant:
    """A policy of a run.

    Attributes:
        label: What tables call it.
        source: What ``policies.load`` takes.
        sha256: Of the checkpoint, or of the source of the factory's policy.
    """

    label: str
    source: str
    sha256: str


def entrants(config: EvaluateConfig) -> list[Entrant]:
    """Loads every policy once, so that a fault is named before anything is driven.

    Policies of one name are called by what loads them.

    Raises:
        EvaluationError: There is none, or one of them twice, or the configuration cannot be.
        PolicyError: One cannot be loaded.
    """
    check_positive("batch", config.batch)
    check_positive("workers", config.workers)
    if not config.policy:
        raise EvaluationError("no policy to drive")
    for source, times in Counter(config.policy).items():
        if times > 1:
            raise EvaluationError(f"policy {source} is given {times} times")
    loaded = [policies.load(source) for source in config.policy]
    for policy in loaded:
        check_observation(policy)
    names = Counter(policy.name for policy in loaded)
    return [
        Entrant(
            policy.name if names[policy.name] == 1 else source, source, digest_of(source, policy)
        )
        for source, policy in zip(config.policy, loaded, strict=True)
    ]


def identity(config: EvaluateConfig, drivers: list[Entrant], tracks: list[str]) -> dict[str, Any]:
    """What decides the laps of a run, as JSON values.

    Raises:
        EvaluationError: The conditions or the perturbations cannot be.
        MapError: There is no such map.
    """
    perturbed = [str(condition) for condition in config.perturbations[1:]]
    files = {name: _track_digest(name) for name in tracks if not name.startswith("seed:")}
    return {
        "version": VERSION,
        "policies": {driver.label: driver.sha256 for driver in drivers},
        "maps": tracks,
        "map_files": files,
        "batch": config.batch,
        "renderer": config.renderer,
        "seed": config.conditions.seed,
        "max_steps": config.max_steps,
        **({"perturbations": perturbed} if perturbed else {}),
    }


def description(
    config: EvaluateConfig, drivers: list[Entrant], decisive: dict[str, Any]
) -> dict[str, Any]:
    """Contents of ``config.json``: the command's configuration, and the run's identity."""
    return {
        "config": {**asdict(config), "out": str(config.out)},
        "sources": {driver.label: driver.source for driver in drivers},
        "identity": decisive,
    }


def changed(before: dict[str, Any], now: dict[str, Any]) -> str:
    """What differs between two identities, in words; empty where nothing does."""
    for name in {**before, **now}:
        old: Any = before.get(name)
        new: Any = now.get(name)
        if old == new:
            continue
        if name == "policies" and old is not None and old.keys() == new.keys():
            label = next(label for label in new if old[label] != new[label])
            return f"another version of the policy {label}"
        if name == "map_files" and old is not None and old.keys() == new.keys():
            return f"another version of the map {next(m for m in new if old[m] != new[m])}"
        if name in ("maps", "map_files"):
            return "other maps"
        if name in ("policies", "perturbations"):
            return f"other {name} ({', '.join(old or ['none'])})"
        return f"{name} {old}"
    return ""


def digest_of(source: str, policy: Policy) -> str:
    """What tells a policy's version: SHA-256 of its weights, or of the source of its class.

    That of a selective driver covers all that drives in it.

    Args:
        source: What ``policies.load`` took.
        policy: What it gave.
    """
    if isinstance(policy, SelectiveDriver):
        supervised = digest_of(parse(source)[0], policy.driver)
        supervisor = digest_of("privileged", policy.supervisor)
        text = f"{supervised} {supervisor} {policy.handover}"
        return hashlib.sha256(text.encode()).hexdigest()
    path = Path(BUNDLED.get(source, source))
    if not path.is_file():
        driver = getattr(policy, "policy", policy)
        path = Path(inspect.getsourcefile(type(driver)) or "")
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _track_digest(name: str) -> str:
    track = maps.load(name)
    return hashlib.sha256(track.centre_line.tobytes() + repr(track.half_width).encode()).hexdigest()
