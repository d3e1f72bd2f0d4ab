"""An output that cannot be written, or is in use, is named before any work is done."""

import importlib
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from math import cos, sin
from pathlib import Path

import pytest
from minari.dataset.minari_storage import MinariStorage

from maps.files.locks import locked_file, locked_folder
from recorders.data_set import ACTIONS, FRAMES

Elsewhere = Callable[[AbstractContextManager[None]], None]
Refused = Callable[..., str]

STUDY = 'policies = ["privileged"]\nmaps = "oval"\n'

FOLDERS = {
    "nsac-record udacity": ("recorders.cli", "udacity --port 0 --seconds 1 --quiet --out OUT"),
    "nsac-record show": ("recorders.cli", "show DATA_SET --quiet --out OUT"),
    "nsac-record export": ("recorders.cli", "export DATA_SET --to npz --quiet --out OUT"),
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
    "nsac-record info --json": ("recorders.cli", "info DATA_SET --quiet --json OUT/facts.json"),
    "nsac-evaluate perturbations": ("evaluation.cli", "perturbations --out OUT"),
    "nsac-inspect wiring": ("evaluation.inspect_cli", "wiring --policy nsac --out OUT/circuit.png"),
    "nsac-maps import": ("maps.cli", "import CIRCUIT --out OUT/map.json"),
    "nsac-maps show": ("maps.cli", "show oval --png OUT/map.png"),
    "nsac-bench --json": ("nsac_core.cli", "boston --quiet --out runs --json OUT/scores.json"),
}
"""Commands that write little, at once: nobody is kept out."""

DATA_SETS = ["carracing/one-v0", "carracing/other-v0"]
"""Of episodes that cannot be read: who reads them before the output is tried does not name it."""

DERIVED = {
    "nsac-record merge": ("recorders.cli", f"merge {' '.join(DATA_SETS)} --quiet --out new/all-v0"),
    "nsac-record drop-episodes": (
        "recorders.cli",
        "drop-episodes DATA_SET --episodes 0 --quiet --out new/all-v0",
    ),
}
"""Commands whose output is a data set, beside those that it is made of."""

RECORD = ("recorders.cli", "carracing --quiet --out carracing/test-v0 --data-root OUT")

LONG = {"nsac-record": RECORD, **FOLDERS, **FILES}
LINE = "one line that names it, before any work"


def write_unreadable(data: Path) -> None:
    """A data set of two episodes, whose tables are none."""
    data.mkdir(parents=True)
    storage = MinariStorage.new(data, FRAMES, ACTIONS, data_format="arrow", jpeg_encoding=False)
    told = {"total_episodes": 2, "total_steps": 6, "minari_version": "0.5.4"}
    storage.update_metadata({**told, "dataset_id": f"carracing/{data.parent.name}"})
    for number in range(2):
        (data / str(number)).mkdir()
        (data / str(number) / "metadata.json").write_text(f'{{"id": {number}, "total_steps": 3}}')
        (data / str(number) / "part-0.arrow").write_text(f"nothing {data} {number}")


@pytest.fixture
def refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Refused:
    """Runs a command that has to end with status 2 and one line, which is returned."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_text(STUDY)
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "datasets"))
    for name in DATA_SETS:
        write_unreadable(tmp_path / "datasets" / name / "data")
    circle = [f"{400 * sin(a / 9)},{400 * cos(a / 9)},6,6" for a in range(57)]
    (tmp_path / "circuit.csv").write_text("\n".join(circle))

    def run(command: tuple[str, str], out: Path) -> str:
        module, words = command
        for name, value in (("STUDY", "study.toml"), ("CIRCUIT", "circuit.csv"), ("OUT", out)):
            words = words.replace(name, str(value))
        words = words.replace("DATA_SET", DATA_SETS[0])
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


@pytest.mark.fault(
    "output in use by another process", "commands of data sets", "one line: who it is"
)
@pytest.mark.parametrize("name", DERIVED)
def test_a_data_set_in_use_is_refused(
    name: str, refused: Refused, elsewhere: Elsewhere, tmp_path: Path
) -> None:
    new = tmp_path / "datasets" / "new" / "all-v0"
    elsewhere(locked_folder(new))
    line = refused(DERIVED[name], new)
    assert f"{new}: process {os.getpid()} on {os.uname().nodename} is at work on it" in line


@pytest.mark.fault("read-only folder, or no permission", "commands of data sets", LINE)
@pytest.mark.parametrize("name", DERIVED)
def test_a_data_set_that_cannot_be_written_is_named(
    name: str, refused: Refused, unwritable: Path, tmp_path: Path
) -> None:
    new = tmp_path / "datasets" / "new"
    new.symlink_to(unwritable)
    assert str(new / "all-v0") in refused(DERIVED[name], new)


@pytest.mark.fault("folder of the output, or one above, is a file", "commands of data sets", LINE)
@pytest.mark.parametrize("file", ["new", "new/all-v0"])
@pytest.mark.parametrize("name", DERIVED)
def test_a_data_set_below_a_file_is_named(
    name: str, file: str, refused: Refused, tmp_path: Path
) -> None:
    place = tmp_path / "datasets" / file
    place.parent.mkdir(exist_ok=True)
    place.write_text("precious")
    assert str(place) in refused(DERIVED[name], place)
    assert place.read_text() == "precious"


INTO = {
    "nsac-record": ("recorders.cli", "carracing --quiet --out INSIDE/x-v0"),
    "nsac-record merge": (
        "recorders.cli",
        f"merge {' '.join(DATA_SETS)} --quiet --out INSIDE/x-v0",
    ),
    "nsac-record drop-episodes": (
        "recorders.cli",
        "drop-episodes DATA_SET --episodes 0 --quiet --out INSIDE/x-v0",
    ),
}
"""Commands whose output is a data set, into another one."""


@pytest.mark.fault("output in a data set", "every command that makes a folder", LINE)
@pytest.mark.parametrize("name", [name for name in [*LONG, *QUICK] if "nsac-maps" not in name])
def test_an_output_in_a_data_set_is_refused(name: str, refused: Refused, tmp_path: Path) -> None:
    data = tmp_path / "datasets" / DATA_SETS[1] / "data"
    before = sorted(data.rglob("*"))
    line = refused({**LONG, **QUICK}[name], data / "0" / "out")
    assert f"lies in the data set {data.parent}: choose another place" in line
    assert sorted(data.rglob("*")) == before


@pytest.mark.fault("output in another data set", "commands of data sets", LINE)
@pytest.mark.parametrize("place", ["data/0", "data/more", "more"])
@pytest.mark.parametrize("name", INTO)
def test_a_data_set_in_a_data_set_is_refused(
    name: str, place: str, refused: Refused, tmp_path: Path
) -> None:
    folder = tmp_path / "datasets" / DATA_SETS[1]
    before = sorted(folder.rglob("*"))
    module, words = INTO[name]
    line = refused((module, words.replace("INSIDE", f"{DATA_SETS[1]}/{place}")), folder)
    assert f"lies in the data set {folder}: choose another place" in line
    assert sorted(folder.rglob("*")) == before
