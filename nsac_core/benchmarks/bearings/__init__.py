"""Degradation of bearings from their vibration: labels, features, recordings, experiment."""
