"""Recorders of driving demonstrations."""

from recorders.config import RecordConfig, RecordError
from recorders.disturbance import Disturbance
from recorders.recording import record

__all__ = ["Disturbance", "RecordConfig", "RecordError", "record"]
