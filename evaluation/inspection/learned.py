"""Finds the driver that drives under a policy."""

from policies import Policy
from policies.checking import CheckedPolicy
from policies.driving_policy import DrivingPolicy
from policies.selective import SelectiveDriver


def driver_under(policy: Policy) -> Policy:
    """The policy itself, without a check or a supervisor around it."""
    if isinstance(policy, CheckedPolicy):
        return driver_under(policy.policy)
    if isinstance(policy, SelectiveDriver):
        return driver_under(policy.driver)
    return policy


def learned_driver(policy: Policy) -> DrivingPolicy | None:
    """The learned driver itself, also where a supervisor or a check is around it; or None."""
    driver = driver_under(policy)
    return driver if isinstance(driver, DrivingPolicy) else None
