"""Attributes of nodes and edges of a NetworkX graph as columns, and columns as attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from minigr.errors import GraphError
from minigr.graphs.columns import column_of, values_of
from minigr.graphs.networkx_rows import edge_data, rows_of_networkx

Asked = bool | Sequence[str]


def columns_of_networkx(
    graph: Any, vertices: Asked, edges: Asked, weight: str | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The attributes of nodes and of edges that are asked for, in NetworkX's order. True asks for all but the weight.

    Raises
    ------
    GraphError
        If no node or edge has an attribute that is asked for by name, or if all are asked for and a name is not a
        string.
    """
    of_edges: list[Any] = list(edge_data(graph, rows_of_networkx(graph))) if edges else []
    of_vertices = [data for _, data in graph.nodes(data=True)]
    return _columns(of_vertices, vertices, "node"), _columns(of_edges, edges, "edge", weight)


def _columns(data: list[Mapping[Any, Any]], asked: Asked, what: str, weight: str | None = None) -> dict[str, Any]:
    known = dict.fromkeys(name for each in data for name in each)
    if isinstance(asked, bool):
        names = [name for name in known if name != weight] if asked else []
    else:
        names = [asked] if isinstance(asked, str) else list(asked)
    for name in names:
        if not isinstance(name, str):
            raise GraphError(f"the attribute name {name!r} is not a string: list the names of columns")
        if data and name not in known:
            there = ", ".join(map(repr, known))[:200] or "none"
            raise GraphError(f"no {what} has the attribute {name!r}; there are: {there}")
    return {name: column_of([_plain(each.get(name)) for each in data]) for name in names}


def _plain(value: Any) -> Any:
    """A number of NumPy as a number of Python."""
    return value.item() if isinstance(value, (np.bool_, np.integer, np.floating)) else value


def attributes_of(columns: Mapping[str, Any], count: int) -> Iterator[dict[str, Any]]:
    """The attributes of each of `count` nodes or edges: the values of columns, without missing values."""
    values = {name: values_of(column) for name, column in columns.items()}
    for place in range(count):
        yield {name: of_all[place] for name, of_all in values.items() if of_all[place] is not None}
