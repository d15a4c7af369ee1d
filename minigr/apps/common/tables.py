"""Results as pandas tables: the arrays that are columns, and the meaning of a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from minigr.device import CPU
from minigr.errors import GraphError, ProblemError
from minigr.graphs.columns import Columns, places_of
from minigr.labels import Labels
from minigr.memory import out_of_memory

if TYPE_CHECKING:
    import pandas

    from minigr.graphs import Graph


class VertexTable:
    """Base of results with arrays that have an element for each vertex.

    The class statement of a subclass names the `columns`, in their order, and the columns that hold `vertices`.
    """

    _columns: ClassVar[tuple[str, ...]]
    _vertices: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls, columns: tuple[str, ...] = (), vertices: tuple[str, ...] = ()) -> None:
        cls._columns, cls._vertices = columns, vertices

    @out_of_memory
    def to_pandas(self, labels: Labels | None = None, *, graph: Any = None) -> pandas.DataFrame:
        """A table with a row for each vertex, and a column for each array; numbers such as `iterations` are left out.

        Parameters
        ----------
        labels : Labels, optional
            The names of the vertices. The names become the index, and replace vertex ids in columns that hold vertices.
            In these columns, -1 becomes a missing value.
        graph : Graph, optional
            The graph, whose `vertex_columns` become columns, too. For a result over a `PartitionedGraph` or a
            `DynamicGraph`, pass a `Graph` with the same vertices.

        Returns
        -------
        pandas.DataFrame
            In host memory. If an array has a row for each source, row k becomes the column ``name_k``. For a
            `PartitionedGraph`, the table has all vertices. If several processes hold the parts, all processes must make
            the call, and each process gets all rows.

        Raises
        ------
        GraphError
            If the numbers of labels and of vertices differ.
        ProblemError
            If `labels` is not a `Labels`. If `graph` is not a `Graph`, is not the graph of the result, or has a column
            with the name of a column of the result.

        Examples
        --------
        >>> import minigr as mg
        >>> labels, ends = mg.Labels.number(["ann", "bob"], ["bob", "cleo"])
        >>> graph = mg.Graph.from_edges(*ends, device="cpu")
        >>> table = mg.bfs(graph, labels.id("ann")).to_pandas(labels)
        >>> table.columns.to_list(), table.index.to_list()
        (['depth', 'parent'], ['ann', 'bob', 'cleo'])
        >>> table.to_dict("index")["cleo"]
        {'depth': 2, 'parent': 'bob'}
        """
        import pandas as pd

        _check(labels)
        columns = self._arrays()
        for array in columns.values():
            if labels is not None and array.shape[-1] != len(labels):
                what = f"got {array.shape[-1]} values for {len(labels)} labels"
                raise GraphError(f"{what}: give one label for each vertex")
        columns = {name: self._named(name, array, labels) for name, array in columns.items()}
        columns = {key: column for name, array in columns.items() for key, column in _split(name, array).items()}
        series = columns if labels is None else {name: labels.series(column) for name, column in columns.items()}
        table = pd.DataFrame(series).rename_axis("vertex")
        return table if graph is None else _joined(table, _with_columns(graph).vertex_columns)

    def _arrays(self) -> dict[str, Any]:
        """The columns on the host. All processes gather arrays in parts first, before an error can occur in one."""
        held = {name: getattr(self, name) for name in self._columns}
        return {name: CPU.asarray(array) for name, array in held.items() if array is not None}

    def _named(self, name: str, array: Any, labels: Labels | None) -> Any:
        """A column. Vertices are replaced by their labels, and by None if they are below 0."""
        if labels is None or name not in self._vertices:
            return array
        there = array >= 0
        if there.all():
            return labels[array]
        named = np.full(array.shape, None, object)
        named[there] = labels[array[there]]
        return named


class EdgeTable(VertexTable):
    """Base of results with arrays that have an element for each of some edges, or pairs of vertices."""

    @out_of_memory
    def to_pandas(self, labels: Labels | None = None, *, graph: Any = None) -> pandas.DataFrame:
        """A table with a row for each edge, or pair of vertices; numbers such as `iterations` are left out.

        Parameters
        ----------
        labels : Labels, optional
            The names of the vertices, which replace their numbers.
        graph : Graph, optional
            The graph, whose `edge_columns` become columns, too.

        Returns
        -------
        pandas.DataFrame
            In host memory.

        Raises
        ------
        IndexError
            If a vertex has no label.
        GraphError
            If a row is not an edge of `graph`, or may be one of several parallel edges.
        ProblemError
            If `labels` is not a `Labels`. If `graph` is not a `Graph`, or has a column with the name of a column of the
            result.

        Examples
        --------
        >>> import minigr as mg
        >>> labels, ends = mg.Labels.number(["ann", "bob"], ["bob", "cleo"])
        >>> mg.bridges(mg.Graph.from_edges(*ends, device="cpu")).to_pandas(labels)[["src", "dst"]]
           src   dst
        0  ann   bob
        1  bob  cleo
        """
        import pandas as pd

        _check(labels)
        table = pd.DataFrame({name: self._named(name, array, labels) for name, array in self._arrays().items()})
        if graph is None or not _with_columns(graph).edge_columns:
            return table
        each: Any = self
        places = places_of(graph, each.src, each.dst, each.edges if "edges" in self._columns else None)
        return _joined(table, graph.edge_columns.take(places))


def _joined(table: pandas.DataFrame, columns: Columns) -> pandas.DataFrame:
    """Append columns of a graph to the table."""
    import pandas as pd

    for name, column in columns.items():
        if name in table.columns:
            raise ProblemError(
                f"to_pandas: both the result and the graph have a column {name!r}: rename the one of the graph"
            )
        if len(column) != len(table):
            what = f"the graph's column {name!r} has {len(column)} values for {len(table)} rows"
            raise ProblemError(f"to_pandas: {what}: pass the graph of the result")
        values = column.to_pandas() if hasattr(column, "to_pandas") else column  # Arrow arrays have `to_pandas`
        table[name] = pd.Series(values).set_axis(table.index)
    return table


def _with_columns(graph: Any) -> Graph:
    """Return the graph, or raise `ProblemError` if it is not a `Graph`, because other graphs have no columns."""
    from minigr.graphs import Graph

    if isinstance(graph, Graph):
        return graph
    kind = type(graph).__name__
    raise ProblemError(
        f"to_pandas: graph must be a Graph, because a {kind} has no columns: pass the Graph with columns"
    )


def _check(labels: Any) -> None:
    if labels is not None and not isinstance(labels, Labels):
        raise ProblemError(f"to_pandas: labels must be mg.Labels, got {type(labels).__name__}: use mg.Labels(names)")


def _split(name: str, array: Any) -> dict[str, Any]:
    """The columns of an array: its rows, if it has two dimensions."""
    return {name: array} if array.ndim == 1 else {f"{name}_{number}": row for number, row in enumerate(array)}
