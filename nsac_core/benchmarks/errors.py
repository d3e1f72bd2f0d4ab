"""What a user can get wrong about a benchmark."""

from maps.files.one_line_error import OneLineError


class BenchmarkError(OneLineError):
    """A benchmark cannot run or be shown; the message is one line."""
