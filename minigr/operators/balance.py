"""Load balancing: how the edges of a frontier are dealt out to those who work on them, an option of advance and
neighbor_reduce.

``"auto"`` is ``"block"``: its search costs little where degrees are alike, and what it puts off takes care of hubs.
Equal shares of everything cost a scan of the frontier's degrees and two more barriers, whatever the frontier; they are
chosen where a functor asks for ``idx`` over a list, which is what the scan finds out.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from minigr.errors import FunctorError
from minigr.program.frontier import Handle
from minigr.program.node import check_choice

if TYPE_CHECKING:
    from minigr.program.cpu_text import CpuText
    from minigr.program.cuda_text import CudaText
    from minigr.program.node import Node

BALANCES = ("auto", "thread", "tile", "warp", "block", "merge")
_WARP = 32
_CHUNKS = 1024  # of a list, that blocks scan
_MOST_SHARES = 1 << 16  # of a neighbor_reduce: several for each warp of the largest GPUs


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


def lanes_for(balance: str, graph: Any) -> int:
    """Lanes that a vertex gets on the GPU; 0 where that depends on its degree."""
    if balance == "tile" and graph.layout == "slabs":
        return 8  # which load a slab together
    if balance == "tile":
        mean = graph.num_arcs / max(graph.num_vertices, 1)
        return min(1 << max(round(math.log2(max(mean, 1))), 0), _WARP)
    return {"thread": 1, "warp": _WARP}.get(balance, 0)


def scans(frontier: Handle, graph: Any) -> bool:
    """Whether it must be found out where rows begin among all edges of a frontier: offsets say it of all vertices."""
    return not frontier.everything or graph.layout != "csr"


def scan_buffers(frontier: Handle, graph: Any) -> dict[str, tuple[Any, Any, Any]]:
    """What the scan of the rows' lengths is kept in."""
    if not scans(frontier, graph):
        return {}
    rows = graph.num_vertices if frontier.everything else frontier.capacity
    return {"starts": (rows + 1, np.int64, None)}


def sum_buffers(frontier: Handle, graph: Any, parts: Any = _CHUNKS) -> dict[str, tuple[Any, Any, Any]]:
    """What those who scan leave for each other."""
    return {"sums": (parts, np.int64, None)} if scans(frontier, graph) else {}


def cpu_starts(text: CpuText, node: Node) -> str:
    """The expression for where a frontier's rows begin among all their edges, with one more for the end."""
    if not scans(node.input, text.graph):
        return "graph[0]"
    return f"{text.buffer(node, 'starts')}[:{text.length(node.input)} + 1]"


def cpu_scan(text: CpuText, node: Node, rows: str) -> list[str]:
    """The lines that find this out, with the barriers they need; `rows`: the expression for what is walked."""
    if not scans(node.input, text.graph):
        return []
    text.use("balance_cpu")
    k, found = node.index, f"{text.buffer(node, 'starts')}, {text.buffer(node, 'sums')}"
    source = "all" if node.input.everything else node.input.kind
    text.define(f"scan_{k} = balance_cpu.make_scan({rows}, {source!r})")
    length = text.length(node.input)
    return [
        f"scan_{k}(rank, size, graph, {text.items(node.input)}, {length}, {found})",
        "barrier(sync, size)",
        f"balance_cpu.join(rank, size, {length}, {found})",
        "barrier(sync, size)",
    ]


def cuda_starts(text: CudaText, node: Node, rows: str) -> str:
    """The expression for where a frontier's rows begin among all their edges."""
    return text.buffer(node, "starts") if scans(node.input, text.graph) else f"{rows}.offsets"


def cuda_scan(text: CudaText, node: Node, operator: str) -> list[list[str]]:
    """The lines of the phases that find this out for a list; `operator` has ``scan_lengths``."""
    if not scans(node.input, text.graph):
        return []
    items, length = text.items(node.input), text.length(node.input)
    starts, sums = text.buffer(node, "starts"), text.buffer(node, "sums")
    rows = f"const RowStarts<{_CHUNKS}> rows{{grid, {starts}, {sums}, {length}}};"
    return [[rows, f"{operator}.scan_lengths({items}, rows);"], [rows, "rows.join();"]]


def piece_buffers(dtype: Any) -> dict[str, tuple[Any, Any, Any]]:
    """What shares leave for each other of rows that they have a part of, in a neighbor_reduce on the GPU."""
    kinds = {"heads": dtype, "shared_rows": np.int64, "tails": dtype}
    return {name: (_MOST_SHARES, kind, None) for name, kind in kinds.items()}


def cuda_pieces(text: CudaText, node: Node, operand: str) -> str:
    """The expression for these."""
    arrays = ", ".join(text.buffer(node, name) for name in ("heads", "shared_rows", "tails"))
    return f"Pieces<{operand}>{{{arrays}, {_MOST_SHARES}}}"
