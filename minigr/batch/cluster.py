"""Streams of batches over the workers of a Dask cluster."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from minigr.batch.stream import Attempt, Chunk, Compute, attempts
from minigr.device import CPU, Device, resolve
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.batch import GraphBatch
from minigr.graphs.graph import Graph

_AT_A_WORKER = 2  # batches under way, so that one is there when another is done


def compute_on(client: Any, algorithm: Callable[[GraphBatch], Any], device: str | Device | None) -> Compute:
    """What sends batches to the workers of `client`, and hands on what they found in the order of the stream."""

    def compute(chunks: Iterator[Chunk]) -> Iterator[tuple[Chunk, Iterable[Attempt]]]:
        waiting: deque[tuple[Chunk, Any]] = deque()
        try:
            for chunk in chunks:
                future = None
                if chunk.batch is not None:
                    arrays = client.scatter(_arrays(chunk.batch), hash=False)
                    future = client.submit(_on_worker, algorithm, arrays, device, pure=False)
                waiting.append((chunk, future))
                while len(waiting) > _AT_A_WORKER * max(len(client.nthreads()), 1):
                    yield _taken(*waiting.popleft())
            while waiting:
                yield _taken(*waiting.popleft())
        finally:
            for _, future in waiting:
                if future is not None:
                    future.cancel()

    return compute


def _taken(chunk: Chunk, future: Any) -> tuple[Chunk, Iterable[Attempt]]:
    """What a worker found, with the batches that were sent to it."""
    batch = chunk.batch
    if batch is None or future is None:
        return chunk, ()
    pieces = [
        (begin, batch if end - begin == len(batch) else batch[begin:end], result, error)
        for begin, end, result, error in future.result()
    ]
    return chunk, pieces


def _on_worker(
    algorithm: Callable[[GraphBatch], Any], arrays: tuple[Any, ...], device: str | Device | None
) -> list[tuple[int, int, Any, Exception | None]]:
    """Run an algorithm over a batch, by a worker."""
    offsets, indices, weights, directed, host_offsets, *labels = arrays
    graph = Graph(Adjacency(offsets, indices, weights), directed, CPU)
    batch = GraphBatch(graph, host_offsets, *labels).to(resolve(device))
    return [
        (begin, begin + len(piece), _on_host(result), error)
        for begin, piece, result, error in attempts(algorithm, batch)
    ]


def _arrays(batch: GraphBatch) -> tuple[Any, ...]:
    graph = batch.graph
    return graph.offsets, graph.indices, graph.weights, graph.directed, batch.host_offsets, *batch._all_labels()


def _on_host(result: Any) -> Any:
    """A result with its arrays in host memory: an array, or a dataclass that has some."""
    if hasattr(result, "__cuda_array_interface__"):
        return CPU.asarray(result)
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        values = {field.name: _on_host(getattr(result, field.name)) for field in dataclasses.fields(result)}
        return dataclasses.replace(result, **values)
    return result
