"""Schedules: how the edges of a frontier are assigned to the workers of a device, for every operation on edges."""
