"""Tables in memory: pandas, polars, Arrow, or a dict of columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigr.errors import FormatError, GraphError
from minigr.graphs.graph import Graph
from minigr.io.columns import column_names
from minigr.io.contents import Options
from minigr.labels import Labels
from minigr.memory import out_of_memory


@out_of_memory
def from_table(
    table: Any,
    *,
    columns: Sequence[str] | None = None,
    weights: bool = True,
    relabel: bool = True,
    directed: bool = False,
    device: Any = None,
) -> tuple[Graph, Labels]:
    """The graph of a table with a row for each edge.

    Parameters
    ----------
    table : pandas or polars DataFrame, Arrow Table, or dict of columns
    columns : sequence of str, optional
        What each column holds: ``"src"``, ``"dst"``, ``"weight"``, or another word for one to leave out. By default
        columns are known by their names, the usual variants of these three.
    weights : bool
        Whether to take the weights, if there are some.
    relabel : bool
        Number the vertices by when they first appear, sources first; labels are of any hashable type. False: the ids
        are numbers from 0 already.
    directed : bool
    device : str, optional

    Returns
    -------
    graph : Graph
    labels : Labels
        Of the graph's vertices; without `relabel` these are 0, 1, ....

    Raises
    ------
    GraphError
        If there are no columns for source and target, a label or weight is missing, or the ids are none.

    Examples
    --------
    >>> import minigr as mg, pandas as pd
    >>> flights = pd.DataFrame({"from": ["BER", "VIE"], "to": ["VIE", "LIS"], "weight": [524.0, 2300.0]})
    >>> graph, labels = mg.from_table(flights, device="cpu")
    >>> labels.series(mg.sssp(graph, labels.id("BER")).distance).to_dict()
    {'BER': 0.0, 'VIE': 524.0, 'LIS': 2824.0}
    """
    names = _names(table)
    try:
        meanings = column_names(names, Options(None if columns is None else tuple(columns), weights), "the table")
    except FormatError as error:
        raise GraphError(str(error)) from error
    found = {meaning: table[name] for meaning, name in zip(meanings, names, strict=True)}
    values = None
    if "weight" in found:
        values = _numbers(found["weight"], names[meanings.index("weight")])
    if relabel:
        labels, (src, dst) = Labels.number(found["src"], found["dst"])
        graph = Graph.from_edges(src, dst, values, num_vertices=len(labels), directed=directed, device=device)
        return graph, labels
    src, dst = _array(found["src"]), _array(found["dst"])
    graph = Graph.from_edges(src, dst, values, directed=directed, device=device)
    return graph, Labels(np.arange(graph.num_vertices))


def _names(table: Any) -> list[str]:
    if isinstance(table, dict):
        return list(table)
    names = getattr(table, "column_names", None)  # Arrow, whose `columns` are the columns themselves
    names = getattr(table, "columns", None) if names is None else names
    if names is None:
        raise GraphError(
            f"expected a pandas or polars DataFrame, an Arrow Table or a dict of columns, got {type(table).__name__}"
        )
    return list(names)


def _array(column: Any) -> Any:
    return column.to_numpy() if hasattr(column, "to_numpy") else np.asarray(column)


def _numbers(column: Any, name: str) -> Any:
    import pandas as pd

    values = _array(column)
    missing = np.flatnonzero(pd.isna(values))
    if missing.size:
        raise GraphError(f"row {missing[0]} has no {name!r}: give every edge one, or pass weights=False")
    return values
