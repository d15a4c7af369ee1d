"""Computing the chunks of a stream and writing their results, in threads of this process.

A chunk is a batch that was loaded, together with its faults. The algorithm makes one or more pieces of a chunk. In
`minigr.batch.cluster`, the workers of a cluster compute the same pieces.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, replace
from inspect import GEN_RUNNING, getgeneratorstate
from pathlib import Path
from typing import Any

from minigr.batch.loader import Chunk, Loader, load
from minigr.batch.output import name_of, on_host, save
from minigr.batch.threads import ending, threads
from minigr.device import Device
from minigr.errors import GraphError
from minigr.graphs.batch import GraphBatch

_AHEAD = 2  # chunks that are loaded ahead, and chunks whose results are being written, during a computation


@dataclass(frozen=True)
class Piece:
    """Some graphs of a chunk's batch, and their result.

    Attributes
    ----------
    begin, end : int
        The range of graphs in the batch.
    batch : GraphBatch or None
        These graphs; None after the result was written to a file.
    result
        The return value of the algorithm, or the path of the file.
    error : Exception or None
        The reason why there is no result.
    """

    begin: int
    end: int
    batch: GraphBatch | None
    result: Any
    error: Exception | None = None


Computed = Generator[tuple[Chunk, Iterable[Piece]], None, None]
"""The chunks of a stream in order, each with its pieces."""
Compute = Callable[[Iterable[Any]], Computed]
"""A function that computes the elements of a stream."""


def attempts(algorithm: Callable[[GraphBatch], Any], batch: GraphBatch, begin: int = 0) -> Iterator[Piece]:
    """Yield the batch in one piece. If the algorithm refuses it, split it in halves, down to single refused graphs."""
    end = begin + len(batch)
    try:
        result = algorithm(batch)
        _finish(batch.graph._device)  # because the memory of a piece may go to another stream when the piece is dropped
    except (GraphError, MemoryError) as error:
        if len(batch) <= 1:
            yield Piece(begin, end, batch, None, error)
            return
    else:
        yield Piece(begin, end, batch, result)
        return
    half = len(batch) // 2
    yield from attempts(algorithm, batch[:half], begin)
    yield from attempts(algorithm, batch[half:], begin + half)


def _finish(device: Device) -> None:
    """Wait for the work that this thread started on a GPU, but not for the work of the readers."""
    if device.is_cuda:
        device.xp.cuda.get_current_stream(device.index).synchronize()


def compute_here(algorithm: Callable[[GraphBatch], Any], loader: Loader, readers: int) -> Compute:
    """Compute in this process: the algorithm runs in the thread that iterates, everything else in other threads."""

    def compute(elements: Iterable[Any]) -> Computed:
        with ending(ahead(load(loader.tasks(elements), readers))) as chunks:
            for chunk in chunks:
                yield chunk, () if chunk.batch is None else attempts(algorithm, chunk.batch)

    return compute


def ahead(chunks: Generator[Chunk, None, None]) -> Generator[Chunk, None, None]:
    """Iterate over chunks. A thread loads a few chunks ahead."""
    try:
        with threads(1, "minigr-loader") as pool:
            taken = deque(pool.submit(next, chunks, None) for _ in range(_AHEAD))
            while (chunk := taken.popleft().result()) is not None:
                taken.append(pool.submit(next, chunks, None))
                yield chunk
    finally:
        # After Ctrl-C the thread may still run the generator. The generator is closed when the thread drops it.
        if getgeneratorstate(chunks) != GEN_RUNNING:
            chunks.close()


def written(compute: Compute, output: Path) -> Compute:
    """Like `compute`, but threads write the results to files in `output`."""

    def compute_and_write(elements: Iterable[Any]) -> Computed:
        waiting: deque[tuple[Chunk, list[Future[Piece]]]] = deque()
        with (
            threads(_AHEAD, "minigr-writer") as pool,
            ending(compute(elements)) as chunks,
        ):
            for chunk, pieces in chunks:
                kept = replace(chunk, batch=None)  # free the memory for the next chunks
                writing = [pool.submit(write_piece, output, kept, to_host(piece)) for piece in pieces]
                waiting.append((kept, writing))
                if len(waiting) > _AHEAD:
                    yield _ended(*waiting.popleft())
            while waiting:
                yield _ended(*waiting.popleft())

    return compute_and_write


def _ended(chunk: Chunk, writing: list[Future[Piece]]) -> tuple[Chunk, list[Piece]]:
    return chunk, [piece.result() for piece in writing]


def to_host(piece: Piece) -> Piece:
    """A piece without its batch, and with its result in host memory."""
    return replace(piece, batch=None, result=on_host(piece.result))


def write_piece(output: Path, chunk: Chunk, piece: Piece) -> Piece:
    """Write the result of a piece to a file. Returns the piece with the path of the file."""
    if piece.error is not None or chunk.path is None:
        return piece
    graphs = chunk.first + chunk.positions[piece.begin : piece.end]
    first = graphs[0] if len(graphs) else chunk.first
    return replace(piece, result=save(output / f"{name_of(chunk.path)}-{first}.npz", graphs, piece.result))
