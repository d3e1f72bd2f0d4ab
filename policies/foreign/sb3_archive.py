"""Archives of stable-baselines3: PPO, A2C, SAC, TD3, DDPG and what is built like them.

What decides is the policy in the archive, so the algorithm need not be told, and nothing but that
policy is unpickled: no replay buffer, no schedule.
"""

import json
import warnings
import zipfile
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.policies import ActorCriticPolicy, BasePolicy
from stable_baselines3.common.save_util import load_from_zip_file

from policies.errors import PolicyError
from policies.foreign.layout import KNOWN, Layout, layout_of
from policies.foreign.source import Source
from policies.protocol import ActionSpace, actions_of

_NEEDED = ("policy_class", "observation_space", "action_space", "policy_kwargs", "use_sde")
_NONE = "no archive of stable-baselines3, expected what model.save(FILE) writes"


class ArchiveNetwork:
    """The policy of an archive, with its most likely action.

    Attributes:
        layout: What it takes.

    Args:
        policy: Of stable-baselines3.
        layout: Of its observation space.
        space: What the car is driven with.
        rescale: Whether its limits stand for those of the car.
    """

    batches = True

    def __init__(
        self, policy: BasePolicy, layout: Layout, space: ActionSpace, rescale: bool
    ) -> None:
        self.layout = layout
        self._policy = policy
        self._space = space
        self._rescale = rescale

    def __call__(self, observations: NDArray[np.uint8]) -> dict[str, NDArray[Any]]:
        """The action alone: an archive states no uncertainty."""
        actions, _ = self._policy.predict(observations, deterministic=True)
        if self._rescale:
            own, car = self._policy.action_space, self._space
            assert isinstance(own, spaces.Box)
            share = (actions - own.low) / (own.high - own.low)
            actions = car.low + share * (car.high - car.low)
        return {"action": actions}


def recognise(source: Source) -> None:
    """Makes sure that it is an archive of stable-baselines3, by its list of files alone.

    What is packed in it may unpack to any size, so that is left until it is trusted.

    Raises:
        PolicyError: It is not.
    """
    source.choose("actions")
    try:
        with zipfile.ZipFile(source.path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError):
        names = []
    if not {"data", "policy.pth"} <= set(names):
        raise PolicyError(_NONE)


def read(source: Source) -> ArchiveNetwork:
    """Unpickles the policy of an archive.

    Raises:
        PolicyError: It sees or decides what no world has, or does not fit this version.
    """
    policy = _policy(*_unpickled(source))
    if hasattr(policy, "lstm_actor"):
        raise PolicyError("a recurrent policy, whose memory is not kept here")
    shape, dtype = policy.observation_space.shape, policy.observation_space.dtype
    layout = layout_of(tuple(shape or ()))
    if layout is None or dtype != np.uint8:
        raise PolicyError(f"sees {shape} {dtype}, expected uint8 {KNOWN}")
    space = actions_of(layout.observation)
    rescale = _rescaled(policy.action_space, space, source.options.get("actions"))
    return ArchiveNetwork(policy, layout, space, rescale)


def _described(source: Source) -> dict[str, Any]:
    """The archive's JSON; what is pickled in it stays text."""
    try:
        with zipfile.ZipFile(source.path) as archive:
            return dict(json.loads(archive.read("data")))
    except (zipfile.BadZipFile, ValueError, TypeError):
        raise PolicyError(_NONE) from None


def _unpickled(source: Source) -> tuple[dict[str, Any], dict[str, Any]]:
    """What builds the policy, and its weights."""
    unneeded = dict.fromkeys(_described(source).keys() - set(_NEEDED))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what cannot be unpickled: it is missing below
        data, parameters, _ = load_from_zip_file(source.path, True, unneeded, "cpu")
    for name in _NEEDED:
        if name not in (data or {}):
            raise PolicyError(f"its {name} cannot be unpickled by this version")
    return data or {}, dict(parameters or {})


def _policy(data: dict[str, Any], parameters: dict[str, Any]) -> BasePolicy:
    kind = data["policy_class"]
    if not (isinstance(kind, type) and issubclass(kind, BasePolicy)):
        raise PolicyError(f"its policy is {kind!r}, no policy of stable-baselines3")
    options = {name: value for name, value in data["policy_kwargs"].items() if name != "device"}
    if issubclass(kind, ActorCriticPolicy):
        options["use_sde"] = data["use_sde"]
    with torch.random.fork_rng(devices=[]):  # weights are drawn, and then replaced
        policy = kind(data["observation_space"], data["action_space"], _no_rate, **options)
    policy.load_state_dict(parameters["policy"])
    return policy


def _rescaled(own: spaces.Space[Any], space: ActionSpace, choice: str | None) -> bool:
    """Whether the policy's actions are to be rescaled to the car's limits."""
    names = ", ".join(space.names)
    if not isinstance(own, spaces.Box) or own.shape != space.low.shape:
        raise PolicyError(f"decides {own}, expected a Box of {len(space.names)}: {names}")
    if choice not in (None, "clip", "rescale"):
        raise PolicyError(f"actions is {choice!r}, expected clip or rescale")
    same = np.array_equal(own.low, space.low) and np.array_equal(own.high, space.high)
    if not same and choice is None:
        raise PolicyError(
            f"decides between {own.low} and {own.high}, but {names} go from {space.low} to "
            f"{space.high}: append ?actions=clip or ?actions=rescale, as it was trained"
        )
    return choice == "rescale"


def _no_rate(progress: float) -> float:  # noqa: ARG001 - the signature of a schedule
    """A learning rate for who does not learn."""
    return 0.0
