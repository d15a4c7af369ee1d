"""Schedules: how the edges of a frontier are dealt out to the workers of a device, for every operation on edges."""
