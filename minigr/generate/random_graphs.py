"""Graphs of random edges: R-MAT and uniform."""

from __future__ import annotations

import math
from typing import Any, Literal, overload

import numpy as np

from minigr.device import Device
from minigr.errors import GraphError
from minigr.generate.finish import Weights, graph_of_drawn, kernels, target_of
from minigr.generate.keys import stream_key
from minigr.generate.parts import Draw, parts_of_drawn
from minigr.graphs import Graph
from minigr.graphs.backend import scope
from minigr.graphs.checks import as_real, as_vertex_count, whole_number
from minigr.graphs.partitioned.deal import Rule
from minigr.graphs.partitioned.graph import Devices, PartitionedGraph, check_one_place
from minigr.memory import out_of_memory

_MOST_EDGES = 2**40


@overload
def rmat(
    scale: int, edge_factor: int = ..., *, a: float = ..., b: float = ..., c: float = ..., seed: int = ...,
    directed: bool = ..., weights: tuple[int, int] | None = ..., weight_dtype: Any = ..., simple: bool = ...,
    device: str | Device | None = ..., arcs: Literal["device", "host"] = ...,
    devices: None = ..., deal: Rule = ...,
) -> Graph: ...  # fmt: skip
@overload
def rmat(
    scale: int, edge_factor: int = ..., *, a: float = ..., b: float = ..., c: float = ..., seed: int = ...,
    directed: bool = ..., weights: tuple[int, int] | None = ..., weight_dtype: Any = ..., simple: bool = ...,
    device: str | Device | None = ..., arcs: Literal["device", "host"] = ...,
    devices: Devices, deal: Rule = ...,
) -> PartitionedGraph: ...  # fmt: skip
@out_of_memory
def rmat(
    scale: int,
    edge_factor: int = 16,
    *,
    a: float = 0.57,
    b: float = 0.19,
    c: float = 0.19,
    seed: int = 0,
    directed: bool = False,
    weights: tuple[int, int] | None = None,
    weight_dtype: Any = np.float32,
    simple: bool = True,
    device: str | Device | None = None,
    arcs: Literal["device", "host"] = "device",
    devices: Devices | None = None,
    deal: Rule = "auto",
) -> Any:
    """A scale-free graph from a recursive choice of quadrants (R-MAT), with shuffled vertex ids; O(edges * scale).

    Parameters
    ----------
    scale : int
        The graph has ``2**scale`` vertices; 0 to 30.
    edge_factor : int
        The number of drawn edges is ``edge_factor * 2**scale``.
    a, b, c : float
        The probabilities of the upper left, upper right and lower left quadrants. The lower right quadrant has the
        remaining probability. The defaults are the values of Graph500.
    seed : int
        The same seed gives the same graph on every device and machine.
    directed : bool
    weights : (int, int), optional
        The lowest and the highest weight. Each edge gets a random whole number in this range, both ends included.
    weight_dtype : dtype
        The dtype of the weights.
    simple : bool
        If True, drop self-loops and repeated edges. The graph then has fewer edges than were drawn.
    device : str, optional
    arcs : {'device', 'host'}
        ``"host"`` keeps the arcs of a graph on a GPU in host memory; see `Graph.to`. The GPU draws the edges and builds
        as many rows at a time as fit into its memory. The GPU draws the edges again for each of these passes.
    devices : sequence of str, or "mpi", optional
        Make a `PartitionedGraph` with a part on each of these devices, instead of `device` and `arcs`; see
        `PartitionedGraph.from_edges`. Each part draws all edges and keeps the arcs of its own vertices, so no device
        ever holds the other arcs.
    deal : {"auto", "ranges", "hash"}
        The rule that assigns each vertex to a part, for `devices`; see `PartitionedGraph.from_edges`. The rule uses the
        drawn arcs.

    Returns
    -------
    Graph or PartitionedGraph

    Raises
    ------
    GraphError
        If an argument is out of range, or if `devices` is combined with `device` or `arcs`.
    OutOfMemoryError
        If the device has too little memory to draw and sort the edges. An edge needs 8 bytes, or 4 if `directed`, and
        up to twice as much if more than an eighth of the edges are repeats to drop. The edges themselves are drawn some
        millions at a time. With ``arcs="host"``, the host needs this memory.

    Examples
    --------
    >>> rmat(10, 8, seed=1, weights=(1, 255), device="cpu")
    Graph(1,024 vertices, 6,028 edges, undirected, float32 weights, cpu)
    """
    check_one_place(device, arcs, devices)
    scale = whole_number(scale, "scale", 0, 30)
    count = whole_number(edge_factor, "edge_factor", 0, _MOST_EDGES >> scale) << scale
    a, b, c = (as_real(chance, name) for chance, name in ((a, "a"), (b, "b"), (c, "c")))
    if not (min(a, b, c) >= 0 and a + b + c <= 1 + 1e-9):
        raise GraphError(f"a, b and c must be chances that add up to at most 1, got {a}, {b}, {c}")
    recipe = Weights(weights, weight_dtype, seed)
    thresholds, keys = quadrants(a, b, c), (stream_key(recipe.seed, 0), stream_key(recipe.seed, 1))

    def draw_on(place: Device) -> Draw:
        draw = kernels(place).rmat_edges
        return lambda size, first: draw(scale, size, thresholds, *keys, first)

    how: dict[str, Any] = {"directed": bool(directed), "simple": simple, "weights": recipe}
    if devices is not None:
        return parts_of_drawn(1 << scale, count, draw_on, **how, devices=devices, deal=deal)
    target = target_of(device, arcs)
    with scope(target.device):

        def long_rows(least: int) -> tuple[int, int]:
            """The expected long rows. Vertices with equally many ones among their digits have rows of equal length."""
            chances = [a + b] if directed else [a + b, a + c]
            by_ones = [sum(count * p ** (scale - k) * (1 - p) ** k for p in chances) for k in range(scale + 1)]
            longer = (math.comb(scale, k) * length for k, length in enumerate(by_ones) if length > least)
            return int(sum(longer)), int(max(by_ones))

        return graph_of_drawn(1 << scale, count, draw_on(target.device), **how, target=target, long_rows=long_rows)


def quadrants(a: float, b: float, c: float) -> tuple[int, int, int]:
    """The probabilities of quadrants as the kernels need them: cumulative sums, in units of 2**-32.

    Examples
    --------
    >>> quadrants(0.5, 0.25, 0.25)
    (2147483648, 3221225472, 4294967296)
    """
    first, second, third = (min(round(chance * 2**32), 2**32) for chance in (a, a + b, a + b + c))
    return first, second, third


@overload
def uniform(
    num_vertices: int, num_edges: int, *, seed: int = ...,
    directed: bool = ..., weights: tuple[int, int] | None = ..., weight_dtype: Any = ..., simple: bool = ...,
    device: str | Device | None = ..., arcs: Literal["device", "host"] = ...,
    devices: None = ..., deal: Rule = ...,
) -> Graph: ...  # fmt: skip
@overload
def uniform(
    num_vertices: int, num_edges: int, *, seed: int = ...,
    directed: bool = ..., weights: tuple[int, int] | None = ..., weight_dtype: Any = ..., simple: bool = ...,
    device: str | Device | None = ..., arcs: Literal["device", "host"] = ...,
    devices: Devices, deal: Rule = ...,
) -> PartitionedGraph: ...  # fmt: skip
@out_of_memory
def uniform(
    num_vertices: int,
    num_edges: int,
    *,
    seed: int = 0,
    directed: bool = False,
    weights: tuple[int, int] | None = None,
    weight_dtype: Any = np.float32,
    simple: bool = True,
    device: str | Device | None = None,
    arcs: Literal["device", "host"] = "device",
    devices: Devices | None = None,
    deal: Rule = "auto",
) -> Any:
    """A graph whose edges have uniformly drawn ends; O(n + m).

    Parameters
    ----------
    num_vertices : int
    num_edges : int
        The number of drawn edges.
    seed, directed, weights, weight_dtype, simple, device, arcs, devices, deal
        As for `rmat`.

    Returns
    -------
    Graph or PartitionedGraph

    Raises
    ------
    GraphError
        If an argument is out of range, or if `devices` is combined with `device` or `arcs`.

    Examples
    --------
    >>> uniform(1000, 4000, simple=False, device="cpu")
    Graph(1,000 vertices, 4,000 edges, undirected, unweighted, cpu)
    """
    check_one_place(device, arcs, devices)
    n = as_vertex_count(num_vertices)
    count = whole_number(num_edges, "num_edges", 0, _MOST_EDGES if n else 0)
    recipe = Weights(weights, weight_dtype, seed)
    key = stream_key(recipe.seed, 2)

    def draw_on(place: Device) -> Draw:
        draw = kernels(place).uniform_edges
        return lambda size, first: draw(n, size, key, first)

    how: dict[str, Any] = {"directed": bool(directed), "simple": simple, "weights": recipe}
    if devices is not None:
        return parts_of_drawn(n, count, draw_on, **how, devices=devices, deal=deal)
    target = target_of(device, arcs)
    with scope(target.device):
        return graph_of_drawn(n, count, draw_on(target.device), **how, target=target)
