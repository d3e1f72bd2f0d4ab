"""Files that are not what they should be."""


class DamagedError(OSError):
    """A file is damaged, or of another kind; the message is one line that begins with its path.

    It is an ``OSError``, as ``gzip.BadGzipFile`` is: whoever reads files is ready for these.
    """
