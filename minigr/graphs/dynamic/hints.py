"""The caller's hints about the edges that a dynamic graph will get."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.device import Device
from minigr.errors import GraphError
from minigr.graphs.checks import as_vector, is_single

_MOST_DEGREE, _MOST_EDGES = 2**31 - 1, 2**62


@dataclass(frozen=True)
class Hints:
    """Room for future edges.

    Attributes
    ----------
    room : int
        The number of arcs for which the pool of each direction must have slabs.
    degrees, in_degrees : int32[n] or None
        The number of arcs of each vertex for which it must have buckets.
    """

    room: int = 0
    degrees: Any = None
    in_degrees: Any = None

    @classmethod
    def of(
        cls, device: Device, n: int, directed: bool, in_edges: bool, capacity: Any, degrees: Any, in_degrees: Any
    ) -> Hints:
        """Check the hints that a caller gives for a graph of `n` vertices.

        Raises
        ------
        GraphError
            If a hint is not a number of edges, or is for in-edges that the graph does not keep.
        """
        if in_degrees is not None and not (directed and in_edges):
            raise GraphError(
                "expected_in_degrees is for a directed graph that keeps its in-edges: leave it out, or give "
                "in_edges=True"
            )
        return cls(
            _edges(capacity) * (1 if directed else 2),
            _degrees(device, degrees, "expected_degrees", n),
            _degrees(device, in_degrees, "expected_in_degrees", n),
        )

    def of_part(self, device: Device, parts: int) -> Hints:
        """The hints for one of several parts, on the device of the part: its share of the room, and all degrees."""
        degrees, in_degrees = (
            None if each is None else device.asarray(each) for each in (self.degrees, self.in_degrees)
        )
        return Hints(-(-self.room // parts), degrees, in_degrees)


def _edges(capacity: Any) -> int:
    if capacity is None:
        return 0
    try:
        edges = operator.index(capacity)
    except TypeError:
        edges = -1
    if not 0 <= edges < _MOST_EDGES:
        raise GraphError(f"capacity must be a whole number of edges, from 0 and below {_MOST_EDGES}, got {capacity!r}")
    return edges


def _degrees(device: Device, degrees: Any, name: str, n: int) -> Any:
    if degrees is None:
        return None
    is_one = is_single(degrees)
    given = as_vector(device, [degrees] if is_one else degrees, name)
    if (given.dtype.kind not in "iu" and given.size) or not (is_one or len(given) == n):
        raise GraphError(
            f"{name} must be a whole number, or one for each of the {n} vertices, got {len(given)} of {given.dtype}"
        )
    if given.size:
        least, most = int(given.min()), int(given.max())
        if least < 0 or most > _MOST_DEGREE:
            raise GraphError(f"{name} holds {least if least < 0 else most}: a vertex has 0 to {_MOST_DEGREE} edges")
    expected = device.empty(n, np.int32)
    expected[...] = given
    return expected
