"""Tables in memory: pandas, polars, Arrow, or a dict of columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigr.errors import FormatError, GraphError
from minigr.graphs.columns import in_order, names_of_table
from minigr.graphs.graph import Graph
from minigr.io.columns import column_names
from minigr.io.contents import Options, as_names
from minigr.labels import Labels, as_numpy
from minigr.memory import out_of_memory
from minigr.missing import refuse_masked


@out_of_memory
def from_table(
    table: Any,
    *,
    columns: Sequence[str] | None = None,
    weights: bool = True,
    relabel: bool = True,
    directed: bool = False,
    device: Any = None,
    edge_columns: bool | Sequence[str] = False,
) -> tuple[Graph, Labels]:
    """Make a graph from a table with one row for each edge.

    Parameters
    ----------
    table : pandas or polars DataFrame, Arrow Table, or dict of columns
    columns : sequence of str, optional
        The contents of each column: ``"src"``, ``"dst"``, ``"weight"``, or another word for a column to leave out. By
        default, columns are recognized by the usual variants of these three names.
    weights : bool
        Whether to use the weights, if any.
    relabel : bool
        If True, number the vertices in the order of first appearance, all sources before the targets; labels may have
        any hashable type. If False, the columns hold vertex ids from 0.
    directed : bool
    device : str, optional
    edge_columns : bool or sequence of str
        The other columns to keep as ``graph.edge_columns``; True keeps all other columns. By default, none. If columns
        are kept, the rows of the graph are built twice.

    Returns
    -------
    graph : Graph
    labels : Labels
        The labels of the graph's vertices. Without `relabel`, the labels are 0, 1, ....

    Raises
    ------
    GraphError
        If the table has no columns for source and target, or lacks a column that `edge_columns` names. Also if a label
        or weight is missing, or if the ids are not valid vertex ids.

    Examples
    --------
    >>> import minigr as mg, pandas as pd
    >>> flights = pd.DataFrame({"from": ["BER", "VIE"], "to": ["VIE", "LIS"], "weight": [524.0, 2300.0]})
    >>> graph, labels = mg.from_table(flights, device="cpu")
    >>> labels.series(mg.sssp(graph, labels.id("BER")).distance).to_dict()
    {'BER': 0.0, 'VIE': 524.0, 'LIS': 2824.0}

    >>> flights["by"] = ["train", "plane"]
    >>> mg.from_table(flights, edge_columns=True, device="cpu")[0].edge_columns["by"].tolist()
    ['train', 'plane']
    """
    names = names_of_table(table, "from_table")
    try:
        meanings = column_names(names, Options.of(columns, weights), "the table")
    except FormatError as error:
        raise GraphError(str(error)) from error
    found = {meaning: table[name] for meaning, name in zip(meanings, names, strict=True)}
    values = None
    for meaning, column in found.items():
        if meaning in ("src", "dst", "weight"):
            refuse_masked(column, names[meanings.index(meaning)])
    if "weight" in found:
        values = _numbers(found["weight"], names[meanings.index("weight")])
    if relabel:
        labels, (src, dst) = Labels.number(found["src"], found["dst"])
        options: dict[str, Any] = {"num_vertices": len(labels), "directed": directed, "device": device}
    else:
        src, dst = _array(found["src"]), _array(found["dst"])
        options = {"directed": directed, "device": device}
    graph = Graph.from_edges(src, dst, values, **options)
    if not relabel:
        labels = Labels(np.arange(graph.num_vertices))
    others = _chosen(edge_columns, names, meanings)
    if others:
        given = {name: table[name] for name in others}
        graph = graph.with_columns(
            edges=in_order(lambda numbers: Graph.from_edges(src, dst, numbers, **options), given, len(src))
        )
    return graph, labels


def _chosen(asked: bool | Sequence[str], names: list[str], meanings: Sequence[str]) -> list[str]:
    """The names of the columns to keep."""
    others = [name for name, meaning in zip(names, meanings, strict=True) if meaning not in ("src", "dst", "weight")]
    if isinstance(asked, bool):
        return others if asked else []
    listed = list(as_names(asked, "edge_columns= is True, False or the names of columns"))
    for name in listed:
        if name not in names:
            raise GraphError(f"edge_columns names {name!r}, but the table has {', '.join(map(repr, names))[:200]}")
    return listed


def _array(column: Any) -> Any:
    return as_numpy(column) if hasattr(column, "to_numpy") else column


def _numbers(column: Any, name: str) -> Any:
    import pandas as pd

    values = np.asarray(_array(column))
    missing = np.flatnonzero(pd.isna(values))
    if missing.size:
        raise GraphError(f"row {missing[0]} has no {name!r}: give every edge a value, or pass weights=False")
    return values
