"""Uncertainty methods, one per file, behind one protocol."""
