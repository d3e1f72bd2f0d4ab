from .compare import Comparison, compare_runs
from .config import CompareConfig

__all__ = [
    "CompareConfig",
    "Comparison",
    "compare_runs",
]
