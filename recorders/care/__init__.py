"""Care for recorded data sets: look at them, check them, merge, thin out and export them."""
