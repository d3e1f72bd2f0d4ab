"""The expert's networks: what is driven is the mode, what is explored is the spread asked for."""

import numpy as np
import pytest
import scipy.stats
import torch
from gymnasium import spaces

from policies import PolicyError
from policies.encoders import StridedEncoder
from policies.ppo.network import Actor, FixedEncoder, log_density
from policies.ppo.sb3_policy import BetaPolicy

STACKS = torch.randint(0, 256, (3, 4, 84, 84), generator=torch.Generator().manual_seed(0)).byte()


@pytest.fixture
def actor() -> Actor:
    torch.manual_seed(0)
    actor = Actor()
    torch.nn.init.normal_(actor.mode.weight, std=0.5)
    torch.nn.init.normal_(actor.log_concentration.weight, std=0.1)
    return actor


@torch.no_grad()
def test_the_density_is_that_of_scipy_and_highest_at_the_mode(actor: Actor) -> None:
    beta = actor.distribution(STACKS)
    grid = torch.linspace(-0.999, 0.999, 1999)
    for action in (0, 1):
        actions = torch.zeros(1999, 3, 2)
        actions[:, :, action] = grid[:, None]
        density = log_density(beta, actions)
        peak = grid[density.argmax(dim=0)]
        assert torch.allclose(peak, actor(STACKS)[:, action], atol=2e-3)
    alpha, b = beta.concentration1.numpy(), beta.concentration0.numpy()
    drawn = np.array([[0.3, -0.8], [-0.1, 0.9], [0.0, 0.5]], dtype=np.float32)
    expected = scipy.stats.beta(alpha, b).logpdf((drawn + 1) / 2).sum(axis=1)
    assert np.allclose(log_density(beta, torch.from_numpy(drawn)), expected, rtol=1e-3)


@torch.no_grad()
def test_the_spread_about_a_mode_of_zero_is_the_one_asked_for(actor: Actor) -> None:
    torch.nn.init.zeros_(actor.mode.weight)
    torch.nn.init.zeros_(actor.mode.bias)
    actor.explore(steer_spread=0.08, pedal_spread=0.2)
    torch.manual_seed(1)
    drawn = 2 * actor.distribution(STACKS).sample(torch.Size([20_000])) - 1
    assert drawn.std(dim=0) == pytest.approx(np.tile([0.08, 0.2], (3, 1)), rel=0.03)


def test_bfloat16_changes_no_mode_by_more_than_a_hundredth(actor: Actor) -> None:
    exact = actor(STACKS)
    actor.encoder.half_precision = True
    assert (actor(STACKS) - exact).abs().max() < 0.01


def test_actor_and_critic_share_no_weight() -> None:
    policy = BetaPolicy(
        spaces.Box(0, 255, (4, 84, 84), np.uint8), spaces.Box(-1, 1, (2,)), lambda _: 1e-3
    )
    policy.critic(STACKS).sum().backward()
    assert all(weight.grad is None for weight in policy.actor.parameters())
    assert policy.critic.encoder is not None
    assert policy.critic.encoder.conv1.weight.grad is not None


def test_samples_lie_off_the_ends_and_have_finite_densities(actor: Actor) -> None:
    actor.mode.bias.data.fill_(50.0)
    policy = BetaPolicy(
        spaces.Box(0, 255, (4, 84, 84), np.uint8), spaces.Box(-1, 1, (2,)), lambda _: 1e-3
    )
    policy.actor = actor
    actions, _, density = policy.forward(STACKS)
    assert actions.abs().max() < 1
    assert density.isfinite().all()
    assert (policy.forward(STACKS, deterministic=True)[0] > 0.99).all()


def test_a_fixed_encoder_gives_the_tokens_of_the_frames_and_never_learns() -> None:
    torch.manual_seed(0)
    actor = Actor("strided").train()
    assert isinstance(actor.encoder, FixedEncoder)
    features = actor.encoder(STACKS)
    single = [actor.encoder.tokens(STACKS[:, i]) for i in range(4)]
    assert torch.allclose(features, torch.cat(single, dim=1), atol=1e-5)
    assert torch.equal(actor(features), actor(STACKS))
    actor(STACKS).sum().backward()
    assert all(weight.grad is None for weight in actor.encoder.parameters())
    assert actor.hidden.weight.grad is not None
    assert not actor.encoder.training


def test_an_encoder_of_other_tokens_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StridedEncoder, "token_dim", 32)
    with pytest.raises(PolicyError, match="encoder 'strided' gives 128 features, expected 256"):
        FixedEncoder("strided")
