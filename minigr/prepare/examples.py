"""Graphs, a problem and functors with which programs are recorded. Only the shape of the graphs matters."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from minigr.device import CPU
from minigr.graphs.checks import WEIGHT_DTYPES
from minigr.graphs.dynamic.graph import DynamicGraph
from minigr.graphs.graph import Graph
from minigr.jit.functor import Functor
from minigr.program.fields import parameter, scalar_field, vertex_field
from minigr.program.problem import Problem


@cache
def graphs() -> dict[str, Any]:
    """A graph without hubs and a graph with a hub, each without weights and with weights, on the CPU."""

    path = (np.arange(7), np.arange(1, 8))
    star = (np.zeros(600, np.int64), np.arange(1, 601))
    made = {}
    for name, (src, dst) in (("path", path), ("star", star)):
        made[name] = Graph.from_edges(src, dst, device="cpu")
        for dtype in WEIGHT_DTYPES:
            made[f"{name} {dtype}"] = Graph.from_edges(src, dst, np.ones(src.size, dtype), device="cpu")
    return made


@cache
def dynamic_graphs() -> dict[str, Any]:
    """The graph with a hub as slabs with a mark, without weights and with weights."""

    made = {
        f"slabs{name.removeprefix('star')}": DynamicGraph.from_graph(graph)
        for name, graph in graphs().items()
        if name.startswith("star")
    }
    for graph in made.values():
        graph.mark()
    return made


class _OnHost(Graph):
    """A graph that reports its arcs on the host, as for a GPU. Programs depend only on this report."""

    arcs = "host"


@cache
def graph_on_host() -> Any:
    """A graph with a hub, with its arcs on the host."""
    return _OnHost(graphs()["star"].out_edges, False, CPU)


@cache
def messy_graph() -> Any:
    """A graph with a hub, parallel edges and a self-loop, on the CPU. Only its shape matters."""

    return Graph.from_edges(np.zeros(202, np.int64), [*range(101), *range(101)], device="cpu")


@cache
def parts() -> tuple[Any, Any]:
    """A problem with fields of each kind, and functors that use all values that operators supply."""

    class Fields(Problem):
        a = vertex_field(np.int32)
        b = vertex_field(np.float64)
        total = scalar_field(np.float64)
        bits = scalar_field(np.int64)
        limit = parameter(np.float64)

    class Plain(Functor):
        def cond_target(dst, a):
            return a[dst] < 0

        def cond_advance(src, dst, edge, rank, seg, iteration, a):
            return a[dst] + edge + rank + seg > iteration

        def apply_advance(src, dst, a):
            a[dst] = src

        def cond_filter(vertex, idx, iteration, a, limit):
            return a[vertex] + idx + iteration > limit

        def apply_filter(vertex, idx, b):
            b[vertex] = idx

        def map(src, dst, edge, rank, seg, b):
            return b[src] + edge + rank + seg

        def reduce(a, b):
            return max(a, b)

        def apply_reduce(vertex, value, idx, a):
            a[vertex] = idx
            return value

        def apply(vertex, idx, a):
            a[vertex] = idx
            return vertex

        def priority(vertex, b):
            return b[vertex]

    class Keyed(Functor):
        def key(src, dst, edge, seg, iteration, a):
            return np.int64(a[dst] + edge + seg + iteration)

        def map(src, dst, edge, b):
            return b[src] + edge

        def apply_group(vertex, key, value, idx, iteration, b):
            return value * b[vertex] + key + idx + iteration

        def apply_best(vertex, key, value, score, idx, iteration, a, b):
            a[vertex] = key + idx + iteration
            b[vertex] = value + score

    class KeyCounts(Functor):
        def key(dst, a):
            return a[dst]

        def apply_best(vertex, key, a):
            a[vertex] = key

    class KeyBits(Functor):
        def key(dst, rank, a):
            return a[dst]

        def map(src, a):
            return a[src]

        def apply_group(vertex, key, value, a):
            a[vertex] = key + value

    class Bits(Plain):
        def map(src, dst, edge, rank, seg, a):
            return a[src] + edge + rank + seg

    class OfEdges(Functor):
        def cond_filter(edge, src, dst, idx, iteration, a, limit):
            return a[src] + a[dst] + edge + idx + iteration > limit

        def apply_filter(edge, dst, b):
            b[dst] = edge

        def apply(edge, src, dst, idx, a):
            a[dst] = idx
            return edge + src

        def cond_intersect(src, dst, edge, idx, iteration, a):
            return a[src] + edge + idx > a[dst] + iteration

        def apply_intersect(src, dst, common, edge, src_edge, dst_edge, a):
            a[common] = src_edge + dst_edge

        def apply_count(edge, src, count):
            return count + edge + src

        def cond_count(edge, count):
            return count > edge

    class OfPairs(Functor):
        def cond_filter(src, dst, idx, a, limit):
            return a[src] + a[dst] + idx > limit

        def apply(src, dst, idx, a):
            a[dst] = idx
            return src

        def cond_intersect(src, dst, idx, iteration, a):
            return a[src] + idx > a[dst] + iteration

        def apply_intersect(src, dst, common, src_edge, dst_edge, idx, a):
            a[common] = src_edge + dst_edge + idx

        def cond_count(src, count):
            return count > src

    class Count(Functor):
        def apply_count(count):
            return count

    class Weighted(Functor):
        def cond_target(dst, a):
            return a[dst] < 0

        def cond_advance(src, dst, weight, a):
            return a[dst] + weight > 0

        def map(src, weight, b):
            return b[src] * weight

        def key(dst, weight):
            return np.int32(dst + weight)

        def apply_best(vertex, key, value, b):
            b[vertex] = key + value

        def apply(weight, src):
            return weight + src

        def cond_filter(dst, weight):
            return weight > dst

    class Unordered(Functor):
        def cond_target(dst, a):
            return a[dst] < 0

        def cond_advance(src, dst, edge, seg, iteration, a):
            return a[dst] + edge + seg > iteration

        def map(src, dst, edge, seg, b):
            return b[src] + edge + seg

        def reduce(a, b):
            return max(a, b)

    class Pairs(Functor):
        def map(src, dst, edge, seg, b):
            return b[src] + edge + seg, dst

        def reduce(a: Any, b: Any) -> Any:
            return a[0] + b[0], min(a[1], b[1])

        def cond_reduce(vertex, value, a):
            return a[vertex] != value[1]

        def apply_reduce(vertex, value, a):
            a[vertex] = value[1]
            return value[0]

    class Positions(Functor):
        def cond_advance(dst, idx, a):
            return a[dst] > idx

        def map(src, idx, b):
            return b[src] + idx

    class SeesGraph(Functor):
        def cond_target(dst, graph, a):
            return a[dst] < graph.degree(dst) + graph.num_vertices

        def cond_advance(src, dst, graph):
            return not graph.has_edge(dst, src)

        def map(dst, graph, b):
            least = b[dst]
            for neighbor in graph.neighbors(dst):
                least = min(least, b[neighbor])
            return least

        def apply(vertex, graph, a, b):
            for neighbor, edge, weight in graph.weighted_edges(vertex):
                b[neighbor] += weight * edge
                if neighbor == a[vertex]:
                    break

    functors = {
        "plain": Plain,
        "bits": Bits,
        "unordered": Unordered,
        "of edges": OfEdges,
        "of pairs": OfPairs,
        "weighted": Weighted,
        "count": Count,
        "sees graph": SeesGraph,
        "keyed": Keyed,
        "key counts": KeyCounts,
        "key bits": KeyBits,
        "pairs": Pairs,
    }
    return Fields, {**functors, "positions": Positions}
