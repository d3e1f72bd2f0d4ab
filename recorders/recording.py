"""Records a data set of CarRacing demonstrations: in processes, resumable, with a progress bar."""

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial

import torch
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

import maps
from nsac_core.benchmarks.processes import finished
from policies.data_sets import root_folder
from policies.ppo.config import TEST_SEEDS, TEST_TRACKS
from recorders.config import RecordConfig, RecordError
from recorders.data_set import RecordedDataSet
from recorders.driving import Cast, drive


def record(config: RecordConfig) -> str:
    """Records the episodes that the data set still lacks.

    Args:
        config: What to record.

    Returns:
        The data set's Minari id; ``minari.load_dataset`` loads it.

    Raises:
        RecordError: The configuration is wrong, or the data set holds other recordings.
        policies.PolicyError: Driver or learner cannot be loaded.
        maps.MapError: A map is unknown or malformed.
        KeyboardInterrupt: The person who drives stopped before the last episode.
    """
    config.check()
    # Worker processes outlive a call, and the environment variable they started with.
    config = replace(config, data_root=root_folder(config.data_root).absolute())
    tracks = _tracks(config)
    _check_seeds(config, tracks)
    cast = None if config.by_hand else Cast.load(config)
    data_set = RecordedDataSet(root_folder(config.data_root), config.out)
    with data_set.opened(config) as missing:
        if missing:
            steps = (
                _record_missing(config, cast, tracks, missing)
                if cast
                else _record_person(config, data_set, [(i, tracks[i]) for i in missing])
            )
            _show(config, steps, len(missing))
        if data_set.growing.exists():
            data_set.finish(config)
    return config.out


def _record_missing(
    config: RecordConfig, cast: Cast, tracks: list[str], missing: list[int]
) -> Iterable[int]:
    """Drives whole batches, whose make-up depends on the configuration alone."""
    size = cast.batch_size(config)
    wanted = frozenset(missing)
    starts = range(0, config.episodes, size)
    whole = (range(first, min(first + size, config.episodes)) for first in starts)
    batches = [batch for batch in whole if not wanted.isdisjoint(batch)]
    if config.workers > 1:
        return _record_in_processes(config, tracks, batches, wanted)
    return (
        count for batch in batches for count in _record_batch(config, cast, tracks, batch, wanted)
    )


def _record_person(
    config: RecordConfig, data_set: RecordedDataSet, episodes: list[tuple[int, str]]
) -> Iterator[int]:
    """Writes the episodes that a person keeps; counts the steps of each.

    A missing display is named before any progress is shown.
    """
    from recorders.human.window import find_display  # noqa: PLC0415 - who else needs a window

    find_display()
    return _kept_episodes(config, data_set, episodes)


def _kept_episodes(
    config: RecordConfig, data_set: RecordedDataSet, episodes: list[tuple[int, str]]
) -> Iterator[int]:
    from recorders.human.driving import drive_by_hand  # noqa: PLC0415 - who else needs a window

    with closing(drive_by_hand(config, episodes)) as drives:
        for episode in drives:
            data_set.write(episode)
            yield episode.steps


def _record_batch(
    config: RecordConfig, cast: Cast, tracks: list[str], batch: range, wanted: frozenset[int]
) -> Iterator[int]:
    """Drives a batch and writes its missing episodes; yields the steps of each.

    One thread, whatever the machine: sums in another order would be other drives.
    """
    data_set = RecordedDataSet(root_folder(config.data_root), config.out)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        drives = drive(config, cast, batch, [tracks[i] for i in batch])
        with closing(drives):
            for episode in drives:
                if episode.index in wanted:
                    data_set.write(episode)
                    yield episode.steps
    finally:
        torch.set_num_threads(threads)


def _record_in_processes(
    config: RecordConfig, tracks: list[str], batches: list[range], wanted: frozenset[int]
) -> Iterator[int]:
    work = partial(_record_whole_batch, config, tracks, wanted)
    for counts in finished(work, batches, config.workers):
        yield from counts


def _record_whole_batch(
    config: RecordConfig, tracks: list[str], wanted: frozenset[int], batch: range
) -> list[int]:
    return list(_record_batch(config, Cast.load(config), tracks, batch, wanted))


def _show(config: RecordConfig, steps: Iterable[int], missing: int) -> None:
    """Consumes the step counts of finished episodes and shows how the recording gets on."""
    columns = (
        TextColumn("recording"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("episodes  {task.fields[frames]} frames  {task.fields[rate]:.0f}/s"),
        TimeElapsedColumn(),
        TextColumn("passed"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    with Progress(*columns, console=Console(stderr=True), disable=config.quiet) as progress:
        done = config.episodes - missing
        task = progress.add_task("", total=config.episodes, completed=done, frames=0, rate=0.0)
        frames = 0
        for count in steps:
            frames += count
            seconds = progress.tasks[0].elapsed or 0.0
            rate = frames / seconds if seconds else 0.0
            progress.update(task, advance=1, frames=frames, rate=rate)


def _check_seeds(config: RecordConfig, tracks: list[str]) -> None:
    """Refuses the tracks of the test: figures of what has learned them would be worthless."""
    if config.allow_test_seeds:
        return
    taken = [track for track in tracks if track in TEST_TRACKS]
    if taken:
        raise RecordError(
            f"{taken[0]} is a track of the test (seeds {TEST_SEEDS[0]}-{TEST_SEEDS[-1]}): record "
            "others, or give --allow-test-seeds and never test what learns from them"
        )


def _tracks(config: RecordConfig) -> list[str]:
    """The map of each episode."""
    if config.maps is None:
        return [f"seed:{config.first_seed + i}" for i in range(config.episodes)]
    names = maps.expand(config.maps)
    return [names[i % len(names)] for i in range(config.episodes)]
