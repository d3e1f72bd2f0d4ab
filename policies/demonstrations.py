"""Reads recorded demonstrations for training: frames once in memory, stacks built lazily."""

import hashlib
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from minari import EpisodeData, MinariDataset
from numpy.typing import NDArray

from maps.files.one_line_error import OneLineError, in_one_line
from policies import episode_files
from policies.protocol import ACTIONS

FRAME_SHAPE = (84, 84)

DAMAGE = (
    *(OSError, ValueError, LookupError, TypeError),
    *(AttributeError, ArithmeticError, AssertionError, MemoryError, RuntimeError),
)
"""What Minari raises over files that are not what it expects."""

MOST_STEPS = 1_000_000
"""Of an episode, which is five hours: whatever says more is damaged, and would fill the memory."""


class DemonstrationError(OneLineError):
    """A data set cannot be read for training; the message is one line."""


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
        DemonstrationError: A data set is unknown, unfinished or without episodes, or its frames
            or actions have another shape.
    """
    names = [names] if isinstance(names, str) else list(names)
    sets = [open_data_set(name, root_folder(data_root)) for name in names]
    episodes: list[Episode] = []
    row = first_action = 0
    for name, data in zip(names, sets, strict=True):
        for index, steps in _episode_steps(name, data):
            episodes.append(Episode(name, index, row, first_action, steps))
            row += stack - 1 + steps
            first_action += steps
    frames = np.zeros((row, *FRAME_SHAPE), dtype=np.uint8)
    actions = np.empty((first_action, len(ACTIONS)), dtype=np.float32)
    by_name = dict(zip(names, sets, strict=True))
    digests = {n: episode_files.recorded_digests(_folder(data)) for n, data in by_name.items()}
    for episode in episodes:
        first = episode.start + stack - 1
        read = _read(by_name[episode.name], episode, digests[episode.name])
        frames[first : first + episode.steps] = read[0]
        actions[episode.first_action :][: episode.steps] = read[1]
    return Demonstrations(frames, actions, tuple(episodes), stack)


def root_folder(data_root: Path | None = None) -> Path:
    """The folder of the data sets: as given, ``$MINARI_DATASETS_PATH``, or Minari's default."""
    default = os.environ.get("MINARI_DATASETS_PATH") or Path.home() / ".minari" / "datasets"
    return Path(data_root or default)


def open_data_set(name: str, root: Path) -> MinariDataset:
    """The data set of that name, its frames and actions checked for their shape.

    Args:
        name: Its Minari id.
        root: Folder of the data sets.

    Raises:
        DemonstrationError: It is unknown, unfinished or damaged, or its frames or actions have
            another shape.
    """
    folder = root / name / "data"
    if not name or not (folder / "metadata.json").is_file():
        unfinished = (root / name / ".recording").is_dir()
        hint = (
            "is not recorded to its end: repeat its nsac-record command"
            if unfinished
            else ("does not exist")
        )
        raise DemonstrationError(f"data set {name!r} in {root} {hint}")
    try:
        data = MinariDataset(folder)
    except DAMAGE as error:
        reason = in_one_line(error)
        raise DemonstrationError(f"data set {name!r} in {root} is damaged: {reason}") from error
    for what, space, shape in (
        ("frames", data.observation_space, FRAME_SHAPE),
        ("actions", data.action_space, (len(ACTIONS),)),
    ):
        if space.shape != shape:
            raise DemonstrationError(
                f"data set {name!r} has {what} of shape {space.shape}, expected {shape}"
            )
    if data.observation_space.dtype != np.uint8:
        raise DemonstrationError(
            f"data set {name!r} has frames of type {data.observation_space.dtype}, expected uint8"
        )
    return data


def _episode_steps(name: str, data: MinariDataset) -> list[tuple[int, int]]:
    """Number and steps of each episode that holds any step."""
    try:
        indices = [int(i) for i in data.episode_indices]
        metadata = data.storage.get_episode_metadata(indices)
        found = [(i, int(entry["total_steps"])) for i, entry in zip(indices, metadata, strict=True)]
    except DAMAGE as error:
        reason = in_one_line(error)
        raise DemonstrationError(f"data set {name!r}: an episode is damaged: {reason}") from error
    if not found:
        raise DemonstrationError(f"data set {name!r} has no episodes")
    for i, steps in found:
        if steps < 1:
            raise DemonstrationError(f"episode {i} of {name} has no steps")
        if steps > MOST_STEPS:
            raise DemonstrationError(
                f"episode {i} of {name}: its metadata say {steps} steps, more than {MOST_STEPS}"
            )
    return found


def _folder(data: MinariDataset) -> Path:
    return Path(data.storage.data_path)


def _read(
    data: MinariDataset, episode: Episode, recorded: Mapping[str, str]
) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Frames with an action, and the actions, of one episode."""
    where = f"episode {episode.index} of {episode.name}"
    if recorded:
        try:
            episode_files.check_unchanged(_folder(data), episode.index, recorded)
        except (OSError, ValueError) as fault:
            raise DemonstrationError(f"{where}: {fault}; nsac-record check tells more") from None
    found = read_episode(data, episode.name, episode.index)
    if len(found.actions) != episode.steps or len(found.observations) != episode.steps + 1:
        raise DemonstrationError(
            f"{where} holds {_count(len(found.actions), 'step')}, its metadata say {episode.steps}"
        )
    if not np.isfinite(found.actions).all():
        raise DemonstrationError(f"{where} holds actions that are no finite numbers")
    return found.observations[:-1], found.actions


def read_episode(data: MinariDataset, name: str, index: int) -> EpisodeData:
    """One episode, whole.

    Args:
        data: The data set.
        name: Its Minari id.
        index: Number of the episode.

    Raises:
        DemonstrationError: It cannot be read.
    """
    try:
        episode_files.check_arrow(_folder(data), index)
        (found,) = data.iterate_episodes([index])
    except DAMAGE as error:
        reason = in_one_line(error)
        raise DemonstrationError(f"episode {index} of {name} cannot be read: {reason}") from error
    return found


def _deal(order: NDArray[np.int64], shares: Sequence[float]) -> list[NDArray[np.int64]]:
    """Cuts an order into parts: the later ones rounded, the first takes what is left."""
    total = sum(shares)
    later = [round(len(order) * share / total) for share in shares[1:]]
    cuts = np.cumsum([max(len(order) - sum(later), 0), *later])[:-1]
    return np.split(order, cuts)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
