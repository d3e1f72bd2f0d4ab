"""TorchScript files, as ``torch.jit.save`` writes them."""

import io
import re
import warnings
import zipfile

import torch
from torch.nn import Module

from policies.errors import PolicyError
from policies.foreign.layout import KNOWN, Layout, layout_of
from policies.foreign.scaling import scaling_of
from policies.foreign.source import Source
from policies.foreign.torch_network import TorchModule, TorchNetwork

_DTYPES = {"float32": True, "uint8": False}


def recognise(source: Source) -> None:
    """Makes sure that it is TorchScript; loads nothing.

    Raises:
        PolicyError: It is not; of pickles, how to export them.
    """
    source.choose("shape", "dtype", "scale")
    try:
        with zipfile.ZipFile(source.path) as archive:
            names = {name.partition("/")[2] for name in archive.namelist()}
    except zipfile.BadZipFile:
        names = set()
    if "constants.pkl" in names:
        return
    what = "a pickle of torch.save" if "data.pkl" in names else "no TorchScript"
    raise PolicyError(
        f"{what}, and no pickle is loaded: export the network by torch.onnx.export, "
        "torch.export.save or torch.jit.save"
    )


def read(source: Source) -> TorchNetwork:
    """Loads a TorchScript network.

    Raises:
        PolicyError: It takes what no world shows, or an option cannot be.
    """
    layout = _layout(source)
    dtype = source.options.get("dtype", "float32")
    if dtype not in _DTYPES:
        raise PolicyError(f"dtype is {dtype!r}, expected {' or '.join(_DTYPES)}")
    scaling = scaling_of(source, floats=_DTYPES[dtype])
    return TorchNetwork(source.path.read_bytes(), _module, layout, scaling)


def _module(content: bytes) -> TorchModule:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # torch.jit is to go, its files are there
        module: Module = torch.jit.load(  # type: ignore[no-untyped-call]
            io.BytesIO(content), map_location="cpu"
        )
    return module.eval()


def _layout(source: Source) -> Layout:
    """What the network takes: the file does not say."""
    text = source.options.get("shape", "")
    sizes = tuple(map(int, text.split("x"))) if re.fullmatch(r"\d+(x\d+)*", text) else ()
    layout = layout_of(sizes)
    if layout is None:
        said = f"shape is {text!r}" if text else "TorchScript does not say what it takes"
        raise PolicyError(f"{said}: append ?shape=4x84x84 or what else it is, of {KNOWN}")
    return layout
