"""Watches a drive: puts a lost car back, and counts how often."""

from drive.udacity.simulator.simulator import Simulator, State
from drive.udacity.simulator.vehicle import TICK

INTERVENTION_SECONDS = 6.0
"""What one intervention costs, as a person needs to take over, come back and hand over again."""


def autonomy(interventions: int, seconds: float) -> float:
    """Share of the time that nobody had to help, in [0, 1].

    1 - 6 s x interventions / elapsed time (Bojarski et al., End to End Learning for Self-Driving
    Cars, 2016, section 6); not below 0, and 1 where no time has passed.
    """
    if seconds <= 0.0:
        return 1.0
    return max(0.0, 1.0 - INTERVENTION_SECONDS * interventions / seconds)


class Supervisor:
    """Drives a simulator and intervenes where all of the car's centre is beyond the road's edge.

    The car is put back on the centre line at once, along the road and as fast as it was.

    Attributes:
        simulator: What is driven.
        interventions: How often the car was put back.
    """

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator
        self.interventions = 0

    @property
    def autonomy(self) -> float:
        """Of the drive so far, in [0, 1]."""
        return autonomy(self.interventions, self.simulator.state.time)

    def step(self, steering: float, throttle: float, seconds: float) -> State:
        """As `Simulator.step`, with a look at the road after every step of the physics."""
        for _ in range(round(seconds / TICK)):
            if self.simulator.step(steering, throttle).off_road:
                self.interventions += 1
                self.simulator.put_back()
        return self.simulator.state
