"""The option `balance`: which schedule deals out the edges of a frontier.

``"auto"`` is ``"block"``: its search costs little where degrees are alike, and what it puts off takes care of hubs.
Equal shares of everything cost a scan of the frontier's degrees and two more barriers, whatever the frontier; they are
chosen where a functor asks for ``idx`` over a list, which is what the scan finds out.
"""

from __future__ import annotations

import math
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
_SLAB_LANES = 8  # load a slab together


def resolve(balance: str, operator: str, needs_scan: bool, functor: str) -> str:
    """The strategy for an option; `needs_scan`: `functor` asks for ``idx`` over a list.

    Raises
    ------
    ProblemError
        For an unknown strategy.
    FunctorError
        For one that doesn't know ``idx``, where it is needed.
    """
    check_choice(balance, BALANCES, f"{operator}: balance")
    if needs_scan and balance not in ("auto", "merge"):
        raise FunctorError(
            f"functor {functor} asks {operator} for 'idx', the position among all edges visited, which takes a scan of "
            f"the frontier's degrees that balance={balance!r} doesn't make: use balance='merge' or 'auto', or 'seg' "
            "(position in the frontier) and 'rank' (in the row)"
        )
    if balance == "auto":
        return "merge" if needs_scan else "block"
    return balance


def schedule_for(balance: str, graph: Any) -> Schedule:
    """The GPU's schedule for a strategy that `resolve` gave."""
    if balance == "merge":
        return Shares()
    if balance == "block":
        return Rows()
    if balance != "tile":
        return Groups({"thread": 1, "warp": _WARP}[balance])
    if graph.layout == "slabs":
        return Groups(_SLAB_LANES)
    mean = graph.num_arcs / max(graph.num_vertices, 1)
    return Groups(min(1 << max(round(math.log2(max(mean, 1))), 0), _WARP))
