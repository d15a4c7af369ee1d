"""Streams of graphs that don't fit into memory: a batch of them at a time, loaded while the one before is computed."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from minigr.device import CPU, Device, resolve
from minigr.errors import FormatError, GraphError
from minigr.graphs.batch import GraphBatch
from minigr.graphs.batch_items import Collection
from minigr.io import batch_parquet
from minigr.io.batches import batch_of, read_batch

_AHEAD = 2  # batches that are loaded, or being loaded, while one is computed


@dataclass(frozen=True)
class Part:
    """Some graphs of a stream, and what was found for them.

    Attributes
    ----------
    positions : int64 array
        Where each graph of the batch stands in the stream, from 0, in host memory.
    batch : GraphBatch
    result
        What the algorithm returned for the batch.
    """

    positions: Any
    batch: GraphBatch
    result: Any


@dataclass(frozen=True)
class Fault:
    """A graph of a stream, or a file, that was left out.

    Attributes
    ----------
    position : int or None
        Where the graph stands in the stream, from 0; None for a file that couldn't be read, which counts as no graph.
    path : Path or None
        The file, if it is one.
    error : Exception
    """

    position: int | None
    path: Path | None
    error: Exception


@dataclass
class Chunk:
    """What the loader hands over."""

    positions: Any
    batch: GraphBatch | None
    faults: list[Fault] = field(default_factory=list)


Attempt = tuple[int, GraphBatch, Any, "Exception | None"]
"""The first graph of a piece of a batch, the piece, what the algorithm returned, and why it did not."""
Compute = Callable[[Iterator[Chunk]], Iterator[tuple[Chunk, Iterable[Attempt]]]]


class Stream:
    """The parts of a stream, in order, computed as they are iterated over; see `map`.

    Attributes
    ----------
    faults : list of Fault
        What was left out of the parts iterated over so far, in the order of the stream.
    done : int
        How many graphs there were so far, faulty ones included.
    """

    def __init__(self, loader: _Loader, compute: Compute, progress: Callable[[int], Any] | None):
        self._loader, self._compute, self._progress = loader, compute, progress
        self.faults: list[Fault] = []
        self.done = 0

    def __iter__(self) -> Iterator[Part]:
        self.faults, self.done = [], 0
        with closing(self._loaded()) as chunks:
            for chunk, attempts in self._compute(chunks):
                self.faults += chunk.faults
                for begin, batch, result, error in attempts:
                    if error is None:
                        yield Part(chunk.positions[begin : begin + len(batch)], batch, result)
                    else:
                        self.faults.append(Fault(int(chunk.positions[begin]), None, error))
                self._loader.device.synchronize()  # what the caller began to do with a part may still be reading it
                self.done += len(chunk.positions) + sum(fault.position is not None for fault in chunk.faults)
                if self._progress is not None:
                    self._progress(self.done)

    def _loaded(self) -> Generator[Chunk, None, None]:
        """The loader's chunks, of which a few are made ahead by a thread of their own."""
        pool = ThreadPoolExecutor(1, thread_name_prefix="minigr-loader")
        try:
            chunks = self._loader.chunks()
            ahead = deque(pool.submit(next, chunks, None) for _ in range(_AHEAD))
            while (chunk := ahead.popleft().result()) is not None:
                ahead.append(pool.submit(next, chunks, None))
                yield chunk
        finally:
            pool.shutdown(cancel_futures=True)


def attempts(algorithm: Callable[[GraphBatch], Any], batch: GraphBatch, begin: int = 0) -> Iterator[Attempt]:
    """The batch in one piece; or, where the algorithm refuses it, in halves, until what it refuses is one graph."""
    try:
        result = algorithm(batch)
        batch.graph._device.synchronize()  # a piece's memory may go to the loader's stream when it is dropped
    except (GraphError, MemoryError) as error:
        if len(batch) <= 1:
            yield begin, batch, None, error
            return
    else:
        yield begin, batch, result, None
        return
    half = len(batch) // 2
    yield from attempts(algorithm, batch[:half], begin)
    yield from attempts(algorithm, batch[half:], begin + half)


def _compute_here(algorithm: Callable[[GraphBatch], Any]) -> Compute:
    def compute(chunks: Iterator[Chunk]) -> Iterator[tuple[Chunk, Iterable[Attempt]]]:
        for chunk in chunks:
            yield chunk, () if chunk.batch is None else attempts(algorithm, chunk.batch)

    return compute


def map(
    source: Any,
    algorithm: Callable[[GraphBatch], Any],
    *,
    directed: bool | None = None,
    weight: str | None = None,
    weights: bool = True,
    max_vertices: int = 1 << 20,
    max_pairs: int = 1 << 27,
    device: str | Device | None = None,
    client: Any = None,
    progress: Callable[[int], Any] | None = None,
) -> Stream:
    """Run an algorithm over a stream of graphs, a batch at a time: files and sets larger than memory.

    While a batch is computed, the next ones are read and copied to the device by a thread of their own. A graph that is
    malformed, or that the algorithm refuses, is left out and told by its position in the stream; the rest goes on.

    Parameters
    ----------
    source : path, or iterable
        Each element is a file (see `minigr.batch.read`; Parquet is read a group of rows at a time), a `GraphBatch`, or
        a graph in one of the forms of `GraphBatch.from_graphs`.
    algorithm : callable
        Takes a `GraphBatch`, such as `minigr.batch.closeness`; `functools.partial` gives it options.
    directed : bool, optional
        As in `minigr.batch.read` and `GraphBatch.from_graphs`.
    weight : str, optional
        The edge attribute of NetworkX graphs that holds the weight.
    weights : bool
        Whether to read the weights in files.
    max_vertices, max_pairs : int
        A batch ends before its graphs have more vertices than this, or the squares of their sizes add up to more; a
        single graph may. The result of `shortest_paths` takes 4 bytes a pair, or 8 by weight.
    device : str, optional
    client : distributed.Client, optional
        Batches are sent to the workers of a Dask cluster, which run the algorithm; needs ``minigr[dask]``. Each worker
        computes on `device`, by default on its own default one: for several GPUs start one worker for each, that sees
        no other. The graphs are read here, and parts come in the order of the stream, with results in host memory.
    progress : callable, optional
        Called after each batch with how many graphs are done.

    Returns
    -------
    Stream
        To be iterated over for each `Part`; its ``faults`` are what was left out so far. An error of the iterable
        itself, or another than a `GraphError`, a `FormatError` or a lack of memory for one graph, ends the iteration.

    Raises
    ------
    GraphError
        If a limit is below 1.

    Examples
    --------
    >>> import minigr as mg
    >>> graphs = ([(0, i)] if i != 5 else [(0, -1)] for i in range(1, 9))
    >>> stream = mg.batch.map(graphs, mg.batch.closeness, max_vertices=20, device="cpu")
    >>> for part in stream:
    ...     print(part.positions, part.result.score.max())
    [0 1 2 3] 1.0
    [5 6] 0.16666666666666666
    [7] 0.125
    >>> stream.faults[0].position, str(stream.faults[0].error)
    (4, 'the targets[0] is -1: vertex ids must not be negative')
    """
    for name, limit in (("max_vertices", max_vertices), ("max_pairs", max_pairs)):
        if limit < 1:
            raise GraphError(f"map: {name}={limit} must be at least 1")
    elements = [source] if isinstance(source, str | os.PathLike | GraphBatch) else source
    if client is None:
        where, compute = resolve(device), _compute_here(algorithm)
    else:
        from minigr.batch.cluster import compute_on

        where, compute = CPU, compute_on(client, algorithm, device)
    return Stream(_Loader(elements, directed, weight, weights, max_vertices, max_pairs, where), compute, progress)


@dataclass
class _Loader:
    """Makes batches of what a stream has, on the device that computes."""

    elements: Iterable[Any]
    directed: bool | None
    weight: str | None
    weights: bool
    max_vertices: int
    max_pairs: int
    device: Device

    def chunks(self) -> Iterator[Chunk]:
        """Batches and faults, in order."""
        copying = None
        if self.device.is_cuda:
            with self.device.xp.cuda.Device(self.device.index):
                copying = self.device.xp.cuda.Stream(non_blocking=True)
        for chunk in self._host_chunks():
            if chunk.batch is not None and copying is not None:
                with self.device.xp.cuda.Device(self.device.index), copying:
                    chunk.batch = chunk.batch.to(self.device)
                    chunk.batch.vertex_offsets  # noqa: B018 - made at first use, which is to be now
                    copying.synchronize()
            yield chunk

    def _host_chunks(self) -> Iterator[Chunk]:
        gathering = _Gathering(self)
        for element in self.elements:
            if isinstance(element, str | os.PathLike):
                yield from self._pieces(Path(element), gathering)
            elif isinstance(element, GraphBatch):
                yield from gathering.ended()
                yield from gathering.whole(element.to(CPU))
            else:
                yield from gathering.add(element)
        yield from gathering.ended()

    def _pieces(self, path: Path, gathering: _Gathering) -> Iterator[Chunk]:
        """What a file holds."""
        yield from gathering.ended()
        try:
            if path.suffix.lower() != ".parquet":
                yield from gathering.whole(read_batch(path, directed=self.directed, weights=self.weights, device=CPU))
                return
            for group in batch_parquet.read_groups(path, self.directed, self.weights):
                try:
                    batch = batch_of(group.contents(), CPU)
                except (FormatError, GraphError):
                    yield from self._rows(path, group, gathering)
                else:
                    yield from gathering.whole(batch)
        except (FormatError, OSError) as error:
            yield Chunk(np.empty(0, np.int64), None, [Fault(None, path, error)])

    def _rows(self, path: Path, group: batch_parquet.Group, gathering: _Gathering) -> Iterator[Chunk]:
        """The graphs of a group of rows one by one, as some of them are faulty."""
        for row in group.rows():
            try:
                graph = batch_of(row.contents(), CPU).graph
            except (FormatError, GraphError) as error:
                gathering.fault(path, error)
            else:
                yield from gathering.add(graph, path)
        yield from gathering.ended()


class _Gathering:
    """Graphs on their way into batches of limited size."""

    def __init__(self, loader: _Loader):
        self.loader = loader
        self.collection = Collection(loader.directed, loader.weight)
        self.next_position = 0
        self._clear()

    def _clear(self) -> None:
        self.positions: list[int] = []
        self.faults: list[Fault] = []
        self.vertices = self.pairs = 0

    def fault(self, path: Path | None, error: Exception) -> None:
        """Note that the next graph is faulty."""
        self.faults.append(Fault(self.next_position, path, error))
        self.next_position += 1

    def add(self, graph: Any, path: Path | None = None) -> Iterator[Chunk]:
        """Take the next graph; what is full goes out first."""
        try:
            item = self.collection.add(graph)
        except GraphError as error:
            self.fault(path, error)
            return
        n = item.count
        full = self.vertices + n > self.loader.max_vertices or self.pairs + n * n > self.loader.max_pairs
        if self.positions and full:
            self.collection.items.pop()
            yield from self.ended()
            self.collection.items.append(item)
        self.positions.append(self.next_position)
        self.vertices += n
        self.pairs += n * n
        self.next_position += 1

    def ended(self) -> Iterator[Chunk]:
        """What was gathered, as a batch."""
        if self.positions or self.faults:
            batch = GraphBatch._of_joined(self.collection.take(), CPU) if self.positions else None
            chunk = Chunk(np.array(self.positions, np.int64), batch, self.faults)
            self._clear()
            yield chunk

    def whole(self, batch: GraphBatch) -> Iterator[Chunk]:
        """A batch by itself, or in pieces if it is above the limits."""
        vertices, pairs = batch.host_offsets, np.concatenate([[0], np.cumsum(batch.sizes**2)])
        begin = 0
        while begin < len(batch):
            ends = (
                int(np.searchsorted(sums, sums[begin] + limit, side="right")) - 1
                for sums, limit in ((vertices, self.loader.max_vertices), (pairs, self.loader.max_pairs))
            )
            end = max(min(ends), begin + 1)
            positions = np.arange(self.next_position, self.next_position + end - begin)
            yield Chunk(positions, batch if end - begin == len(batch) else batch[begin:end])
            self.next_position += end - begin
            begin = end
