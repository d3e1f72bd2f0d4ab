"""Policies by name, file and factory, and what a custom policy may get wrong."""

import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import evaluation
import policies
from drive.observation import ObservationSpec
from policies import Decision, PolicyError, checkpoint
from policies.checking import CheckedPolicy, check_decision, checked
from policies.checkpoint import Header
from policies.driving_policy import DrivingPolicy

CUSTOM = """
import numpy as np
from drive.observation import ObservationSpec
from policies import Decision

class Straight:
    name = "straight"
    observation = ObservationSpec("gray84", 4)
    def reset(self, n, seed=0):
        pass
    def act(self, observations):
        return Decision.certain(np.tile([0.0, 0.5, 0.0], (len(observations), 1)))

class Late(Straight):
    def act(self, observations):
        return Decision.certain(np.zeros((len(observations), 2)))

class Unready(Straight):
    def reset(self, n, seed=0):
        raise RuntimeError("two\\nlines")

def broken():
    raise RuntimeError("no licence")

def leaves():
    raise SystemExit(0)
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "own_drivers.py").write_text(CUSTOM)
    (tmp_path / "own_leaver.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "own_drivers", raising=False)
    return "own_drivers"


def test_a_factory_in_the_working_folder(module: str) -> None:
    policy = policies.load(f"{module}:Straight")
    policy.reset(2)
    decision = policy.act(np.zeros((2, 4, 84, 84), np.uint8))
    assert np.array_equal(decision.action, [[0, 0.5, 0]] * 2)
    assert str(Path.cwd()) not in sys.path


def test_a_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "mine.safetensors"
    checkpoint.save(path, checkpoint.build_method(Header("nsac")), Header("nsac"))
    policy = policies.load(path)
    assert isinstance(policy, DrivingPolicy)
    assert policy.name == "mine"


def test_the_bundled_expert_drives_a_lap() -> None:
    laps, _ = evaluation.drive_laps(policies.load("ppo"), "seed:2001", renderer="fast")
    assert laps["completed"].item()
    assert laps["return"].item() > 860


def test_the_bundled_robust_driver_drives_in_other_colours() -> None:
    laps, _ = evaluation.drive_laps(
        "nsac-robust", "seed:2001-2002", renderer="fast", perturb="colours"
    )
    assert list(laps["perturbation"]) == ["none", "none", "colours", "colours"]
    assert laps["success"].all()  # `nsac` leaves both roads within a few bends


def test_the_privileged_driver_reads_the_world() -> None:
    assert policies.load("privileged").observation.kind == "world"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("alonso", "no policy 'alonso': expected privileged, nsac, nsac-robust, ppo,"),
        ("nsca-robust", r"no policy 'nsca-robust': did you mean nsac-robust\? expected privileged"),
        ("gone.safetensors", "gone.safetensors: no such checkpoint"),
        ("no_such_module:make", "no_such_module:make: cannot be imported: ModuleNotFoundError"),
        ("own_drivers:Missing", "cannot be imported: AttributeError"),
        ("own_drivers:broken", "the factory failed: RuntimeError: no licence"),
        ("own_drivers:np.zeros", "cannot be imported"),
        ("own_drivers:leaves", "own_drivers:leaves: the factory failed: SystemExit: 0$"),
        ("sys:exit", "sys:exit: the factory failed: SystemExit$"),
        ("own_leaver:make", "own_leaver:make: cannot be imported: SystemExit$"),
        ("collections:OrderedDict", "OrderedDict is not a policy: it needs name, observation"),
    ],
)
def test_what_cannot_be_loaded_is_one_clear_line(module: str, name: str, words: str) -> None:
    with pytest.raises(PolicyError, match=words) as caught:
        policies.load(name)
    assert "\n" not in str(caught.value)


def test_a_policy_that_reads_something_else_is_refused(module: str) -> None:
    with pytest.raises(PolicyError, match=r"reads .*gray84.* to be shown .*rgb96"):
        policies.load(f"{module}:Straight", ObservationSpec("rgb96", 4))


def test_a_loaded_policy_is_checked_as_it_drives(module: str) -> None:
    policy = policies.load(f"{module}:Late")
    policy.reset(2)
    with pytest.raises(
        PolicyError, match=r"straight: action has shape \(2, 2\), expected a \(2, 3"
    ):
        policy.act(np.zeros((2, 4, 84, 84), np.uint8))


def test_a_policy_that_cannot_begin_is_one_line(module: str) -> None:
    with pytest.raises(PolicyError, match=r"^straight: reset\(\) failed: RuntimeError: two lines$"):
        policies.load(f"{module}:Unready").reset(2)


def with_action(action: NDArray[np.floating]) -> Decision:
    zero = np.zeros((2, 3), np.float32)
    return Decision(action, zero, zero, zero)


def zeros(**changes: float) -> NDArray[np.float32]:
    action = np.zeros((2, 3), np.float32)
    for name, value in changes.items():
        action[1, policies.ACTIONS.index(name)] = value
    return action


@pytest.mark.parametrize(
    ("decision", "words"),
    [
        (np.zeros((2, 3), np.float32), "act.. returned ndarray, expected a Decision"),
        (with_action(np.zeros(3, np.float32)), r"shape \(3,\), expected a \(2, 3\) float32"),
        (with_action(np.zeros((2, 3))), "action is float64, expected"),
        (with_action([[0, 0, 0]] * 2), "action is list, expected"),  # type: ignore[arg-type]
        (with_action(zeros(gas=np.nan)), "action gas of car 1 is nan"),
        (with_action(zeros(steer=np.inf)), "action steer of car 1 is inf"),
        (with_action(zeros(brake=-0.5)), "brake of car 1 is -0.5, expected 0 to 1"),
        (with_action(zeros(steer=1.5)), "steer of car 1 is 1.5, expected -1 to 1"),
        (
            Decision(zeros(), zeros(), zeros(gas=-1), zeros()),
            "aleatoric gas of car 1 is -1",
        ),
    ],
)
def test_a_decision_that_cannot_be_driven_is_named(decision: object, words: str) -> None:
    with pytest.raises(PolicyError, match=words):
        check_decision(decision, 2, "mine")


def test_checking_twice_is_checking_once(module: str) -> None:
    policy = policies.load(f"{module}:Straight")
    assert isinstance(policy, CheckedPolicy)
    assert checked(policy) is policy
