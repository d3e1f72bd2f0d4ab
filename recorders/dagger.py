"""Clones an expert and corrects the clone on its own mistakes (DAgger; Ross et al. 2011)."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from minari import MinariDataset

from policies.train import train
from policies.train_config import TrainConfig
from recorders.config import RecordConfig
from recorders.disturbance import Disturbance
from recorders.hard_tracks import HardTracks
from recorders.record import record

Report = Callable[[str], None]


@dataclass(frozen=True)
class DaggerConfig:
    """A policy from an expert: cloning, then rounds in which the policy drives and is corrected.

    Attributes:
        expert: Who labels: ``privileged``, a checkpoint, or ``package.module:factory``.
        method: The uncertainty method of the policy.
        encoder: Its encoder.
        expert_episodes: Episodes driven by the expert, before the first round.
        noise: Disturbance of those.
        rounds: Rounds of DAgger.
        episodes: Episodes that the learner drives in each round.
        learner_share: Share of the driving that is the learner's; the expert drives the rest.
        epochs: Passes over the data in the cloning stage.
        round_epochs: Passes over all data so far after each round, from the last weights.
        final_epochs: Passes over all data at the end, from the last weights; 0 skips them.
        learning_rate: Of the cloning stage.
        round_learning_rate: Of the rounds and the end; each falls along its own cosine.
        batch: Steps in a training batch.
        first_seed: First track seed of the recordings; round r starts 1000 r after it.
        hard: Rounds after those, on tracks where one road is easily taken for another.
        seed: Of everything random.
        workers: Processes that record.
        threads: Threads that train.
    """

    expert: str = "privileged"
    method: str = "nsac"
    encoder: str = "strided"
    expert_episodes: int = 24
    noise: Disturbance = field(default_factory=Disturbance)
    rounds: int = 5
    episodes: int = 20
    learner_share: float = 0.9
    epochs: int = 6
    round_epochs: int = 3
    final_epochs: int = 0
    learning_rate: float = 1e-3
    round_learning_rate: float = 7e-4
    batch: int = 256
    first_seed: int = 10_000
    hard: HardTracks = field(default_factory=HardTracks)
    seed: int = 0
    workers: int = 2
    threads: int = 2


def clone(config: DaggerConfig, folder: Path, report: Report = print) -> Path:
    """Runs all stages; a repeated call goes on where the last one stopped.

    Args:
        config: What to do.
        folder: For data sets and checkpoints.
        report: Told a line after each recording.

    Returns:
        The policy: the last checkpoint, copied to ``<method>.safetensors``.

    Raises:
        RecordError: A recording cannot be made.
        policies.PolicyError: A training cannot be done.
    """
    names: list[str] = []
    learner: Path | None = None
    for number in range(config.rounds + 1):
        names.append(_record_round(config, folder, number, learner, report))
        learner = _train_round(config, folder, number, tuple(names), learner)
    if config.final_epochs:
        learner = _train_round(config, folder, config.rounds + 1, tuple(names), learner)
    assert learner is not None
    for number in range(1, config.hard.rounds + 1):
        names.append(_record_hard_round(config, folder, number, learner, report))
        learner = _train_hard_round(config, folder, number, tuple(names), learner)
    policy = folder / f"{config.method}.safetensors"
    aside = policy.with_suffix(".part")
    shutil.copyfile(learner, aside)
    return aside.replace(policy)


def _record_round(
    config: DaggerConfig, folder: Path, number: int, learner: Path | None, report: Report
) -> str:
    """Records the expert (round 0) or the learner under the expert's eyes."""
    name = record(
        RecordConfig(
            out=f"dagger/round{number}-v0",
            driver=config.expert,
            episodes=config.episodes if learner else config.expert_episodes,
            first_seed=config.first_seed + 1000 * number,
            noise=Disturbance(share=0.0) if learner else config.noise,
            learner=str(learner) if learner else None,
            learner_share=config.learner_share,
            seed=config.seed + number,
            workers=config.workers,
            data_root=folder / "data",
        )
    )
    who = f"round {number}, the policy" if learner else "the expert, disturbed"
    report(f"recorded {who}: {_outcome(folder, name)}")
    return name


def _record_hard_round(
    config: DaggerConfig, folder: Path, number: int, learner: Path, report: Report
) -> str:
    """Records the learner under the expert's eyes where stretches of road lie side by side."""
    name = record(
        RecordConfig(
            out=f"dagger/hard{number}-v0",
            driver=config.expert,
            episodes=config.hard.laps * config.hard.tracks,
            maps=",".join(config.hard.chosen(number)),
            noise=Disturbance(share=0.0),
            learner=str(learner),
            learner_share=config.learner_share,
            seed=config.seed + number,
            workers=config.workers,
            data_root=folder / "data",
        )
    )
    report(f"recorded hard round {number}, the policy: {_outcome(folder, name)}")
    return name


def _outcome(folder: Path, name: str) -> str:
    """What came of a recording, in words."""
    storage = MinariDataset(folder / "data" / name / "data").storage
    episodes = list(storage.get_episode_metadata(range(storage.total_episodes)))
    laps = sum(episode["lap_complete"] for episode in episodes)
    steps = sum(episode["total_steps"] for episode in episodes)
    return f"{laps} of {len(episodes)} laps, {steps} steps"


def _train_round(
    config: DaggerConfig, folder: Path, number: int, names: tuple[str, ...], learner: Path | None
) -> Path:
    """Trains on all recordings so far, from the last weights."""
    last = number == config.rounds + 1
    how = _training(config, folder, names, learner)
    epochs = config.final_epochs if last else config.round_epochs if learner else config.epochs
    rate = config.round_learning_rate if learner else config.learning_rate
    return _trained(
        replace(how, out=folder / f"round{number}.safetensors", epochs=epochs, learning_rate=rate)
    )


def _train_hard_round(
    config: DaggerConfig, folder: Path, number: int, names: tuple[str, ...], learner: Path
) -> Path:
    """Trains on all recordings so far, from the last weights."""
    return _trained(
        replace(
            _training(config, folder, names, learner),
            out=folder / f"hard{number}.safetensors",
            epochs=config.hard.epochs,
            learning_rate=config.hard.learning_rate,
        )
    )


def _training(
    config: DaggerConfig, folder: Path, names: tuple[str, ...], learner: Path | None
) -> TrainConfig:
    """What holds for the training of every round."""
    return TrainConfig(
        data=names,
        out=folder,
        method=config.method,
        encoder=config.encoder,
        init=learner,
        batch=config.batch,
        seed=config.seed,
        threads=config.threads,
        data_root=folder / "data",
    )


def _trained(how: TrainConfig) -> Path:
    """The checkpoint of a round, trained unless it is there."""
    return how.out if how.out.exists() else train(how)
