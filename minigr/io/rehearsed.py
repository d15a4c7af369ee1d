"""What reading a file would take, where its head says how large the graph is; nothing else of the file is read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from minigr.device import Device
from minigr.errors import EstimateError
from minigr.graphs import Graph
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.arcs import Arcs
from minigr.graphs.backend import builder
from minigr.held import with_arrays
from minigr.io import dimacs, folder, matrix_market_head, pace
from minigr.io.contents import Edges, Options, Rows, graph_of, redirected
from minigr.io.many import Files
from minigr.io.registry import format_of
from minigr.io.source import BLOCK, largest_content, open_source
from minigr.outline import Outline

_PARSED = 6  # bytes for each byte of a block of text: the text, and about as much for its columns as short rows take


def read(
    files: Files,
    format: str | None,
    options: Options,
    directed: bool | None,
    weight_dtype: Any,
    device: Device,
    arcs: Literal["device", "host"],
) -> Graph:
    """An outline of the graph in a file, made as `minigr.read` makes the graph.

    Raises
    ------
    EstimateError
        If the file doesn't say how large the graph is, or ids are to be numbered by rank.
    """
    if files.several or options.relabel:
        raise EstimateError("there is no estimate of a graph of several files, and none with relabel=True")
    path, kind = files.name, format_of(files.name, format)
    home = device.host if arcs == "host" else device
    contents = _rows(path, options, home.host) if kind == "minigr" else _edges(path, kind, options, weight_dtype, home)
    if isinstance(contents, Edges) and not home.is_cuda:
        graph = redirected(_in_parts(contents, path, home, locked=device.is_cuda), directed)
    else:
        graph = graph_of(contents, path, options=options, directed=directed, weight_dtype=weight_dtype, device=home)
    return graph.to(device, arcs=arcs)


def _rows(path: Path, options: Options, host: Device) -> Rows:
    """The rows in a folder, which are mapped to look at their ends."""
    rows = folder.read(path, replace(options, mmap=True))
    if options.mmap:
        return rows

    def read_into_memory(array: Any) -> Any:
        return Outline(host, array.shape, array.dtype, values=array)

    return with_arrays(replace(rows, mapped=False), read_into_memory)


def _edges(path: Path, kind: str, options: Options, weight_dtype: Any, device: Device) -> Edges:
    vertices = edges = None
    if kind == "mtx":
        with open_source(path, False) as handle:
            told = matrix_market_head.read_head(handle, path)
        if told.layout == "coordinate" and told.symmetry != "skew-symmetric":
            vertices, edges = told.size, told.entries
        says, weighted = told.symmetry != "symmetric", told.field != "pattern"
        found = np.float64 if told.field == "real" else np.int32
    elif kind == "gr":
        with open_source(path, False) as handle:
            if not pace.begins_here(handle):
                p_line = dimacs.head_of(handle, path)
                vertices, edges = p_line.vertices, p_line.arcs
        says, weighted, found = True, True, np.int32
    if vertices is None or edges is None:
        raise EstimateError(
            f"{path}: there is no estimate, because the file doesn't say how large its graph is where a few lines tell "
            "it: make a .minigr folder of it with mg.convert"
        )
    kinds: list[Any] = [np.int32, np.int32]
    if weighted and options.weights:
        kinds.append(found if weight_dtype is None else weight_dtype)
    # On the CPU they are never all in memory.
    held = [Outline(device.host, edges, dtype, of=None if device.is_cuda else path) for dtype in kinds]
    joined = [array.copy() for array in held] if device.is_cuda else held
    return Edges(joined[0], joined[1], joined[2] if len(joined) > 2 else None, vertices, says)


def _in_parts(edges: Edges, path: Path, device: Any, *, locked: bool) -> Graph:
    """As `minigr.io.build` makes it; `locked`: with page-locked arcs."""
    block = device.empty(_PARSED * min(BLOCK, largest_content(path)), np.uint8)
    arcs = Arcs(edges.dst, src=edges.src, weights=edges.weights, mirror=not edges.directed)
    offsets, *longer, _ = builder(device).rows(edges.num_vertices or 0, arcs)
    if locked:
        longer = [None if array is None else array.as_locked_for(device) for array in longer]
    rows = Adjacency(offsets, *longer)
    del block
    return Graph(rows, bool(edges.directed), device)
