"""Where the published package torch-nac 0.0.2 and this one agree by construction, they agree.

The arrays come from it; benchmarks/torch_nac_reference.py wrote them and names the command. Its
gates do not see the input (``authors_mode``), and its noise is switched off.
"""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from nsac_core import NAC, NSAC

LENGTHS = [6, 30, 49]
REFERENCE = Path(__file__).with_name("torch_nac_reference.npz")


def assert_equal(got: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(got, expected, rtol=0, atol=2e-6)


@pytest.fixture(scope="module")
def reference() -> dict[str, Tensor]:
    with np.load(REFERENCE) as arrays:
        return {name: torch.from_numpy(arrays[name]) for name in arrays}


def with_weights(layer: nn.Module, reference: dict[str, Tensor], case: str) -> nn.Module:
    """The layer with the published weights; those of synapses do nothing in a single step."""
    prefix = f"{case}/weights/"
    weights = {
        name.removeprefix(prefix): value
        for name, value in reference.items()
        if name.startswith(prefix)
    }
    unmatched = layer.load_state_dict(weights, strict=False)
    assert not unmatched.unexpected_keys
    assert all(name.startswith("backbone.") for name in unmatched.missing_keys)
    return layer


@pytest.mark.parametrize("length", LENGTHS)
def test_nsac(reference: dict[str, Tensor], length: int) -> None:
    layer = NSAC(3, 2, model_dim=16, heads=4, top_k=8, noise_scale=0.0, authors_mode=True)
    with_weights(layer, reference, "nsac")
    x, times = reference[f"x_{length}"], reference[f"times_{length}"]
    mean, log_std, inner = layer(x, times=times, positions="all", return_internals=True)
    expected = {
        name: reference[f"nsac/{name}_{length}"]
        for name in ("query", "key_index", "ou_mean", "ou_std", "mean", "log_std")
    }
    assert_equal(inner.query, expected["query"])
    assert_equal(mean[0], expected["mean"])
    assert_equal(log_std[0], expected["log_std"])
    ours, theirs = inner.key_index.sort(-1), expected["key_index"].sort(-1)
    assert torch.equal(ours.values, theirs.values)
    # The variance rather than its root: the published formula cancels for times near 0, and the
    # root would blow that up.
    for got, want in (
        (inner.ou_mean, expected["ou_mean"]),
        (inner.ou_std.square(), expected["ou_std"].square()),
    ):
        assert_equal(got.gather(-1, ours.indices), want.gather(-1, theirs.indices))


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("riemann", [False, True])
@pytest.mark.parametrize("mode", ["exact", "euler", "steady"])
def test_nac(reference: dict[str, Tensor], mode: str, riemann: bool, length: int) -> None:
    case = f"nac_{mode}_{'riemann' if riemann else 'plain'}"
    layer = NAC(
        3,
        16,
        model_dim=16,
        heads=4,
        mode=mode,  # type: ignore[arg-type]
        riemann=riemann,
        authors_mode=True,
    )
    with_weights(layer, reference, case)
    got = layer(reference[f"x_{length}"], times=reference[f"times_{length}"], positions="all")
    assert_equal(got, reference[f"{case}/features_{length}"])
