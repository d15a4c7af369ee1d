"""The programs of the ready algorithms, compiled for a machine and kept in the cache, so that no first call compiles.

Each algorithm runs on the CPU, over a small graph of each kind. This compiles the CPU's programs. The programs for GPUs
are compiled from the recorded steps, which needs no GPU.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import NamedTuple

from minigr import device
from minigr.calls import ALGORITHMS, Algorithm
from minigr.errors import DeviceError, MissingExtraError, SettingError
from minigr.graphs.checks import WEIGHT_DTYPES
from minigr.jit import cache
from minigr.jit.notice import silence
from minigr.jit.spmd import compile_for_threads
from minigr.jit.threads import THREADS_VARIABLE
from minigr.jit.told import listening
from minigr.prepare.entries import PROGRAMS, Entries
from minigr.prepare.graphs import Kind, kinds
from minigr.prepare.kernels import kernel_programs
from minigr.prepare.program import Program
from minigr.prepare.recorded import Recorded
from minigr.primitives.fill_cpu import compile_fill

_linked: set[str] = set()  # keys of the programs whose parts this process linked
_LIMIT = f"{cache.MOST_BYTES >> 30} GiB"


class Task(NamedTuple):
    """A unit of work for a process: an algorithm over graphs of one layout and dtype, or kernels without functors."""

    name: str
    layout: str = ""
    dtype: str = ""


class Target(NamedTuple):
    """The processors to compile for: the CPU of this machine, and GPUs by architecture."""

    cpu: bool
    architectures: tuple[int, ...]


def architectures_here() -> tuple[int, ...]:
    """The architectures of the GPUs of this machine, e.g. 90 for a compute capability of 9.0."""
    if not device.gpu_count():
        return ()
    import cupy

    return tuple(sorted({int(cupy.cuda.Device(n).compute_capability) for n in range(device.gpu_count())}))


def prepare(
    target: Target, jobs: int, tell: Callable[[str], None] = lambda done: None, names: Sequence[str] = ()
) -> Entries:
    """Compile the programs of all algorithms, or of the algorithms in `names`, in several processes.

    `tell` is told about the progress. Programs in the cache are not compiled again.

    Raises
    ------
    SettingError
        If the folder of the cache can't be used, or has too little space for all programs.
    MissingExtraError
        If the packages that compile for GPUs are not installed.
    """
    if any(cache.sizes(kind) is None for kind in PROGRAMS):
        raise SettingError(
            f"there is no cache to keep programs in: name a folder that only you may write to with the variable "
            f"{cache.DIRECTORY_VARIABLE}"
        )
    if target.architectures:
        _require_cuda()
    entries, todo = Entries(), tasks(target, names)
    with ProcessPoolExecutor(jobs, get_context("spawn"), begin) as pool:
        # Ctrl-C reaches all processes of a terminal. It waits in a process that begins, which could only print its
        # traceback.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        try:
            running = [pool.submit(do, task, target) for task in todo]
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        try:
            for done, ended in enumerate(as_completed(running), 1):
                entries.add(ended.result())
                tell(f"{done} of {len(todo)} tasks")
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    lost = len(entries.asked) - len(entries.sizes())
    if lost:
        raise SettingError(
            f"{lost} programs were removed again, because the cache holds {_LIMIT} for GPUs and {_LIMIT} for CPUs: "
            "prepare fewer architectures, or delete programs of others from the cache"
        )
    return entries


def tasks(target: Target, names: Sequence[str] = ()) -> list[Task]:
    """The tasks for all algorithms, or for the algorithms in `names`."""
    found = [
        Task(name, layout, dtype)
        for name, algorithm in ALGORITHMS.items()
        for layout in algorithm.layouts
        for dtype in ("", *WEIGHT_DTYPES)
        if algorithm.weights in (None, bool(dtype)) and (not names or name in names)
    ]
    return found if names or not target.architectures else [*(Task(name) for name, _ in kernel_programs()), *found]


def do(task: Task, target: Target) -> Entries:
    """Run a task in this process."""
    entries = Entries()
    with listening(entries.note):
        for program in recorded_programs(task) if task.layout else [dict(kernel_programs())[task.name]]:
            _link(program, target.architectures)
    return entries


def recorded_programs(task: Task, *, typical: bool = False) -> Iterator[Program]:
    """Run a task's algorithm on the CPU over each kind of graph, and return the programs that a GPU needs for it.

    `typical`: use only few kinds of graphs. They have programs of every form, but not all programs that differ in
    constants.
    """
    algorithm = ALGORITHMS[task.name]
    for kind in kinds(task.layout):
        if kind.dtype != task.dtype or not _takes(algorithm, kind) or (typical and not _is_typical(algorithm, kind)):
            continue
        recorded = Recorded()
        with listening(recorded.note):
            compile_for_threads()  # this process has one thread
            compile_fill()
            graph = kind.make(algorithm.zeros, algorithm.acyclic)
            for call in algorithm.calls:
                call(graph)
        yield from recorded.programs.values()


def _is_typical(algorithm: Algorithm, kind: Kind) -> bool:
    fits = kind.density == "sparse" and kind.in_edges and (kind.hub or kind.layout != "slabs")
    return fits and kind.direction == ("both" if algorithm.directed else "undirected")


def _takes(algorithm: Algorithm, kind: Kind) -> bool:
    """Whether an algorithm runs on graphs of a kind, and if they have weights, whether weights make a difference."""
    fits = kind.layout in algorithm.layouts and algorithm.directed in (None, kind.directed)
    return fits and (kind.in_edges or not algorithm.in_edges) and algorithm.weights in (None, bool(kind.dtype))


def _link(program: Program, architectures: Sequence[int]) -> None:
    for architecture in architectures:
        code, parts = program(architecture)
        key = code.content_key(())
        if key not in _linked:
            code.kept(parts)
            _linked.add(key)


def begin() -> None:
    """Make a process run everything on one thread and without notices, because many processes run in parallel.

    Ctrl-C ends the process without a word, because the process that waits for it tells the user.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    os.environ[THREADS_VARIABLE] = "1"
    silence()


def _require_cuda() -> None:
    from minigr.jit.cuda_imports import cuda_core, numba_cuda

    try:
        cuda_core()
        numba_cuda()
    except ImportError as error:
        raise MissingExtraError("programs for GPUs need CUDA: pip install 'minigr[cuda13]'") from error


def resolve(kind: str, architectures: Sequence[int]) -> Target:
    """The processors to compile for: ``"cpu"``, ``"cuda"`` or ``"all"``, with these architectures or this machine's.

    Raises
    ------
    DeviceError
        If `kind` is ``"cuda"``, no architectures are given, and this machine has no GPU.
    """
    found = tuple(architectures) if architectures or kind == "cpu" else architectures_here()
    if kind == "cuda" and not found:
        raise DeviceError(
            "this machine has no GPU that can be used: name the architecture of your GPU, its compute capability times "
            "ten, e.g. --architecture 90"
        )
    return Target(kind != "cuda", found)
