"""Every command that writes, on a disk that is full before it is done, and again with room."""

import hashlib
import importlib
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import cos, sin
from pathlib import Path
from shutil import copytree
from threading import Thread

import numpy as np
import pandas as pd
import pytest

from drive.udacity.driving_log_error import DrivingLogError
from drive.udacity.recordings import read
from drive.udacity.simulator import stand_in
from drive.udacity.simulator.config import StandInConfig
from maps.files import tensor_file
from nsac_core.benchmarks.data_sets import SOURCES
from recorders import RecordConfig, record
from recorders.udacity import record_udacity
from recorders.udacity_config import UdacityRecordConfig

ROOT = Path(__file__).parents[2]
FULL = ": No space left on device"
BARS = ("recording ", "driving ")
"""How lines of progress begin."""


@dataclass(frozen=True)
class Case:
    """A command and the room it has at first.

    Attributes:
        words: Module and command line.
        files: How many further files and folders there is room for, locks among them.
        kilobytes: Room for content.
    """

    words: str
    files: int = 9000
    kilobytes: int = 60_000


BOSTON = "nsac_core.cli boston --methods gmle --seeds 1 --epochs 2 --data-dir . --out run --quiet"
TRAIN = "policies.cli --data carracing/one-v0 --data-root data --method gmle --batch 16 --epochs 2"
DATA = "--data-root data --quiet"
CASES = {
    "nsac-bench, in training": Case(BOSTON, kilobytes=60),
    "nsac-bench, in reporting": Case(BOSTON, files=11),
    "nsac-train --tensorboard": Case(f"{TRAIN} --out p.safetensors --tensorboard log --quiet", 5),
    "nsac-train --expert ppo": Case(
        "policies.cli --expert ppo --out p.safetensors --steps 32 --rollout 16 --batch 8 "
        "--epochs 1 --world.workers 1 --world.repeat 8 --world.stalled-frames 20 "
        "--validation-seeds 1000 1001 --validate-every 16 --quiet",
        kilobytes=1000,
    ),
    "nsac-record export --to lerobot": Case(
        f"recorders.cli export carracing/one-v0 --to lerobot --out out {DATA}", kilobytes=40
    ),
    "nsac-record export --to npz": Case(
        f"recorders.cli export carracing/one-v0 --to npz --out out {DATA}", kilobytes=40
    ),
    "nsac-record merge": Case(
        f"recorders.cli merge carracing/one-v0 carracing/two-v0 --out new/both-v0 {DATA}", 15
    ),
    "nsac-record merge --copy": Case(
        f"recorders.cli merge carracing/one-v0 carracing/two-v0 --out new/both-v0 --copy {DATA}",
        kilobytes=200,
    ),
    "nsac-record drop-episodes": Case(
        f"recorders.cli drop-episodes carracing/one-v0 --episodes 1 --out new/less-v0 {DATA}", 9
    ),
    "nsac-record drop-episodes --in-place": Case(
        f"recorders.cli drop-episodes carracing/one-v0 --episodes 1 --in-place {DATA}", 6
    ),
    "nsac-evaluate compare": Case("evaluation.cli compare first --out out", 6),
    "nsac-evaluate udacity": Case(
        "evaluation.cli udacity --policies scripted --tracks lake --laps 0.05 --out run --quiet", 9
    ),
    "nsac-inspect report --rerun": Case(
        "evaluation.inspect_cli report --policy nsac --map seed:42 --renderer fast --max-steps 5 "
        "--no-saliency --out run --rerun laps.rrd",
        kilobytes=6000,
    ),
    "nsac-demo": Case(
        "evaluation.demo_cli --out demo --maps short --dagger.rounds 0 --dagger.expert-episodes 2 "
        "--dagger.method gmle --dagger.epochs 1 --dagger.workers 1 --dagger.threads 1",
        kilobytes=12_000,
    ),
    "nsac-maps import": Case("maps.cli import circuit.csv --out map.json", kilobytes=8),
    "nsac-maps show": Case("maps.cli show oval --png map.png", kilobytes=40),
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Whatever the commands read, in one folder."""
    folder = tmp_path_factory.mktemp("inputs")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "tests" / "recorders"))
        for name, seed in (("one", 1), ("two", 7)):
            config = RecordConfig(
                out=f"carracing/{name}-v0",
                driver="scripted_drivers:Pursuit",
                data_root=folder / "data",
                episodes=3,
                max_steps=10,
                first_seed=seed,
                quiet=True,
            )
            record(config)
    main = importlib.import_module("evaluation.cli").main
    limits = ["--maps", "seed:3-4", "--max-steps", "20", "--renderer", "fast", "--quiet"]
    main(["--policy", "privileged", "--out", str(folder / "first"), *limits])
    circle = [f"{400 * sin(a / 9)},{400 * cos(a / 9)},6,6" for a in range(57)]
    (folder / "circuit.csv").write_text("\n".join(circle))
    x = np.random.default_rng(0).uniform(size=(80, 4))
    (folder / "boston").mkdir()
    np.savetxt(folder / "boston" / "data.txt", x)
    return folder


@pytest.fixture
def run(inputs: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Path], None]:
    """Runs a command in a folder, in this process; our 80 rows stand for Boston's."""
    digest = hashlib.sha256((inputs / "boston" / "data.txt").read_bytes()).hexdigest()
    monkeypatch.setitem(SOURCES, "boston", replace(SOURCES["boston"], sha256=digest))

    def run_in(words: str, folder: Path) -> None:
        monkeypatch.chdir(folder)
        module, *rest = words.split()
        importlib.import_module(module).main(rest)

    return run_in


def leave(case: Case, folder: Path) -> None:
    """Leaves no more room on a file system than a case has."""
    state = os.statvfs(folder)
    files = state.f_files - state.f_ffree + case.files
    pages = state.f_blocks - state.f_bfree + case.kilobytes * 1024 // state.f_frsize
    options = f"remount,nr_inodes={files},size={pages * state.f_frsize}"
    subprocess.run(["mount", "-o", options, str(folder)], check=True)


def contents(folder: Path) -> dict[str, object]:
    """What all files hold, but for what a clock has measured."""
    paths = (path for path in folder.rglob("*") if path.is_file() and "tfevents" not in path.name)
    return {path.relative_to(folder).as_posix(): content(path) for path in paths}


def content(path: Path) -> object:
    if path.suffix == ".parquet":
        table = pd.read_parquet(path)
        timed = table.filter(regex="latency|seconds").columns
        return table.drop(columns=timed).to_csv()
    if path.suffix == ".safetensors":
        return {
            name: tensor.numpy().tobytes() for name, tensor in tensor_file.read(path)[1].items()
        }
    timed_text = path.suffix in (".html", ".md", ".tex", ".rrd") or path.name == "config.json"
    return None if timed_text else path.read_bytes()


@pytest.mark.slow
@pytest.mark.fault(
    "disk full, or no room for the n-th file",
    "nsac-bench, nsac-train, nsac-record merge|export|drop-episodes, nsac-evaluate compare|udacity,"
    " nsac-inspect, nsac-demo, nsac-maps",
    "one line that names what is written; nothing half, no input harmed; goes on with room",
)
@pytest.mark.parametrize("name", CASES)
def test_with_room_it_ends_as_if_there_had_always_been_some(
    name: str,
    inputs: Path,
    run: Callable[[str, Path], None],
    disk: Callable[[str], Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = CASES[name].words
    folder, peace = disk("64m"), copytree(inputs, tmp_path / "peace")
    run(words, peace)
    wanted = contents(peace)
    copytree(inputs, folder, dirs_exist_ok=True)
    before = contents(folder)
    leave(CASES[name], folder)
    capsys.readouterr()
    with pytest.raises(SystemExit, match=r"^2$"):
        run(words, folder)
    (line,) = (line for line in capsys.readouterr().err.splitlines() if not line.startswith(BARS))
    assert line.startswith("error: ")
    assert line.endswith(FULL)
    assert line.removeprefix("error: ").removesuffix(FULL) not in before
    left = contents(folder)
    assert {name: left.get(name) for name in before} == before
    assert not [name for name in left if name.endswith((".part", ".lock", ".holder"))]
    made = (left.keys() & wanted.keys()) - before.keys()
    assert {name: left[name] for name in made} == {name: wanted[name] for name in made}
    disk("64m")
    run(words, folder)
    assert contents(folder) == wanted


@pytest.mark.slow
@pytest.mark.fault(
    "disk full", "nsac-udacity-sim --mode training", "one line; every picture belongs to a row"
)
def test_a_recording_of_the_stand_in_keeps_every_row_up_to_the_last(
    disk: Callable[[str], Path], run: Callable[[str, Path], None]
) -> None:
    folder = disk("256k")
    with pytest.raises(SystemExit, match=r"^2$"):
        run("drive.udacity.cli --mode training --driver scripted --laps 0.03 --out run", folder)
    found = read(folder / "run", decode=True)
    pictures = [path for row in found.rows for path in (row.centre, row.left, row.right)]
    assert found.faults == ()
    assert len(found.rows) > 1
    assert set(pictures) == set((folder / "run" / "IMG").iterdir())


@pytest.mark.slow
@pytest.mark.fault("disk full", "nsac-record udacity", "one line, at once; every row is whole")
def test_a_recording_of_the_simulator_ends_where_a_row_finds_no_room(
    disk: Callable[[str], Path],
) -> None:
    folder = disk("64k")
    simulators: list[Thread] = []

    def connect(port: int) -> None:
        how = StandInConfig(driver="scripted", clock="lockstep", port=port, seconds=20)
        simulators.append(Thread(target=stand_in.run, args=(how,), daemon=True))
        simulators[0].start()

    with pytest.raises(DrivingLogError, match=r"run: cannot be written \(No space left"):
        record_udacity(UdacityRecordConfig(folder / "run", rows=1000, port=0), ready=connect)
    simulators[0].join(20)
    found = read(folder / "run", decode=True)
    assert found.faults == ()
    assert {row.centre for row in found.rows} == set((folder / "run" / "IMG").iterdir())
