"""How sure an interval is, where nothing else is asked for."""

CONFIDENCE = 0.95
