"""Nothing that is read can run code: no module unpickles, and no bomb in a file goes off."""

import ast
import base64
import gzip
import io
import json
import pickle
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

import policies
from drive.udacity import recordings
from evaluation import run_description
from evaluation.inspection.saliency.looked import Looked
from evaluation.inspection.seen_laps import seen_laps
from evaluation.study.laps_file import DamagedFileError, decode
from maps.circuits import import_centre_line
from maps.files import arrays_file, parquet_file
from maps.store import load as load_map
from nsac_core.benchmarks import cells
from nsac_core.benchmarks.forecasting.readers import unpacked
from nsac_core.benchmarks.runner import settings_of
from nsac_core.fitting_state import load_state
from policies import demonstrations
from policies.ppo import state as ppo_state

ROOT = Path(__file__).parents[2]
PACKAGES = ("maps", "nsac_core", "drive", "policies", "recorders", "evaluation")

MODULES = {"pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "jsonpickle", "yaml"}
CALLS = {
    *("eval", "exec", "joblib.load", "pandas.read_pickle", "torch.load", "torch.jit.load"),
    *("torch.export.load", "torch.hub.load", "torch.package.PackageImporter"),
    *("stable_baselines3.common.save_util.load_from_zip_file", "stable_baselines3.PPO.load"),
}
ALLOWED = {
    ("policies/foreign/sb3_archive.py", "stable_baselines3.common.save_util.load_from_zip_file"): (
        "archives of stable-baselines3 are pickles: only with --trust"
    ),
    ("policies/foreign/torchscript.py", "torch.jit.load"): "a program: only with --trust",
    ("policies/foreign/exported_program.py", "torch.export.load"): "a program: only with --trust",
}
"""What may run code, where, and why. Between processes of one run joblib pickles: no file."""


def imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """The names that a module imports, and what they stand for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                bound = name.asname or name.name.partition(".")[0]
                yield bound, name.name if name.asname else bound
        elif isinstance(node, ast.ImportFrom) and node.module:
            for name in node.names:
                yield name.asname or name.name, f"{node.module}.{name.name}"


def dangers(source: str) -> set[str]:
    """What in a module can run code that lies in a file."""
    tree = ast.parse(source)
    names = dict(imported(tree))
    found = {f"import {n}" for n in names.values() if n.partition(".")[0] in MODULES}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        words = {word.arg: getattr(word.value, "value", None) for word in node.keywords}
        if words.get("allow_pickle", False) is not False:
            found.add("allow_pickle")
        first, dot, rest = ast.unparse(node.func).partition(".")
        called = f"{names.get(first, first)}{dot}{rest}"
        if called == "torch.load" and words.get("weights_only") is True:
            continue
        if called in CALLS or called.endswith(("read_pickle", ".load_from_zip_file")):
            found.add(called)
    return found


@pytest.mark.parametrize(
    "source",
    [
        *("import pickle", "from dill import loads", "import yaml as y", "eval('1')"),
        *("import torch\ntorch.load('x')", "import torch as t\nt.jit.load('x')"),
        *(
            "import numpy as np\nnp.load('x', allow_pickle=True)",
            "from joblib import load\nload(1)",
        ),
        *("import pandas as pd\npd.read_pickle('x')", "import marshal"),
        "from torch import load\nload('x', weights_only=False)",
    ],
)
def test_the_search_finds_what_it_looks_for(source: str) -> None:
    assert dangers(source)


@pytest.mark.fault("any file", "all packages", "no code in them unpickles or evaluates a file")
def test_no_module_can_run_code_that_lies_in_a_file() -> None:
    found: dict[tuple[str, str], str] = {}
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            name = file.relative_to(ROOT).as_posix()
            found |= {(name, danger): "" for danger in dangers(file.read_text(encoding="utf-8"))}
    assert found.keys() == ALLOWED.keys()


class Bomb:
    """Writes a file when it is unpickled."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, str]]:
        return open, (str(self.target), "w")


class Witness:
    """Sees every class that is looked up by an unpickler of this process."""

    def __init__(self) -> None:
        self.watching = False
        self.seen: list[tuple[Any, ...]] = []
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.watching and event == "pickle.find_class":
            self.seen.append(arguments)


WITNESS = Witness()
"""An audit hook stays for good."""


@pytest.fixture
def exploded(tmp_path: Path) -> Iterator[Path]:
    """The file that a bomb writes."""
    WITNESS.seen.clear()
    WITNESS.watching = True
    yield tmp_path / "exploded"
    WITNESS.watching = False


def test_a_bomb_is_one_and_is_seen(exploded: Path) -> None:
    pickle.loads(pickle.dumps(Bomb(exploded))).close()
    assert exploded.exists()
    assert WITNESS.seen


def raw(bomb: Bomb) -> bytes:
    return pickle.dumps(bomb)


def of_torch(bomb: Bomb) -> bytes:
    buffer = io.BytesIO()
    torch.save({"a": bomb}, buffer)
    return buffer.getvalue()


def npy(bomb: Bomb) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.array([bomb], dtype=object), allow_pickle=True)
    return buffer.getvalue()


def npz(bomb: Bomb) -> bytes:
    buffer = io.BytesIO()
    array = np.array([bomb], dtype=object)
    np.savez(buffer, frames=array, saliency=array, scale=array, lens=array)
    return buffer.getvalue()


def extended(bomb: Bomb) -> pa.Table:
    """A table whose column asks for a type to be unpickled, as pyarrow once did."""
    metadata = {
        b"ARROW:extension:name": b"arrow.py_extension_type",
        b"ARROW:extension:metadata": pickle.dumps(bomb),
    }
    field = pa.field("observations", pa.int64(), metadata=metadata)
    return pa.table([pa.array([1])], schema=pa.schema([field]))


def parquet(bomb: Bomb) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(extended(bomb), buffer)
    return buffer.getvalue()


def arrow(bomb: Bomb) -> bytes:
    buffer = io.BytesIO()
    table = extended(bomb)
    with pa.ipc.new_file(buffer, table.schema) as writer:
        writer.write_table(table)
    return buffer.getvalue()


def archive(bomb: Bomb) -> bytes:
    """As stable-baselines3 writes it."""
    coded = {":type:": "x", ":serialized:": base64.b64encode(pickle.dumps(bomb)).decode()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        packed.writestr("data", json.dumps({"policy_class": coded, "observation_space": coded}))
        packed.writestr("policy.pth", of_torch(bomb))
        packed.writestr("_stable_baselines3_version", "2.4.0")
    return buffer.getvalue()


def zipped(bomb: Bomb) -> bytes:
    return gzip.compress(pickle.dumps(bomb))


Forge = Callable[[Bomb], bytes]
Reader = Callable[[Path], object]


def expert_state(file: Path) -> object:
    network = torch.nn.Linear(1, 1)
    return ppo_state.load_state(file, network, torch.optim.Adam(network.parameters()))


def in_folder(read: Callable[[Path], object]) -> Reader:
    return lambda file: read(file.parent)


def read_demonstrations(file: Path) -> object:
    return demonstrations.load("a/b-v0", file.parents[3])


def arrays(file: Path) -> object:
    return arrays_file.read(file, ("frames",))


READERS: list[tuple[str, Reader, tuple[Forge, ...]]] = [
    ("policy.safetensors", policies.load, (raw, of_torch, npz)),
    ("policy.pt", policies.load, (raw, of_torch)),
    ("policy.pt2", policies.load, (raw, of_torch)),
    ("policy.ts", policies.load, (raw, of_torch)),
    ("policy.zip", policies.load, (raw, archive, of_torch)),
    ("policy.onnx", policies.load, (raw, of_torch)),
    ("state.safetensors", load_state, (raw, of_torch)),
    ("state.safetensors", expert_state, (raw, of_torch)),
    ("frames.npz", arrays, (raw, npy, npz)),
    ("saliency.npz", in_folder(Looked.read), (raw, npy, npz)),
    ("laps.parquet", parquet_file.read, (raw,)),
    ("steps.parquet", in_folder(seen_laps), (raw, parquet)),
    ("nsac-42.parquet", cells.read, (raw, parquet)),
    ("00000.json.gz", decode, (raw, zipped)),
    ("config.json", in_folder(run_description.read), (raw,)),
    ("run.json", in_folder(settings_of), (raw,)),
    ("map.json", load_map, (raw,)),
    ("ring.csv", import_centre_line, (raw,)),
    ("series.zip", unpacked, (archive,)),
    ("a/b-v0/data/metadata.json", read_demonstrations, (raw,)),
]


@pytest.mark.fault(
    "pickle that runs code, in place of any file", "every reader", "refused; the code does not run"
)
@pytest.mark.parametrize(
    ("name", "read", "forge"),
    [
        pytest.param(name, read, forge, id=f"{name}-{forge.__name__}")
        for name, read, forges in READERS
        for forge in forges
    ],
)
def test_a_bomb_is_refused_and_does_not_go_off(
    name: str, read: Reader, forge: Forge, exploded: Path, tmp_path: Path
) -> None:
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(forge(Bomb(exploded)))
    WITNESS.seen.clear()
    with pytest.raises((ValueError, OSError, DamagedFileError)):
        read(file)
    assert not exploded.exists()
    assert not WITNESS.seen


@pytest.mark.fault(
    "table that asks for a pickled type", "Parquet, Arrow", "read as plain numbers; nothing runs"
)
def test_no_type_of_a_table_is_unpickled(exploded: Path, tmp_path: Path) -> None:
    file = tmp_path / "laps.parquet"
    file.write_bytes(parquet(Bomb(exploded)))
    assert parquet_file.read(file)["observations"].tolist() == [1]
    file.write_bytes(arrow(Bomb(exploded)))
    with pa.memory_map(str(file)) as opened:
        assert pa.ipc.open_file(opened).read_all().num_rows == 1
    assert not exploded.exists()
    assert not WITNESS.seen


@pytest.mark.fault(
    "pickle in place of a log or an image", "recording of the Udacity simulator", "listed"
)
def test_a_bomb_in_a_recording_does_not_go_off(exploded: Path, tmp_path: Path) -> None:
    (tmp_path / "IMG").mkdir()
    (tmp_path / "IMG" / "center.jpg").write_bytes(raw(Bomb(exploded)))
    log = tmp_path / "driving_log.csv"
    log.write_bytes(b"IMG/center.jpg,,,0,0,0,1\n" + raw(Bomb(exploded)))
    found = recordings.read(tmp_path, decode=True)
    assert not found.rows
    assert found.causes()["damaged image"] == 1
    assert not exploded.exists()
    assert not WITNESS.seen
