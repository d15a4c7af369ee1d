"""Loading the files and graphs of a stream as batches on a device, by threads that run ahead."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from minigr.batch.threads import threads
from minigr.device import CPU, Device
from minigr.errors import FormatError, GraphError, MissingExtraError
from minigr.graphs.batch import GraphBatch
from minigr.graphs.batch_items import Collection
from minigr.io import batch_parquet
from minigr.io.batches import Contents, batch_of, read_contents

Value = TypeVar("Value")


@dataclass(frozen=True)
class Fault:
    """A graph or a file that a stream left out.

    Attributes
    ----------
    position : int or None
        The position of the graph in the stream, from 0. None for a file that couldn't be read, which counts as no
        graph.
    path : Path or None
        The file that couldn't be read or that holds the graph, if any.
    error : Exception
    """

    position: int | None
    path: Path | None
    error: Exception


@dataclass
class Chunk:
    """Consecutive graphs of a stream: a batch of the graphs that could be read, and the faults.

    Attributes
    ----------
    batch : GraphBatch or None
    positions : int64 array
        The index of each graph of the batch within the chunk.
    count : int
        The number of graphs of the chunk, including faulty graphs.
    faults : list of Fault
        Their positions are also indices within the chunk.
    path : Path or None
        The file that holds all of these graphs.
    first : int
        The number of graphs of the file before the chunk.
    unread : Path or None
        A file that another process will read. Its contents are not known yet.
    """

    batch: GraphBatch | None
    positions: Any
    count: int
    faults: list[Fault] = field(default_factory=list)
    path: Path | None = None
    first: int = 0
    unread: Path | None = None


Task = Callable[[], Iterable[Chunk]]
"""Reads or builds the next chunks of a stream. Any thread may call it."""


@dataclass(frozen=True)
class Loader:
    """The options for making batches from the elements of a stream, and the device; see `minigr.batch.map`."""

    directed: bool | None
    weight: str | None
    weights: bool
    max_vertices: int
    max_pairs: int
    device: Device

    def tasks(self, elements: Iterable[Any], *, unread: bool = False) -> Iterator[Task]:
        """Yield the tasks for the elements of a stream, in order. With `unread`, files are only named."""
        gathering = _Gathering(self)
        for element in elements:
            if isinstance(element, str | os.PathLike):
                yield from gathering.ended()
                yield from [partial(_unread, Path(element))] if unread else self.of_file(Path(element))
            elif isinstance(element, GraphBatch):
                yield from gathering.ended()
                yield partial(self._of_batch, element, None)
            else:
                yield from gathering.add(element)
        yield from gathering.ended()

    def of_file(self, path: Path) -> Iterator[Task]:
        """Yield the tasks for one file: a Parquet file has one for each group of its rows, other files have one."""
        if path.suffix.lower() != ".parquet":
            yield partial(self._whole_file, path)
            return
        first = 0
        try:
            for group in batch_parquet.read_groups(path, self.directed, self.weights):
                yield partial(self._group, group)
                first = group.first + group.table.num_rows
        except MissingExtraError:
            raise
        except Exception as error:  # as in `_whole_file`
            yield partial(_unreadable, path, first, error)

    def _whole_file(self, path: Path) -> Iterable[Chunk]:
        try:
            contents = read_contents(path, directed=self.directed, weights=self.weights)
        except MissingExtraError:
            raise
        # Readers raise FormatError, OSError or OutOfMemoryError. Any other exception would be a bug that concerns this
        # one file, and must not waste hours of work on other files. The fault keeps the exception.
        except Exception as error:
            return _unreadable(path, 0, error)
        try:
            return self._of_contents(contents, path, 0)
        except MemoryError as error:
            return _unreadable(path, 0, error)
        except GraphError as error:
            return _unreadable(path, 0, FormatError(path, str(error)))

    def _group(self, group: batch_parquet.Group) -> Iterable[Chunk]:
        try:
            contents = group.contents()
        except Exception:  # as in `_whole_file`; reading row by row will show which row is faulty
            return self._rows(group)
        try:
            return self._of_contents(contents, group.path, group.first)
        except (GraphError, MemoryError):
            return self._rows(group)

    def _rows(self, group: batch_parquet.Group) -> Iterator[Chunk]:
        """Read the graphs of a group of rows one by one, because some of them are faulty."""
        gathering = _Gathering(self, group.path, group.first)
        for row in group.rows():
            try:
                graph = batch_of(row.contents(), CPU).graph
            except Exception as error:  # as in `_whole_file`
                gathering.fault(error)
                continue
            for task in gathering.add(graph):
                yield from task()
        for task in gathering.ended():
            yield from task()

    def _of_contents(self, contents: Contents, path: Path, first: int) -> Iterable[Chunk]:
        """Build the contents of a file on the device or, if they must be split, on the CPU first."""
        if self._fits(contents.vertex_offsets):
            return [_all_of(self.ready(partial(batch_of, contents)), path, first)]
        return self._of_batch(batch_of(contents, CPU), path, first)

    def _of_batch(self, batch: GraphBatch, path: Path | None, first: int = 0) -> Iterator[Chunk]:
        """Yield a batch as a single chunk, or in pieces if it exceeds the limits."""
        if self._fits(batch.host_offsets):
            yield _all_of(self.ready(batch.to), path, first)
            return
        held = batch.to(CPU)
        vertices, pairs = held.host_offsets, np.concatenate([[0], np.cumsum(held.sizes**2)])
        begin = 0
        while begin < len(held):
            ends = (
                int(np.searchsorted(sums, sums[begin] + limit, side="right")) - 1
                for sums, limit in ((vertices, self.max_vertices), (pairs, self.max_pairs))
            )
            end = max(min(ends), begin + 1)
            yield _all_of(self.ready(held[begin:end].to), path, first + begin)
            begin = end

    def _fits(self, vertex_offsets: Any) -> bool:
        sizes = np.diff(vertex_offsets)
        return bool(vertex_offsets[-1] <= self.max_vertices and (sizes**2).sum() <= self.max_pairs)

    def ready(self, build: Callable[[Device], GraphBatch]) -> GraphBatch:
        """Call `build` for the device. On a GPU, this uses a stream that no other thread uses at the same time."""
        if not self.device.is_cuda:
            return build(self.device)
        with _own_stream(self.device) as stream:
            batch = build(self.device)
            _ = batch.vertex_offsets  # made at first use, which must happen on this stream
            stream.synchronize()
            return batch


def load(tasks: Iterator[Task], readers: int) -> Generator[Chunk, None, None]:
    """Yield the chunks of all tasks in order. `readers` threads run the tasks, and at most as many tasks run ahead."""
    waiting: deque[Future[Iterable[Chunk]]] = deque()
    with threads(readers, "minigr-reader") as pool:
        for task in _to_the_end(tasks):
            waiting.append(pool.submit(task))
            if len(waiting) > readers:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()


def _to_the_end(tasks: Iterator[Task]) -> Iterator[Task]:
    """Yield the tasks. If getting the next task raises an error, yield a task that raises it, to keep the order."""
    try:
        yield from tasks
    except Exception as error:
        raised = error  # Python deletes the name `error`

        def fail() -> Iterable[Chunk]:
            raise raised

        yield fail


class _Gathering:
    """Collects graphs for batches of limited size."""

    def __init__(self, loader: Loader, path: Path | None = None, first: int = 0):
        self.loader, self.path, self.first = loader, path, first
        self.collection = Collection(loader.directed, loader.weight)
        self._clear()

    def _clear(self) -> None:
        self.positions: list[int] = []
        self.faults: list[Fault] = []
        self.vertices = self.pairs = self.count = 0

    def fault(self, error: Exception) -> None:
        """Record that the next graph is faulty."""
        self.faults.append(Fault(self.count, self.path, error))
        self.count += 1

    def add(self, graph: Any) -> Iterator[Task]:
        """Add the next graph. If the batch would be too large, the batch is built without it first."""
        try:
            item = self.collection.add(graph)
        except GraphError as error:
            self.fault(error)
            return
        n = item.count
        full = self.vertices + n > self.loader.max_vertices or self.pairs + n * n > self.loader.max_pairs
        if self.positions and full:
            self.collection.items.pop()
            yield from self.ended()
            self.collection.items.append(item)
        self.positions.append(self.count)
        self.vertices += n
        self.pairs += n * n
        self.count += 1

    def ended(self) -> Iterator[Task]:
        """Yield a task that builds a batch of the collected graphs."""
        if self.count:
            edges = self.collection.take() if self.positions else None
            chunk = Chunk(None, np.array(self.positions, np.int64), self.count, self.faults, self.path, self.first)
            self.first += self.count
            self._clear()
            yield partial(self._built, chunk, edges)

    def _built(self, chunk: Chunk, edges: Any) -> list[Chunk]:
        if edges is not None:
            chunk.batch = self.loader.ready(partial(GraphBatch._of_joined, edges))
        return [chunk]


def _all_of(batch: GraphBatch, path: Path | None, first: int) -> Chunk:
    return Chunk(batch, np.arange(len(batch)), len(batch), [], path, first)


def _unreadable(path: Path, first: int, error: Exception) -> list[Chunk]:
    return [Chunk(None, np.empty(0, np.int64), 0, [Fault(None, path, error)], path, first)]


def _unread(path: Path) -> list[Chunk]:
    return [Chunk(None, np.empty(0, np.int64), 0, unread=path)]


_idle: dict[int, deque[Any]] = {}
"""Idle streams of each GPU. They are reused, because CuPy has a separate memory pool for each stream."""


@contextmanager
def _own_stream(device: Device) -> Iterator[Any]:
    streams = _idle.setdefault(device.index, deque())
    with device.xp.cuda.Device(device.index):
        try:
            stream = streams.pop()
        except IndexError:
            stream = device.xp.cuda.Stream(non_blocking=True)
        try:
            with stream:
                yield stream
        finally:
            streams.append(stream)
