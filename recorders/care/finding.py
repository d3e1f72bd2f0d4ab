"""One thing that is wrong with a data set."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """What a check came upon.

    Attributes:
        where: ``data set``, or the episode, as ``episode 3``.
        field: The file or the array.
        what: What is wrong, and what would be right.
    """

    where: str
    field: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}, {self.field}: {self.what}"


def of_episode(number: int, field: str, what: str) -> Finding:
    """A finding in one episode."""
    return Finding(f"episode {number}", field, what)


def of_data_set(field: str, what: str) -> Finding:
    """A finding in the whole."""
    return Finding("data set", field, what)
