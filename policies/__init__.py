"""Who drives: the policy protocol, cloned policies, the privileged driver and checkpoints."""

from policies.checking import checked
from policies.errors import PolicyError
from policies.loading import load
from policies.protocol import ACTIONS, Decision, Policy

__all__ = ["ACTIONS", "Decision", "Policy", "PolicyError", "checked", "load"]
