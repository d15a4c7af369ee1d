"""What kernels of dynamic graphs would allocate, in a rehearsal: those that algorithms and `from_graph` call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.errors import EstimateError
from minigr.graphs.dynamic.allocator import Allocator
from minigr.graphs.dynamic.layout import buckets_for
from minigr.graphs.dynamic.storage import Report, Slabs


@dataclass
class Arcs:
    """A batch of arcs; `held` is what it has of them."""

    count: int
    held: list[Any]
    with_slots: bool
    resumed: bool = False


def rows(slabs: Slabs) -> tuple[Any, Any, Any]:
    """See `kernels_cpu.rows`."""
    n, empty = slabs.num_vertices, slabs.allocator.empty
    if slabs.device.is_cuda:
        listed = [empty(n, np.int32)]
    else:  # the chains and whose they are, what is counted of each, and who has which arc
        listed = [empty(3 * slabs.in_use, np.int64), empty(slabs.in_use + slabs.num_arcs, np.int32)]
    keys = empty(slabs.num_arcs, np.int32)
    weights = None if slabs.weights is None else empty(slabs.num_arcs, slabs.weights.dtype)
    offsets = empty(n + 1, np.int64)
    del listed
    return offsets, keys, weights


def prepare(slabs: Slabs) -> None:
    """See `kernels_cpu.prepare`."""


def lay_out(slabs: Slabs, sizes: Any) -> int:
    """See `kernels_cpu.lay_out`."""
    if sizes.values is None:
        raise EstimateError("there is no estimate of a DynamicGraph whose degrees aren't known before it is built")
    slabs.heads = slabs.allocator.empty(2 * slabs.num_vertices, np.int32)
    xp = sizes.device.real.xp
    return sum(int(buckets_for(xp, piece, slabs.load_factor).sum()) for piece in sizes.pieces())


def open_bases(slabs: Slabs) -> None:
    """See `kernels_cpu.open_bases`."""
    if not slabs.device.is_cuda:
        empty = slabs.allocator.empty
        listed = [empty(slabs.bump, np.int32), empty(4 * slabs.bump + 2 * slabs.num_vertices, np.int64)]
        del listed


def arcs(
    allocator: Allocator, src: Any, dst: Any, n: int, *, with_slots: bool = False, with_last: bool = False, **_: Any
) -> Arcs:
    """See `kernels_cpu.arcs`; of `from_graph`, whose pairs are arcs already."""
    count, on_gpu = len(src), allocator.device.is_cuda
    held = [allocator.empty(count, np.uint8), allocator.empty(count * with_slots, np.int64)]
    held.append(allocator.empty((1 << (2 * count).bit_length()) * with_last if on_gpu else 3 * count, np.int32))
    return Arcs(count, held, with_slots)


def fill(slabs: Slabs, batch: Arcs, sizes: Any) -> Report:
    """See `kernels_cpu.fill`: all arcs find their places."""
    batch.resumed = True
    if slabs.device.is_cuda and not batch.with_slots:
        batch.held.append(slabs.allocator.empty(2 * batch.count, np.int32))
    return Report(changed=batch.count)


def put_weights(slabs: Slabs, batch: Arcs, weights: Any, held: Any = None) -> None:
    """See `kernels_cpu.put_weights`."""


class _Unknown(EstimateError, AttributeError):
    """What is asked of this module, and isn't there."""


def __getattr__(name: str) -> Any:
    raise _Unknown(f"there is no estimate of what builds or changes a DynamicGraph by {name!r}")
