"""Graphs in parts from files: each process reads a share of the rows, and sends the arcs to their owners."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from minigr.device import CPU
from minigr.errors import FormatError, GraphError
from minigr.graphs import Graph
from minigr.graphs.checks import as_ids
from minigr.graphs.partitioned.deal import Rule
from minigr.graphs.partitioned.exchange import Exchange
from minigr.graphs.partitioned.graph import Devices, PartitionedGraph, graph_of_shares, homes_of
from minigr.graphs.partitioned.part import joined
from minigr.graphs.partitioned.share import Counted, Piece, Share
from minigr.io.contents import Options, Parts, may_count, plausible_count
from minigr.io.many import Files, Said, as_one, edges_of, files_of
from minigr.io.ranks import ranked
from minigr.io.registry import NAMED, format_of
from minigr.io.shares import check_same, portions_of
from minigr.io.sizes import require_room
from minigr.io.source import Unchanged
from minigr.io.weighing import Weighing

WHOLE = ("minigr", "graph", "npz", *NAMED)
"""The formats of files that hold a graph, not a list of edges. One process reads the file and deals out its rows."""
AT_ONCE = 1 << 20
"""Edges per exchange. More edges would take more memory, and fewer edges more messages between processes."""


def read(
    path: str | os.PathLike | Sequence[str | os.PathLike], format: str | None, options: Options, directed: bool | None,
    weight_dtype: Any, devices: Devices, deal: Rule, whole: Callable[[], Graph],
) -> PartitionedGraph:  # fmt: skip
    """Implements `minigr.read` with `devices`; `whole` reads the graph as a single graph on the CPU."""
    exchange, homes = homes_of(devices, deal)
    if options.mmap:
        with exchange.together():
            graph = whole()
        return PartitionedGraph.from_graph(graph, devices=devices, deal=deal)
    with exchange.together():
        files = files_of(path, format)
        check_same(files, exchange)
        if not files.several and format_of(files.name, format) in WHOLE:
            share, directed = _of_graph(whole, exchange)
        else:
            share, directed = _of_edges(files, format, options, directed, weight_dtype, exchange)
        return graph_of_shares(share, exchange, homes, directed=directed, deal=deal)


def _of_graph(whole: Callable[[], Graph], exchange: Exchange) -> tuple[Share, bool]:
    """The rows of a graph for the process that reads it, no rows for other processes; whether the graph is directed."""
    graph = whole() if exchange.process[0] == 0 else None
    facts = None if graph is None else (graph.num_vertices, graph.weight_dtype, graph.directed)
    n, dtype, directed = exchange.of_processes(facts)[0]

    def rows() -> Iterator[Piece]:
        if graph is None:
            return
        offsets, weights = graph.offsets, graph.weights
        full = np.searchsorted(offsets, np.arange(AT_ONCE, graph.num_arcs, AT_ONCE), side="right")
        for first, end in zip([0, *full], [*full, n], strict=True):
            at = slice(int(offsets[first]), int(offsets[end]))
            src = np.repeat(np.arange(first, end, dtype=np.int32), np.diff(offsets[first : end + 1]))
            yield src, graph.indices[at], None if weights is None else weights[at]

    return Share(rows, n, False, dtype), directed


def _of_edges(
    files: Files, format: str | None, options: Options, asked: bool | None, weight_dtype: Any, exchange: Exchange
) -> tuple[Share, bool]:
    """This process's share of the edges in files; whether the graph is directed."""
    process, processes = exchange.process
    portions = portions_of(files, format, process, processes)
    shown = options.progress if process == 0 else False
    of_file, of_all = (shown, False) if len(portions) == 1 else (False, shown)
    parts = [edges_of(each.path, format, replace(options, progress=of_file, span=each.span)) for each in portions]
    own = [Said.by(each.path, part) for each, part in zip(portions, parts, strict=True)]
    said = [each for of_process in exchange.of_processes(own) for each in of_process]
    one = as_one(files.name, portions, parts, said, replace(options, progress=of_all))
    if options.relabel:
        one = ranked(one, exchange.of_processes)
    says_directed = bool(asked) if one.directed is None else one.directed
    share = _looked_through(one, files.name, options, weight_dtype, not says_directed or asked is False, exchange)
    return share, says_directed if asked is None else asked


def _looked_through(
    parts: Parts, path: Path, options: Options, weight_dtype: Any, mirrored: bool, exchange: Exchange
) -> Share:
    """The share of edges after a first pass, which finds the largest id, the range of weights and the degrees."""
    unchanged, weighing, degrees = Unchanged(parts.paths), Weighing(parts, weight_dtype), _Degrees(path, mirrored)
    edges, largest, pieces = 0, -1, 0
    for src, dst, _ in _batches(_seen(parts, weighing)):
        pieces, edges = pieces + 1, edges + len(src)
        largest = max(largest, int(src.max()), int(dst.max()))
        if may_count(largest, edges, options):
            degrees.add(src, dst, largest + 1)
        else:
            degrees.give_up()
    facts = exchange.of_processes((edges, largest, weighing.seen))
    for *_, seen in facts:
        weighing.seen = weighing.seen.beside(seen)
    edges, largest = sum(each[0] for each in facts), max(each[1] for each in facts)
    n = plausible_count(path, parts.num_vertices, largest, edges, options)
    found = degrees.of(n)
    try:
        dtype = weighing.dtype
    except GraphError as error:
        raise FormatError(path, str(error)) from error

    def read() -> Iterator[Piece]:
        yield from islice(_batches(_stored(parts, weighing, n)), pieces)  # a file that has grown has more batches
        unchanged.check()

    return Share(read, n, mirrored, dtype, counted=None if found is None else Counted(found, pieces))


class _Degrees:
    """The number of arcs that leave each vertex, for the vertices seen so far.

    A count passes through all vertices. So sources are collected until they are many compared with the vertices.
    """

    def __init__(self, path: Path, mirrored: bool) -> None:
        self._path, self._mirrored = path, mirrored
        self._found: Any = np.zeros(0, np.int64)
        self._waiting: list[Any] = []

    def add(self, src: Any, dst: Any, n: int) -> None:
        """Count the arcs of some edges whose ends are less than n."""
        if self._found is None:
            return
        self._waiting += [src, dst[src != dst]] if self._mirrored else [src]
        if n > len(self._found):
            self._found = self._as_long(max(n, 2 * len(self._found)))
        if 4 * sum(map(len, self._waiting)) > len(self._found):
            self._count()

    def _count(self) -> None:
        if self._waiting:
            self._found += np.bincount(np.concatenate(self._waiting), minlength=len(self._found))
            self._waiting = []

    def give_up(self) -> None:
        """Stop counting, because ids are implausibly large. If they are right, the edges are counted later."""
        self._found, self._waiting = None, []

    def of(self, n: int) -> Any:
        """The degrees of n vertices; None if not all edges were counted."""
        if self._found is None:
            return None
        self._count()
        return self._as_long(n)

    def _as_long(self, n: int) -> Any:
        require_room(self._path, 16 * n, f"the degrees of {n:,} vertices")
        found = np.zeros(n, np.int64)
        kept = min(n, len(self._found))
        found[:kept] = self._found[:kept]
        return found


def _seen(parts: Parts, weighing: Weighing) -> Iterator[Piece]:
    """The edges without weights. The weights are passed to `weighing`."""
    for part in parts.read():
        if part.weights is not None:
            weighing.see(part.weights)
        yield part.src, part.dst, None


def _stored(parts: Parts, weighing: Weighing, n: int) -> Iterator[Piece]:
    """The edges with weights as they are stored."""
    for part in parts.read():
        assert part.place is not None  # `as_one` sets it
        portion, before = part.place
        try:
            src, dst = (as_ids(CPU, ids, name, n) for ids, name in ((part.src, "src"), (part.dst, "dst")))
            weights = None if part.weights is None else weighing.stored(part.weights, before)
        except GraphError as error:
            raise portion.fault(str(error)) from error
        yield src, dst, weights


def _batches(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """The same edges in pieces of about `AT_ONCE` edges. Processes exchange messages once for each piece."""
    waiting: list[Piece] = []
    count = 0
    for piece in pieces:
        if len(piece[0]):
            waiting.append(piece)
            count += len(piece[0])
        if count >= AT_ONCE:
            yield joined(waiting, np)
            waiting, count = [], 0
    if waiting:
        yield joined(waiting, np)
