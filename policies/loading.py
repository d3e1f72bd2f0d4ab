"""Finds a policy by name, file or factory."""

import importlib
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from drive.observation import ObservationSpec
from maps.files.one_line_error import did_you_mean
from maps.files.present import is_file
from policies import checkpoint, selective
from policies.checking import checked, failures
from policies.errors import PolicyError
from policies.foreign import loading as foreign
from policies.foreign import source as files
from policies.ppo import driver as expert
from policies.protocol import Policy

_PRETRAINED = Path(__file__).parent / "pretrained"

BUNDLED = {
    "nsac": _PRETRAINED / "nsac_carracing.safetensors",
    "nsac-robust": _PRETRAINED / "nsac_carracing_robust.safetensors",
    "ppo": _PRETRAINED / "ppo_carracing.safetensors",
    "nsac-udacity": _PRETRAINED / "nsac_udacity.safetensors",
}
"""Checkpoints that come with the package, by name."""

DRIVERS = {"privileged": "policies.privileged:PrivilegedDriver"}
"""Drivers that are not learned, by name: where they are made."""


def load(
    name: str | Path, observation: ObservationSpec | None = None, trust: bool = False
) -> Policy:
    """Loads a policy.

    Args:
        name: ``"nsac"``, ``"nsac-robust"``, ``"ppo"`` or ``"nsac-udacity"`` (bundled; the last one
            for the Udacity simulator), ``"privileged"``, the path of a checkpoint, or
            ``"package.module:factory"``, where the factory takes no argument and returns a policy;
            a stable-baselines3 archive (``.zip``), ONNX (``.onnx``), ``torch.export`` (``.pt2``) or
            TorchScript (``.pt``, ``.ts``) file, with its options as in ``model.onnx?scale=255``; or
            any of these under a supervisor, as ``policies.selective.parse`` reads it.
        observation: What the policy will be shown, where that is fixed; None accepts any.
        trust: Load policy files that can run code of their own: stable-baselines3 archives,
            ``torch.export`` and TorchScript. Only for files of somebody you trust.

    Raises:
        PolicyError: If there is no such policy or it cannot be used, in one line.
    """
    text = str(name)
    if text in DRIVERS:
        policy = _from_factory(DRIVERS[text])
    elif text.startswith(selective.PREFIX):
        policy = _supervised(text, trust)
    elif (source := files.parse(text)) is not None:
        policy = foreign.load(source, trust)
    elif _is_checkpoint(text):
        policy = _from_file(BUNDLED.get(text, Path(text)), observation)
    elif ":" in text:
        policy = _from_factory(text)
    else:
        names = (*DRIVERS, *BUNDLED)
        raise PolicyError(
            f"no policy {text!r}: {did_you_mean(text, names)}expected {', '.join(names)}, a policy "
            "file or package.module:factory"
        )
    if observation is not None and policy.observation != observation:
        raise PolicyError(
            f"{text}: reads {policy.observation.to_json()}, but is to be shown "
            f"{observation.to_json()}"
        )
    return policy


def runs_code(name: str | Path) -> bool:
    """Whether loading a policy can run code that is not of this package: a factory's, or a file's.

    Args:
        name: What ``load`` takes.

    Raises:
        PolicyError: It cannot be read.
    """
    text = str(name)
    if text in DRIVERS:
        return False
    if text.startswith(selective.PREFIX):
        return runs_code(selective.parse(text)[0])
    source = files.parse(text)
    if source is not None:
        return foreign.runs_code(source)
    return ":" in text and not _is_checkpoint(text)


def check_named_in(file: Path, names: Iterable[str], trust: bool = False) -> None:
    """Refuses policies that a file names and nobody typed, where they run code without trust.

    Raises:
        PolicyError: One does; names the file.
    """
    for name in () if trust else names:
        if runs_code(name):
            raise PolicyError(
                f"{file}: names the policy {name}, which can run any code while it is loaded: if "
                "you trust who made it, say so by --trust (in Python: trust=True)"
            )


def _is_checkpoint(text: str) -> bool:
    return text in BUNDLED or text.endswith(".safetensors") or is_file(Path(text))


def _from_file(path: Path, observation: ObservationSpec | None) -> Policy:
    """The expert or the cloned policy that a checkpoint holds."""
    if expert.is_expert(path):
        return expert.load(path, observation)
    return checkpoint.load(path, observation)


def _supervised(text: str, trust: bool) -> Policy:
    driver, handover = selective.parse(text)
    return selective.SelectiveDriver(load(driver, trust=trust), load("privileged"), handover)


def _from_factory(text: str) -> Policy:
    module_name, _, attribute = text.partition(":")
    with _working_folder_importable():
        with failures(f"{text}: cannot be imported"):
            factory: Callable[[], object] = getattr(importlib.import_module(module_name), attribute)
        with failures(f"{text}: the factory failed"):
            policy = factory()
    try:
        return checked(policy)  # type: ignore[arg-type]
    except PolicyError as fault:
        raise PolicyError(f"{text}: {fault}") from None


@contextmanager
def _working_folder_importable() -> Iterator[None]:
    """Lets an installed command import a module that lies where the user is."""
    folder = str(Path.cwd())
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
