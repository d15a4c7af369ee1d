"""Streams of batches over the workers of a Dask cluster."""

from __future__ import annotations

import logging
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
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
_LOST = 5  # how often a batch that was sent to a worker may be lost with it
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
        waiting: deque[_Sent] = deque()
        try:
            with closing(ahead(load(loader.tasks(elements, unread=True), 1))) as chunks:
                for chunk in chunks:
                    waiting.append(_Sent(client, work, chunk))
                    while len(waiting) > _AT_A_THREAD * max(sum(client.nthreads().values()), 1):
                        yield from waiting.popleft().answer()
            while waiting:
                yield from waiting.popleft().answer()
        finally:
            for sent in waiting:
                sent.cancel()

    return compute


class _Sent:
    """A chunk that the workers have to do with, kept here until its answer is."""

    def __init__(self, client: Any, work: Work, chunk: Chunk):
        self.client, self.work, self.chunk = client, work, chunk
        self._send()

    def _send(self) -> None:
        self.future = None
        if self.chunk.unread:
            self.future = self.client.submit(self.work.on_file, self.chunk.path, pure=False)
        elif self.chunk.batch is not None:
            arrays = self.client.scatter(_arrays(self.chunk.batch), hash=False)
            self.future = self.client.submit(self.work.on_batch, arrays, pure=False)

    def answer(self) -> Iterator[tuple[Chunk, list[Piece]]]:
        """The chunks and what came of them."""
        if self.future is None:
            yield self.chunk, []
            return
        found = self._result()
        if self.chunk.unread:
            for chunk, pieces in found:
                yield chunk, [replace(piece, batch=None if sent is None else _batch_of(sent)) for piece, sent in pieces]
            return
        whole = self.chunk.batch
        for number, piece in enumerate(found):
            alone = piece.end - piece.begin == len(whole)
            found[number] = replace(piece, batch=whole if alone else whole[piece.begin : piece.end])
        yield self.chunk, found

    def _result(self) -> Any:
        # Dask runs a task again whose worker died; what was sent to the worker it does not have any more.
        for _ in range(_LOST):
            try:
                return self.future.result()
            except CancelledError:
                self._send()
        return self.future.result()

    def cancel(self) -> None:
        """Have it left undone."""
        if self.future is not None:
            self.future.cancel()


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
    workers = {}
    for i in range(count):
        options = {"nthreads": threads, "silence_logs": logging.WARNING, "env": {_VISIBLE: seen[i]} if gpus else {}}
        workers[i] = {"cls": Nanny, "options": {**quiet, **options}}
    scheduler = {"cls": Scheduler, "options": {**quiet, "host": "127.0.0.1"}}
    return SpecCluster(workers=workers, scheduler=scheduler, silence_logs=logging.WARNING)


def _arrays(batch: GraphBatch) -> Arrays:
    graph = batch.to(CPU).graph
    return graph.offsets, graph.indices, graph.weights, graph.directed, batch.host_offsets, *batch._all_labels()


def _batch_of(arrays: Arrays) -> GraphBatch:
    offsets, indices, weights, directed, host_offsets, *labels = arrays
    return GraphBatch(Graph(Adjacency(offsets, indices, weights), directed, CPU), host_offsets, *labels)
