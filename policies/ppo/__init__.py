"""The PPO expert: its network, the worlds it learns in, its training and its checkpoints."""
