"""Batches of random graphs of random sizes, alternately R-MAT and uniform."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from minigr.device import CPU, Device, resolve
from minigr.errors import GraphError
from minigr.generate.finish import kernels
from minigr.generate.keys import stream_key
from minigr.generate.random_graphs import quadrants
from minigr.graphs.arcs import Arcs
from minigr.graphs.backend import builder, scope
from minigr.graphs.batch import GraphBatch
from minigr.graphs.checks import MAX_VERTICES, whole_number
from minigr.graphs.graph import Graph
from minigr.io.batches import write_batch
from minigr.jit.threads import get_num_threads
from minigr.memory import out_of_memory
from minigr.paths import as_path

_SIZES = (32, 64, 128, 256, 512, 1024)
_CHANCES = (0.1, 0.1, 0.2, 0.2, 0.2, 0.2)
_GRAPHS, _SIZE, _FACTOR = 10, 11, 12
"""Streams of the seed: a seed for each graph; and streams of that seed: the size and the edge factor of the graph."""


@out_of_memory
def batch(
    count: int,
    *,
    first: int = 0,
    sizes: Sequence[int] = _SIZES,
    chances: Sequence[float] = _CHANCES,
    edge_factors: tuple[int, int] = (4, 8),
    seed: int = 0,
    device: str | Device | None = None,
) -> GraphBatch:
    """Random graphs, undirected and simple; graphs with even numbers are R-MAT, graphs with odd numbers are uniform.

    By default, a graph has 32 to 1024 vertices and a mean degree of 8 to 16 before loops and repeats are dropped.

    Parameters
    ----------
    count : int
        The number of graphs.
    first : int
        The number of the first graph. The graphs 0, 1, 2, ... of a seed are the same for each division into batches.
    sizes : sequence of int
        The numbers of vertices to choose from, powers of two.
    chances : sequence of float
        The probability of each size.
    edge_factors : (int, int)
        The least and the greatest number of edges drawn for each vertex, before loops and repeats are dropped.
    seed : int
    device : str, optional

    Raises
    ------
    GraphError
        If an argument is out of range.

    Examples
    --------
    >>> batch(4, seed=1, device="cpu").sizes
    array([ 64, 512, 256, 512])
    >>> batch(2, first=2, seed=1, device="cpu").sizes
    array([256, 512])
    """
    number = whole_number(count, "count", 0, MAX_VERTICES)
    begin = whole_number(first, "first", 0, 2**62)
    choices, bounds = _choices(sizes, chances)
    try:
        low, high = edge_factors
    except (TypeError, ValueError):
        raise GraphError(f"edge_factors must be a pair (lowest, highest), got {edge_factors!r}") from None
    low = whole_number(low, "the lowest edge factor", 0, 1 << 20)
    high = whole_number(high, "the highest edge factor", low, 1 << 20)
    seeds = stream_key(whole_number(seed, "seed", -(2**63), 2**64 - 1), _GRAPHS)
    seeds = stream_key(seeds, np.arange(begin, begin + number, dtype=np.uint64))
    n = choices[np.searchsorted(bounds, stream_key(seeds, _SIZE) >> np.uint64(11), side="right")]
    factors = low + (stream_key(seeds, _FACTOR) % np.uint64(high - low + 1)).astype(np.int64)
    vertices, edges = (np.concatenate([[0], np.cumsum(counts)]) for counts in (n, n * factors))
    if vertices[-1] > MAX_VERTICES:
        raise GraphError(
            f"{number} graphs have {vertices[-1]} vertices, but a batch has at most {MAX_VERTICES}: make several"
        )
    rmat = np.arange(begin, begin + number) % 2 == 0
    scales = np.where(rmat, np.log2(n).astype(np.int32), -1).astype(np.int32)
    keys = np.where(rmat, stream_key(seeds, 0), stream_key(seeds, 2)), stream_key(seeds, 1)  # as in `rmat`, `uniform`
    where = resolve(device)
    with scope(where):
        src, dst = kernels(where).edges_of_graphs(edges, scales, n, quadrants(0.57, 0.19, 0.19), keys)
        build = builder(where)
        shift = where.asarray(vertices[:-1].astype(np.int32))[build.row_of_arcs(where.asarray(edges), len(src))]
        offsets, indices, _, _ = build.rows(int(vertices[-1]), Arcs(dst + shift, src=src + shift, mirror=True))
        rows = build.simplify(offsets, indices)
    return GraphBatch(Graph.from_csr(*rows, device=where, validate=False), vertices)


@out_of_memory
def batch_files(
    folder: str | os.PathLike,
    count: int,
    *,
    per_file: int = 1000,
    first: int = 0,
    threads: int | None = None,
    device: str | Device | None = None,
    **options: Any,
) -> list[Path]:
    """Write the graphs of `batch` to files in a folder, as `minigr.batch.write` does; for sets larger than memory.

    Parameters
    ----------
    folder : path-like
        The folder, which is created if it doesn't exist.
    count : int
    per_file : int
        The number of graphs in each file except the last file.
    first : int
        The number of the first graph.
    threads : int, optional
        The number of files that are made at a time. By default, `minigr.get_num_threads()`.
    device : str, optional
    **options
        As for `batch`.

    Returns
    -------
    list of Path
        The files in order. The name of each file is the number of its first graph, with leading zeros so that the names
        have one length.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     [path.name for path in batch_files(place, 5, per_file=2, device="cpu")]
    ['0.npz', '2.npz', '4.npz']
    """
    number, size = whole_number(count, "count", 0, 2**62), whole_number(per_file, "per_file", 1, MAX_VERTICES)
    begin = whole_number(first, "first", 0, 2**62)
    workers = get_num_threads() if threads is None else whole_number(threads, "threads", 1, 1 << 10)
    begins, end = range(begin, begin + number, size), begin + number
    place, digits = as_path(folder), len(str(max(end - 1, 0)))
    batch(0, first=begin, device=device, **options)  # raises for wrong options, before there is a folder
    place.mkdir(parents=True, exist_ok=True)

    def make(number_of_first: int) -> Path:
        path = place / f"{number_of_first:0{digits}}.npz"
        held = min(size, end - number_of_first)
        write_batch(batch(held, first=number_of_first, device=device, **options), path)
        return path

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(make, begins))


def _choices(sizes: Sequence[int], chances: Sequence[float]) -> tuple[Any, Any]:
    """The sizes, and their cumulative probabilities in units of 2**-53, without the last one."""
    try:
        given = tuple(sizes)
    except TypeError:
        raise GraphError(f"sizes must be a sequence of powers of two, got {sizes!r}") from None
    found = [whole_number(size, "a size", 1, 1 << 30) for size in given]
    if not found or any(size & (size - 1) for size in found):
        raise GraphError(f"sizes must be powers of two, got {given!r}")
    try:
        likely = CPU.asarray(chances, np.float64)
    except (TypeError, ValueError):
        raise GraphError(f"chances must be a sequence of numbers, got {chances!r}") from None
    if likely.shape != (len(found),) or not (likely >= 0).all() or abs(likely.sum() - 1) > 1e-9:
        raise GraphError(f"chances must hold one for each of {len(found)} sizes, and add up to 1, got {chances!r}")
    return np.array(found), np.round(np.cumsum(likely)[:-1] * 2**53).astype(np.uint64)
