"""Connected components: trees of labels that are joined along edges, by sampling first.

Sutton, Ben-Nun, Barak, Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling (IPDPS 2018); Shiloach,
Vishkin, An O(log n) Parallel Connectivity Algorithm (Journal of Algorithms 1982). The first label of a vertex can be a
neighbor, as in Jaiganesh, Burtscher, A High-Performance Connected Components Implementation for GPUs (HPDC 2018).

Labels are the parents of `minigr.jit.union_find`: the label of a vertex is a vertex of the same component whose id is
not greater. At the end, the root of each tree is the least vertex of its component.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minigr.apps.common.checks import check_how, require, takes_parts
from minigr.apps.common.tables import VertexTable
from minigr.apps.components.in_parts import joining_parts
from minigr.apps.components.programs import LINKS, joining
from minigr.operators.options import Balance, Direction
from minigr.program.control import Driver
from minigr.program.trace import Trace


@dataclass(frozen=True)
class ComponentsResult(VertexTable, columns=("label",)):
    """Connected components.

    Attributes
    ----------
    label : int32 array, one for each vertex
        The least vertex of its component; -1 for deleted vertices.
    num_components : int
        The number of components. A vertex without edges is a component.
    iterations : int
    trace : Trace or None
    """

    label: Any
    num_components: int
    iterations: int
    trace: Trace | None


@takes_parts
def connected_components(
    graph: Any,
    *,
    direction: Direction = "auto",
    balance: Balance = "auto",
    trace: bool = False,
    driver: Driver = "auto",
) -> ComponentsResult:
    """Connected components; for a directed graph, the weakly connected components, which ignore directions of edges.

    The result is the same in every run. The work is nearly O(vertices + edges), and memory is 8 bytes for each vertex.
    In a pull of an undirected graph, each vertex first joins two of its edges. The second step skips the component with
    the most vertices of a sample. The vertices of other components join the rest of their edges. A push joins all edges
    at once. By default, undirected graphs with more than four neighbors per vertex are pulled, unless a balance is
    given. The parts of a `PartitionedGraph` join their own edges. After each step, the parts exchange which vertices
    are in one set. In each part, this computation takes up to 28 bytes for each vertex of the whole graph.

    Parameters
    ----------
    graph : Graph, DynamicGraph or PartitionedGraph
    direction : {"auto", "push", "pull"}
        Whether a step follows the edges of its frontier (push), or other vertices look for the frontier (pull), as in
        `minigr.operators.advance`. The choice changes only the speed.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. The choice changes only the speed.
    trace : bool
        Whether to keep a table of the steps in ``result.trace``, as an `Enactor` does. Tracing is slower.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    ProblemError
        If `direction`, `balance` or `driver` is unknown. If ``direction="pull"`` is given for a directed graph, or
        together with a balance other than ``"auto"`` or ``"block"``.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([4, 1, 2], [1, 3, 5], num_vertices=6, device="cpu")
    >>> result = mg.connected_components(g)
    >>> result.label, result.num_components
    (array([0, 1, 2, 1, 1, 2], dtype=int32), 3)
    """
    # A sample saves nothing if it has nearly all edges. In a directed graph, the edges of the giant cannot be skipped.
    samples = not graph.directed and graph.num_arcs > 2 * LINKS * graph.num_vertices and balance == "auto"
    check_how("connected_components", direction, balance)
    pulls = direction == "pull" or (direction == "auto" and samples)
    require(
        not pulls or not graph.directed,
        "connected_components: direction='pull' takes an undirected graph, and this one is directed: use 'push'",
    )
    how = joining_parts if graph.layout == "parts" else joining
    enactor = how(graph, pulls, balance, trace=trace, driver=driver)
    enactor.run()
    problem = enactor.problem
    return ComponentsResult(
        problem.label, int(graph._device.number(problem.num_components)), enactor.iterations, enactor.trace
    )
