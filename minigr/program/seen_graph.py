"""The parts of a graph that a functor's `graph` has: names, dtypes and arrays of out-edges, by layout."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from minigr.errors import FunctorError
from minigr.graphs.layouts import kernels_of
from minigr.jit.arguments import Argument
from minigr.jit.functor import GRAPH, Bound, Functor, bind
from minigr.jit.graph_parameter import LIMIT, NUMBER, WEIGHTS, Seen, rewrite
from minigr.jit.graph_walk import RowFunctions

if TYPE_CHECKING:
    from minigr.program.problem import Problem

_DTYPES = {"offsets": "int64", NUMBER: "int64", LIMIT: "int64"}  # of other parts: int32, or the weights' dtype


def bind_to(functor: type[Functor], name: str, problem: Problem) -> Bound | None:
    """Resolve the parameters of one function of a functor for a problem; None if the functor doesn't have it.

    Raises
    ------
    FunctorError
        If a parameter is neither supplied by the operator nor a field of the problem, or if the function uses the graph
        in a way that is not possible.
    """
    bound = bind(functor, name, problem._fields)
    if bound is None or not bound.uses(GRAPH):
        return bound
    graph = problem.graph
    if graph.layout == "parts":
        raise FunctorError(
            f"{bound.label} asks for 'graph', but a part has only the rows of its own vertices: pass what the "
            "function looks up as a field, or run over graph.gather()"
        )
    function, parts = rewrite(bound.function, bound.label, _seen(graph.layout, graph.weighted))
    arguments = [
        pair
        for kind, of in bound.arguments
        for pair in ([(GRAPH, part) for part in parts] if (kind, of) == ("supplied", GRAPH) else [(kind, of)])
    ]
    return replace(bound, function=function, arguments=tuple(arguments))


@cache
def _seen(layout: str, weighted: bool) -> Seen:
    module = kernels_of(layout)
    rows = module.rows(inward=False, ids=False, since=False)
    return Seen(RowFunctions(*(getattr(rows, name) for name in RowFunctions._fields)), module.ROW_ARRAYS, weighted)


def argument_of(part: str, graph: Any, debug: bool) -> Argument:
    """The argument for a part of the graph."""
    if part == LIMIT and debug:
        return Argument(_DTYPES[LIMIT], is_array=True, is_checked=True)
    dtype = graph.weight_dtype.name if part == WEIGHTS else _DTYPES.get(part, "int32")
    return Argument(dtype, is_array=part not in (NUMBER, LIMIT))


def value_of(part: str, graph: Any) -> Any:
    """A part of a graph: an array of its out-edges, or the number of its vertices."""
    return graph.num_vertices if part in (NUMBER, LIMIT) else getattr(graph.out_edges, part)


def counted(graph: Any) -> Any:
    """An array with an element for each vertex. In debug mode, it tells which vertices exist."""
    rows = graph.out_edges
    return rows.offsets[:-1] if graph.layout == "csr" else rows.degrees
