"""Checks of arguments that several apps share."""

from __future__ import annotations

import math
import operator
from numbers import Real
from typing import Any

import numpy as np

from minigr.device import CPU
from minigr.errors import GraphError, ProblemError
from minigr.graphs.checks import as_ids, readable
from minigr.graphs.given import require_graph
from minigr.missing import refuse_masked
from minigr.operators.options import BALANCES, DIRECTIONS
from minigr.program.node import check_choice
from minigr.signatures import F, names_options


def takes_graph(function: F, *, parts: bool = False) -> F:
    """Decorate `function` so that it refuses unknown options, and a first argument that is not a minigr graph.

    Every algorithm is decorated with this. `parts`: whether the graph may be a `PartitionedGraph`.
    """

    def check(arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
        if arguments or "graph" in options:
            require_graph(arguments[0] if arguments else options["graph"], function.__name__, parts=parts)
        progress = options.get("progress")
        if progress is not None and not callable(progress):
            raise ProblemError(f"{function.__name__}: progress={progress!r}: give a function of two numbers")

    return names_options(function, check)


def takes_parts(function: F) -> F:
    """As `takes_graph`, but the graph may also be a `PartitionedGraph`."""
    return takes_graph(function, parts=True)


def require(condition: bool, message: str) -> None:
    """Raise `ProblemError` with `message` unless `condition` holds (NaN parameters fail every comparison)."""
    if not condition:
        raise ProblemError(message)


def require_numbers(algorithm: str, **options: Any) -> None:
    """Raise `ProblemError` for an option that is not a number."""
    for name, value in options.items():
        require(isinstance(value, Real), f"{algorithm}: {name}={value!r} must be a number")


def check_how(algorithm: str, direction: Any, balance: Any, weighted: Any = False) -> None:
    """Check the options of a search before it starts.

    Raises
    ------
    ProblemError
        For an unknown `direction` or `balance`, and for a direction of a search by weight, which only pushes.
    """
    check_choice(direction, DIRECTIONS, f"{algorithm}: direction")
    check_choice(balance, BALANCES, f"{algorithm}: balance")
    require(
        direction in ("auto", "push") or not weighted,
        f"{algorithm}: direction={direction!r} is for searches by hops; searches by weight only push",
    )


def as_vertex(given: Any, count: int, name: str) -> int:
    """Return `given` as an int from 0 to `count` - 1.

    Raises
    ------
    GraphError
        If `given` is not such a number. The message has `name` and the range of vertices.
    """
    try:
        vertex = operator.index(given)
    except TypeError:
        raise GraphError(f"{name} must be a vertex id (an integer), got {given!r}") from None
    if not 0 <= vertex < count:
        there = f"vertices 0 to {count - 1}" if count else "no vertices"
        raise GraphError(f"{name} {vertex} is not a vertex: the graph has {there}")
    return vertex


def check_source(graph: Any, source: Any, name: str = "source") -> int:
    """Return `source` as an int that is a vertex of `graph`.

    Raises
    ------
    GraphError
        If `source` is not a vertex, or was deleted. The message has `name`.
    """
    vertex = as_vertex(source, graph.num_vertices, name)
    if graph.num_live_vertices < graph.num_vertices and not bool((graph.live_vertices() == vertex).any()):
        raise GraphError(f"{name} {vertex} is not a vertex: it was deleted from the graph")
    return vertex


def check_sources(graph: Any, sources: Any) -> Any:
    """Return `sources`, one vertex of `graph` or several, as an int32 array on the host, in the given order.

    Raises
    ------
    GraphError
        If a source is masked, or a bool, is not a vertex, or was deleted.
    """
    refuse_masked(sources, "sources")
    given = np.atleast_1d(CPU.asarray(readable(sources, "sources")))
    if given.size == 0:
        return np.empty(0, np.int32)
    if given.ndim == 1 and given.dtype.kind == "b":  # as integers, a mask would name vertices 0 and 1
        raise GraphError("sources must hold integer vertex ids, got a mask of bools: pass np.flatnonzero(sources)")
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise GraphError(f"source must be a vertex id (an integer), or several ids, got {sources!r}")
    outside = (given < 0) | (given >= graph.num_vertices)
    for vertex in given[outside][:1]:
        check_source(graph, vertex)
    if graph.num_live_vertices < graph.num_vertices:
        for vertex in given[~np.isin(given, CPU.asarray(graph.live_vertices()))][:1]:
            check_source(graph, vertex)
    return given.astype(np.int32)


def check_vertices(graph: Any, ids: Any, name: str) -> Any:
    """Return `ids`, vertices of `graph`, as an int32 array on the graph's device.

    Raises
    ------
    GraphError
        If `ids` are not vertex ids, or a vertex does not exist or was deleted. The message has `name`.
    """
    found = as_ids(graph._device, ids, name, graph.num_vertices)
    if graph.num_live_vertices < graph.num_vertices:
        there = graph._device.full(graph.num_vertices, False, np.bool_)
        there[graph.live_vertices()] = True
        gone = ~there[found]
        if bool(gone.any()):
            position = int(gone.argmax())
            raise GraphError(f"{name}[{position}] is {int(found[position])}, which was deleted from the graph")
    return found


def require_nonnegative_weights(graph: Any, algorithm: str) -> float:
    """Return the mean weight of `graph`, which must have weights that are finite and at least 0.

    Raises
    ------
    GraphError
        If the graph has no weights, or one that is negative or infinite.
    """
    if not graph.weighted:
        raise GraphError(f"{algorithm} needs weights, but the graph has none: use bfs for hop counts, or give weights")
    least, mean, greatest = graph.weight_summary()
    if least < 0:  # no advice to add a constant to all weights: other paths would be the shortest
        raise GraphError(
            f"{algorithm} needs weights of at least 0, but the least is {least}: leave out edges with negative "
            "weights, or give other weights by graph.with_weights"
        )
    if greatest == float("inf"):
        raise GraphError(f"{algorithm} needs finite weights, but the greatest is inf: leave out infinite weights")
    return mean


def scale_of(graph: Any) -> float:
    """A power of 2 that scales the weights of `graph`, which must be finite, to at most 1.

    Scaled weights have the same ratios, to the last bit, and products and sums of them stay in the range of float64.
    Weights so small that a factor of 2**1000 doesn't bring the greatest near 1 are scaled by that.

    Examples
    --------
    >>> import minigr as mg
    >>> scale_of(mg.Graph.from_edges([0, 1], [1, 2], [0.1, 5.0], device="cpu"))
    0.125
    """
    return math.ldexp(1.0, min(-math.frexp(graph.weight_summary()[2])[1], 1000)) if graph.weighted else 1.0


def require_nonnegative_batch(weights: Any, algorithm: str) -> None:
    """Raise `GraphError` with the first weight of a batch that is negative or infinite; `weights` may be None."""
    if weights is None:
        return
    bad = (weights < 0) | (weights == float("inf"))
    if bool(bad.any()):
        position = int(bad.argmax())
        raise GraphError(f"weights[{position}] is {weights[position]}: {algorithm} needs finite weights of at least 0")


_GREATEST = 1e290  # the greatest weight of a batch: the sum of 2**31 such weights is finite


def require_summable_batch(weights: Any, algorithm: str) -> None:
    """Raise `GraphError` with the first weight of a batch whose sums float64 cannot hold; `weights` may be None."""
    require_nonnegative_batch(weights, algorithm)
    if weights is None or weights.dtype != np.float64:  # weights of float32 are never out of range
        return
    bad = (weights > _GREATEST) | ((weights < 1 / _GREATEST) & (weights > 0))
    if bool(bad.any()):
        position = int(bad.argmax())
        raise GraphError(
            f"weights[{position}] is {weights[position]}: {algorithm} needs weights that are 0 or from {1 / _GREATEST} "
            f"to {_GREATEST}, whose sums float64 holds: divide all weights by their mean"
        )
