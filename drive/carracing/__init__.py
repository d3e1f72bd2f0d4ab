"""CarRacing: gymnasium's physics to the last bit, fast renderers, maps and true state."""
