"""An output that cannot be written, or is in use, is named before any work is done."""

import importlib
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from math import cos, sin
from pathlib import Path

import pytest

from maps.files.locks import locked_file, locked_folder

Elsewhere = Callable[[AbstractContextManager[None]], None]
Refused = Callable[..., str]

STUDY = 'policies = ["privileged"]\nmaps = "oval"\n'

FOLDERS = {
    "nsac-record udacity": ("recorders.cli", "udacity --port 0 --seconds 1 --quiet --out OUT"),
    "nsac-evaluate": ("evaluation.cli", "--policy privileged --maps oval --quiet --out OUT"),
    "nsac-evaluate study": ("evaluation.cli", "study STUDY --quiet --out OUT"),
    "nsac-evaluate drivers": ("evaluation.cli", "drivers --out OUT"),
    "nsac-evaluate compare": ("evaluation.cli", "compare runs/first --out OUT"),
    "nsac-evaluate udacity": ("evaluation.cli", "udacity --policies scripted --out OUT"),
    "nsac-evaluate udacity-open-loop": (
        "evaluation.cli",
        "udacity-open-loop --data recording --out OUT",
    ),
    "nsac-inspect traces": ("evaluation.inspect_cli", "traces --policy nsac --map oval --out OUT"),
    "nsac-inspect saliency": (
        "evaluation.inspect_cli",
        "saliency --policy nsac --map oval --out OUT",
    ),
    "nsac-inspect report": ("evaluation.inspect_cli", "report --policy nsac --map oval --out OUT"),
    "nsac-bench boston": ("nsac_core.cli", "boston --quiet --out OUT"),
    "nsac-bench runtime": ("nsac_core.cli", "runtime --quiet --out OUT"),
    "nsac-demo": ("evaluation.demo_cli", "--out OUT"),
    "nsac-udacity-sim": (
        "drive.udacity.cli",
        "--mode training --driver scripted --laps 1 --out OUT",
    ),
}
"""Commands that work in a folder."""

FILES = {
    "nsac-train": ("policies.cli", "--data carracing/none-v0 --quiet --out OUT.safetensors"),
    "nsac-train udacity": ("policies.cli", "udacity --data none --quiet --out OUT.safetensors"),
    "nsac-train --expert ppo": ("policies.cli", "--expert ppo --quiet --out OUT.safetensors"),
}
"""Commands that train for hours and then write a file."""

QUICK = {
    "nsac-evaluate perturbations": ("evaluation.cli", "perturbations --out OUT"),
    "nsac-inspect wiring": ("evaluation.inspect_cli", "wiring --policy nsac --out OUT/circuit.png"),
    "nsac-maps import": ("maps.cli", "import CIRCUIT --out OUT/map.json"),
    "nsac-maps show": ("maps.cli", "show oval --png OUT/map.png"),
    "nsac-bench --json": ("nsac_core.cli", "boston --quiet --out runs --json OUT/scores.json"),
}
"""Commands that write little, at once: nobody is kept out."""

RECORD = ("recorders.cli", "carracing --quiet --out carracing/test-v0 --data-root OUT")

LONG = {"nsac-record": RECORD, **FOLDERS, **FILES}
LINE = "one line that names it, before any work"


@pytest.fixture
def refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Refused:
    """Runs a command that has to end with status 2 and one line, which is returned."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_text(STUDY)
    circle = [f"{400 * sin(a / 9)},{400 * cos(a / 9)},6,6" for a in range(57)]
    (tmp_path / "circuit.csv").write_text("\n".join(circle))

    def run(command: tuple[str, str], out: Path) -> str:
        module, words = command
        for name, value in (("STUDY", "study.toml"), ("CIRCUIT", "circuit.csv"), ("OUT", out)):
            words = words.replace(name, str(value))
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            importlib.import_module(module).main(words.split())
        error = capsys.readouterr().err
        assert end.value.code == 2, error
        assert error.startswith("error: "), error
        assert error.count("\n") == 1, error
        return error

    return run


@pytest.fixture(scope="module")
def unwritable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder in which nothing can be made: root may write to any but one that is mounted so."""
    folder = tmp_path_factory.mktemp("unwritable")
    if os.geteuid() != 0:
        folder.chmod(0o555)
        yield folder
        folder.chmod(0o755)
        return
    mount = ["mount", "-t", "tmpfs", "-o", "ro,size=64k", "none", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("root may write everywhere, and a read-only file system cannot be mounted")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.fault("output in use by another process", "every long command", "one line: who it is")
@pytest.mark.parametrize("name", LONG)
def test_an_output_in_use_is_refused(
    name: str, refused: Refused, elsewhere: Elsewhere, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    if name in FILES:
        elsewhere(locked_file(out.with_suffix(".safetensors")))
    else:
        elsewhere(locked_folder(out / "carracing" / "test-v0" if name == "nsac-record" else out))
    line = refused(LONG[name], out)
    assert f"process {os.getpid()} on {os.uname().nodename} is at work on it" in line
    assert str(out) in line


@pytest.mark.fault("read-only folder, or no permission", "every command that writes", LINE)
@pytest.mark.parametrize("name", [*LONG, *QUICK])
def test_an_output_that_cannot_be_written_is_named(
    name: str, refused: Refused, unwritable: Path
) -> None:
    line = refused({**LONG, **QUICK}[name], unwritable / "out")
    assert str(unwritable / "out") in line


@pytest.mark.fault("working folder removed", "every command that writes", LINE)
@pytest.mark.parametrize("name", [*LONG, *QUICK])
def test_a_working_folder_that_is_gone_is_named(
    name: str, refused: Refused, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    monkeypatch.setenv("PWD", str(gone))
    gone.rmdir()
    line = refused({**LONG, **QUICK}[name], tmp_path / "out")
    assert line.startswith(f"error: {gone}: this working folder is gone")
    assert not (tmp_path / "out").exists()


@pytest.mark.fault("output folder is a file", "every command that writes a folder", LINE)
@pytest.mark.parametrize("name", ["nsac-record", *FOLDERS])
def test_a_folder_that_is_a_file_is_named(name: str, refused: Refused, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_text("precious")
    assert str(out) in refused(LONG[name], out)
    assert out.read_text() == "precious"


@pytest.mark.fault("output file is a folder", "nsac-train", LINE)
@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_a_folder_is_named(name: str, refused: Refused, tmp_path: Path) -> None:
    out = tmp_path / "out.safetensors"
    out.mkdir()
    assert f"{out}: is a folder" in refused(FILES[name], tmp_path / "out")


@pytest.mark.fault("folder above the output is a file", "every command that writes", LINE)
@pytest.mark.parametrize("name", [*LONG, *QUICK])
def test_a_folder_above_that_is_a_file_is_named(
    name: str, refused: Refused, tmp_path: Path
) -> None:
    (tmp_path / "above").touch()
    assert str(tmp_path / "above") in refused({**LONG, **QUICK}[name], tmp_path / "above" / "out")
