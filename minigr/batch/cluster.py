"""Streams of batches over the workers of a Dask cluster."""

from __future__ import annotations

import logging
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from minigr.batch.loader import Chunk, Loader, load
from minigr.batch.stream import Compute, Computed, Piece, ahead, attempts, to_host, write_piece
from minigr.device import CPU, Device, gpu_count, resolve
from minigr.errors import DeviceError
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.batch import GraphBatch
from minigr.graphs.graph import Graph

_AT_A_THREAD = 2  # tasks under way, so that one is there when another is done
_VISIBLE = "CUDA_VISIBLE_DEVICES"

_computing = threading.Lock()
"""Held by the thread of a worker whose algorithm runs: the others read and write meanwhile."""

Arrays = tuple[Any, ...]
Answer = list[tuple[Chunk, list[tuple[Piece, "Arrays | None"]]]]
"""The chunks of a task, without their batches, and what came of them; batches are sent as arrays."""


@dataclass(frozen=True)
class Work:
    """What the workers do with each file or batch."""

    algorithm: Callable[[GraphBatch], Any]
    loader: Loader
    device: str | Device | None
    output: Path | None

    def on_file(self, path: Path) -> Answer:
        """Read a file and run the algorithm over what it holds."""
        loader = replace(self.loader, device=resolve(self.device))
        return [self._computed(chunk) for task in loader.of_file(path) for chunk in task()]

    def on_batch(self, arrays: Arrays) -> list[Piece]:
        """Run the algorithm over a batch."""
        batch = _batch_of(arrays).to(resolve(self.device))
        with _computing:
            pieces = list(attempts(self.algorithm, batch))
        return [to_host(piece) for piece in pieces]

    def _computed(self, chunk: Chunk) -> tuple[Chunk, list[tuple[Piece, Arrays | None]]]:
        pieces, kept = [], replace(chunk, batch=None)
        if chunk.batch is not None:
            with _computing:
                pieces = list(attempts(self.algorithm, chunk.batch))
        if self.output is not None:
            return kept, [(write_piece(self.output, kept, to_host(piece)), None) for piece in pieces]
        return kept, [(to_host(piece), None if piece.batch is None else _arrays(piece.batch)) for piece in pieces]


def compute_on(
    client: Any,
    algorithm: Callable[[GraphBatch], Any],
    loader: Loader,
    device: str | Device | None,
    output: Path | None,
) -> Compute:
    """What has the workers of `client` read and compute, and hands on what they found in the order of the stream."""
    work = Work(algorithm, replace(loader, device=CPU), device, output)

    def compute(elements: Iterable[Any]) -> Computed:
        waiting: deque[tuple[Chunk, Any]] = deque()
        try:
            with closing(ahead(load(loader.tasks(elements, unread=True), 1))) as chunks:
                for chunk in chunks:
                    waiting.append((chunk, _sent(client, work, chunk)))
                    while len(waiting) > _AT_A_THREAD * max(sum(client.nthreads().values()), 1):
                        yield from _answers(*waiting.popleft())
            while waiting:
                yield from _answers(*waiting.popleft())
        finally:
            for _, future in waiting:
                if future is not None:
                    future.cancel()

    return compute


def _sent(client: Any, work: Work, chunk: Chunk) -> Any:
    """The future of a chunk for which there is something to do.

    A batch is sent with its task, which the scheduler keeps: what is scattered is lost with the worker that has it.
    """
    import dask

    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
        if chunk.unread:
            return client.submit(work.on_file, chunk.path, pure=False)
        return None if chunk.batch is None else client.submit(work.on_batch, _arrays(chunk.batch), pure=False)


def _answers(chunk: Chunk, future: Any) -> Iterator[tuple[Chunk, list[Piece]]]:
    """The chunks that were sent as one, and what came of them."""
    batch = chunk.batch
    if future is None:
        yield chunk, []
    elif batch is None:
        for read, pieces in future.result():
            yield read, [replace(piece, batch=None if held is None else _batch_of(held)) for piece, held in pieces]
    else:
        pieces = future.result()
        yield chunk, [replace(piece, batch=_part(batch, piece)) for piece in pieces]


def _part(batch: GraphBatch, piece: Piece) -> GraphBatch:
    return batch if piece.end - piece.begin == len(batch) else batch[piece.begin : piece.end]


def local_cluster(workers: int | None = None, *, threads: int = 8) -> Any:
    """A Dask cluster of this machine, with a worker for each GPU that sees no other; needs ``minigr[dask]``.

    Parameters
    ----------
    workers : int, optional
        By default as many as there are GPUs, or one, which uses all cores.
    threads : int
        Of each worker: how many files it reads at a time.

    Returns
    -------
    distributed.SpecCluster
        To be closed, or used in a ``with`` statement; ``distributed.Client(cluster)`` goes to `map`. Workers are
        processes that import the main module, so a script has to make it under ``if __name__ == "__main__":``.

    Raises
    ------
    DeviceError
        If there are GPUs, but fewer than `workers`.

    Examples
    --------
    >>> from distributed import Client  # doctest: +SKIP
    >>> with local_cluster() as cluster, Client(cluster) as client:  # doctest: +SKIP
    ...     for part in mg.batch.map(files, mg.batch.closeness, output="found", client=client):
    ...         print(part.path)
    """
    from distributed import Nanny, Scheduler, SpecCluster

    gpus = gpu_count()
    count = max(gpus, 1) if workers is None else workers
    if count < 1 or 0 < gpus < count:
        raise DeviceError(f"{count} workers were asked for: there must be at least 1, and {gpus} GPUs have one each")
    seen = os.environ[_VISIBLE].split(",") if _VISIBLE in os.environ else [str(i) for i in range(gpus)]
    quiet: dict[str, Any] = {"dashboard": False, "dashboard_address": ":0"}
    each = {**quiet, "nthreads": threads, "silence_logs": logging.WARNING}
    nannies = [{"cls": Nanny, "options": {**each, "env": {_VISIBLE: seen[i]} if gpus else {}}} for i in range(count)]
    scheduler = {"cls": Scheduler, "options": {**quiet, "host": "127.0.0.1"}}
    return SpecCluster(workers=dict(enumerate(nannies)), scheduler=scheduler, silence_logs=logging.WARNING)


def _arrays(batch: GraphBatch) -> Arrays:
    graph = batch.to(CPU).graph
    return graph.offsets, graph.indices, graph.weights, graph.directed, batch.host_offsets, *batch._all_labels()


def _batch_of(arrays: Arrays) -> GraphBatch:
    offsets, indices, weights, directed, host_offsets, *labels = arrays
    return GraphBatch(Graph(Adjacency(offsets, indices, weights), directed, CPU), host_offsets, *labels)
