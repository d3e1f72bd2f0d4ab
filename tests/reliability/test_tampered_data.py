"""Maps, centre lines, demonstrations, recordings and downloads that are damaged or made up."""

import hashlib
import json
import shutil
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from drive.udacity import recordings
from drive.udacity.driving_log_error import DrivingLogError
from maps.cli import main as maps
from maps.files.json_file import read as read_json
from nsac_core.benchmarks import data_sets
from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.forecasting.readers import unpacked
from nsac_core.cli import main as bench
from policies import demonstrations
from policies.cli import main as train
from policies.demonstrations import DemonstrationError
from recorders.cli import main as record
from tests.reliability.tampering import (
    DAMAGES,
    Damage,
    another_kind,
    check_line,
    empty,
    flipped,
    refuses,
    truncate,
)

ALL = "truncated, empty, another kind, bits flipped"
LINE = "one line that names the file, status 2"
NAME = "carracing/test-v0"


@pytest.mark.fault(ALL, "map (JSON): nsac-maps show", LINE)
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_map(damage: Damage, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.json"
    shutil.copy(Path(__file__).parents[2] / "maps" / "oval.json", file)
    damage(file)
    refuses(maps, ["show", str(file)], str(file), capsys)


def centre_line(file: Path, points: int = 200) -> Path:
    turn = np.arange(points) * 2 * np.pi / points
    rows = np.column_stack([900 * np.cos(turn), 500 * np.sin(turn), *np.full((2, points), 6.0)])
    text = "\n".join(",".join(map(str, row)) for row in rows.tolist())
    file.write_text(f"# x_m,y_m,w_tr_right_m,w_tr_left_m\n{text}\n")
    return file


@pytest.mark.fault(ALL, "centre line (CSV): nsac-maps import", LINE)
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_centre_line(
    damage: Damage, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = centre_line(tmp_path / "ring.csv")
    damage(file)
    refuses(maps, ["import", str(file), "--out", str(tmp_path / "m.json")], str(file), capsys)
    assert not (tmp_path / "m.json").exists()


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set of three short episodes."""
    root = tmp_path_factory.mktemp("recorded")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parents[1] / "recorders"))
        record(recording(root))
    return root


def recording(root: Path, *more: str) -> list[str]:
    options = ["--driver", "scripted_drivers:Pursuit", "--episodes", "3", "--max-steps", "12"]
    return ["carracing", "--out", NAME, "--data-root", str(root), *options, "--quiet", *more]


@pytest.fixture
def root(recorded: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(recorded, tmp_path / "root"))


def training(root: Path) -> list[str]:
    out = root / "policy.safetensors"
    return ["--data", NAME, "--data-root", str(root), "--out", str(out), "--quiet"]


def check_data(root: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(DemonstrationError) as refused:
        demonstrations.load(NAME, root)
    check_line(str(refused.value), name)
    refuses(train, training(root), name, capsys)


@pytest.mark.fault(ALL, "metadata.json of a data set: nsac-train", LINE)
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_metadata(root: Path, damage: Damage, capsys: pytest.CaptureFixture[str]) -> None:
    damage(root / NAME / "data" / "metadata.json")
    check_data(root, NAME, capsys)


@pytest.mark.fault(ALL, "metadata.json of an episode: nsac-train", LINE)
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_metadata_of_an_episode(
    root: Path, damage: Damage, capsys: pytest.CaptureFixture[str]
) -> None:
    damage(root / NAME / "data" / "1" / "metadata.json")
    check_data(root, NAME, capsys)


@pytest.mark.fault(
    "bits flipped, truncated, empty, another kind",
    "frames of an episode: nsac-train",
    "noticed by the checksums that are recorded: one line, status 2",
)
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_frames_of_an_episode(
    root: Path, damage: Damage, capsys: pytest.CaptureFixture[str]
) -> None:
    damage(root / NAME / "data" / "1" / "part-0.arrow")
    check_data(root, NAME, capsys)


@pytest.mark.fault(
    "truncated, empty, another kind",
    "frames of a data set without checksums: nsac-train",
    "one line, status 2; a flipped bit of a pixel is not noticed",
)
@pytest.mark.parametrize("damage", [truncate, empty, another_kind])
def test_damaged_frames_of_an_episode_without_checksums(
    root: Path, damage: Damage, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / NAME / "data" / "manifest.sha256").unlink()
    damage(root / NAME / "data" / "1" / "part-0.arrow")
    check_data(root, NAME, capsys)


def readers(root: Path) -> list[list[str]]:
    """Every command of nsac-record that makes something of the episodes 1 and 2."""
    out, new = ["--out", str(root / "out")], ["--out", "carracing/new-v0"]
    commands = [
        ["info", NAME],
        ["show", NAME, *out],
        ["export", NAME, "--to", "npz", *out],
        ["export", NAME, "--to", "lerobot", *out],
        ["drop-episodes", NAME, "--episodes", "0", *new],
        ["drop-episodes", NAME, "--episodes", "0", "--in-place"],
        ["merge", NAME, "carracing/more-v0", *new],
    ]
    return [[*command, "--data-root", str(root), "--quiet"] for command in commands]


def refused_by_every_reader(
    root: Path, file: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """All refuse it, change nothing, and leave nothing behind that they have made of it."""
    content = file.read_bytes()
    for command in readers(root):
        refuses(record, command, name, capsys)
        assert file.read_bytes() == content
        assert not (root / "carracing" / "new-v0").exists()
        assert not list(root.glob("out/**/*000001*"))
        shutil.rmtree(root / "out", ignore_errors=True)
    check_data(root, name, capsys)


@pytest.fixture
def two(root: Path) -> Path:
    """Two data sets, the second without checksums."""
    shutil.copytree(root / NAME, root / "carracing" / "more-v0")
    (root / "carracing" / "more-v0" / "data" / "manifest.sha256").unlink()
    for file in (root / "carracing" / "more-v0" / "data").glob("*/*.arrow"):
        file.write_bytes(flipped(file.read_bytes(), 4 * file.stat().st_size))
    return root


NOTICED = "noticed by the checksums that are recorded: one line, status 2"
READERS = "nsac-record info, show, export, drop-episodes, merge; nsac-train"


@pytest.mark.fault("one bit flipped", f"any file of an episode: {READERS}", NOTICED)
@pytest.mark.parametrize("file", ["1/part-0.arrow", "1/metadata.json"])
def test_a_flipped_bit_of_an_episode(
    two: Path, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = two / NAME / "data" / file
    content = path.read_bytes()
    place = len(content) // 2 if file.endswith(".arrow") else content.index(b'"seed": ') + 9
    path.write_bytes(flipped(content, 8 * place))
    refused_by_every_reader(two, path, f"episode 1 of {NAME}: {file} is not what was", capsys)


@pytest.mark.fault("one number changed", f"metadata.json of a data set: {READERS}", NOTICED)
def test_another_total(two: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = two / NAME / "data" / "metadata.json"
    path.write_bytes(path.read_bytes().replace(b'"total_steps": 36', b'"total_steps": 37'))
    refused_by_every_reader(two, path, "metadata.json is not what was recorded", capsys)


@pytest.mark.fault("empty", f"manifest.sha256: {READERS}", LINE)
def test_empty_checksums_are_not_none(two: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = two / NAME / "data" / "manifest.sha256"
    path.write_bytes(b"")
    refused_by_every_reader(two, path, f"{path}: is empty", capsys)


@pytest.mark.fault("file added", f"folder of an episode: {READERS}", NOTICED)
def test_an_added_file(two: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = two / NAME / "data" / "1" / "part-1.arrow"
    path.write_bytes(b"whatever")
    refused_by_every_reader(two, path, "1/part-1.arrow has no checksum", capsys)


@pytest.mark.fault(
    "10^9 or 13 steps said of 12", f"metadata.json without checksums: {READERS}", LINE
)
@pytest.mark.parametrize(
    ("steps", "words"), [(10**9, "expected 1 to 1000000"), (13, "holds 12 steps, its metadata say")]
)
def test_steps_that_are_not_there(
    two: Path, steps: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (two / NAME / "data" / "manifest.sha256").unlink()
    path = two / NAME / "data" / "1" / "metadata.json"
    path.write_text(json.dumps({**read_json(path), "total_steps": steps}))
    refused_by_every_reader(two, path, words, capsys)


@pytest.mark.fault("4 * 10^7 episodes said of 3", f"metadata.json of a data set: {READERS}", LINE)
def test_episodes_that_are_not_there(two: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (two / NAME / "data" / "manifest.sha256").unlink()
    path = two / NAME / "data" / "metadata.json"
    path.write_text(json.dumps({**read_json(path), "total_episodes": 40_000_000}))
    tracemalloc.start()
    refused_by_every_reader(two, path, "say 40000000 episodes, but it holds 3", capsys)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6


@pytest.mark.fault(
    "spaces left out, so that the environment would be made, by any code",
    f"metadata.json of a data set: {READERS}",
    "one line, status 2; the code does not run",
)
def test_no_environment_of_a_stranger_is_made(
    two: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (two / NAME / "data" / "manifest.sha256").unlink()
    path = two / NAME / "data" / "metadata.json"
    values = read_json(path)
    trap = two / "sprung"
    code = {"entry_point": "pathlib:Path.touch", "kwargs": {"self": str(trap)}}
    for spaces in ({"action_space": None}, {"observation_space": 7}):
        path.write_text(json.dumps({**values, **spaces, "env_spec": json.dumps(code)}))
        refused_by_every_reader(two, path, "expected a text", capsys)
    assert not trap.exists()


@pytest.mark.fault("folder of an episode missing", "data set: nsac-train", LINE)
def test_a_missing_episode(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(root / NAME / "data" / "1")
    check_data(root, NAME, capsys)


def a_million_million_steps(values: dict[str, Any]) -> None:
    values["total_steps"] = 10**12


def steps_in_words(values: dict[str, Any]) -> None:
    values["total_steps"] = "many"


def no_steps(values: dict[str, Any]) -> None:
    del values["total_steps"]


@pytest.mark.fault("wrong count of steps", "metadata.json of an episode: nsac-train", LINE)
@pytest.mark.parametrize("change", [a_million_million_steps, steps_in_words, no_steps])
def test_a_wrong_count_of_steps(
    root: Path, change: Callable[[dict[str, Any]], None], capsys: pytest.CaptureFixture[str]
) -> None:
    file = root / NAME / "data" / "1" / "metadata.json"
    values = read_json(file)
    change(values)
    file.write_text(json.dumps(values))
    check_data(root, NAME, capsys)


@pytest.mark.fault("wrong type of frames or actions", "metadata.json of a data set", LINE)
@pytest.mark.parametrize("space", ["observation_space", "action_space"])
def test_frames_or_actions_of_another_shape(
    root: Path, space: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = root / NAME / "data" / "metadata.json"
    values = read_json(file)
    box = {"type": "Box", "dtype": "float32", "shape": [2], "low": [0, 0], "high": [1, 1]}
    file.write_text(json.dumps({**values, space: json.dumps(box)}))
    check_data(root, NAME, capsys)


@pytest.mark.fault(ALL, "recording.json of a data set: nsac-record", LINE)
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_settings_of_a_recording(
    root: Path, damage: Damage, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "recorders"))
    damage(root / NAME / "data" / "recording.json")
    refuses(record, recording(root), "recording.json", capsys)


@pytest.mark.fault(
    "a track of the test asked for", "nsac-record carracing", "one line that names it, status 2"
)
@pytest.mark.parametrize(
    "tracks", [["--first-seed", "2098"], ["--maps", "oval,seed:2050"], ["--maps", "seed:02000"]]
)
def test_the_tracks_of_the_test_are_not_recorded(
    tmp_path: Path, tracks: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    line = refuses(record, recording(tmp_path, *tracks), "seed:20", capsys)
    assert "--allow-test-seeds" in line
    assert not list(tmp_path.iterdir())


@pytest.fixture
def drive(tmp_path: Path) -> Path:
    """A drive of 20 rows in the Udacity simulator."""
    folder = tmp_path / "drive"
    (folder / "IMG").mkdir(parents=True)
    picture = np.zeros((160, 320, 3), np.uint8)
    for number in range(20):
        cv2.putText(picture, str(number), (20, 100), cv2.FONT_HERSHEY_SIMPLEX, 2, (9, 99, 199))
        cv2.imwrite(str(folder / "IMG" / f"center_{number}.jpg"), picture)
    rows = [f"IMG/center_{number}.jpg,,,0.1,0.5,0,10" for number in range(20)]
    (folder / "driving_log.csv").write_text("\n".join(rows) + "\n")
    return folder


def udacity(drive: Path) -> list[str]:
    out = drive.parent / "policy.safetensors"
    return ["udacity", "--data", str(drive), "--out", str(out), "--epochs", "1", "--quiet"]


@pytest.mark.fault("empty, another kind", "driving_log.csv: nsac-train udacity", LINE)
@pytest.mark.parametrize("damage", [empty, another_kind])
def test_a_damaged_driving_log(
    drive: Path, damage: Damage, capsys: pytest.CaptureFixture[str]
) -> None:
    damage(drive / "driving_log.csv")
    refuses(train, udacity(drive), "driving_log.csv", capsys)


@pytest.mark.fault("missing", "driving_log.csv: nsac-train udacity", LINE)
def test_no_driving_log(drive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (drive / "driving_log.csv").unlink()
    with pytest.raises(DrivingLogError):
        recordings.read(drive)
    refuses(train, udacity(drive), str(drive), capsys)


@pytest.mark.fault(
    "bits flipped, truncated",
    "driving_log.csv",
    "every line that is skipped is listed with a cause",
)
@pytest.mark.parametrize("damage", DAMAGES)
def test_every_line_of_a_damaged_log_is_a_row_or_a_fault(drive: Path, damage: Damage) -> None:
    log = drive / "driving_log.csv"
    damage(log)
    lines = log.read_bytes().count(b"\n") + (not log.read_bytes().endswith((b"\n", b"")))
    found = recordings.read(drive)
    told = {row.line for row in found.rows} | {f.line for f in found.faults if f.skipped}
    assert told >= set(range(1, lines + 1))


@pytest.mark.fault(
    "truncated, empty, another kind, missing",
    "image of a recording of the Udacity simulator",
    "its row is skipped and listed; a flipped bit in the picture's data may go unnoticed",
)
@pytest.mark.parametrize("damage", [truncate, empty, another_kind, Path.unlink])
def test_a_damaged_image_is_listed(
    drive: Path, damage: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    for image in sorted((drive / "IMG").iterdir())[:3]:
        damage(image)
    found = recordings.read(drive, decode=True)
    assert len(found.rows) == 17
    assert len(found.faults) == 3
    for fault in found.faults:
        check_line(fault.detail, "center_")


@pytest.mark.fault("all images damaged", "recording: nsac-train udacity", LINE)
def test_a_recording_without_a_whole_image(drive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for image in (drive / "IMG").iterdir():
        another_kind(image)
    refuses(train, udacity(drive), "driving_log.csv", capsys)


@pytest.mark.fault(ALL, "copy of a table: nsac-bench boston --data-dir", LINE)
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_table_that_is_not_the_published_one(
    tmp_path: Path, damage: Damage, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "data" / "boston" / "data.txt"
    file.parent.mkdir(parents=True)
    file.write_text("1 2 3\n" * 500)
    damage(file)
    options = ["--data-dir", str(tmp_path / "data"), "--out", str(tmp_path / "out"), "--quiet"]
    refuses(bench, ["boston", *options], str(file), capsys)


@pytest.mark.fault(
    "cached file changed", "download of nsac-bench", "fetched anew; else one line with the address"
)
def test_a_cached_download_that_has_changed_is_not_used(tmp_path: Path) -> None:
    nobody = "http://127.0.0.1:9/table.txt"
    cached = tmp_path / "table.txt"
    cached.write_text("1 2 3\n")
    digest = hashlib.sha256(cached.read_bytes()).hexdigest()
    assert data_sets.fetch(data_sets.Source("table", nobody, digest), tmp_path) == cached
    cached.write_text("1 2 4\n")
    with pytest.raises(BenchmarkError, match="table: cannot be downloaded") as refused:
        data_sets.fetch(data_sets.Source("table", nobody, digest), tmp_path)
    check_line(str(refused.value), nobody)


@pytest.mark.fault("truncated, another kind", "packed CSV (XZ, ZIP): nsac-bench", "one line")
@pytest.mark.parametrize("start", [b"\xfd7zXZ\x00", b"PK\x03\x04"])
def test_a_damaged_archive(tmp_path: Path, start: bytes) -> None:
    file = tmp_path / "series.csv.xz"
    file.write_bytes(start + b"\x00\x04" * 50)
    with pytest.raises(BenchmarkError) as refused:
        unpacked(file)
    check_line(str(refused.value), str(file))
