"""What a user can get wrong about a benchmark."""


class BenchmarkError(ValueError):
    """A benchmark cannot run or be shown; the message is one line."""
