"""The faults that a user can mend: each is told in one line, whatever its words were taken from."""


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
