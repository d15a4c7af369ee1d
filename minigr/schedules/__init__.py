"""Schedules: how the edges of a frontier are dealt out to the workers of a device, whatever is done with an edge."""
