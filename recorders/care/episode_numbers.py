"""Episodes as a user writes them: ``0 3 7-9``."""

import re
from collections.abc import Sequence

from recorders.care.errors import CareError

_NUMBERS = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?", re.ASCII)


def parse(words: Sequence[str], total: int) -> list[int]:
    """The numbers that words stand for, sorted, each once.

    Args:
        words: Each a number, or a range such as ``7-9``, which holds both ends; commas may
            stand between them as well.
        total: How many episodes there are.

    Raises:
        CareError: A word is none of these, or names an episode that is not there.
    """
    found: set[int] = set()
    for word in ",".join(words).split(",") if words else ():
        match = _NUMBERS.fullmatch(word)
        if match is None:
            raise CareError(f"episodes are written 3 or 7-9, not {word!r}")
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            raise CareError(f"episodes {word}: a range is written from its first to its last")
        if last >= total:
            raise CareError(f"there is no episode {last}: they are 0-{total - 1}")
        found.update(range(first, last + 1))
    return sorted(found)
