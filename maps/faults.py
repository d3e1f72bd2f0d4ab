"""What every command does when it cannot go on: one line on stderr, and a status that says why."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from maps.files.one_line_error import in_one_line

WRONG_INPUT = 2
INTERRUPTED = 130


@contextmanager
def one_line(*faults: type[Exception]) -> Iterator[None]:
    """Turns the library's own faults into one line and an exit.

    Args:
        faults: Exceptions whose message is one line that names what is wrong; any other is a bug
            and keeps its traceback.

    Raises:
        SystemExit: With status 2 after a fault; 0 where whoever read the output has had enough.
    """
    try:
        yield
    except BrokenPipeError:
        # Python would flush standard output once more at its end, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # rich has seen it first, and gives 1
            sys.exit(0)
        raise
    except faults as fault:
        print(f"error: {described(fault)}", file=sys.stderr)  # noqa: T201
        sys.exit(WRONG_INPUT)


def described(fault: Exception) -> str:
    """A fault in one line; one of the operating system names the file first."""
    if isinstance(fault, OSError) and fault.strerror:
        name = fault.filename
        name = os.fsdecode(name) if isinstance(name, bytes) else name
        place = "" if name is None else f"{name}: "
        return f"{place}{fault.strerror}"
    return in_one_line(fault)
