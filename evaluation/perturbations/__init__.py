"""Perturbations of laps, found through a registry: a class in any module of this package joins it.

Each changes what is seen, driven or obeyed on one lap. Its draw depends on the seed, its own name
and the map alone: every policy meets the same one, and the clean lap of that map pairs with it.
"""

import importlib
import pkgutil

from evaluation.perturbations.perturbed import CLEAN, Perturbed, parse, with_clean
from evaluation.perturbations.protocol import PERTURBATIONS, SEVERITIES, Perturbation, register

__all__ = [
    "CLEAN",
    "PERTURBATIONS",
    "SEVERITIES",
    "Perturbation",
    "Perturbed",
    "parse",
    "register",
    "with_clean",
]

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
