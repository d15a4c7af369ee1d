"""Positions for the vertices of a small graph: distances in the drawing resemble those in the graph.

Gansner, Koren, North, Graph Drawing by Stress Majorization (Graph Drawing 2004), from the positions of Torgerson,
Multidimensional Scaling (Psychometrika 1952). Connected components are laid out separately and placed in rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse
import scipy.sparse.csgraph
from scipy.spatial.distance import cdist

ROUNDS = 100
ENOUGH = 1e-4
"""The iteration ends when a round reduces the stress by less than this share."""
_GAP = 1.0  # between components, if an edge is about 1 long


def layout(matrix: Any) -> Any:
    """float64[n, 2]: a position for each vertex; edges are about 1 long.

    Parameters
    ----------
    matrix : scipy.sparse.csr_array [n, n]
        An entry of any value for each edge, in one direction or both directions.

    Notes
    -----
    O(s**3 + rounds * s**2) work and O(s**2) memory for a component of s vertices. The same matrix gives the same
    positions.

    Examples
    --------
    >>> import minigr as mg
    >>> layout(mg.generate.path(3, device="cpu").to_scipy())[:, 0].round(1).tolist()
    [0.0, 1.0, 2.0]
    """
    matrix = scipy.sparse.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)
    count, component = scipy.sparse.csgraph.connected_components(matrix, directed=False)
    members = [np.flatnonzero(component == number) for number in range(count)]
    members.sort(key=lambda vertices: (-len(vertices), vertices[0]))
    pieces = [_turned(_stretched(matrix[vertices][:, vertices])) for vertices in members]
    positions = np.empty((matrix.shape[0], 2))
    for vertices, piece, corner in zip(members, pieces, _corners(pieces), strict=True):
        positions[vertices] = piece + corner
    return positions


def _stretched(matrix: Any) -> Any:
    """Positions of about least stress, the sum of ((distance in the drawing - hops) / hops)**2 over all pairs."""
    n = matrix.shape[0]
    if n <= 2:
        return np.arange(n)[:, None] * np.array([[1.0, 0.0]])
    hops = scipy.sparse.csgraph.shortest_path(matrix, directed=False, unweighted=True)
    np.fill_diagonal(hops, 1.0)  # avoids a division by 0; the diagonal has weight 0
    weight = hops**-2
    np.fill_diagonal(weight, 0.0)
    # The first vertex stays at the origin, because only differences of positions matter.
    factor = scipy.linalg.cho_factor(_laplacian(weight)[1:, 1:])
    now, before = _scaled(hops), np.inf
    for _ in range(ROUNDS):
        apart = cdist(now, now)
        stress = float((weight * (apart - hops) ** 2).sum())
        if stress >= (1 - ENOUGH) * before:
            break
        before = stress
        pull = np.divide(weight * hops, apart, out=np.zeros_like(apart), where=apart > 0)
        now = np.vstack([[[0.0, 0.0]], scipy.linalg.cho_solve(factor, (_laplacian(pull) @ now)[1:])])
    return now


def _laplacian(weight: Any) -> Any:
    return np.diag(weight.sum(axis=1)) - weight


def _scaled(hops: Any) -> Any:
    """Positions by multidimensional scaling, slightly moved, because vertices in one place would never separate."""
    n = len(hops)
    squares = hops**2
    np.fill_diagonal(squares, 0.0)
    mean = squares.mean(axis=0)
    products = -0.5 * (squares - mean - mean[:, None] + mean.mean())
    values, vectors = scipy.linalg.eigh(products, subset_by_index=[n - 2, n - 1])
    if len(values) < 2:  # if nearly all eigenvalues are equal, LAPACK may find none by index
        values, vectors = (found[..., -2:] for found in scipy.linalg.eigh(products))
    return vectors * np.sqrt(np.maximum(values, 0.0)) + np.random.default_rng(0).normal(scale=0.1, size=(n, 2))


def _turned(positions: Any) -> Any:
    """The positions turned to lie along the first axis, in the positive quadrant; the first vertex is left and low."""
    centered = positions - positions.mean(axis=0)
    turned = centered @ np.linalg.svd(centered, full_matrices=False)[2].T if len(positions) > 1 else centered
    turned = np.pad(turned, ((0, 0), (0, 2 - turned.shape[1])))
    turned = turned * np.where(turned[0] > 0, -1.0, 1.0)
    return turned - turned.min(axis=0)


def _corners(pieces: list[Any]) -> list[Any]:
    """The lower left corner of each piece: in rows, which together are about as wide as they are high."""
    sizes = [piece.max(axis=0) + _GAP for piece in pieces]
    width = max([size[0] for size in sizes] + [1.3 * np.sqrt(sum(size.prod() for size in sizes))], default=0.0)
    corners, x, y, height = [], 0.0, 0.0, 0.0
    for size in sizes:
        if x > 0 and x + size[0] > width:
            x, y, height = 0.0, y - height, 0.0
        height = max(height, size[1])
        corners.append(np.array([x, y - size[1]]))
        x += size[0]
    return corners
