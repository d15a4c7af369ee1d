"""Graphs of simple shapes: path, cycle, star, complete."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from minigr.device import Device
from minigr.errors import GraphError
from minigr.generate.finish import Weights, graph_of_edges, target_of
from minigr.graphs import Graph
from minigr.graphs.backend import scope
from minigr.graphs.checks import as_vertex_count
from minigr.memory import out_of_memory, require_rows


@out_of_memory
def path(
    num_vertices: int,
    *,
    directed: bool = False,
    seed: int = 0,
    weights: tuple[int, int] | None = None,
    weight_dtype: Any = np.float32,
    device: str | Device | None = None,
    arcs: Literal["device", "host"] = "device",
) -> Graph:
    """The path 0, 1, ..., n - 1.

    Parameters
    ----------
    num_vertices : int
    directed, seed, weights, weight_dtype, device, arcs
        As for `rmat`. The seed determines only the weights.

    Examples
    --------
    >>> path(4, device="cpu").degree()
    array([1, 2, 2, 1])
    """
    n, target, recipe = as_vertex_count(num_vertices), target_of(device, arcs), Weights(weights, weight_dtype, seed)
    with scope(target.device):
        vertices = target.home.xp.arange(n, dtype=np.int32)
        src, dst = vertices[:-1], vertices[1:]
        return graph_of_edges(n, src, dst, directed=bool(directed), simple=False, weights=recipe, target=target)


@out_of_memory
def cycle(
    num_vertices: int,
    *,
    directed: bool = False,
    seed: int = 0,
    weights: tuple[int, int] | None = None,
    weight_dtype: Any = np.float32,
    device: str | Device | None = None,
    arcs: Literal["device", "host"] = "device",
) -> Graph:
    """The cycle 0, 1, ..., n - 1, 0, of at least three vertices.

    Parameters
    ----------
    num_vertices : int
    directed, seed, weights, weight_dtype, device, arcs
        As for `rmat`. The seed determines only the weights.

    Raises
    ------
    GraphError
        If there are fewer than three vertices.

    Examples
    --------
    >>> cycle(4, device="cpu").neighbors(0)
    array([1, 3], dtype=int32)
    """
    n, target, recipe = as_vertex_count(num_vertices), target_of(device, arcs), Weights(weights, weight_dtype, seed)
    if n < 3:
        raise GraphError(f"a cycle needs at least three vertices, got {n}")
    with scope(target.device):
        src = target.home.xp.arange(n, dtype=np.int32)
        dst = target.home.xp.roll(src, -1)
        return graph_of_edges(n, src, dst, directed=bool(directed), simple=False, weights=recipe, target=target)


@out_of_memory
def star(
    num_vertices: int,
    *,
    directed: bool = False,
    seed: int = 0,
    weights: tuple[int, int] | None = None,
    weight_dtype: Any = np.float32,
    device: str | Device | None = None,
    arcs: Literal["device", "host"] = "device",
) -> Graph:
    """The star that joins vertex 0 to all other vertices.

    Parameters
    ----------
    num_vertices : int
    directed : bool
        If True, edges point away from vertex 0.
    seed, weights, weight_dtype, device, arcs
        As for `rmat`. The seed determines only the weights.

    Examples
    --------
    >>> star(4, device="cpu").degree()
    array([3, 1, 1, 1])
    """
    n, target, recipe = as_vertex_count(num_vertices), target_of(device, arcs), Weights(weights, weight_dtype, seed)
    with scope(target.device):
        dst = target.home.xp.arange(1, max(n, 1), dtype=np.int32)
        src = target.home.xp.zeros_like(dst)
        return graph_of_edges(
            n, src, dst, directed=bool(directed), simple=False, weights=recipe, target=target,
            long_rows=lambda least: ((n - 1) * (n - 1 > least), n - 1),
        )  # fmt: skip


@out_of_memory
def complete(
    num_vertices: int,
    *,
    directed: bool = False,
    seed: int = 0,
    weights: tuple[int, int] | None = None,
    weight_dtype: Any = np.float32,
    device: str | Device | None = None,
    arcs: Literal["device", "host"] = "device",
) -> Graph:
    """The complete graph, which joins every two vertices; if directed, in both directions.

    Parameters
    ----------
    num_vertices : int
    directed, seed, weights, weight_dtype, device, arcs
        As for `rmat`. The seed determines only the weights.

    Examples
    --------
    >>> complete(4, device="cpu").num_edges
    6
    """
    n, target, recipe = as_vertex_count(num_vertices), target_of(device, arcs), Weights(weights, weight_dtype, seed)
    require_rows(target.device, n, n * max(n - 1, 0), None, f"the complete graph of {n:,} vertices", arcs_in=arcs)
    with scope(target.device):
        offsets = target.home.xp.arange(n + 1, dtype=np.int64) * max(n - 1, 0)
        # row v is 0 .. n - 1 without v: arc j of the row leads to j, or to j + 1 if j >= v
        place = target.home.xp.arange(n * max(n - 1, 0), dtype=np.int64)
        row = place // max(n - 1, 1)
        place -= row * (n - 1)
        indices = (place + (place >= row)).astype(np.int32)
        return recipe.attached(offsets, indices, target, directed=bool(directed), simple=True)
