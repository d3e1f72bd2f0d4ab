"""Files of ``torch.export.save``."""

import io
import logging
import zipfile

import torch
from torch import Tensor
from torch.export import ExportedProgram

from policies.errors import PolicyError
from policies.foreign.layout import KNOWN, layout_of
from policies.foreign.scaling import scaling_of
from policies.foreign.source import Source
from policies.foreign.torch_network import TorchModule, TorchNetwork

_FLOATS = {torch.uint8: False, torch.float32: True}
"""Types of input, and whether they are float32."""


def recognise(source: Source) -> None:
    """Makes sure that it is a zip archive, as such files are; loads nothing.

    Raises:
        PolicyError: It is not.
    """
    source.choose("scale")
    if not zipfile.is_zipfile(source.path):
        raise PolicyError("no file of torch.export.save")


def read(source: Source) -> TorchNetwork:
    """Loads an exported network.

    Raises:
        PolicyError: It takes what no world shows, or an option cannot be.
    """
    content = source.path.read_bytes()
    program = _program(content)
    names = program.graph_signature.user_inputs
    inputs = [node.meta["val"] for node in program.graph.nodes if node.name in names]
    if len(inputs) != 1 or not isinstance(inputs[0], Tensor):
        raise PolicyError(f"takes {len(inputs)} inputs, expected one tensor")
    batch, *sizes = inputs[0].shape
    layout = layout_of(tuple(sizes)) if all(type(size) is int for size in sizes) else None
    if layout is None or inputs[0].dtype not in _FLOATS:
        raise PolicyError(
            f"takes {inputs[0].dtype} of shape {tuple(inputs[0].shape)}, expected a batch of uint8 "
            f"or float32 {KNOWN}"
        )
    if type(batch) is int and batch != 1:
        raise PolicyError(f"takes {batch} observations at once, expected 1 or any number")
    scaling = scaling_of(source, _FLOATS[inputs[0].dtype])
    return TorchNetwork(content, _module, layout, scaling, batches=type(batch) is not int)


def _program(content: bytes) -> ExportedProgram:
    log = logging.getLogger("torch.export")  # it logs a traceback, and then raises the fault too
    was, log.disabled = log.disabled, True
    try:
        return torch.export.load(io.BytesIO(content))
    finally:
        log.disabled = was


def _module(content: bytes) -> TorchModule:
    return _program(content).module()
