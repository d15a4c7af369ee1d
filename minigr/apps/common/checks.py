"""Checks that several apps make of their arguments."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from minigr.device import CPU
from minigr.errors import GraphError, ProblemError
from minigr.graphs.checks import as_ids
from minigr.graphs.given import require_graph
from minigr.missing import refuse_masked
from minigr.operators.options import BALANCES, DIRECTIONS
from minigr.program.node import check_choice
from minigr.signatures import F, names_options


def takes_graph(function: F, *, parts: bool = False) -> F:
    """`function`, which refuses a first argument that is no graph of minigr, and options that it doesn't have.

    Every algorithm passes through here. `parts`: whether the graph may be in parts.
    """

    def check(arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
        if arguments or "graph" in options:
            require_graph(arguments[0] if arguments else options["graph"], function.__name__, parts=parts)
        progress = options.get("progress")
        if progress is not None and not callable(progress):
            raise ProblemError(f"{function.__name__}: progress={progress!r}: give a function of two numbers")

    return names_options(function, check)


def takes_parts(function: F) -> F:
    """`function` as `takes_graph` makes it, whose graph may also be a `PartitionedGraph`."""
    return takes_graph(function, parts=True)


def require(condition: bool, message: str) -> None:
    """Raise `ProblemError` with `message` unless `condition` holds (NaN parameters fail every comparison)."""
    if not condition:
        raise ProblemError(message)


def check_how(algorithm: str, direction: Any, balance: Any, weighted: Any = False) -> None:
    """Check how searches are to be done, before there is one.

    Raises
    ------
    ProblemError
        For an unknown `direction` or `balance`, and for a direction of a search by weight, which only pushes.
    """
    check_choice(direction, DIRECTIONS, f"{algorithm}: direction")
    check_choice(balance, BALANCES, f"{algorithm}: balance")
    require(
        direction in ("auto", "push") or not weighted,
        f"{algorithm}: direction={direction!r} is for searches by hops; those by weight only push",
    )


def as_vertex(given: Any, count: int, name: str) -> int:
    """`given` as an int from 0 to `count` - 1.

    Raises
    ------
    GraphError
        If it is not, saying which vertices there are; calls it by `name`.
    """
    try:
        vertex = operator.index(given)
    except TypeError:
        raise GraphError(f"{name} must be a vertex id (an integer), got {given!r}") from None
    if not 0 <= vertex < count:
        there = f"vertices 0 to {count - 1}" if count else "none"
        raise GraphError(f"{name} {vertex} is not a vertex: the graph has {there}")
    return vertex


def check_source(graph: Any, source: Any, name: str = "source") -> int:
    """`source`, or what else is called `name`, as an int that is a vertex of `graph`.

    Raises
    ------
    GraphError
        If it is not, saying which vertices there are, or was deleted; calls it by `name`.
    """
    vertex = as_vertex(source, graph.num_vertices, name)
    if graph.num_live_vertices < graph.num_vertices and not bool((graph.live_vertices() == vertex).any()):
        raise GraphError(f"{name} {vertex} is not a vertex: it was deleted from the graph")
    return vertex


def check_sources(graph: Any, sources: Any) -> Any:
    """int32 on the host: `sources`, one vertex of `graph` or several, in the order given.

    Raises
    ------
    GraphError
        If one of them is not a vertex, as `check_source` does, or is masked.
    """
    refuse_masked(sources, "sources")
    given = np.atleast_1d(CPU.asarray(sources))
    if given.size == 0:
        return np.empty(0, np.int32)
    if given.ndim != 1 or given.dtype.kind not in "iub":
        raise GraphError(f"source must be a vertex id (an integer), or several, got {sources!r}")
    outside = (given < 0) | (given >= graph.num_vertices)
    for vertex in given[outside][:1]:
        check_source(graph, vertex)
    if graph.num_live_vertices < graph.num_vertices:
        for vertex in given[~np.isin(given, CPU.asarray(graph.live_vertices()))][:1]:
            check_source(graph, vertex)
    return given.astype(np.int32)


def check_vertices(graph: Any, ids: Any, name: str) -> Any:
    """int32 on the graph's device: ids of vertices of `graph`.

    Raises
    ------
    GraphError
        If they are none, or one is not there or was deleted; calls them by `name`.
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
    """The mean weight of `graph`, whose weights must be there, finite and at least 0.

    Raises
    ------
    GraphError
        If the graph has no weights, or one that is negative or infinite.
    """
    if not graph.weighted:
        raise GraphError(f"{algorithm} needs weights, and the graph has none: use bfs for hop counts, or give weights")
    least, mean, greatest = graph.weight_summary()
    if least < 0:
        raise GraphError(f"{algorithm} needs weights of at least 0, but the least is {least}: shift or drop negatives")
    if greatest == float("inf"):
        raise GraphError(f"{algorithm} needs finite weights, but the greatest is inf: leave such edges out")
    return mean


def scale_of(graph: Any) -> float:
    """A power of 2 by which the weights of `graph`, which must be finite, come to at most 1.

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
    """Raise `GraphError` if one of the weights of a batch, if it has any, is negative or infinite, naming the first."""
    if weights is None:
        return
    bad = (weights < 0) | (weights == float("inf"))
    if bool(bad.any()):
        position = int(bad.argmax())
        raise GraphError(f"weights[{position}] is {weights[position]}: {algorithm} needs finite weights of at least 0")


_GREATEST = 1e290  # weight of a batch: a sum of as many as an int32 counts is finite


def require_summable_batch(weights: Any, algorithm: str) -> None:
    """Raise `GraphError` if float64 does not hold sums of the weights of a batch, if it has any, naming the first."""
    require_nonnegative_batch(weights, algorithm)
    if weights is None or weights.dtype != np.float64:  # float32 holds no weight that is out of range
        return
    bad = (weights > _GREATEST) | ((weights < 1 / _GREATEST) & (weights > 0))
    if bool(bad.any()):
        position = int(bad.argmax())
        raise GraphError(
            f"weights[{position}] is {weights[position]}: {algorithm} needs weights that are 0 or from {1 / _GREATEST} "
            f"to {_GREATEST}, whose sums float64 holds: divide all weights by their mean"
        )
