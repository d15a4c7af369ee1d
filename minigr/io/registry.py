"""The format of a file, the module for the format, and `write`."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from minigr.errors import FormatError, GraphError
from minigr.graphs.checks import as_vertex_count
from minigr.io.contents import Edges, Options, Parts, Rows, as_names
from minigr.io.shipped import shipped
from minigr.labels import Labels
from minigr.memory import out_of_memory
from minigr.paths import as_path
from minigr.replace import is_gzipped

if TYPE_CHECKING:
    from minigr.graphs import Graph
    from minigr.graphs.dynamic import DynamicGraph
    from minigr.graphs.partitioned.queries import PartsQueries

MODULES = {
    "mtx": "matrix_market",
    "edges": "edge_list",
    "gr": "dimacs",
    "graph": "metis",
    "graphml": "graphml",
    "gml": "gml",
    "npz": "npz",
    "parquet": "parquet",
    "minigr": "folder",
}
"""The name of each format, and the module that reads it."""

NAMED = ("graphml", "gml")
"""The formats in which vertices and attributes have names."""

WITH_COLUMNS = (*NAMED, "npz", "minigr")
"""The formats that can store columns of vertices and of edges."""

WITH_EDGE_COLUMNS = (*WITH_COLUMNS, "parquet")
"""The formats that can store columns of edges."""

BINARY = ("npz", "parquet", "minigr")
"""The formats that are not text, and that are not compressed with gzip."""

IN_PIECES = ("mtx", "edges", "minigr")
"""The formats to which a graph in parts is written some rows at a time."""

EXTENSIONS = {
    **dict.fromkeys((".txt", ".el", ".wel", ".edges", ".edgelist", ".csv", ".tsv"), "edges"),
    **{f".{name}": name for name in MODULES},
    ".metis": "graph",
}
"""The format for each extension; ``.gz`` may follow for text formats."""


def file_of(path: str | os.PathLike) -> Path:
    """The file with this path, or the file of a graph that comes with minigr."""
    file = as_path(path)
    return file if file.exists() else shipped(os.fspath(path))


def as_asked(num_vertices: Any, relabel: bool) -> int | None:
    """The number of vertices that a caller gave, checked."""
    if num_vertices is None:
        return None
    if relabel:
        raise GraphError("relabel=True numbers the vertices that have edges, so num_vertices= has no meaning with it")
    return as_vertex_count(num_vertices)


def as_kept(keep: Any) -> bool | tuple[str, ...] | None:
    """The further columns that a caller requested, checked."""
    if keep is None or isinstance(keep, bool):
        return keep
    return as_names(keep, "keep= is True, False or the names of columns")


def read_contents(path: Path, format: str | None, options: Options) -> Edges | Parts | Rows:
    """The contents of a file, from the reader of its format."""
    if options.attribute is not None and not is_named(path, format):
        raise FormatError(
            path,
            f"has no attributes of edges, such as {options.attribute!r}, only {' and '.join(NAMED)} have these: "
            "say by columns= which column of a table is the weight",
        )
    contents: Edges | Parts | Rows = _module(path, format).read(path, options)
    held = contents.kept if isinstance(contents, Parts) else (contents.vertex_columns or contents.edge_columns)
    if isinstance(options.keep, tuple) and not held:  # the format, or this form of it, has no further columns
        options.kept((), path, unasked=False)
    return contents


@out_of_memory
def write(
    graph: Graph | DynamicGraph | PartsQueries,
    path: str | os.PathLike,
    *,
    format: str | None = None,
    labels: Labels | None = None,
) -> None:
    """Write a graph to a file or a folder, which gets the complete new contents or keeps the old contents.

    Parameters
    ----------
    graph : Graph, DynamicGraph, PartitionedGraph or PartitionedDynamicGraph
        The edges of a `DynamicGraph` are written as ``to_graph()`` returns them; `DynamicGraph.save` also stores the
        deleted vertices. The first process writes a graph in parts, and all processes must make this call. Such a graph
        is written some rows at a time to .mtx, edge lists and .minigr, and gathered first for the other formats.
    path : path-like
        .mtx, an edge list (.txt .el .wel .edges .csv .tsv), .graphml, .gml, .npz, .parquet or .minigr, which becomes a
        folder. All formats except the last three may have ``.gz`` appended.
    format : {'mtx', 'edges', 'graphml', 'gml', 'npz', 'parquet', 'minigr'}, optional
        By default, the format of the extension.
    labels : Labels, optional
        The names of the vertices, for GraphML and GML, which store names as text. These formats also store the columns
        of the graph; a value that is neither a number nor a bool becomes text, and a missing value is left out.
        An .npz file and a .minigr folder store columns unchanged; Arrow columns and categories need
        ``minigr[parquet]``. Parquet stores the columns of edges as Arrow columns.

    Raises
    ------
    FormatError
        If the format is unknown or can only be read, or if the format can't store labels, the columns of the graph, or
        a value in a column.
    GraphError
        If the number of labels differs from the number of vertices.
    MissingExtraError
        If pyarrow is not installed, for Parquet.
    PartError
        If another process failed, such as the process that writes.
    OSError

    Notes
    -----
    Reading the file returns an equal graph: a comment in a text file holds the facts that its format can't store.

    Examples
    --------
    >>> import tempfile, pathlib, minigr as mg
    >>> g = mg.Graph.from_edges([0, 1], [1, 2], device="cpu")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mg.write(g, pathlib.Path(folder, "path.mtx"))
    ...     print(mg.read(pathlib.Path(folder, "path.mtx"), device="cpu"))
    Graph(3 vertices, 2 edges, undirected, unweighted, cpu)
    """
    from minigr.graphs import Graph
    from minigr.graphs.dynamic import DynamicGraph
    from minigr.graphs.partitioned.queries import PartsQueries
    from minigr.io.pieces import write_parts

    file = as_path(path)
    put, name = _writing(file, format, labels), format_of(file, format)
    if isinstance(graph, PartsQueries):
        write_parts(graph, put, in_pieces=name in IN_PIECES)
        return
    if isinstance(graph, DynamicGraph):
        graph = graph.to_graph()
    if not isinstance(graph, Graph):
        what = "minigr.batch.write writes many graphs, and Graph.from_networkx and others make one"
        raise GraphError(f"expected a Graph or a DynamicGraph, got {type(graph).__name__}: {what}")
    for columns, kind, places in (
        (graph.vertex_columns, "vertices", WITH_COLUMNS),
        (graph.edge_columns, "edges", WITH_EDGE_COLUMNS),
    ):
        if columns and name not in places:
            what = f"the format {name} has no place for columns of {kind}: write {', '.join(places)}"
            raise FormatError(file, f"{what}, or graph.without_columns()")
    put(graph)


def _writing(file: Path, format: str | None, labels: Labels | None) -> Callable[[Any], None]:
    """The function that writes a graph to a file, with labels if there are any."""
    write: Callable[..., None] = writer(file, format).write
    if labels is None:
        return partial(write, path=file)
    if not is_named(file, format):
        what = f"the format {format_of(file, format)} has no place for labels: write {' or '.join(NAMED)}"
        raise FormatError(file, what)
    if not isinstance(labels, Labels):
        raise GraphError(f"labels must be mg.Labels, got {type(labels).__name__}: use mg.Labels(names)")
    return partial(write, path=file, labels=labels)


def writer(path: Path, format: str | None = None) -> ModuleType:
    """The module that writes to `path`. A call before other work checks that there is one.

    Raises
    ------
    FormatError
        If the format is unknown, or can only be read.
    """
    module = _module(path, format)
    if not hasattr(module, "write"):
        writable = [name for name in MODULES if hasattr(_import(name), "write")]
        raise FormatError(
            path, f"there is no writer for this format; the formats that can be written are {', '.join(writable)}"
        )
    return module


def _module(path: Path, format: str | None) -> ModuleType:
    return _import(format_of(path, format))


def format_of(path: Path, format: str | None) -> str:
    """The name of a file's format: the given format, or the format of the extension."""
    if format is None:
        suffix = Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
        format = EXTENSIONS.get(suffix.lower())
        if format is None:
            if path.is_dir():
                raise FormatError(
                    path, "this is a folder: give the name of a file, or of a folder that ends in .minigr"
                )
            raise FormatError(path, f"the extension {suffix!r} is unknown; pass format= (one of {', '.join(MODULES)})")
    if format not in MODULES:
        raise FormatError(path, f"unknown format {format!r}: use one of {', '.join(MODULES)}")
    if format in BINARY and is_gzipped(path):
        what = f"the format {format} is never compressed by gzip"
        raise FormatError(path, f"{what}: give a name without .gz, and decompress a file that is compressed")
    return format


def is_named(path: Path, format: str | None) -> bool:
    """Whether vertices and attributes have names in a file's format."""
    return format_of(path, format) in NAMED


def _import(format: str) -> ModuleType:
    return importlib.import_module(f"minigr.io.{MODULES[format]}")
