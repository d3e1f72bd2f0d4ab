"""The split by contiguous time, and the batches made of its parts."""

import shutil
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
import torch

from drive.udacity.driving_log import DrivingLog
from drive.udacity.frame_shape import FRAME_SHAPE
from policies.errors import PolicyError
from policies.udacity import drives
from policies.udacity.augmentation_config import CameraAugmentation
from policies.udacity.batches import CentreBatches, TrainingBatches

START = datetime(2026, 1, 31, 23, 59, 58)  # noqa: DTZ001 - the simulator's is local
RED, BLUE, GRAY = (255, 0, 0), (0, 0, 255), (90, 90, 90)


def record(folder: Path, moments: Sequence[float], colours: Sequence[tuple[int, int, int]]) -> Path:
    """A recording whose steering is its row's number over 1000."""
    with DrivingLog(folder) as log:
        for row, (seconds, colour) in enumerate(zip(moments, colours, strict=True)):
            frame = np.full(FRAME_SHAPE, colour, np.uint8)
            numbers = {"steering": row / 1000, "throttle": 0.0, "brake": 0.0, "speed": 9.0}
            log.append([frame], **numbers, moment=START + timedelta(seconds=seconds))
    return folder


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> drives.Drives:
    """300 rows, over the end of a month, with a pause of 5 s after the 130th."""
    moments = [row / 15 + 5 * (row >= 130) for row in range(300)]
    return drives.load([record(tmp_path_factory.mktemp("drive"), moments, [GRAY] * 300)])


def test_a_pause_parts_sessions_and_the_end_of_a_month_does_not(recording: drives.Drives) -> None:
    assert recording.sessions.tolist() == [0] * 130 + [1] * 170


def test_parts_hold_whole_stretches_that_do_not_touch(recording: drives.Drives) -> None:
    training, validation, test = recording.split((0.7, 0.15, 0.15), 3, block=20, gap=4)
    places = [part.places for part in (training, validation, test)]
    joined = np.concatenate(places)
    assert len(joined) == len(set(joined.tolist()))
    for one, other in ((0, 1), (0, 2), (1, 2)):
        apart = np.abs(places[one][:, None] - places[other][None])
        one_session = (places[one][:, None] < 130) == (places[other][None] < 130)
        assert apart[one_session].min() > 4
    runs = np.split(test.places, np.flatnonzero(np.diff(test.places) > 1) + 1)
    assert min(map(len, runs)) >= 20
    # Nothing is lost but the rows at the joints, at most four to either side of a held-out block.
    assert 300 - len(joined) <= 2 * 4 * (len(test) + len(validation)) / 20 + 8
    assert len(test) == pytest.approx(45, abs=15)


def test_the_deal_follows_the_seed(recording: drives.Drives) -> None:
    tests = [recording.split((0.8, 0.2), seed, block=20)[1].places.tolist() for seed in (1, 1, 2)]
    assert tests[0] == tests[1] != tests[2]


def test_rows_keep_their_steering(recording: drives.Drives) -> None:
    part = recording.split((0.8, 0.2), 0, block=20)[1]
    np.testing.assert_allclose(part.steering, part.places / 1000, rtol=1e-6)


def test_too_short_a_recording_is_refused(recording: drives.Drives) -> None:
    with pytest.raises(PolicyError, match="too few to split into 3 parts"):
        recording.taken(recording.places < 100).split((1, 1, 1), 0, block=50)


def test_an_empty_recording_and_what_is_skipped_are_named(tmp_path: Path) -> None:
    folder = record(tmp_path / "a", [0.0, 0.1], [GRAY, GRAY])
    with (folder / "driving_log.csv").open("a") as log:
        log.write("center,left,right,steering,throttle,brake,speed\nIMG/none.jpg,,,0,0,0,1\n")
    found = drives.load([folder])
    assert [fault.cause for fault in found.faults] == ["header", "missing image"]
    (tmp_path / "driving_log.csv").touch()
    with pytest.raises(PolicyError, match="no row"):
        drives.load([tmp_path])


def test_a_recording_is_not_taken_twice(tmp_path: Path) -> None:
    first = record(tmp_path / "first", [0.0, 0.1], [RED, GRAY])
    other = record(tmp_path / "other", [0.0, 0.1], [BLUE, GRAY])
    assert len(drives.load([first, other])) == 4
    shutil.copytree(first, tmp_path / "copy")
    (tmp_path / "link").symlink_to(first)
    for same in (first, tmp_path / "copy", tmp_path / "link", first / "driving_log.csv"):
        with pytest.raises(PolicyError, match=f"{same} holds the recording of {first}"):
            drives.load([first, other, same])


def test_other_rows_and_other_images_of_the_same_names_are_other_data(
    recording: drives.Drives, tmp_path: Path
) -> None:
    moments = [row / 15 for row in range(3)]
    one, same, red = (
        drives.load([record(tmp_path / name, moments, [GRAY, GRAY, last])])
        for name, last in (("a", GRAY), ("b", GRAY), ("c", RED))
    )
    assert [row.centre.name for row in one.rows] == [row.centre.name for row in red.rows]
    assert one.sha256() == same.sha256() != recording.sha256()
    assert one.sha256() != red.sha256()


def test_a_red_and_a_blue_file_reach_the_batch_as_rgb(tmp_path: Path) -> None:
    found = drives.load([record(tmp_path, [0.0, 0.1], [RED, BLUE])])
    quiet = CameraAugmentation(probability=0)
    generator = torch.Generator().manual_seed(0)
    for batches in (CentreBatches(found, 2), TrainingBatches(found, 2, quiet, generator)):
        ((views, steering),) = list(batches)
        assert views.shape == (2, 1, 75, 320, 3)
        for view, value in zip(views[:, 0], steering[:, 0], strict=True):
            colour = RED if value == 0 else BLUE
            assert (view.int() - torch.tensor(colour)).abs().max() <= 2


def test_an_epoch_shows_each_row_once_in_an_order_of_its_own(recording: drives.Drives) -> None:
    part = recording.taken(recording.places < 50)
    quiet = CameraAugmentation(probability=0)
    orders = []
    for seed in (1, 1, 2):
        batches = TrainingBatches(part, 16, quiet, torch.Generator().manual_seed(seed))
        shown = [steering for _, steering in batches]
        assert len(shown) == len(batches) == 4
        orders.append(torch.cat(shown)[:, 0].tolist())
        assert sorted(orders[-1]) == pytest.approx(part.steering.tolist())
    assert orders[0] == orders[1] != orders[2]


def test_the_real_recording_is_one_session(lake_recording: Path) -> None:
    found = drives.load([lake_recording])
    assert len(found) == 2400
    assert set(found.sessions.tolist()) == {0}
    parts = found.split((0.7, 0.1, 0.2), 42)
    assert [len(part) for part in parts] == pytest.approx([1470, 210, 480], abs=80)
