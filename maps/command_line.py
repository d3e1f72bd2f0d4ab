"""What every program does with its command line: commands, help, version, faults, exit status.

A program is a table of commands. Each names the class of its configuration and the function that
does the work, and both are imported only when they are needed: help must not wait for torch.
"""

import importlib
import importlib.metadata
import os
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro

from maps.empty_paths import check_paths
from maps.faults import INTERRUPTED, WRONG_INPUT, one_line
from maps.files.one_line_error import did_you_mean
from maps.limits import check_numbers

DISTRIBUTION = "nsac-drive"
COLUMNS = 80
STATUSES = {
    0: "done",
    1: "a check found something wrong",
    WRONG_INPUT: "it cannot be done (a line on stderr says why)",
    INTERRUPTED: "interrupted",
}
"""Every exit status of every program, and what it says."""

STRIPPED = (
    "Python runs with -OO or PYTHONOPTIMIZE=2, which strips what the options mean: without it "
    "this help tells."
)


@dataclass(frozen=True)
class Command:
    """One thing that a program does.

    Attributes:
        config: ``module:class`` of its configuration, a dataclass; the module is quick to import.
        action: ``module:function`` that is called with the configuration and does the work; an
            integer that it returns is the exit status.
        description: One sentence for help.
        resumes: Whether the same command goes on after an interruption.
    """

    config: str
    action: str
    description: str
    resumes: bool = True


def run(
    prog: str,
    description: str,
    commands: Mapping[str, Command],
    arguments: list[str] | None = None,
    default: Command | None = None,
) -> None:
    """Does the command that the first word names, or the default one.

    Args:
        prog: Name of the program.
        description: What it is for.
        commands: By their words.
        arguments: Of the command line; None takes those of the process.
        default: What is done where there are options alone.

    Raises:
        SystemExit: After help or the version, and with a status other than 0 (see ``STATUSES``).
    """
    given = sys.argv[1:] if arguments is None else arguments
    if given and given[0] in commands:
        perform(f"{prog} {given[0]}", commands[given[0]], given[1:])
    elif default is not None and all(word.startswith("-") for word in given[:1]):
        perform(prog, default, given, f"{default.description}\n\n{_told(prog, commands)}")
    else:
        with _printing():
            _instruct(prog, description, commands, given)


def perform(
    prog: str, command: Command, arguments: list[str], description: str | None = None
) -> None:
    """Parses the options of one command and does it.

    Args:
        prog: Program and word.
        command: What to do.
        arguments: Its options.
        description: For its help, in place of the command's own.

    Raises:
        SystemExit: As ``run``.
    """
    try:
        with _printing():
            if "--version" in arguments[:1]:
                _print_version(prog)
            # tyro looks at standard output alone, and not at NO_COLOR (no-color.org).
            plain = os.environ.get("NO_COLOR") or not (sys.stdout.isatty() and sys.stderr.isatty())
            tyro._experimental_options["ansi_codes"] = not plain
            told = description or command.description
            config: object = tyro.cli(
                resolve(command.config),
                prog=prog,
                description=told if sys.flags.optimize < 2 else f"{told}\n\n{STRIPPED}",
                args=arguments,
            )
            _refuse_nowhere()
            with one_line(ValueError):
                check_paths(arguments, config)
            if not hasattr(config, "check"):  # which checks them too, and more
                with one_line(ValueError):
                    check_numbers(config)
            status = resolve(command.action)(config)
    except KeyboardInterrupt:
        goes_on = ": the same command goes on where it stopped" if command.resumes else ""
        print(f"interrupted{goes_on}", file=sys.stderr)  # noqa: T201
        sys.exit(INTERRUPTED)
    if status:
        sys.exit(status)


def resolve(name: str) -> Callable[..., Any]:
    """What ``module:attribute`` names."""
    module, _, attribute = name.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), attribute)
    return found


@contextmanager
def _printing() -> Iterator[None]:
    """Has whatever is printed arrive, or says in one line that it cannot."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # closed; the next file that is opened would get its number
            nothing = Path(os.devnull).open("r" if name == "stdin" else "w")  # noqa: SIM115
            setattr(sys, name, nothing)
    with _threads_told_once(), one_line(OSError):
        try:
            yield
        finally:
            sys.stdout.flush()


@contextmanager
def _threads_told_once() -> Iterator[None]:
    """Lets a thread print no traceback of a fault that it keeps, and that whoever uses it raises.

    TensorBoard's does so, as on a full disk.
    """
    tell = threading.excepthook

    def tell_once(fault: threading.ExceptHookArgs) -> None:
        if getattr(fault.thread, "exception", None) is not fault.exc_value:
            tell(fault)

    threading.excepthook = tell_once
    try:
        yield
    finally:
        threading.excepthook = tell


def _refuse_nowhere() -> None:
    """Says in one line that the working folder is gone: libraries fail there, each in its way.

    Raises:
        FileNotFoundError: It is.
    """
    try:
        Path.cwd()
    except FileNotFoundError as fault:
        folder = os.environ.get("PWD", os.curdir)
        words = "this working folder is gone: change to one that is there"
        raise FileNotFoundError(fault.errno, words, folder) from None


def _instruct(
    prog: str, description: str, commands: Mapping[str, Command], given: list[str]
) -> None:
    """Answers who named no command."""
    if "--version" in given[:1]:
        _print_version(prog)
    if not given or given[0] in ("-h", "--help"):
        print(f"usage: {prog} COMMAND ...\n\n{description}\n\n{_told(prog, commands)}")  # noqa: T201
        sys.exit(0 if given else WRONG_INPUT)
    with one_line(ValueError):
        raise ValueError(_unknown(given[0], commands))


def _print_version(prog: str) -> None:
    program, version = prog.partition(" ")[0], importlib.metadata.version(DISTRIBUTION)
    print(f"{program} {version} ({DISTRIBUTION})")  # noqa: T201
    sys.exit(0)


def _told(prog: str, commands: Mapping[str, Command]) -> str:
    width = max(map(len, commands), default=0) + 4
    lines = [
        textwrap.fill(
            command.description,
            COLUMNS,
            initial_indent=f"  {word}".ljust(width),
            subsequent_indent=" " * width,
        )
        for word, command in commands.items()
    ]
    statuses = ", ".join(f"{status} {meaning}" for status, meaning in STATUSES.items())
    commands_told = ["commands:", *lines, f"\n`{prog} COMMAND --help` tells of one's options."]
    return "\n".join(
        [*(commands_told if commands else []), textwrap.fill(f"exit status: {statuses}.", COLUMNS)]
    )


def _unknown(word: str, commands: Mapping[str, Command]) -> str:
    guess = did_you_mean(word, commands)
    return f"no command {word!r}; {guess}there are {', '.join(commands)}"
