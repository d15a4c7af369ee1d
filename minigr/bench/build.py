"""Builds of graphs: the time of a call, and its peak memory in addition to its input."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from minigr import generate, io
from minigr.apps.common.orientation import oriented
from minigr.apps.common.undirected import undirected
from minigr.bench.document import MINIGR, Row, row
from minigr.bench.measure import Tell, ignore, take_turns
from minigr.bench.memory import check_counted, peak_of
from minigr.device import CPU, Device
from minigr.generate.finish import kernels
from minigr.graphs.backend import scope
from minigr.graphs.graph import Graph
from minigr.io.rows_as_text import write_rows

_TABLES = 8


@dataclass(frozen=True)
class Case:
    """A call that builds rows.

    Attributes
    ----------
    name : str
    call : callable
        Gets the result of `given`.
    rows : callable
        Gets the result of `call` and returns the arrays of the rows that were built.
    given : callable
        Makes the input of `call` before each run, because a graph keeps rows that were built from it; not measured.
    by : str
    """

    name: str
    call: Callable[[Any], Any]
    rows: Callable[[Any], Sequence[Any]]
    given: Callable[[], Any] = lambda: None
    by: str = MINIGR


def default_scale(device: Device) -> int:
    """The default scale: graphs have ``2**scale`` vertices."""
    return 24 if device.is_cuda else 18


def measure_build(
    parts: Sequence[str], scale: int, edge_factor: int, device: Device, repeat: int, tell: Tell = ignore
) -> Iterator[Row]:
    """Time each case of some parts, and measure its peak memory.

    Parameters
    ----------
    parts : sequence of str
        Names of `PARTS`.
    scale, edge_factor : int
        There are ``2**scale`` vertices, and `edge_factor` edges for each.
    device : Device
    repeat : int
        Samples of each case.

    Yields
    ------
    Row
        As soon as it is measured, in milliseconds. It has ``arcs`` and ``arcs_per_s`` of the built rows, their
        ``result_bytes``, ``peak_bytes`` in addition to the input, and ``over_result``, the peak over the result.

    Raises
    ------
    DeviceError
        On a host whose system does not count a high-water mark.
    """
    check_counted(device)
    graph = f"uniform-{scale}-{edge_factor}"
    for part in parts:
        for case in PARTS[part](scale, edge_factor, device):
            tell(f"{case.name} by {case.by}")
            yield _measured(case, graph, device, repeat)


def _measured(case: Case, graph: str, device: Device, repeat: int) -> Row:
    held: list[Any] = []

    def given() -> None:
        held[:] = [case.given()]

    def call() -> Any:
        return case.call(held[0])

    timing = take_turns({"": call}, device, repeat, before={"": given}, after={"": lambda built: None})[""]
    given()
    peak, built = peak_of(device, call)
    arrays = [array for array in case.rows(built) if array is not None]
    result, arcs = sum(int(array.nbytes) for array in arrays), len(arrays[1])
    found: dict[str, Any] = {"arcs": arcs, "arcs_per_s": 1e3 * arcs / timing.median, "result_bytes": result}
    found |= {"peak_bytes": peak, "over_result": peak / result}
    return row({"graph": graph, "build": case.name, "by": case.by}, timing.samples, **found)


def _ends(scale: int, edge_factor: int, device: Device) -> tuple[Any, Any]:
    """Both ends of random edges, on the device."""
    with scope(device):
        src, dst = kernels(device).uniform_edges(1 << scale, edge_factor << scale, 1)
        return src, dst


def _of_graph(graph: Graph) -> Sequence[Any]:
    return graph.offsets, graph.indices, graph.weights


def _edges(scale: int, edge_factor: int, device: Device) -> Iterator[Case]:
    n, (src, dst) = 1 << scale, _ends(scale, edge_factor, device)
    with scope(device):
        weights = (src & 255).astype(np.float32)
    make = partial(Graph.from_edges, num_vertices=n, device=device)
    yield Case("from_edges, undirected", lambda _: make(src, dst), _of_graph)
    yield Case("from_edges, directed", lambda _: make(src, dst, directed=True), _of_graph)
    yield Case("from_edges, directed with weights", lambda _: make(src, dst, weights, directed=True), _of_graph)
    if not device.is_cuda and find_spec("scipy"):
        from scipy.sparse import coo_array

        yield Case(
            "from_edges, directed with weights",
            lambda _: coo_array((weights, (src, dst)), (n, n)).tocsr(),
            lambda matrix: (matrix.indptr, matrix.indices, matrix.data),
            by="scipy, which adds parallel edges up",
        )


def _copies(scale: int, edge_factor: int, device: Device) -> Iterator[Case]:
    src, dst = _ends(scale, edge_factor, device)
    rows = Graph.from_edges(src, dst, num_vertices=1 << scale, directed=True, device=device).out_edges
    del src, dst
    given = partial(Graph, rows, True, device)

    def of_rows(found: Any) -> Sequence[Any]:
        return found.offsets, found.indices, found.edge_ids

    yield Case("in_edges", lambda graph: graph.in_edges(), of_rows, given)
    yield Case("by_degree", lambda graph: graph.by_degree()[0], _of_graph, given)
    yield Case("both ways, simple", lambda graph: undirected(graph)[0], _of_graph, given)
    yield Case("oriented", lambda graph: oriented(graph).graph, _of_graph, given)


def _edits(scale: int, edge_factor: int, device: Device) -> Iterator[Case]:
    n, (src, dst) = 1 << scale, _ends(scale, edge_factor, device)
    with scope(device):
        weights = ((src & 255) + 1).astype(np.float32)  # none is 0, because SciPy drops zeros
        graph = Graph.from_edges(src, dst, weights, num_vertices=n, directed=True, device=device)
        del src, dst, weights
        xp = device.xp
        half, light, groups = xp.arange(0, n, 2), graph.weights <= 128, xp.arange(n) >> 4
    yield Case("subgraph of half of the vertices", lambda _: graph.subgraph(half), _of_graph)
    yield Case("edge_subgraph of half of the edges", lambda _: graph.edge_subgraph(light), _of_graph)
    yield Case("simplify", lambda _: graph.simplify(), _of_graph)
    yield Case("to_undirected, greatest weight", lambda _: graph.to_undirected("max"), _of_graph)
    yield Case("contract, 16 vertices to one", lambda _: graph.contract(groups), _of_graph)
    if not device.is_cuda and find_spec("scipy"):
        matrix = graph.to_scipy()

        def rows(found: Any) -> Sequence[Any]:
            return found.indptr, found.indices, found.data

        yield Case("subgraph of half of the vertices", lambda _: matrix[half][:, half], rows, by="scipy")
        yield Case("to_undirected, greatest weight", lambda _: matrix.maximum(matrix.T), rows, by="scipy")


def _generators(scale: int, edge_factor: int, device: Device) -> Iterator[Case]:
    yield Case("rmat", lambda _: generate.rmat(scale, edge_factor, seed=1, device=device), _of_graph)


def _files(scale: int, edge_factor: int, device: Device) -> Iterator[Case]:
    """Files in the page cache, with edges in random order."""
    src, dst = map(CPU.asarray, _ends(scale, edge_factor, CPU))
    with TemporaryDirectory() as place:
        text, folder, tables = (Path(place, name) for name in ("edges.txt", "graph.minigr", "tables"))
        with text.open("wb") as handle:
            write_rows(handle, {"src": src, "dst": dst}, " ")
        megabytes = text.stat().st_size // 10**6
        read = partial(io.read, device=device, progress=False)
        yield Case(f"read text of {megabytes} MB", lambda _: read(text), _of_graph)
        yield Case(f"read text of {megabytes} MB, vertices by rank", lambda _: read(text, relabel=True), _of_graph)
        io.write(Graph.from_edges(src, dst, num_vertices=1 << scale, device="cpu"), folder)
        yield Case("read a .minigr folder", lambda _: read(folder), _of_graph)
        if find_spec("pyarrow"):
            from pyarrow import csv, parquet, table

            how = {"parse_options": csv.ParseOptions(delimiter=" ")}
            how["read_options"] = csv.ReadOptions(column_names=["src", "dst"])
            yield Case(
                f"read text of {megabytes} MB",
                lambda _: csv.read_csv(text, **how),
                lambda found: [found["src"], found["dst"]],
                by="Arrow, which makes columns",
            )
            tables.mkdir()
            for part in range(_TABLES):
                some = slice(part, None, _TABLES)
                parquet.write_table(table({"src": src[some], "dst": dst[some]}), tables / f"{part}.parquet")
            yield Case(f"read {_TABLES} Parquet files", lambda _: read(tables), _of_graph)


PARTS: dict[str, Callable[[int, int, Device], Iterator[Case]]] = {
    "edges": _edges,
    "copies": _copies,
    "edits": _edits,
    "generators": _generators,
    "files": _files,
}
"""All measurements by name."""
