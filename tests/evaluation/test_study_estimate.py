from pathlib import Path

import pytest

from evaluation.closed_loop import Chunk, Conditions
from evaluation.identity import Entrant
from evaluation.study.estimate import Estimate
from evaluation.study.units import Unit
from maps.waiting import in_words


def unit(label: str, laps: int = 10, seed: int = 0) -> Unit:
    driver = Entrant(label, label, "")
    return Unit(driver, Chunk(0, 0, ("seed:3",) * laps), Conditions(seed=seed))


def test_nothing_is_known_before_the_first_unit() -> None:
    assert Estimate([unit("slow")], workers=2).seconds is None


def test_each_policy_takes_its_own_time_and_unknown_ones_the_mean() -> None:
    missing = [unit("slow"), unit("slow", seed=1), unit("quick", 4), unit("new")]
    estimate = Estimate(missing, workers=2)
    estimate.learn(unit("slow"), 100.0)  # 10 s a lap
    estimate.learn(unit("quick"), 20.0)  # 2 s a lap; 6 s on average
    assert estimate.seconds == pytest.approx((20 * 10 + 4 * 2 + 10 * 6) / 2)
    for done in missing[:3]:
        estimate.drop(done)
    assert estimate.seconds == pytest.approx(10 * 6)  # one unit keeps one worker busy
    estimate.drop(missing[3])
    assert estimate.seconds == 0


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, "time unknown yet"),
        (0.0, "about 1 s left"),
        (300.0, "about 5 min left"),
        (7200.0, "about 2.0 h left"),
        (1e6, "about 11.6 days left"),
    ],
)
def test_times_are_said_in_units_of_their_size(seconds: float | None, words: str) -> None:
    assert in_words(seconds) == words


def test_units_have_names_of_their_own_that_are_paths() -> None:
    labels = ["nsac-0", "a.b:c", "a.b/c", "selective:nsac?threshold=0.1", ".."]
    names = {unit(label).name for label in labels}
    assert len(names) == len(labels)
    for name in names:
        path = Path(name)
        assert len(path.parts) == 4
        assert ".." not in path.parts
