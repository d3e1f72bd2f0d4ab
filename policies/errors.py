"""What goes wrong with policies."""


class PolicyError(ValueError):
    """A policy, checkpoint or training run that is not as it must be; the message is one line."""
