"""The queries of a graph in parts, static or dynamic."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigr.device import CPU
from minigr.errors import EstimateError
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.graph import Graph
from minigr.graphs.guard import reading
from minigr.graphs.kept import Kept, drop_from
from minigr.graphs.partitioned.array import Known, PartitionedArray
from minigr.graphs.partitioned.deal import Hashed, Ranges
from minigr.graphs.partitioned.exchange import Exchange
from minigr.graphs.partitioned.part import Part, positions_of
from minigr.graphs.partitioned.report import Partition
from minigr.graphs.partitioned.team import Team


class PartsQueries(ABC):
    """The common base of `PartitionedGraph` and `PartitionedDynamicGraph`: parts, counts, and queries of runs.

    If each process holds a part, all processes must make the same calls in the same order.
    """

    layout = "parts"
    arcs = "device"
    has_parallel_edges = False
    has_room_for_in_edges = False  # no pull, because it needs the whole frontier; see `minigr.operators.partitioned`
    version: int
    num_vertices: int
    _times_turned: int  # how often a static graph has made its in-edges
    deal: Ranges | Hashed

    def _hold(self, parts: Sequence[Any], deal: Ranges | Hashed, directed: bool, exchange: Exchange) -> None:
        """Set the parts, which are already made. The caller must call `_count` afterwards."""
        self.num_vertices, self.directed, self.deal = parts[0].graph.num_vertices, directed, deal
        self.num_parts, self._exchange, self._device = exchange.num_parts, exchange, CPU
        self.parts = list(parts)
        self._team = Team([part.device for part in parts], exchange.local)
        self._kept = Kept()
        self._times_turned = 0
        # By name and direction (whether of in-edges): the version of the graph for which a fact was computed, and the
        # fact.
        self._facts: dict[tuple[str, bool], tuple[int, Any]] = {}
        self.devices: tuple[str, ...] = tuple(exchange.all_gather([part.graph.device for part in parts]))

    def _count(self, arcs: int, loops: int) -> None:
        """Set the number of arcs and self-loops of all parts."""
        self.num_arcs, self.num_self_loops = arcs, loops
        self.num_edges = arcs if self.directed else (arcs + loops) // 2

    @property
    def device(self) -> str:
        """The devices of the parts, each listed once."""
        return ", ".join(dict.fromkeys(self.devices))

    @property
    def times_met(self) -> int:
        """A number that increases whenever parts may get new ghosts."""
        return self.version + self._times_turned

    @property
    def num_live_vertices(self) -> int:
        """Number of vertices, without deleted vertices. A static graph never deletes vertices."""
        return int(self.parts[0].graph.num_live_vertices)

    @property
    def weighted(self) -> bool:
        """Whether edges have weights."""
        return bool(self.parts[0].graph.weighted)

    @property
    def weight_dtype(self) -> Any:
        """The dtype of the weights, or None."""
        return self.parts[0].graph.weight_dtype

    @property
    def num_edge_ids(self) -> int:
        """The number of arcs. Not every part knows which edge has which id."""
        return self.num_arcs

    @property
    def most_edge_ids(self) -> int:
        """Number of positions that there is room for in all parts."""
        return self.num_arcs

    @reading
    def out_degree(self) -> PartitionedArray:
        """Return the number of arcs that leave each vertex as int64[n], in parts."""
        return PartitionedArray(self, self._team.each(lambda i: self.parts[i].graph.out_degree()), Known.OWN)

    degree = out_degree

    @reading
    def max_degree(self, *, inward: bool = False) -> int:
        """Return the largest out-degree, or in-degree if `inward`."""
        return self._greatest("max_degree", inward)

    @reading
    def longest_row(self, *, inward: bool = False) -> int:
        """Return the largest number of positions that a row of a part takes, or a row of in-edges if `inward`."""
        return self._greatest("longest_row", inward)

    def _greatest(self, name: str, inward: bool) -> int:
        """The maximum over all parts of the result of this method of their rows."""
        inward = inward and self.directed
        if inward:
            self.make_in_edges()

        def find() -> int:
            own = self._team.each(lambda index: getattr(self.parts[index].graph, name)(inward=inward))
            return max(self._exchange.all_gather(own))

        return int(self._known(name, inward, find))

    def _known(self, name: str, inward: bool, find: Callable[[], Any]) -> Any:
        """A fact, computed once for each version of the graph."""
        found = self._facts.get((name, inward))
        if found is None or found[0] != self.version:
            with self._exchange.together():
                found = self.version, find()
            self._facts = {**self._facts, (name, inward): found}  # another thread may be copying the old dictionary
        return found[1]

    @reading
    def weight_summary(self) -> tuple[float, float, float]:
        """Return the minimum, mean and maximum weight; computed once and kept. All 0 in a graph without arcs.

        Raises
        ------
        GraphError
            If the graph has no weights.
        """
        graphs = [part.graph for part in self.parts]

        def find() -> tuple[float, float, float]:
            own = self._team.each(lambda number: (graphs[number].num_arcs, *graphs[number].weight_summary()))
            found = [each for each in self._exchange.all_gather(own) if each[0]]
            count = sum(arcs for arcs, *_ in found)
            least = min((each[1] for each in found), default=0.0)
            greatest = max((each[3] for each in found), default=0.0)
            return least, sum(arcs / count * mean for arcs, _, mean, _ in found), greatest

        summary: tuple[float, float, float] = self._known("weights", False, find)
        return summary

    @property
    def memory(self) -> int:
        """Size of the arrays of all parts in bytes, including the arrays in `kept`."""
        own = sum(part.memory for part in self.parts) + sum(self._kept.sizes(()).values())
        return sum(self._exchange.of_processes(own))

    @property
    def kept(self) -> dict[str, int]:
        """Data that algorithms keep with the graph for the next call: names, and sizes in bytes in the parts of this
        process.

        - ``rooms``: on GPUs that run loops together, the memory that each loop works in besides its fields.
        - ``chances``: the chances of a random walk.
        - ``by_degree``: the graph of `by_degree`.
        - The entries of `Graph.kept` for each part, such as ``in_edges``.

        Examples
        --------
        >>> import minigr as mg
        >>> graph = mg.PartitionedGraph.from_edges([0, 1, 2], [1, 2, 3], devices=["cpu"] * 2)
        >>> _ = mg.pagerank(graph)
        >>> graph.kept
        {'chances': 64}
        """
        found = self._kept.sizes(())
        for graph in self._static_graphs():
            for name, size in graph.kept.items():
                found[name] = found.get(name, 0) + size
        return found

    def drop(self, *names: str) -> None:
        """Drop the entries of `kept` with these names, or all entries if no name is given.

        An entry is built again when it is needed. Memory that a running call works in stays until the call is done.

        Raises
        ------
        GraphError
            If no entry has one of the names. In this case nothing is dropped.

        Examples
        --------
        >>> import minigr as mg
        >>> graph = mg.PartitionedGraph.from_edges([0, 1, 2], [1, 2, 3], devices=["cpu"] * 2)
        >>> _ = mg.pagerank(graph)
        >>> graph.drop("chances")
        >>> graph.kept
        {}
        """
        drop_from([self._kept, *(graph._kept for graph in self._static_graphs())], names)

    @abstractmethod
    def _static_graphs(self) -> list[Graph]:
        """The static graphs of the parts, which keep data of their own. Empty for dynamic graphs."""

    @reading
    def report(self) -> Partition:
        """Return how the graph is dealt out. O(m).

        The report has the cut, the balance, and the vertices, arcs, ghosts and memory of each part.
        """
        parts = self.parts

        def of(number: int) -> tuple[int, ...]:
            part = parts[number]
            away = int((part.deal.owners(part.static().indices) != part.index).sum())
            return len(part.owned), part.graph.num_arcs, part.num_ghosts, part.memory, away

        with self._exchange.together():
            own = self._team.each(of)
            vertices, arcs, ghosts, memory, cut = zip(*self._exchange.all_gather(own), strict=True)
        total = max(sum(arcs), 1)
        balance = max(arcs) * len(arcs) / total if any(arcs) else 1.0
        return Partition(self.deal.name, vertices, arcs, ghosts, memory, sum(cut) / total, balance)

    @reading
    def gather(self) -> Graph:
        """Return the whole graph as a `Graph` on the CPU."""
        with self._exchange.together():
            return self._gathered()

    @abstractmethod
    def _check_alike(self) -> None:
        """Raise `PartError` if the parts of several processes have not done the same batches."""

    def _gathered(self) -> Graph:
        self._check_alike()
        own = self._team.each(lambda number: _on_host(self.parts[number]))
        found = self._exchange.all_gather(own)
        degrees = np.zeros(self.num_vertices, np.int64)
        for rows, owned in found:
            degrees[owned] = rows.degrees_of(owned)
        offsets = np.concatenate(([0], np.cumsum(degrees)))
        indices = np.empty(offsets[-1], np.int32)
        weights = None if self.weight_dtype is None else np.empty(offsets[-1], self.weight_dtype)
        for rows, owned in found:
            at = positions_of(offsets, owned, CPU)  # a part has no other rows, so its arcs are in this order
            indices[at] = rows.indices
            if weights is not None:
                weights[at] = rows.weights
        return Graph(Adjacency(offsets, indices, weights), self.directed, CPU)

    @abstractmethod
    def make_in_edges(self) -> None:
        """Build the in-edges of the vertices of each part of a directed graph."""

    def _find_facts(self) -> None:
        """Refuse an estimate, because an estimate begins with this call."""
        raise EstimateError(
            f"there is no estimate of a call over a {type(self).__name__}, because its memory depends on what travels "
            "between the parts: report() says what the parts take, and Problem.memory_on what fields take"
        )

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        weights = f"{self.weight_dtype} weights" if self.weighted else "unweighted"
        parts = f"{self.num_parts} part{'s' if self.num_parts > 1 else ''} by {self.deal.name}"
        counts = f"{self.num_live_vertices:,} vertices, {self.num_edges:,} edges"
        return f"{type(self).__name__}({counts}, {kind}, {weights}, {parts}: {', '.join(self.devices)})"


def _on_host(part: Part) -> tuple[Any, Any]:
    """The rows of a part, and the vertices that it owns."""
    return part.static().to(CPU).out_edges, CPU.asarray(part.owned)
