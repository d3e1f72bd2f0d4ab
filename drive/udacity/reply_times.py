"""How often and how fast a bridge replies."""

from collections import deque
from dataclasses import dataclass

import numpy as np

WINDOW = 2.0
"""Seconds over which the rate is taken."""


@dataclass(frozen=True)
class ReplySpeed:
    """Of the latest replies.

    Attributes:
        replies: How many there were since the start.
        rate: Replies per second over the last two seconds.
        median: Half of the replies took at most this long, seconds.
        slowest: 99 of 100 did.
    """

    replies: int
    rate: float
    median: float
    slowest: float


class ReplyTimes:
    """The times of the latest replies.

    Args:
        most: How many are remembered.
    """

    def __init__(self, most: int = 2000) -> None:
        self.replies = 0
        self._latest: deque[tuple[float, float]] = deque(maxlen=most)

    def add(self, received: float, sent: float) -> None:
        """Takes note of one reply.

        Args:
            received: When the telemetry had come, seconds.
            sent: When its reply had gone, seconds.
        """
        self.replies += 1
        self._latest.append((sent, sent - received))

    def speed(self, now: float) -> ReplySpeed:
        """Rate and latency; zero where there is nothing.

        Args:
            now: Seconds, of the same clock.
        """
        if not self._latest:
            return ReplySpeed(0, 0.0, 0.0, 0.0)
        sent, latency = np.array(self._latest).T
        median, slowest = np.quantile(latency, [0.5, 0.99])
        seconds = min(WINDOW, max(now - sent[0], 1e-6))
        rate = int(np.count_nonzero(sent > now - WINDOW)) / seconds
        return ReplySpeed(self.replies, float(rate), float(median), float(slowest))
