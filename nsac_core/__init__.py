"""The mathematics: stochastic attention, uncertainty methods, losses, metrics and the training loop."""
