"""The state of an interrupted training run: one safetensors file with a JSON header."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor


class FittingStateError(ValueError):
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


_PARTS = ("weights", "best_weights", "moments")


def save_state(state: FittingState, path: Path) -> None:
    """Writes the state aside and renames it, so that the file is always whole."""
    tensors = {
        f"{part}/{name}": value.contiguous()
        for part in _PARTS
        for name, value in getattr(state, part).items()
    }
    header = {name: getattr(state, name) for name in ("best_epoch", "best_score", "history")}
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(path.name + ".part")
    save_file(tensors, aside, metadata={"fitting": json.dumps(header)})
    aside.replace(path)


def load_state(path: Path) -> FittingState:
    """Reads a state.

    Raises:
        FittingStateError: If the file is not a state or is damaged.
    """
    parts: dict[str, dict[str, Tensor]] = {part: {} for part in _PARTS}
    try:
        with safe_open(path, framework="pt") as file:
            header = json.loads(file.metadata()["fitting"])
            for key in file.keys():  # noqa: SIM118 - not a mapping
                part, name = key.split("/", maxsplit=1)
                parts[part][name] = file.get_tensor(key)
    except (SafetensorError, KeyError, TypeError, ValueError, OSError) as fault:
        raise FittingStateError(f"{path}: not a training state: {fault}") from None
    return FittingState(
        parts["weights"],
        parts["best_weights"],
        parts["moments"],
        header["best_epoch"],
        header["best_score"],
        header["history"],
    )
