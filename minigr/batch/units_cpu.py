"""Loops of the threads of a team over the units of a batch, or over its graphs, on the CPU."""

import numpy as np

from minigr.batch.constants import WORD
from minigr.jit.kernel import kernel
from minigr.jit.seq_cst import fetch_add


@kernel
def units(claimed, unit_graph, unit_first, starts):
    """Yield each unit that a thread claims: the graph, the first source, and the graph's first vertex and size."""
    while True:
        unit = fetch_add(claimed, 0, 1)
        if unit >= unit_graph.size:
            return
        graph = unit_graph[unit]
        base = starts[graph]
        yield graph, np.int64(unit_first[unit]), base, starts[graph + 1] - base


@kernel
def graphs(claimed, starts):
    """Yield each graph that a thread claims: the graph, its first vertex, and its size."""
    while True:
        graph = fetch_add(claimed, 0, 1)
        if graph >= starts.size - 1:
            return
        base = starts[graph]
        yield graph, base, starts[graph + 1] - base


@kernel
def cleared_part(parts, part_offsets, graph, first, n):
    """The part of a unit: its contribution to the score of each vertex of the graph, initially 0."""
    part = parts[part_offsets[graph] + first // WORD * n : part_offsets[graph] + (first // WORD + 1) * n]
    for v in range(n):
        part[v] = 0.0
    return part
