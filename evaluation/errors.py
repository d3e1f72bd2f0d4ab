"""What goes wrong in an evaluation, in one line each."""


class EvaluationError(ValueError):
    """An evaluation that cannot be run as asked; the message is one line."""
