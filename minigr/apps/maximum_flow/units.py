"""Capacities in whole units, so that what flows is the same in whatever order it is added up."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.total import total_of
from minigr.apps.maximum_flow.network import Network
from minigr.errors import GraphError

_BITS = 61  # of all that leaves the source; what an arc has left may come to twice as much


_LEAST = 1074  # 2 to the power of minus this is the least float64 above 0
_ROUNDED_UP = 1 + 2**-20  # by more than a sum of floats may have been rounded down


@dataclass(frozen=True)
class Capacities:
    """What arcs let through, in units.

    Attributes
    ----------
    units : int64[arcs]
    most : int
        No more can flow, unless a path lets infinitely much through. Arcs that let through more than that let through
        1 more here, so that they are in no minimum cut.
    exponent : int
        Units are the weights, times 2 to the power of this.
    exact : bool
        Whether none was rounded, which is done downwards.
    """

    units: Any
    most: int
    exponent: int
    exact: bool


def most_of(network: Network, source: int, sink: int) -> int | float:
    """As much as arcs from the source let through, or arcs to the sink; if that is infinite, all finite weights."""
    out, _ = _around(network, source, outward=True)
    into, _ = _around(network, sink, outward=False)
    most, weights = min(out, into), network.weights
    return total_of(weights[network.graph._device.xp.isfinite(weights)]) if most == math.inf else most


def capacities_of(network: Network, source: int, most: int | float) -> Capacities:
    """The capacities, where no more than `most` can flow; a unit is as small as that and the source allow.

    Raises
    ------
    GraphError
        If what may leave the source is more than 2**61 for whole weights, or is infinite.
    """
    xp, weights, is_float = network.graph._device.xp, network.weights, network.weights.dtype.kind == "f"
    out, degree = _around(network, source, outward=True)
    pushed = min(out, degree * (most if is_float else most + 1))
    if pushed > (np.finfo(np.float64).max if is_float else 2**_BITS):
        raise GraphError(
            f"maximum_flow: up to {pushed} may leave the source, too much to add up: make all weights less"
        )
    if not is_float:
        whole = int(most)
        return Capacities(xp.minimum(weights.astype(np.int64), np.int64(whole + 1)), whole, 0, True)
    if pushed == 0:  # so what matters is which arcs let anything through; a unit may go around, and fits everywhere
        return Capacities((weights > 0).astype(np.int64), 0, _LEAST, True)
    exponent = _BITS - math.frexp(pushed)[1]
    whole = int(math.ldexp(most, exponent) * _ROUNDED_UP)
    with np.errstate(over="ignore"):  # an infinite one is lowered, too
        scaled = xp.minimum(xp.ldexp(weights.astype(np.float64), exponent), 2.0 * whole + 1.0)
    units = scaled.astype(np.int64)
    exact = bool((units == scaled).all())
    return Capacities(xp.minimum(units, np.int64(whole + 1)), whole, exponent, exact)


def _around(network: Network, vertex: int, *, outward: bool) -> tuple[int | float, int]:
    """The sum of the weights of the arcs from a vertex, or to it, without self-loops; and how many arcs there are."""
    arcs, xp = network.row(vertex), network.graph._device.xp
    row = network.weights[arcs if outward else network.reverse[arcs]]
    total = total_of(xp.where(network.graph.indices[arcs] != vertex, row, row.dtype.type(0)))
    return total, arcs.stop - arcs.start
