"""From checked input to rows: the bodies of `Graph.from_edges`, `Graph.from_csr` and `Graph.subgraph`."""

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
    """The device asked for; if none was, where `array` lives if that is a GPU, otherwise the default."""
    if device is None and hasattr(array, "__cuda_array_interface__"):
        return device_of(array)
    return resolve(device)


def rows_of_edges(
    device: Device, arcs: str, src: Any, dst: Any, weights: Any, num_vertices: int | None, *, mirror: bool
) -> Adjacency:
    """See `Graph.from_edges`; `mirror` stores each edge both ways."""
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


def rows_between(device: Device, rows: Adjacency, vertices: Any) -> Adjacency:
    """See `Graph.subgraph`."""
    xp, count = device.xp, len(vertices)
    numbers, place = xp.arange(count, dtype=np.int32), device.full(rows.num_vertices, -1, np.int32)
    place[vertices] = numbers
    twice = place[vertices] != numbers
    if bool(twice.any()):
        raise GraphError(
            f"vertex {int(vertices[int(twice.argmax())])} is given twice: give each vertex of a subgraph once"
        )
    begins, offsets = rows.offsets[vertices], xp.zeros(count + 1, np.int64)
    xp.cumsum(rows.offsets[vertices + 1] - begins, out=offsets[1:])
    require_rows(device, count, int(offsets[-1]), rows.weights, "the subgraph", arcs_in=rows.arcs)
    expected = None
    if device.is_rehearsed:
        from minigr.graphs.build_outline import look_at_subgraph

        expected = look_at_subgraph(rows, vertices, offsets)
    arcs = Arcs(rows.indices, offsets=offsets, begins=begins, weights=rows.weights, place=place, expected=expected)
    return Adjacency(*builder(device, rows.arcs).rows(count, arcs)[:3])


def rows_of_groups(
    device: Device, rows: Adjacency, labels: Any, count: int, *, directed: bool, loops: int
) -> Adjacency:
    """See `Graph.contract`; `loops`: how many self-loops there are in `rows`, of a graph that may be `directed`."""
    if device.is_rehearsed and labels.values is None:
        count = rows.num_vertices  # as many as there can be, as far as an estimate knows
    require_rows(device, count, rows.num_arcs, rows.weights, "the contracted graph", arcs_in=rows.arcs)
    build, weights = builder(device, rows.arcs), rows.weights
    if loops and not directed:  # what is within a group is there twice, and halved in the end
        twice = build.row_of_arcs(rows.offsets, rows.num_arcs) == rows.indices
        weights = _widened(rows.weights, rows.indices)
        weights[twice] *= 2
        del twice
    arcs = Arcs(rows.indices, offsets=rows.offsets, weights=weights, place=labels)
    offsets, indices, weights, _ = build.rows(count, arcs)
    return Adjacency(*build.merged(offsets, indices, weights, not directed))


def _widened(weights: Any, indices: Any) -> Any:
    """A copy of weights in 64 bits, ones where there are none."""
    if weights is None:
        return indices * 0 + np.int64(1)
    return weights.astype(np.int64 if weights.dtype.kind == "i" else np.float64)


def rows_of_csr(
    device: Device, arcs: str | None, offsets: Any, indices: Any, weights: Any, directed: bool, validate: bool
) -> Adjacency:
    """See `Graph.from_csr`."""
    home = device.host if arcs == "host" else device
    starts = as_vector(device, offsets, "offsets")
    if starts.dtype.kind not in "iu" or len(starts) == 0:
        raise GraphError(
            f"offsets must be integers, one more of them than vertices; got {len(starts)} of dtype {starts.dtype}"
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
            f"offsets must not decrease, but offsets[{int(falls.argmax()) + 1}] is below the one before it"
        )


def _check_rows(rows: Adjacency, directed: bool, build: Any) -> None:
    arc = build.first_disorder(rows.offsets, rows.indices)
    if arc >= 0:
        raise GraphError(
            f"row {_row_of(rows, arc)} is not sorted: indices[{arc}] is below the one before it; "
            "sort each row, or use Graph.from_edges"
        )
    if directed:
        return
    arc = build.first_unmatched(rows.offsets, rows.indices, rows.weights)
    if arc >= 0:
        u, v = _row_of(rows, arc), int(rows.indices[arc])
        raise GraphError(
            f"an undirected graph holds both directions of each edge, with one weight, but the arc {u} -> {v} "
            f"(indices[{arc}]) has no such partner; pass directed=True, or give each edge once to Graph.from_edges"
        )


def _row_of(rows: Adjacency, arc: int) -> int:
    return int((rows.offsets[1:] <= arc).sum())
