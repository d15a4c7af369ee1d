"""Capacities as integer multiples of a unit, so that sums of flows do not depend on the order of addition."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.total import total_of
from minigr.apps.maximum_flow.network import Network
from minigr.errors import GraphError
from minigr.graphs.wide import in_64_bits

_BITS = 61  # bits of the flow out of the source; the residual capacity of an arc may be twice as much
_LEAST = 1074  # the least float64 above 0 is 2**-1074
_ROUNDED_UP = 1 + 2**-20  # a factor greater than the rounding error of a sum of floats


@dataclass(frozen=True)
class Capacities:
    """The capacities of arcs, in units.

    Attributes
    ----------
    units : int64[arcs]
    most : int
        An upper bound of the flow, unless a path has infinite capacity. Capacities above this bound are set to the
        bound plus 1, so that their arcs are in no minimum cut.
    exponent : int
        Capacities in units are the weights times 2 to the power of `exponent`.
    exact : bool
        Whether no capacity was rounded. Capacities are rounded down.
    """

    units: Any
    most: int
    exponent: int
    exact: bool


def most_of(network: Network, source: int, sink: int) -> int | float:
    """The capacity of the arcs from the source or to the sink, whichever is less.

    If both are infinite, the sum of all finite weights.
    """
    out, _ = _around(network, source, outward=True)
    into, _ = _around(network, sink, outward=False)
    most, weights = min(out, into), network.weights
    return total_of(weights[network.graph._device.xp.isfinite(weights)]) if most == math.inf else most


def capacities_of(network: Network, source: int, most: int | float) -> Capacities:
    """The capacities, if at most `most` can flow. The unit is the smallest that `most` and the source allow.

    Raises
    ------
    GraphError
        If the flow that may leave the source is more than 2**61 for integer weights, or is infinite.
    """
    xp, weights = network.graph._device.xp, in_64_bits(network.weights)
    is_float = weights.dtype.kind == "f"
    out, degree = _around(network, source, outward=True)
    pushed = min(out, degree * (most if is_float else most + 1))
    if pushed > (np.finfo(np.float64).max if is_float else 2**_BITS):
        raise GraphError(
            f"maximum_flow: up to {pushed} may leave the source, which is too much to add up: make all weights less"
        )
    if not is_float:
        whole = int(most)
        return Capacities(xp.minimum(weights, np.int64(whole + 1)), whole, 0, True)
    if pushed == 0:  # nothing can flow to the sink, but a unit may go around, so it must fit along every edge
        return Capacities((weights > 0).astype(np.int64), 0, _LEAST, True)
    exponent = _BITS - math.frexp(pushed)[1]
    whole = int(math.ldexp(most, exponent) * _ROUNDED_UP)
    with np.errstate(over="ignore"):  # the minimum replaces infinite values
        scaled = xp.minimum(xp.ldexp(weights, exponent), 2.0 * whole + 1.0)
    units = scaled.astype(np.int64)
    exact = bool(((units == scaled) & ((scaled > 0) == (weights > 0))).all())  # a very small weight is scaled to 0
    return Capacities(xp.minimum(units, np.int64(whole + 1)), whole, exponent, exact)


def _around(network: Network, vertex: int, *, outward: bool) -> tuple[int | float, int]:
    """The sum of the weights of the arcs from or to a vertex, without self-loops, and the number of its arcs."""
    arcs, xp = network.row(vertex), network.graph._device.xp
    row = network.weights[arcs if outward else network.reverse[arcs]]
    total = total_of(xp.where(network.graph.indices[arcs] != vertex, row, row.dtype.type(0)))
    return total, arcs.stop - arcs.start
