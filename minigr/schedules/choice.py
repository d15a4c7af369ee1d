"""The option `balance`: which schedule assigns the edges of a frontier to workers.

``"auto"`` is ``"block"``: its search costs little if degrees are similar, and hubs are put off. Equal shares of all
edges cost a scan of the degrees and two more barriers for every frontier. They are chosen if a functor asks for ``idx``
over a list, because the scan finds it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, get_args

from minigr.errors import FunctorError
from minigr.program.node import check_choice
from minigr.schedules.groups import Groups
from minigr.schedules.rows import Rows
from minigr.schedules.schedule import Schedule
from minigr.schedules.shares import Shares

Balance = Literal["auto", "thread", "tile", "warp", "block", "merge"]
BALANCES: tuple[Any, ...] = get_args(Balance)
_WARP = 32
_SLAB_LANES = 8  # number of lanes that load a slab together


def _of_mean_degree(graph: Any) -> Schedule:
    if graph.layout == "slabs":
        return Groups(_SLAB_LANES)
    mean = graph.num_arcs / max(graph.num_vertices, 1)
    return Groups(min(1 << max(round(math.log2(max(mean, 1))), 0), _WARP))


SCHEDULES: dict[str, Callable[[Any], Schedule]] = {
    "thread": lambda graph: Groups(1),
    "tile": _of_mean_degree,
    "warp": lambda graph: Groups(_WARP),
    "block": lambda graph: Rows(),
    "merge": lambda graph: Shares(),
}
"""Functions that make the schedule for a graph, by the name of a strategy."""


def choose(balance: str, operator: str, needs_scan: bool, functor: str, graph: Any) -> Schedule:
    """The schedule for an option; `needs_scan`: `functor` asks for ``idx`` over a list.

    Raises
    ------
    ProblemError
        If the strategy is unknown.
    FunctorError
        If ``idx`` is needed, and the strategy does not supply it.
    """
    check_choice(balance, ("auto", *SCHEDULES), f"{operator}: balance")
    if balance == "auto":
        return Shares() if needs_scan else Rows()
    schedule = SCHEDULES[balance](graph)
    if needs_scan and not schedule.scans:
        raise FunctorError(
            f"functor {functor} asks {operator} for 'idx', the position among all edges visited, which takes a scan of "
            f"the frontier's degrees that balance={balance!r} doesn't make: use balance='merge' or 'auto', or 'seg' "
            "(position in the frontier) and 'rank' (in the row)"
        )
    return schedule
