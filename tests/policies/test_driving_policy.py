"""The learned driver: cached tokens against whole stacks, determinism, modes."""

from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from drive.carracing.observations import FrameStack
from nsac_core import methods
from policies import PolicyError, checkpoint
from policies.checkpoint import Header
from policies.driving_policy import DrivingPolicy
from policies.protocol import ACTION_HIGH, ACTION_LOW, Policy

CARS = 3


@pytest.fixture
def policy() -> DrivingPolicy:
    torch.manual_seed(0)
    return DrivingPolicy(checkpoint.build_method(Header("nsac")), "learner")


@pytest.fixture(params=["conv", "strided"])
def ensemble(request: pytest.FixtureRequest) -> DrivingPolicy:
    torch.manual_seed(0)
    header = Header("deep_ensemble", {"members": 2}, encoder=request.param)
    return DrivingPolicy(checkpoint.build_method(header), "learners")


def laps_frames(steps: int) -> NDArray[np.uint8]:
    return np.random.default_rng(3).integers(0, 256, (steps, CARS, 84, 84), dtype=np.uint8)


def whole_stack_tokens(policy: DrivingPolicy, stacks: NDArray[np.uint8]) -> torch.Tensor:
    with torch.inference_mode():
        return policy.method.encode(torch.from_numpy(stacks))


def test_follows_the_protocol(policy: DrivingPolicy) -> None:
    assert isinstance(policy, Policy)


def test_cached_tokens_are_those_of_the_whole_stack(policy: DrivingPolicy) -> None:
    policy.reset(CARS)
    stack = FrameStack(CARS)
    for frames in laps_frames(7):
        stacks = stack.push(frames)
        policy.act(stacks)
        torch.testing.assert_close(policy._tokens, whole_stack_tokens(policy, stacks))


def test_cached_tokens_hold_every_members(ensemble: DrivingPolicy) -> None:
    test_cached_tokens_are_those_of_the_whole_stack(ensemble)


def test_an_ensemble_drives_with_the_mean_of_its_members(ensemble: DrivingPolicy) -> None:
    """Members taken out of it and driven alone."""
    tensors, encoder = ensemble.method.state_dict(), type(ensemble.encoder)
    stacks = laps_frames(4).swapaxes(0, 1).copy()
    ensemble.reset(CARS)
    together = ensemble.act(stacks)
    means = []
    for member in range(2):
        method = methods.build("gmle", encoder(), encoder.token_dim, 3)
        method.load_state_dict({name: value[member] for name, value in tensors.items()})
        alone = DrivingPolicy(method, "alone")
        alone.reset(CARS)
        means.append(alone.act(stacks).mean)
    np.testing.assert_allclose(together.mean, np.mean(means, axis=0), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(together.epistemic, np.std(means, axis=0), rtol=1e-3, atol=1e-5)


def test_a_step_encodes_only_the_newest_frames(policy: DrivingPolicy) -> None:
    counts: list[int] = []
    policy.encoder.get_submodule("conv1").register_forward_hook(
        lambda _module, _inputs, output: counts.append(len(output))
    )
    policy.reset(CARS)
    stack = FrameStack(CARS)
    for frames in laps_frames(4):
        policy.act(stack.push(frames))
    assert counts == [CARS, 3 * CARS, CARS, CARS, CARS]


def test_a_stack_that_does_not_continue_is_encoded_anew(policy: DrivingPolicy) -> None:
    policy.reset(CARS)
    stack = FrameStack(CARS)
    frames = laps_frames(6)
    for step in frames[:4]:
        frozen = stack.push(step).copy()
        policy.act(frozen)
    stack.reset([0])
    stacks = stack.push(frames[4]).copy()
    stacks[2] = frozen[2]
    policy.act(stacks)
    torch.testing.assert_close(policy._tokens, whole_stack_tokens(policy, stacks))


def test_the_seed_decides_the_noise(policy: DrivingPolicy) -> None:
    stacks = laps_frames(4).swapaxes(0, 1).copy()
    means = []
    for seed in (5, 5, 6):
        policy.reset(CARS, seed)
        means.append([policy.act(stacks).mean, policy.act(stacks).mean])
    assert np.array_equal(means[0], means[1])
    assert not np.array_equal(means[0], means[2])
    assert not np.array_equal(means[0][0], means[0][1])


def test_uncertainties_are_standard_deviations(policy: DrivingPolicy) -> None:
    stacks = laps_frames(4).swapaxes(0, 1).copy()
    policy.n_samples = 50
    policy.reset(CARS, 1)
    decision = policy.act(stacks)
    with torch.inference_mode():
        mean, log_std = policy.method.layer(  # type: ignore[operator]
            whole_stack_tokens(policy, stacks),
            n_samples=50,
            generator=torch.Generator().manual_seed(1),
        )
    np.testing.assert_allclose(decision.epistemic, mean.std(0, correction=0), rtol=1e-4)
    np.testing.assert_allclose(
        decision.aleatoric, log_std.exp().square().mean(0).add(1e-6).sqrt(), rtol=1e-4
    )
    assert (decision.epistemic > 0).all()


def test_actions_are_clipped_and_means_are_not(policy: DrivingPolicy) -> None:
    with torch.no_grad():
        policy.method.layer.mean_head.bias += torch.tensor([9.0, -9.0, 9.0])  # type: ignore[union-attr, operator]
    policy.reset(CARS)
    decision = policy.act(laps_frames(4).swapaxes(0, 1).copy())
    assert np.array_equal(decision.action, np.tile([1.0, 0.0, 1.0], (CARS, 1)))
    assert (decision.mean[:, 0] > 1).all()
    assert (decision.mean[:, 1] < 0).all()
    assert ((decision.action >= ACTION_LOW) & (decision.action <= ACTION_HIGH)).all()


def test_drives_in_evaluation_mode_whatever_happened_before(policy: DrivingPolicy) -> None:
    stacks = laps_frames(4).swapaxes(0, 1).copy()
    policy.reset(CARS)
    expected = policy.act(stacks).mean
    policy.reset(CARS)
    policy.method.train()
    weights = {name: value.clone() for name, value in policy.method.state_dict().items()}
    assert np.array_equal(policy.act(stacks).mean, expected)
    after = policy.method.state_dict()
    assert all(torch.equal(value, after[name]) for name, value in weights.items())


def test_a_lap_does_not_depend_on_the_cars_beside_it(policy: DrivingPolicy) -> None:
    stacks = laps_frames(4).swapaxes(0, 1).copy()
    policy.reset(CARS)
    together = policy.act(stacks)
    tokens = policy._tokens
    policy.reset(1)
    policy.act(stacks[1:2])
    assert tokens is not None
    assert policy._tokens is not None
    torch.testing.assert_close(policy._tokens[0], tokens[1])
    assert together.action.dtype == np.float32


def test_a_wrong_observation_is_named(policy: DrivingPolicy, tmp_path: Path) -> None:
    policy.reset(2)
    with pytest.raises(PolicyError, match=r"expected observations \(2, 4, 84, 84\) uint8"):
        policy.act(np.zeros((3, 4, 84, 84), np.uint8))
    with pytest.raises(PolicyError, match="float32"):
        policy.act(np.zeros((2, 4, 84, 84), np.float32))
