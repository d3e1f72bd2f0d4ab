"""The spiral: a noisy curve known in its first half, predicted as a whole."""
