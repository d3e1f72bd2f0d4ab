"""What is wrong with a data set, or with what is asked of it, in one line."""

from recorders.config import RecordError


class CareError(RecordError):
    """A data set cannot be handled as asked; the message names it, and what would be right."""
