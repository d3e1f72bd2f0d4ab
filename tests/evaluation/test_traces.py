from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from numpy.typing import NDArray

import policies
from evaluation.inspection.seen_laps import SeenLap, drive_and_see
from evaluation.inspection.trace_columns import neurons, summaries
from evaluation.inspection.traces import TraceRecorder, read
from nsac_core import NSAC
from nsac_core.methods.nsac import NSACMethod
from policies import checkpoint
from policies.checkpoint import Header
from policies.driving_policy import DrivingPolicy
from policies.protocol import ACTION_HIGH, ACTION_LOW, ACTIONS

STEPS = 12


@pytest.fixture(scope="module")
def nsac(tmp_path_factory: pytest.TempPathFactory) -> tuple[SeenLap, pd.DataFrame]:
    """A lap of the bundled driver and its traces."""
    out = tmp_path_factory.mktemp("nsac")
    (lap,) = drive_and_see(["nsac"], "seed:42", out, renderer="fast", max_steps=STEPS)
    traces = read(lap.folder)
    assert traces is not None
    return lap, traces


def bundled() -> tuple[DrivingPolicy, NSAC]:
    driver = policies.load("nsac")
    assert isinstance(driver, DrivingPolicy)
    assert isinstance(driver.method, NSACMethod)
    return driver, driver.method.layer


def numbered(traces: pd.DataFrame, prefix: str, *shape: int) -> torch.Tensor:
    """Columns that are numbered, ``(steps, *shape)``."""
    columns = [name for name in map(str, traces) if name.startswith(f"{prefix}_")]
    return torch.tensor(traces[columns].to_numpy().reshape(len(traces), *shape))


def means(steps: pd.DataFrame) -> NDArray[np.float32]:
    return steps[[f"mean_{name}" for name in ACTIONS]].to_numpy()


def test_the_driven_action_follows_from_the_stored_weights_and_values(
    nsac: tuple[SeenLap, pd.DataFrame],
) -> None:
    lap, traces = nsac
    driver, layer = bundled()
    heads, width = layer.heads, layer.model_dim
    weights = numbered(traces, "weights_of", driver.n_samples, heads, 4)
    index = numbered(traces, "key_index_of", heads, 4).long()
    older = [numbered(traces, f"value_ago_{age}", width) for age in (3, 2, 1)]
    newest = torch.tensor(traces[[f"value_{i:02d}" for i in range(width)]].to_numpy())
    values = torch.stack([*older, newest], dim=1).view(STEPS, 4, heads, -1).transpose(1, 2)
    # values: step, head, token, feature
    chosen = values.gather(2, index[..., None].expand(values.shape))
    attended = (weights[..., None] * chosen[:, None]).sum(3).flatten(2)
    with torch.inference_mode():
        mean = layer._predict(attended.float())[0].mean(1).numpy()
    np.testing.assert_allclose(mean, means(lap.steps), atol=1e-5)
    action = lap.steps[[f"action_{name}" for name in ACTIONS]]
    np.testing.assert_allclose(np.clip(mean, ACTION_LOW, ACTION_HIGH), action, atol=1e-5)


def test_traces_name_every_neuron_and_summarise_it(nsac: tuple[SeenLap, pd.DataFrame]) -> None:
    _, traces = nsac
    wiring = bundled()[1].backbone.wiring
    assert len(traces) == STEPS
    assert len(neurons(traces)) == 3 * 64 + wiring.inter + wiring.command + wiring.motor
    assert set(summaries(traces)) >= {"query_centroid", "motor_centroid", "phi", "logits"}
    inter = traces[[name for name in neurons(traces) if name.startswith("inter_")]]
    np.testing.assert_allclose(traces["inter_centroid"], inter.mean(axis=1), atol=1e-6)
    heads = traces[[f"kappa_head_{head:02d}" for head in range(16)]]
    np.testing.assert_allclose(traces["kappa"], heads.mean(axis=1), rtol=1e-5)
    assert traces["step"].tolist() == list(range(STEPS))
    assert np.isfinite(traces.to_numpy()).all()
    on_newest = numbered(traces, "weights_of", 5, 16, 4)[..., 3].mean((1, 2))
    np.testing.assert_allclose(traces["weights"], on_newest, atol=1e-6)


def test_the_gates_vary_along_a_lap(nsac: tuple[SeenLap, pd.DataFrame]) -> None:
    _, traces = nsac
    assert (traces[["phi", "kappa", "psi"]].std() > 1e-4).all()


@pytest.mark.parametrize("method", ["gmle", "deep_ensemble", "mc_dropout"])
def test_other_methods_show_theirs(method: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    file = tmp_path / "driver.safetensors"
    header = Header(method, encoder="strided")
    checkpoint.save(file, checkpoint.build_method(header), header)
    run = tmp_path / "run"
    (lap,) = drive_and_see([file], "seed:42", run, renderer="fast", max_steps=4)
    traces = read(lap.folder)
    assert traces is not None
    prefix = "member_2_" if method == "deep_ensemble" else ""
    assert f"{prefix}command_centroid" in traces
    assert (traces[f"{prefix}phi"].between(0, 1)).all()
    assert (traces[f"{prefix}psi"] == 0).all()


def test_a_driver_without_a_circuit_has_no_traces(tmp_path: Path) -> None:
    (lap,) = drive_and_see(["ppo"], "seed:42", tmp_path, renderer="fast", max_steps=3)
    assert lap.frames is not None
    assert read(lap.folder) is None
    header = Header("sde_net", {"n_tokens": 4}, encoder="strided")
    driver = DrivingPolicy(checkpoint.build_method(header), "sde")
    assert not TraceRecorder.sees(driver)
    supervised = policies.load("selective:nsac?threshold=0.1")
    assert TraceRecorder.sees(supervised)
