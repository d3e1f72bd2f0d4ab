"""What goes wrong in an evaluation, in one line each."""

from maps.files.one_line_error import OneLineError


class EvaluationError(OneLineError):
    """An evaluation that cannot be run as asked; the message is one line."""
