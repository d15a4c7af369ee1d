"""Columns: named data of vertices and edges in host memory, and how edits of a graph carry them over."""

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
    """A column that is made at first use, like a column of a mapped file."""

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
        # The caller, `joined` or `take`, has checked or made the arrays.
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
        """Return columns with ``change(array)`` for each column, made at first use; see `minigr.held.with_arrays`."""
        return Columns({name: Later(partial(self._changed, name, change)) for name in self})

    def _changed(self, name: str, change: Callable[[Any], Any]) -> Any:
        column = self[name]
        if not isinstance(column, np.ndarray):  # an array of pandas or Arrow counts as an array of as many bytes
            width = -(-int(column.nbytes) // max(len(column), 1))
            column = np.broadcast_to(np.zeros((), f"V{max(width, 1)}"), len(column))
        return change(column)


NO_COLUMNS = Columns()


def followed(graph: Any, made: Any, again: Callable[[Any], Any], vertices: Any = None) -> Any:
    """Return `made`, an edit of `graph`, with the columns of `graph`.

    No builder says which edge of `graph` became which edge of the new graph, but each builder carries weights over. So
    if there are edge columns, the edit is repeated on a graph whose weights are the numbers of its edges.

    Parameters
    ----------
    graph, made : Graph
    again : callable
        Makes the same edit of another graph.
    vertices : integer array, optional
        The vertex of `graph` that each vertex of `made` is. By default, vertices keep their numbers.
    """
    made._vertex_columns = graph.vertex_columns if vertices is None else graph.vertex_columns.take(vertices)
    if graph.edge_columns:
        made._edge_columns = graph.edge_columns.take(again(numbered(graph)).to_edges()[2])
    return made


def numbered(graph: Any) -> Any:
    """The graph without columns, in which the weight of an edge is its index in `Graph.to_edges`."""
    dtype = np.int32 if graph.num_edges < 2**31 else np.int64
    return graph.without_columns().with_weights(graph._device.host.xp.arange(graph.num_edges, dtype=dtype))


def places_of(graph: Any, src: Any, dst: Any, ids: Any = None) -> Any:
    """The indices in `Graph.to_edges` of edges, given by their ends or, if `ids` is not None, by the ids of arcs.

    Raises
    ------
    GraphError
        If there is no edge between two ends, or if there are no ids and the graph has parallel edges.
    """
    numbers = CPU.asarray(numbered(graph).weights)
    if ids is not None:
        arcs = CPU.asarray(ids)
        if arcs.size and int(arcs.max()) >= len(numbers):
            raise GraphError(f"the graph has no edge {int(arcs.max())}: pass the graph of the result")
        return numbers[arcs]
    ends, own = [CPU.asarray(each) for each in (src, dst)], [CPU.asarray(each) for each in graph.to_edges()[:2]]
    if all(map(np.array_equal, ends, own)):
        return np.arange(graph.num_edges)
    if graph.has_parallel_edges:
        raise GraphError(
            "the graph has parallel edges, so two vertices don't say which edge is meant: simplify the graph"
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
            f"the graph has no edge {u}-{v}: pass the graph of the result, or leave out graph= if the result is "
            "about pairs of vertices that need not be edges"
        )
    return numbers[at]


def names_of_table(table: Any, what: str) -> list[Any]:
    """The names of the columns of a pandas or polars DataFrame, an Arrow Table or a mapping.

    Raises
    ------
    GraphError
        If `table` is none of these, or if two columns have the same name. `what` names the table in the message.
    """
    if isinstance(table, Mapping):
        return list(table)
    if type(table).__name__ == "LazyFrame":  # of polars; it has names of columns, but no columns
        raise GraphError(f"{what}: a LazyFrame has no rows yet: pass its collect()")
    names = getattr(table, "column_names", None)  # of Arrow, whose `columns` are the columns themselves
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
    """Values of Python as an array of numbers or bools if such an array can hold all of them. None is a missing value.

    NaN stands for a missing real number. Other values become an array of objects.

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
    return np.fromiter(values, object, len(values))  # also for tuples of one length, which must not become rows


def _is_real(value: Any) -> bool:
    """Whether float64 can hold a number exactly. None counts as such a number."""
    return value is None or type(value) is float or (type(value) is int and abs(value) <= 2**53)


def values_of(column: Any) -> list[Any]:
    """The values of a column as objects of Python, with None for each missing value.

    Examples
    --------
    >>> values_of(np.array([1.5, np.nan])), values_of(np.array(["2026-01-02", "NaT"], "M8[s]"))
    ([1.5, None], [Timestamp('2026-01-02 00:00:00'), None])
    """
    import pandas as pd

    if isinstance(column, np.ndarray) and column.dtype.kind in "mM":
        column = pd.Series(column).array  # NumPy turns dates in nanoseconds into integers
    values = column.to_pylist() if hasattr(column, "to_pylist") else column.tolist()
    gone = pd.isna(np.fromiter(values, object, len(values)))
    return [None if missing else value for value, missing in zip(values, gone.tolist(), strict=True)]


def in_order(make: Callable[[Any], Any], edges: Mapping[str, Any], length: int) -> Columns:
    """Columns of `length` edges in the order of the graph that `make` builds from these edges and given weights.

    Raises
    ------
    GraphError
        As by `Columns.joined`.
    """
    if not edges:
        return NO_COLUMNS
    return NO_COLUMNS.joined(edges, length, "edges").take(make(np.arange(length)).to_edges()[2])


def _column(values: Any, name: str, length: int, what: str) -> Any:
    """A column as it is kept: an object in host memory that has a length, and `take` for arrays of indices."""
    if not isinstance(name, str):
        raise GraphError(f"{what}: a column's name is a string, got {name!r}")
    if not hasattr(values, "__len__"):
        raise GraphError(f"{what}: {name!r} is a column, got {type(values).__name__}: give a sequence or an array")
    refuse_masked(values, name)
    array = getattr(values, "array", values)  # of a pandas.Series or Index; its own index is ignored
    if type(array).__name__ == "NumpyExtensionArray" or not (hasattr(array, "take") and hasattr(array, "dtype")):
        array = _host_array(array)
    elif hasattr(array, "__cuda_array_interface__"):
        array = CPU.asarray(array)
    if getattr(array, "ndim", 1) != 1:
        raise GraphError(f"{what}: {name!r} has shape {array.shape}, but must have one dimension: pass several columns")
    if len(array) != length:
        raise GraphError(
            f"{what}: {name!r} has length {len(array)}, but there are {length} {what}: give a value to each"
        )
    return array


def _host_array(values: Any) -> Any:
    """An array of Arrow as it is, other values as an array of NumPy: of objects if they are not numbers of one type."""
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
