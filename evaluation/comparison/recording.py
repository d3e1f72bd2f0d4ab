"""The expert's demonstrations: one recording, its parts, and what identifies it."""

import json
import shlex
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evaluation.comparison.config import ComparisonConfig
from maps.files.whole import write_text
from policies import demonstrations
from policies.data_sets import open_data_set
from policies.demonstrations import Demonstrations
from policies.encoders import ENCODERS
from recorders import RecordConfig, record
from recorders.config import POLICY_STEPS

NAME = "demonstrations/expert-v0"
_SPLIT_SEED = 0


@dataclass(frozen=True)
class Parts:
    """The demonstrations, dealt out by whole episodes, alike for all clones.

    Attributes:
        training: What the clones learn from.
        validation: What decides which epoch's weights are kept.
        test: What no clone has seen.
    """

    training: Demonstrations
    validation: Demonstrations
    test: Demonstrations


def record_config(config: ComparisonConfig) -> RecordConfig:
    """How the expert is recorded."""
    return RecordConfig(
        out=NAME,
        driver=config.expert,
        episodes=config.episodes,
        first_seed=config.first_track,
        renderer=config.recording_renderer,
        noise=config.noise,
        max_steps=config.max_steps,
        workers=config.workers,
        data_root=config.data_root,
        trust=config.trust,
        quiet=config.quiet,
    )


def record_expert(config: ComparisonConfig) -> dict[str, Any]:
    """Records what is missing, and writes ``data.json``.

    Returns:
        The recipe as a command of ``nsac-record``, ``episodes``, ``steps``, ``laps`` completed,
        ``mean_return`` and ``fingerprint``.

    Raises:
        recorders.RecordError: It cannot be recorded.
        policies.PolicyError: The expert cannot be loaded.
    """
    record(record_config(config))
    data = demonstrations.load(NAME, config.data_root, stack(config))
    episodes = open_data_set(NAME, config.data_root).entries
    facts = {
        "recipe": recipe(config),
        "episodes": len(data.episodes),
        "steps": data.steps,
        "laps": int(sum(episode["lap_complete"] for episode in episodes)),
        "mean_return": float(np.mean([episode["return"] for episode in episodes])),
        "fingerprint": data.fingerprint(),
    }
    write_text(config.out / "data.json", json.dumps(facts, indent=2) + "\n")
    return facts


def recipe(config: ComparisonConfig) -> str:
    """The command that records the same episodes by itself."""
    how = record_config(config)
    words = ["nsac-record", "carracing", "--driver", how.driver, "--episodes", str(how.episodes)]
    words += ["--first-seed", str(how.first_seed), "--renderer", how.renderer]
    for name, value in vars(how.noise).items():
        if value != getattr(type(how.noise), name):
            words += [f"--noise.{name.replace('_', '-')}", str(value)]
    if how.max_steps != POLICY_STEPS:
        words += ["--max-steps", str(how.max_steps)]
    return shlex.join([*words, "--out", NAME])


def stack(config: ComparisonConfig) -> int:
    """Frames that the encoder reads at once."""
    return ENCODERS[config.encoder].observation.frames


def parts(config: ComparisonConfig, data: Demonstrations | None = None) -> Parts:
    """Deals out the expert's episodes.

    Args:
        config: How many there are in each part.
        data: Demonstrations that hold the expert's; read anew where there are none.

    Raises:
        demonstrations.DemonstrationError: They are not recorded, or too few.
    """
    if data is None:
        data = demonstrations.load(NAME, config.data_root, stack(config))
    experts = tuple(episode for episode in data.episodes if episode.name == NAME)
    kept = config.episodes - config.validation_episodes - config.test_episodes
    shares = (kept, config.validation_episodes, config.test_episodes)
    return Parts(*replace(data, episodes=experts).split(shares, _SPLIT_SEED))
