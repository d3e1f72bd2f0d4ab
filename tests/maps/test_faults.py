import pytest

from maps import MapError
from maps.faults import one_line


@pytest.mark.parametrize(
    ("fault", "status", "line"),
    [
        (MapError("oval.json: no name"), 2, "error: oval.json: no name\n"),
        (KeyboardInterrupt(), 130, "interrupted: the same command goes on where it stopped\n"),
    ],
)
def test_a_fault_is_one_line_and_a_status(
    fault: BaseException, status: int, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end, one_line(MapError):
        raise fault
    assert end.value.code == status
    assert capsys.readouterr().err == line


def test_a_bug_keeps_its_traceback() -> None:
    with pytest.raises(ZeroDivisionError), one_line(MapError):
        _ = 1 / 0
