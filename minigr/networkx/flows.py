"""Maximum flows and minimum cuts, by `minigr.maximum_flow`: see the functions of the same names in NetworkX."""

from __future__ import annotations

import math
from typing import Any

import networkx as nx
import numpy as np

import minigr as mg
from minigr.device import CPU
from minigr.errors import GraphError
from minigr.networkx.refusal import CannotAnswer


def maximum_flow_value(flowG, _s, _t, capacity="capacity", flow_func=None, **kwargs) -> Any:
    return _value(_flow(_with_capacities(flowG, capacity), _s, _t, capacity, kwargs))


def minimum_cut_value(flowG, _s, _t, capacity="capacity", flow_func=None, **kwargs) -> Any:
    return maximum_flow_value(flowG, _s, _t, capacity, flow_func, **kwargs)


def minimum_cut(flowG, _s, _t, capacity="capacity", flow_func=None, **kwargs) -> tuple[Any, tuple[set[Any], set[Any]]]:
    found = _flow(_with_capacities(flowG, capacity), _s, _t, capacity, kwargs)
    side = CPU.asarray(found.source_side)
    return _value(found), (set(flowG.labels(np.flatnonzero(side))), set(flowG.labels(np.flatnonzero(~side))))


def maximum_flow(flowG, _s, _t, capacity="capacity", flow_func=None, **kwargs) -> tuple[Any, dict[Any, dict[Any, Any]]]:
    flowG = _with_capacities(flowG, capacity)
    found = _flow(flowG, _s, _t, capacity, kwargs)
    src, dst, *_ = map(CPU.asarray, flowG.graph(capacity).to_edges(both_ways=True))
    n, rows = len(flowG), flowG.rows
    arcs = np.searchsorted(src.astype(np.int64) * n + dst, rows.sources.astype(np.int64) * n + rows.targets)
    amounts = [amount or 0 for amount in CPU.asarray(found.flow)[arcs].tolist()]  # an int if nothing flows
    named, ends = flowG.labels(rows.targets), rows.offsets.tolist()
    flows = {
        node: dict(zip(named[begin:end], amounts[begin:end], strict=True))
        for node, begin, end in zip(flowG, ends[:-1], ends[1:], strict=True)
    }
    return _value(found), flows


def _with_capacities(G: Any, capacity: Any) -> Any:
    """The graph in which edges without a capacity have infinite capacity."""
    return G.where_missing(capacity, math.inf)


def _value(found: Any) -> Any:
    return found.value or 0  # an int if nothing flows


def _flow(G: Any, source: Any, sink: Any, capacity: Any, options: Any) -> Any:
    if options:
        raise CannotAnswer("options of a flow_func are not supported")
    for node in (source, sink):
        if node not in G:
            raise nx.NetworkXError(f"node {node!s} not in graph")
    if source == sink:
        raise nx.NetworkXError("source and sink are the same node")
    weights = G.weights(capacity)
    if weights is not None and weights.mixed:
        raise CannotAnswer("some capacities are ints, and others are floats or missing, which means infinite")
    try:
        return mg.maximum_flow(G.graph(capacity), G.index[source], G.index[sink])
    except GraphError as error:
        raise CannotAnswer(str(error)) from error
