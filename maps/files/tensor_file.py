"""Tensors by name, and words about them, as one safetensors file. Nothing is pickled or unpickled.

The file tells of any damage to its content: among its words is the SHA-256 of all the others and of
the tensors, which is compared when they are read. Files that have none are read as they are.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from maps.files.one_line_error import OneLineError, in_one_line
from maps.files.present import is_file
from maps.files.whole import write_bytes

_DIGEST = "sha256"


class TensorFileError(OneLineError):
    """A file that cannot be read; the message is one line that begins with its path."""


def write(path: Path, tensors: Mapping[str, Tensor], words: Mapping[str, str]) -> None:
    """Writes a file, whole or not at all.

    Args:
        path: The file; its folder is made if need be.
        tensors: What it holds.
        words: What it says of them.

    Raises:
        OSError: It cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    stored = {name: tensor.detach().contiguous() for name, tensor in tensors.items()}
    # As bytes, for what safetensors raises when it writes a file itself is no OSError.
    write_bytes(path, save(stored, metadata={**words, _DIGEST: digest_of(stored, words)}))


def read(path: Path) -> tuple[dict[str, str], dict[str, Tensor]]:
    """Words and tensors of a file.

    Raises:
        TensorFileError: It is missing, no safetensors file, truncated, or not what was written.
    """
    if not is_file(path):
        raise TensorFileError(f"{path}: no such file")
    try:
        with safe_open(path, framework="pt") as file:
            words = dict(file.metadata() or {})
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError, RuntimeError, TypeError) as fault:
        reason = in_one_line(fault)
        raise TensorFileError(f"{path}: not a whole safetensors file ({reason})") from None
    written = words.pop(_DIGEST, None)
    if written is not None and written != digest_of(tensors, words):
        raise TensorFileError(
            f"{path}: damaged: its content is not what was written (other SHA-256); fetch or make "
            "it anew"
        )
    return words, tensors


def words_of(path: Path) -> dict[str, str]:
    """The words of a file, unchecked; none where it is no safetensors file, or not there."""
    try:
        with safe_open(path, framework="pt") as file:
            return dict(file.metadata() or {})
    except (SafetensorError, OSError, ValueError, RuntimeError, TypeError):
        return {}


def digest_of(tensors: Mapping[str, Tensor], words: Mapping[str, str]) -> str:
    """SHA-256 of all names, types, shapes, values and words, as hexadecimal digits."""
    digest = hashlib.sha256()
    for key, text in sorted(words.items()):
        digest.update(repr((key, text)).encode(errors="surrogatepass"))
    for name, tensor in sorted(tensors.items()):
        digest.update(repr((name, str(tensor.dtype), tuple(tensor.shape))).encode())
        digest.update(tensor.contiguous().reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
