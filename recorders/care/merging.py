"""Merges data sets that fit together into a new one."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pyarrow as pa

from policies.data_sets import DataSet, root_folder, tidy
from policies.shared_episodes import refuse_shared, refuse_twice
from recorders.care.config import MergeConfig
from recorders.care.derived import Derivation, claimed, make_new
from recorders.care.errors import CareError
from recorders.care.stored import held


def merge_data_sets(config: MergeConfig) -> tuple[int, int]:
    """Makes a new data set of all episodes of others.

    Returns:
        Its episodes and steps.

    Raises:
        CareError: The data sets do not fit together, or there is one of the new name.
        policies.demonstrations.DemonstrationError: One is unknown, unfinished or damaged, or two
            share an episode.
        recorders.config.RecordError: Minari refuses the new name.
        maps.files.locks.LockedError: One of them is being written to.
    """
    names = [tidy(name) for name in config.data_sets]
    if len(names) < 2:
        raise CareError("a merge takes two data sets or more")
    refuse_twice(names, root_folder(config.data_root))
    with ExitStack() as stack:
        new = stack.enter_context(claimed(config.out, root_folder(config.data_root)))
        sources = [stack.enter_context(held(name, config.data_root)) for name in names]
        for source in sources[1:]:
            _compare(sources[0], source)
        refuse_shared(sources)
        episodes = [(source, i) for source in sources for i in range(len(source.entries))]
        derivation = Derivation(
            config.out, episodes, "nsac-record merge", config.copy, config.quiet
        )
        make_new(derivation, new)
    return len(episodes), sum(int(source.entries[i]["total_steps"]) for source, i in episodes)


def _compare(first: DataSet, other: DataSet) -> None:
    """Compares what must be the same in all episodes of a data set.

    Raises:
        CareError: It is not.
    """
    for (field, one), (_, another) in zip(_traits(first), _traits(other), strict=True):
        if one != another:
            values = f": {one}, {another}" if max(len(str(one)), len(str(another))) < 100 else ""
            raise CareError(f"{first.name} and {other.name} differ in {field}{values}")


def _traits(data: DataSet) -> Iterator[tuple[str, Any]]:
    """What must be the same, by the words for it."""
    environment = json.loads(data.metadata.get("env_spec", "{}"))
    kwargs = environment.get("kwargs", {})
    yield "environment", environment.get("id")
    yield "renderer", kwargs.get("renderer")
    yield "observation", kwargs.get("observation")
    for field in ("data_format", "jpeg_encoding", "observation_space", "action_space"):
        yield field.replace("_", " "), data.metadata.get(field)
    yield "the columns of their episodes", _columns(data)


def _columns(data: DataSet) -> str:
    """Names and types of what an episode's file holds."""
    for path in sorted((data.data / "0").glob("*.arrow")):
        try:
            with pa.memory_map(str(path)) as file:
                return str(pa.ipc.open_file(file).schema.remove_metadata())
        except (OSError, ValueError) as fault:
            raise CareError(f"{path}: cannot be read ({fault})") from None
    return ""
