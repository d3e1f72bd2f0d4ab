"""What went wrong on a bridge, counted by cause."""

import logging
from collections import Counter

CAUSES = {
    "handshake": "a connection that never became a websocket of this protocol",
    "busy": "a client too many",
    "websocket": "frames that break the websocket protocol; the connection is closed",
    "utf8": "text that is not UTF-8; the connection is closed",
    "too_large": "a message beyond the limit; the connection is closed",
    "binary": "a binary message",
    "packet": "text that is no packet",
    "json": "a packet whose data is no JSON",
    "event": "an event that a simulator does not send",
    "field": "a field that is missing or of the wrong type",
    "number": "a number that cannot be read",
    "decimal": "numbers of different locales in one telemetry",
    "base64": "an image that is no base64",
    "image": "a JPEG that is empty, truncated or of another size",
    "driver_error": "the driver raised",
    "driver_output": "the driver returned no finite command",
    "stale_frame": "a frame that a newer one overtook before the driver was free",
    "stale_command": "a reply that stops the car, as the driver's last command is too old",
    "silent": "a client that said nothing for too long; the connection is closed",
    "unread": "a client that does not read its replies; the connection is closed",
    "dropped": "a connection that was lost without a farewell",
    "bridge": "an error of the bridge itself; the connection is closed",
}
"""Every cause and what it means."""

_log = logging.getLogger("drive.udacity")


class Faults:
    """Counts faults by cause; the first of each cause is a warning in the log.

    Attributes:
        counts: How often each cause (a key of `CAUSES`) arose.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def add(self, cause: str, detail: str = "") -> None:
        """Counts one fault."""
        self.counts[cause] += 1
        level = logging.WARNING if self.counts[cause] == 1 else logging.DEBUG
        _log.log(level, "%s: %s", CAUSES[cause], detail or "no more is known")
