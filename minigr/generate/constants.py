"""How much the generators do at a time."""

WEIGHED = 1 << 24
"""Arcs that a GPU gives weights at a time: it looks for the row of each."""
