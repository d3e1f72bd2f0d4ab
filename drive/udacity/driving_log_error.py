"""The one fault of recordings."""


class DrivingLogError(ValueError):
    """A recording that cannot be read or written; the message is one line."""
