"""CarRacing: gymnasium's physics to the last bit, with fast renderers, maps, colours and the true state."""
