"""How long anything between a bridge and a simulator may take."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """How long anything may take, in seconds.

    Attributes:
        stale_after: For a driver to answer, and for its last command to be repeated where it
            cannot; beyond that the car is stopped.
        most_repeats: How often in a row a command may be repeated.
        ping_interval: Between two pings: the simulator's, or ours to newer clients.
        silence: For a client to say anything.
        unread: For a client to take a reply.
        handshake: For a client to become one.
        stop: For all cars to come to rest at the end.
    """

    stale_after: float = 0.5
    most_repeats: int = 25
    ping_interval: float = 25.0
    silence: float = 85.0
    unread: float = 10.0
    handshake: float = 10.0
    stop: float = 6.0
