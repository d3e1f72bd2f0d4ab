"""Loads a policy file that was made elsewhere."""

import importlib
from dataclasses import dataclass

from maps.files.one_line_error import with_kind
from policies.checking import checked
from policies.errors import PolicyError
from policies.foreign.driver import ForeignDriver, Network, try_out
from policies.foreign.source import Source
from policies.protocol import Policy


@dataclass(frozen=True)
class _Kind:
    """A kind of file.

    Attributes:
        name: In messages.
        module: With ``recognise(source)``, which refuses what is none, and ``read(source)``, which
            gives its network.
        runs_code: Whether loading it can run code that it holds.
    """

    name: str
    module: str
    runs_code: bool


_ARCHIVE = _Kind("a stable-baselines3 archive", "policies.foreign.sb3_archive", True)
_ONNX = _Kind("an ONNX file", "policies.foreign.onnx_file", False)
_SCRIPT = _Kind("a TorchScript file", "policies.foreign.torchscript", True)
_PROGRAM = _Kind("a torch.export file", "policies.foreign.exported_program", True)

_KINDS = {".zip": _ARCHIVE, ".onnx": _ONNX, ".pt": _SCRIPT, ".ts": _SCRIPT, ".pt2": _PROGRAM}


def runs_code(source: Source) -> bool:
    """Whether loading the file can run code that it holds."""
    return _kind(source).runs_code


def load(source: Source, trust: bool = False) -> Policy:
    """Loads a policy file; every decision is checked.

    Args:
        source: Which.
        trust: Whether it may run code that it holds.

    Raises:
        PolicyError: It cannot be used, or would need trust; in one line.
    """
    kind = _kind(source)
    if not source.exists:
        raise PolicyError(f"{source.path}: no such file")
    try:
        driver = ForeignDriver(source.path.stem, _network(source, kind, trust))
        try_out(driver)
    except PolicyError as fault:
        raise PolicyError(f"{source.path}: {fault}") from None
    except OSError as fault:
        raise PolicyError(f"{source.path}: {fault.strerror or fault}") from None
    except (Exception, SystemExit) as fault:  # what a damaged file raises has no common base
        raise PolicyError(f"{source.path}: cannot be loaded: {with_kind(fault)}") from None
    return checked(driver)


def _kind(source: Source) -> _Kind:
    return _KINDS[source.path.suffix.lower()]


def _network(source: Source, kind: _Kind, trust: bool) -> Network:
    """What the file holds; nothing of it is run before it is trusted."""
    module = importlib.import_module(kind.module)
    module.recognise(source)
    if kind.runs_code and not trust:
        raise PolicyError(
            f"{kind.name} can run any code while it is loaded: if you trust who made it, "
            "say so by --trust (in Python: trust=True)"
        )
    network: Network = module.read(source)
    return network
