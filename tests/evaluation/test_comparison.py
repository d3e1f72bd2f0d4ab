"""The comparison of drivers: exact labels, settings that cannot be, the recipe, the arms."""

import dataclasses
from pathlib import Path

import pytest

from evaluation.comparison import laps
from evaluation.comparison.clones import Clone, train_config
from evaluation.comparison.config import ComparisonConfig, Corrections
from evaluation.comparison.dagger import cut
from evaluation.comparison.recording import NAME, recipe, record_config
from evaluation.comparison.report import with_distance
from evaluation.config import EvaluateConfig
from evaluation.errors import EvaluationError
from nsac_core.benchmarks.sheets import Sheet
from policies.demonstrations import Episode
from recorders import RecordConfig, commands
from recorders import cli as recorders_cli

TINY = ComparisonConfig(expert="privileged", episodes=4, validation_episodes=1, test_episodes=1)


def episodes(*steps: int) -> tuple[Episode, ...]:
    return tuple(Episode("a", i, 0, 0, count) for i, count in enumerate(steps))


@pytest.mark.parametrize("steps", [8, 20, 40, 41, 47, 48, 90])
def test_labels_are_cut_exactly_and_leave_no_episode_too_short(steps: int) -> None:
    kept = cut(episodes(40, 50, 60), steps, least=8)
    assert sum(episode.steps for episode in kept) == steps
    assert all(episode.steps >= 8 for episode in kept)
    assert all(a.steps <= b.steps for a, b in zip(kept, episodes(40, 50, 60), strict=False))


def test_too_few_labels_are_refused() -> None:
    with pytest.raises(EvaluationError, match="150 labels, 151 wanted"):
        cut(episodes(40, 50, 60), 151, least=8)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"methods": ("nsca",)}, r"no method 'nsca'; did you mean nsac\? there are all, nsac"),
        ({"episodes": 2}, "episodes must be more"),
        ({"seeds": 0}, "seeds must be at least 1"),
        ({"dagger": Corrections(labels=5)}, "dagger.labels"),
        ({"arms": ()}, "arms names none of plain, dagger, colours"),
        ({"stages": ()}, "stages names none of record, clone, open-loop, drive, selective, report"),
    ],
)
def test_what_cannot_be_compared_is_refused(change: dict[str, object], fault: str) -> None:
    with pytest.raises(EvaluationError, match=fault):
        dataclasses.replace(TINY, **change).check()  # type: ignore[arg-type]


def test_the_recipe_records_the_same_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[RecordConfig] = []

    def note(config: RecordConfig) -> str:
        found.append(config)
        return NAME

    monkeypatch.setattr(commands, "record", note)
    recorders_cli.main(recipe(TINY).split()[1:])
    assert found[0].content() == record_config(TINY).content()


def test_the_arms_differ_in_nothing_but_what_they_are_named_for() -> None:
    plain, colours = (
        dataclasses.asdict(train_config(TINY, Clone(arm, "nsac", 1)))
        for arm in ("plain", "colours")
    )
    assert {name for name in plain if plain[name] != colours[name]} == {"out", "augmentation"}
    assert colours["augmentation"].pop("recolour") == TINY.recolour
    assert plain["augmentation"].pop("recolour") == 0.0
    assert plain["augmentation"] == colours["augmentation"]


def test_the_papers_error_stands_beside_the_laps_of_its_arm() -> None:
    laps = Sheet("driving_dagger", "", ["driver", "laps"], [["NSAC", "100"], ["privileged", "20"]])
    others = [
        Sheet("expert_distance_plain", "", ["driver", "distance"], [["NSAC", "59.7"]]),
        Sheet("expert_distance_dagger", "", ["driver", "distance"], [["NSAC", "10.9"]]),
    ]
    found = with_distance(laps, others)
    assert found.rows == [["NSAC", "100", "10.9"], ["privileged", "20", "-"]]
    assert len(found.head) == 3
    assert with_distance(laps, others[:1]) == laps
    assert with_distance(others[0], others) == others[0]


@pytest.mark.parametrize("trust", [False, True])
def test_the_expert_is_trusted_as_asked_in_every_stage(
    trust: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = dataclasses.replace(TINY, expert="a.zip", trust=trust, out=tmp_path)
    driven: list[EvaluateConfig] = []
    monkeypatch.setattr(laps, "drive", driven.append)
    laps.drive_all(config, [Clone("plain", "nsac", 0)])
    assert [run.policy[0] for run in driven][-1] == "a.zip"
    assert [run.trust for run in driven] == [trust, trust]
    assert record_config(config).trust == trust
