"""The one fault of the stand-in."""


class SimulatorError(ValueError):
    """A request that the simulator cannot serve; the message is one line."""
