"""An unset variable of a shell is named, and is not the working folder."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import evaluation.cli
import evaluation.inspect_cli
import maps.cli
import nsac_core.cli
import recorders.cli
from maps.empty_paths import check_paths
from maps.files.whole import write_text

Main = Callable[[list[str]], None]


@dataclass(frozen=True)
class Inner:
    """With a path."""

    file: Path = Path("there")


@dataclass(frozen=True)
class Settings:
    """With all kinds of paths."""

    out_file: Path | None = Path()
    data: tuple[Path, ...] = (Path("a"), Path())
    words: str = ""
    inner: Inner = field(default_factory=Inner)


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (["--out-file", ""], "--out-file"),
        (["--out-file="], "--out-file"),
        (["--words", "a", "--data", "a", ""], "--data"),
        (["--inner.file", ""], "--inner.file"),
    ],
)
def test_an_empty_path_is_named(arguments: list[str], option: str) -> None:
    with pytest.raises(ValueError, match=f"^{option} is empty, expected a path"):
        check_paths(arguments, Settings())


@pytest.mark.parametrize("arguments", [["--words", ""], ["--words="], ["--out-file", "."], [""]])
def test_what_is_no_path_may_be_empty(arguments: list[str]) -> None:
    check_paths(arguments, Settings())


@pytest.mark.parametrize(
    ("main", "arguments"),
    [
        (maps.cli.main, ["show", "oval", "--png"]),
        (maps.cli.main, ["import", "line.csv", "--out"]),
        (nsac_core.cli.main, ["boston", "--json"]),
        (nsac_core.cli.main, ["boston", "--out"]),
        (recorders.cli.main, ["info", "x/y-v0", "--json"]),
        (evaluation.cli.main, ["--policy", "nsac", "--maps", "oval", "--out"]),
        (evaluation.cli.main, ["udacity-open-loop", "--data"]),
        (evaluation.inspect_cli.main, ["wiring", "--policy", "nsac", "--out"]),
    ],
)
def test_every_program_refuses_it_in_one_line(
    main: Main,
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match="2"):
        main([*arguments, ""])
    assert capsys.readouterr().err.startswith(f"error: {arguments[-1]} is empty, ")
    assert not list(tmp_path.iterdir())


def test_no_file_is_written_in_place_of_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in (Path(), tmp_path):
        with pytest.raises(IsADirectoryError, match="is a folder, expected a file"):
            write_text(folder, "text")
