import time
from pathlib import Path

import pytest

from evaluation.errors import EvaluationError
from evaluation.perturbations import CLEAN, Perturbed
from evaluation.study.plan import Plan, read

WHOLE = """
maps = ["seed:7-9", "oval"]
perturbations = "blur:1-2,colours"
seeds = "3-5"
renderer = "fast"
batch = 4
max_steps = 20
steps = true

[policies]
ours = "nsac"
expert = "privileged"
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "study.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_every_field_of_a_file_arrives(tmp_path: Path) -> None:
    assert read(written(tmp_path, WHOLE)) == Plan(
        policies=(("ours", "nsac"), ("expert", "privileged")),
        maps=("seed:7", "seed:8", "seed:9", "oval"),
        perturbed=(CLEAN, Perturbed("blur", 1), Perturbed("blur", 2), Perturbed("colours", 3)),
        seeds=(3, 4, 5),
        renderer="fast",
        batch=4,
        max_steps=20,
        steps=True,
    )


def test_the_shortest_file_is_one_clean_lap_with_seed_0(tmp_path: Path) -> None:
    plan = read(written(tmp_path, 'policies = "privileged"\nmaps = "oval"'))
    assert (plan.policies, plan.seeds, plan.perturbed) == ((("", "privileged"),), (0,), (CLEAN,))
    assert plan.renderer == "exact"
    assert not plan.steps


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("renderer = 'none'", "renderer is 'none', expected exact or fast"),
        ("renderer = 'Fast'", r"renderer is 'Fast', did you mean fast\? expected exact or fast"),
        ("batch = 0", "batch is 0, expected 1 or more"),
        ("batch = true", "batch is True, expected a number"),
        ("seeds = [1, 1]", "seeds has a number twice"),
        ("seeds = '3..5'", "seeds is '3..5', expected numbers as in"),
        ("seeds = []", r"seeds is \[\], expected numbers"),
        ("seeds = '5-3'", "seeds is '5-3', expected numbers"),
        ("perturbations = 'fog'", "there is no perturbation 'fog'"),
        ("perturbations = 3", "perturbations is 3, expected names"),
        ("steps = 1", "steps is 1, expected true or false"),
        ("polices = []", r"unknown field 'polices', did you mean policies\? expected policies"),
        ("batch = ", "not to be read as TOML"),
    ],
)
def test_what_cannot_be_names_the_file_and_the_field(
    tmp_path: Path, field: str, message: str
) -> None:
    file = written(tmp_path, f'policies = "privileged"\nmaps = "oval"\n{field}')
    with pytest.raises(EvaluationError, match=message) as fault:
        read(file)
    assert str(fault.value).startswith(f"{file}: ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('maps = "oval"', "policies is missing"),
        ('policies = "nsac"', "maps is missing"),
        ('policies = "nsac"\nmaps = "seed:3,seed:3"', "maps has seed:3 twice"),
        ('policies = "nsac"\nmaps = ["seed:42", "seed:042"]', "maps has seed:42 twice"),
        ('maps = "oval"\n[policies]\nours = 3', "policies.ours is 3, expected what --policy"),
    ],
)
def test_what_is_missing_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        read(written(tmp_path, text))


def test_no_file_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="no such file, expected a study in TOML"):
        read(tmp_path / "study.toml")


def test_a_hundred_thousand_maps_are_read_at_once(tmp_path: Path) -> None:
    began = time.perf_counter()
    plan = read(written(tmp_path, 'policies = "nsac"\nmaps = "seed:0-99999"'))
    assert len(plan.maps) == 100_000
    assert time.perf_counter() - began < 20  # pair by pair it takes minutes
