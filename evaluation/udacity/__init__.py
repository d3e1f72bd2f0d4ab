"""Driving the Udacity simulator, or the stand-in for it, in closed loop."""
