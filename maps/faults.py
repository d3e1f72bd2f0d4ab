"""What every command does when it cannot go on: one line on stderr, and a status that says why."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

WRONG_INPUT = 2
INTERRUPTED = 130


@contextmanager
def one_line(*faults: type[Exception]) -> Iterator[None]:
    """Turns the library's own faults, and an interruption, into one line and an exit.

    Args:
        faults: Exceptions whose message is one line that names what is wrong; any other is a bug
            and keeps its traceback.

    Raises:
        SystemExit: With status 2 after a fault, 130 after an interruption.
    """
    try:
        yield
    except faults as fault:
        print(f"error: {fault}", file=sys.stderr)  # noqa: T201
        sys.exit(WRONG_INPUT)
    except KeyboardInterrupt:
        print("interrupted: the same command goes on where it stopped", file=sys.stderr)  # noqa: T201
        sys.exit(INTERRUPTED)
