"""The trained expert as a policy, and as one safetensors file; needs no stable-baselines3."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from drive.observation import ObservationSpec
from maps.files import tensor_file
from maps.files.one_line_error import in_one_line
from maps.files.tensor_file import TensorFileError
from policies.checkpoint import check_finite
from policies.checkpoint_header import NewerFormatError, header_of
from policies.errors import PolicyError
from policies.ppo.network import Actor
from policies.protocol import Decision

FORMAT_VERSION = 1
KEY = "nsac_drive_ppo"


@dataclass(frozen=True)
class ExpertHeader:
    """What a checkpoint of the expert says of itself.

    Attributes:
        repeat: Frames for which it holds an action when driving.
        encoder: ``stack``, or the name of a cloned policy's encoder.
        observation: What it reads.
        command: The command that trained it.
        config: The training configuration, as plain values.
        data: Names, steps and fingerprint of the demonstrations it started from, and the file
            and hash of the policy whose encoder it uses, if any.
        results: Validation of the weights, and ``course``: one entry for each validation.
        format_version: Of this header.
    """

    repeat: int = 1
    encoder: str = "stack"
    observation: ObservationSpec = field(default_factory=ObservationSpec)
    command: str = ""
    config: dict[str, Any] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)
    results: dict[str, Any] = field(default_factory=dict)
    format_version: int = FORMAT_VERSION


class ExpertDriver:
    """Drives the mode of the actor's distribution, and holds it for some frames.

    Args:
        actor: The trained actor.
        name: How tables call it.
        repeat: Frames for which an action is held.
    """

    observation = ObservationSpec("gray84", 4)

    def __init__(self, actor: Actor, name: str = "ppo", repeat: int = 1) -> None:
        self.actor = actor
        self.name = name
        self.repeat = repeat
        self.reset(0)

    def reset(self, n: int, seed: int = 0) -> None:  # noqa: ARG002 - draws no random number
        """Prepares for ``n`` new laps: the next call decides afresh for all of them."""
        self._shape = (n, *self.observation.shape)
        self._frame = 0
        self._held = np.zeros((n, 3), dtype=np.float32)

    def act(self, observations: NDArray[np.uint8] | Sequence[Any]) -> Decision:
        """Decides, or holds what was decided, for all ``n`` cars.

        Args:
            observations: ``(n, 4, 84, 84)`` uint8, as many as ``reset`` was told.

        Raises:
            PolicyError: If they have another shape or type.
        """
        stacks = np.asarray(observations)
        if stacks.shape != self._shape or stacks.dtype != np.uint8:
            raise PolicyError(
                f"{self.name}: expected observations {self._shape} uint8, "
                f"got {stacks.shape} {stacks.dtype}"
            )
        if self._frame % self.repeat == 0:
            self._held = controls(self._modes(stacks))
        self._frame += 1
        return Decision.certain(self._held)

    @torch.inference_mode()
    def _modes(self, stacks: NDArray[np.uint8]) -> NDArray[np.float32]:
        modes: NDArray[np.float32] = self.actor(
            torch.from_numpy(np.ascontiguousarray(stacks))
        ).numpy()
        return modes


def controls(actions: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
    """Steer, gas and brake, ``(..., 3)``, of steer and pedal, ``(..., 2)`` in [-1, 1]."""
    steer, pedal = actions[..., 0], actions[..., 1]
    parts = [steer, np.maximum(pedal, 0.0), np.maximum(-pedal, 0.0)]
    return np.stack(parts, axis=-1).astype(np.float32)


def save(path: Path, actor: Actor, header: ExpertHeader) -> None:
    """Writes the actor aside and renames it, so that the file is always whole."""
    tensor_file.write(path, actor.state_dict(), {KEY: json.dumps(asdict(header))})


def retitle(path: Path, **results: Any) -> None:  # noqa: ANN401 - any JSON value
    """Adds results to the header of a checkpoint, or replaces them."""
    header = read_header(path)
    actor = load(path).actor
    save(path, actor, replace(header, results={**header.results, **results}))


def is_expert(path: Path) -> bool:
    """Whether a file is a checkpoint of a PPO expert; False for anything else, or no file."""
    return KEY in tensor_file.words_of(path)


def read_header(path: Path) -> ExpertHeader:
    """Reads the header.

    Raises:
        PolicyError: If it is damaged, or of a newer version.
    """
    try:
        header = header_of(tensor_file.words_of(path)[KEY], ExpertHeader, FORMAT_VERSION)
        if header.repeat < 1:
            raise ValueError(f"repeat is {header.repeat}, expected 1 or more")
    except KeyError:
        raise PolicyError(f"{path}: no checkpoint of an expert") from None
    except ValueError as fault:
        raise PolicyError(f"{path}: damaged header: {fault}") from None
    except NewerFormatError as fault:
        raise PolicyError(f"{path}: expert {fault}") from None
    return header


def load(path: Path, observation: ObservationSpec | None = None) -> ExpertDriver:
    """Reads an expert that is ready to drive.

    Args:
        path: The checkpoint; see `is_expert`.
        observation: What the caller will show it; None accepts any.

    Raises:
        PolicyError: If the file cannot be used; it names the file and the fault.
    """
    try:
        _, tensors = tensor_file.read(path)
    except TensorFileError as fault:
        raise PolicyError(str(fault)) from None
    header = read_header(path)
    for wanted in (observation, ExpertDriver.observation):
        if wanted is not None and wanted != header.observation:
            raise PolicyError(
                f"{path}: reads {header.observation.to_json()}, but is to be shown "
                f"{wanted.to_json()}"
            )
    try:
        actor = Actor(header.encoder)
    except PolicyError as fault:
        raise PolicyError(f"{path}: {fault}") from None
    check_finite(path, tensors)
    try:
        actor.load_state_dict(tensors)
    except RuntimeError as fault:
        raise PolicyError(f"{path}: {in_one_line(fault)}") from None
    return ExpertDriver(actor.eval(), path.stem, header.repeat)
