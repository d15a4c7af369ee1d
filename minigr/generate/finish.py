"""What the generators share: their arguments' checks, and the way from edges or rows to a weighted Graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from minigr import memory
from minigr.device import Device
from minigr.errors import GraphError
from minigr.generate.keys import stream_key
from minigr.graphs import Graph
from minigr.graphs.arcs import Arcs
from minigr.graphs.backend import builder
from minigr.graphs.checks import WEIGHT_DTYPES, as_whole

_WEIGHT_STREAM = 1000
_EXACT_TO = {"int32": 2**31, "int64": 2**63, "float32": 2**24, "float64": 2**53}


def kernels(device: Device) -> ModuleType:
    """`kernels_cpu` or `kernels_cuda`."""
    if device.is_cuda:
        from minigr.generate import kernels_cuda

        return kernels_cuda
    from minigr.generate import kernels_cpu

    return kernels_cpu


def whole_number(value: Any, name: str, lowest: int, highest: int) -> int:
    """`value` as an int, or `GraphError` if it is none in ``lowest .. highest``."""
    number = as_whole(value, name)
    if not lowest <= number <= highest:
        raise GraphError(f"{name} must be between {lowest} and {highest}, got {number}")
    return number


class Weights:
    """How a generator is to make weights, checked before anything is built.

    Parameters
    ----------
    bounds : (int, int) or None
        The smallest and the largest weight; None for no weights.
    dtype : dtype
        One of the dtypes of weights, in which every number between the bounds is exact.
    seed : int
        Of the generator, which takes it from here: a whole number of Python's, whatever it was given as.
    """

    def __init__(self, bounds: tuple[int, int] | None, dtype: Any, seed: Any):
        self.dtype = np.dtype(dtype)
        self.seed = whole_number(seed, "seed", -(2**63), 2**64 - 1)
        self.key = stream_key(self.seed, _WEIGHT_STREAM)
        self.bounds: tuple[int, int] | None = None
        if self.dtype.name not in WEIGHT_DTYPES:
            raise GraphError(f"weight_dtype must be one of {', '.join(WEIGHT_DTYPES)}, got {self.dtype}")
        if bounds is None:
            return
        exact = _EXACT_TO[self.dtype.name] - 1
        try:
            low, high = bounds
        except (TypeError, ValueError):
            raise GraphError(f"weights must be a pair (lowest, highest) of whole numbers, got {bounds!r}") from None
        low = whole_number(low, "the lowest weight", -exact, exact)
        self.bounds = low, whole_number(high, "the highest weight", low, min(exact, low + 2**63 - 1))

    def attached(self, offsets: Any, indices: Any, directed: bool, device: Device) -> Graph:
        """The graph of sorted rows, with weights if they were asked for."""
        weights = None
        if self.bounds is not None:
            low, high = self.bounds
            make = kernels(device).arc_weights
            weights = make(offsets, indices, directed, low, high - low + 1, self.key, self.dtype)
        return Graph.from_csr(offsets, indices, weights, directed=directed, device=device, validate=False)


def graph_of_drawn(
    num_vertices: int, count: int, draw: Callable[[int, int], tuple[Any, Any]], *, directed: bool, simple: bool,
    weights: Weights, device: Device,
) -> Graph:  # fmt: skip
    """The graph of `count` edges, of which ``draw(size, first)`` makes some, the same ones whenever it is called.

    Raises
    ------
    OutOfMemoryError
        If so many edges can't be drawn and sorted on the device.
    """
    build = builder(device)
    rows = 8 * num_vertices + 4 * count * (1 if directed else 2)
    ends = 8 * min(count, build.PART)
    memory.require(device, rows + ends, f"drawing and sorting {count:,} edges")

    def parts() -> Iterator[tuple[Any, Any]]:
        for first in range(0, count, build.PART):
            yield draw(min(build.PART, count - first), first)

    built = build.rows_of_parts(num_vertices, not directed, parts)
    return _finished(built, directed=directed, simple=simple, weights=weights, device=device)


def graph_of_edges(
    num_vertices: int, src: Any, dst: Any, *, directed: bool, simple: bool, weights: Weights, device: Device
) -> Graph:
    """The graph of generated edges, without self-loops and repeats if `simple`."""
    rows = builder(device).rows(num_vertices, Arcs(dst, src=src, mirror=not directed))[:2]
    return _finished(rows, directed=directed, simple=simple, weights=weights, device=device)


def _finished(rows: tuple[Any, Any], *, directed: bool, simple: bool, weights: Weights, device: Device) -> Graph:
    offsets, indices = builder(device).simplify(*rows) if simple else rows
    return weights.attached(offsets, indices, directed, device)
