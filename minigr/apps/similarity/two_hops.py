"""Functions for `transform` that count and write ways of two hops."""

from __future__ import annotations


def count_ways(i, offsets, indices, chosen):
    """The number of ways that begin at vertex i; 0 if the vertex is not chosen."""
    total = 0
    if chosen[i]:
        for arc in range(offsets[i], offsets[i + 1]):
            total += offsets[indices[arc] + 1] - offsets[indices[arc]]
    return total


def count_onward(i, offsets, indices, ways, most, ends):
    """Count the ways that begin with each arc of vertex i; 0 if too many ways begin at the vertex."""
    if ways[i] <= most:
        for arc in range(offsets[i], offsets[i + 1]):
            ends[arc + 1] = offsets[indices[arc] + 1] - offsets[indices[arc]] if ways[i] > 0 else 0


def write_ways(i, first, base, offsets, indices, ends, share, weights, kind, targets, values):
    """Write the ways that begin with one arc: the end of each way, and its term in the sum."""
    arc = first + i
    middle, at = indices[arc], ends[arc] - base
    begin = offsets[middle]
    for onward in range(begin, begin + ends[arc + 1] - ends[arc]):
        value = share[middle]
        if kind == 1:
            value = min(weights[arc], weights[onward])
        elif kind == 2:
            value = weights[arc] * weights[onward]
        targets[at], values[at] = indices[onward], value
        at += 1
