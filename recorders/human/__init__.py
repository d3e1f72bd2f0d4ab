"""A person at the wheel: keys and gamepad, the window, and when an episode is kept."""
