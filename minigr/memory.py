"""Whether a device has room for what is about to be allocated.

Programs ask before they allocate: a Problem for its fields, a loop for its frontiers and buffers, a graph for what it
builds when an algorithm needs it. So what doesn't fit is refused with numbers, before a system runs out of memory.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from minigr.device import CPU, Device, _cupy
from minigr.errors import OutOfMemoryError

ASK_FROM = 1 << 24
"""Bytes from which on it is worth asking the system, which takes tens of microseconds."""
_THE_CPU = "run on the CPU, with graph.to('cpu')"
_HOST = Path("/proc/meminfo")
_GROUP = Path("/sys/fs/cgroup")


def free(device: Device) -> int | None:
    """Bytes that can be allocated on a device now; None on a host whose system doesn't say (it is not Linux).

    On a GPU with what CuPy's pool has free, and no more than the pool's limit. On the host what can be had without
    swapping, and no more than is left of the limit of a container (version 2 of control groups).

    Examples
    --------
    >>> from minigr.device import CPU
    >>> free(CPU) is None or free(CPU) > 0
    True
    """
    return _free_on_gpu(device) if device.is_cuda else _free_on_host()


def require(device: Device, needed: int, what: str, elsewhere: str | None = None) -> None:
    """Raise `OutOfMemoryError` if a device is known not to have `needed` bytes for `what`.

    `elsewhere`: what to do where the device is too small; by default, to use another one.
    """
    if needed < ASK_FROM or needed <= _pooled(device):
        return
    there = free(device)
    if there is not None and needed > there:
        if elsewhere is None:
            elsewhere = _THE_CPU if device.is_cuda else "use a machine with more memory"
        raise OutOfMemoryError(
            f"{what} would take {needed:,} bytes on {device}, where {there:,} are free; nothing of it was allocated. "
            f"Drop arrays and graphs that are no longer needed, take a smaller graph, or {elsewhere}"
        )


def require_rows(
    device: Device, vertices: int, arcs: int, weights: Any, what: str, *, ids: bool = False, arcs_in: str = "device"
) -> None:
    """As `require`, for rows that are built: where they begin, and of each arc its end, its weight and its id.

    `weights`: an array of the dtype that they have, or None. `ids`: whether the rows have ids. `arcs_in`: ``"host"`` if
    a GPU is to read the arcs there. A GPU finds weights and ids by 4 bytes for each arc.
    """
    weight, on_gpu = 0 if weights is None else weights.dtype.itemsize, device.is_cuda and arcs_in == "device"
    beside = 8 * ids + (4 if on_gpu and (ids or weight) else 0)
    require_graph(device, 8 * (vertices + 1), (4 + weight + beside) * arcs, what, arcs_in=arcs_in)


def require_graph(device: Device, of_vertices: int, of_arcs: int, what: str, *, arcs_in: str) -> None:
    """As `require`, for so many bytes of vertices and so many of arcs; `arcs_in` as for `require_rows`."""
    if device.is_cuda and arcs_in == "host":
        require(device, of_vertices, what)
        require(CPU, of_arcs, f"the arcs of {what}")
    else:
        elsewhere = f"keep the arcs in the host's memory, with arcs='host', or {_THE_CPU}" if device.is_cuda else None
        require(device, of_vertices + of_arcs, what, elsewhere)


def _pooled(device: Device) -> int:
    """Bytes that an earlier run gave back to CuPy's pool, which the driver need not be asked about."""
    if not device.is_cuda:
        return 0
    cupy = _cupy()
    with cupy.cuda.Device(device.index):
        return int(cupy.get_default_memory_pool().free_bytes())


def _free_on_gpu(device: Device) -> int:
    cupy = _cupy()
    with cupy.cuda.Device(device.index):
        pool = cupy.get_default_memory_pool()
        there = int(cupy.cuda.runtime.memGetInfo()[0]) + int(pool.free_bytes())
        limit = int(pool.get_limit())
        return min(there, limit - int(pool.used_bytes())) if limit else there


def _free_on_host() -> int | None:
    if not _HOST.exists():
        return None
    lines = dict(line.split(":", 1) for line in _HOST.read_text().splitlines())
    there = int(lines["MemAvailable"].split()[0]) * 1024
    limit = _GROUP / "memory.max"
    if not limit.exists() or limit.read_text().strip() == "max":
        return there
    counts = dict(line.split() for line in (_GROUP / "memory.stat").read_text().splitlines())
    used = int((_GROUP / "memory.current").read_text()) - int(counts["inactive_file"])  # which is given up first
    return min(there, max(int(limit.read_text()) - used, 0))
