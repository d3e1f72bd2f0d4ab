"""Reads recorded demonstrations for training: frames once in memory, stacks built lazily."""

import hashlib
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from policies.data_sets import open_data_set, root_folder, tidy
from policies.minari_files import FRAME_SHAPE, DemonstrationError
from policies.protocol import ACTIONS
from policies.shared_episodes import refuse_shared, refuse_twice

__all__ = ["DemonstrationError", "Demonstrations", "Episode", "load"]


@dataclass(frozen=True)
class Episode:
    """Where one episode lies in ``Demonstrations``.

    Attributes:
        name: Minari id of its data set.
        index: Its number in that data set.
        start: Row of its first zero frame in ``Demonstrations.frames``; its own frames follow
            the zero frames.
        first_action: Row of its first action in ``Demonstrations.actions``.
        steps: How many actions it holds, and as many frames.
    """

    name: str
    index: int
    start: int
    first_action: int
    steps: int


@dataclass(frozen=True)
class Demonstrations:
    """Demonstrations in memory, or a part of them; parts share their frames.

    Attributes:
        frames: uint8 ``(rows, 84, 84)``. Each episode is preceded by ``stack - 1`` zero frames,
            so that a stack or a window is a plain slice that starts as the frame stack does.
        actions: What the expert would do at each frame, float32 ``(steps of all, 3)``.
        episodes: The episodes that belong to this part.
        stack: How many frames a policy sees at once.
    """

    frames: NDArray[np.uint8]
    actions: NDArray[np.float32]
    episodes: tuple[Episode, ...]
    stack: int

    @property
    def steps(self) -> int:
        """How many pairs of stack and action this part holds."""
        return sum(episode.steps for episode in self.episodes)

    def split(
        self, shares: Sequence[float] = (0.9, 0.1), seed: int = 0
    ) -> "tuple[Demonstrations, ...]":
        """Deals the episodes out at random, each whole, into parts such as training and validation.

        Each data set is dealt by itself, by a generator of its own: adding another data set moves
        no episode of the first from one part to another.

        Args:
            shares: Positive shares of the parts; each part after the first holds at least one
                episode.
            seed: Another seed, another deal.

        Raises:
            DemonstrationError: There are fewer episodes than parts.
        """
        if len(self.episodes) < len(shares):
            raise DemonstrationError(
                f"{_count(len(self.episodes), 'episode')} cannot be split into {len(shares)} "
                "parts: record more"
            )
        parts: list[list[Episode]] = [[] for _ in shares]
        for name in dict.fromkeys(episode.name for episode in self.episodes):
            episodes = [episode for episode in self.episodes if episode.name == name]
            rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
            order = rng.permutation(len(episodes))
            for part, chosen in zip(parts, _deal(order, shares), strict=True):
                part += [episodes[i] for i in sorted(chosen)]
        for i, part in enumerate(parts):
            if not part:
                largest = max(parts, key=len)
                parts[i] = [largest.pop()]
        return tuple(replace(self, episodes=tuple(part)) for part in parts)

    def stacks(
        self, batch: int, rng: np.random.Generator | None = None
    ) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.float32]]]:
        """Every pair of stack and action once, in random order, or in order without a generator.

        Yields:
            Stacks uint8 ``(batch, stack, 84, 84)``, newest last, and actions float32
            ``(batch, 3)``; the last batch may be smaller.
        """
        for frames, actions in self.windows(batch, 1, rng):
            yield frames, actions[:, 0]

    def windows(
        self, batch: int, window: int, rng: np.random.Generator | None = None
    ) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.float32]]]:
        """Every run of ``window`` steps of a grid over each episode, in random order.

        An encoder that reads each frame by itself encodes ``window + stack - 1`` frames for
        ``window`` targets, instead of ``stack`` for each. The grid is shifted at random each
        time and clamped at both ends of an episode, so that every step is covered at least once
        and the number of batches (``count_batches``) is always the same.

        Args:
            batch: Windows in a batch.
            window: Consecutive steps in a window.
            rng: Draws shift and order; without one the grid starts at each episode's first
                step and the order is the episodes' own.

        Yields:
            Frames uint8 ``(batch, window + stack - 1, 84, 84)``, and actions float32
            ``(batch, window, 3)``: target ``i`` belongs to the frames ``i`` to ``i + stack - 1``.
            The last batch may be smaller.

        Raises:
            DemonstrationError: An episode is shorter than ``window``.
        """
        starts = [self._grid(episode, window, rng) for episode in self.episodes]
        rows = np.concatenate([e.start + s for e, s in zip(self.episodes, starts, strict=True)])
        firsts = np.concatenate(
            [e.first_action + s for e, s in zip(self.episodes, starts, strict=True)]
        )
        order = np.arange(len(rows)) if rng is None else rng.permutation(len(rows))
        frame_offsets = np.arange(window + self.stack - 1)
        for begin in range(0, len(order), batch):
            chosen = order[begin : begin + batch]
            yield (
                self.frames[rows[chosen, None] + frame_offsets],
                self.actions[firsts[chosen, None] + frame_offsets[:window]],
            )

    def count_batches(self, batch: int, window: int = 1) -> int:
        """How many batches ``windows`` (``stacks`` for a window of 1) yields."""
        windows = sum(len(self._grid(episode, window, None)) for episode in self.episodes)
        return -(-windows // batch)

    def fingerprint(self) -> str:
        """SHA-256 of all frames and actions of the episodes in order, as hexadecimal digits.

        It changes with any pixel, action or the episodes' order, and not with the data set's
        name or place.
        """
        digest = hashlib.sha256()
        for episode in self.episodes:
            first = episode.start + self.stack - 1
            digest.update(episode.steps.to_bytes(8, "little"))
            digest.update(self.frames[first : first + episode.steps].data)
            actions = self.actions[episode.first_action :][: episode.steps]
            digest.update(actions.astype("<f4").tobytes())
        return digest.hexdigest()

    @staticmethod
    def _grid(episode: Episode, window: int, rng: np.random.Generator | None) -> NDArray[np.int64]:
        """First steps of an episode's windows; their number does not depend on the shift."""
        if episode.steps < window:
            raise DemonstrationError(
                f"episode {episode.index} of {episode.name} has "
                f"{_count(episode.steps, 'step')}, fewer than a window of {window}"
            )
        count = -(-(episode.steps - 1) // window) + 1 if window > 1 else episode.steps
        shift = 0 if rng is None else int(rng.integers(window))
        return np.clip(np.arange(count) * window - shift, 0, episode.steps - window)


def load(
    names: str | Sequence[str], data_root: Path | None = None, stack: int = 4
) -> Demonstrations:
    """Reads data sets, one episode at a time, into one array of single frames.

    Args:
        names: Minari id of a data set, or several.
        data_root: Folder of the data sets; None is Minari's own.
        stack: How many frames a policy will see at once.

    Raises:
        DemonstrationError: A data set is unknown, unfinished or without episodes, is not what was
            recorded, or its frames or actions have another shape; or an episode is there twice.
    """
    names = [tidy(name) for name in ([names] if isinstance(names, str) else names)]
    root = root_folder(data_root)
    refuse_twice(names, root)
    sets = {name: open_data_set(name, root) for name in names}
    refuse_shared(list(sets.values()))
    episodes: list[Episode] = []
    row = first_action = 0
    for name, data in sets.items():
        for index, entry in enumerate(data.entries):
            steps = entry["total_steps"]
            episodes.append(Episode(name, index, row, first_action, steps))
            row += stack - 1 + steps
            first_action += steps
    frames = np.zeros((row, *FRAME_SHAPE), dtype=np.uint8)
    actions = np.empty((first_action, len(ACTIONS)), dtype=np.float32)
    for episode in episodes:
        first = episode.start + stack - 1
        found = sets[episode.name].episode(episode.index)
        frames[first : first + episode.steps] = found.observations[:-1]
        actions[episode.first_action :][: episode.steps] = _finite(found.actions, episode)
    return Demonstrations(frames, actions, tuple(episodes), stack)


def _finite(actions: NDArray[np.float32], episode: Episode) -> NDArray[np.float32]:
    if not np.isfinite(actions).all():
        raise DemonstrationError(
            f"episode {episode.index} of {episode.name} holds actions that are no finite numbers"
        )
    return actions


def _deal(order: NDArray[np.int64], shares: Sequence[float]) -> list[NDArray[np.int64]]:
    """Cuts an order into parts: the later ones rounded, the first takes what is left."""
    total = sum(shares)
    later = [round(len(order) * share / total) for share in shares[1:]]
    cuts = np.cumsum([max(len(order) - sum(later), 0), *later])[:-1]
    return np.split(order, cuts)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
