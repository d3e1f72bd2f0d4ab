from .config import RecordConfig, RecordError
from .disturbance_config import Disturbance
from .recording import record

__all__ = [
    "Disturbance",
    "RecordConfig",
    "RecordError",
    "record",
]
