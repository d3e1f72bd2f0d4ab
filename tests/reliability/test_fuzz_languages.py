"""What is written on command lines in a little language of its own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.errors import EvaluationError
from evaluation.perturbations.perturbed import parse as perturbations
from policies import selective
from policies.errors import PolicyError
from policies.foreign import source
from policies.loading import load
from recorders.care.episode_numbers import parse as episodes
from recorders.care.errors import CareError
from tests.reliability.fuzzing import examples, valid_or


def texts(*parts: str) -> st.SearchStrategy[str]:
    """Parts of a language in any order, and anything between them."""
    part = st.sampled_from([*parts, "9" * 5000, "\ud800", "\0", "\n", ""]) | st.text(max_size=4)
    return st.lists(part, max_size=7).map("".join)


@pytest.mark.fault("any text (fuzzed)", "--perturb", "conditions, or one line")
@given(texts("colours", "blur", ":2", ":1-5", ",", "none", "-", ":", "noise", "٣"))
@examples(300)
def test_any_perturbations(text: str) -> None:
    found = valid_or(EvaluationError, perturbations, text)
    assert found is None or all(0 <= condition.severity <= 5 for condition in found)


@pytest.mark.fault("any text (fuzzed)", "--policy selective:...", "a driver and when, or one line")
@given(
    texts("selective:", "nsac", "?", "threshold=", "0.05", "&", "hold=", "part=", "nan", "1e400")
)
@examples(300)
def test_any_selective_driver(text: str) -> None:
    found = valid_or(PolicyError, selective.parse, f"selective:{text}")
    assert found is None or 0 <= found[1].threshold < float("inf")


@pytest.mark.fault("any text (fuzzed)", "--policy", "one line")
@given(
    texts(
        "selective:",
        "?",
        "x" * 400,
        "nsac2",
        ".safetensors",
        ".onnx",
        ".pt2",
        "=",
        "&",
        "/",
        ":",
        "a.",
    )
)
@examples(150)
def test_any_name_of_a_policy(text: str) -> None:
    assert valid_or(PolicyError, load, text) is None


@given(texts("model", ".onnx", ".pt", "?", "scale=", "255", "&", "="))
@examples(100)
def test_any_name_of_a_policy_file(text: str) -> None:
    found = source.parse(text)
    assert found is None or not found.exists


@pytest.mark.fault("any text (fuzzed)", "--episodes", "numbers, or one line")
@given(st.lists(texts("3", "7-9", ",", "-", "0-99999999999", "٣"), max_size=4))
@examples(200)
def test_any_numbers_of_episodes(words: list[str]) -> None:
    found = valid_or(CareError, episodes, words, 20)
    assert found is None or set(found) <= set(range(20))
