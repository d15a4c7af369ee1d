"""Whether a device has room for what is about to be allocated, and the error where it has none.

Programs ask before they allocate: a Problem for its fields, a loop for its frontiers and buffers, a graph for what it
builds when an algorithm needs it. So what doesn't fit is refused with numbers, before a system runs out of memory. Any
allocation may fail all the same. What users call is therefore marked `out_of_memory`, which makes one error of all.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

from minigr.device import CPU, Device, _cupy
from minigr.errors import OutOfMemoryError

_Function = TypeVar("_Function", bound=Callable[..., Any])

ASK_FROM = 1 << 24
"""Bytes from which on it is worth asking the system, which takes tens of microseconds."""
_THE_CPU = "run on the CPU, with graph.to('cpu')"
_HOST = Path("/proc/meminfo")
_GROUP = Path("/sys/fs/cgroup")
_CODES = ("cudaErrorMemoryAllocation", "CUDA_ERROR_OUT_OF_MEMORY")


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
        raise OutOfMemoryError(
            f"{what} would take {needed:,} bytes on {device}, where {there:,} are free; nothing of it was allocated. "
            f"{_remedy(device, elsewhere)}"
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


def out_of_memory(function: _Function) -> _Function:
    """Make a function that users call raise `OutOfMemoryError` where any allocation in it fails.

    The message has the name of the function, the library's own words, which say how much was asked for, and how much
    is free. The traceback ends at the function: what it held would be in memory as long as the error.
    """
    called = function.__qualname__.removesuffix(".__init__")

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except Exception as error:
            if not is_lack_of_memory(error):
                raise
            raise as_out_of_memory(error, called) from None

    return cast(_Function, call)


def is_lack_of_memory(error: BaseException) -> bool:
    """Whether an allocation has failed: by the errors of NumPy, CuPy and Python, and by CUDA's codes."""
    return isinstance(error, MemoryError) or any(code in str(error) for code in _CODES)


def as_out_of_memory(error: BaseException, called: str) -> OutOfMemoryError:
    """A failed allocation as `OutOfMemoryError`, without the frames that it came through.

    `called`: the name of the function that the user called; one that is told already stays.
    """
    error.__traceback__ = error.__context__ = error.__cause__ = None
    if isinstance(error, OutOfMemoryError):
        return error
    on_gpu = not isinstance(error, MemoryError) or type(error).__module__.startswith("cupy")
    device = Device("cuda", int(_cupy().cuda.runtime.getDevice())) if on_gpu else CPU
    there = free(device)
    return OutOfMemoryError(
        f"{called} found no room on {device}{'' if there is None else f', where {there:,} bytes are free'}: "
        f"{str(error) or 'an allocation failed'}. What the call was to change is as it was. {_remedy(device)}"
    )


def _remedy(device: Device, elsewhere: str | None = None) -> str:
    if elsewhere is None:
        elsewhere = _THE_CPU if device.is_cuda else "use a machine with more memory"
    return f"Drop arrays and graphs that are no longer needed, take a smaller graph, or {elsewhere}"


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
