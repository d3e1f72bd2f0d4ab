"""The state of an unfinished training, from which it resumes: safetensors, nothing pickled."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from maps.files import json_file, tensor_file
from maps.files.one_line_error import in_one_line
from maps.files.plain_values import made
from policies.errors import PolicyError


@dataclass
class Progress:
    """How far a training is.

    Attributes:
        steps: Decisions so far.
        updates: Passes over rollouts so far.
        best: Best mean return of a validation.
        seconds: Wall-clock time so far.
        course: One entry for each validation.
        failed: Failed tracks of each worker.
        data: What demonstrations it started from.
    """

    steps: int = 0
    updates: int = 0
    best: float = float("-inf")
    seconds: float = 0.0
    course: list[dict[str, float]] = field(default_factory=list)
    failed: list[list[int]] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)


def save_state(
    path: Path, policy: torch.nn.Module, optimiser: torch.optim.Optimizer, progress: Progress
) -> None:
    """Writes weights, moments and progress aside and renames the file, so that it is whole."""
    tensors = {f"policy.{name}": value for name, value in policy.state_dict().items()}
    for number, entry in optimiser.state_dict()["state"].items():
        for name, value in entry.items():
            tensors[f"optimiser.{number}.{name}"] = torch.as_tensor(value)
    tensor_file.write(path, tensors, {"progress": json.dumps(asdict(progress))})


def load_state(path: Path, policy: torch.nn.Module, optimiser: torch.optim.Optimizer) -> Progress:
    """Puts the weights and moments back.

    Raises:
        PolicyError: If the file is damaged, or of another network; it names the file.
    """
    advice = "remove its folder to begin anew"
    try:
        words, tensors = tensor_file.read(path)
        progress = made(Progress, json_file.parse(words["progress"]))
        weights = {k.removeprefix("policy."): v for k, v in tensors.items() if k[0] == "p"}
        policy.load_state_dict(weights)
        optimiser.load_state_dict(_optimiser_state(optimiser, tensors))
    except tensor_file.TensorFileError as fault:
        raise PolicyError(f"{fault}; {advice}") from None
    except (RuntimeError, LookupError, TypeError, ValueError) as fault:
        reason = in_one_line(fault)
        raise PolicyError(f"{path}: not the state of this training: {reason}; {advice}") from None
    return progress


def _optimiser_state(
    optimiser: torch.optim.Optimizer, tensors: dict[str, Tensor]
) -> dict[str, Any]:
    entries: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors.items():
        if key.startswith("optimiser."):
            _, number, name = key.split(".")
            entries.setdefault(int(number), {})[name] = value
    return {"state": entries, "param_groups": optimiser.state_dict()["param_groups"]}
