"""Numbers of shortest paths in float64, including numbers beyond its range.

Numbers of paths grow exponentially with the length of paths: a grid of 520 by 520 streets has more than 1e308 shortest
paths between two corners. So if a number of paths is greater than `_PLAIN`, or a share is smaller than 1 over `_PLAIN`,
its logarithm is stored instead. A negative value is a logarithm: logarithms of shares are negative, and logarithms of
numbers of paths are stored with the opposite sign. Values stored as logarithms are accurate to about twelve digits. All
others are plain float64, and numbers of paths up to 2**53 are exact.
"""

from __future__ import annotations

import math

import numpy as np

from minigr.jit.functor import Functor
from minigr.program.fields import parameter, vertex_field
from minigr.program.problem import Problem

_PLAIN = 1e290  # its product with a number of vertices is finite
_LOG_PLAIN = math.log(_PLAIN)
_PATHS, _SHARE = -1.0, 1.0  # the sign with which logarithms are stored


def log_of(x, sign):
    """The logarithm of a stored value that is not 0."""
    return sign * x if x < 0.0 else math.log(x)


def kept(log, sign):
    """The stored form of the value with this logarithm."""
    return sign * log if sign * log < -_LOG_PLAIN else math.exp(log)


def add(a, b, sign):
    """The sum of two stored values."""
    total = a + b
    if a == 0.0 or b == 0.0 or (min(a, b) > 0.0 and total <= _PLAIN):
        return total
    a, b = log_of(a, sign), log_of(b, sign)
    return kept(max(a, b) + math.log1p(math.exp(-abs(a - b))), sign)


def share_of(amount, paths):
    """The share of one path if `paths` paths divide an amount from 1 to the number of vertices."""
    return amount / paths if paths > 0.0 else kept(math.log(amount) - log_of(paths, _PATHS), _SHARE)


def together(paths, share):
    """The amount that `paths` paths get together if each gets `share`."""
    if paths > 0.0 and share >= 0.0:
        return paths * share
    return 0.0 if share == 0.0 else math.exp(log_of(paths, _PATHS) + log_of(share, _SHARE))


class PathsProblem(Problem):
    """The fields that a search that counts paths shares with the backward pass that sums."""

    paths = vertex_field(np.float64)  # the number of shortest paths from the source
    share = vertex_field(np.float64)  # 1 plus the dependency on the vertex, divided by the number of paths to it
    score = vertex_field(np.float64)
    source = parameter(np.int32, default=0)
    ends = parameter(np.float64, default=0.0)  # the score of a vertex for each path that ends at it


class Paths(Functor):
    """Sums paths. A subclass must have a ``map`` that is ``paths[src]`` for an edge on a shortest path, and 0 else."""

    def reduce(a, b):
        return add(a, b, _PATHS)

    def apply_reduce(vertex, value, paths, source):
        paths[vertex] = 1.0 if vertex == source else value


class Dependents(Functor):
    """Sums shares. A subclass must have a ``map`` that is ``share[dst]`` for an edge on a shortest path, and 0 else."""

    def reduce(a, b):
        return add(a, b, _SHARE)

    def apply_reduce(vertex, value, paths, share, score, source, ends):
        dependents = together(paths[vertex], value)
        share[vertex] = share_of(1.0 + dependents, paths[vertex])
        score[vertex] += ends * dependents if vertex == source else dependents + ends
