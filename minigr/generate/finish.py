"""What the generators share: their arguments' checks, and the way from edges or rows to a weighted Graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minigr import memory
from minigr.device import Device
from minigr.errors import EstimateError, GraphError
from minigr.generate.keys import stream_key
from minigr.graphs import Graph
from minigr.graphs.arcs import Arcs
from minigr.graphs.backend import builder
from minigr.graphs.checks import WEIGHT_DTYPES, as_whole

_WEIGHT_STREAM = 1000
_EXACT_TO = {"int32": 2**31, "int64": 2**63, "float32": 2**24, "float64": 2**53}


class OutlineKernels:
    """What kernels of generators would allocate, in a rehearsal: what they return."""

    def __init__(self, device: Device) -> None:
        self._device = device

    def rmat_edges(self, scale: int, count: int, *_: Any) -> tuple[Any, Any]:
        """The ends of some edges."""
        return self._device.empty(count, np.int32), self._device.empty(count, np.int32)

    uniform_edges = rmat_edges

    def __getattr__(self, name: str) -> Any:
        raise EstimateError(f"there is no estimate of what draws {name}: how many there will be depends on the numbers")

    def lattice_rows(self, width: int, height: int, threshold: int, *_: Any) -> tuple[Any, Any]:
        """Offsets and indices, as long as they are expected to be."""
        arcs = 2 * (max(width - 1, 0) * height + width * max(height - 1, 0)) * threshold >> 53
        return self._device.empty(width * height + 1, np.int64), self._device.empty(arcs, np.int32)

    def arc_weights(self, offsets: Any, indices: Any, directed: bool, low: int, span: int, key: int, dtype: Any) -> Any:
        """A weight for each arc, which a GPU finds by the arc's row."""
        weights, rows = self._device.empty(len(indices), dtype), indices.like(size=len(indices) * self._device.is_cuda)
        del rows
        return weights


def kernels(device: Device) -> Any:
    """`kernels_cpu` or `kernels_cuda`; in a rehearsal `OutlineKernels`."""
    if device.is_rehearsed:
        return OutlineKernels(device)
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
    """The graph of `count` edges. ``draw(size, first)`` makes some of them, the same ones whenever it is called.

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

    options: dict[str, Any] = {"directed": directed, "simple": simple, "weights": weights, "device": device}
    return _finished(lambda: build.rows_of_parts(num_vertices, not directed, parts), **options)


def graph_of_edges(
    num_vertices: int, src: Any, dst: Any, *, directed: bool, simple: bool, weights: Weights, device: Device
) -> Graph:
    """The graph of generated edges, without self-loops and repeats if `simple`."""
    arcs = Arcs(dst, src=src, mirror=not directed)
    options: dict[str, Any] = {"directed": directed, "simple": simple, "weights": weights, "device": device}
    return _finished(lambda: builder(device).rows(num_vertices, arcs)[:2], **options)


def _finished(
    build: Callable[[], tuple[Any, Any]], *, directed: bool, simple: bool, weights: Weights, device: Device
) -> Graph:
    offsets, indices = build()  # nobody else holds the rows, which are let go here
    if simple:
        offsets, indices = builder(device).simplify(offsets, indices)
    return weights.attached(offsets, indices, directed, device)
