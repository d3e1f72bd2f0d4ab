"""A trained policy as one file: safetensors weights under a JSON header. Nothing is unpickled."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from drive.observation import ObservationSpec
from maps.files import tensor_file
from maps.files.one_line_error import in_one_line
from maps.files.present import is_file
from maps.files.tensor_file import TensorFileError
from nsac_core import methods
from nsac_core.methods.protocol import Method
from policies import encoders
from policies.checkpoint_header import NewerFormatError, header_of
from policies.clone_config import MOST_SAMPLES
from policies.driving_policy import DrivingPolicy
from policies.errors import PolicyError
from policies.protocol import actions_of
from policies.stored_weights import Weights
from policies.udacity import network as _network  # noqa: F401 - it registers its encoder

FORMAT_VERSION = 2
"""Since 2, the preprocessing of the frames is stored."""
LARGEST_OPTION = 1024
"""Of the whole numbers among a method's options, but for its seed: a greater one is no network."""
_KEY = "nsac_drive"


@dataclass(frozen=True)
class Header:
    """What a checkpoint says of itself.

    Attributes:
        method: Name of the uncertainty method.
        method_options: Its options.
        encoder: Name of the encoder.
        observation: What the policy reads.
        preprocessing: What the encoder makes of a frame before its first layer, where that is more
            than scaling.
        n_samples: Monte Carlo passes per decision when driving.
        command: The command that trained it.
        config: The training configuration, as plain values.
        data: Names, episodes, steps and fingerprint of the data.
        results: Validation scores and course of the training.
        format_version: Of this header.
    """

    method: str
    method_options: dict[str, Any] = field(default_factory=dict)
    encoder: str = "conv"
    observation: ObservationSpec = field(default_factory=ObservationSpec)
    preprocessing: dict[str, Any] = field(default_factory=dict)
    n_samples: int = 5
    command: str = ""
    config: dict[str, Any] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)
    results: dict[str, Any] = field(default_factory=dict)
    format_version: int = FORMAT_VERSION


def build_method(header: Header) -> Method:
    """An untrained method as a header describes it.

    Raises:
        PolicyError: If this version knows no such method, encoder or option.
    """
    encoder = encoders.build(header.encoder)
    _check_sizes(header)
    try:
        return methods.build(
            header.method,
            encoder,
            token_dim=encoder.token_dim,
            output_dim=len(actions_of(encoder.observation).names),
            **header.method_options,
        )
    except (TypeError, ValueError) as fault:
        raise PolicyError(f"method {header.method!r}: {in_one_line(fault)}") from None


def _check_sizes(header: Header) -> None:
    sizes = {name: size for name, size in header.method_options.items() if name != "wiring_seed"}
    for name, size in sizes.items():
        if isinstance(size, int) and abs(size) > LARGEST_OPTION:
            raise PolicyError(
                f"method {header.method!r}: {name} is {size}, at most {LARGEST_OPTION} is allowed"
            )


def save(path: Path, method: Method, header: Header, weights: Weights = "float32") -> None:
    """Writes a checkpoint aside and renames it, so that the file is always whole.

    Args:
        path: The file.
        method: Whose weights it holds.
        header: What it says of them.
        weights: Type they are stored in; ``float16`` halves the file and rounds them to 11 bits.

    Raises:
        PolicyError: If a weight is no finite number, or beyond the range of ``float16``.
    """
    values = {name: value.detach() for name, value in method.state_dict().items()}
    check_finite(path, values)
    tensors = {name: _stored(name, value, weights) for name, value in values.items()}
    tensor_file.write(path, tensors, {_KEY: json.dumps(asdict(header))})


def read(path: Path) -> tuple[Header, dict[str, Tensor]]:
    """Reads the header and the weights, which are float32 however they are stored.

    Raises:
        PolicyError: If the file is missing, damaged, no checkpoint, or of a newer version.
    """
    if not is_file(path):
        raise PolicyError(f"{path}: no such checkpoint")
    try:
        words, tensors = tensor_file.read(path)
    except TensorFileError as fault:
        raise PolicyError(str(fault)) from None
    return _parsed(path, words), {name: _loaded(tensor) for name, tensor in tensors.items()}


def load_method(path: Path) -> tuple[Method, Header]:
    """Reads the trained method and its header.

    Raises:
        PolicyError: As ``read``, or if the weights do not fit what the header describes.
    """
    header, tensors = read(path)
    try:
        method = build_method(header)
    except PolicyError as fault:
        raise PolicyError(f"{path}: {fault}") from None
    encoder = encoders.ENCODERS[header.encoder]
    if header.observation != encoder.observation:
        raise PolicyError(
            f"{path}: the header's observation {header.observation.to_json()} is not that of its "
            f"encoder {header.encoder!r}"
        )
    if header.preprocessing != encoder.preprocessing:
        raise PolicyError(
            f"{path}: trained on frames preprocessed as {header.preprocessing}, but this version's "
            f"encoder {header.encoder!r} has {encoder.preprocessing}: train it anew"
        )
    fill(path, method, tensors)
    return method.eval(), header


def load(path: Path, observation: ObservationSpec | None = None) -> DrivingPolicy:
    """Reads a policy that is ready to drive.

    Args:
        path: The checkpoint.
        observation: What the caller will show it; None accepts any.

    Raises:
        PolicyError: If the file cannot be used; it names the file and the fault.
    """
    method, header = load_method(path)
    if observation is not None and observation != header.observation:
        raise PolicyError(
            f"{path}: reads {header.observation.to_json()}, but is to be shown "
            f"{observation.to_json()}"
        )
    return DrivingPolicy(method, path.stem, header.n_samples)


def _stored(name: str, tensor: Tensor, weights: Weights) -> Tensor:
    if weights == "float32" or tensor.dtype != torch.float32:
        return tensor.contiguous()
    half = tensor.half().contiguous()
    if not torch.equal(half.isfinite(), tensor.isfinite()):
        raise PolicyError(f"tensor {name!r} exceeds the range of float16: store it as float32")
    return half


def _loaded(tensor: Tensor) -> Tensor:
    return tensor.float() if tensor.dtype == torch.float16 else tensor


def _parsed(path: Path, words: dict[str, str]) -> Header:
    if _KEY not in words:
        raise PolicyError(f"{path}: a safetensors file, but no checkpoint of nsac-drive")
    try:
        header = header_of(words[_KEY], Header, FORMAT_VERSION)
        if not 1 <= header.n_samples <= MOST_SAMPLES:
            raise ValueError(f"n_samples is {header.n_samples}, expected 1 to {MOST_SAMPLES}")
    except ValueError as fault:
        raise PolicyError(f"{path}: damaged header: {fault}") from None
    except NewerFormatError as fault:
        raise PolicyError(f"{path}: checkpoint {fault}") from None
    return header


def fill(path: Path, method: Method, tensors: dict[str, Tensor]) -> None:
    """Puts the weights of a checkpoint into a method.

    Raises:
        PolicyError: If their names or shapes are not the method's; it names the file.
    """
    expected = method.state_dict()
    missing, surplus = sorted(expected.keys() - tensors), sorted(tensors.keys() - expected)
    if missing or surplus:
        what, names = ("lacks", missing) if missing else ("has unknown", surplus)
        raise PolicyError(f"{path}: {what} {len(names)} tensors, the first is {names[0]!r}")
    for name, tensor in tensors.items():
        if tensor.shape != expected[name].shape:
            raise PolicyError(
                f"{path}: tensor {name!r} is {tuple(tensor.shape)}, "
                f"expected {tuple(expected[name].shape)}"
            )
    check_finite(path, tensors)
    try:
        method.load_state_dict(tensors)
    except RuntimeError as fault:  # of another wiring
        raise PolicyError(f"{path}: {str(fault).splitlines()[-1].strip()}") from None


def check_finite(path: Path, tensors: dict[str, Tensor]) -> None:
    """Refuses weights that are no numbers.

    Raises:
        PolicyError: It names the file and the tensor.
    """
    for name, tensor in tensors.items():
        if not tensor.isfinite().all():
            raise PolicyError(
                f"{path}: tensor {name!r} holds values that are no finite numbers; train it anew"
            )
