from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import policies
from drive.observation import ObservationSpec
from policies import Decision, PolicyError
from policies.selective import Handover, Part, SelectiveDriver, parse, spell

ACTIONS = np.array([[0.5, 0.0, 0.0]], dtype=np.float32)


class Doubtful:
    """States the uncertainties it is told, one a step, the same for all cars or one for each."""

    name = "doubtful"
    observation = ObservationSpec("gray84", 4)

    def __init__(self, epistemic: Sequence[Any], aleatoric: Sequence[Any] | None = None) -> None:
        self.epistemic = epistemic
        self.aleatoric = aleatoric or [0.0] * len(epistemic)

    def reset(self, n: int, seed: int = 0) -> None:  # noqa: ARG002
        self.step = 0

    def act(self, observations: NDArray[np.uint8] | Sequence[Any]) -> Decision:
        n = len(observations)
        aleatoric, epistemic = np.zeros((2, n, 3), dtype=np.float32)
        aleatoric[:, 0] = self.aleatoric[self.step]
        epistemic[:, 0] = self.epistemic[self.step]
        self.step += 1
        mean = ACTIONS.repeat(n, axis=0)
        return Decision(mean.copy(), mean, aleatoric, epistemic)


class Supervisor:
    """Steers by the number of the world it is given."""

    name = "supervisor"
    observation = ObservationSpec("world", 1)

    def reset(self, n: int, seed: int = 0) -> None:
        pass

    def act(self, observations: NDArray[np.uint8] | Sequence[Any]) -> Decision:
        return Decision.certain(np.array([[-0.1 * world, 1.0, 0.0] for world in observations]))


def drive(driver: Doubtful, rule: Handover, cars: int = 1, seed: int = 0) -> list[Decision]:
    selective = SelectiveDriver(driver, Supervisor(), rule)
    selective.reset(cars, seed)
    decisions = []
    for _ in driver.epistemic:
        selective.watch(range(1, cars + 1))
        decisions.append(selective.act(np.zeros((cars, 4, 84, 84), dtype=np.uint8)))
    return decisions


def taken(decisions: list[Decision]) -> str:
    """A digit a step: 1 where the first car is the supervisor's."""
    return "".join(str(int(d.taken_over[0])) for d in decisions if d.taken_over is not None)


@pytest.mark.parametrize(
    ("sigma", "hold", "release", "expected"),
    [
        ([1, 3, 1, 1, 1, 1], 1, 1.0, "010000"),
        ([1, 3, 1, 1, 1, 1], 3, 1.0, "011100"),
        ([1, 3, 1, 3, 1, 1], 3, 1.0, "011100"),  # held already: no new three steps
        ([1, 3, 1, 1, 3, 1], 3, 1.0, "011110"),  # still doubtful when it could give back
        ([2, 3, 1.5, 1.5, 0.9, 1.5], 1, 0.5, "011100"),  # back at half the threshold only
        ([2, 2, 2, 2, 2, 2], 1, 0.5, "000000"),  # at the threshold is not above it
    ],
)
def test_the_supervisor_holds_and_gives_back(
    sigma: list[float], hold: int, release: float, expected: str
) -> None:
    rule = Handover(2.0, hold=hold, release=release)
    assert taken(drive(Doubtful(sigma), rule)) == expected


def test_only_the_doubtful_cars_action_is_the_supervisors() -> None:
    (decision,) = drive(Doubtful([np.array([0.1, 0.9, 0.1, 0.9])]), Handover(0.5), cars=4)
    np.testing.assert_array_equal(decision.taken_over, [False, True, False, True])
    np.testing.assert_allclose(decision.action[:, 0], [0.5, -0.2, 0.5, -0.4])
    np.testing.assert_allclose(decision.mean[:, 0], 0.5)  # what the driver would have done
    np.testing.assert_allclose(decision.epistemic[:, 0], [0.1, 0.9, 0.1, 0.9])


@pytest.mark.parametrize(
    ("part", "expected"), [("epistemic", "00"), ("aleatoric", "01"), ("total", "11")]
)
def test_each_part_has_its_own_doubt(part: Part, expected: str) -> None:
    driver = Doubtful([3.9, 0.1], [3.0, 4.5])  # total: 4.92, 4.501
    assert taken(drive(driver, Handover(4.2, part, hold=1))) == expected


def test_the_random_control_takes_over_as_often_as_its_threshold_says() -> None:
    driver = Doubtful([0.0] * 8000)
    rule = Handover(0.98, "random", hold=25, release=1.0)
    shares = np.array([d.taken_over for d in drive(driver, rule, cars=8)]).mean()
    # Renewal: 25 steps and what is drawn anew, after 49 free ones on average.
    assert shares == pytest.approx((25 + 0.02 / 0.98) / (25 + 0.02 / 0.98 + 49), abs=0.01)
    again = drive(driver, rule)
    assert taken(again) == taken(drive(driver, rule))
    assert taken(again) != taken(drive(driver, rule, seed=1))


def test_reset_gives_the_wheel_back() -> None:
    selective = SelectiveDriver(Doubtful([1.0, 0.0]), Supervisor(), Handover(0.5, hold=100))
    selective.reset(1)
    pictures = np.zeros((1, 4, 84, 84), dtype=np.uint8)
    for expected in ([True], [True]):
        selective.watch([1])
        np.testing.assert_array_equal(selective.act(pictures).taken_over, expected)
    selective.driver = Doubtful([0.0])
    selective.reset(1)
    selective.watch([1])
    np.testing.assert_array_equal(selective.act(pictures).taken_over, [False])


def test_it_will_not_drive_on_worlds_of_an_earlier_step() -> None:
    selective = SelectiveDriver(Doubtful([0.0, 0.0]), Supervisor(), Handover(0.5))
    selective.reset(1)
    selective.watch([1])
    selective.act(np.zeros((1, 4, 84, 84), dtype=np.uint8))
    with pytest.raises(PolicyError, match="must see the worlds"):
        selective.act(np.zeros((1, 4, 84, 84), dtype=np.uint8))


def test_a_spelling_loads_and_reads_back() -> None:
    rule = Handover(0.031, "aleatoric", hold=10, release=0.5)
    text = spell("nsac", rule)
    assert text == "selective:nsac?threshold=0.031&part=aleatoric&hold=10&release=0.5"
    assert parse(text) == ("nsac", rule)
    loaded = policies.load(text)
    assert loaded.name == "nsac_carracing aleatoric>0.031"
    assert loaded.observation == policies.load("nsac").observation


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("", "expected selective:DRIVER.threshold=NUMBER"),
        ("?part=total", "expected selective:DRIVER.threshold=NUMBER"),
        ("?threshold=high", "threshold is 'high', expected a number"),
        ("?threshold=nan", "threshold is nan, expected 0 or more"),
        ("?treshold=1", "no option 'treshold', did you mean threshold. expected threshold, part"),
        ("?threshold=1&limit=3", "no option 'limit', expected threshold, part"),
        ("?threshold=1&part=both", "part is 'both', expected epistemic"),
        ("?threshold=1&hold=0", "hold is 0, expected 1 or more"),
        ("?threshold=1&release=2", "release is 2, expected 0 to 1"),
    ],
)
def test_a_wrong_spelling_says_what_would_be_right(options: str, words: str) -> None:
    with pytest.raises(PolicyError, match=words):
        policies.load(f"selective:nsac{options}")
