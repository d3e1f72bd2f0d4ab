"""The one fault of recordings."""

from maps.files.one_line_error import OneLineError


class DrivingLogError(OneLineError):
    """A recording that cannot be read or written; the message is one line."""
