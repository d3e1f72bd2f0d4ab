"""How files are written: whole or not at all, by one process at a time."""
