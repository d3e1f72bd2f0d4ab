"""The tracks that gymnasium's CarRacing makes of its reset seeds, made without drawing them."""

from functools import lru_cache

import numpy as np
from gymnasium.envs.box2d.car_racing import CarRacing
from gymnasium.utils import seeding

from maps.track_map import HALF_WIDTH, TrackMap


@lru_cache(maxsize=256)
def seed_map(seed: int) -> TrackMap:
    """The map `seed:N`: gymnasium's own track for `reset(seed=N)`, to the last bit.

    The car starts at the first point, as gymnasium's does.
    """
    env = CarRacing()
    env._np_random, _ = seeding.np_random(seed)
    env.road_poly = []
    # As reset does: the generator goes on from where it failed.
    while not env._create_track():  # type: ignore[no-untyped-call]
        pass
    line = np.array([(x, y) for _, _, x, y in env.track])
    line.flags.writeable = False
    origin = f"gymnasium CarRacing, reset seed {seed}"
    return TrackMap(f"seed:{seed}", origin, HALF_WIDTH, line, seed=seed)
