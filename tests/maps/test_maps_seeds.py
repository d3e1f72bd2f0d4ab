import time

import gymnasium
import numpy as np
import pytest

import maps
from maps.seeds import seed_map


@pytest.mark.parametrize("seed", [0, 3, 42, 2000, 2017])
def test_seed_maps_are_gymnasiums_own_tracks(seed: int) -> None:
    env = gymnasium.make("CarRacing-v3")
    env.reset(seed=seed)
    track = np.array([(x, y) for _, _, x, y in env.unwrapped.track])  # type: ignore[attr-defined]
    env.close()
    drawn = maps.load(f"seed:{seed}")
    np.testing.assert_array_equal(drawn.centre_line, track)
    assert drawn.seed == seed
    assert drawn.half_width == 40 / 6


def test_seed_maps_are_quick_to_make() -> None:
    seed_map.cache_clear()
    durations = []
    for seed in range(500, 510):
        begin = time.process_time()
        maps.load(f"seed:{seed}")
        durations.append(time.process_time() - begin)
    assert np.median(durations) < 0.05


def test_seed_maps_cannot_be_changed_behind_the_cache() -> None:
    with pytest.raises(ValueError, match="read-only"):
        maps.load("seed:1").centre_line[0] = 0.0
