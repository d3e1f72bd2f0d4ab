from .config import StudyConfig
from .plan import Plan
from .run import Study, run_study

__all__ = [
    "Plan",
    "Study",
    "StudyConfig",
    "run_study",
]
