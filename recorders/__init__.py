"""Recorders of driving demonstrations."""
