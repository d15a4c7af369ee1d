"""The rows of a graph in parts, some rows at a time, for code that reads all rows without memory for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from minigr.device import CPU
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.partitioned.part import positions_of

BLOCK = 1 << 22
"""About how many arcs are read at a time."""


def blocks_of(graph: Any) -> Iterator[tuple[int, Adjacency]]:
    """Yield the rows of all parts in the order of their vertices, on the host, as pairs of first vertex and rows.

    All processes must iterate together. Only the first process gets the blocks: at least one, which may have no
    vertices. For callers that work `together`.
    """
    exchange, parts, n = graph._exchange, graph.parts, graph.num_vertices
    degrees = np.empty(n, np.int64)
    own = graph._team.each(lambda index: _degrees(parts[index]))
    for owned, values in exchange.all_gather(own):
        degrees[owned] = values
    for first, last in _bounds(degrees):
        received = exchange.all_to_all(
            [
                [rows, *[None] * (graph.num_parts - 1)]
                for rows in graph._team.each(lambda index, at=(first, last): _rows_between(parts[index], *at))
            ]
        )
        if exchange.process[0]:
            continue
        offsets = np.concatenate(([0], np.cumsum(degrees[first:last])))
        owners = graph.deal.owners(np.arange(first, last, dtype=np.int32))
        indices = np.empty(offsets[-1], np.int32)
        weights = None if graph.weight_dtype is None else np.empty(offsets[-1], graph.weight_dtype)
        for part, (ends, values) in enumerate(received[0]):
            at = positions_of(offsets, np.flatnonzero(owners == part), CPU)
            indices[at] = ends
            if weights is not None:
                weights[at] = values
        yield first, Adjacency(offsets, indices, weights)


def _degrees(part: Any) -> tuple[Any, Any]:
    return CPU.asarray(part.owned), CPU.asarray(part.graph.out_degree()[part.owned])


def _rows_between(part: Any, first: int, last: int) -> tuple[Any, Any]:
    """Neighbors and weights of a part's own vertices from `first` to ``last - 1``, on the host."""
    begin, end = (int(each) for each in part.xp.searchsorted(part.owned, part.device.asarray(np.array([first, last]))))
    indices, weights = part.rows_at(part.owned[begin:end])
    return CPU.asarray(indices), None if weights is None else CPU.asarray(weights)


def _bounds(degrees: Any) -> Iterator[tuple[int, int]]:
    """Yield first and last vertices (exclusive) of blocks that have at most `BLOCK` arcs, or only one row."""
    ends, n, first = np.cumsum(degrees), len(degrees), 0
    while True:
        before = int(ends[first - 1]) if first else 0
        last = min(n, max(first + 1, int(np.searchsorted(ends, before + BLOCK, side="right"))))
        yield first, last
        if last >= n:
            return
        first = last
