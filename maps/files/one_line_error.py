"""The faults that a user can mend: each is told in one line, whatever its words were taken from."""

import difflib
from collections.abc import Iterable

_CLOSE = 0.65
"""How alike a name has to be: `ppo` and `pop` are, `scale` and `shape` are not."""


class OneLineError(ValueError):
    """A fault whose message is one line, even where it quotes a name or another fault of several.

    Args:
        message: Names the file, row or field, and says what would be right.
    """

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.splitlines()))


def in_one_line(fault: BaseException) -> str:
    """What a fault says, whatever its lines; its kind where it says nothing."""
    return " ".join(str(fault).split()) or type(fault).__name__


def with_kind(fault: BaseException) -> str:
    """As ``in_one_line``, after the fault's kind: for what code of somebody else raises."""
    kind, words = type(fault).__name__, in_one_line(fault)
    return kind if words == kind else f"{kind}: {words}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``did you mean oval? `` for ``ovall``, to be put before a list of what there is.

    Args:
        word: What is none of the names.
        known: The names.

    Returns:
        Nothing where none of them is close.
    """
    close = difflib.get_close_matches(word.lower(), list(known), 1, _CLOSE)
    return f"did you mean {close[0]}? " if close else ""
