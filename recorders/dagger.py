"""Clones an expert and corrects the clone on its own mistakes (DAgger; Ross et al. 2011)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from maps.files.locks import locked_folder
from maps.files.whole import copy_file
from maps.limits import check_numbers
from policies import checkpoint
from policies.data_sets import open_data_set
from policies.errors import PolicyError
from policies.train import train
from policies.train_config import TrainConfig
from recorders.config import RecordConfig, RecordError
from recorders.dagger_config import DaggerConfig
from recorders.disturbance_config import Disturbance
from recorders.hard_tracks import chosen
from recorders.recording import record

Report = Callable[[str], None]

_DECISIVE = ("data", "method", "encoder", "epochs", "batch", "learning_rate", "seed")
"""Settings of a training that a finished round must have been made with."""


def clone(config: DaggerConfig, folder: Path, report: Report = print) -> Path:
    """Runs all stages; a repeated call goes on where the last one stopped.

    Args:
        config: What to do.
        folder: For data sets and checkpoints.
        report: Told a line after each recording.

    Returns:
        The policy: the last checkpoint, copied to ``<method>.safetensors``.

    Raises:
        RecordError: A recording cannot be made, or a number of the configuration cannot be.
        policies.PolicyError: A training cannot be done, or was done with other settings.
        maps.files.locks.LockedError: Another process is at work in the folder.
        OSError: It cannot be written.
    """
    check_numbers(config, RecordError)
    with locked_folder(folder):
        return _clone(config, folder, report)


def _clone(config: DaggerConfig, folder: Path, report: Report) -> Path:
    names: list[str] = []
    learner: Path | None = None
    rate = config.learning_rate
    for number in range(config.rounds + 1):
        names.append(_record_round(config, folder, number, learner, report))
        epochs = config.round_epochs if learner else config.epochs
        learner = _train(config, folder / f"round{number}", names, learner, epochs, rate)
        rate = config.round_learning_rate
    if config.final_epochs:
        last = folder / f"round{config.rounds + 1}"
        learner = _train(config, last, names, learner, config.final_epochs, rate)
    assert learner is not None
    for number in range(1, config.hard.rounds + 1):
        names.append(_record_hard_round(config, folder, number, learner, report))
        out, hard = folder / f"hard{number}", config.hard
        learner = _train(config, out, names, learner, hard.epochs, hard.learning_rate)
    policy = folder / f"{config.method}.safetensors"
    copy_file(learner, policy)
    return policy


def _record_round(
    config: DaggerConfig, folder: Path, number: int, learner: Path | None, report: Report
) -> str:
    """Records the expert (round 0) or the learner under the expert's eyes."""
    how = replace(
        _recording(config, folder, number, learner),
        out=f"dagger/round{number}-v0",
        episodes=config.episodes if learner else config.expert_episodes,
        first_seed=config.first_seed + 1000 * number,
    )
    who = f"round {number}, the policy" if learner else "the expert"
    report(f"recorded {who}: {_outcome(folder, record(how))}")
    return how.out


def _record_hard_round(
    config: DaggerConfig, folder: Path, number: int, learner: Path, report: Report
) -> str:
    """Records the learner under the expert's eyes where stretches of road lie side by side."""
    how = replace(
        _recording(config, folder, number, learner),
        out=f"dagger/hard{number}-v0",
        episodes=config.hard.laps * config.hard.tracks,
        maps=",".join(chosen(config.hard, number)),
    )
    report(f"recorded hard round {number}, the policy: {_outcome(folder, record(how))}")
    return how.out


def _recording(
    config: DaggerConfig, folder: Path, number: int, learner: Path | None
) -> RecordConfig:
    """What holds for the recording of every round."""
    return RecordConfig(
        out="",
        driver=config.expert,
        noise=Disturbance(share=0.0) if learner else config.noise,
        learner=str(learner) if learner else None,
        learner_share=config.learner_share,
        seed=config.seed + number,
        workers=config.workers,
        data_root=folder / "data",
        trust=config.trust,
    )


def _outcome(folder: Path, name: str) -> str:
    """What came of a recording, in words."""
    episodes = open_data_set(name, folder / "data").entries
    laps = sum(episode["lap_complete"] for episode in episodes)
    steps = sum(episode["total_steps"] for episode in episodes)
    return f"{laps} of {len(episodes)} laps, {steps} steps"


def _train(
    config: DaggerConfig,
    stem: Path,
    names: Sequence[str],
    learner: Path | None,
    epochs: int,
    learning_rate: float,
) -> Path:
    """Trains on all recordings so far, from the last weights, unless that is done."""
    how = TrainConfig(
        data=tuple(names),
        out=stem.with_suffix(".safetensors"),
        method=config.method,
        encoder=config.encoder,
        init=learner,
        epochs=epochs,
        batch=config.batch,
        learning_rate=learning_rate,
        seed=config.seed,
        threads=config.threads,
        data_root=stem.parent / "data",
    )
    if not how.out.exists():
        return train(how)
    _check_same(how)
    return how.out


def _check_same(how: TrainConfig) -> None:
    """Refuses other settings: trained anew, it would not be who drove in the later recordings."""
    before = checkpoint.read(how.out)[0].config
    for name in _DECISIVE:
        now = getattr(how, name)
        if before.get(name) != (list(now) if isinstance(now, tuple) else now):
            raise PolicyError(
                f"{how.out}: was trained with {name} {before.get(name)}, not {now}; choose another "
                "--out or remove its folder"
            )
