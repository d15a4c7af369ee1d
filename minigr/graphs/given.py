"""Checks of the argument of a function that takes a graph, with errors that say how to make a graph of it."""

from __future__ import annotations

from typing import Any

from minigr.errors import GraphError
from minigr.graphs.layouts import KERNELS

_REMEDIES = {  # by the package of the class or of one of its base classes
    "networkx": "convert it with mg.Graph.from_networkx(graph)",
    "scipy": "convert it with mg.Graph.from_scipy(matrix)",
    "cupyx": "convert it with mg.Graph.from_scipy(matrix)",
    "pandas": "convert it with graph, labels = mg.from_table(table)",
    "polars": "convert it with graph, labels = mg.from_table(table)",
    "pyarrow": "convert it with graph, labels = mg.from_table(table)",
    "pathlib": "read the file with mg.read(path)",
}
_FROM_EDGES = "make one with mg.Graph.from_edges(src, dst), mg.read(path) or mg.generate"


def require_graph(graph: Any, caller: str, *, parts: bool = False) -> None:
    """Raise `GraphError` unless `graph` is a `Graph` or a `DynamicGraph`. The message names the caller and a remedy.

    `parts`: whether the graph may be a `PartitionedGraph`, too.
    """
    kind = type(graph)
    if getattr(kind, "layout", None) == "parts":
        if parts:
            return
        raise GraphError(
            f"{caller} does not run over a {kind.__name__}: pass graph.gather(), the graph in one place, or write "
            "an Enactor for it"
        )
    if getattr(kind, "layout", None) not in KERNELS:
        what = f"the class {graph.__name__}" if isinstance(graph, type) else f"a {kind.__module__}.{kind.__qualname__}"
        raise GraphError(
            f"{caller} takes a minigr.Graph or DynamicGraph, got {what.replace('a builtins.', 'a ')}: {_remedy(graph)}"
        )


def require_static(graph: Any, caller: str) -> None:
    """Raise `GraphError` unless `graph` is a `Graph`."""
    require_graph(graph, caller)
    if graph.layout != "csr":
        raise GraphError(
            f"{caller} takes a static minigr.Graph, got a DynamicGraph: use graph.copy() or graph.to_graph()"
        )


def _remedy(graph: Any) -> str:
    from minigr.graphs.batch import GraphBatch

    if isinstance(graph, GraphBatch):
        return "give its attribute .graph, which is all graphs of the batch as one, or call the function in mg.batch"
    if isinstance(graph, str):
        return "read the file with mg.read(path)"
    packages = [base.__module__.partition(".")[0] for base in type(graph).__mro__]
    return next((_REMEDIES[package] for package in packages if package in _REMEDIES), _FROM_EDGES)
