"""Keeps the world's steps at an even pace, and measures whether it does."""

import time
from collections import deque
from collections.abc import Callable

MOST_LEFT_OUT = 4
"""Pictures in a row that may be left out to keep up."""
LOST = 0.25
"""Seconds behind from which on the time is given up as lost, rather than raced after."""
FEW = 10
"""Steps from which on a pace is measured."""
ENOUGH = 0.97
"""Share of the pace from which on it counts as held."""


class Pace:
    """The beat of the steps.

    A step is a fiftieth of a second of the world, however late it comes: what is recorded does not
    depend on the machine. A machine that is late leaves out pictures first; then the world
    is slower than it should be.

    Args:
        rate: Steps a second.
        clock: Seconds.
        sleep: Waits for that many.
    """

    def __init__(
        self,
        rate: float,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.rate = rate
        self._clock, self._sleep = clock, sleep
        self._left_out = 0
        self._beats: deque[tuple[float, bool]] = deque(maxlen=max(FEW, round(rate)))
        self._due = clock()

    def begin(self) -> None:
        """Starts anew: what went before was no driving."""
        self._left_out = 0
        self._beats.clear()
        self._due = self._clock()

    def shows(self) -> bool:
        """Whether there is time for a picture before the next step is due."""
        late = self._clock() > self._due + 1 / self.rate
        self._left_out = self._left_out + 1 if late and self._left_out < MOST_LEFT_OUT else 0
        self._beats.append((self._clock(), self._left_out > 0))
        return self._left_out == 0

    def wait(self) -> None:
        """Waits until the next step is due."""
        self._due += 1 / self.rate
        early = self._due - self._clock()
        if early > 0:
            self._sleep(early)
        elif early < -LOST:
            self._due = self._clock()

    @property
    def measured(self) -> float:
        """Steps a second during the last second; the wanted ones where there are too few."""
        if len(self._beats) < FEW:
            return self.rate
        return (len(self._beats) - 1) / (self._beats[-1][0] - self._beats[0][0])

    @property
    def held(self) -> bool:
        """Whether the pace is kept."""
        return self.measured >= ENOUGH * self.rate

    @property
    def left_out(self) -> int:
        """Pictures left out during the last second."""
        return sum(left_out for _, left_out in self._beats)
