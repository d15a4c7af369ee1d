"""Streams of graphs that don't fit into memory: a batch is loaded while the previous one is computed."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from minigr.batch.cluster import Work, compute_on
from minigr.batch.compute import Compute, compute_here, written
from minigr.batch.loader import Fault, Loader
from minigr.batch.output import Files, make_folder
from minigr.batch.threads import ending
from minigr.device import CPU, Device, resolve
from minigr.errors import GraphError
from minigr.graphs.batch import GraphBatch
from minigr.graphs.checks import as_whole
from minigr.paths import as_path
from minigr.signatures import names_options


@dataclass(frozen=True)
class Part:
    """Some graphs of a stream, and the result for these graphs.

    Attributes
    ----------
    positions : int64 array
        The position of each graph of the batch in the stream, from 0, in host memory.
    batch : GraphBatch
    result
        The value that the algorithm returned for the batch.
    """

    positions: Any
    batch: GraphBatch
    result: Any


@dataclass(frozen=True)
class Written:
    """Some graphs of a stream, and the file that holds the result for these graphs.

    Attributes
    ----------
    positions : int64 array
        The position of each graph in the stream, from 0.
    source : Path
        The file that holds the graphs.
    path : Path
        The file of results.
    """

    positions: Any
    source: Path
    path: Path


class Stream:
    """The parts of a stream, in order, computed as they are iterated over; see `map`.

    Attributes
    ----------
    faults : list of Fault
        The graphs and files that were left out of the parts iterated over so far, in the order of the stream.
    done : int
        The number of graphs so far, including faulty graphs.
    """

    def __init__(
        self, elements: Iterable[Any], compute: Compute, device: Device, progress: Callable[[int], Any] | None
    ):
        self._elements, self._compute, self._device, self._progress = elements, compute, device, progress
        self.faults: list[Fault] = []
        self.done = 0

    def __iter__(self) -> Generator[Any, None, None]:
        self.faults, self.done = [], 0
        with ending(self._compute(self._elements)) as computed:
            for chunk, pieces in computed:
                self.faults += [_moved(fault, self.done) for fault in chunk.faults]
                for piece in pieces:
                    positions = self.done + chunk.positions[piece.begin : piece.end]
                    if piece.error is not None:
                        self.faults.append(Fault(next(iter(positions.tolist()), None), chunk.path, piece.error))
                    elif piece.batch is None and chunk.path is not None:
                        yield Written(positions, chunk.path, piece.result)
                    elif piece.batch is not None:
                        yield Part(positions, piece.batch, piece.result)
                        self._device.synchronize()  # work that the caller started may still read the batch
                self.done += chunk.count
                if self._progress is not None:
                    self._progress(self.done)


def _moved(fault: Fault, base: int) -> Fault:
    return fault if fault.position is None else replace(fault, position=base + fault.position)


@names_options
def map(
    source: Any,
    algorithm: Callable[[GraphBatch], Any],
    *,
    directed: bool | None = None,
    weight: str | None = None,
    weights: bool = True,
    max_vertices: int = 1 << 20,
    max_pairs: int = 1 << 27,
    readers: int = 4,
    output: str | os.PathLike | None = None,
    device: str | Device | None = None,
    client: Any = None,
    progress: Callable[[int], Any] | None = None,
) -> Stream:
    """Run an algorithm over a stream of graphs, one batch at a time; for files and sets larger than memory.

    While one batch is computed, other threads read the next batches, check them, copy them to the device, and write
    results. A graph that is malformed, or that the algorithm refuses, is left out and reported with its position in the
    stream. The rest of the stream continues.

    Parameters
    ----------
    source : path-like, or iterable
        Each element is a file (see `minigr.batch.read`; Parquet is read a group of rows at a time), a `GraphBatch`, or
        a graph in one of the forms of `GraphBatch.from_graphs`.
    algorithm : callable
        A function of a `GraphBatch`, such as `minigr.batch.closeness`. Use `functools.partial` to set options.
    directed : bool, optional
        As in `minigr.batch.read` and `GraphBatch.from_graphs`.
    weight : str, optional
        The edge attribute of NetworkX graphs that holds the weight.
    weights : bool
        Whether to read the weights in files.
    max_vertices, max_pairs : int
        The limits of a batch: the number of vertices of its graphs, and the sum of the squares of the sizes of its
        graphs. A single graph may exceed them. The result of `shortest_paths` takes 4 bytes per pair, or 8 by weight.
    readers : int
        The number of files that are read at a time or wait to be computed. A file waits in device memory or, if the
        file exceeds the limits, in host memory.
    output : path-like, optional
        The folder for the results, created if it doesn't exist. Results are written to the folder instead of being
        returned, and every element of the stream must be a file. The result for ``set.npz`` is in ``set-0.npz``, an
        archive of the arrays of the result under their names, and of ``graphs`` (int64), the numbers of the graphs in
        the file that the result covers. If a file takes several batches, each batch has its own archive, and the number
        in the name is the number of its first graph. An archive appears whole or not at all, and replaces a file of the
        same name.
    device : str, optional
    client : distributed.Client, optional
        The client of a Dask cluster whose workers compute the batches; needs ``minigr[dask]``. Each worker computes on
        `device`, by default on its own default device. For several GPUs, start one worker for each GPU that sees no
        other GPU (see `local_cluster`). The workers read files and, with `output`, write files; all workers must see
        the files under the same names. Each worker has its own `readers`, and runs the algorithm over one batch at a
        time. Other elements of the stream are sent to the workers. Parts come in the order of the stream, in host
        memory.
    progress : callable, optional
        A function that is called after each batch with the number of graphs done so far.

    Returns
    -------
    Stream
        An iterable over each `Part`, or with `output` over each `Written`. Its ``faults`` list the graphs and files
        that were left out so far. The iteration ends with an error of `source` itself, or with an error other than a
        `GraphError`, a `FormatError` or a lack of memory for one graph.

    Raises
    ------
    GraphError
        If a number is not whole or is below 1, if `source` is a single graph or nothing to iterate over, or if
        `algorithm` can't be called. With `output`, if it is not a folder. With `output`, also if an element
        is not a file, if two elements have the same name without the ending, or if the results of one element would
        replace another element; the error is raised at once for a list, and otherwise when the iteration reaches the
        element. With `output`, during the iteration, if a result isn't an array or a dataclass of arrays.

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
    for name, limit in (("max_vertices", max_vertices), ("max_pairs", max_pairs), ("readers", readers)):
        if as_whole(limit, f"map: {name}") < 1:
            raise GraphError(f"map: {name}={limit} must be at least 1")
    if not callable(algorithm):
        raise GraphError(
            f"map: algorithm={algorithm!r} can't be called: give a function of a batch, such as minigr.batch.closeness"
        )
    elements = [source] if isinstance(source, str | os.PathLike | GraphBatch) else source
    if not isinstance(elements, Iterable) or hasattr(elements, "is_directed"):  # a graph of NetworkX yields its nodes
        raise GraphError(f"map: source is a {type(source).__name__}: give files or graphs, a single graph in a list")
    folder = None if output is None else as_path(output)
    if folder is not None:
        elements = Files(elements, folder)
    loader = Loader(directed, weight, weights, max_vertices, max_pairs, resolve(device) if client is None else CPU)
    if folder is not None:
        make_folder(folder)
    if client is None:
        compute = compute_here(algorithm, loader, readers)
        if folder is not None:
            compute = written(compute, folder)
    else:
        compute = compute_on(client, Work(algorithm, loader, readers, device, folder))
    return Stream(elements, compute, loader.device, progress)
