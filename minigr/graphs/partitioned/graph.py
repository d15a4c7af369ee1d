"""PartitionedGraph: one graph over several parts, for programs that don't know of them."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from minigr.device import CPU, Device, device_of, resolve
from minigr.errors import EstimateError, GraphError
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.backend import scope
from minigr.graphs.given import require_static
from minigr.graphs.graph import Graph
from minigr.graphs.kept import Kept, drop_from
from minigr.graphs.partitioned.array import PartitionedArray
from minigr.graphs.partitioned.deal import RULES, Hashed, Ranges, Rule, deal_of
from minigr.graphs.partitioned.exchange import Exchange, InProcess
from minigr.graphs.partitioned.messages import Messages, Mpi
from minigr.graphs.partitioned.part import Part, meet, positions_of, turn_rows
from minigr.graphs.partitioned.share import Share, rows_of_parts, share_of
from minigr.graphs.partitioned.team import Team
from minigr.locks import free_in_children
from minigr.memory import out_of_memory

Devices = Sequence[str | Device] | Literal["mpi"] | Mpi | Exchange
"""The device of each part, or how the parts of several processes talk to each other."""
_turning = free_in_children(threading.Lock())


@dataclass(frozen=True)
class Partition:
    """How a graph is dealt out to its parts.

    Attributes
    ----------
    deal : str
        ``"ranges"`` or ``"hash"``.
    vertices, arcs, ghosts, memory : tuples of int
        Of each part: the vertices that it owns, their arcs, the vertices of others that it has copies of, and bytes.
    cut : float
        The share of arcs whose ends have different owners.
    balance : float
        The most arcs of a part over the mean; 1 is best.
    """

    deal: str
    vertices: tuple[int, ...]
    arcs: tuple[int, ...]
    ghosts: tuple[int, ...]
    memory: tuple[int, ...]
    cut: float
    balance: float

    def __str__(self) -> str:
        lines = [f"{len(self.arcs)} parts by {self.deal}: cut {self.cut:.1%}, balance {self.balance:.2f}"]
        lines.append(f"{'part':>5} {'vertices':>14} {'arcs':>16} {'ghosts':>14} {'bytes':>18}")
        rows = zip(self.vertices, self.arcs, self.ghosts, self.memory, strict=True)
        for index, (vertices, arcs, ghosts, size) in enumerate(rows):
            lines.append(f"{index:>5} {vertices:>14,} {arcs:>16,} {ghosts:>14,} {size:>18,}")
        return "\n".join(lines)


class PartitionedGraph:
    """A static graph in several parts, each on a device. Make one with `from_edges` or `from_graph`.

    A part owns some of the vertices and has their rows. Ids are those of the whole graph everywhere. A `Problem`, an
    `Enactor` and the operators take it in the place of a `Graph`; vertex fields are arrays in parts
    (`minigr.graphs.partitioned.array.PartitionedArray`), whose ``gather()`` is the whole. What runs over it, and what
    is refused, says the guide "Graphs in parts".

    Attributes
    ----------
    num_vertices : int
    num_edges : int
    num_arcs : int
    num_self_loops : int
    directed : bool
    has_parallel_edges : bool
    parts : list of Part
        Those that this process holds.
    num_parts : int
    devices : tuple of str
        The device of each part.

    Notes
    -----
    Where each process holds a part, all of them must make the same calls in the same order: those of this class and of
    `PartitionedArray` except for a ``repr``, and all that runs over the graph.

    In each part a vertex field is as long as on one device, and so is the array that says where rows begin. So parts
    share out arcs and work, not what is kept for each vertex.

    Examples
    --------
    >>> import minigr as mg
    >>> graph = mg.PartitionedGraph.from_edges([0, 1, 2], [1, 2, 3], devices=["cpu"] * 2)
    >>> graph
    PartitionedGraph(4 vertices, 3 edges, undirected, unweighted, 2 parts by ranges: cpu, cpu)
    >>> mg.bfs(graph, 0).depth.gather()
    array([0, 1, 2, 3], dtype=int32)
    """

    layout = "parts"
    version = 0  # it never changes
    arcs = "device"
    is_sorted = True
    keeps_in_edges = True
    has_room_for_in_edges = False  # for a pull, which needs the whole frontier; see `minigr.operators.partitioned`

    def __init__(self, graphs: list[Graph], deal: Ranges | Hashed, directed: bool, exchange: Exchange) -> None:
        # Takes what the constructors below have built: a graph for each part that is here.
        self.num_vertices, self.directed, self.deal = graphs[0].num_vertices, directed, deal
        self.num_parts, self._exchange, self._device = exchange.num_parts, exchange, CPU
        self._team = team = Team([graph._device for graph in graphs], exchange.local)

        def part(number: int) -> Part:
            index, graph = exchange.local[number], graphs[number]
            there = deal.on(graph._device)
            return Part(index, graph, there, exchange.num_parts, there.owned(index))

        self.parts = team.each(part)
        self._kept = Kept()
        self._weight_summary: tuple[float, float, float] | None = None
        # What a process may ask for by itself, such as for a picture of the graph, is found now.
        own = team.each(lambda number: _facts(graphs[number]))
        arcs, loops, repeats, degrees, devices = zip(*exchange.all_gather(own), strict=True)
        self.num_arcs: int = sum(arcs)
        self.has_parallel_edges = any(repeats)
        self.num_self_loops: int = sum(loops)
        self.num_edges: int = self.num_arcs if directed else (self.num_arcs + self.num_self_loops) // 2
        self.devices: tuple[str, ...] = devices
        self._max_degree = max(degrees)
        meet(self.parts, team, exchange)

    @classmethod
    @out_of_memory
    def from_edges(
        cls,
        src: Any,
        dst: Any,
        weights: Any = None,
        *,
        num_vertices: int | None = None,
        directed: bool = False,
        devices: Devices,
        deal: Rule = "auto",
    ) -> PartitionedGraph:
        """The graph of the edges ``src[i], dst[i]``, whose arcs go to the parts that own their sources.

        The edges are gone through twice, in pieces of four million: to count the arcs of each vertex, and to deal them
        out. So no part has others' arcs, besides those of a piece.

        Parameters
        ----------
        src, dst : integer arrays or sequences [m]
            As for `Graph.from_edges`. Arrays that are mapped from a file are read piece by piece. Those of a GPU are
            dealt out there, for parts on GPUs. With ``devices="mpi"`` each process gives a share of the edges: any
            share, and none of them twice.
        weights : array or sequence [m], optional
        num_vertices : int, optional
        directed : bool
        devices : sequence of str, "mpi" or Mpi
            The device of each part: ``["cuda:0", "cuda:1"]`` or ``["cpu"] * 4``. GPUs work at the same time. Several
            parts on one device run one after the other, on a CPU each on all cores. ``"mpi"``: one part for each
            process that ``mpiexec`` has started, on its cores; `minigr.distributed.Mpi` says how long they wait for
            each other.
        deal : {"auto", "ranges", "hash"}
            Who owns a vertex: ranges of ids with about as many arcs each; or a hash of the id, which spreads what is
            near. By default by a hash where the graph has hubs.

        Raises
        ------
        GraphError
            As `Graph.from_edges` does; and without devices, for CPU and GPUs together, and for an unknown deal.
        DeviceError
            If there is no such device.
        MissingExtraError
            If mpi4py is not there for ``devices="mpi"``.
        OutOfMemoryError
            If a part doesn't fit into memory.
        PartError
            If another process failed, or did not answer within the time limit.
        """
        exchange, homes = homes_of(devices, deal)
        where = device_of(src) if homes[0].is_cuda else CPU
        with exchange.together(), scope(where):
            share = share_of(src, dst, weights, num_vertices, bool(directed), exchange, where)
            return graph_of_shares(share, exchange, homes, directed=bool(directed), deal=deal)

    @classmethod
    @out_of_memory
    def from_graph(cls, graph: Graph, *, devices: Devices, deal: Rule = "auto") -> PartitionedGraph:
        """The same graph in parts: copies of the rows of each part's vertices.

        Parameters
        ----------
        graph : Graph
            With ``devices="mpi"`` the same in each process, such as a folder that is mapped.
        devices : sequence of str, or "mpi"
        deal : {"auto", "ranges", "hash"}
            As for `from_edges`.

        Raises
        ------
        GraphError
            If `graph` is no `Graph`; without devices, for CPU and GPUs together, and for an unknown deal.
        DeviceError
            If there is no such device.
        OutOfMemoryError
            If the parts don't fit into memory.
        """
        require_static(graph, "PartitionedGraph.from_graph")
        exchange, homes = homes_of(devices, deal)
        with exchange.together():
            if graph.arcs == "host":
                graph = graph.to(CPU)
            where = graph._device
            with scope(where):
                degrees = graph.out_degree()
                chosen = deal_of(deal, CPU.asarray(degrees), exchange.num_parts)
                there, parts = chosen.on(where), []
                for index, device in zip(exchange.local, homes, strict=True):
                    rows = _rows_of(graph, degrees, there.owned(index))
                    where.synchronize()  # another GPU copies from there
                    parts.append(rows.to(device))
                    device.synchronize()
            return cls(parts, chosen, graph.directed, exchange)

    @out_of_memory
    def gather(self) -> Graph:
        """The graph as a `Graph` on the CPU."""
        with self._exchange.together():
            return self._gathered()

    def _gathered(self) -> Graph:
        exchange = self._exchange
        own = [(part.graph.to(CPU).out_edges, CPU.asarray(part.owned)) for part in self.parts]
        found = exchange.all_gather(own)
        degrees = np.zeros(self.num_vertices, np.int64)
        for rows, owned in found:
            degrees[owned] = rows.degrees_of(owned)
        offsets = np.concatenate(([0], np.cumsum(degrees)))
        indices = np.empty(offsets[-1], np.int32)
        weights = None if self.weight_dtype is None else np.empty(offsets[-1], self.weight_dtype)
        for rows, owned in found:
            at = positions_of(offsets, owned, CPU)  # its rows are all that a part has, in this order
            indices[at] = rows.indices
            if weights is not None:
                weights[at] = rows.weights
        return Graph(Adjacency(offsets, indices, weights), self.directed, CPU)

    # --- what a graph is asked for -----------------------------------------------------------------------------------

    @property
    def device(self) -> str:
        """The devices of the parts, each once."""
        return ", ".join(dict.fromkeys(self.devices))

    @property
    def num_live_vertices(self) -> int:
        """As in a static graph none is ever deleted, the same as `num_vertices`."""
        return self.num_vertices

    @property
    def weighted(self) -> bool:
        """Whether edges have weights."""
        return self.parts[0].graph.weighted

    @property
    def weight_dtype(self) -> Any:
        """The dtype of the weights, or None."""
        return self.parts[0].graph.weight_dtype

    @property
    def num_edge_ids(self) -> int:
        """As many as there are arcs; which edge has which id is not known to all parts."""
        return self.num_arcs

    @property
    def most_edge_ids(self) -> int:
        """Positions that there is room for in all parts."""
        return self.num_arcs

    @out_of_memory
    def out_degree(self) -> PartitionedArray:
        """int64[n], in parts: how many arcs leave each vertex."""
        return PartitionedArray(self, [part.graph.out_degree() for part in self.parts], stale=True)

    degree = out_degree

    def max_degree(self, *, inward: bool = False) -> int:
        """The greatest out-degree, or with `inward` in-degree."""
        if not (inward and self.directed):
            return self._max_degree
        self.make_in_edges()
        with self._exchange.together():
            return max(self._exchange.all_gather([part.graph.max_degree(inward=True) for part in self.parts]))

    def longest_row(self, *, inward: bool = False) -> int:
        """The most arcs that leave a vertex, or with `inward` come in: `max_degree`."""
        return self.max_degree(inward=inward)

    @out_of_memory
    def weight_summary(self) -> tuple[float, float, float]:
        """Least, mean and greatest weight; found once and kept. All 0 in a graph without arcs.

        Raises
        ------
        GraphError
            If the graph has no weights.
        """
        if self._weight_summary is None:
            graphs = [part.graph for part in self.parts]
            with self._exchange.together():
                own = self._team.each(lambda number: (graphs[number].num_arcs, *graphs[number].weight_summary()))
                found = [each for each in self._exchange.all_gather(own) if each[0]]
            count = sum(arcs for arcs, *_ in found)
            least = min((each[1] for each in found), default=0.0)
            greatest = max((each[3] for each in found), default=0.0)
            self._weight_summary = least, sum(arcs / count * mean for arcs, _, mean, _ in found), greatest
        return self._weight_summary

    @property
    def memory(self) -> int:
        """Bytes taken by the arrays of all parts, including what is `kept`."""
        own = sum(part.memory for part in self.parts) + sum(self._kept.sizes(()).values())
        return sum(self._exchange.of_processes(own))

    @property
    def kept(self) -> dict[str, int]:
        """What algorithms keep with the graph for the next call: its name, and its bytes in the parts of this process.

        ``rooms`` on GPUs that run loops together: of each loop what it works in besides its fields, for the next call.
        ``chances`` of a random walk; and what `Graph.kept` says of each part, such as ``in_edges``.

        Examples
        --------
        >>> import minigr as mg
        >>> graph = mg.PartitionedGraph.from_edges([0, 1, 2], [1, 2, 3], devices=["cpu"] * 2)
        >>> _ = mg.pagerank(graph)
        >>> graph.kept
        {'chances': 64}
        """
        found = self._kept.sizes(())
        for part in self.parts:
            for name, size in part.graph.kept.items():
                found[name] = found.get(name, 0) + size
        return found

    def drop(self, *names: str) -> None:
        """Drop what is kept by these names of `kept`, or without names all of it; it is made again when it is needed.

        What a call works in at this moment stays until it is done.

        Raises
        ------
        GraphError
            If nothing is kept by one of the names; then nothing is dropped.

        Examples
        --------
        >>> import minigr as mg
        >>> graph = mg.PartitionedGraph.from_edges([0, 1, 2], [1, 2, 3], devices=["cpu"] * 2)
        >>> _ = mg.pagerank(graph)
        >>> graph.drop("chances")
        >>> graph.kept
        {}
        """
        every = [self._kept, *(part.graph._kept for part in self.parts)]
        drop_from(every, names)

    @out_of_memory
    def report(self) -> Partition:
        """How the graph is dealt out: cut, balance, and of each part its vertices, arcs, ghosts and memory; O(m)."""
        parts = self.parts

        def of(number: int) -> tuple[int, ...]:
            part = parts[number]
            away = int((part.deal.owners(part.graph.indices) != part.index).sum())
            return len(part.owned), part.graph.num_arcs, part.num_ghosts, part.memory, away

        with self._exchange.together():
            own = self._team.each(of)
            vertices, arcs, ghosts, memory, cut = zip(*self._exchange.all_gather(own), strict=True)
        total = max(sum(arcs), 1)
        balance = max(arcs) * len(arcs) / total if any(arcs) else 1.0
        return Partition(self.deal.name, vertices, arcs, ghosts, memory, sum(cut) / total, balance)

    def make_in_edges(self) -> None:
        """Have each part hold the in-edges of its vertices, if the graph is directed: made once, and kept."""
        with _turning:
            if self.directed and "in_edges" not in self.parts[0].graph.kept:
                with self._exchange.together():
                    turn_rows(self.parts, self._team, self._exchange)

    def _find_facts(self) -> None:
        """Refuse an estimate, which begins with this call."""
        raise EstimateError(
            "what a call over a PartitionedGraph takes depends on what travels between the parts, and isn't estimated: "
            "report() says what the parts take, and Problem.memory_on what fields do"
        )

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        weights = f"{self.weight_dtype} weights" if self.weighted else "unweighted"
        parts = f"{self.num_parts} part{'s' if self.num_parts > 1 else ''} by {self.deal.name}"
        counts = f"{self.num_vertices:,} vertices, {self.num_edges:,} edges"
        return f"PartitionedGraph({counts}, {kind}, {weights}, {parts}: {', '.join(self.devices)})"


def graph_of_shares(
    share: Share, exchange: Exchange, homes: list[Device], *, directed: bool, deal: Rule
) -> PartitionedGraph:
    """The graph of the edges of all processes. This process has a share of them. For callers that work `together`."""
    counted = share.counted
    rounds = max(exchange.of_processes(counted.pieces))
    degrees = sum(exchange.of_processes(CPU.asarray(counted.degrees)))
    chosen = deal_of(deal, degrees, exchange.num_parts)
    graphs = rows_of_parts(share, rounds, chosen, homes, exchange, directed)
    return PartitionedGraph(graphs, chosen, directed, exchange)


def check_deal(deal: Any) -> None:
    """Refuse what is no rule for who owns a vertex."""
    if not isinstance(deal, str) or deal not in RULES:
        raise GraphError(f"deal={deal!r}: use one of {', '.join(map(repr, RULES))}")


def check_one_place(device: Any, arcs: str, devices: Any) -> None:
    """Refuse `device` and ``arcs="host"`` beside `devices`, and an estimate of a graph in parts."""
    if devices is not None and isinstance(device, Device) and device.is_rehearsed:
        raise EstimateError("what it takes to make a graph in parts isn't estimated: report() says what the parts take")
    if devices is not None and (device is not None or arcs != "device"):
        raise GraphError("devices= says where the parts of a graph are: leave out device= and arcs=")


def homes_of(devices: Any, deal: Any) -> tuple[Exchange, list[Device]]:
    """How the parts talk to each other, and the devices of those that are in this process."""
    check_deal(deal)
    if isinstance(devices, Exchange):
        return devices, [CPU]
    if isinstance(devices, Mpi) or (isinstance(devices, str) and devices == "mpi"):
        return Messages(devices if isinstance(devices, Mpi) else Mpi()), [CPU]
    if isinstance(devices, str) or not isinstance(devices, Sequence) or not devices:
        raise GraphError(f"devices={devices!r}: give a list with the device of each part, e.g. ['cpu'] * 4, or 'mpi'")
    homes = [resolve(device) for device in devices]
    if len({device.kind for device in homes}) > 1:
        raise GraphError(
            f"devices={[str(device) for device in homes]}: the parts of a graph are all on the CPU or all on GPUs, so "
            "give 'cpu' for each, or a GPU for each"
        )
    return InProcess(len(homes)), homes


def _facts(graph: Graph) -> tuple[int, int, bool, int, str]:
    """What all processes are to know of the rows of a part."""
    return graph.num_arcs, graph.num_self_loops, graph.has_parallel_edges, graph.max_degree(), graph.device


def _rows_of(graph: Graph, degrees: Any, owned: Any) -> Graph:
    """The graph with these rows only, where it is."""
    device = graph._device
    offsets = device.full(graph.num_vertices + 1, 0, np.int64)
    offsets[1:][owned] = degrees[owned]
    at = positions_of(graph.offsets, owned, device)
    weights = None if graph.weights is None else graph.weights[at]
    return Graph(Adjacency(device.xp.cumsum(offsets), graph.indices[at], weights), graph.directed, device)
