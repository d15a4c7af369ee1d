"""What a caller says of the edges that a dynamic graph is to get."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.device import Device
from minigr.errors import GraphError

_MOST_DEGREE = 2**31 - 1


@dataclass(frozen=True)
class Hints:
    """Room for edges to come.

    Attributes
    ----------
    room : int
        Arcs that the pool of each direction is to have slabs for.
    degrees, in_degrees : int32[n] or None
        Arcs that vertices are to have buckets for.
    """

    room: int = 0
    degrees: Any = None
    in_degrees: Any = None

    @classmethod
    def of(
        cls, device: Device, n: int, directed: bool, in_edges: bool, capacity: Any, degrees: Any, in_degrees: Any
    ) -> Hints:
        """The hints that a caller gives a graph of `n` vertices.

        Raises
        ------
        GraphError
            If they are no numbers of edges, or are for in-edges that the graph doesn't keep.
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


def _edges(capacity: Any) -> int:
    if capacity is None:
        return 0
    try:
        edges = operator.index(capacity)
    except TypeError:
        edges = -1
    if edges < 0:
        raise GraphError(f"capacity must be a whole number of edges, at least 0, got {capacity!r}")
    return edges


def _degrees(device: Device, degrees: Any, name: str, n: int) -> Any:
    if degrees is None:
        return None
    try:
        given = device.asarray(degrees)
    except (TypeError, ValueError) as error:
        raise GraphError(f"{name} can't be read as an array of whole numbers: {error}") from None
    shape = () if np.ndim(degrees) == 0 else given.shape
    if given.dtype.kind not in "iu" or shape not in ((), (n,)):
        raise GraphError(
            f"{name} must be a whole number, or one for each of the {n} vertices, got {given.dtype} of shape {shape}"
        )
    if given.size:
        least, most = int(given.min()), int(given.max())
        if least < 0 or most > _MOST_DEGREE:
            raise GraphError(f"{name} holds {least if least < 0 else most}: a vertex has 0 to {_MOST_DEGREE} edges")
    expected = device.empty(n, np.int32)
    expected[...] = given
    return expected
