"""Where each row of a frontier begins among all edges of the frontier: a scan of the rows' lengths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from minigr.program.cpu_text import CpuText
    from minigr.program.cuda_text import CudaText
    from minigr.program.frontier import Handle
    from minigr.program.node import Node
    from minigr.schedules.schedule import Buffers

_CHUNKS = 1024  # maximum number of chunks of a list that a GPU's blocks scan


def are_scanned(frontier: Handle, graph: Any) -> bool:
    """Whether the starts of rows must be computed. For all vertices, the offsets of CSR are the starts."""
    return not frontier.everything or graph.layout != "csr"


def buffers(frontier: Handle, graph: Any) -> Buffers:
    """The buffer for the result of the scan."""
    if not are_scanned(frontier, graph):
        return {}
    rows = graph.num_vertices if frontier.everything else frontier.capacity
    return {"starts": (rows + 1, np.int64, None)}


def sum_buffers(frontier: Handle, graph: Any, parts: Any = _CHUNKS) -> Buffers:
    """The buffer for the sums that the scanning threads or blocks exchange."""
    return {"sums": (parts, np.int64, None)} if are_scanned(frontier, graph) else {}


def cpu(text: CpuText, node: Node, inward: bool) -> str:
    """The expression for the starts of the rows in one direction, followed by the end of the last row."""
    if not are_scanned(node.input, text.graph):
        return "graph[3]" if inward else "graph[0]"
    return f"{text.buffer(node, 'starts')}[:{text.length(node.input)} + 1]"


def cpu_scan(text: CpuText, node: Node, rows: str) -> list[str]:
    """The lines that compute the starts, with barriers; `rows`: the expression for the object that reads rows."""
    if not are_scanned(node.input, text.graph):
        return []
    text.use("starts_cpu", "schedules")
    k, found = node.index, f"{text.buffer(node, 'starts')}, {text.buffer(node, 'sums')}"
    source = "all" if node.input.everything else node.input.kind
    text.define(f"scan_{k} = starts_cpu.make_scan({rows}, {source!r})")
    length = text.length(node.input)
    return [
        f"scan_{k}(rank, size, graph, {text.items(node.input)}, {length}, {found})",
        "barrier(sync, size)",
        f"starts_cpu.join(rank, size, {length}, {found})",
        "barrier(sync, size)",
    ]


def cuda_scan(text: CudaText, node: Node, rows: tuple[str, str], vertices: str) -> list[str]:
    """The lines of the phases that compute the starts; `vertices`: the expression for the vertices of the frontier."""
    if not are_scanned(node.input, text.graph):
        return []
    kind, name = rows
    scan = f"RowStarts<{_CHUNKS}>{{grid, {text.buffer(node, 'starts')}, {text.buffer(node, 'sums')}}}"
    return [f"{scan}.scan({name}, {vertices});", f"{scan}.join<{kind}>({text.length(node.input)});"]
