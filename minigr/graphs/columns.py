"""Columns: what a user knows of vertices and edges, in host memory, and how it goes along where a graph is edited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from minigr.device import CPU, device_of
from minigr.errors import GraphError
from minigr.missing import refuse_masked


@dataclass(frozen=True)
class Later:
    """A column that is made when it is first asked for, as one in a file that is mapped."""

    make: Callable[[], Any]


class Columns(Mapping[str, Any]):
    """Named columns, with one value for each vertex or for each edge.

    Columns stay in host memory, as the NumPy, pandas or Arrow arrays that were given. A `Columns` object cannot be
    changed; `Graph.with_columns` makes a graph with other columns. ``pandas.DataFrame(dict(columns))`` makes a table of
    the columns.

    Examples
    --------
    >>> import minigr as mg
    >>> graph = mg.generate.path(3, device="cpu").with_columns(vertices={"city": ["Oslo", "Rome", "Bern"]})
    >>> graph.vertex_columns
    Columns(city)
    >>> graph.subgraph([2, 0]).vertex_columns["city"].tolist()
    ['Bern', 'Oslo']
    """

    __slots__ = ("_arrays",)

    def __init__(self, arrays: Mapping[str, Any] | None = None) -> None:
        # Takes what `joined` or `take` have checked or made.
        self._arrays = {} if arrays is None else dict(arrays)

    def __getitem__(self, name: str) -> Any:
        try:
            array = self._arrays[name]
        except KeyError:
            known = ", ".join(map(repr, self._arrays)) or "none"
            raise KeyError(f"there is no column {name!r}; there are: {known}") from None
        if isinstance(array, Later):
            array = self._arrays[name] = array.make()
        return array

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __repr__(self) -> str:
        return f"Columns({', '.join(self._arrays)})"

    def joined(self, given: Any, length: int, what: str) -> Columns:
        """Return these columns together with the columns of the table `given`, which replace columns with the same
        names.

        Raises
        ------
        GraphError
            If a column does not have a value for each of `length` vertices or edges. `what` names them in the message.
        """
        if given is None:
            return self
        names = names_of_table(given, what)
        return Columns({**self._arrays, **{name: _column(given[name], name, length, what) for name in names}})

    def take(self, places: Any) -> Columns:
        """Return the values at `places`, in the order of `places`."""
        if not self._arrays:
            return self
        positions = device_of(places).host.asarray(places).astype(np.int64, copy=False)
        return Columns({name: array.take(positions) for name, array in self.items()})

    @property
    def memory(self) -> int:
        """Size of the columns in bytes of host memory. For objects, only the references are counted."""
        return sum(int(column.nbytes) for column in self.values())

    def _with_arrays(self, change: Callable[[Any], Any]) -> Columns:
        """With ``change(array)`` for each column, made when it is asked for; see `minigr.held.with_arrays`."""
        return Columns({name: Later(partial(self._changed, name, change)) for name in self})

    def _changed(self, name: str, change: Callable[[Any], Any]) -> Any:
        column = self[name]
        if not isinstance(column, np.ndarray):  # one of pandas or Arrow is as an array of as many bytes
            width = -(-int(column.nbytes) // max(len(column), 1))
            column = np.broadcast_to(np.zeros((), f"V{max(width, 1)}"), len(column))
        return change(column)


NO_COLUMNS = Columns()


def followed(graph: Any, made: Any, again: Callable[[Any], Any], vertices: Any = None) -> Any:
    """`made`, which is an edit of `graph`, with the columns of `graph`.

    No builder says where an edge of the new graph comes from. But each takes weights along. So if there are columns of
    edges, the edit is made `again` of a graph whose weights are the numbers of its edges.

    Parameters
    ----------
    graph, made : Graph
    again : callable
        Makes the same edit of another graph.
    vertices : integer array, optional
        Which vertex of `graph` each vertex of `made` is; by default the one with the same number.
    """
    made._vertex_columns = graph.vertex_columns if vertices is None else graph.vertex_columns.take(vertices)
    if graph.edge_columns:
        made._edge_columns = graph.edge_columns.take(again(numbered(graph)).to_edges()[2])
    return made


def numbered(graph: Any) -> Any:
    """The graph without columns, where the weight of an edge is its place in `Graph.to_edges`."""
    dtype = np.int32 if graph.num_edges < 2**31 else np.int64
    return graph.without_columns().with_weights(graph._device.host.xp.arange(graph.num_edges, dtype=dtype))


def places_of(graph: Any, src: Any, dst: Any, ids: Any = None) -> Any:
    """The places in `Graph.to_edges` of edges that are told by their ends, or, if there are some, by the `ids` of arcs.

    Raises
    ------
    GraphError
        If there is no edge between two ends, or if edges without ids may be one of several parallel ones.
    """
    numbers = CPU.asarray(numbered(graph).weights)
    if ids is not None:
        arcs = CPU.asarray(ids)
        if arcs.size and int(arcs.max()) >= len(numbers):
            raise GraphError(f"the graph has no edge of the id {int(arcs.max())}: pass the graph of the result")
        return numbers[arcs]
    ends, own = [CPU.asarray(each) for each in (src, dst)], [CPU.asarray(each) for each in graph.to_edges()[:2]]
    if all(map(np.array_equal, ends, own)):
        return np.arange(graph.num_edges)
    if graph.has_parallel_edges:
        raise GraphError(
            "the graph has parallel edges, so ends don't tell which edge has a column's value: simplify it"
        )
    count = graph.num_vertices
    arcs, wanted = (
        u.astype(np.int64) * count + v
        for u, v in ([CPU.asarray(each) for each in graph.to_edges(both_ways=True)[:2]], ends)
    )
    at = np.searchsorted(arcs, wanted)
    missing = np.flatnonzero(np.append(arcs, -1)[at] != wanted)
    if missing.size:
        u, v = (int(each[missing[0]]) for each in ends)
        raise GraphError(
            f"{u}-{v} is no edge of the graph, so it has no columns: pass the graph of the result, or leave graph= out "
            "if the pairs of the result need not be edges"
        )
    return numbers[at]


def names_of_table(table: Any, what: str) -> list[Any]:
    """The names of the columns of a pandas or polars DataFrame, an Arrow Table or a mapping.

    Raises
    ------
    GraphError
        If it is none of these, or if two columns have one name; `what` says of whom the table is.
    """
    if isinstance(table, Mapping):
        return list(table)
    names = getattr(table, "column_names", None)  # Arrow, whose `columns` are the columns themselves
    names = getattr(table, "columns", None) if names is None else names
    if names is None:
        raise GraphError(
            f"{what}: expected a pandas or polars DataFrame, an Arrow Table or a dict of columns, "
            f"got {type(table).__name__}"
        )
    listed = list(names)
    if len(set(listed)) < len(listed):
        twice = next(name for name, count in Counter(listed).items() if count > 1)
        raise GraphError(f"{what}: two columns are called {twice!r}: give columns names that differ")
    return listed


def column_of(values: list[Any]) -> Any:
    """Values of Python, None where one is missing, as an array of numbers or bools where that has room for all.

    NaN stands for a real number that is missing. Otherwise it is an array of objects.

    Examples
    --------
    >>> column_of([30, 40]), column_of([1.5, None]), column_of([30, None])
    (array([30, 40]), array([1.5, nan]), array([30, None], dtype=object))
    """
    kinds = set(map(type, values))
    if kinds == {bool}:
        return np.array(values)
    if kinds == {int} and all(-(2**63) <= value < 2**63 for value in values):
        return np.array(values, np.int64)
    if float in kinds and all(map(_is_real, values)):
        return np.array([np.nan if value is None else value for value in values], np.float64)
    return np.fromiter(values, object, len(values))  # also of tuples of one length, which are no rows


def _is_real(value: Any) -> bool:
    """Whether a number, or None, is the same as a float64."""
    return value is None or type(value) is float or (type(value) is int and abs(value) <= 2**53)


def values_of(column: Any) -> list[Any]:
    """The values of a column as Python has them, with None for each that is missing.

    Examples
    --------
    >>> values_of(np.array([1.5, np.nan])), values_of(np.array(["2026-01-02", "NaT"], "M8[s]"))
    ([1.5, None], [Timestamp('2026-01-02 00:00:00'), None])
    """
    import pandas as pd

    if isinstance(column, np.ndarray) and column.dtype.kind in "mM":
        column = pd.Series(column).array  # NumPy makes integers of dates in nanoseconds
    values = column.to_pylist() if hasattr(column, "to_pylist") else column.tolist()
    gone = pd.isna(np.fromiter(values, object, len(values)))
    return [None if missing else value for value, missing in zip(values, gone.tolist(), strict=True)]


def in_order(make: Callable[[Any], Any], edges: Mapping[str, Any], length: int) -> Columns:
    """Columns of `length` edges in the order in which a graph has the edges, which `make` makes of them and weights.

    Raises
    ------
    GraphError
        As by `Columns.joined`.
    """
    if not edges:
        return NO_COLUMNS
    return NO_COLUMNS.joined(edges, length, "edges").take(make(np.arange(length)).to_edges()[2])


def _column(values: Any, name: str, length: int, what: str) -> Any:
    """A column as it is kept: something in host memory with a length, and with `take` for arrays of places."""
    if not isinstance(name, str):
        raise GraphError(f"{what}: a column's name is a string, got {name!r}")
    if not hasattr(values, "__len__"):
        raise GraphError(f"{what}: {name!r} is a column, got {type(values).__name__}: give a sequence or an array")
    refuse_masked(values, name)
    array = getattr(values, "array", values)  # of a pandas.Series or Index, whose own index is no matter here
    if type(array).__name__ == "NumpyExtensionArray" or not (hasattr(array, "take") and hasattr(array, "dtype")):
        array = _host_array(array)
    elif hasattr(array, "__cuda_array_interface__"):
        array = CPU.asarray(array)
    if getattr(array, "ndim", 1) != 1:
        raise GraphError(f"{what}: {name!r} has shape {array.shape}: give one value to each, as several columns")
    if len(array) != length:
        raise GraphError(
            f"{what}: {name!r} has length {len(array)}, but there are {length} {what}: give a value to each"
        )
    return array


def _host_array(values: Any) -> Any:
    """Arrow's arrays as they are; anything else as an array of NumPy, of objects where values are not all numbers."""
    if hasattr(values, "take") and hasattr(values, "type"):
        return values
    if hasattr(values, "to_numpy"):
        return values.to_numpy()
    if hasattr(values, "__array_interface__"):
        return CPU.asarray(values)
    listed = list(values)
    if len(set(map(type, listed))) == 1 and isinstance(listed[0], (bool, int, float, np.generic)):
        return np.array(listed)
    return np.fromiter(listed, object, len(listed))
