"""Metrics of one lap, found through a registry: a class in any module of this package joins it."""

import importlib
import pkgutil

from evaluation.metrics.base import REGISTRY, UNDEFINED, Metric, Value, register
from evaluation.metrics.table import lap_table

__all__ = ["REGISTRY", "UNDEFINED", "Metric", "Value", "lap_table", "register"]

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
