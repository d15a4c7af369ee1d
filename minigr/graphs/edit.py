"""Editing rows: the bodies of `Graph.subgraph`, `Graph.contract` and other methods that return a new graph."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Literal, get_args

import numpy as np

from minigr.device import Device
from minigr.errors import GraphError
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.arcs import Arcs
from minigr.graphs.backend import builder, copied_arcs, moved_arcs, new_arcs
from minigr.graphs.checks import as_vector, as_weights
from minigr.graphs.wide import in_64_bits
from minigr.memory import require_rows
from minigr.signatures import unknown

Combine = Literal["sum", "min", "max", "first", "count"]
"""How the weights of parallel edges are combined: the sum, minimum, maximum or first of them, or their number."""


def check_combine(weights: Any, *others: str) -> None:
    """Raise `GraphError` unless `weights` is one of `Combine` or `others`."""
    known = (*get_args(Combine), *others)
    if weights not in known:
        raise GraphError(f"weights= has no choice {weights!r}; {unknown(str(weights), known)}")


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


def rows_of_some(device: Device, rows: Adjacency, edges: Any, *, directed: bool, count: int) -> Adjacency:
    """See `Graph.edge_subgraph`; `count` is the number of edges, each counted once."""
    keep, expected = _mask(device, rows, edges, directed, count)
    if not directed:  # an edge stays if one of its two arcs stays
        keep = keep | (_turned(device, rows, keep.astype(np.int32)) > 0)
    return _kept(device, rows, device.expect(keep, expected))


def rows_simplified(
    device: Device, rows: Adjacency, weights: str, *, directed: bool, loops: int, keep_loops: bool
) -> Adjacency:
    """See `Graph.simplify`; `loops` is the number of self-loops."""
    require_rows(device, rows.num_vertices, rows.num_arcs, rows.weights, "the simplified graph", arcs_in=rows.arcs)
    build = builder(device, rows.arcs)
    if rows.weights is None and weights != "count" and not keep_loops:
        return Adjacency(*build.simplify(rows.offsets, copied_arcs(rows.indices)))
    if loops and not keep_loops:
        rows = _kept(device, rows, device.expect(_sources(device, rows) != rows.indices, rows.num_arcs - loops))
    return _combined(device, rows, weights, directed)


def rows_both_ways(graph: Any, weights: str = "each") -> Adjacency:
    """See `Graph.to_undirected`, for a directed graph."""
    device, rows = graph._device, graph.out_edges
    what = "a copy of the graph with each edge both ways"
    require_rows(device, graph.num_vertices, 2 * rows.num_arcs, rows.weights, what, arcs_in=rows.arcs)
    arcs = Arcs(
        rows.indices,
        offsets=rows.offsets,
        weights=rows.weights,
        mirror=True,
        long_rows=partial(long_rows_both_ways, graph),
    )
    made = Adjacency(*builder(device, rows.arcs).rows(graph.num_vertices, arcs)[:3])
    return made if weights == "each" else _combined(device, made, weights, False)


def long_rows_both_ways(graph: Any, least: int) -> tuple[int, int]:
    """See `minigr.graphs.arcs.LongRows`, for a directed graph whose arcs are each stored in both directions."""
    longest = graph.max_degree() + graph.max_degree(inward=True)
    return 2 * graph.num_arcs if longest > least else 0, longest


def rows_with_weights(device: Device, rows: Adjacency, weights: Any, *, directed: bool, count: int) -> Adjacency:
    """See `Graph.with_weights`; `count` is the number of edges, each counted once."""
    home = device.host if rows.arcs == "host" else device
    given, arcs = as_vector(home, weights, "weights"), rows.num_arcs
    if len(given) not in (arcs, count):
        raise GraphError(
            f"weights has length {len(given)}, but there are {count} edges{_both_ways(arcs, directed)}: "
            "give one weight to each"
        )
    values = moved_arcs(as_weights(home, given, len(given), per="the edges"), device, rows.arcs)
    if len(given) != arcs:
        made = replace(rows, weights=new_arcs(device, rows.arcs, arcs, values.dtype))
        made.weights[_first_arcs(device, rows, count)] = values
        _set_from_partner(device, made)
        return made
    made = replace(rows, weights=values)
    if directed:
        return made
    arc = builder(device, rows.arcs).first_unmatched(made.offsets, made.indices, made.weights)
    if arc >= 0:
        raise GraphError(
            f"weights[{arc}] is not the weight of the same edge's other arc: give both arcs of an undirected edge one "
            f"weight, or give {count} weights, one to each edge of to_edges()"
        )
    return made


def rows_of_groups(
    device: Device, rows: Adjacency, labels: Any, count: int, *, directed: bool, loops: int
) -> Adjacency:
    """See `Graph.contract`; `loops` is the number of self-loops in `rows`."""
    if device.is_rehearsed and labels.values is None:
        count = rows.num_vertices  # the most that there can be, because an estimate does not know the labels
    require_rows(device, count, rows.num_arcs, rows.weights, "the contracted graph", arcs_in=rows.arcs)
    if not (device.is_cuda or device.is_rehearsed):
        from minigr.graphs.contract_cpu import contracted  # imports Numba

        def summed(weights: Any) -> Adjacency:
            return contracted(replace(rows, weights=weights), labels, count, directed=directed)

        return _with_sums(device, rows, summed, directed)
    build = builder(device, rows.arcs)

    def summed_by_sorting(weights: Any) -> Adjacency:
        if loops and not directed:  # edges within a group are there twice, and are halved in the end
            twice = build.row_of_arcs(rows.offsets, rows.num_arcs) == rows.indices
            weights = _widened(weights, rows.indices)
            weights[twice] *= 2
            del twice
        arcs = Arcs(rows.indices, offsets=rows.offsets, weights=weights, place=labels)
        offsets, indices, weights, _ = build.rows(count, arcs)
        return Adjacency(*build.merged(offsets, indices, weights, not directed))

    return _with_sums(device, rows, summed_by_sorting, directed)


def _combined(device: Device, rows: Adjacency, weights: str, directed: bool) -> Adjacency:
    """The same rows with parallel arcs merged into one arc."""
    merged = partial(builder(device, rows.arcs).merged, rows.offsets, rows.indices)
    if weights == "sum" and rows.weights is not None:
        return _with_sums(device, rows, lambda given: Adjacency(*merged(given, False)), directed)
    if weights == "count":
        return Adjacency(*merged(None, False))
    made = merged(rows.weights, False, weights)
    return Adjacency(*made[:2]) if rows.weights is None else Adjacency(*made)


def _with_sums(device: Device, rows: Adjacency, summed: Callable[[Any], Adjacency], directed: bool) -> Adjacency:
    """Return the rows that `summed` makes from the weights of `rows`. It adds up the weights in 64 bits.

    Raises
    ------
    GraphError
        If int64 can't hold a sum, or a sum is NaN.
    """
    given, made = rows.weights, summed(rows.weights)
    if given is None or not rows.num_arcs:
        return made
    if given.dtype.kind == "f":
        if math.isnan(float(made.weights.min())):
            _refuse_sum(made, made.weights != made.weights, "NaN, as inf and -inf do: leave out one of these edges")
        return _of_one_weight(device, made, directed)
    # A GPU halves some sums in the end, so they take twice the room before. For most sums, the dtype alone shows that
    # they fit.
    most = 2 * rows.num_arcs
    if most << (8 * given.itemsize - 1) >= 2**63 and most * max(-int(given.min()), int(given.max())) >= 2**63:
        about = summed(given.astype(np.float64)).weights
        wrong = abs(about - made.weights) >= 2.0**62  # a sum that overflows is off by at least 2**63
        if bool(wrong.any()):
            remedy = "convert the weights by graph.with_weights(graph.weights.astype('float64'))"
            _refuse_sum(made, wrong, f"a number that int64 can't hold: {remedy}")
    return made


def _refuse_sum(made: Adjacency, wrong: Any, what: str) -> None:
    """Raise the `GraphError` for the first sum that is `wrong`, bool[arcs]."""
    arc = int(wrong.argmax())
    row = int((made.offsets > arc).argmax()) - 1
    ends = f"from {row} to {int(made.indices[arc])}"
    raise GraphError(f"the weights of the edges that would become the edge {ends} add up to {what}")


def _of_one_weight(device: Device, rows: Adjacency, directed: bool) -> Adjacency:
    """Return `rows`, with one weight for both arcs of an undirected edge: sums of floats depend on the order."""
    if not directed:
        _set_from_partner(device, rows)
    return rows


def _set_from_partner(device: Device, rows: Adjacency) -> None:
    """Set the weights of arcs to a lesser vertex, in place, to the weights of the other arcs of the same edges."""
    turned = _turned(device, rows, rows.weights)
    greater = device.expect(_sources(device, rows) > rows.indices, rows.num_arcs // 2)
    rows.weights[greater] = turned[greater]


def _turned(device: Device, rows: Adjacency, values: Any) -> Any:
    """For each arc of undirected edges, the element of `values` for the other arc of the same edge."""
    arcs = Arcs(rows.indices, offsets=rows.offsets, weights=values, turn=True)
    return builder(device, rows.arcs).rows(rows.num_vertices, arcs)[2]


def _kept(device: Device, rows: Adjacency, keep: Any) -> Adjacency:
    """The rows with only the arcs where a mask is true."""
    count = int(keep.sum())
    require_rows(device, rows.num_vertices, count, rows.weights, "the subgraph", arcs_in=rows.arcs)
    return Adjacency(*builder(device, rows.arcs).kept(rows.offsets, rows.indices, rows.weights, keep))


def _mask(device: Device, rows: Adjacency, edges: Any, directed: bool, count: int) -> tuple[Any, int]:
    """bool[arcs]: the arcs that ids or a mask of arcs or edges choose; and how many arcs an estimate expects."""
    given, arcs, sides = as_vector(device, edges, "edges"), rows.num_arcs, 1 if directed else 2
    if given.dtype == np.bool_:
        if len(given) not in (arcs, count):
            raise GraphError(
                f"edges is a mask of length {len(given)}, but there are {count} edges{_both_ways(arcs, directed)}: "
                "give a value to each"
            )
        expected = _count_true(given) if device.is_rehearsed else 0
        if len(given) == arcs:
            return given, expected
        keep = device.full(arcs, False, np.bool_)
        keep[_first_arcs(device, rows, count)] = given
        return keep, sides * expected
    if given.size and given.dtype.kind not in "iu":
        raise GraphError(f"edges must hold ids of edges, or be a mask of bools, but its dtype is {given.dtype}")
    keep = device.full(arcs, False, np.bool_)
    if given.size:
        if int(given.min()) < 0 or int(given.max()) >= arcs:
            bad = (given < 0) | (given >= arcs)
            place = int(bad.argmax())
            raise GraphError(f"edges[{place}] is {int(given[place])}, but ids of edges are from 0 to {arcs - 1}")
        keep[given.astype(np.int64, copy=False)] = True
    return keep, sides * len(given)


def _count_true(mask: Any) -> int:
    """How many elements of the outline of a mask are true; all of them if the values are not known."""
    return mask.size if mask.known is None else sum(int(piece.sum()) for piece in mask.pieces())


def _first_arcs(device: Device, rows: Adjacency, count: int) -> Any:
    """bool[arcs]: the arcs of `count` undirected edges that `Graph.to_edges` lists."""
    return device.expect(_sources(device, rows) <= rows.indices, count)


def _sources(device: Device, rows: Adjacency) -> Any:
    return builder(device, rows.arcs).row_of_arcs(rows.offsets, rows.num_arcs)


def _both_ways(arcs: int, directed: bool) -> str:
    return "" if directed else f", or {arcs} arcs"


def _widened(weights: Any, indices: Any) -> Any:
    """A copy of weights in 64 bits, or ones if there are no weights."""
    if weights is None:
        return indices * 0 + np.int64(1)
    return weights.copy() if weights.itemsize == 8 else in_64_bits(weights)
