"""The functions that NetworkX calls: conversions, checks whether a call can and should be answered here, and functions.

NetworkX uses a module for this (entry point `networkx.backends`), and looks up a function by its name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from itertools import islice
from typing import Any

import networkx as nx

from minigr.networkx.arguments import Reason
from minigr.networkx.functions import CONVERTED, FLOWS, FUNCTIONS
from minigr.networkx.graph import ConvertedGraph, convert, converted_before
from minigr.networkx.refusal import CannotAnswer

_SAMPLE = 64  # nodes from which the number of edges is estimated


def __getattr__(name: str) -> Callable[..., Any]:
    if name not in FUNCTIONS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"minigr.networkx.{FUNCTIONS[name].module}"), name)


def convert_from_nx(
    graph: Any,
    *,
    edge_attrs: Mapping[Any, Any] | None = None,
    node_attrs: Mapping[Any, Any] | None = None,
    preserve_edge_attrs: bool = False,
    preserve_node_attrs: bool = False,
    preserve_graph_attrs: bool = False,
    name: str | None = None,
    graph_name: str | None = None,
) -> ConvertedGraph:
    """Convert the graph to arrays, with the edge attributes that `edge_attrs` names.

    If all attributes should be kept, the attributes stay in `graph`, and the result refers to `graph`.

    Raises
    ------
    CannotAnswer
        If `node_attrs` names attributes, or if a value of an edge attribute isn't a number.
    """
    if node_attrs:
        raise CannotAnswer("minigr converts no attributes of nodes")
    return convert(graph, dict(edge_attrs or {}), keep_attributes=preserve_edge_attrs or preserve_node_attrs)


def convert_to_nx(result: Any, *, name: str | None = None) -> Any:
    """Convert a `ConvertedGraph` to a NetworkX graph with the converted attributes; return other results unchanged."""
    return result.networkx() if isinstance(result, ConvertedGraph) else result


class _Arguments(Mapping[str, Any]):
    """The arguments of a call by name, with defaults for arguments that were left out."""

    def __init__(self, parameters: Mapping[str, tuple[int, Any]], args: Any, kwargs: Any):
        self.parameters, self.args, self.kwargs = parameters, args, kwargs

    def __getitem__(self, name: str) -> Any:
        position, default = self.parameters[name]
        return self.args[position] if position < len(self.args) else self.kwargs.get(name, default)

    def __iter__(self) -> Iterator[str]:
        return iter(self.parameters)

    def __len__(self) -> int:
        return len(self.parameters)


@cache
def _parameters(name: str) -> dict[str, tuple[int, Any]]:
    """The position and default of each parameter in NetworkX."""
    function = next(filter(None, (getattr(module, name, None) for module in (nx, nx.community, nx.bipartite))))
    parameters = inspect.signature(function).parameters.values()
    return {parameter.name: (place, parameter.default) for place, parameter in enumerate(parameters)}


def _first(reasons: tuple[Reason, ...], name: str, args: Any, kwargs: Any) -> str | None:
    """The first reason that applies to a call of NetworkX's function of this name; None if none applies."""
    if not reasons:
        return None
    given = _Arguments(_parameters(name), args, kwargs)
    return next(filter(None, (reason(given) for reason in reasons)), None)


def can_run(name: str, args: Any, kwargs: Any) -> bool | str:
    """True, or the reason why a call can't be answered exactly, as far as it is known before a conversion."""
    return _first(FUNCTIONS[name].refuses, name, args, kwargs) or True


def should_run(name: str, args: Any, kwargs: Any) -> bool | str:
    """True, or the reason why NetworkX should answer: usually a graph so small that a conversion takes longer."""
    graph, worth = args[0] if args else kwargs[next(iter(_parameters(name)))], FUNCTIONS[name].worth
    if worth > 0 and _size(graph) < (worth if converted_before(graph) is None else min(worth, CONVERTED)):
        return "the graph is small"
    return _first(FUNCTIONS[name].leaves, name, args, kwargs) or True


def _size(graph: Any) -> float:
    """The approximate number of nodes and of entries in their rows, from a sample; 0 if they are few in any case."""
    rows = graph._adj
    nodes = len(rows)
    if nodes * nodes < FLOWS:  # even with every possible edge
        return 0
    sample = sum(map(len, islice(rows.values(), _SAMPLE)))
    return nodes * (1 + sample / min(_SAMPLE, nodes))
