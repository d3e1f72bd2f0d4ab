"""One contestant in a process of its own, on one thread.

Reads a request per line from standard input and answers each with a line of JSON: ``{"case": ...,
"calls": n}`` with the seconds a call took, ``{"case": ..., "memory": true}`` with the megabytes by
which one call raised the peak of a process that has made no other, ``{"case": ..., "parameters":
true}`` with the numbers of weights that are trained and of all that is held. It is run as a file
by the Python of either contestant's environment, hence imports nothing but torch and that one.

    python -P contestant.py ours|peer
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

TRAINING_SAMPLES = 5
Call = Callable[[], object]
Case = dict[str, Any]
"""What is called: ``length``, ``batch``, ``width``, ``heads``, ``top_k``, ``positions``,
``samples``, ``train``, ``device``; ``method``, of ``nsac_core.methods``, or None for a layer."""


def ours(case: Case) -> tuple[torch.nn.Module, Call]:
    """A layer or a method of this project, and a prediction or a whole training step of it."""
    from nsac_core import NSAC  # noqa: PLC0415 - only one contestant is installed
    from nsac_core.methods import NSACMethod  # noqa: PLC0415

    x = torch.randn(case["batch"], case["length"], 1, device=case["device"])
    options: dict[str, Any] = {
        "model_dim": case["width"],
        "heads": case["heads"],
        "top_k": case["top_k"],
        "positions": case["positions"],
    }
    if case["method"] is not None:
        return _our_method(case, options, x)
    if not case["train"]:
        layer = NSAC(1, 1, **options).to(case["device"]).eval()
        return layer, torch.no_grad()(lambda: layer(x, n_samples=case["samples"]))
    method = NSACMethod(
        torch.nn.Identity(), 1, 1, n_samples=TRAINING_SAMPLES, ood_std=5.0, **options
    )
    method.to(case["device"])
    y = _targets(case)
    return method, _training_step(method, lambda: method.loss(x, y))


def _our_method(
    case: Case, options: dict[str, Any], x: torch.Tensor
) -> tuple[torch.nn.Module, Call]:
    from nsac_core import methods  # noqa: PLC0415

    if case["method"] == "sde_net":
        every = case["positions"] == "all"
        options = {"n_tokens": "each" if every else case["length"]}
    method = methods.build(case["method"], torch.nn.Identity(), 1, 1, **options)
    method.to(case["device"]).eval()
    return method, torch.no_grad()(lambda: method.predict(x, n_samples=case["samples"]))


def peer(case: Case) -> tuple[torch.nn.Module, Call]:
    """The same of the published package."""
    from torch_nac.layers import NAC, OUWrap  # noqa: PLC0415
    from torch_nac.losses.losses import NSACLoss  # noqa: PLC0415
    from torch_nac.models import NSAC  # noqa: PLC0415

    x = torch.randn(case["batch"], case["length"], 1, device=case["device"])
    nac = NAC(case["width"], case["heads"], topk=case["top_k"], input_dim=1)
    layer = OUWrap(nac, 1, activation="sigmoid", return_sequences=case["positions"] == "all")
    layer.to(case["device"])
    if not case["train"]:
        passes = range(case["samples"])
        return layer, torch.no_grad()(lambda: [layer(x, training=False) for _ in passes])
    model = NSAC(layer, mc_samples=TRAINING_SAMPLES, ood_std=5.0)
    y, loss = _targets(case), NSACLoss()
    return model, _training_step(model, lambda: model.compute_loss(x, y, loss)[0])


def _targets(case: Case) -> torch.Tensor:
    times = (case["length"],) if case["positions"] == "all" else ()
    return torch.randn(case["batch"], *times, 1, device=case["device"])


def _training_step(model: torch.nn.Module, loss: Callable[[], torch.Tensor]) -> Call:
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

    def step() -> None:
        optimizer.zero_grad()
        torch.autograd.backward(loss())
        optimizer.step()

    return step


def seconds(call: Call, calls: int, device: str) -> float:
    """Mean duration of a call, until the device is done with it."""
    _wait(device)
    start = time.perf_counter()
    for _ in range(calls):
        call()
    _wait(device)
    return (time.perf_counter() - start) / calls


def memory_rise(call: Call, device: str) -> float:
    """Megabytes between what is held and the most that is held during a call.

    Of the device, or of this process (Linux) where that is the CPU.
    """
    if device != "cpu":
        torch.cuda.reset_peak_memory_stats(device)
        before = torch.cuda.memory_allocated(device)
        call()
        return float(torch.cuda.max_memory_allocated(device) - before) / 2**20
    Path("/proc/self/clear_refs").write_text("5")  # sets the peak back to what is held now
    held = _peak()
    call()
    return _peak() - held


def parameters(model: torch.nn.Module) -> list[int]:
    """How many weights are trained, and how many numbers are held, masks and the like too."""
    trained = sum(part.numel() for part in model.parameters() if part.requires_grad)
    held = sum(part.numel() for part in [*model.parameters(), *model.buffers()])
    return [trained, held]


def _wait(device: str) -> None:
    if device != "cpu":
        torch.cuda.synchronize(device)


def _peak() -> float:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found.group(1)) / 1024 if found else float("nan")


def main() -> None:
    """Answers requests until the input ends."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    build = functools.lru_cache(1)(
        lambda case: {"ours": ours, "peer": peer}[sys.argv[1]](json.loads(case))
    )
    for line in sys.stdin:
        request = json.loads(line)
        model, call = build(json.dumps(request["case"]))
        device = request["case"]["device"]
        answer: object
        if "parameters" in request:
            answer = parameters(model)
        elif "memory" in request:
            answer = memory_rise(call, device)
        else:
            answer = seconds(call, request["calls"], device)
        print(json.dumps(answer), flush=True)  # noqa: T201 - its caller reads it


if __name__ == "__main__":
    main()
