"""Run time, memory and parameters of the methods, each in a process of its own."""
