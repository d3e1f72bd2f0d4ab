"""Who drives in the Udacity simulator: its network, its augmentation, its training."""
