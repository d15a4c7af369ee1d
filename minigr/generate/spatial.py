"""Graphs in the plane, with diameters in the thousands: random geometric graphs, triangulations and lattices."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from minigr.device import Device
from minigr.errors import GraphError, MissingExtraError
from minigr.generate.finish import Weights, graph_of_edges, kernels, target_of
from minigr.generate.keys import stream_key
from minigr.graphs import Graph
from minigr.graphs.backend import scope
from minigr.graphs.checks import MAX_VERTICES, as_real, as_vertex_count, whole_number
from minigr.memory import out_of_memory

_UNIT = 2**31  # coordinates are integers below this, so that distances compare exactly, and alike on every device
_OF_QHULL = 645  # bytes per point, including the triangles in SciPy: measured from 10^5 points on


@out_of_memory
def random_geometric(
    num_vertices: int,
    mean_degree: float = 16,
    *,
    radius: float | None = None,
    seed: int = 0,
    weights: tuple[int, int] | None = None,
    weight_dtype: Any = np.float32,
    device: str | Device | None = None,
    arcs: Literal["device", "host"] = "device",
) -> Graph:
    """Random points in the unit square, joined if they are at most `radius` apart; O(n log n + m).

    Vertex ids follow the cells of a grid, so neighbors are also close in memory. The graph is undirected and simple.

    Parameters
    ----------
    num_vertices : int
    mean_degree : float
        The mean degree that determines the radius. Degrees are smaller near the border of the square.
    radius : float, optional
        The greatest distance between neighbors. Takes precedence over `mean_degree`.
    seed, weights, weight_dtype, device, arcs
        As for `rmat`.

    Raises
    ------
    GraphError
        If an argument is out of range.

    Examples
    --------
    >>> random_geometric(1000, 8, device="cpu")
    Graph(1,000 vertices, 3,763 edges, undirected, unweighted, cpu)
    """
    n = as_vertex_count(num_vertices)
    if radius is None:
        mean_degree = as_real(mean_degree, "mean_degree")
        if not (mean_degree >= 0 and math.isfinite(mean_degree)):
            raise GraphError(f"mean_degree must be a number of at least 0, got {mean_degree}")
        radius = math.sqrt(mean_degree / (math.pi * max(n, 1)))
    radius = as_real(radius, "radius")
    if not radius >= 0:
        raise GraphError(f"radius must be a number of at least 0, got {radius}")
    recipe, target = Weights(weights, weight_dtype, seed), target_of(device, arcs)
    reach = int(min(radius, 2) * _UNIT)
    # cells at least as large as the radius, so that all neighbors are in adjacent cells, and at most as many as points
    grid = max(1, min(_UNIT // max(reach, 1), math.isqrt(n)))
    with scope(target.device):
        xp, make = target.home.xp, kernels(target.home)
        x, y, cell = _points(target.home, n, recipe.seed, grid)
        starts = xp.searchsorted(cell, xp.arange(grid * grid + 1)).astype(np.int64, copy=False)
        offsets, indices = make.geometric_rows(x, y, starts, grid, min(reach * reach, 2**64 - 1))
        return recipe.attached(offsets, indices, target, directed=False, simple=True)


@out_of_memory
def delaunay(
    num_vertices: int,
    *,
    seed: int = 0,
    weights: tuple[int, int] | None = None,
    weight_dtype: Any = np.float32,
    device: str | Device | None = None,
    arcs: Literal["device", "host"] = "device",
) -> Graph:
    """The Delaunay triangulation of random points in the unit square; O(n log n).

    The points are the same as in `random_geometric` with the same seed. Vertex ids follow the cells of a grid, so
    neighbors are also close in memory. The graph is undirected, simple and planar, and its mean degree is slightly
    below 6. SciPy computes the triangulation on the host; ``pip install 'minigr[scipy]'`` installs SciPy.

    Parameters
    ----------
    num_vertices : int
    seed, weights, weight_dtype, device, arcs
        As for `rmat`.

    Raises
    ------
    GraphError
        If an argument is out of range.
    MissingExtraError
        If SciPy is not installed.

    Examples
    --------
    >>> delaunay(1000, device="cpu")
    Graph(1,000 vertices, 2,976 edges, undirected, unweighted, cpu)
    """
    n = as_vertex_count(num_vertices)
    recipe, target = Weights(weights, weight_dtype, seed), target_of(device, arcs)
    host = target.device.host
    x, y, _ = _points(host, n, recipe.seed, max(1, math.isqrt(n)))
    points = np.stack((x, y), axis=1).astype(np.float64)
    corners = (_outline_of_triangles if host.is_rehearsed else _triangles)(points).astype(np.int32)
    with scope(target.device):
        src, dst = (target.home.asarray(corners[:, turned].ravel()) for turned in ([0, 1, 2], [1, 2, 0]))
        return graph_of_edges(n, src, dst, directed=False, simple=True, weights=recipe, target=target)


def _points(where: Device, n: int, seed: int, grid: int) -> tuple[Any, Any, Any]:
    """Coordinates of random points in units of 2**-31, sorted by cell of a grid, and the cell of each point."""
    x, y = kernels(where).geometric_points(n, stream_key(seed, 3), stream_key(seed, 4))
    cell = ((y.astype(np.int64) * grid) >> 31) * grid + ((x.astype(np.int64) * grid) >> 31)
    order = where.xp.argsort(cell, kind="stable")
    return x[order], y[order], cell[order]


def _outline_of_triangles(points: Any) -> Any:
    """Allocate the most triangles that there can be, and the memory of Qhull, which NumPy does not report."""
    of_qhull = points.like(np.uint8, _OF_QHULL * len(points))
    corners = points.like(np.int32, (2 * len(points), 3))
    del of_qhull
    return corners


def _triangles(points: Any) -> Any:
    """int[t, 3]: the corners of the Delaunay triangles of points. Fewer than three points give a flat triangle."""
    try:
        from scipy.spatial import Delaunay
    except ImportError as error:
        raise MissingExtraError("a triangulation needs SciPy: pip install 'minigr[scipy]'") from error
    if len(points) < 3:
        return np.array([[0, len(points) - 1, 0]][: len(points)], np.int64).reshape(-1, 3)
    return Delaunay(points).simplices


@out_of_memory
def lattice(
    width: int,
    height: int,
    keep: float = 1.0,
    *,
    seed: int = 0,
    weights: tuple[int, int] | None = None,
    weight_dtype: Any = np.float32,
    device: str | Device | None = None,
    arcs: Literal["device", "host"] = "device",
) -> Graph:
    """A grid that keeps each edge with a given probability, like the map of a city; O(n).

    Vertex ``y * width + x`` has neighbors left, right, above and below. The graph is undirected and simple.

    Parameters
    ----------
    width, height : int
    keep : float
        The probability of keeping an edge, 0 to 1. With 0.6, the mean degree is 2.4, as in road networks.
    seed, weights, weight_dtype, device, arcs
        As for `rmat`.

    Raises
    ------
    GraphError
        If an argument is out of range.

    Examples
    --------
    >>> lattice(3, 2, device="cpu").neighbors(1)
    array([0, 2, 4], dtype=int32)
    """
    width = whole_number(width, "width", 0, MAX_VERTICES)
    height = whole_number(height, "height", 0, MAX_VERTICES)
    as_vertex_count(width * height, "width * height")
    keep = as_real(keep, "keep")
    if not 0 <= keep <= 1:
        raise GraphError(f"keep must be between 0 and 1, got {keep}")
    recipe, target = Weights(weights, weight_dtype, seed), target_of(device, arcs)
    with scope(target.device):
        threshold, keys = int(keep * 2**53), (stream_key(recipe.seed, 5), stream_key(recipe.seed, 6))
        offsets, indices = kernels(target.home).lattice_rows(width, height, threshold, *keys)
        return recipe.attached(offsets, indices, target, directed=False, simple=True)
