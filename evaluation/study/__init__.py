"""Studies: policies x maps x perturbations x seeds from one file, driven in units that resume."""

from evaluation.study.config import StudyConfig
from evaluation.study.plan import Plan
from evaluation.study.run import Study, run_study

__all__ = ["Plan", "Study", "StudyConfig", "run_study"]
