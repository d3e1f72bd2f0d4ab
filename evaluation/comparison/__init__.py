"""The comparison of cloned drivers: one expert, every method, every seed, the same laps."""
