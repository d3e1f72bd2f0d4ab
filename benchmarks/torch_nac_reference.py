"""Reference arrays of the published package torch-nac 0.0.2 for tests/nsac_core/test_parity.py.

Run by the Python of an environment that holds torch-nac, which this project does not depend on:

    python -m venv peer && peer/bin/pip install torch-nac==0.0.2
    peer/bin/python benchmarks/torch_nac_reference.py tests/nsac_core/torch_nac_reference.npz

The weights are stored as this project's layers name them: the affine maps around a published cell
are folded into its weights. Times are such that all keys belong to a block (T a multiple of
floor(sqrt(T))), where the published choice of keys is ours.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch_nac.layers import NAC, NCPCell, OUWrap, ouwrap

INPUTS, WIDTH, HEADS, TOP_K, OUTPUTS = 3, 16, 4, 8, 2
LENGTHS = (6, 30, 49)
Arrays = dict[str, Tensor]


def main() -> None:
    """Write the arrays to the file named on the command line."""
    torch.manual_seed(0)
    arrays: Arrays = {}
    for length in LENGTHS:
        arrays[f"x_{length}"] = torch.randn(2, length, INPUTS)
        arrays[f"times_{length}"] = 3 * torch.rand(2, length)
    with torch.no_grad():
        arrays |= of_nsac(arrays)
        for mode in ("exact", "euler", "steady"):
            for riemann in (False, True):
                arrays |= of_nac(arrays, mode, riemann=riemann)
    named: dict[str, Any] = {name: array.detach().numpy() for name, array in arrays.items()}
    np.savez_compressed(Path(sys.argv[1]), **named)


def published_nac(mode: str = "exact", *, riemann: bool = True) -> NAC:
    """The published NAC layer, every parameter of which is drawn."""
    return NAC(
        WIDTH,
        HEADS,
        topk=TOP_K,
        mode=mode,
        activation="sigmoid",
        use_riemann_sum=riemann,
        return_sequences=True,
        input_dim=INPUTS,
    )


def of_nsac(arrays: Arrays) -> Arrays:
    """Gates, chosen keys, moments and predictions of the stochastic layer without noise."""
    nsac = OUWrap(published_nac(), OUTPUTS, bn_std=0.0, activation="sigmoid", return_sequences=True)
    _draw(nsac)
    found = {f"nsac/weights/{name}": value for name, value in _shared(nsac.nac).items()}
    found["nsac/weights/backbone.motor.bias"] = _motor_bias(nsac.ncp_out.cell)
    for theirs, ours in (
        ("attention_out_proj", "out_projection"),
        ("mean_head", "mean_head"),
        ("std_head", "log_std_head"),
    ):
        found |= _linear(nsac.get_submodule(theirs), f"nsac/weights/{ours}")
    for length in LENGTHS:
        x, times = arrays[f"x_{length}"], arrays[f"times_{length}"]
        query, key = (nsac.nac.split_heads(gate(x)) for gate in (nsac.q_proj, nsac.k_proj))
        found[f"nsac/query_{length}"] = nsac.q_proj(x)
        found[f"nsac/key_index_{length}"] = nsac.nac.sparse_topk_pairwise(query, key)[1]
        with _logits() as seen:
            mean, log_std = nsac((x, times))
            nsac.bn_mean = 1.0
            nsac((x, times))
            nsac.bn_mean = 0.0
        found[f"nsac/mean_{length}"], found[f"nsac/log_std_{length}"] = mean, log_std
        found[f"nsac/ou_mean_{length}"] = seen[0]
        found[f"nsac/ou_std_{length}"] = seen[1] - seen[0]
    return found


def of_nac(arrays: Arrays, mode: str, *, riemann: bool) -> Arrays:
    """Features of the deterministic layer."""
    nac = published_nac(mode, riemann=riemann)
    _draw(nac)
    case = f"nac_{mode}_{'riemann' if riemann else 'plain'}"
    found = {f"{case}/weights/{name}": value for name, value in _shared(nac).items()}
    found[f"{case}/weights/backbone.motor.bias"] = _motor_bias(nac.out_ncp.cell)
    found |= _linear(nac.out_dense, f"{case}/weights/feature_head")
    for length in LENGTHS:
        x, times = arrays[f"x_{length}"], arrays[f"times_{length}"]
        found[f"{case}/features_{length}"] = nac((x, times))
    return found


def _draw(module: torch.nn.Module) -> None:
    """Draw what is initialised with zeros and ones too, so that nothing goes untested."""
    for parameter in module.parameters():
        if parameter.ndim == 1:
            parameter.add_(0.5 * torch.randn_like(parameter))


def _shared(nac: NAC) -> Arrays:
    found = _linear(nac.time_ab, "time_gate")
    for theirs, ours in (("q_proj", "query"), ("k_proj", "key"), ("v_proj", "value")):
        cell = nac.get_submodule(theirs).cell
        outputs = cell.output_indices
        kernel, gain = cell.masked_input_kernel[:, outputs], cell.output_w
        bias = cell.bias[outputs] + cell.input_b @ kernel
        found[f"{ours}_gate.weight"] = (cell.input_w[:, None] * kernel * gain).T.contiguous()
        found[f"{ours}_gate.bias"] = bias * gain + cell.output_b
    return found


def _motor_bias(cell: NCPCell) -> Tensor:
    bias: Tensor = cell.bias[cell.output_indices] * cell.output_w + cell.output_b
    return bias


def _linear(layer: Any, name: str) -> Arrays:  # noqa: ANN401
    return {f"{name}.weight": layer.weight, f"{name}.bias": layer.bias}


@contextmanager
def _logits() -> Iterator[list[Tensor]]:
    """Collects the logits that go into the published softmax, which does not return them."""
    seen: list[Tensor] = []
    softmax = ouwrap.F.softmax

    def spy(logits: Tensor, dim: int) -> Tensor:
        seen.append(logits)
        weights: Tensor = softmax(logits, dim=dim)
        return weights

    ouwrap.F.softmax = spy
    try:
        yield seen
    finally:
        ouwrap.F.softmax = softmax


if __name__ == "__main__":
    main()
