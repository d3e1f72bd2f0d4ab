"""One contestant of core_speed.py in a process of its own, on one thread.

Reads a request per line from standard input and answers each with a line of JSON: ``{"case": ...,
"calls": n}`` with the seconds a call took, ``{"case": ..., "memory": true}`` with the megabytes by
which one call raised the peak of a process that has made no other. It runs in the environment of
either contestant, hence imports nothing but torch and that contestant.

    python benchmarks/core_speed_worker.py ours|peer
"""

import functools
import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

WIDTH, HEADS, TOP_K, FEATURES = 64, 16, 8, 1
TRAINING_SAMPLES = 5
Call = Callable[[], object]
Case = dict[str, Any]


def ours(case: Case) -> Call:
    """A call of this project's layer: a prediction or a whole training step."""
    from nsac_core import NSAC  # noqa: PLC0415 - only one contestant is installed
    from nsac_core.methods import NSACMethod  # noqa: PLC0415

    x = torch.randn(case["batch"], case["length"], FEATURES)
    options: dict[str, Any] = {"model_dim": WIDTH, "heads": HEADS, "top_k": TOP_K}
    if not case["train"]:
        layer = NSAC(FEATURES, 1, **options).eval()
        return torch.no_grad()(
            lambda: layer(x, n_samples=case["samples"], positions=case["positions"])
        )
    method = NSACMethod(
        torch.nn.Identity(), FEATURES, 1, n_samples=TRAINING_SAMPLES, ood_std=5.0, **options
    )
    method.layer.forward = functools.partial(  # type: ignore[method-assign]
        method.layer.forward, positions=case["positions"]
    )
    y = _targets(case)
    return _training_step(method, lambda: method.loss(x, y))


def peer(case: Case) -> Call:
    """The same call of the published package."""
    from torch_nac.layers import NAC, OUWrap  # noqa: PLC0415
    from torch_nac.losses.losses import NSACLoss  # noqa: PLC0415
    from torch_nac.models import NSAC  # noqa: PLC0415

    x = torch.randn(case["batch"], case["length"], FEATURES)
    nac = NAC(WIDTH, HEADS, topk=TOP_K, input_dim=FEATURES)
    layer = OUWrap(nac, 1, activation="sigmoid", return_sequences=case["positions"] == "all")
    if not case["train"]:
        return torch.no_grad()(lambda: [layer(x, training=False) for _ in range(case["samples"])])
    model = NSAC(layer, mc_samples=TRAINING_SAMPLES, ood_std=5.0)
    y, loss = _targets(case), NSACLoss()
    return _training_step(model, lambda: model.compute_loss(x, y, loss)[0])


def _targets(case: Case) -> torch.Tensor:
    times = (case["length"],) if case["positions"] == "all" else ()
    return torch.randn(case["batch"], *times, 1)


def _training_step(model: torch.nn.Module, loss: Callable[[], torch.Tensor]) -> Call:
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

    def step() -> None:
        optimizer.zero_grad()
        torch.autograd.backward(loss())
        optimizer.step()

    return step


def seconds(call: Call, calls: int) -> float:
    """Mean duration of a call."""
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - start) / calls


def memory_rise(call: Call) -> float:
    """Megabytes between what the process holds and the most it held during a call (Linux)."""
    Path("/proc/self/clear_refs").write_text("5")  # sets the peak back to what is held now
    before = _peak()
    call()
    return _peak() - before


def _peak() -> float:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found.group(1)) / 1024 if found else float("nan")


def main() -> None:
    """Answer requests until the input ends."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    build = functools.lru_cache(1)(
        lambda case: {"ours": ours, "peer": peer}[sys.argv[1]](json.loads(case))
    )
    for line in sys.stdin:
        request = json.loads(line)
        call = build(json.dumps(request["case"]))
        answer = memory_rise(call) if "memory" in request else seconds(call, request["calls"])
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
