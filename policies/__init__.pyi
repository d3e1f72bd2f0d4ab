from .checking import checked
from .errors import PolicyError
from .loading import load
from .protocol import ACTIONS, Decision, Policy

__all__ = [
    "ACTIONS",
    "Decision",
    "Policy",
    "PolicyError",
    "checked",
    "load",
]
