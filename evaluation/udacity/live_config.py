"""Who drives the simulator that connects."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from drive.udacity.bridge_config import PORT, BridgeConfig
from drive.udacity.limits import Limits
from evaluation.errors import EvaluationError
from maps.limits import check_numbers

TOP_SPEED = 30.0
"""mph."""


@dataclass(frozen=True)
class LiveConfig:
    """Who drives the simulator that connects.

    Attributes:
        policy: ``nsac-udacity`` (bundled), a checkpoint file, or ``package.module:factory``; it
            must read camera frames.
        world: The Udacity simulator.
        speed: To be held, mph; the car's top speed is 30.
        record: Folder to which every frame and command is written, in the simulator's own format.
            A second simulator at the same time gets a folder of its own in it.
        port: The simulator connects to 4567.
        host: Address to listen on.
        public: Allow an address that other machines reach.
        stale_after: Seconds for the policy to decide, and for its last command to be repeated where
            it cannot; beyond that the car is stopped.
        seconds: How long to drive; 0 for until it is interrupted.
        seed: Of everything random in the policy.
        trust: Load policy files that can run code of their own: stable-baselines3 archives,
            ``torch.export`` and TorchScript. Only for files of somebody you trust.
        quiet: Show nothing while driving.
    """

    policy: str
    world: Literal["udacity"] = "udacity"
    speed: float = 20.0
    record: Path | None = None
    port: int = PORT
    host: str = "127.0.0.1"
    public: bool = False
    stale_after: float = Limits.stale_after
    seconds: float = 0.0
    seed: int = 0
    trust: bool = False
    quiet: bool = False

    @property
    def bridge(self) -> BridgeConfig:
        """Where to listen, and how long to wait."""
        limits = Limits(stale_after=self.stale_after)
        return BridgeConfig(self.port, self.host, self.public, limits)

    def check(self) -> None:
        """Refuses what cannot be.

        Raises:
            EvaluationError: A number is out of its range.
            drive.udacity.bridge.BridgeError: The port is none, or the address public.
        """
        if not 0 < self.speed <= TOP_SPEED:
            raise EvaluationError(f"speed is {self.speed:g} mph, expected up to {TOP_SPEED:g}")
        if not self.stale_after > 0:
            raise EvaluationError(f"stale_after is {self.stale_after:g} s, expected more than 0")
        if not self.seconds >= 0:
            raise EvaluationError(f"seconds is {self.seconds:g}, expected 0 or more")
        check_numbers(self, EvaluationError)
        self.bridge.check()
