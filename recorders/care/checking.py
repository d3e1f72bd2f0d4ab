"""Checks a data set whole: what lies on the disk, every array, and the episodes together."""

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from minari import EpisodeData

from maps.files.locks import locked_folder
from policies.checksums import MANIFEST
from policies.data_sets import root_folder, tidy
from policies.minari_files import DemonstrationError, episode_numbers, open_minari, read_episode
from policies.ppo.config import TEST_TRACKS
from recorders.care import contents, structure
from recorders.care.config import CheckConfig
from recorders.care.errors import CareError
from recorders.care.finding import Finding, of_data_set, of_episode
from recorders.care.progress import tracked
from recorders.care.stored import leads_out


@dataclass(frozen=True)
class Checked:
    """What a check came to.

    Attributes:
        findings: All that is wrong.
        episodes: How many there are.
        steps: How many, by the episodes' metadata.
        verified: Whether the data set has checksums, so that changed bytes are found.
    """

    findings: tuple[Finding, ...]
    episodes: int
    steps: int
    verified: bool


def check_data_set(config: CheckConfig) -> Checked:
    """Checks a data set.

    Raises:
        CareError: There is nothing of that name.
        maps.files.locks.LockedError: It is being recorded just now.
    """
    config = replace(config, recording=tidy(config.recording))
    name, root = config.recording, root_folder(config.data_root)
    data = root / name / "data"
    if not name or leads_out(name) or not (root / name).is_dir():
        raise CareError(
            f"{name!r} is neither a data set in {root} nor the folder of a Udacity recording "
            "with its driving_log.csv"
        )
    _refuse_at_work(root / name)
    found = list(structure.leftovers(root / name))
    if not data.is_dir():
        if not found:
            raise CareError(f"{root / name} holds no data set: it has no folder data")
        return Checked(tuple(found), 0, 0, verified=False)
    return _check(config, data, found)


def _refuse_at_work(folder: Path) -> None:
    """A recording that grows is no interrupted one."""
    if not (folder / ".recording").exists() or not os.access(folder, os.W_OK):
        return
    with locked_folder(folder):
        pass


def _check(config: CheckConfig, data: Path, found: list[Finding]) -> Checked:
    there = episode_numbers(data)
    found += structure.whole(data, there)
    verified = (data / MANIFEST).exists()
    if verified:
        found += structure.altered(data, config.quiet)
    entries, faults = structure.metadata(data, config.recording, there)
    found += faults
    found += _episodes(config, entries, _damaged(found))
    found += _test_seeds(entries)
    steps = [entry.get("total_steps") for entry in entries.values()]
    total = sum(count for count in steps if isinstance(count, int))
    return Checked(tuple(found), len(there), total, verified)


def _damaged(found: list[Finding]) -> set[str]:
    """Episodes whose arrays are not those that were recorded: nothing in them can be trusted."""
    return {finding.where for finding in found if finding.field.endswith(".arrow")}


def _episodes(
    config: CheckConfig, entries: dict[int, dict[str, Any]], damaged: set[str]
) -> Iterator[Finding]:
    """The arrays of every episode, and episodes that are there twice."""
    try:
        minari = open_minari(config.recording, root_folder(config.data_root))
    except DemonstrationError as fault:
        yield of_data_set("metadata.json", f"Minari cannot read it: {fault}")
        return
    first: dict[str, int] = {}
    for number in tracked(entries, len(entries), "episodes", config.quiet):
        if f"episode {number}" in damaged:
            continue
        try:
            episode = read_episode(minari, config.recording, number)
        except DemonstrationError as fault:
            what = str(fault).removeprefix(f"episode {number} of {config.recording} ")
            yield of_episode(number, "part-0.arrow", what)
            continue
        for field, what in contents.faults(episode, entries[number]):
            yield of_episode(number, field, what)
        same = first.setdefault(_identity(entries[number], episode), number)
        if same != number:
            yield of_episode(number, "actions", f"the same as in episode {same}, on the same map")


def _identity(entry: dict[str, Any], episode: EpisodeData) -> str:
    """Tells two drives apart, however they are numbered."""
    where = f"{entry.get('map')} {entry.get('seed')} ".encode()
    return hashlib.sha256(where + episode.actions.tobytes()).hexdigest()


def _test_seeds(entries: dict[int, dict[str, Any]]) -> Iterator[Finding]:
    for number in test_episodes(entries):
        what = "a track of the test (seeds 2000-2099): drop it before training"
        yield of_episode(number, f"map {entries[number]['map']}", what)


def test_episodes(entries: dict[int, dict[str, Any]]) -> list[int]:
    """Numbers of the episodes driven on the tracks that policies are tested on."""
    return [number for number, entry in entries.items() if entry.get("map") in TEST_TRACKS]
