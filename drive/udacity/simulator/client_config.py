"""How the stand-in talks to a controller."""

import ipaddress
import math
import re
from dataclasses import dataclass
from typing import Literal

from drive.udacity.numerals import Decimal
from drive.udacity.simulator.errors import SimulatorError
from drive.udacity.simulator.vehicle import TICK

Clock = Literal["real", "lockstep"]


@dataclass(frozen=True)
class ClientConfig:
    """How the stand-in talks to a controller, and until when.

    Attributes:
        host: Where the controller listens.
        port: The real simulator knows only 4567.
        clock: ``real``: the physics never wait, as the simulator's; ``lockstep``: they go on by
            `period` with each reply, which is repeatable and as fast as the controller.
        period: Seconds that one reply is worth in lock-step, whole steps of 0.02.
        decimal: Decimal separator of the computer's locale.
        laps: After which to leave; 0 for never.
        seconds: Of the simulator's clock, after which to leave; 0 for never.
    """

    host: str = "127.0.0.1"
    port: int = 4567
    clock: Clock = "real"
    period: float = 0.06
    decimal: Decimal = "."
    laps: float = 0.0
    seconds: float = 0.0

    def check(self) -> None:
        """Checks the fields.

        Raises:
            SimulatorError: One of them cannot be.
        """
        if not _is_host(self.host):
            raise SimulatorError(f"host is {self.host!r}, expected a name or an address")
        if not 0 < self.port <= 65535:
            raise SimulatorError(f"port is {self.port}, expected 1 to 65535")
        ticks = self.period / TICK
        if not 1.0 <= ticks < math.inf or abs(ticks - round(ticks)) > 1e-6:
            raise SimulatorError(f"period must be a multiple of {TICK}, not {self.period}")
        for name in ("laps", "seconds"):
            if not getattr(self, name) >= 0:
                raise SimulatorError(f"{name} must not be negative, not {getattr(self, name)}")


_NAME = re.compile(r"[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63})*")


def _is_host(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return _NAME.fullmatch(text) is not None
    return True
