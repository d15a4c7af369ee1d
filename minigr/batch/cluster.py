"""Streams of batches over the workers of a Dask cluster."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from minigr.batch.compute import Compute, Computed, Piece, ahead, attempts, compute_here, to_host, written
from minigr.batch.loader import Chunk, Loader, load
from minigr.batch.threads import ending
from minigr.device import CPU, Device, gpu_count, resolve
from minigr.errors import DeviceError
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.batch import GraphBatch
from minigr.graphs.checks import as_whole
from minigr.graphs.graph import Graph
from minigr.locks import free_in_children
from minigr.signatures import names_options

_AT_A_THREAD = 2  # tasks per thread, so that the next task is there when one is done
_SECONDS = 0.15  # the shortest desired duration of a task, because each task costs the scheduler some milliseconds
_FILES = 256  # at most, in a task
_VISIBLE, _SPAWN = "CUDA_VISIBLE_DEVICES", "distributed.nanny.pre-spawn-environ"

_computing = free_in_children(threading.Lock())
"""The lock of a worker process for running the algorithm, which need not be safe to run in several threads."""

Arrays = tuple[Any, ...]


@dataclass(frozen=True)
class Answer:
    """The result of a task.

    Attributes
    ----------
    chunks : list of (Chunk, list of (Piece, arrays or None))
        Batches are sent as arrays.
    seconds : float
    """

    chunks: list[tuple[Chunk, list[tuple[Piece, Arrays | None]]]]
    seconds: float


@dataclass(frozen=True)
class Work:
    """The work that workers do on files and on batches."""

    algorithm: Callable[[GraphBatch], Any]
    loader: Loader
    readers: int
    device: str | Device | None
    output: Path | None

    def on_files(self, paths: list[Path]) -> Answer:
        """Compute a stream of these files in this process."""
        begun = time.perf_counter()
        compute = compute_here(self._alone, replace(self.loader, device=resolve(self.device)), self.readers)
        if self.output is not None:
            compute = written(compute, self.output)
        found = [(replace(chunk, batch=None), list(map(_sendable, pieces))) for chunk, pieces in compute(paths)]
        return Answer(found, time.perf_counter() - begun)

    def on_batch(self, arrays: Arrays) -> list[Piece]:
        """Run the algorithm over a batch."""
        batch = _batch_of(arrays).to(resolve(self.device))
        return [to_host(piece) for piece in attempts(self._alone, batch)]

    def _alone(self, batch: GraphBatch) -> Any:
        with _computing:
            return self.algorithm(batch)


def _sendable(piece: Piece) -> tuple[Piece, Arrays | None]:
    return to_host(piece), None if piece.batch is None else _arrays(piece.batch)


def compute_on(client: Any, work: Work) -> Compute:
    """Compute on the workers of `client`, which also read the files. Yields chunks in the order of the stream."""

    def compute(elements: Iterable[Any]) -> Computed:
        waiting: deque[tuple[Chunk | list[Path], Any]] = deque()
        files = _Files()
        try:
            with ending(ahead(load(work.loader.tasks(elements, unread=True), 1))) as chunks:
                for sent in files.grouped(chunks):
                    waiting.append((sent, _future(client, work, sent)))
                    while len(waiting) > _AT_A_THREAD * max(sum(client.nthreads().values()), 1):
                        yield from files.answers(*waiting.popleft())
            while waiting:
                yield from files.answers(*waiting.popleft())
        finally:
            for _, future in waiting:
                if future is not None:
                    future.cancel()

    return compute


def _future(client: Any, work: Work, sent: Chunk | list[Path]) -> Any:
    """The future result of some files, or of a chunk that has a batch.

    A batch is sent as part of its task, which the scheduler keeps. Scattered data would be lost together with its
    worker.
    """
    import dask

    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
        if not isinstance(sent, Chunk):
            return client.submit(work.on_files, sent, pure=False)
        return None if sent.batch is None else client.submit(work.on_batch, _arrays(sent.batch), pure=False)


class _Files:
    """Chooses the number of files per task: doubles it as long as tasks finish too soon."""

    def __init__(self) -> None:
        self.size = 1

    def grouped(self, chunks: Iterable[Chunk]) -> Iterator[Chunk | list[Path]]:
        """Yield the chunks, with consecutive files in groups."""
        held: list[Path] = []
        for chunk in chunks:
            if chunk.unread is not None:
                held.append(chunk.unread)
            if held and (chunk.unread is None or len(held) >= self.size):
                yield held
                held = []
            if chunk.unread is None:
                yield chunk
        if held:
            yield held

    def answers(self, sent: Chunk | list[Path], future: Any) -> Iterator[tuple[Chunk, list[Piece]]]:
        """Yield the chunks of a task and their pieces."""
        if not isinstance(sent, Chunk):
            answer: Answer = future.result()
            if answer.seconds < _SECONDS and len(sent) == self.size:
                self.size = min(2 * self.size, _FILES)
            for chunk, pieces in answer.chunks:
                yield chunk, [replace(piece, batch=None if held is None else _batch_of(held)) for piece, held in pieces]
        elif sent.batch is None:
            yield sent, []
        else:
            yield sent, [replace(piece, batch=_part(sent.batch, piece)) for piece in future.result()]


def _part(batch: GraphBatch, piece: Piece) -> GraphBatch:
    return batch if piece.end - piece.begin == len(batch) else batch[piece.begin : piece.end]


@names_options
def local_cluster(workers: int | None = None, *, gpus: int | None = None, threads: int = 2) -> Any:
    """Make a Dask cluster on this machine whose workers see one GPU each; needs ``minigr[dask]``.

    Parameters
    ----------
    workers : int, optional
        The number of workers. By default, one for each GPU, or one that uses all cores if there is no GPU. Additional
        workers are assigned to the GPUs in turn. A GPU that computes a batch before Python has prepared the next batch
        has time for two workers.
    gpus : int, optional
        The number of GPUs to use. By default, all.
    threads : int
        The number of tasks that each worker runs at a time, so that one task computes while another begins or ends.

    Returns
    -------
    distributed.SpecCluster
        The cluster, to be closed or used in a ``with`` statement. Pass ``distributed.Client(cluster)`` to `map`.
        Workers are processes that import the main module, so a script must make the cluster under
        ``if __name__ == "__main__":``.

    Raises
    ------
    DeviceError
        If there are fewer GPUs than `gpus`, or if `workers` or `threads` is below 1.
    GraphError
        If a number is not whole.

    Examples
    --------
    >>> from distributed import Client  # doctest: +SKIP
    >>> with local_cluster() as cluster, Client(cluster) as client:  # doctest: +SKIP
    ...     for part in mg.batch.map(files, mg.batch.closeness, output="found", client=client):
    ...         print(part.path)
    """
    import dask
    from distributed import Nanny, Scheduler, SpecCluster

    there = gpu_count()
    used = there if gpus is None else as_whole(gpus, "local_cluster: gpus")
    if not 0 <= used <= there:
        raise DeviceError(f"{gpus} GPUs were asked for, but this process can use {there}")
    count = max(used, 1) if workers is None else as_whole(workers, "local_cluster: workers")
    for number, what in ((count, "workers"), (as_whole(threads, "local_cluster: threads"), "threads of a worker")):
        if number < 1:
            raise DeviceError(f"{number} {what} were asked for: there must be at least 1")
    seen = os.environ[_VISIBLE].split(",") if _VISIBLE in os.environ else [str(i) for i in range(there)]
    own = [{_VISIBLE: seen[i % used]} if used else {} for i in range(count)]
    quiet: dict[str, Any] = {"dashboard": False, "dashboard_address": ":0"}
    each = {**quiet, "nthreads": threads, "silence_logs": logging.WARNING}
    nannies = [{"cls": Nanny, "options": {**each, "env": variables}} for variables in own]
    scheduler = {"cls": Scheduler, "options": {**quiet, "host": "127.0.0.1"}}
    # Dask makes malloc return memory to the system at once. Then each array that is read would get new pages, and a
    # worker would take twice as long.
    spawn = {name: value for name, value in dask.config.get(_SPAWN).items() if name != "MALLOC_TRIM_THRESHOLD_"}
    with dask.config.set({_SPAWN: spawn, "distributed.worker.profile.enabled": False}):
        return SpecCluster(workers=dict(enumerate(nannies)), scheduler=scheduler, silence_logs=logging.WARNING)


def _arrays(batch: GraphBatch) -> Arrays:
    graph = batch.to(CPU).graph
    return graph.offsets, graph.indices, graph.weights, graph.directed, batch.host_offsets, *batch._all_labels()


def _batch_of(arrays: Arrays) -> GraphBatch:
    offsets, indices, weights, directed, host_offsets, *labels = arrays
    return GraphBatch(Graph(Adjacency(offsets, indices, weights), directed, CPU), host_offsets, *labels)
