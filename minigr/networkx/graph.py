"""ConvertedGraph: a NetworkX graph as arrays, and the `minigr.Graph` that is made from it on first use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import Any
from weakref import ref

import networkx as nx
import numpy as np

import minigr as mg
from minigr.cached import cached_property
from minigr.device import CPU
from minigr.errors import GraphError
from minigr.graphs.networkx_rows import NetworkXRows, edge_data, rows_of_networkx
from minigr.networkx.refusal import CannotAnswer


@dataclass(frozen=True)
class Weights:
    """The values of an edge attribute.

    Attributes
    ----------
    values : int64, float64 or float32 array
        One value for each edge, in the order of `NetworkXRows.ends`; no NaN.
    mixed : bool
        Whether some edges have ints and others floats. The type of a sum then depends on its edges.
    """

    values: Any
    mixed: bool


class ConvertedGraph:
    """A NetworkX graph as the functions of the backend get it; made by `minigr.networkx.interface`.

    Nodes are identified by their places in the graph's order. The neighbors of each node have the order in which
    NetworkX lists them, because this order decides the order of many results.

    Attributes
    ----------
    nodes, offsets, targets, parallel
        See `minigr.graphs.networkx_rows.NetworkXRows`.
    """

    __networkx_backend__ = "minigr"

    def __init__(self, rows: NetworkXRows, weights: dict[Any, Weights | None] | None = None, origin: Any = None):
        self.rows = rows
        self.nodes, self.offsets, self.targets, self.parallel = rows.nodes, rows.offsets, rows.targets, rows.parallel
        self._weights = {} if weights is None else weights
        self._origin = None if origin is None else ref(origin)
        self._graphs: dict[Any, Any] = {}

    def __getstate__(self) -> dict[str, Any]:
        """NetworkX keeps a conversion with the graph, and it is copied and pickled with it: for the copied graph."""
        return {**self.__dict__, "_origin": None if self._origin is None else self.networkx()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        origin = state["_origin"]
        self.__dict__.update(state, _origin=None if origin is None else ref(origin))

    def is_directed(self) -> bool:
        return self.rows.directed

    def is_multigraph(self) -> bool:
        return self.parallel is not None

    def number_of_nodes(self) -> int:
        return len(self.nodes)

    def number_of_edges(self) -> int:
        return len(self.rows.ends()[0])

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

    def groups(self, label: Any) -> Iterator[set[Any]]:
        """The sets of nodes with equal labels, in the order of their first nodes. `label` has one label per place."""
        order = np.argsort(label, kind="stable")
        nodes, begins = self.labels(order), np.flatnonzero(np.diff(label[order], prepend=-1))
        ends = [*begins[1:].tolist(), len(nodes)]
        begin = begins.tolist()
        for i in np.argsort(order[begins]).tolist():
            yield set(nodes[begin[i] : ends[i]])

    def nbunch_iter(self, nbunch: Any = None) -> Iterator[Any]:
        """All nodes for None; otherwise the nodes of `nbunch`, one node or several nodes, that are in the graph."""
        if nbunch is None:
            return iter(self)
        if nbunch in self:
            return iter([nbunch])
        try:
            return iter([node for node in nbunch if node in self.index])
        except TypeError as error:
            raise nx.NetworkXError(f"{nbunch!r} is neither a node of the graph nor a sequence of nodes") from error

    def edges(self) -> Iterator[tuple[Any, Any, dict[Any, Any]]]:
        """Each edge once: its ends, and its converted attributes."""
        columns = [repeat(1) if held is None else held.values.tolist() for held in self._weights.values()]
        for u, v, *values in zip(*map(self.labels, self.rows.ends()), *columns, strict=False):
            yield u, v, dict(zip(self._weights, values, strict=True))

    def networkx(self) -> Any:
        """The NetworkX graph that this graph was made from, if all attributes are kept; otherwise a similar graph.

        Raises
        ------
        CannotAnswer
            If that graph no longer exists.
        """
        if self._origin is None:
            kinds: dict[tuple[bool, bool], Any] = {
                (False, False): nx.Graph,
                (False, True): nx.MultiGraph,
                (True, False): nx.DiGraph,
                (True, True): nx.MultiDiGraph,
            }
            graph = kinds[self.is_directed(), self.is_multigraph()]()
            graph.add_nodes_from(self)
            graph.add_edges_from(self.edges())
            return graph
        origin = self._origin()
        if origin is None:
            raise CannotAnswer("the NetworkX graph, which has the attributes, was deleted after it was converted")
        return origin

    def weights(self, attribute: Any) -> Weights | None:
        """The values of an edge attribute. None if all values are 1, as for missing or unconverted attributes."""
        if attribute is None:
            return None
        if attribute not in self._weights and self._origin is not None:
            self._weights[attribute] = _weights(self.networkx(), self.rows, attribute, 1)
        return self._weights.get(attribute)

    def is_weighted(self, attribute: Any) -> bool:
        """Whether any edge has a weight other than 1 in this attribute."""
        return self.weights(attribute) is not None

    def graph(self, weight: Any = None) -> Any:
        """The `minigr.Graph` with all parallel edges, on the default device; weighted if `is_weighted(weight)`."""
        return self._built(weight, "all")

    def reversed(self) -> Any:
        """The graph without weights and with all directions reversed; an undirected graph is returned as it is."""
        return self._built(None, "reversed" if self.rows.directed else "all")

    def simple(self, weight: Any = None) -> Any:
        """`graph(weight)` with only the lightest of parallel edges."""
        return self._built(weight, "all" if self.parallel is None else "one")

    def least_weights(self, weight: Any) -> Any:
        """The weight of each of `targets`, the least weight for parallel edges; None if all weights are 1."""
        if not self.is_weighted(weight):
            return None
        if self.is_directed():
            return self._least_listed(weight)
        # Rows of the graph are sorted, and `transposed` lists the edges of each such row consecutively.
        weights = CPU.asarray(self.simple(weight).weights)
        found = np.empty_like(weights)
        found[self.rows.transposed] = weights
        return found

    def _least_listed(self, weight: Any) -> Any:
        """The least weight of parallel edges, in the order of ``rows.ends(parallel=False)``; None if all are 1."""
        found, parallel = self.weights(weight), self.rows.parallel_listed
        if found is None:
            return None
        if parallel is None or len(parallel) == 0:
            return found.values
        return np.minimum.reduceat(found.values, np.cumsum(parallel) - parallel)

    def where_missing(self, attribute: Any, value: float) -> ConvertedGraph:
        """This graph, with `value` for edges without an attribute.

        A graph that keeps all attributes serves calls with different values for missing attributes, so the attribute is
        converted for this call. The edges of a generated graph have no attributes.
        """
        if self._origin is not None:
            found = _weights(self.networkx(), self.rows, attribute, value)
        elif attribute in self._weights:
            return self
        else:
            found = _numbers(attribute, [value] * self.number_of_edges())
        return self.alike({attribute: found}, None)

    def alike(self, weights: dict[Any, Weights | None], origin: Any) -> ConvertedGraph:
        """The same graph with other attributes."""
        other = ConvertedGraph(self.rows, weights, origin)
        other._graphs = {key: graph for key, graph in self._graphs.items() if key[0] is None}
        return other

    def _built(self, weight: Any, which: str) -> Any:
        weights = self.weights(weight)
        key = None if weights is None else weight, which
        if key not in self._graphs:
            src, dst = self.rows.ends(parallel=which != "one")
            values = self._least_listed(weight) if which == "one" else None if weights is None else weights.values
            ends = (dst, src) if which == "reversed" else (src, dst)
            self._graphs[key] = mg.Graph.from_edges(*ends, values, num_vertices=len(self), directed=self.is_directed())
        return self._graphs[key]


def nonnegative(graph: Any) -> Any:
    """`graph`, if minigr can add up its weights.

    Raises
    ------
    CannotAnswer
        If a weight is negative or infinite, or a sum of weights could be infinite.
    """
    if graph.weighted:
        least, _, greatest = graph.weight_summary()
        if least < 0 or greatest == float("inf"):
            raise CannotAnswer(f"weights go from {least} to {greatest}, but must be at least 0 and finite")
        if greatest * graph.num_arcs > float(np.finfo(np.result_type(graph.weight_dtype, np.float32)).max):
            raise CannotAnswer(f"weights of up to {greatest} could have an infinite sum")
    return graph


def convert(graph: Any, defaults: dict[Any, Any], *, keep_attributes: bool = False) -> ConvertedGraph:
    """Convert a NetworkX graph, with the edge attributes in `defaults`; their values are for edges without them.

    The result of an earlier conversion that NetworkX has kept is reused. With `keep_attributes`, all attributes can be
    read while the graph exists.

    Raises
    ------
    CannotAnswer
        If an attribute is not a number that fits, or is NaN, or if the graph's class stores neighbors differently.
    """
    before = converted_before(graph) if nx.config.cache_converted_graphs else None
    rows = _rows(graph) if before is None else before.rows
    weights = {attribute: _weights(graph, rows, attribute, default) for attribute, default in defaults.items()}
    origin = graph if keep_attributes else None
    return ConvertedGraph(rows, weights, origin) if before is None else before.alike(weights, origin)


def _rows(graph: Any) -> NetworkXRows:
    try:
        return rows_of_networkx(graph)
    except GraphError as error:
        raise CannotAnswer(str(error)) from error


def converted_before(graph: Any) -> ConvertedGraph | None:
    """The result of an earlier conversion, which NetworkX keeps until the graph changes."""
    kept = getattr(graph, "__networkx_cache__", None) or {}
    conversions = kept.get("backends", {}).get("minigr", {}).values()
    return next((found for found in conversions if isinstance(found, ConvertedGraph)), None)


def _weights(graph: Any, rows: NetworkXRows, attribute: Any, default: Any) -> Weights | None:
    return _numbers(attribute, [data.get(attribute, default) for data in edge_data(graph, rows)])


def _numbers(attribute: Any, values: list[Any]) -> Weights | None:
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
