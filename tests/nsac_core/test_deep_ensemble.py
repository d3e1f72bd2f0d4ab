"""The batched ensemble against its members built, trained and evaluated one by one."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from nsac_core import methods
from nsac_core.methods import GMLE, DeepEnsemble

LAYER: dict[str, Any] = {"model_dim": 16, "heads": 4, "top_k": 3}


class Convolutions(nn.Module):
    """Single frames to tokens, with batch normalisation and channels last."""

    def __init__(self) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(2, 4, 3, stride=2)
        self.norm = nn.BatchNorm2d(4)
        self.dense = nn.Linear(16, 5)
        self.to(memory_format=torch.channels_last)

    def encode_frames(self, frames: Tensor) -> Tensor:
        maps = torch.relu(self.norm(self.convolution(frames)))
        tokens: Tensor = self.dense(maps.flatten(1))
        return tokens

    def forward(self, stacks: Tensor) -> Tensor:
        return self.encode_frames(stacks.flatten(0, 1)).view(*stacks.shape[:2], -1)


def ensemble(encoder: nn.Module | None = None, members: int = 3) -> DeepEnsemble:
    torch.manual_seed(0)
    built = methods.build(
        "deep_ensemble", encoder or Convolutions(), 5, 2, members=members, **LAYER
    )
    assert isinstance(built, DeepEnsemble)
    return built


def separate(of: DeepEnsemble) -> list[GMLE]:
    """Each member as a method of its own."""
    alone = []
    for member in range(of.members):
        method = GMLE(Convolutions(), 5, 2, **LAYER)
        method.load_state_dict({name: value[member] for name, value in of.state_dict().items()})
        alone.append(method.train(of.training))
    return alone


def batch(rows: int = 12) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(rows, 6, 2, 5, 5, generator=generator)
    return x, torch.randn(rows, 2, generator=generator)


def test_moments_are_those_of_the_members_one_by_one() -> None:
    method, (x, _) = ensemble().eval(), batch()
    prediction = method.predict(x)
    alone = [member.predict(x) for member in separate(method)]
    means = np.stack([part.mean.detach().numpy() for part in alone])
    variances = np.stack([part.aleatoric.detach().numpy() for part in alone])
    expected = (means.mean(0), variances.mean(0), means.var(0))
    found = (prediction.mean, prediction.aleatoric, prediction.epistemic)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours.detach().numpy(), theirs, rtol=1e-4, atol=1e-6)


def test_trains_every_member_as_if_it_were_alone() -> None:
    """Three clipped steps, batch statistics included."""
    method, (x, y) = ensemble(), batch()
    alone = separate(method)
    for trained in (method, *alone):
        optimiser = torch.optim.SGD(trained.parameter_groups(0.5), weight_decay=0.1)
        for _ in range(3):
            optimiser.zero_grad()
            torch.autograd.backward(trained.loss(x, y))
            trained.clip_gradients(0.3)
            optimiser.step()
    together = method.state_dict()
    for number, member in enumerate(alone):
        for name, value in member.state_dict().items():
            torch.testing.assert_close(together[name][number], value, rtol=1e-3, atol=1e-4)


def test_gradients_are_those_of_separate_members() -> None:
    method, (x, y) = ensemble(), batch()
    alone = separate(method)
    torch.autograd.backward(method.loss(x, y))
    gradients = {name: p.grad for name, p in method.named_parameters()}
    for number, member in enumerate(alone):
        torch.autograd.backward(member.loss(x, y))
        for name, parameter in member.named_parameters():
            stacked = gradients[name]
            assert stacked is not None
            torch.testing.assert_close(stacked[number], parameter.grad, rtol=1e-3, atol=1e-5)


def test_members_start_apart_and_the_first_keeps_the_given_encoder() -> None:
    encoder = Convolutions()
    given = encoder.convolution.weight.detach().clone()
    method = ensemble(encoder)
    assert torch.equal(method.encoder.get_parameter("convolution.weight")[0], given)
    for name, parameter in method.named_parameters():
        if parameter.detach().std() > 0 and "norm" not in name:
            first, second, third = parameter.detach()
            assert not torch.equal(first, second), name
            assert not torch.equal(second, third), name
    x, _ = batch()
    assert bool((method.eval().predict(x).epistemic > 0).all())


def test_features_of_all_members_lie_side_by_side() -> None:
    method, (x, _) = ensemble().eval(), batch()
    tokens = method.encode(x)
    assert tokens.shape == (12, 6, 15)
    for number, member in enumerate(separate(method)):
        expected = member.encode(x)
        torch.testing.assert_close(tokens[..., 5 * number : 5 * number + 5], expected)
    frames = method.encode(x[:, 2], "encode_frames")
    torch.testing.assert_close(frames, tokens[:, 2])


def test_an_encoder_without_weights_is_shared() -> None:
    method = ensemble(nn.Identity())
    tokens = torch.randn(4, 6, 5)
    assert torch.equal(method.encode(tokens), tokens)
    assert method.predict(tokens).mean.shape == (4, 2)


def test_a_frozen_encoder_is_kept_by_all_members() -> None:
    encoder = Convolutions().requires_grad_(False)
    method = ensemble(encoder)
    weight = method.encoder.get_parameter("convolution.weight")
    assert torch.equal(weight[0], weight[2])
    assert not weight.requires_grad


def test_convolutions_keep_their_fast_layout() -> None:
    weight = ensemble().encoder.get_parameter("convolution.weight")
    assert weight[1].is_contiguous(memory_format=torch.channels_last)


def test_an_encoder_that_cannot_start_anew_is_refused() -> None:
    class Bare(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.ones(5))

    with pytest.raises(ValueError, match=r"Bare needs a function reset_parameters\(\)"):
        ensemble(Bare())
    with pytest.raises(ValueError, match="members must be at least 1, got 0"):
        ensemble(members=0)


def test_a_tied_weight_stays_tied() -> None:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Linear(5, 5), nn.Linear(5, 5)
            self.second.weight = self.first.weight

        def forward(self, x: Tensor) -> Tensor:
            tokens: Tensor = self.second(self.first(x))
            return tokens

    method = ensemble(Tied())
    assert method.encoder.get_parameter("second.weight") is method.encoder.get_parameter(
        "first.weight"
    )
    tokens = torch.randn(4, 6, 5)
    state = method.state_dict()
    linear = nn.functional.linear
    for member in range(3):
        weight = state["encoder.first.weight"][member]
        inner = linear(tokens, weight, state["encoder.first.bias"][member])
        expected = linear(inner, weight, state["encoder.second.bias"][member])
        torch.testing.assert_close(
            method.encode(tokens)[..., 5 * member : 5 * member + 5], expected
        )
