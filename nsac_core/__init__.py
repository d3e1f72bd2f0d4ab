"""The mathematics: stochastic attention, uncertainty methods, metrics and the training loop."""
