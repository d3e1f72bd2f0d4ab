"""CarRacing: gymnasium's physics to the last bit, fast renderers, maps and true state.

Importing this package registers ``nsac/CarRacing-v0`` with gymnasium; without an import of one's
own, ``gymnasium.make("drive.carracing:nsac/CarRacing-v0")`` finds it.
"""

import os

from gymnasium.envs.registration import register

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

register(
    id="nsac/CarRacing-v0",
    entry_point="drive.carracing.world:CarRacingWorld",
    max_episode_steps=1000,
    reward_threshold=900,
)
