import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from evaluation.inspection.correlations import TURN, correlations, situations, strongest, weakest

RNG = np.random.default_rng(0)
STEERING = RNG.normal(0, 0.2, 400)


def rated(**traces: NDArray[np.float64]) -> pd.DataFrame:
    known = pd.DataFrame({"steering": STEERING, "curvature": -STEERING, "lateral_error": 0.0})
    return correlations(pd.DataFrame(traces), known).set_index("trace")


def test_correlations_are_pearsons() -> None:
    noisy = STEERING + RNG.normal(0, 0.3, len(STEERING))
    table = rated(query_00=2 * STEERING + 1, inter_007=noisy, phi=-STEERING, motor_00=np.ones(400))
    assert table["steering"]["query_00"] == pytest.approx(1)
    assert table["curvature"]["query_00"] == pytest.approx(-1)
    expected = np.corrcoef(noisy, STEERING)[0, 1]
    assert table["steering"]["inter_007"] == pytest.approx(expected)
    assert table["lateral_error"].isna().all()
    assert table.drop(columns=["neuron", "std"]).T["motor_00"].isna().all()
    assert table["neuron"].to_dict() == {
        "phi": False, "query_00": True, "inter_007": True, "motor_00": True,
    }  # fmt: skip


def test_areas_are_those_of_scikit_learn_and_know_left_from_right() -> None:
    noisy = STEERING + RNG.normal(0, 0.3, len(STEERING))
    table = rated(query_00=noisy, query_01=STEERING)
    left, right = STEERING < -TURN, STEERING > TURN
    row = table.loc["query_00"]
    assert row["left"] == pytest.approx(roc_auc_score(left, noisy))
    assert row["right"] == pytest.approx(roc_auc_score(right, noisy))
    straight = -np.abs(noisy - np.median(noisy))
    assert row["straight"] == pytest.approx(roc_auc_score(~(left | right), straight))
    assert table["left"]["query_01"] == 0
    assert table["right"]["query_01"] == 1
    assert table["straight"]["query_01"] > 0.95


def test_the_strongest_neurons_come_first_and_means_are_none() -> None:
    size = len(STEERING)
    noise = RNG.normal(0, 1, size)
    table = rated(
        phi=STEERING, key_00=-STEERING + 0.05 * noise, key_01=noise, key_02=STEERING + 0.5 * noise
    ).reset_index()
    assert strongest(table, 2)["trace"].tolist() == ["key_00", "key_02"]
    assert weakest(table, 1)["trace"].tolist() == ["key_01"]


def test_a_decision_is_taken_in_the_state_that_the_one_before_led_to() -> None:
    steps = pd.DataFrame(
        {"mean_steer": [0.1, 0.2, 0.3], "curvature": [5, 6, 7], "lateral_error": [1.0, 2.0, 3.0]}
    )
    known = situations(steps)
    assert known["steering"].tolist() == [0.1, 0.2, 0.3]
    assert known["curvature"].tolist() == [5, 5, 6]
    assert known["lateral_error"].tolist() == [1.0, 1.0, 2.0]
