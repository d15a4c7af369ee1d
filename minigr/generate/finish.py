"""Shared code of generators: checks of arguments, and making a weighted Graph from edges or rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr import memory
from minigr.device import Device, resolve
from minigr.errors import EstimateError, GraphError
from minigr.generate.constants import WEIGHED
from minigr.generate.keys import stream_key
from minigr.graphs import Graph
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.arcs import Arcs, DrawnEdges, LongRows
from minigr.graphs.backend import builder, moved_arcs, new_arcs
from minigr.graphs.checks import WEIGHT_DTYPES, check_arcs, whole_number

_WEIGHT_STREAM = 1000
_EXACT_TO = {"int32": 2**31, "int64": 2**63, "float32": 2**24, "float64": 2**53}


class OutlineKernels:
    """The kernels of generators in a rehearsal: they only allocate the memory of the results."""

    def __init__(self, device: Device) -> None:
        self._device = device

    def rmat_edges(self, scale: int, count: int, *_: Any) -> tuple[Any, Any]:
        """The ends of some edges."""
        return self._device.empty(count, np.int32), self._device.empty(count, np.int32)

    uniform_edges = rmat_edges

    def __getattr__(self, name: str) -> Any:
        raise EstimateError(f"there is no estimate of {name}, because their number depends on the random numbers")

    def lattice_rows(self, width: int, height: int, threshold: int, *_: Any) -> tuple[Any, Any]:
        """Offsets and indices, with the expected lengths."""
        arcs = 2 * (max(width - 1, 0) * height + width * max(height - 1, 0)) * threshold >> 53
        return self._device.empty(width * height + 1, np.int64), self._device.empty(arcs, np.int32)

    def geometric_points(self, count: int, *_: Any) -> tuple[Any, Any]:
        """The coordinates of points."""
        return self._device.empty(count, np.uint32), self._device.empty(count, np.uint32)

    def geometric_rows(self, x: Any, y: Any, cell_starts: Any, grid: int, reach: int) -> tuple[Any, Any]:
        """Offsets and indices of the expected number of arcs, by the probability that two points are so near."""
        r = min(math.sqrt(reach) / 2**31, 1.0)
        near = math.pi * r**2 - 8 / 3 * r**3 + r**4 / 2
        return self._device.empty(len(x) + 1, np.int64), self._device.empty(round(len(x) ** 2 * near), np.int32)

    def weigh_arcs(self, offsets: Any, indices: Any, *_: Any) -> None:
        """On a GPU, allocate the memory to find the rows of some arcs at a time."""
        if self._device.is_cuda:
            arcs = min(len(indices), WEIGHED)
            ends = self._device.empty(len(offsets) * arcs // max(len(indices), 1), np.int64)
            rows = self._device.empty(arcs, np.int32)
            del ends, rows


def kernels(device: Device) -> Any:
    """Return `kernels_cpu` or `kernels_cuda`, or `OutlineKernels` in a rehearsal."""
    if device.is_rehearsed:
        return OutlineKernels(device)
    if device.is_cuda:
        from minigr.generate import kernels_cuda

        return kernels_cuda
    from minigr.generate import kernels_cpu

    return kernels_cpu


@dataclass(frozen=True)
class Target:
    """The place of a graph; see `Graph.to`."""

    device: Device
    arcs: str

    @property
    def home(self) -> Device:
        """The device that makes edges and rows, unless they are made in parts."""
        return self.device.host if self.arcs == "host" else self.device


def target_of(device: str | Device | None, arcs: str) -> Target:
    """The target given by arguments of generators, after a check."""
    check_arcs(arcs)
    return Target(resolve(device), arcs)


class Weights:
    """The options for generating weights, checked before anything is built.

    Parameters
    ----------
    bounds : (int, int) or None
        The smallest and the largest weight; None for no weights.
    dtype : dtype
        One of the dtypes of weights. It must hold every integer between the bounds exactly.
    seed : int
        The seed of the generator. The generator must use the attribute, which is an int of Python.
    """

    def __init__(self, bounds: tuple[int, int] | None, dtype: Any, seed: Any):
        known = f"weight_dtype must be one of {', '.join(WEIGHT_DTYPES)}"
        try:
            self.dtype = np.dtype(dtype)
        except TypeError:
            raise GraphError(f"{known}, got {dtype!r}") from None
        self.seed = whole_number(seed, "seed", -(2**63), 2**64 - 1)
        self.key = stream_key(self.seed, _WEIGHT_STREAM)
        self.bounds: tuple[int, int] | None = None
        if self.dtype.name not in WEIGHT_DTYPES:
            raise GraphError(f"{known}, got {self.dtype}")
        if bounds is None:
            return
        exact = _EXACT_TO[self.dtype.name] - 1
        try:
            low, high = bounds
        except (TypeError, ValueError):
            raise GraphError(f"weights must be a pair (lowest, highest) of whole numbers, got {bounds!r}") from None
        low = whole_number(low, "the lowest weight", -exact, exact)
        self.bounds = low, whole_number(high, "the highest weight", low, min(exact, low + 2**63 - 1))

    def attached(self, offsets: Any, indices: Any, target: Target, *, directed: bool, simple: bool = False) -> Graph:
        """The graph of sorted rows, with weights if asked for. `simple`: the graph is known to be simple."""
        device, arcs = target.device, target.arcs
        offsets, indices = device.asarray(offsets), moved_arcs(indices, device, arcs)
        weights = None
        if self.bounds is not None:
            low, high = self.bounds
            weights = new_arcs(device, arcs, len(indices), self.dtype)
            kernels(device).weigh_arcs(offsets, indices, directed, low, high - low + 1, self.key, weights)
        return Graph(Adjacency(offsets, indices, weights), directed, device, simple=simple)


def graph_of_drawn(
    num_vertices: int, count: int, draw: Callable[[int, int], tuple[Any, Any]], *, directed: bool, simple: bool,
    weights: Weights, target: Target, long_rows: LongRows | None = None,
) -> Graph:  # fmt: skip
    """The graph of `count` edges. ``draw(size, first)`` generates some of them, the same ones in each call.

    `long_rows` is for estimates.

    Raises
    ------
    OutOfMemoryError
        If there is not enough memory to draw and sort the edges on the device, or on the host if the arcs must be
        there.
    """
    build = builder(target.device, target.arcs)
    at_once, entries = build.part_of(count), count * (1 if directed else 2)
    what = f"drawing and sorting {count:,} edges"
    of_vertices = 8 * (num_vertices + min(count, at_once))
    memory.require_graph(target.device, of_vertices, 4 * entries, what, arcs_in=target.arcs)

    def parts() -> Iterator[tuple[Any, Any]]:
        for first in range(0, count, at_once):
            yield draw(min(at_once, count - first), first)

    offsets, indices = build.rows_of_drawn(num_vertices, DrawnEdges(parts, not directed, simple, long_rows))
    return weights.attached(offsets, indices, target, directed=directed, simple=simple)


def graph_of_edges(
    num_vertices: int, src: Any, dst: Any, *, directed: bool, simple: bool, weights: Weights, target: Target,
    long_rows: LongRows | None = None,
) -> Graph:  # fmt: skip
    """The graph of given edges, without self-loops and repeats if `simple`; `long_rows` as for `graph_of_drawn`."""
    build = builder(target.device, target.arcs)
    given = Arcs(dst, src=src, mirror=not directed, long_rows=long_rows)
    offsets, indices, *_ = build.rows(num_vertices, given)
    if simple:
        offsets, indices = build.simplify(offsets, indices)
    return weights.attached(offsets, indices, target, directed=directed, simple=simple)
