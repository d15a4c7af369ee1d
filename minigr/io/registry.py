"""`read` and `write`: which format a file is in, and the module that knows it."""

from __future__ import annotations

import gzip
import importlib
import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from minigr.device import Device, resolve
from minigr.errors import FormatError, GraphError
from minigr.graphs.checks import as_vertex_count
from minigr.io.contents import Edges, Options, Rows, graph_of
from minigr.io.shipped import shipped

if TYPE_CHECKING:
    from minigr.graphs import Graph
    from minigr.graphs.dynamic import DynamicGraph

MODULES = {
    "mtx": "matrix_market",
    "edges": "edge_list",
    "gr": "dimacs",
    "graph": "metis",
    "npz": "npz",
    "parquet": "parquet",
}
"""The name of each format, and the module that reads it."""

EXTENSIONS = {
    **dict.fromkeys((".txt", ".el", ".wel", ".edges", ".edgelist", ".csv", ".tsv"), "edges"),
    **{f".{name}": name for name in MODULES},
    ".metis": "graph",
}
"""The format that a file's name stands for; ``.gz`` may follow."""


def read(
    path: str | os.PathLike,
    *,
    format: str | None = None,
    directed: bool | None = None,
    weights: bool = True,
    weight_dtype: Any = None,
    columns: Sequence[str] | None = None,
    relabel: bool = False,
    num_vertices: int | None = None,
    device: str | Device | None = None,
    progress: bool | None = None,
) -> Graph:
    """The graph in a file.

    ======================================  ===========================================  ==========
    extension (``.gz`` may follow)          format                                       directed
    ======================================  ===========================================  ==========
    .mtx                                    Matrix Market; a square matrix               unless symmetric
    .txt .el .wel .edges .csv .tsv          edge list, with or without weights           no
    .gr                                     DIMACS shortest paths; PACE and SteinLib     yes; no
    .graph .metis                           METIS                                        no
    .npz                                    NumPy archive, see `minigr.io.npz`           as it says
    .parquet                                a row an edge (needs ``minigr[parquet]``)    no
    ======================================  ===========================================  ==========

    Parameters
    ----------
    path : path-like
        A file, or the name of a graph that comes with minigr (see `shipped_names`) where there is no such file.
    format : {'mtx', 'edges', 'gr', 'graph', 'npz', 'parquet'}, optional
        By default what the extension stands for.
    directed : bool, optional
        For a file that doesn't say, whether its edges are directed. For one that does, True makes two arcs of each
        edge, and False an edge of each arc. By default as in the table.
    weights : bool
        Whether to read the weights that the file has.
    weight_dtype : dtype, optional
        int32, int64, float32 or float64. By default int32 for whole numbers that fit and otherwise int64, float64 for
        reals, and in .npz and .parquet what the file holds.
    columns : sequence of str, optional
        For edge lists and Parquet: what each column holds, ``"src"``, ``"dst"``, ``"weight"``, or any other name for
        one to be left out, e.g. ``("src", "dst", "time")``.
    relabel : bool
        Let ids be any whole numbers from 0, and number the vertices that have edges by rank: vertex i of the graph is
        the i-th smallest id of the file.
    num_vertices : int, optional
        How many vertices there are. By default what the file says, or else one more than the largest id. Also lets
        there be more than 64 vertices for each edge, or 2^24 in all, which are refused by default.
    device : str, optional
        Where the graph is to live.
    progress : bool, optional
        Whether to show a progress bar for a text file. By default for long ones, if standard error is a terminal.

    Raises
    ------
    FormatError
        If the file is not in its format, cut short, or holds no graph; the message names the line where there is one.
    OutOfMemoryError
        If the file or its graph needs more memory than is free; asked before it is allocated.
    GraphError
        For `num_vertices` beside `relabel`.
    OSError, DeviceError

    Examples
    --------
    >>> read("wordnet", device="cpu")
    Graph(117,659 vertices, 183,789 edges, undirected, unweighted, cpu)
    """
    file = Path(path)
    if not file.exists():
        file = shipped(os.fspath(path))
    where = resolve(device)
    if num_vertices is not None:
        num_vertices = as_vertex_count(num_vertices)
        if relabel:
            raise GraphError(
                "relabel=True numbers the vertices that have edges, so num_vertices= has no meaning with it"
            )
    options = Options(
        None if columns is None else tuple(columns), weights, relabel, progress, num_vertices=num_vertices
    )
    contents = read_contents(file, format, options)
    return graph_of(contents, file, options=options, directed=directed, weight_dtype=weight_dtype, device=where)


def as_asked(num_vertices: Any, relabel: bool) -> int | None:
    """The number of vertices that a caller gave, checked."""
    if num_vertices is None:
        return None
    if relabel:
        raise GraphError("relabel=True numbers the vertices that have edges, so num_vertices= has no meaning with it")
    return as_vertex_count(num_vertices)


def read_contents(path: Path, format: str | None, options: Options) -> Edges | Rows:
    """What a file holds, by the reader of its format."""
    try:
        return _module(path, format).read(path, options)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FormatError(path, f"the gzip data is damaged or cut short: {error}") from error


def write(graph: Graph | DynamicGraph, path: str | os.PathLike, *, format: str | None = None) -> None:
    """Write a graph to a file; the name gets the new contents whole, or keeps the old.

    Parameters
    ----------
    graph : Graph or DynamicGraph
        Of a `DynamicGraph` the edges, as ``to_graph()`` gives them; its `save` also keeps which vertices are deleted.
    path : path-like
        .mtx, an edge list (.txt .el .wel .edges .csv .tsv) or .npz; the first two also with ``.gz``.
    format : {'mtx', 'edges', 'npz'}, optional
        By default what the extension stands for.

    Notes
    -----
    Reading the file gives an equal graph: text files carry a comment for what their format has no place for.

    Examples
    --------
    >>> import tempfile, pathlib, minigr.graphs
    >>> g = minigr.graphs.Graph.from_edges([0, 1], [1, 2], device="cpu")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(g, pathlib.Path(folder, "path.mtx"))
    ...     print(read(pathlib.Path(folder, "path.mtx"), device="cpu"))
    Graph(3 vertices, 2 edges, undirected, unweighted, cpu)
    """
    from minigr.graphs import Graph
    from minigr.graphs.dynamic import DynamicGraph

    file = Path(path)
    writing = writer(file, format)
    if isinstance(graph, DynamicGraph):
        graph = graph.to_graph()
    if not isinstance(graph, Graph):
        what = "minigr.batch.write writes many graphs, and Graph.from_networkx and others make one"
        raise GraphError(f"expected a Graph or a DynamicGraph, got {type(graph).__name__}: {what}")
    writing.write(graph, file)


def writer(path: Path, format: str | None = None) -> ModuleType:
    """The module that writes to `path`; asking for it first tells whether there is one.

    Raises
    ------
    FormatError
        If the format is unknown, or can be read only.
    """
    module = _module(path, format)
    if not hasattr(module, "write"):
        writable = [name for name in MODULES if hasattr(_import(name), "write")]
        raise FormatError(
            path, f"there is no writer for this format; the formats that can be written are {', '.join(writable)}"
        )
    return module


def _module(path: Path, format: str | None) -> ModuleType:
    if format is None:
        suffix = Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
        format = EXTENSIONS.get(suffix.lower())
        if format is None:
            raise FormatError(path, f"the extension {suffix!r} is unknown; pass format= (one of {', '.join(MODULES)})")
    if format not in MODULES:
        raise FormatError(path, f"unknown format {format!r}: use one of {', '.join(MODULES)}")
    return _import(format)


def _import(format: str) -> ModuleType:
    return importlib.import_module(f"minigr.io.{MODULES[format]}")
