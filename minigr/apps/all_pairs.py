"""Distances between all pairs of vertices, in blocks of sources."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.checks import check_how, check_sources, require, takes_graph
from minigr.apps.multi_source_bfs import TOGETHER, multi_source_bfs
from minigr.apps.sssp import SSSPEnactor, default_delta, distance_dtype
from minigr.device import CPU
from minigr.errors import ProblemError
from minigr.memory import out_of_memory
from minigr.memory import require as require_memory
from minigr.operators.options import Balance, Direction
from minigr.program.control import Driver
from minigr.program.executor import check_driver


@dataclass(frozen=True)
class DistancesBlock:
    """Distances from some sources.

    Attributes
    ----------
    sources : int32 array, on the host
    distance : array [sources, vertices]
        By hops int32, and -1 if there is no path. By weight float32 or float64, as in `sssp`, and inf if there is no
        path.
    """

    sources: Any
    distance: Any


@takes_graph
def all_pairs(
    graph: Any,
    sources: Any = None,
    *,
    block: int = TOGETHER,
    weighted: bool = False,
    direction: Direction = "auto",
    balance: Balance = "auto",
    driver: Driver = "auto",
) -> Iterator[DistancesBlock]:
    """Distances from all vertices to all others along the direction of edges, in blocks of `block` sources.

    Each block is computed when the caller asks for it, so memory is needed for one block and not for all pairs. Extract
    the values that you need from a block, and then release the block. The distances are the same in every run.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    sources : sequence of int, optional
        The vertices to search from, in this order. By default, all vertices that are not deleted.
    block : int
        The number of sources in each block except the last. By hops, up to 64 sources are searched from together.
    weighted : bool
        If True, distances are sums of weights, which must be at least 0. If False, distances are numbers of hops.
    direction : {"auto", "push", "pull"}
        Whether a step follows the edges of its frontier (push), or other vertices look for the frontier (pull), as in
        `minigr.operators.advance`. Searches by weight only push. The choice changes only the speed.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. The choice changes only the speed.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Returns
    -------
    iterator of DistancesBlock

    Raises
    ------
    GraphError
        If one of `sources` is not a vertex of the graph. If ``direction="pull"`` and the graph keeps no in-edges. By
        weight, if the graph has no weights, or a negative or infinite weight.
    ProblemError
        If `block` is not a whole number of at least 1. If `direction`, `balance` or `driver` is unknown. If
        ``direction="pull"`` is given together with `weighted`, or with a balance other than
        ``"auto"`` or ``"block"``.
    OutOfMemoryError
        If the device has no room for a block. The error is raised when the caller asks for the block.

    Notes
    -----
    By hops, the work equals the work of `multi_source_bfs`. By weight, each source takes one search as in `sssp`.
    Memory is 4 or 8 bytes for each source of a block and each vertex, plus the memory of one search. While a block is
    computed, the caller may still hold the previous block.

    Examples
    --------
    >>> import minigr as mg
    >>> for found in mg.all_pairs(mg.generate.path(3, device="cpu"), block=2):
    ...     print(found.sources, found.distance.tolist())
    [0 1] [[0, 1, 2], [1, 0, 1]]
    [2] [[2, 1, 0]]
    """
    try:
        count = operator.index(block)
    except TypeError:
        raise ProblemError(f"all_pairs: block={block!r} must be a whole number of sources") from None
    require(count >= 1, f"all_pairs: block={block} must be at least 1")
    check_how("all_pairs", direction, balance, weighted)
    options: dict[str, Any] = {"balance": balance, "driver": check_driver(driver, graph, False)}
    if sources is not None:
        chosen = check_sources(graph, sources)
    elif graph.num_live_vertices == graph.num_vertices:
        chosen = range(graph.num_vertices)
    else:
        chosen = CPU.asarray(graph.live_vertices())
    width = default_delta(graph, "all_pairs by weight") if weighted else None
    how = options if weighted else {**options, "direction": direction}
    return _blocks(graph, chosen, count, width, how)


def _blocks(graph: Any, chosen: Any, count: int, width: float | None, how: dict[str, Any]) -> Iterator[DistancesBlock]:
    for first in graph._device.rounds(range(0, len(chosen), count)):
        part = np.array(chosen[first : first + count], np.int32)
        if width is None:
            yield DistancesBlock(part, multi_source_bfs(graph, part, **how).depth)
        else:
            yield DistancesBlock(part, _by_weight(graph, part, width, **how))


@out_of_memory
def _by_weight(graph: Any, sources: Any, width: float, balance: Balance, driver: Driver) -> Any:
    shape, dtype = (len(sources), graph.num_vertices), np.dtype(distance_dtype(graph))
    require_memory(graph._device, dtype.itemsize * shape[0] * shape[1], f"distances from {shape[0]:,} sources")
    found = graph._device.empty(shape, dtype)
    enactor = SSSPEnactor(graph, driver=driver)
    enactor.balance = balance
    for row, source in enumerate(graph._device.rounds(sources)):
        enactor.problem.reset()
        enactor.run(int(source), width)
        found[row] = enactor.problem.distance
    return found
