"""TorchScript and torch.export files, around a network that is known in closed form."""

import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import policies
from drive.observation import ObservationSpec
from policies import PolicyError

SHAPE = "?shape=4x84x84"


def means(stacks: Tensor) -> Tensor:
    """Of the last three of four gray frames, from 0 to 1."""
    return stacks.float().mean((2, 3))[:, 1:] / 255


class Means(nn.Module):
    def forward(self, stacks: Tensor) -> Tensor:
        return means(stacks)


class Doubtful(nn.Module):
    def forward(self, stacks: Tensor) -> dict[str, Tensor]:
        mean = means(stacks)
        return {"mean": 3 * mean, "epistemic": mean / 10, "aleatoric": mean / 5}


class Pair(nn.Module):
    def forward(self, stacks: Tensor) -> tuple[Tensor, Tensor]:
        return means(stacks), means(stacks)


class Pinned(nn.Module):
    """Made for two cars."""

    def forward(self, stacks: Tensor) -> Tensor:
        return means(stacks).reshape(2, 3)


class Squeezed(nn.Module):
    """Forgets about the batch of one car."""

    def forward(self, stacks: Tensor) -> Tensor:
        return means(stacks).squeeze()


class Brittle(nn.Module):
    """Fails once it sees something."""

    def forward(self, stacks: Tensor) -> Tensor:
        found = means(stacks)
        return found[:, torch.arange(3) + (stacks.max() > 0).long()]


def scripted(path: Path, network: nn.Module, example: Tensor) -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        traced = torch.jit.trace(network, example, strict=False)  # type: ignore[no-untyped-call]
        torch.jit.save(traced, path)
    return path


def exported(path: Path, network: nn.Module, example: Tensor, any_batch: bool = True) -> Path:
    free = ({0: torch.export.Dim("batch")},) if any_batch else None
    torch.export.save(torch.export.export(network, (example,), dynamic_shapes=free), path)
    return path


def example(*shape: int, dtype: torch.dtype = torch.uint8) -> Tensor:
    return torch.zeros(*(shape or (2, 4, 84, 84)), dtype=dtype)


SEEN = np.random.default_rng(0).integers(0, 256, (3, 4, 84, 84), dtype=np.uint8)
EXPECTED = SEEN[:, 1:].mean((2, 3)) / 255


@pytest.mark.parametrize("ending", ["pt", "ts", "pt2"])
def test_it_drives_as_the_network_does_and_always_alike(ending: str, tmp_path: Path) -> None:
    path, save = tmp_path / f"means.{ending}", exported if ending == "pt2" else scripted
    save(path, Means(), example())
    name = f"{path}{SHAPE}&dtype=uint8" if ending != "pt2" else str(path)
    policy = policies.load(name, trust=True)
    assert (policy.name, policy.observation) == ("means", ObservationSpec("gray84", 4))
    actions = [policy.act(SEEN).action for _ in range(4)]
    np.testing.assert_allclose(actions[0], EXPECTED, rtol=1e-5)
    sent = pickle.loads(pickle.dumps(policy))
    for other in (*actions[1:], sent.act(SEEN).action):
        np.testing.assert_array_equal(other, actions[0])


def test_floats_go_to_255_unless_they_are_scaled(tmp_path: Path) -> None:
    floats = example(dtype=torch.float32)
    script = scripted(tmp_path / "m.pt", Means(), floats)
    program = exported(tmp_path / "m.pt2", Means(), floats)
    for name, divisor in (
        (f"{script}{SHAPE}", 1),
        (f"{script}{SHAPE}&scale=4", 4),
        (str(program), 1),
        (f"{program}?scale=4", 4),
    ):
        action = policies.load(name, trust=True).act(SEEN).action
        np.testing.assert_allclose(action, EXPECTED / divisor, rtol=1e-5)


@pytest.mark.parametrize("ending", ["pt", "pt2"])
def test_outputs_go_by_their_names(ending: str, tmp_path: Path) -> None:
    path, save = tmp_path / f"m.{ending}", exported if ending == "pt2" else scripted
    save(path, Doubtful(), example())
    name = str(path) if ending == "pt2" else f"{path}{SHAPE}&dtype=uint8"
    decision = policies.load(name, trust=True).act(SEEN)
    np.testing.assert_allclose(decision.mean, 3 * EXPECTED, rtol=1e-5)
    np.testing.assert_array_equal(decision.action, np.clip(decision.mean, 0, 1))
    np.testing.assert_allclose(decision.epistemic, EXPECTED / 10, rtol=1e-5)
    np.testing.assert_allclose(decision.aleatoric, EXPECTED / 5, rtol=1e-5)


def test_an_exported_batch_of_one_does_car_by_car(tmp_path: Path) -> None:
    path = exported(tmp_path / "m.pt2", Means(), example(1, 4, 84, 84), any_batch=False)
    action = policies.load(path, trust=True).act(SEEN).action
    np.testing.assert_allclose(action, EXPECTED, rtol=1e-5)


def test_without_trust_nothing_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = scripted(tmp_path / "m.pt", Means(), example())
    program = exported(tmp_path / "m.pt2", Means(), example())
    monkeypatch.setattr(torch.jit, "load", None)
    monkeypatch.setattr(torch.export, "load", None)
    for name in (f"{script}{SHAPE}", str(program)):
        with pytest.raises(PolicyError, match=r"run any code while it is loaded: .* --trust"):
            policies.load(name)


class Bomb:
    """Writes a file when it is unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Path.write_text, (self.file, "boom")


@pytest.mark.parametrize("trust", [False, True])
@pytest.mark.parametrize("zipped", [False, True])
def test_a_pickle_is_never_loaded(trust: bool, zipped: bool, tmp_path: Path) -> None:
    path, planted = tmp_path / "m.pt", tmp_path / "planted"
    torch.save({"a": Bomb(planted)}, path, _use_new_zipfile_serialization=zipped)
    with pytest.raises(PolicyError, match=r"no pickle is loaded: export the network by torch.onn"):
        policies.load(f"{path}{SHAPE}", trust=trust)
    assert not planted.exists()


@pytest.mark.parametrize(
    ("network", "options", "words"),
    [
        (Means, "", r"TorchScript does not say what it takes: append \?shape=4x84x84"),
        (Means, "?shape=3x64x64", "shape is '3x64x64': append"),
        (Means, "?shape=four", "shape is 'four'"),
        (Means, SHAPE + "&dtype=int8", "dtype is 'int8', expected float32 or uint8"),
        (Means, SHAPE + "&batch=3", "no option 'batch', expected shape, dtype, scale"),
        (Means, SHAPE + "&dtype=uint8&dtype=float32", "dtype is there twice"),
        (Means, "?shape=96x96x3", "cannot decide on 3 observations at once|has shape"),
        (Pinned, SHAPE, "action has shape|cannot decide on 3 observations at once"),
        (Squeezed, SHAPE + "&dtype=uint8", r"action has shape \(3,\), expected a \(1, 3\)"),
        (Pair, SHAPE + "&dtype=uint8", "gives tuple, expected a tensor, or tensors by the names"),
    ],
)
def test_what_cannot_be_driven_is_one_line(
    network: type[nn.Module], options: str, words: str, tmp_path: Path
) -> None:
    path = scripted(tmp_path / "m.pt", network(), example())
    with pytest.raises(PolicyError, match=rf"m\.pt: .*({words})") as caught:
        policies.load(f"{path}{options}", trust=True)
    assert "\n" not in str(caught.value)


def test_what_is_not_exported_right_is_one_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "m.pt2"
    path.write_bytes(b"no zip")
    with pytest.raises(PolicyError, match=r"m\.pt2: no file of torch\.export\.save"):
        policies.load(path, trust=True)
    exported(path, Means(), example(4, 4, 84, 84), any_batch=False)
    with pytest.raises(PolicyError, match="takes 4 observations at once, expected 1 or any"):
        policies.load(path, trust=True)
    exported(path, Means(), example(2, 4, 64, 64))
    with pytest.raises(PolicyError, match=r"takes torch\.uint8 of shape \(s\d+, 4, 64, 64\)"):
        policies.load(path, trust=True)
    scripted(path, Means(), example())
    with pytest.raises(PolicyError, match=r"m\.pt2: cannot be loaded") as caught:
        policies.load(path, trust=True)
    assert "\n" not in str(caught.value)
    assert "Traceback" not in caplog.text  # which torch would log


def test_a_network_that_fails_on_the_way_is_one_line(tmp_path: Path) -> None:
    """Black pictures are no trouble to it."""
    path = scripted(tmp_path / "m.pt", Brittle(), example())
    policy = policies.load(f"{path}{SHAPE}&dtype=uint8", trust=True)
    with pytest.raises(PolicyError, match="m: cannot decide on 2 observations at once: ") as caught:
        policy.act(np.full((2, 4, 84, 84), 9, np.uint8))
    assert "\n" not in str(caught.value)
