"""What every program does with its command line."""

import errno
import os
import re
import resource
import subprocess
import sys
import threading
import tomllib
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pytest

from maps import command_line
from maps.command_line import Command, run

PROGRAMS = tomllib.loads(
    (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
)["project"]["scripts"]
HEAVY = ("torch", "gymnasium", "pandas", "matplotlib", "minari", "numba", "scipy", "cv2", "plotly")
ALL_HELP = """
import contextlib, importlib, io, sys
program = importlib.import_module(sys.argv[1])
for words in [[], *([word] for word in getattr(program, "COMMANDS", {}))]:
    with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
        program.main([*words, "--help"])
print([name for name in sys.argv[2:] if name in sys.modules])
"""


@dataclass(frozen=True)
class Greeting:
    """What to say.

    Attributes:
        name: To whom.
    """

    name: str


class Writer(threading.Thread):
    """Finds a disk full; a careful one keeps the fault for whoever waits, as TensorBoard's does."""

    exception: OSError | None = None

    def run(self) -> None:
        fault = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), b"log/events")
        if self.name == "careful":
            self.exception = fault
        raise fault


def greet(config: Greeting) -> int | None:
    """Ends as the name says."""
    if config.name in ("careful", "careless"):
        writer = Writer(name=config.name)
        writer.start()
        writer.join()
        if writer.exception is not None:
            raise writer.exception
    if config.name == "nobody":
        raise FileNotFoundError(2, "No such file or directory", config.name)
    if config.name == "Ctrl-C":
        raise KeyboardInterrupt
    sys.stdout.write(f"hello {config.name}\n")
    return 1 if config.name == "trouble" else None


@pytest.fixture(autouse=True)
def _targets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the commands below name what is in this file, which is no module to import."""
    targets = {"greeting": Greeting, "greet": greet}
    monkeypatch.setattr(command_line, "resolve", targets.__getitem__)


COMMANDS = {
    "greet": Command("greeting", "greet", "Greet somebody."),
    "greet-once": Command("greeting", "greet", "Greet somebody once.", resumes=False),
}


def ends(*arguments: str) -> object:
    """The exit status."""
    with pytest.raises(SystemExit) as end:
        run("nsac-test", "For tests.", COMMANDS, list(arguments))
    return end.value.code or 0


def test_a_command_that_succeeds_just_returns(capsys: pytest.CaptureFixture[str]) -> None:
    run("nsac-test", "For tests.", COMMANDS, ["greet", "--name", "Ada"])
    assert capsys.readouterr().out == "hello Ada\n"


@pytest.mark.parametrize(
    ("arguments", "status", "error"),
    [
        (["greet", "--name", "trouble"], 1, ""),
        (["greet", "--name", "nobody"], 2, "error: nobody: No such file or directory\n"),
        (
            ["greet", "--name", "Ctrl-C"],
            130,
            "interrupted: the same command goes on where it stopped\n",
        ),
        (["greet-once", "--name", "Ctrl-C"], 130, "interrupted\n"),
        (
            ["great"],
            2,
            "error: no command 'great'; did you mean greet? there are greet, greet-once\n",
        ),
    ],
)
def test_every_other_end_has_its_status(
    arguments: list[str], status: int, error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ends(*arguments) == status
    assert capsys.readouterr().err == error


@pytest.mark.parametrize(
    ("writer", "status", "error", "told"),
    [("careful", 2, "error: log/events: No space left on device\n", 0), ("careless", 0, "", 1)],
)
def test_a_fault_that_a_thread_keeps_is_told_once(
    writer: str,
    status: int,
    error: str,
    told: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    tracebacks: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", tracebacks.append)
    if status:
        assert ends("greet", "--name", writer) == status
    else:
        run("nsac-test", "For tests.", COMMANDS, ["greet", "--name", writer])
    assert capsys.readouterr().err == error
    assert len(tracebacks) == told
    assert threading.excepthook == tracebacks.append


def test_a_program_that_does_without_a_word_knows_a_wrong_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    default = COMMANDS["greet-once"]
    run("nsac-test", "For tests.", COMMANDS, ["--name", "Ada"], default)
    assert capsys.readouterr().out == "hello Ada\n"
    with pytest.raises(SystemExit, match="2"):
        run("nsac-test", "For tests.", COMMANDS, ["great", "--name", "Ada"], default)
    assert "no command 'great'; did you mean greet?" in capsys.readouterr().err


def test_a_wrong_option_is_status_2_and_names_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert ends("greet", "--nam", "Ada") == 2
    assert "--nam" in capsys.readouterr().err


@pytest.mark.parametrize(("arguments", "status"), [([], 2), (["--help"], 0), (["-h"], 0)])
def test_help_lists_commands_and_exit_statuses(
    arguments: list[str], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ends(*arguments) == status
    told = capsys.readouterr().out
    assert "Greet somebody once." in told
    assert "130 interrupted" in told


@pytest.mark.parametrize("arguments", [["--version"], ["greet", "--version"]])
def test_the_version_is_that_of_the_distribution(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert ends(*arguments) == 0
    assert capsys.readouterr().out == f"nsac-test {version('nsac-drive')} (nsac-drive)\n"


@pytest.mark.parametrize("program", PROGRAMS)
def test_help_is_quick(program: str) -> None:
    """Half a second of processor time, whatever else the machine does."""
    target = PROGRAMS[program].partition(":")[0]
    command = [sys.executable, "-c", f"from {target} import main; main()", "--help"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime < 0.5


@pytest.mark.parametrize("program", PROGRAMS)
def test_no_help_loads_what_is_slow_to_load(program: str) -> None:
    target = PROGRAMS[program].partition(":")[0]
    command = [sys.executable, "-c", ALL_HELP, target, *HEAVY]
    loaded = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert loaded == "[]\n"


@pytest.mark.parametrize(("option", "told"), [("-O", True), ("-OO", False)])
def test_help_without_docstrings_says_why(option: str, told: bool) -> None:
    command = [sys.executable, option, "-c", "from maps.cli import main; main()", "show", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert ("Where to write a picture of it" in done) is told
    assert ("Python runs with -OO or PYTHONOPTIMIZE=2" in " ".join(done.split())) is not told


def nsac_maps(word: str, environment: dict[str, str], output: int) -> subprocess.Popen[bytes]:
    """A command with its output somewhere."""
    command = [sys.executable, "-c", "from maps.cli import main; main()", word]
    plain = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    return subprocess.Popen(command, env=plain | environment, stdout=output, stderr=output)


def styles_on_a_terminal(word: str, **environment: str) -> set[int]:
    """The codes of the styles that a terminal receives: 1 is bold, 30 to 37 and 90 to 97 colour."""
    keyboard, screen = os.openpty()
    process = nsac_maps(word, {"TERM": "xterm-256color", **environment}, screen)
    os.close(screen)
    received = b""
    try:
        while piece := os.read(keyboard, 65536):
            received += piece
    except OSError:  # what Linux says once nobody writes any more
        pass
    os.close(keyboard)
    process.wait()
    sequences = re.findall(rb"\x1b\[([\d;]*)m", received)
    return {int(code) for sequence in sequences for code in sequence.split(b";") if code}


def test_a_terminal_gets_styles_and_a_file_does_not() -> None:
    assert 1 in styles_on_a_terminal("list")
    output, _ = nsac_maps("list", {}, subprocess.PIPE).communicate()
    assert b"oval" in output
    assert b"\x1b" not in output


def test_no_color_is_honoured() -> None:
    """`nsac-maps show` without a map is a fault in a red frame."""
    colours = {*range(30, 39), *range(90, 98)}
    assert styles_on_a_terminal("show") & colours
    assert not styles_on_a_terminal("show", NO_COLOR="1") & colours


def test_a_reader_that_has_had_enough_is_no_fault() -> None:
    command = f"{sys.executable} -c 'from maps.cli import main; main()' list | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert "Traceback" not in done.stderr
    assert done.stderr == ""


@pytest.mark.parametrize("words", ["list", "--help", "show --help", "--version"])
@pytest.mark.parametrize(
    ("end", "status", "error"),
    [
        ("| true; exit ${PIPESTATUS[0]}", 0, ""),
        (">&-", 0, ""),
        (">/dev/full", 2, "error: No space left on device\n"),
    ],
)
def test_whatever_becomes_of_the_output_there_is_no_traceback(
    words: str, end: str, status: int, error: str
) -> None:
    command = f"{sys.executable} -c 'from maps.cli import main; main()' {words} {end}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (status, error)
