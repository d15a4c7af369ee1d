"""Numbers of shortest paths as float64, beyond its range too.

They grow exponentially with the length of paths: through a grid of 520 by 520 streets there are more than 1e308
shortest ways. So of a number beyond `_PLAIN`, and of a share so small, the logarithm is kept. It is told by its sign:
logarithms of shares are negative, and those of numbers of paths are stored with their sign changed. Such values are
exact to twelve digits or so; all others are plain float64, and numbers of paths are whole up to 2**53.
"""

from __future__ import annotations

import math

import numpy as np

from minigr.jit.functor import Functor
from minigr.program.fields import parameter, vertex_field
from minigr.program.problem import Problem

_PLAIN = 1e290  # leaves room for numbers of vertices
_LOG_PLAIN = math.log(_PLAIN)
_PATHS, _SHARE = -1.0, 1.0  # the sign that logarithms are stored with


def log_of(x, sign):
    """The logarithm of a value that is not 0."""
    return sign * x if x < 0.0 else math.log(x)


def kept(log, sign):
    """The value of this logarithm, as it is stored."""
    return sign * log if sign * log < -_LOG_PLAIN else math.exp(log)


def add(a, b, sign):
    """The sum of two values."""
    total = a + b
    if a == 0.0 or b == 0.0 or (min(a, b) > 0.0 and total <= _PLAIN):
        return total
    a, b = log_of(a, sign), log_of(b, sign)
    return kept(max(a, b) + math.log1p(math.exp(-abs(a - b))), sign)


def share_of(amount, paths):
    """What each of so many paths gets of an amount from 1 to the number of vertices."""
    return amount / paths if paths > 0.0 else kept(math.log(amount) - log_of(paths, _PATHS), _SHARE)


def together(paths, share):
    """What so many paths get, if each gets `share`."""
    if paths > 0.0 and share >= 0.0:
        return paths * share
    return 0.0 if share == 0.0 else math.exp(log_of(paths, _PATHS) + log_of(share, _SHARE))


class PathsProblem(Problem):
    """What a search that counts paths, and the sum over what it found, have in common."""

    paths = vertex_field(np.float64)  # shortest ones from the source
    share = vertex_field(np.float64)  # of a vertex and what depends on it, for each path to it
    score = vertex_field(np.float64)
    source = parameter(np.int32, default=0)
    ends = parameter(np.float64, default=0.0)  # what a vertex gets of each path that ends at it


class Paths(Functor):
    """To be given a ``map`` that is ``paths[src]`` for an edge on a shortest path, and 0 for others."""

    def reduce(a, b):
        return add(a, b, _PATHS)

    def apply_reduce(vertex, value, paths, source):
        paths[vertex] = 1.0 if vertex == source else value


class Dependents(Functor):
    """To be given a ``map`` that is ``share[dst]`` for an edge on a shortest path, and 0 for others."""

    def reduce(a, b):
        return add(a, b, _SHARE)

    def apply_reduce(vertex, value, paths, share, score, source, ends):
        dependents = together(paths[vertex], value)
        share[vertex] = share_of(1.0 + dependents, paths[vertex])
        score[vertex] += ends * dependents if vertex == source else dependents + ends
