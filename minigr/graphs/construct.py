"""Building rows from arrays of users: the bodies of `Graph.from_edges` and `Graph.from_csr`."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.device import Device, device_of, host_view, resolve
from minigr.errors import GraphError
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.arcs import Arcs
from minigr.graphs.backend import builder, moved_arcs
from minigr.graphs.checks import as_ids, as_ids_up_to, as_vector, as_vertex_count, as_weights
from minigr.memory import require_graph, require_rows


def choose_device(device: str | Device | None, array: Any) -> Device:
    """The given device. By default, the GPU of `array` if it is on a GPU, otherwise the default device."""
    if device is None and hasattr(array, "__cuda_array_interface__"):
        return device_of(array)
    return resolve(device)


def rows_of_edges(
    device: Device, arcs: str, src: Any, dst: Any, weights: Any, num_vertices: int | None, *, mirror: bool
) -> Adjacency:
    """See `Graph.from_edges`; `mirror` stores each edge in both directions."""
    home = device.host if arcs == "host" else device
    count = None if num_vertices is None else as_vertex_count(num_vertices)
    source, largest = as_ids_up_to(home, src, "src", count)
    target, other = as_ids_up_to(home, dst, "dst", count)
    if len(source) != len(target):
        raise GraphError(f"src has length {len(source)}, but dst has length {len(target)}: an edge needs both")
    values = None if weights is None else as_weights(home, weights, len(source))
    if count is None:
        count = 1 + max(largest, other)
    require_rows(device, count, len(source) * (2 if mirror else 1), values, "the graph", arcs_in=arcs)
    given = Arcs(target, src=source, weights=values, mirror=mirror)
    return Adjacency(*builder(device, arcs).rows(count, given)[:3])


def rows_of_csr(
    device: Device, arcs: str | None, offsets: Any, indices: Any, weights: Any, directed: bool, validate: bool
) -> Adjacency:
    """See `Graph.from_csr`."""
    home = device.host if arcs == "host" else device
    starts = as_vector(device, offsets, "offsets")
    if starts.dtype.kind not in "iu" or len(starts) == 0:
        raise GraphError(
            f"offsets must be integers, num_vertices + 1 of them; got {len(starts)} of dtype {starts.dtype}"
        )
    starts = starts.astype(np.int64, copy=False)
    count = as_vertex_count(len(starts) - 1, "len(offsets) - 1")
    if validate:
        neighbors = as_ids(home, indices, "indices", count)
    else:
        neighbors = as_vector(home, indices, "indices").astype(np.int32, copy=False)
    values = None
    if weights is not None:
        values = as_weights(home, weights, len(neighbors), per="indices", trusted=not validate)
    if arcs is not None:
        missing = [array for array in (neighbors, values) if array is not None and host_view(array) is None]
        longer = sum(int(array.nbytes) for array in missing) if arcs == "host" else 0
        require_graph(device, 0, longer, "the graph", arcs_in=arcs)
        neighbors, values = (None if a is None else moved_arcs(a, device, arcs) for a in (neighbors, values))
    rows = Adjacency(starts, neighbors, values)
    if validate:
        _check_offsets(rows)
        _check_rows(rows, directed, builder(device, rows.arcs))
    return rows


def _check_offsets(rows: Adjacency) -> None:
    first, last = int(rows.offsets[0]), int(rows.offsets[-1])
    if first != 0 or last != rows.num_arcs:
        raise GraphError(f"offsets must go from 0 to len(indices) = {rows.num_arcs}, but go from {first} to {last}")
    falls = rows.offsets[1:] < rows.offsets[:-1]
    if bool(falls.any()):
        raise GraphError(
            f"offsets must not decrease, but offsets[{int(falls.argmax()) + 1}] is below the offset before"
        )


def _check_rows(rows: Adjacency, directed: bool, build: Any) -> None:
    arc = build.first_disorder(rows.offsets, rows.indices)
    if arc >= 0:
        raise GraphError(
            f"row {_row_of(rows, arc)} is not sorted: indices[{arc}] is below indices[{arc - 1}]; "
            "sort each row, or use Graph.from_edges"
        )
    if directed:
        return
    arc = build.first_unmatched(rows.offsets, rows.indices, rows.weights)
    if arc >= 0:
        u, v = _row_of(rows, arc), int(rows.indices[arc])
        raise GraphError(
            f"an undirected graph holds both directions of each edge, with one weight, but the arc {u} -> {v} "
            f"(indices[{arc}]) has no reverse arc of this weight; pass directed=True, or give each edge once to "
            "Graph.from_edges"
        )


def _row_of(rows: Adjacency, arc: int) -> int:
    return int((rows.offsets[1:] <= arc).sum())
