"""Perturbations of laps, found through a registry: a class in any module of this package joins it.

Each changes what is seen, driven or obeyed on one lap. Its draw depends on the seed, its own name
and the map alone: every policy meets the same one, and the clean lap of that map pairs with it.
"""

import importlib
import pkgutil
from typing import get_args

from evaluation.perturbations.perturbed import CLEAN, Perturbed, parse, with_clean
from evaluation.perturbations.protocol import (
    PERTURBATIONS,
    SEVERITIES,
    Group,
    Perturbation,
    register,
)

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
for _group in get_args(Group):  # lists them group by group
    for _name in [name for name, kind in PERTURBATIONS.items() if kind.group == _group]:
        PERTURBATIONS[_name] = PERTURBATIONS.pop(_name)
