"""A maximum flow and a minimum cut; `serial.py` and `push.py` have the algorithms and the references."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from minigr.apps.common.checks import check_source, takes_graph
from minigr.apps.maximum_flow.network import network_of
from minigr.apps.maximum_flow.push import push
from minigr.apps.maximum_flow.serial import augment
from minigr.apps.maximum_flow.units import capacities_of, most_of
from minigr.errors import GraphError
from minigr.graphs.backend import scope
from minigr.program.control import Driver
from minigr.program.executor import check_driver
from minigr.program.frontier import Frontier
from minigr.program.node import check_choice

Method = Literal["auto", "augment", "push"]
_LARGE = 2**20  # arcs: on larger residual networks, `push` is used by default
_SHARE = 2**-8  # of the bound of the flow: if the flow is less, it is computed again in smaller units


@dataclass(frozen=True)
class MaximumFlowResult:
    """A maximum flow from a source to a sink, and a minimum cut between them.

    Attributes
    ----------
    value : int or float
        Value of the flow, which equals the sum of the weights of all edges from `source_side` to other vertices. An int
        if the weights have an integer dtype.
    flow : int64 or float64 array, one for each arc
        Flow along the arc, in the order of ``graph.to_edges(both_ways=True)``. An undirected edge has a flow in at most
        one direction. For a `DynamicGraph`, the flow is in the order of its ``to_graph()``.
    source_side : bool array, one for each vertex
        True if no more can flow from the vertex to the sink. Of all minimum cuts, this cut is nearest to the sink.
        False for deleted vertices.
    iterations : int
        Number of searches, or of rounds of pushes.
    """

    value: int | float
    flow: Any
    source_side: Any
    iterations: int


@takes_graph
def maximum_flow(
    graph: Any, source: int, sink: int, *, method: Method = "auto", driver: Driver = "auto"
) -> MaximumFlowResult:
    """The maximum flow from a source to a sink, where the weight of each edge is its capacity.

    An undirected edge can have a flow in either direction. Without weights, each edge has capacity 1. `value` and
    `source_side` are the same in every run and for both methods. `flow` is the same in every run of one method. Whole
    weights are added exactly. Float weights are rounded down to whole multiples of a power of 2, usually far below the
    last digit of the value, and are then added exactly. Both methods take O(vertices**2 * edges) work in the worst
    case, and usually far less. Memory is 48 bytes for each arc of an undirected graph, and 140 bytes for each arc of a
    directed graph. A `DynamicGraph` is copied into rows first.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    source, sink : int
        The source vertex and the sink vertex.
    method : {"auto", "augment", "push"}
        ``"augment"``: shortest augmenting paths (Dinic 1970), on one thread of the host. ``"push"``: pushes of many
        vertices at the same time and relabeling (Goldberg, Tarjan 1988). ``"auto"``: ``"push"`` for graphs of more than
        half a million edges, and ``"augment"`` for other graphs.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError
        If `source` or `sink` is not a vertex, or if `source` equals `sink`. If a weight is negative. If edges of
        infinite weight lead from the source to the sink. If the sum of the weights of the source's edges is about
        2**61 or more, and the sum of the weights of the sink's edges, times the number of the source's edges, is too.
        For float weights, this limit is the greatest float64.
    ProblemError
        If `method` or `driver` is unknown.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], [3, 2, 1, 4], directed=True, device="cpu")
    >>> result = mg.maximum_flow(g, 0, 3)
    >>> result.value, result.flow
    (3, array([1, 2, 1, 2]))
    >>> result.source_side  # whose edges to other vertices, 1 to 3 and 0 to 2, are full
    array([ True,  True, False, False])
    """
    check_choice(method, get_args(Method), "maximum_flow: method")
    check_driver(driver, graph, False)
    source, sink = check_source(graph, source), check_source(graph, sink, "sink")
    if source == sink:
        raise GraphError(f"source and sink are the same vertex, {source}: give two different vertices")
    if graph.weighted and graph.weight_summary()[0] < 0:
        raise GraphError(
            f"maximum_flow needs weights of at least 0, but the least is {graph.weight_summary()[0]}: drop negatives"
        )
    rows = graph if graph.layout == "csr" else graph.to_graph()
    with scope(graph._device):
        network = network_of(rows)
        pushes = method == "push" or (method == "auto" and network.graph.num_arcs > _LARGE)
        most = most_of(network, source, sink)
        while True:
            given = capacities_of(network, source, most)
            if pushes:
                residual, reaches, iterations = push(network, given.units, source, sink, driver)
            else:
                residual, reaches, iterations = augment(network, given.units, source, sink)
            flow = given.units - residual
            value = -int(flow[network.row(sink)].sum())
            if value > given.most:
                raise GraphError(
                    "maximum_flow: edges of infinite weight lead from the source to the sink: lower the weights"
                )
            before, most = most, math.ldexp(value + len(flow), -given.exponent)  # rounding lost less than 1 per arc
            if given.exact or most >= before * _SHARE:
                break
        side = graph._device.full(graph.num_vertices, False, np.bool_)
        live = Frontier.all_vertices().vertices_on(graph)
        side[live] = ~reaches[live]
        flow = network.onto(rows, graph._device.xp.maximum(flow, 0))
        if network.weights.dtype.kind == "f":
            flow = graph._device.xp.ldexp(flow.astype(np.float64), -given.exponent)
            return MaximumFlowResult(math.ldexp(value, -given.exponent), flow, side, iterations)
    return MaximumFlowResult(value, flow, side, iterations)
