"""The contents of a file, as a reader returns them, and the graph made from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from minigr.device import CPU, Device
from minigr.errors import FormatError, GraphError
from minigr.graphs import Graph
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.checks import WEIGHT_DTYPES, as_ids, as_vector, as_vertex_count
from minigr.graphs.columns import Columns, followed, in_order
from minigr.graphs.convert import edge_arrays
from minigr.io import further
from minigr.io.sizes import ALWAYS_ALLOWED, PER_EDGE, refuse_sparse, require_room, require_rows
from minigr.io.source import Portion, Span

REMEDY = "pass relabel=True to number only vertices that have edges, or num_vertices={} if there are that many"


@dataclass(frozen=True)
class Options:
    """The options of `minigr.read` for a reader.

    Attributes
    ----------
    columns : tuple of str, optional
        The contents of each column of a table.
    weights : bool
        Whether to read weights.
    relabel : bool
        Whether ids may be any whole numbers, which are replaced by their ranks.
    progress : bool, optional
        Whether to show a progress bar; None shows a bar for long files if standard error is a terminal.
    times : bool
        Whether the file must have the time of each edge, for `minigr.io.read_timed`.
    num_vertices : int, optional
        The number of vertices that the caller specifies.
    mmap : bool
        Whether to map the arrays into memory; only for `minigr.io.folder`.
    attribute : str, optional
        The attribute of edges that is their weight, for formats with named attributes.
    named : bool
        Whether to keep the names of vertices.
    label : str, optional
        The attribute of vertices that is their name, or ``"id"``.
    attributes : bool
        Whether to keep the other attributes of vertices and edges.
    span : Span, optional
        The part of the file to read, for the formats in `minigr.io.shares.DIVISIBLE`.
    keep : bool or tuple of str, optional
        The names of the further columns to keep. True: all columns; None: the columns in a file that minigr wrote them
        into.
    """

    columns: tuple[str, ...] | None = None
    weights: bool = True
    relabel: bool = False
    progress: bool | None = None
    times: bool = False
    num_vertices: int | None = None
    mmap: bool = False
    attribute: str | None = None
    named: bool = False
    label: str | None = None
    attributes: bool = False
    span: Span | None = None
    keep: bool | tuple[str, ...] | None = None

    @classmethod
    def of(cls, columns: Sequence[str] | None, weights: bool | str, **others: Any) -> Options:
        """The options of a call. `weights` is the name of an attribute, or a bool: whether to read weights."""
        names = None if columns is None else as_names(columns, "columns= is the names of columns")
        return cls(names, bool(weights), attribute=weights if isinstance(weights, str) else None, **others)

    def kept(self, names: Sequence[str], path: Path, *, unasked: bool) -> list[str]:
        """The names of a file's further columns that are kept; `unasked`: whether all are kept if `keep` is None.

        Raises
        ------
        FormatError
            If a name in `keep` is not the name of a column.
        """
        if not isinstance(self.keep, tuple):
            return list(names) if (unasked if self.keep is None else self.keep) else []
        for name in self.keep:
            if name not in names:
                known = ", ".join(map(repr, names))[:200] or "none"
                raise FormatError(path, f"keep= names {name!r}, but the further columns are {known}")
        return [name for name in names if name in self.keep]


@dataclass(frozen=True)
class Edges:
    """Edges in the order of a file.

    Attributes
    ----------
    src, dst : int32[m] or int64[m]
    weights : array[m] or None
    num_vertices : int, optional
        None: one more than the largest id.
    directed : bool, optional
        None: the file doesn't specify it.
    both_ways : bool
        Whether the file lists each undirected edge in both directions.
    times : array[m] or None
        The time of each edge, if requested.
    names : list or None
        The name of each vertex, if requested.
    vertex_columns, edge_columns : dict of str to array, or None
        Other attributes of vertices and edges, if requested.
    place : pair of Portion and int, optional
        The file of the edges, if there are several files, and the number of the file's earlier edges.
    """

    src: Any
    dst: Any
    weights: Any = None
    num_vertices: int | None = None
    directed: bool | None = None
    both_ways: bool = False
    times: Any = None
    names: Any = None
    vertex_columns: Any = None
    edge_columns: Any = None
    place: tuple[Portion, int] | None = None

    def ends(self) -> Any:
        """The ids of the vertices that have edges, in order: the vertices that ``relabel=True`` keeps."""
        return np.unique(np.concatenate([self.src, self.dst]))


@dataclass(frozen=True)
class Parts:
    """Edges that can be read repeatedly, in parts.

    Attributes
    ----------
    paths : tuple of Path
        The files with the edges.
    read : function
        A function without parameters that iterates over the edges once. It yields `Edges` that have only ends, weights,
        times and pieces of columns (see `minigr.io.further`).
    num_vertices, directed
        As in `Edges`.
    weighted : bool
        Whether there are weights.
    real : bool
        Whether weights are float64 even if all of them are whole numbers.
    cast : function, optional
        Converts weights to the dtype that the file specifies. By default, all weights together are `narrowed`.
    timed : bool
        Whether there are times.
    kept : tuple of str
        The further columns that are kept. There are none unless requested; edges with columns are read as a whole.
    """

    paths: tuple[Path, ...]
    read: Callable[[], Iterator[Edges]]
    num_vertices: int | None = None
    directed: bool | None = None
    weighted: bool = False
    real: bool = False
    cast: Callable[[Any], Any] | None = None
    timed: bool = False
    kept: tuple[str, ...] = ()

    def whole(self) -> Edges:
        """All edges at once."""
        held, parts = 0, []
        for part in self.read():
            parts.append(part)
            held += sum(array.nbytes for array in (part.src, part.dst, part.weights, part.times) if array is not None)
            held += sum(map(further.size, part.edge_columns.values())) if self.kept else 0
            require_room(self.paths[0], held, "its rows")  # their concatenation needs as much again
        src, dst = (_joined([getattr(part, name) for part in parts], np.int32) for name in ("src", "dst"))
        weights = times = None
        if self.weighted:
            weights = _joined([part.weights for part in parts], np.float64 if self.real else np.int64)
            weights = (self.cast or narrowed)(weights)
        if self.timed:
            times = _joined([part.times for part in parts], np.int64)
        columns = {name: further.joined([part.edge_columns[name] for part in parts], name, self.paths[0])
                   for name in self.kept}  # fmt: skip
        return Edges(src, dst, weights, self.num_vertices, self.directed, times=times, edge_columns=columns or None)


def _joined(arrays: list[Any], dtype: Any) -> Any:
    return np.concatenate(arrays) if arrays else np.empty(0, dtype)


@dataclass(frozen=True)
class Rows:
    """Compressed sparse rows, as in a file.

    Attributes
    ----------
    `weights` may be None.
    directed : bool
    mapped : bool
        Whether the arrays are mapped from files. They are then not checked, because a check would read them.
    vertex_columns, edge_columns : dict of str to array, or None
        Columns of vertices and of edges.
    """

    offsets: Any
    indices: Any
    weights: Any = None
    directed: bool = False
    mapped: bool = False
    vertex_columns: Any = None
    edge_columns: Any = None


def graph_of(
    contents: Edges | Rows, path: Path, *, options: Options, directed: bool | None, weight_dtype: Any, device: Device
) -> Graph:
    """The graph with these contents. A `GraphError` becomes a `FormatError` that names the file."""
    try:
        if isinstance(contents, Rows) and contents.mapped:
            return _mapped(contents, path, options, directed, weight_dtype)
        weights = contents.weights
        if weights is not None and weight_dtype is not None:
            weights = cast(as_vector(CPU, weights, "weights"), weight_dtype, ": choose another weight_dtype")
        if isinstance(contents, Rows):
            graph = Graph.from_csr(
                contents.offsets, contents.indices, weights, directed=contents.directed, device=device
            )
            columns = {"vertex_columns": contents.vertex_columns, "edge_columns": contents.edge_columns}
            if not options.relabel:
                check_agrees(path, graph.num_vertices, options)
                return redirected(graph.with_columns(*columns.values()), directed)
            src, dst, weights = edge_arrays(graph)
            contents = Edges(src, dst, weights, directed=graph.directed, **columns)
        src, dst, count = vertices_of(contents, path, options)
        if contents.directed is None:  # then the caller decides
            contents = replace(contents, directed=bool(directed))
        as_arcs = bool(contents.directed) or contents.both_ways
        require_rows(path, count, len(src) * (1 if as_arcs else 2), weights, device)
        graph = Graph.from_edges(src, dst, weights, num_vertices=count, directed=as_arcs, device=device)
        if as_arcs and not contents.directed:  # raises if an edge has one direction only
            graph = Graph.from_csr(graph.offsets, graph.indices, graph.weights)
        return _with_columns(redirected(graph, directed), contents, path, options, directed)
    except GraphError as error:
        raise FormatError(path, str(error)) from error


def _with_columns(graph: Graph, edges: Edges, path: Path, options: Options, directed: bool | None) -> Graph:
    """The graph of some edges, with the columns of these edges."""
    vertices, of_edges = edges.vertex_columns, edges.edge_columns
    if vertices and options.relabel:
        ids = edges.ends()
        vertices = {name: column.take(ids) for name, column in vertices.items()}

    def make(numbers: Any) -> Graph:
        other = replace(edges, weights=numbers, vertex_columns=None, edge_columns=None)
        return graph_of(other, path, options=options, directed=directed, weight_dtype=None, device=CPU)

    of_edges = in_order(make, of_edges or {}, len(edges.src))
    return graph.with_columns(vertices or None, of_edges or None) if vertices or of_edges else graph


def _mapped(rows: Rows, path: Path, options: Options, directed: bool | None, weight_dtype: Any) -> Graph:
    """The graph of mapped rows; `FormatError` if the options request another graph."""
    asked = {
        "relabel=True": options.relabel,
        "directed=False": rows.directed and directed is False,
        f"weight_dtype={weight_dtype}": rows.weights is not None
        and weight_dtype is not None
        and weight_dtype != rows.weights.dtype,
    }
    for what, is_asked in asked.items():
        if is_asked:
            raise FormatError(path, f"{what} needs other arrays than the mapped ones: read it without mmap=True")
    adjacency = Adjacency(rows.offsets, rows.indices, rows.weights)
    check_agrees(path, adjacency.num_vertices, options)
    graph = Graph(adjacency, rows.directed, CPU)
    graph._vertex_columns, graph._edge_columns = Columns(rows.vertex_columns), Columns(rows.edge_columns)
    return redirected(graph, True) if directed else graph


def vertices_of(contents: Edges, path: Path, options: Options) -> tuple[Any, Any, int]:
    """The ends of the edges as int32 in host memory, and the number of vertices, checked to be plausible.

    Raises
    ------
    FormatError
        If the number is implausible, or differs from the number that the caller specified.
    GraphError
        If an end is not a vertex.
    """
    if options.relabel:
        return _ranks(*(as_labels(ids, name) for ids, name in ((contents.src, "src"), (contents.dst, "dst"))))
    count = contents.num_vertices
    if count is not None:
        count = as_vertex_count(count, "the number of vertices")
        check_agrees(path, count, options)
    count = options.num_vertices if count is None else count
    src, dst = (as_ids(CPU, ids, name, count) for ids, name in ((contents.src, "src"), (contents.dst, "dst")))
    if count is None:
        count = 1 + max((int(ids.max()) for ids in (src, dst) if len(ids)), default=-1)
    if options.num_vertices is None:
        refuse_sparse(path, count, len(src), REMEDY.format(count))
    return src, dst, count


def plausible_count(path: Path, said: int | None, largest: int, edges: int, options: Options) -> int:
    """The number of vertices of edges that are not all in memory, checked as in `vertices_of`.

    `said`: the number in the files; `largest`: the largest id.
    """
    if said is not None:
        said = as_vertex_count(said, "the number of vertices")
        check_agrees(path, said, options)
    count = options.num_vertices if said is None else said
    count = largest + 1 if count is None else count
    if options.num_vertices is None:
        refuse_sparse(path, count, edges, REMEDY.format(count))
    return count


def may_count(largest: int, edges: int, options: Options) -> bool:
    """Whether ids up to `largest` are plausible after `edges` edges, so that a table of all ids is possible."""
    return largest < max(ALWAYS_ALLOWED, PER_EDGE * edges, options.num_vertices or 0)


def check_agrees(path: Path, count: int, options: Options) -> None:
    if options.num_vertices not in (None, count):
        raise FormatError(
            path, f"the graph has {count} vertices, but num_vertices={options.num_vertices} was asked for"
        )


def redirected(graph: Graph, directed: bool | None) -> Graph:
    """`graph` unchanged, or with two arcs for each edge, or with an edge for each arc; columns are kept."""
    if directed is None or directed == graph.directed:
        return graph
    return followed(graph, _turned(graph, directed), lambda other: _turned(other, directed))


def _turned(graph: Graph, directed: bool) -> Graph:
    if directed:
        return Graph.from_csr(graph.offsets, graph.indices, graph.weights, directed=True, validate=False)
    src, dst, weights = edge_arrays(graph)
    return Graph.from_edges(src, dst, weights, num_vertices=graph.num_vertices, device=graph._device)


def narrowed(weights: Any) -> Any:
    """Weights from text: whole numbers as int32 if they fit; other weights and None unchanged."""
    if weights is None or weights.dtype.kind != "i":
        return weights
    fits = weights.size == 0 or (weights.min() >= -(2**31) and weights.max() < 2**31)
    return weights.astype(np.int32 if fits else np.int64, copy=False)


def as_names(given: Any, what: str) -> tuple[str, ...]:
    """The names that a caller gave, or one name as a tuple; `what` begins the error message for other types."""
    names = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
    if not all(isinstance(name, str) for name in names):
        raise GraphError(f"{what}, got {given!r}")
    return names


def as_weight_dtype(given: Any) -> np.dtype | None:
    """The weight dtype that a caller requested, checked."""
    if given is None:
        return None
    with suppress(TypeError, ValueError):
        dtype = np.dtype(given)
        if dtype.name in WEIGHT_DTYPES:
            return dtype
    raise GraphError(f"weights can't be {given}; the dtypes supported are {', '.join(WEIGHT_DTYPES)}")


def cast(weights: Any, dtype: np.dtype, remedy: str, before: int = 0) -> Any:
    """Weights as another dtype; `GraphError` if a whole number changes or a finite number becomes infinite.

    `before`: the number of edges before these edges.
    """
    with np.errstate(invalid="ignore", over="ignore"):  # the comparison finds values that are out of range
        found = weights.astype(dtype)
    wrong = found != weights if dtype.kind == "i" else np.isinf(found) & ~np.isinf(weights)
    if wrong.any():
        first = int(wrong.argmax())
        raise GraphError(f"the weight {weights[first]} of edge {before + first} can't be stored as {dtype}{remedy}")
    return found


def as_labels(array: Any, name: str) -> Any:
    """`array` as int64, for ids that are replaced by ranks."""
    ids = as_vector(CPU, array, name)
    if ids.dtype.kind not in "iu":
        raise GraphError(f"{name} must hold integer vertex ids, but its dtype is {ids.dtype}; see minigr.from_table")
    bad = (ids < 0) | (ids > np.iinfo(np.int64).max)
    if bad.any():
        raise GraphError(f"{name}[{int(bad.argmax())}] is {ids[bad.argmax()]}: ids are between 0 and 2^63 - 1")
    return ids.astype(np.int64, copy=False)


def _ranks(src: Any, dst: Any) -> tuple[Any, Any, int]:
    """The vertices numbered by rank among all ids, and the number of vertices."""
    ids, rank = np.unique(np.concatenate([src, dst]), return_inverse=True)
    ranks = rank.astype(np.int32)
    return ranks[: len(src)], ranks[len(src) :], len(ids)
