"""The kernels of batches on the CPU as functions. `kernels_cuda` has the same functions for the GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minigr.batch import hops_cpu, paths_cpu, steps_cpu
from minigr.batch.constants import WORD
from minigr.batch.units import as_float64, host_pair_offsets, units_of
from minigr.jit.native.entry import Entry
from minigr.jit.spmd import run_team
from minigr.jit.threads import get_num_threads

if TYPE_CHECKING:
    from minigr.graphs.batch import GraphBatch

_SOLO_WORK = 1 << 12  # vertices and arcs; with fewer, one thread is faster than starting several


def hop_distances(batch: GraphBatch) -> Any:
    """int32: the matrices of hops of all graphs, one after the other; -1 if there is no path."""
    pairs, rows = host_pair_offsets(batch), batch.graph.in_edges(ids=False)
    out = np.empty(int(pairs[-1]), np.int32)
    threads = _threads(batch)
    _over_units(hops_cpu.distances, batch, threads, rows, pairs, _scratch(batch, threads), out)
    return out


def hop_centrality(batch: GraphBatch, harmonic: bool) -> Any:
    """float64[number of vertices]: closeness or harmonic centrality, by hops."""
    units, rows = units_of(batch), batch.graph.out_edges
    parts, score = np.empty(units.num_parts), np.empty(batch.num_vertices)
    threads = _threads(batch)
    _over_units(hops_cpu.nearness, batch, threads, rows, units.part_offsets, _scratch(batch, threads), harmonic, parts)
    _over_graphs(hops_cpu.centrality, batch, threads, units.part_offsets, harmonic, parts, score)
    return score


def weighted_distances(batch: GraphBatch) -> Any:
    """float64: the matrices of weighted distances of all graphs, one after the other; inf if there is no path."""
    pairs, rows = host_pair_offsets(batch), batch.graph.out_edges
    out = np.empty(int(pairs[-1]))
    threads = _threads(batch)
    arguments = (as_float64(rows.weights), pairs, *_arrays(batch, threads))
    _over_units(paths_cpu.weighted_distances, batch, threads, rows, *arguments, out)
    return out


def weighted_centrality(batch: GraphBatch, harmonic: bool) -> Any:
    """float64[number of vertices]: closeness or harmonic centrality, by weight."""
    rows, score = batch.graph.in_edges(ids=False), np.empty(batch.num_vertices)
    threads = _threads(batch)
    arguments = (as_float64(rows.weights), *_arrays(batch, threads))
    _over_units(paths_cpu.weighted_nearness, batch, threads, rows, *arguments, harmonic, score)
    return score


def betweenness(batch: GraphBatch, weighted: bool, ends: float, scale: Any) -> tuple[Any, Any]:
    """float64[number of vertices]: sums over all pairs, times the `scale` of each graph; and a flag for each graph.

    A flag is in host memory. It is 0, or says why the scores of the graph must not be used.
    """
    units, rows, threads = units_of(batch), batch.graph.out_edges, _threads(batch)
    parts, score, flags = np.empty(units.num_parts), np.empty(batch.num_vertices), np.zeros(len(batch), np.int32)
    arrays, after = (units.part_offsets, *_arrays(batch, threads)), (ends, flags, parts)
    if weighted:
        against = batch.graph.in_edges(ids=False)
        columns = (as_float64(rows.weights), against.offsets, against.indices, as_float64(against.weights))
        _over_units(paths_cpu.weighted_betweenness, batch, threads, rows, *columns, *arrays, *after)
    else:
        _over_units(
            paths_cpu.betweenness, batch, threads, rows, *arrays, _arcs(batch, threads), _together(threads), *after
        )
    _over_graphs(paths_cpu.sum_parts, batch, threads, units.part_offsets, scale, parts, score)
    return score, flags


def _over_units(kernel: Entry, batch: GraphBatch, threads: int, rows: Any, *arguments: Any) -> None:
    units = units_of(batch)
    shape = (units.graph, units.first, batch.host_offsets, rows.offsets, rows.indices)
    run_team(kernel, threads, np.zeros(1, np.int64), *shape, *arguments)


def _over_graphs(kernel: Entry, batch: GraphBatch, threads: int, *arguments: Any) -> None:
    run_team(kernel, threads, np.zeros(1, np.int64), batch.host_offsets, *arguments)


def _scratch(batch: GraphBatch, threads: int) -> tuple[Any, Any, Any]:
    """The memory of each thread for searches: rows of words of vertices, of lists of vertices, and of arcs."""
    n = units_of(batch).largest
    words = np.empty((threads * hops_cpu.WORDS, n), np.uint64)
    return words, np.empty((threads * 2, n), np.int32), _arcs(batch, threads)


def _arcs(batch: GraphBatch, threads: int) -> Any:
    """Memory in which each thread can list the arcs of a graph and one more."""
    most = int(np.diff(batch.graph.offsets[batch.host_offsets]).max(initial=0))
    return np.empty((threads * 2, most + 1), np.int32)


def _arrays(batch: GraphBatch, threads: int) -> tuple[Any, Any]:
    """The memory for searches from one vertex at a time: three rows of numbers and three of lists for each thread."""
    shape = (threads * 3, units_of(batch).largest + 1)
    return np.empty(shape), np.empty(shape, np.int32)


def _together(threads: int) -> tuple[Any, Any, Any, Any]:
    """The memory of each thread for the betweenness of a small graph: words, arcs with bits, steps, and matrices."""
    return (
        np.empty((threads * hops_cpu.WORDS, steps_cpu.MOST_VERTICES), np.uint64),
        np.empty((threads * 2, steps_cpu.MOST_ARCS + 1), np.uint64),
        np.empty((threads * 2, steps_cpu.MOST_STEPS), np.int32),
        np.empty((threads * 2, steps_cpu.MOST_VERTICES * WORD)),
    )


def _threads(batch: GraphBatch) -> int:
    return 1 if batch.num_vertices + batch.graph.num_arcs < _SOLO_WORK else get_num_threads()
