"""A stand-in for the Udacity simulator: courses, cameras, a car, and the client of the bridge."""

from drive.udacity.simulator.simulator import Simulator, SimulatorError, State

__all__ = ["Simulator", "SimulatorError", "State"]
