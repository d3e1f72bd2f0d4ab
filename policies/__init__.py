"""Who drives: the policy protocol, cloned policies, the privileged driver and checkpoints."""
