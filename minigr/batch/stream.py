"""Streams of graphs that don't fit into memory: a batch of them at a time, loaded while the one before is computed."""

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
from minigr.signatures import names_options


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
class Written:
    """Some graphs of a stream, and the file that holds what was found for them.

    Attributes
    ----------
    positions : int64 array
        Where each graph stands in the stream, from 0.
    source : Path
        The file that the graphs are in.
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
        What was left out of the parts iterated over so far, in the order of the stream.
    done : int
        How many graphs there were so far, faulty ones included.
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
                        self._device.synchronize()  # what the caller began to do with it may still be reading it
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
    """Run an algorithm over a stream of graphs, a batch at a time: files and sets larger than memory.

    While a batch is computed, the next ones are read, checked and copied to the device by threads of their own, and
    results are written by others. A graph that is malformed, or that the algorithm refuses, is left out and told by its
    position in the stream; the rest goes on.

    Parameters
    ----------
    source : path-like, or iterable
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
    readers : int
        How many files are read at a time, or wait to be computed: in the device's memory or, if one is above the
        limits, in host memory.
    output : path-like, optional
        A folder, made if it doesn't exist. Results are written there instead of being handed over, and every element of
        the stream must be a file: what is found for ``set.npz`` is in ``set-0.npz``, an archive of the result's arrays
        under their names, and of ``graphs``, int64, the graphs of the file that the result is of. Where a file takes
        several batches there is one for each, and the number is that of its first graph. A file appears whole or not at
        all, and takes the place of one of the same name.
    device : str, optional
    client : distributed.Client, optional
        Batches are computed by the workers of a Dask cluster; needs ``minigr[dask]``. Each worker computes on `device`,
        by default on its own default one: for several GPUs start one worker for each, that sees no other (see
        `local_cluster`). Files are read, and with `output` written, by the workers, which must see them under the same
        names; each has `readers` of its own, and runs the algorithm over one batch at a time. What else a stream has is
        sent to them. Parts come in the order of the stream, in host memory.
    progress : callable, optional
        Called after each batch with how many graphs are done.

    Returns
    -------
    Stream
        To be iterated over for each `Part`, or with `output` each `Written`; its ``faults`` are what was left out so
        far. An error of the iterable itself, or another than a `GraphError`, a `FormatError` or a lack of memory for
        one graph, ends the iteration.

    Raises
    ------
    GraphError
        If a number is not whole or is below 1. With `output`, if it is not a folder; if an element is no file, if
        another one has its name without the ending, or if the results of one would replace another: at once for a
        list, otherwise when the iteration comes to it; and, while iterating, if a result isn't an array or a dataclass
        of arrays.

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
    elements = [source] if isinstance(source, str | os.PathLike | GraphBatch) else source
    folder = None if output is None else Path(output)
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
