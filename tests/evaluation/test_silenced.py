from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from torch import Tensor

import policies
from evaluation import EvaluationError
from evaluation.inspection import silenced
from evaluation.inspection.learned import learned_driver
from evaluation.inspection.seen_laps import drive_and_see
from evaluation.inspection.silenced import drive_silenced, silence
from nsac_core import Internals
from nsac_core.methods.protocol import Method
from nsac_core.recording import layers, recording
from policies import checkpoint
from policies.checkpoint import Header
from policies.driving_policy import DrivingPolicy

TOKENS = torch.randn(3, 4, 64, generator=torch.Generator().manual_seed(0))

SOURCES = {"nsac_carracing": "nsac"}


def method_of(policy: policies.Policy) -> Method:
    driver = learned_driver(policy)
    assert driver is not None
    return driver.method


def inside(method: Method, tokens: Tensor = TOKENS) -> list[Internals]:
    with torch.inference_mode(), recording(method) as records:
        method.predict_tokens(tokens)
    return records


@pytest.mark.parametrize("gate", ["query", "key", "value"])
def test_a_silenced_gate_neuron_stays_at_zero_and_the_others_as_they_were(gate: str) -> None:
    driver = policies.load("nsac")
    before = getattr(inside(method_of(driver))[0], gate)
    silence(driver, f"{gate}_05")
    after = getattr(inside(method_of(driver))[0], gate)
    others = torch.arange(before.shape[-1]) != 5
    assert torch.equal(after[..., others], before[..., others])
    assert (after[..., 5] == 0).all()
    assert (before[..., 5] != 0).any()


def test_who_hears_only_silence_keeps_its_bias() -> None:
    """With all inter neurons silenced a command neuron is tanh(bias), and so on along the way."""
    driver = policies.load("nsac")
    (layer,) = layers(method_of(driver))
    circuit = layer.backbone
    for index in range(circuit.wiring.inter):
        silence(driver, f"inter_{index:03d}")
    (record,) = inside(method_of(driver))
    torch.testing.assert_close(
        record.command, circuit.command.bias.tanh().expand_as(record.command), atol=1e-5, rtol=1e-4
    )
    for index in range(circuit.wiring.command):
        silence(driver, f"command_{index:02d}")
    (record,) = inside(method_of(driver))
    torch.testing.assert_close(record.motor, circuit.motor.bias.expand_as(record.motor))
    silence(driver, "motor_00")
    (record,) = inside(method_of(driver))
    assert (record.phi == 0).all()
    assert (record.psi > 1e-3).all()


def test_a_neuron_of_one_member_is_silenced_in_no_other(tmp_path: Path) -> None:
    torch.manual_seed(0)
    header = Header("deep_ensemble", encoder="strided")
    driver = DrivingPolicy(checkpoint.build_method(header), "ensemble")
    with torch.no_grad():
        for gate in (layers(driver.method)[0].query_gate,):
            gate.bias.fill_(1.0)
    silence(driver, "member_1_query_03")
    records = inside(driver.method, torch.randn(3, 4, 3 * 64))
    silent = [bool((record.query[..., 3] == 0).all()) for record in records]
    assert silent == [False, True, False]


@pytest.mark.parametrize(
    ("policy", "neuron"),
    [("nsac", "query_64"), ("nsac", "phi"), ("nsac", "inter_999"), ("ppo", "query_00")],
)
def test_who_is_not_there_is_named(policy: str, neuron: str) -> None:
    with pytest.raises(EvaluationError, match=f"has no neuron '{neuron}'"):
        silence(policies.load(policy), neuron)


def test_laps_are_driven_again_with_each_neuron_silenced_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive_and_see(["nsac"], "seed:42", tmp_path, renderer="fast", max_steps=40)
    chosen = pd.DataFrame({"policy": "nsac_carracing", "neuron": ["motor_00", "motor_01"]})
    laps = drive_silenced(tmp_path, chosen, SOURCES)
    assert laps["neuron"].tolist() == ["motor_00", "motor_01"]
    intact = pd.read_parquet(tmp_path / "laps.parquet")["lateral_rmse"].item()
    np.testing.assert_allclose(laps["intact_lateral_rmse"], intact)
    assert (laps["lateral_rmse"] != intact).all()
    # The intact drivers of other commands are untouched, and so is what was driven before.
    monkeypatch.setattr(silenced, "drive_chunk", None)
    pd.testing.assert_frame_equal(drive_silenced(tmp_path, chosen, SOURCES), laps)
