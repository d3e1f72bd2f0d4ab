"""DAgger with a fixed number of labels: who learns differs, what the expert gives does not."""

import shutil
from dataclasses import replace
from itertools import chain
from pathlib import Path

from evaluation.comparison.config import ComparisonConfig
from evaluation.comparison.recording import NAME, parts, stack
from evaluation.errors import EvaluationError
from policies import demonstrations
from policies.demonstrations import Demonstrations, Episode
from policies.train import train
from policies.train_config import TrainConfig
from recorders import Disturbance, RecordConfig, record

_VALIDATION_SHARE = 0.1
_EPISODES_AT_ONCE = 5
"""More would share a forward pass among more cars, and record more labels than are wanted."""


def correct(config: ComparisonConfig, how: TrainConfig, plain: Path, command: str) -> Path:
    """Corrects a plain clone: rounds in which it drives, is labelled, and learns from all so far.

    The recordings of the learner stay, for `recoloured`.

    Args:
        config: Rounds, labels and passes.
        how: Training of a clone of this method and seed; its ``out`` is written.
        plain: The clone to start from.
        command: What the checkpoint says it was trained by.

    Returns:
        ``how.out``.

    Raises:
        policies.PolicyError: A training cannot be done.
        recorders.RecordError: A recording cannot be made.
    """
    learner, rounds = plain, how.out.with_suffix(".rounds")
    names: list[list[str]] = []
    for number in range(1, config.dagger.rounds + 1):
        names.append(_record(config, how, number, learner))
        last = number == config.dagger.rounds
        passes = replace(
            how,
            data=(NAME, *chain(*names)),
            out=how.out if last else rounds / f"round{number}.safetensors",
            init=learner,
            epochs=config.dagger.final_epochs if last else config.dagger.epochs,
            learning_rate=config.dagger.learning_rate,
            weights=how.weights if last else "float32",
        )
        learner = train(passes, _parts(config, names), command=command)
    shutil.rmtree(rounds, ignore_errors=True)
    return learner


def recoloured(config: ComparisonConfig, how: TrainConfig, plain: Path, command: str) -> Path:
    """Trains a plain clone on all that its corrected one learned from, with recoloured pictures.

    Args:
        config: Passes; and the rounds, which are recorded.
        how: Training of a clone of this method and seed; its ``out`` is written.
        plain: The clone to start from.
        command: What the checkpoint says it was trained by.

    Returns:
        ``how.out``.

    Raises:
        EvaluationError: The corrections are gone.
        policies.PolicyError: It cannot be trained.
    """
    names = [_recorded(config, how, number) for number in range(1, config.dagger.rounds + 1)]
    passes = replace(
        how,
        data=(NAME, *chain(*names)),
        init=plain,
        epochs=config.recoloured_epochs,
        learning_rate=config.dagger.learning_rate,
    )
    return train(passes, _parts(config, names), command=command)


def _recorded(config: ComparisonConfig, how: TrainConfig, number: int) -> list[str]:
    """The data sets of a round, in order."""
    names: list[str] = []
    while (config.data_root / _part(how, number, len(names))).is_dir():
        names.append(_part(how, number, len(names)))
    if not names:
        raise EvaluationError(
            f"{config.data_root / _part(how, number, 0)}: no such corrections; remove the "
            "corrected clone's checkpoint to record them anew"
        )
    return names


def _part(how: TrainConfig, round_number: int, number: int) -> str:
    """Name of the data set of a few episodes of a round."""
    stem = f"{how.method.replace('_', '-')}-{how.seed}"
    return f"dagger/{stem}-round{round_number}-part{number}-v0"


def _record(config: ComparisonConfig, how: TrainConfig, number: int, learner: Path) -> list[str]:
    """Records data sets of a few episodes until they hold the labels of a round."""
    names: list[str] = []
    steps = 0
    while steps < config.dagger.labels:
        first = config.dagger.first_track + 1000 * number + _EPISODES_AT_ONCE * len(names)
        recording = RecordConfig(
            out=_part(how, number, len(names)),
            driver=config.expert,
            learner=str(learner),
            learner_share=config.dagger.learner_share,
            noise=Disturbance(share=0.0),
            renderer=config.recording_renderer,
            episodes=_EPISODES_AT_ONCE,
            first_seed=first,
            batch=_EPISODES_AT_ONCE,
            max_steps=config.max_steps,
            seed=how.seed,
            data_root=config.data_root,
            trust=config.trust,
            quiet=True,
        )
        names.append(record(recording))
        steps += demonstrations.load(names[-1], config.data_root, stack(config)).steps
    return names


def _parts(
    config: ComparisonConfig, rounds: list[list[str]]
) -> tuple[Demonstrations, Demonstrations]:
    """The expert's parts, and the labels of each round, cut and dealt out likewise."""
    data = demonstrations.load([NAME, *chain(*rounds)], config.data_root, stack(config))
    dealt = parts(config, data)
    training, validation = list(dealt.training.episodes), list(dealt.validation.episodes)
    for names in rounds:
        own = tuple(episode for episode in data.episodes if episode.name in names)
        labels = replace(data, episodes=cut(own, config.dagger.labels, config.window))
        learned, held_out = labels.split((1 - _VALIDATION_SHARE, _VALIDATION_SHARE))
        training += learned.episodes
        validation += held_out.episodes
    return replace(data, episodes=tuple(training)), replace(data, episodes=tuple(validation))


def cut(episodes: tuple[Episode, ...], steps: int, least: int) -> tuple[Episode, ...]:
    """The first episodes, cut so that they hold exactly ``steps`` steps together.

    Args:
        episodes: In order.
        steps: How many are wanted.
        least: Steps that each episode must keep; the one before the last gives some where the
            last would have fewer.

    Raises:
        EvaluationError: There are fewer steps.
    """
    kept: list[Episode] = []
    left = steps
    for episode in episodes:
        if left <= 0:
            break
        kept.append(replace(episode, steps=min(episode.steps, left)))
        left -= kept[-1].steps
    if left > 0:
        raise EvaluationError(f"{steps - left} labels, {steps} wanted")
    short = least - kept[-1].steps
    if short > 0 and len(kept) > 1:
        kept[-2] = replace(kept[-2], steps=kept[-2].steps - short)
        kept[-1] = replace(kept[-1], steps=least)
    return tuple(kept)
