"""How long one has to wait, in words."""


def in_words(seconds: float | None) -> str:
    """A time to wait, as people say it."""
    if seconds is None:
        return "time unknown yet"
    if seconds < 90:
        return f"about {max(1, round(seconds))} s left"
    if seconds < 5400:
        return f"about {round(seconds / 60)} min left"
    if seconds < 172_800:
        return f"about {seconds / 3600:.1f} h left"
    return f"about {seconds / 86_400:.1f} days left"
