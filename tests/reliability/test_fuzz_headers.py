"""Headers of checkpoints and states, and descriptions of runs, of any content."""

import gzip
import json
import struct
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import save_file

from evaluation import run_description
from evaluation.errors import EvaluationError
from evaluation.study import identity, plan
from evaluation.study.laps_file import DamagedFileError, decode
from maps.files import parquet_file, tensor_file
from maps.files.damaged import DamagedError
from maps.files.tensor_file import TensorFileError
from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.runner import settings_of
from nsac_core.fitting_state import FittingStateError, load_state
from policies import checkpoint
from policies.checkpoint import Header
from policies.errors import PolicyError
from policies.ppo import driver as expert
from policies.ppo.driver import ExpertHeader
from tests.reliability.fuzzing import (
    changed,
    contents,
    examples,
    json_texts,
    json_values,
    valid_or,
    words,
)

HEADER = asdict(Header("gmle", {"heads": 8}))
EXPERT = asdict(ExpertHeader())
TENSORS = {"a": torch.ones(2)}
LINE = "one line that names the file"

options = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(
        (
            *("heads", "model_dim", "top_k", "sparsity", "activation", "wiring_seed", "members"),
            *("noise_scale", "n_samples", "positions", "context", "time_feature", "layers"),
            *("ood_share", "ood_std", "dropout", "hidden", "n_tokens", "beta", "likelihood"),
        ),
        json_values,
    ),
)
methods = st.sampled_from(["nsac", "gmle", "deep_ensemble", "mc_dropout", "evidential", "sde_net"])


def written(folder: Path, key: str, text: str) -> Path:
    """A safetensors file with this header, as bytes: the library would refuse some."""
    tensor = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
    head = {"__metadata__": {key: text}, "a": tensor}
    raw = json.dumps(head).encode()
    file = folder / "any.safetensors"
    file.write_bytes(struct.pack("<Q", len(raw)) + raw + bytes(8))
    return file


def refused(fault: type[Exception], read: Any, file: Path) -> None:  # noqa: ANN401
    """No header goes with a file of one stray tensor."""
    assert valid_or(fault, read, file, name=file) is None


@pytest.mark.fault("any text, one field changed (fuzzed)", "header of a checkpoint (nsac)", LINE)
@given(json_texts | changed(HEADER).map(json.dumps))
@examples(150)
def test_any_header_of_a_checkpoint(tmp_path: Path, text: str) -> None:
    refused(PolicyError, checkpoint.load, written(tmp_path, "nsac_drive", text))


@pytest.mark.fault("any options of a method (fuzzed)", "header of a checkpoint (nsac)", LINE)
@given(methods, options)
@examples(120)
def test_any_options_of_a_method(
    tmp_path: Path, method: str, given_options: dict[str, Any]
) -> None:
    text = json.dumps({**HEADER, "method": method, "method_options": given_options})
    refused(PolicyError, checkpoint.load, written(tmp_path, "nsac_drive", text))


@pytest.mark.fault("any text, one field changed (fuzzed)", "header of a checkpoint (ppo)", LINE)
@given(json_texts | changed(EXPERT).map(json.dumps))
@examples(100)
def test_any_header_of_an_expert(tmp_path: Path, text: str) -> None:
    refused(PolicyError, expert.load, written(tmp_path, expert.KEY, text))


@pytest.mark.fault("any text (fuzzed)", "header of a training state", LINE)
@given(json_texts)
@examples(60)
def test_any_header_of_a_training_state(tmp_path: Path, text: str) -> None:
    refused(FittingStateError, load_state, written(tmp_path, "fitting", text))


@pytest.mark.fault("any content (fuzzed)", "safetensors file", LINE)
@given(st.integers(0, 2**64 - 1) | st.integers(0, 90), contents)
@examples(150)
def test_any_content_of_a_tensor_file(tmp_path: Path, length: int, content: bytes) -> None:
    file = tmp_path / "any.safetensors"
    file.write_bytes(struct.pack("<Q", length) + content)
    valid_or(TensorFileError, tensor_file.read, file, name=file)
    tensor_file.words_of(file)


@given(st.dictionaries(words.filter(lambda w: "\ud800" not in w), st.text(max_size=9), max_size=3))
@examples(30)
def test_what_is_written_is_read(tmp_path: Path, said: dict[str, str]) -> None:
    file = tmp_path / "any.safetensors"
    said.pop("sha256", None)
    tensor_file.write(file, TENSORS, said)
    assert tensor_file.read(file)[0] == said
    save_file({"a": torch.tensor([1.0, 2.0])}, file, metadata=tensor_file.words_of(file))
    with pytest.raises(TensorFileError, match="other SHA-256"):
        tensor_file.read(file)


RUN: dict[str, Any] = {
    "identity": {"version": 2, "policies": {"nsac": "ab"}, "maps": ["oval"], "map_files": {}},
    "config": {"policy": ["nsac"], "maps": "oval"},
    "sources": {"nsac": "nsac"},
}
STUDY: dict[str, Any] = {
    **RUN["identity"],
    "renderer": "exact",
    "batch": 10,
    "max_steps": 1000,
    "steps": False,
}


@pytest.mark.fault("any content, one field changed (fuzzed)", "config.json of a run", LINE)
@given(
    contents
    | changed(RUN).map(lambda values: json.dumps(values).encode())
    | changed(RUN["identity"]).map(lambda own: json.dumps({**RUN, "identity": own}).encode())
)
@examples(150)
def test_any_description_of_a_run(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "config.json"
    file.write_bytes(content)
    found = valid_or(EvaluationError, run_description.read, tmp_path, name=file)
    assert found is None or all(isinstance(name, str) for name in found.identity["policies"])


@pytest.mark.fault("any content, one field changed (fuzzed)", "study.json of a study", LINE)
@given(contents | changed(STUDY).map(lambda values: json.dumps(values).encode()))
@examples(100)
def test_any_identity_of_a_study(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "study.json"
    file.write_bytes(content)
    valid_or(EvaluationError, identity.read_identity, tmp_path, name=file)


UNIT = {"unit": "ab", "seconds": 1.0, "columns": {"a": [1, 2]}, "types": {"a": "int64"}}


@pytest.mark.fault("any content, one field changed (fuzzed)", "unit of a study", "driven anew")
@given(
    contents
    | (json_texts | changed(UNIT).map(json.dumps)).map(
        lambda text: gzip.compress(text.encode(errors="surrogatepass"))
    )
)
@examples(100)
def test_any_unit_of_a_study(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "00000.json.gz"
    file.write_bytes(content)
    valid_or(DamagedFileError, decode, file)


@pytest.mark.fault("any content (fuzzed)", "run.json of a benchmark", LINE)
@given(contents)
@examples(60)
def test_any_settings_of_a_benchmark(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "run.json").write_bytes(content)
    valid_or(BenchmarkError, settings_of, tmp_path, name=tmp_path)


toml_values = st.sampled_from(
    [
        *(
            '"nsac"',
            '["nsac"]',
            "3",
            "-1",
            "1e400",
            "true",
            "[1, 1]",
            '"0-99999999999"',
            "[]",
            "9" * 5000,
            "[" * 5000,
        ),
        *('"seed:1-99999999999"', '{a = "nsac"}', '"oval"', '["oval", "oval"]', '"blur:9"', '""'),
    ]
)
toml_fields = st.sampled_from(
    ["policies", "maps", "seeds", "perturbations", "renderer", "batch", "max_steps", "steps", "x"]
)


@pytest.mark.fault("any content, any fields (fuzzed)", "TOML file of a study", LINE)
@given(
    contents
    | st.dictionaries(toml_fields, toml_values).map(
        lambda fields: "\n".join(f"{name} = {value}" for name, value in fields.items()).encode()
    )
)
@examples(150)
def test_any_plan_of_a_study(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "study.toml"
    file.write_bytes(content)
    valid_or(EvaluationError, plan.read, file, name=file)


@pytest.mark.fault("any content (fuzzed)", "Parquet file", LINE)
@given(contents | contents.map(lambda content: b"PAR1" + content + b"\x08\0\0\0PAR1"))
@examples(60)
def test_any_content_of_a_table(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "laps.parquet"
    file.write_bytes(content)
    assert valid_or(DamagedError, parquet_file.read, file, name=file) is None
