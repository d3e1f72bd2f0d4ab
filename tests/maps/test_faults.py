import errno

import pytest

from maps import MapError
from maps.faults import one_line
from maps.files.one_line_error import did_you_mean


@pytest.mark.parametrize(
    ("fault", "line"),
    [
        (MapError("oval.json: no name"), "error: oval.json: no name\n"),
        (MapError("two\nlines"), "error: two lines\n"),
        (
            OSError(errno.ENOSPC, "No space left on device", "laps.parquet"),
            "error: laps.parquet: No space left on device\n",
        ),
        (OSError("no such port"), "error: no such port\n"),
    ],
)
def test_a_fault_is_one_line_and_status_2(
    fault: Exception, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end, one_line(MapError, OSError):
        raise fault
    assert end.value.code == 2
    assert capsys.readouterr().err == line


def test_a_bug_keeps_its_traceback() -> None:
    with pytest.raises(ZeroDivisionError), one_line(MapError):
        _ = 1 / 0


@pytest.mark.parametrize(
    ("word", "guess"),
    [
        ("ovall", "did you mean oval? "),
        ("OVAL", "did you mean oval? "),
        ("hairpin", "did you mean hairpins? "),
        ("deep-ensemble", "did you mean deep_ensemble? "),
        ("ov", "did you mean oval? "),
        ("shape", ""),
        ("monza", ""),
        ("", ""),
    ],
)
def test_only_a_close_name_is_guessed(word: str, guess: str) -> None:
    assert did_you_mean(word, ["hairpins", "oval", "scale", "deep_ensemble"]) == guess
