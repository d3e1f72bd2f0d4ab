"""Keeps an episode from being taken twice, under whatever names its data sets have."""

from collections.abc import Sequence
from pathlib import Path

from policies.data_sets import DataSet
from policies.minari_files import DemonstrationError


def refuse_twice(names: Sequence[str], root: Path) -> None:
    """Refuses to take a data set twice, under whatever names.

    Raises:
        DemonstrationError: Two names are those of one folder.
    """
    seen: dict[Path, str] = {}
    for name in names:
        folder = (root / name).resolve()
        if folder in seen:
            words = name if name == seen[folder] else f"{name}, which is {seen[folder]},"
            raise DemonstrationError(
                f"data set {words} is named twice: its episodes would be there twice"
            )
        seen[folder] = name


def refuse_shared(sets: Sequence[DataSet]) -> None:
    """Refuses data sets that share an episode, which would lie on both sides of a validation.

    Raises:
        DemonstrationError: Two do.
    """
    seen: dict[str, str] = {}
    for data in sets if len(sets) > 1 else ():
        for drive, number in data.drives():
            episode = f"episode {number} of {data.name}"
            if drive in seen:
                raise DemonstrationError(f"{episode} is {seen[drive]} as well: drop one of the two")
            seen[drive] = episode
