"""Finds the learned driver that drives under a policy."""

from policies import Policy
from policies.checking import CheckedPolicy
from policies.driving_policy import DrivingPolicy
from policies.selective import SelectiveDriver


def learned_driver(policy: Policy) -> DrivingPolicy | None:
    """The learned driver itself, also where a supervisor or a check is around it; or None."""
    if isinstance(policy, CheckedPolicy):
        return learned_driver(policy.policy)
    if isinstance(policy, SelectiveDriver):
        return learned_driver(policy.driver)
    return policy if isinstance(policy, DrivingPolicy) else None
