"""Checks of the free memory of a device before an allocation, and the error for too little memory.

Programs check before they allocate: a Problem for its fields, a loop for its frontiers and buffers, a graph for the
data that it builds when an algorithm needs the data. An allocation that doesn't fit is thus refused with numbers before
a system runs out of memory. Any allocation may still fail. Public functions are therefore marked `out_of_memory`, which
turns every such failure into one kind of error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

from minigr.device import CPU, Device, _cupy
from minigr.errors import OutOfMemoryError
from minigr.rehearsal import rehearse

_Function = TypeVar("_Function", bound=Callable[..., Any])

ASK_FROM = 1 << 24
"""The number of bytes from which on the system is asked for its free memory, which takes tens of microseconds."""
_THE_CPU = "run on the CPU, with graph.to('cpu')"
_HOST = Path("/proc/meminfo")
_GROUP = Path("/sys/fs/cgroup")
_CODES = ("cudaErrorMemoryAllocation", "CUDA_ERROR_OUT_OF_MEMORY")
_OF_CPP = "std::bad_alloc"  # the whole message of C++


def free(device: Device) -> int | None:
    """The number of bytes that can be allocated on a device now; None on a host without this information (not Linux).

    On a GPU, the number includes the free memory of CuPy's pool and is at most the remainder of the pool's limit. On
    the host, the number is the memory that is available without swapping. It is at most the remainder of the limit of
    a container (version 2 of control groups).

    Examples
    --------
    >>> from minigr.device import CPU
    >>> free(CPU) is None or free(CPU) > 0
    True
    """
    there = _free_on_gpu(device) if device.is_cuda else _free_on_host()
    return there if there is None or not device.is_rehearsed else max(there - device.held, 0)


@dataclass(frozen=True)
class Estimate:
    """The peak memory of a call, in addition to the memory that is allocated before the call.

    Attributes
    ----------
    host : int
        Bytes on the host.
    device : int
        Bytes on the GPU; with several GPUs, on the GPU that needs the most. 0 if the call uses no GPU.
    """

    host: int
    device: int


def estimate(call: Callable[..., Any], *arguments: Any, **options: Any) -> Estimate:
    """Estimate the peak memory of ``call(*arguments, **options)`` before the call allocates or runs anything.

    The call is rehearsed: its Python code runs with arrays that have a shape and a dtype but no memory. The estimate
    counts the memory that the call itself would allocate. Data that the graph already holds is not counted again.
    Programs are not compiled. Everything else that the call does is done, such as printing.

    Parameters
    ----------
    call : callable
        An algorithm, such as `minigr.pagerank`, or an answer in `minigr.dynamic`; a method of a graph, such as
        ``graph.in_edges``, ``graph.subgraph``, ``graph.simplify``, ``graph.to`` or ``graph.to_scipy``; a change of a
        dynamic graph, such as ``graph.insert_edges``; ``Graph.from_edges``, ``Graph.from_csr``,
        ``DynamicGraph.from_graph`` or ``DynamicGraph.from_edges``; a generator in `minigr.generate`, except ``batch``;
        `minigr.read`; or your own function that makes a Problem and runs enactors and operators over the Problem.
    *arguments, **options
        The arguments of the call.

    Raises
    ------
    EstimateError
        If the call reads array values that an estimate doesn't have, or performs an operation that can't be estimated;
        or if no graph and no ``device`` is among the arguments of the call, and the call is no method of a graph.
    GraphError, ProblemError, ...
        If the call itself raises the exception for its arguments.

    Notes
    -----
    An estimate takes as long as the Python code of the call. The greatest degree of a graph, the presence of self-loops
    and repeated edges, and the range of the weights are found in O(vertices + edges) unless they are known. The graph
    keeps these values, as after a run.

    The memory of some calls depends on values. The estimate assumes that an output list of a run has half of its
    maximum length, that later rounds of a loop on the host take as much memory as the second round, and that a search
    reaches all vertices. It assumes that all edges inserted into a dynamic graph are new. It reads one megabyte of a
    long text file and assumes that the rest is similar. The memory of Python objects, some ten thousand bytes, isn't
    counted.

    Examples
    --------
    >>> import minigr as mg
    >>> graph = mg.generate.path(1000, device="cpu")
    >>> taken = mg.memory.estimate(mg.bfs, graph, 0)
    >>> taken.host >= 8 * graph.num_vertices, taken.device
    (True, 0)
    """
    most = rehearse(call, arguments, options).most
    return Estimate(most.get(CPU, 0), max((size for device, size in most.items() if device.is_cuda), default=0))


def require(device: Device, needed: int, what: str, elsewhere: str | None = None) -> None:
    """Raise `OutOfMemoryError` if a device is known not to have `needed` bytes for `what`.

    `elsewhere`: advice for a device that is too small; by default, to use another device.
    """
    if device.is_rehearsed or needed < ASK_FROM or needed <= _pooled(device):
        return
    there = free(device)
    if there is not None and needed > there:
        raise OutOfMemoryError(
            f"{what} would take {needed:,} bytes on {device}, where {there:,} are free; nothing was allocated. "
            f"{_remedy(device, elsewhere)}"
        )


def require_rows(
    device: Device, vertices: int, arcs: int, weights: Any, what: str, *, ids: bool = False, arcs_in: str = "device"
) -> None:
    """Check, as `require` does, for rows to be built: their offsets, and the end, weight and id of each arc.

    `weights`: an array of the dtype of the weights, or None. `ids`: whether the rows have ids. `arcs_in`: ``"host"`` if
    a GPU is to read the arcs in the host's memory. A GPU needs 4 more bytes for each arc to find weights and ids.
    """
    of_arcs = arcs * _size_of_arc(device, weights, ids, arcs_in)
    require_graph(device, 8 * (vertices + 1), of_arcs, what, arcs_in=arcs_in)


def rows_fit(
    device: Device, vertices: int, arcs: int, weights: Any, *, ids: bool = False, arcs_in: str = "device"
) -> bool:
    """Whether rows fit into the free memory that the system reports. Optional rows are built only if they fit.

    The parameters are those of `require_rows`.
    """
    of_vertices, of_arcs = 8 * (vertices + 1), arcs * _size_of_arc(device, weights, ids, arcs_in)
    if device.is_cuda and arcs_in == "host":
        return fits(device, of_vertices) and fits(device.host, of_arcs)
    to_sort = arcs if device.is_cuda else 0  # bytes: room for a quarter of the entries, with 4 bytes each
    return fits(device, of_vertices + of_arcs + to_sort)


def fits(device: Device, needed: int) -> bool:
    """Whether `needed` bytes fit into the free memory that the system reports for a device."""
    there = None if needed < ASK_FROM else free(device)
    return there is None or needed <= there


def _size_of_arc(device: Device, weights: Any, ids: bool, arcs_in: str) -> int:
    weight, on_gpu = 0 if weights is None else weights.dtype.itemsize, device.is_cuda and arcs_in == "device"
    return int(4 + weight + 8 * ids + (4 if on_gpu and (ids or weight) else 0))


def require_graph(device: Device, of_vertices: int, of_arcs: int, what: str, *, arcs_in: str) -> None:
    """Check, as `require` does, for `of_vertices` and `of_arcs` bytes; `arcs_in` is as for `require_rows`."""
    if device.is_cuda and arcs_in == "host":
        require(device, of_vertices, what)
        require(device.host, of_arcs, f"the arcs of {what}")
    else:
        elsewhere = f"keep the arcs in the host's memory, with arcs='host', or {_THE_CPU}" if device.is_cuda else None
        require(device, of_vertices + of_arcs, what, elsewhere)


def out_of_memory(function: _Function) -> _Function:
    """Make a public function raise `OutOfMemoryError` if an allocation in it fails.

    The message has the name of the function, the library's message with the requested size, and the free memory. The
    traceback ends at the function, because the objects in further frames would stay in memory as long as the error.
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
    """Whether an error is a failed allocation: an error of NumPy, CuPy or Python, or an error with a code of CUDA."""
    return isinstance(error, MemoryError) or any(code in str(error) for code in _CODES)


def as_out_of_memory(error: BaseException, called: str) -> OutOfMemoryError:
    """A failed allocation as an `OutOfMemoryError`, without the frames that it passed through.

    `called`: the name of the public function. An `OutOfMemoryError` is itself returned.
    """
    of_library = str(error) == _OF_CPP
    on_gpu = not isinstance(error, MemoryError) or type(error).__module__.startswith("cupy") or _is_cupys(error)
    error.__traceback__ = error.__context__ = error.__cause__ = None
    if isinstance(error, OutOfMemoryError):
        return error
    device = Device("cuda", int(_cupy().cuda.runtime.getDevice())) if on_gpu else CPU
    there = free(device)
    words = "a library did not say how much it asked for" if of_library else str(error) or "an allocation failed"
    return OutOfMemoryError(
        f"{called} found no room on {device}{'' if there is None else f', where {there:,} bytes are free'}: {words}. "
        f"No graph was changed. {_remedy(device)}"
    )


def _is_cupys(error: BaseException) -> bool:
    """Whether CuPy raised an error. CuPy's sorts raise Python's own error if CuPy's allocator has failed."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    return frame is not None and "cupy" in frame.tb_frame.f_code.co_filename


def _remedy(device: Device, elsewhere: str | None = None) -> str:
    if elsewhere is None:
        elsewhere = _THE_CPU if device.is_cuda else "use a machine with more memory"
    return f"Drop arrays and graphs that are no longer needed, take a smaller graph, or {elsewhere}"


def _pooled(device: Device) -> int:
    """Bytes that CuPy's pool has free from earlier runs. The driver need not be asked for this memory."""
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
    used = int((_GROUP / "memory.current").read_text()) - int(counts["inactive_file"])  # given up first
    return min(there, max(int(limit.read_text()) - used, 0))
