"""The state of an interrupted training run: one safetensors file with a JSON header."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from maps.files import tensor_file
from maps.files.one_line_error import OneLineError, in_one_line
from maps.files.tensor_file import TensorFileError


class FittingStateError(OneLineError):
    """A state file that cannot be read; the message is one line."""


@dataclass(frozen=True)
class FittingState:
    """All that a run needs to go on.

    Attributes:
        weights: The method's state after the latest epoch.
        best_weights: Its state after the best epoch.
        moments: The optimiser's tensors, named ``parameter.moment``.
        best_epoch: Number of the best epoch.
        best_score: Its score.
        history: One record per epoch.
    """

    weights: dict[str, Tensor]
    best_weights: dict[str, Tensor]
    moments: dict[str, Tensor]
    best_epoch: int
    best_score: float
    history: list[dict[str, Any]]

    @staticmethod
    def moments_of(optimiser: torch.optim.Optimizer) -> dict[str, Tensor]:
        """The optimiser's tensors by parameter number and name."""
        return {
            f"{number}.{name}": torch.as_tensor(value)
            for number, entry in optimiser.state_dict()["state"].items()
            for name, value in entry.items()
        }

    def optimiser_onto(self, optimiser: torch.optim.Optimizer) -> dict[str, Any]:
        """A state dictionary for an optimiser with the same parameters."""
        state = optimiser.state_dict()
        entries: dict[int, dict[str, Tensor]] = {}
        for key, value in self.moments.items():
            number, name = key.split(".", maxsplit=1)
            entries.setdefault(int(number), {})[name] = value
        return {"state": entries, "param_groups": state["param_groups"]}


ADVICE = "remove it to begin the training anew"

_PARTS = ("weights", "best_weights", "moments")
_HEADER: dict[str, tuple[type, ...]] = {
    "best_epoch": (int,),
    "best_score": (int, float),
    "history": (list,),
}


def save_state(state: FittingState, path: Path) -> None:
    """Writes the state aside and renames it, so that the file is always whole."""
    tensors = {
        f"{part}/{name}": value for part in _PARTS for name, value in getattr(state, part).items()
    }
    header = {name: getattr(state, name) for name in _HEADER}
    tensor_file.write(path, tensors, {"fitting": json.dumps(header)})


def load_state(path: Path) -> FittingState:
    """Reads a state.

    Raises:
        FittingStateError: If the file is not a state or is damaged.
    """
    try:
        words, tensors = tensor_file.read(path)
        header = json.loads(words["fitting"])
        wrong = [name for name, kinds in _HEADER.items() if not isinstance(header[name], kinds)]
        if wrong:
            raise ValueError(f"{wrong[0]} is {header[wrong[0]]!r}")
        parts: dict[str, dict[str, Tensor]] = {part: {} for part in _PARTS}
        for key, tensor in tensors.items():
            part, name = key.split("/", maxsplit=1)
            parts[part][name] = tensor
    except TensorFileError as fault:
        raise FittingStateError(f"{fault}: not a training state; {ADVICE}") from None
    except (LookupError, TypeError, ValueError, RecursionError) as fault:
        reason = in_one_line(fault)
        raise FittingStateError(f"{path}: {reason}: not a training state; {ADVICE}") from None
    return FittingState(
        parts["weights"],
        parts["best_weights"],
        parts["moments"],
        header["best_epoch"],
        header["best_score"],
        header["history"],
    )
