"""Tracks as data: JSON files, the tracks of gymnasium seeds, and an importer of real circuits."""
