"""The sizes of pieces in which generators work."""

WEIGHED = 1 << 24
"""The number of arcs for which a GPU generates weights at a time, because it finds the row of each arc."""
