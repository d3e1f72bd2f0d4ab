from .errors import SimulatorError
from .simulator import Simulator, State

__all__ = [
    "Simulator",
    "SimulatorError",
    "State",
]
