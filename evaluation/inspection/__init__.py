"""Inspection of laps: what a driver saw, where it looked, and what its neurons did."""
