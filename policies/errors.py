"""What goes wrong with policies."""

from maps.files.one_line_error import OneLineError


class PolicyError(OneLineError):
    """A policy, checkpoint or training run that is not as it must be; the message is one line."""
