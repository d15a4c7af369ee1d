"""ConvertedGraph: a graph of NetworkX as arrays, and the `minigr.Graph` made of it when a function first asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, repeat
from typing import Any

import numpy as np

import minigr as mg
from minigr.networkx.refusal import CannotAnswer


@dataclass(frozen=True)
class Weights:
    """The values of an edge attribute.

    Attributes
    ----------
    values : int64, float64 or float32 array
        One for each arc, parallel ones too, in the order of `ConvertedGraph`; NaN nowhere.
    mixed : bool
        Some edges have ints and others floats, so that the type of a sum depends on the edges in it.
    """

    values: Any
    mixed: bool


class ConvertedGraph:
    """What the functions of the backend get for a graph of NetworkX; made by `minigr.networkx.interface`.

    Nodes go by their places in the graph's order. The neighbors of each are in the order in which NetworkX lists them,
    which decides the order of many results.

    Attributes
    ----------
    nodes : list or range
        A range where they are 0, 1, ... in this order.
    offsets : int64[n + 1]
        Where the neighbors of each node begin in `targets`.
    targets : int32 array
        Each neighbor once; of an undirected graph, from both sides.
    parallel : int64 array or None
        In a multigraph, how many edges lead to each of `targets`.
    weights : dict
        `Weights` of the edge attributes that were converted, or None for one that is 1 everywhere.
    """

    __networkx_backend__ = "minigr"

    def __init__(
        self, nodes: Sequence[Any], offsets: Any, targets: Any, parallel: Any, weights: dict[str, Any], directed: bool
    ):
        self.nodes = nodes
        self.offsets, self.targets, self.parallel = offsets, targets, parallel
        self.weights = weights
        self._directed = directed
        self._graphs: dict[Any, Any] = {}

    def is_directed(self) -> bool:
        return self._directed

    def is_multigraph(self) -> bool:
        return self.parallel is not None

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.nodes)

    def __contains__(self, node: Any) -> bool:
        try:
            return node in self.index
        except TypeError:  # not hashable
            return False

    @cached_property
    def index(self) -> dict[Any, int]:
        """The place of each node."""
        return dict(zip(self.nodes, range(len(self.nodes)), strict=True))

    @cached_property
    def _labels(self) -> Any:
        return np.fromiter(self.nodes, object, len(self.nodes))

    def labels(self, places: Any) -> list[Any]:
        """The nodes at `places`, an array of integers."""
        return places.tolist() if isinstance(self.nodes, range) else self._labels[places].tolist()

    def edges(self) -> Iterator[tuple[Any, Any, dict[Any, Any]]]:
        """Each edge once: its ends, and the attributes that were converted."""
        src, dst = self._arcs()
        once = np.ones(len(src), bool) if self._directed else src <= dst
        columns = [repeat(1) if held is None else held.values[once].tolist() for held in self.weights.values()]
        for u, v, *values in zip(self.labels(src[once]), self.labels(dst[once]), *columns, strict=False):
            yield u, v, dict(zip(self.weights, values, strict=True))

    def is_weighted(self, attribute: Any) -> bool:
        """Whether any edge has another weight than 1 by this attribute. One that wasn't converted counts as missing."""
        return self.weights.get(attribute) is not None

    def graph(self, weight: Any = None) -> Any:
        """The `minigr.Graph`, with all parallel edges, on the default device; weighted if `is_weighted(weight)`."""
        return self._built(weight if self.is_weighted(weight) else None, reverse=False)

    def reversed(self) -> Any:
        """The same without weights and with all directions turned round; of an undirected graph, the same."""
        return self._built(None, reverse=self._directed)

    def nonnegative(self, weight: Any) -> Any:
        """`graph(weight)`, if its weights are something that minigr can add up.

        Raises
        ------
        CannotAnswer
            If one is negative or infinite.
        """
        graph = self.graph(weight)
        if graph.weighted:
            least, _, greatest = graph.weight_summary()
            if least < 0 or greatest == float("inf"):
                raise CannotAnswer(f"weights go from {least} to {greatest}, but must be at least 0 and finite")
        return graph

    def least_weights(self, weight: Any) -> Any:
        """The weight of each of `targets`, of parallel edges the least; None if all are 1."""
        if not self.is_weighted(weight):
            return None
        values = self.weights[weight].values
        if self.parallel is None or len(values) == 0:
            return values
        return np.minimum.reduceat(values, np.cumsum(self.parallel) - self.parallel)

    def _arcs(self) -> tuple[Any, Any]:
        """The ends of all arcs, parallel ones too, as places."""
        src, dst = np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.offsets)), self.targets
        return (src, dst) if self.parallel is None else (np.repeat(src, self.parallel), np.repeat(dst, self.parallel))

    def _built(self, weight: Any, reverse: bool) -> Any:
        key = weight, reverse
        if key not in self._graphs:
            src, dst = self._arcs()
            values = None if weight is None else self.weights[weight].values
            if not self._directed:  # both directions are here, and the constructor takes one
                once = src <= dst
                src, dst, values = src[once], dst[once], None if values is None else values[once]
            ends = (dst, src) if reverse else (src, dst)
            self._graphs[key] = mg.Graph.from_edges(*ends, values, num_vertices=len(self), directed=self._directed)
        return self._graphs[key]


def convert(graph: Any, defaults: dict[Any, Any]) -> ConvertedGraph:
    """A graph of NetworkX, with the edge attributes that are keys of `defaults`; their values are for edges without.

    Raises
    ------
    CannotAnswer
        If an attribute isn't a number that fits, or NaN.
    """
    nodes: Sequence[Any] = list(graph._adj)
    rows = list(graph._adj.values())
    if nodes == list(range(len(nodes))) and set(map(type, nodes)) <= {int}:
        nodes = range(len(nodes))
    offsets = np.zeros(len(nodes) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, rows), np.int64, len(rows)), out=offsets[1:])
    targets = _places(nodes, chain.from_iterable(rows), int(offsets[-1]))
    parallel = None
    if graph.is_multigraph():
        rows = [edges for row in rows for edges in row.values()]
        parallel = np.fromiter(map(len, rows), np.int64, len(rows))
    weights = {attribute: _weights(rows, attribute, default) for attribute, default in defaults.items()}
    return ConvertedGraph(nodes, offsets, targets, parallel, weights, graph.is_directed())


def _places(nodes: Sequence[Any], neighbors: Iterator[Any], count: int) -> Any:
    """The place in `nodes` of each of `count` neighbors, int32."""
    if isinstance(nodes, range):
        return np.fromiter(neighbors, np.int32, count)
    if set(map(type, nodes)) == {int} and min(nodes) >= -(2**63) and max(nodes) < 2**63:
        from pandas import Index

        labels = Index(np.fromiter(nodes, np.int64, len(nodes)))
        return labels.get_indexer(np.fromiter(neighbors, np.int64, count)).astype(np.int32)
    index = dict(zip(nodes, range(len(nodes)), strict=True))
    return np.fromiter(map(index.__getitem__, neighbors), np.int32, count)


def _weights(rows: list[Any], attribute: Any, default: Any) -> Weights | None:
    values = [data.get(attribute, default) for row in rows for data in row.values()]
    kinds = set(map(type, values))
    whole = {kind for kind in kinds if issubclass(kind, (int, np.integer, np.bool_))}
    single = kinds == {np.float32}  # NetworkX adds these up in single precision, and so does minigr
    if not single and not all(issubclass(kind, float) for kind in kinds - whole):
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise CannotAnswer(f"edge attribute {attribute!r} has values of {names}; only int and float are supported")
    dtype = np.int64 if whole == kinds else np.float32 if single else np.float64
    try:
        numbers = np.fromiter(values, dtype, len(values))
    except OverflowError as error:
        raise CannotAnswer(f"edge attribute {attribute!r} has an int of more than 64 bits") from error
    if dtype == np.int64 and (numbers == 1).all():
        return None
    if (numbers != numbers).any():
        raise CannotAnswer(f"edge attribute {attribute!r} is NaN somewhere")
    return Weights(numbers, mixed=bool(whole) and whole != kinds)
