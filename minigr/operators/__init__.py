"""The operators: advance, filter, neighbor_reduce, compute, intersect, near_far.

Called from here they run at once, on a Problem and a Frontier; called as methods of an Enactor, inside ``step``, they
are recorded and run in the enactor's loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigr.operators.advance import record as _record_advance
from minigr.operators.compute import record as _record_compute
from minigr.operators.filter import record as _record_filter
from minigr.operators.frontier import Frontier
from minigr.operators.intersect import record as _record_intersect
from minigr.operators.near_far import record as _record_near_far
from minigr.operators.neighbor_reduce import record as _record_neighbor_reduce
from minigr.operators.node import Node

RECORDERS: dict[str, Callable[..., Node]] = {
    "advance": _record_advance,
    "compute": _record_compute,
    "filter": _record_filter,
    "intersect": _record_intersect,
    "near_far": _record_near_far,
    "neighbor_reduce": _record_neighbor_reduce,
}

__all__ = ["Frontier", "advance", "compute", "filter", "intersect", "neighbor_reduce"]


def advance(problem: Any, frontier: Frontier, functor: Any, **options: Any) -> Frontier | None:
    """Run one advance now; the options are those of `minigr.operators.advance.record`.

    ``balance=`` forces how edges are dealt out: ``"thread"``, ``"tile"``, ``"warp"``, ``"block"`` or ``"merge"``.

    Returns
    -------
    Frontier or None
        None with ``output=None``.

    Examples
    --------
    >>> import numpy as np
    >>> import minigr as mg
    >>> class Nothing(mg.Problem):
    ...     pass
    >>> class Every(mg.Functor):
    ...     def cond_advance(src):
    ...         return True
    >>> problem = Nothing(mg.generate.path(4, device="cpu"))
    >>> sorted(mg.operators.advance(problem, mg.Frontier.of([1]), Every).ids.tolist())
    [0, 2]
    """
    return _run("advance", problem, frontier, functor, options)


def filter(problem: Any, frontier: Frontier, functor: Any = None, **options: Any) -> Frontier:
    """Run one filter now; the options are those of `minigr.operators.filter.record`.

    Examples
    --------
    >>> import minigr as mg
    >>> class Nothing(mg.Problem):
    ...     pass
    >>> class Odd(mg.Functor):
    ...     def cond_filter(vertex):
    ...         return vertex % 2 == 1
    >>> problem = Nothing(mg.generate.path(4, device="cpu"))
    >>> sorted(mg.operators.filter(problem, mg.Frontier.all_vertices(), Odd).ids.tolist())
    [1, 3]
    """
    result = _run("filter", problem, frontier, functor, options)
    assert result is not None
    return result


def compute(problem: Any, frontier: Frontier, functor: Any, **options: Any) -> None:
    """Run one compute now; the options are those of `minigr.operators.compute.record`."""
    _run("compute", problem, frontier, functor, options)


def intersect(problem: Any, frontier: Frontier, functor: Any, **options: Any) -> None:
    """Run one intersect now; the options are those of `minigr.operators.intersect.record`.

    Examples
    --------
    >>> import numpy as np
    >>> import minigr as mg
    >>> class Supports(mg.Problem):
    ...     support = mg.edge_field(np.int64)
    >>> class Count(mg.Functor):
    ...     def apply_count(edge, count, support):
    ...         support[edge] = count
    >>> problem = Supports(mg.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], device="cpu"))
    >>> mg.operators.intersect(problem, mg.Frontier.all_edges(), Count)
    >>> problem.support
    array([1, 1, 1, 1, 1, 1, 0, 0])
    """
    _run("intersect", problem, frontier, functor, options)


def neighbor_reduce(problem: Any, frontier: Frontier, functor: Any, **options: Any) -> None:
    """Run one neighbor-reduce now; the options are those of `minigr.operators.neighbor_reduce.record`.

    ``balance=`` forces how edges are dealt out, as in `advance`.

    Examples
    --------
    >>> import numpy as np
    >>> import minigr as mg
    >>> class Degrees(mg.Problem):
    ...     degree = mg.vertex_field(np.int64)
    >>> class One(mg.Functor):
    ...     def map(src):
    ...         return 1
    >>> problem = Degrees(mg.generate.star(4, device="cpu"))
    >>> mg.operators.neighbor_reduce(problem, mg.Frontier.all_vertices(), One, reduce="add", into="degree")
    >>> problem.degree
    array([3, 1, 1, 1])
    """
    _run("neighbor_reduce", problem, frontier, functor, options)


def _run(operator: str, problem: Any, frontier: Frontier, functor: Any, options: dict[str, Any]) -> Frontier | None:
    from minigr.enactor.once import run_once

    return run_once(operator, problem, frontier, functor, options)
