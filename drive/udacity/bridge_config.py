"""Where a bridge listens, and its patience."""

import ipaddress
from dataclasses import dataclass, field

from drive.udacity.limits import Limits

PORT = 4567
"""The simulator knows no other."""


class BridgeError(ValueError):
    """A bridge that cannot be opened; the message is one line."""


@dataclass(frozen=True)
class BridgeConfig:
    """Where a bridge listens, and its patience.

    Attributes:
        port: The simulator connects to 4567; 0 stands for any that is free.
        host: Address to listen on.
        public: Whether the address may be one that other machines reach.
        limits: Of time.
    """

    port: int = PORT
    host: str = "127.0.0.1"
    public: bool = False
    limits: Limits = field(default_factory=Limits)

    def check(self) -> None:
        """Refuses what cannot be, or would let strangers in.

        Raises:
            BridgeError: In one line that says what would be right.
        """
        if not 0 <= self.port <= 65535:
            raise BridgeError(f"port is {self.port}, expected 0 to 65535")
        if not (self.public or _is_loopback(self.host)):
            raise BridgeError(
                f"host {self.host!r} can be reached by other machines; say public to allow it, "
                "or listen on 127.0.0.1"
            )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
