"""Saliency: which pixels move a policy's action, where they lie, and whether to believe it."""
