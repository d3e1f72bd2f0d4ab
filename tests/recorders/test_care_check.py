"""A check finds whatever is wrong with a data set, and nothing in one that is sound."""

import json
import shutil
import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

import minari
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from minari.data_collector.episode_buffer import EpisodeBuffer

from maps.files.locks import LockedError
from policies.demonstrations import DemonstrationError
from recorders.care.checking import Checked, check_data_set
from recorders.care.config import CheckConfig, InfoConfig
from recorders.care.errors import CareError
from recorders.care.summary import summarise

RecordAside = Callable[..., Path]
NAME = "carracing/test-v0"
EPISODES, STEPS = 3, 5


@pytest.fixture(scope="module")
def recorded(record_aside: RecordAside) -> Path:
    return record_aside(out=NAME, episodes=EPISODES, max_steps=STEPS)


@pytest.fixture
def data(recorded: Path, root: Path) -> Path:
    """The data of a sound recording."""
    shutil.copytree(recorded, root)
    return root / NAME / "data"


def check() -> Checked:
    return check_data_set(CheckConfig(NAME, quiet=True))


def words() -> list[str]:
    return [str(finding) for finding in check().findings]


def edit(path: Path, **fields: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def rewrite(data: Path, number: int, change: Callable[[dict[str, Any]], object]) -> None:
    """Writes an episode anew by Minari, its arrays changed."""
    entry = (data / str(number) / "metadata.json").read_bytes()
    stored = minari.load_dataset(NAME)
    (episode,) = stored.iterate_episodes([number])
    arrays: dict[str, Any] = {
        name: np.array(getattr(episode, name))
        for name in ("observations", "actions", "rewards", "terminations", "truncations")
    }
    arrays["infos"] = {name: np.array(values) for name, values in episode.infos.items()}
    change(arrays)
    infos = arrays.pop("infos")
    lists = {name: values if values.ndim > 1 else values.tolist() for name, values in infos.items()}
    stored.storage.update_episodes([EpisodeBuffer(id=number, infos=lists, **arrays)])
    (data / str(number) / "metadata.json").write_bytes(entry)


def test_a_sound_recording_is_sound(data: Path) -> None:
    checked = check()
    assert checked.findings == ()
    assert (checked.episodes, checked.steps, checked.verified) == (EPISODES, EPISODES * STEPS, True)


def test_one_without_checksums_is_sound_but_not_verified(data: Path) -> None:
    (data / "manifest.sha256").unlink()
    checked = check()
    assert checked.findings == ()
    assert not checked.verified


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="needs coreutils")
def test_the_checksums_are_those_of_sha256sum(data: Path) -> None:
    command = ["sha256sum", "--check", "--strict", "manifest.sha256"]
    done = subprocess.run(command, cwd=data, capture_output=True, text=True, check=True)
    assert done.stdout.count("OK") == 2 * EPISODES + 2


@settings(
    max_examples=30,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_any_flipped_bit_is_found(data: Path, place: float, bit: int) -> None:
    files = sorted(path for path in data.rglob("*") if path.is_file())
    sizes = [path.stat().st_size for path in files]
    offset = int(place * sum(sizes))
    for path, size in zip(files, sizes, strict=True):  # noqa: B007
        if offset < size:
            break
        offset -= size
    sound = path.read_bytes()
    altered = bytearray(sound)
    altered[offset] ^= 1 << bit
    path.write_bytes(altered)
    try:
        assert any(path.name in line for line in words())
    finally:
        path.write_bytes(sound)


def no_arrow(data: Path) -> None:
    (data / "1" / "part-0.arrow").unlink()


def truncate(data: Path) -> None:
    path = data / "1" / "part-0.arrow"
    path.write_bytes(path.read_bytes()[:-100])


def no_metadata(data: Path) -> None:
    (data / "1" / "metadata.json").write_text("{")


def second_part(data: Path) -> None:
    shutil.copy(data / "1" / "part-0.arrow", data / "1" / "part-1.arrow")


def gap(data: Path) -> None:
    shutil.rmtree(data / "1")


def twice(data: Path) -> None:
    shutil.rmtree(data / "2")
    shutil.copytree(data / "1", data / "2")
    edit(data / "2" / "metadata.json", id=2)


def edit_entry(field: str, value: object, data: Path) -> None:
    edit(data / "1" / "metadata.json", **{field: value})


def edit_whole(field: str, value: object, data: Path) -> None:
    edit(data / "metadata.json", **{field: value})


TYPES: list[tuple[str, object, str]] = [
    ("return", None, "episode 1, metadata.json, return: None, expected a finite number"),
    ("return", "good", "episode 1, metadata.json, return: 'good', expected a finite number"),
    ("progress", 10**400, "expected a finite number"),
    ("lap_complete", 1, "episode 1, metadata.json, lap_complete: 1, expected true or false"),
    ("map", ["oval"], "episode 1, metadata.json, map: ['oval'], expected a text"),
    ("seed", [1], "episode 1, metadata.json, seed: [1], expected a whole number"),
    ("source", "one", "episode 1, metadata.json, source: 'one', expected an object"),
]
WHOLE: list[tuple[str, object, str]] = [
    ("recordings", None, "recordings: None, expected an object"),
    ("recordings", 5, "recordings: 5, expected an object"),
    ("recordings", [[1]], "recordings: [[1]], expected an object"),
    ("made_by", {}, "made_by: {}, expected a text"),
    ("algorithm_name", 1, "algorithm_name: 1, expected a text"),
    ("env_spec", None, "env_spec: None, expected a text of JSON"),
    ("dataset_id", {}, "dataset_id: {}, expected a text"),
]
FILES: list[tuple[Callable[[Path], object], str]] = [
    (no_arrow, "episode 1, part-0.arrow: missing"),
    (truncate, "episode 1, part-0.arrow: cannot be read"),
    (no_metadata, "episode 1, metadata.json: not JSON"),
    (second_part, "episode 1, part-1.arrow: does not belong there"),
    (gap, "data set, episodes: 1 of 0-2 missing"),
    (gap, "data set, metadata.json, total_episodes: 3, but the episodes come to 2"),
    (twice, "episode 2, actions: the same as in episode 1"),
    (lambda data: (data.parent / ".recording").mkdir(), "data set, .recording: an interrupted"),
    (lambda data: edit(data / "metadata.json", total_steps=7), "total_steps: 7, but"),
    (lambda data: edit(data / "metadata.json", dataset_id="a-v0"), "dataset_id: a-v0, but"),
    (lambda data: edit(data / "1" / "metadata.json", id=4), "episode 1, metadata.json, id: 4"),
    (lambda data: edit(data / "1" / "metadata.json", total_steps=4), "total_steps: 4, but 5"),
    (lambda data: edit(data / "1" / "metadata.json", **{"return": 1.0}), "return: 1.0, but"),
    (lambda data: edit(data / "1" / "metadata.json", progress=2.0), "progress: 2.0, but"),
    (lambda data: edit(data / "1" / "metadata.json", outcome="lap"), "outcome: 'lap'"),
    (lambda data: edit(data / "1" / "metadata.json", map="seed:2099"), "a track of the test"),
    *((partial(edit_entry, field, value), words) for field, value, words in TYPES),
    *(
        (partial(edit_whole, field, value), f"data set, metadata.json, {w}")
        for field, value, w in WHOLE
    ),
]


@pytest.mark.parametrize(("damage", "expected"), FILES)
def test_what_is_wrong_with_the_files_is_told(
    data: Path, damage: Callable[[Path], object], expected: str
) -> None:
    (data / "manifest.sha256").unlink()
    damage(data)
    assert any(expected in line for line in words()), words()


@pytest.mark.parametrize(("field", "value", "_"), TYPES)
def test_commands_refuse_a_field_of_another_type(
    data: Path, tmp_path: Path, field: str, value: object, _: str
) -> None:
    edit_entry(field, value, data)
    words = f"1/metadata.json, {field}: .*: nsac-record check lists what is wrong"
    with pytest.raises(CareError, match=words):
        summarise(InfoConfig(NAME, quiet=True))


@pytest.mark.parametrize(("field", "value", "_"), WHOLE[:-1])  # Minari refuses the last
def test_commands_refuse_a_field_of_the_whole_as_well(
    data: Path, field: str, value: object, _: str
) -> None:
    (data / "manifest.sha256").unlink()
    edit_whole(field, value, data)
    with pytest.raises(CareError, match=f"data/metadata.json, {field}: .*: nsac-record check"):
        summarise(InfoConfig(NAME, quiet=True))


def test_an_episode_of_a_huge_number_is_told_at_once(data: Path) -> None:
    (data / f"{10**15}").mkdir()
    assert f"data set, episodes: 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and {10**15 - 13} more of" in (
        " ".join(words())
    )


def test_tracks_beside_those_of_the_test_are_fine(data: Path) -> None:
    (data / "manifest.sha256").unlink()
    for number, track in enumerate(("seed:1999", "seed:2100", "oval")):
        edit(data / str(number) / "metadata.json", map=track, seed=2050)
    assert words() == []


ARRAYS: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (lambda a: a["actions"].__setitem__((2, 0), 1.5), "actions: steer beyond [-1, 1] in 1 step"),
    (lambda a: a["actions"].__setitem__((2, 2), np.nan), "actions: brake not finite in 1 step"),
    (lambda a: a["rewards"].__setitem__(3, np.inf), "rewards: not finite in 1 step, first 3"),
    (lambda a: a["observations"].fill(7), "observations: all frames are the same"),
    (lambda a: a["observations"][2].fill(0), "observations: 1 frame of one gray only, first 2"),
    (lambda a: a["truncations"].fill(False), "terminations, truncations: the last step is no end"),
    (lambda a: a["terminations"].__setitem__(1, True), "an end at step 1 of 5, before the last"),
    (lambda a: a["infos"].pop("speed"), "infos, speed: missing"),
    (lambda a: a["infos"]["speed"].__setitem__(4, np.nan), "infos, speed: not finite, first at"),
    (
        lambda a: a["infos"]["executed_action"].__setitem__((1, 1), -1),
        "infos, executed_action: gas beyond [0, 1] in 1 step",
    ),
    (
        lambda a: a["infos"].__setitem__("speed", np.full(STEPS + 1, "fast")),
        "infos, speed: holds no plain numbers",
    ),
    (
        lambda a: a["infos"].__setitem__("position", a["infos"]["speed"]),
        "infos, position: shape (6,), expected (6, 2)",
    ),
]


@pytest.mark.parametrize(("change", "expected"), ARRAYS)
def test_what_is_wrong_with_the_arrays_is_told(
    data: Path, change: Callable[[dict[str, Any]], object], expected: str
) -> None:
    (data / "manifest.sha256").unlink()
    rewrite(data, 1, change)
    told = words()
    assert any(line.startswith("episode 1, ") and expected in line for line in told), told
    assert all(line.startswith(("episode 1, ", "data set, metadata")) for line in told)


@pytest.mark.parametrize("field", ["rewards", "terminations", "truncations"])
@pytest.mark.parametrize("values", [["one"] * (STEPS + 1), [[1.0]] * (STEPS + 1), [{"a": 1}] * 6])
def test_arrays_of_another_kind_are_told(data: Path, field: str, values: list[object]) -> None:
    (data / "manifest.sha256").unlink()
    file = data / "1" / "part-0.arrow"
    with pa.OSFile(str(file)) as opened, pa.ipc.open_file(opened) as stored:
        table = stored.read_all()
    column = table.column_names.index(field)
    table = table.set_column(column, field, pa.array(values))
    with pa.OSFile(str(file), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    (told,) = words()
    assert told.startswith(f"episode 1, part-0.arrow: cannot be read: {field} are ")
    with pytest.raises(DemonstrationError, match=f"episode 1 of {NAME} cannot be read: {field}"):
        summarise(InfoConfig(NAME, quiet=True))


def test_a_recording_that_grows_is_not_called_interrupted(
    data: Path, recorded_by_another: Callable[[str], AbstractContextManager[None]]
) -> None:
    data.rename(data.parent / ".recording")
    assert [finding.field for finding in check().findings] == [".recording"]
    with recorded_by_another(NAME), pytest.raises(LockedError, match="is at work on it"):
        check()


@pytest.mark.parametrize("name", ["carracing/none-v0", "", "carracing"])
def test_a_name_of_nothing_is_refused(data: Path, name: str) -> None:
    with pytest.raises(CareError):
        check_data_set(CheckConfig(name, quiet=True))
