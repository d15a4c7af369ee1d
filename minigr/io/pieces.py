"""The edges of a graph in the form in which they are written: all at once, or in blocks for a graph in parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minigr.graphs.convert import edge_arrays
from minigr.graphs.guard import read
from minigr.graphs.partitioned.blocks import blocks_of


def edges_in_pieces(graph: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Sources, targets and weights as `edge_arrays` returns them, in the order of rows, in at least one piece."""
    if graph.layout != "parts":
        yield edge_arrays(graph)
        return
    for first, rows in blocks_of(graph):
        src = np.repeat(np.arange(first, first + rows.num_vertices, dtype=np.int32), np.diff(rows.offsets))
        kept = slice(None) if graph.directed else src <= rows.indices
        yield src[kept], rows.indices[kept], None if rows.weights is None else rows.weights[kept]


def write_parts(graph: Any, write: Callable[[Any], None], *, in_pieces: bool) -> None:
    """Let the first process write a graph in parts: as it is if the format takes it `in_pieces`, otherwise gathered."""

    def put() -> None:
        with graph._exchange.together():
            graph._check_alike()
            given = graph if in_pieces else graph._gathered()
            if graph._exchange.process[0] == 0:
                write(given)
            elif in_pieces:
                for _ in blocks_of(graph):  # the iteration sends this process's rows
                    pass

    read(graph, put)
