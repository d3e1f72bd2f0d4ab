"""The identity of a run: what must not change under its folder."""

import hashlib
import inspect
import sys
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import maps
import policies
from evaluation.closed_loop import check_observation
from evaluation.config import EvaluateConfig
from evaluation.errors import EvaluationError
from evaluation.limits import check_positive
from maps.limits import check_numbers
from policies import Policy
from policies.foreign.source import digest
from policies.loading import BUNDLED
from policies.selective import SelectiveDriver, parse

VERSION = 2
"""Of the meaning of a run's files."""


@dataclass(frozen=True)
class Entrant:
    """A policy of a run.

    Attributes:
        label: What tables call it.
        source: What ``policies.load`` takes.
        sha256: As from ``digest_of``.
        trust: Whether it may run code of its own while it is loaded.
    """

    label: str
    source: str
    sha256: str
    trust: bool = False

    def load(self) -> Policy:
        """Loads the policy anew."""
        return policies.load(self.source, trust=self.trust)


def entrants(config: EvaluateConfig) -> list[Entrant]:
    """Loads every policy once, so that a fault is named before anything is driven.

    Policies of one name are called by what loads them.

    Raises:
        EvaluationError: There is none, or one of them twice, or the configuration cannot be.
        PolicyError: One cannot be loaded.
    """
    check_numbers(config, EvaluationError)
    check_positive("batch", config.batch)
    check_positive("workers", config.workers)
    if not config.policy:
        raise EvaluationError("no policy to drive")
    for source, times in Counter(config.policy).items():
        if times > 1:
            raise EvaluationError(f"policy {source} is given {times} times")
    loaded = [policies.load(source, trust=config.trust) for source in config.policy]
    for policy in loaded:
        check_observation(policy)
    names = Counter(policy.name for policy in loaded)
    return [
        Entrant(
            policy.name if names[policy.name] == 1 else source,
            source,
            digest_of(source, policy),
            config.trust,
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
    return {
        "version": VERSION,
        "policies": {driver.label: driver.sha256 for driver in drivers},
        "maps": tracks,
        "map_files": maps.digests(tracks),
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
    """What tells a policy's version, as SHA-256.

    It covers the whole file that the policy comes from and the options behind its name; or the
    source files of its factory and of its class. That of a selective driver covers all that drives
    in it.

    Args:
        source: What ``policies.load`` took.
        policy: What it gave.
    """
    if isinstance(policy, SelectiveDriver):
        supervised = digest_of(parse(source)[0], policy.driver)
        supervisor = digest_of("privileged", policy.supervisor)
        text = f"{supervised} {supervisor} {policy.handover}"
        return hashlib.sha256(text.encode()).hexdigest()
    return digest(str(BUNDLED.get(source, source))) or _source_digest(source, policy)


def _source_digest(source: str, policy: Policy) -> str:
    """Of the files that define a policy's class and its factory; empty where there are none."""
    driver = getattr(policy, "policy", policy)
    defined = [inspect.getsourcefile(type(driver))]
    factory = sys.modules.get(source.partition(":")[0])
    if factory is not None:
        defined.append(getattr(factory, "__file__", None))
    files = [Path(name) for name in dict.fromkeys(filter(None, defined)) if Path(name).is_file()]
    content = b"".join(file.read_bytes() for file in files)
    return hashlib.sha256(content).hexdigest() if files else ""
