"""What happens between the rollouts of PPO: validation, selection, saves, the frozen actor."""

import json
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback

from policies.ppo import driver
from policies.ppo.config import PPOConfig
from policies.ppo.display import Display
from policies.ppo.driver import ExpertDriver, ExpertHeader
from policies.ppo.network import Actor
from policies.ppo.sb3_policy import BetaPolicy
from policies.ppo.schedule import critic_warmup
from policies.ppo.state import Progress, save_state
from policies.ppo.validation import ValidationTracks

Report = Callable[[str], None]
BEST = "best.safetensors"
"""The best weights so far, a whole checkpoint, in the folder of the unfinished run."""


class ExpertCallback(BaseCallback):
    """Freezes the actor at first, validates, keeps the best weights, and saves the state.

    Args:
        config: Of the training.
        folder: For the state and the best weights so far.
        progress: Kept up to date.
        report: Told a line at each validation.
        display: Told what happens in between.
    """

    def __init__(
        self,
        config: PPOConfig,
        folder: Path,
        progress: Progress,
        report: Report,
        display: Display,
    ) -> None:
        super().__init__()
        self.config = config
        self.progress = progress
        self._folder = folder
        self._report = report
        self._display = display
        self._tracks = ValidationTracks(range(*config.validation_seeds))
        self._began = time.monotonic() - progress.seconds
        self._saved = time.monotonic()
        self._laps: list[dict[str, Any]] = []

    def _on_step(self) -> bool:
        self._laps += [info["episode"] for info in self.locals["infos"] if "episode" in info]
        self._display.decided(self.num_timesteps)
        return True

    def _on_rollout_start(self) -> None:
        """Between rollouts: validates and saves when it is time, and thaws the actor."""
        self._note_progress()
        last = self.progress.course[-1]["steps"] if self.progress.course else None
        if last is None or self.num_timesteps - last >= self.config.validate_every:
            self._validate()
            self._save()
        elif time.monotonic() - self._saved > 60.0 * self.config.save_minutes:
            self._save()
        self._policy.thaw(self.num_timesteps >= critic_warmup(self.config))
        self._display.stage("training")

    def _on_rollout_end(self) -> None:
        self._display.stage("updating")

    def finish(self) -> None:
        """Validates the last weights, and tells the best ones the whole course."""
        self._note_progress()
        if self.progress.course[-1]["steps"] < self.num_timesteps:
            self._validate()
        self._save()
        self._tracks.close()
        driver.retitle(self._folder / BEST, course=self.progress.course)

    @property
    def _policy(self) -> BetaPolicy:
        policy = self.model.policy
        assert isinstance(policy, BetaPolicy)
        return policy

    def _note_progress(self) -> None:
        assert isinstance(self.model, PPO)
        self.progress.steps = self.num_timesteps
        self.progress.updates = self.model._n_updates
        self.progress.seconds = time.monotonic() - self._began

    def _validate(self) -> None:
        self._display.stage("validating")
        actor, repeat = self._policy.actor, self.config.world.repeat
        driven = Actor(self._policy.encoder)  # as it will be loaded: in float32
        driven.load_state_dict(actor.state_dict())
        summary = self._tracks.drive(ExpertDriver(driven.eval(), repeat=repeat)).summary()
        trained = self._laps[-100:]
        entry = {
            "steps": float(self.num_timesteps),
            "minutes": round((time.monotonic() - self._began) / 60.0, 1),
            **{name: round(value, 3) for name, value in summary.items()},
        }
        if trained:
            entry["explored_mean"] = round(float(np.mean([lap["r"] for lap in trained])), 1)
            entry["explored_laps"] = round(float(np.mean([lap["lap"] for lap in trained])), 2)
        self.progress.course.append(entry)
        self._report(json.dumps(entry))
        for name, value in summary.items():
            self.logger.record(f"validation/{name}", value)
        if summary["mean"] > self.progress.best:
            self.progress.best = summary["mean"]
            header = _header(self.config, self.progress, entry, self._policy.encoder)
            driver.save(self._folder / BEST, actor, header)

    def _save(self) -> None:
        self._saved = time.monotonic()
        self.progress.failed = self.training_env.get_attr("failed")
        state = self._folder / "state.safetensors"
        save_state(state, self._policy, self._policy.optimizer, self.progress)


def _header(
    config: PPOConfig, progress: Progress, best: dict[str, float], encoder: str
) -> ExpertHeader:
    return ExpertHeader(
        repeat=config.world.repeat,
        encoder=encoder,
        command=shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]),
        config=config.plain(),
        data=progress.data,
        results={"validation": best, "course": progress.course},
    )
