"""The types that operators call a functor's functions with, on both targets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minigr.jit.arguments import Argument
from minigr.jit.functor import GRAPH, Bound
from minigr.program.seen_graph import argument_of

if TYPE_CHECKING:
    from minigr.program.problem import Problem


def _supplied_dtypes(graph: Any) -> dict[str, str]:
    """The dtype of each name that operators supply, except ``a``, ``b`` and the names in `Bound.kinds`."""
    weight = graph.weight_dtype.name if graph.weighted else "int64"
    int32 = dict.fromkeys(("src", "dst", "vertex", "common", "iteration"), "int32")
    int64 = dict.fromkeys(("edge", "src_edge", "dst_edge", "rank", "idx", "seg", "count"), "int64")
    return {**int32, **int64, "weight": weight}


def arguments_of(bound: Bound, problem: Problem, debug: bool = False) -> list[Argument]:
    """The types of the arguments with which `bound` is called, in debug mode or not."""
    supplied: dict[str, str] = _supplied_dtypes(problem.graph) | dict(bound.kinds)
    found: list[Argument] = []
    for kind, name in bound.arguments:
        if kind == "supplied":
            found.append(Argument(supplied.get(name) or bound.operand))
        elif kind == GRAPH:
            found.append(argument_of(name, problem.graph, debug))
        else:
            is_array = problem._fields[name].is_array
            checked = is_array and debug
            found.append(Argument(problem._dtypes[name].name, is_array, problem._columns[name], checked))
    return found
