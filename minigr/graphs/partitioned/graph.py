"""PartitionedGraph: one graph in several parts, for programs that need not know about parts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from minigr.device import CPU, Device, device_of, resolve
from minigr.errors import EstimateError, GraphError
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.backend import scope
from minigr.graphs.given import require_static
from minigr.graphs.graph import Graph
from minigr.graphs.kept import KeptOfPart
from minigr.graphs.partitioned import by_degree
from minigr.graphs.partitioned.array import Copies, Known, PartitionedArray
from minigr.graphs.partitioned.deal import RULES, Hashed, Ranges, Rule, deal_of
from minigr.graphs.partitioned.exchange import Exchange, InProcess
from minigr.graphs.partitioned.messages import Messages, Mpi
from minigr.graphs.partitioned.on_gpus import OnGpus
from minigr.graphs.partitioned.part import Part, meet, positions_of, turn_rows
from minigr.graphs.partitioned.queries import PartsQueries
from minigr.graphs.partitioned.share import Share, rows_of_parts, share_of
from minigr.graphs.partitioned.team import Team
from minigr.held import with_arrays
from minigr.locks import free_in_children
from minigr.memory import out_of_memory

Devices = Sequence[str | Device] | Literal["mpi"] | Mpi | Exchange
"""The device of each part, or the way in which the parts of several processes communicate."""
# A lock, so that only one thread makes data at first use. The lock of `Kept` is not used, because threads of a team may
# need it meanwhile.
_making = free_in_children(threading.RLock())


class PartitionedGraph(PartsQueries):
    """A static graph in several parts, each on a device. Create a graph in parts with `from_edges` or `from_graph`.

    A part owns some of the vertices and has their rows. Ids are always the ids of the whole graph. A `Problem`, an
    `Enactor` and the operators accept a graph in parts in the place of a `Graph`. Vertex fields are arrays in parts
    (`minigr.graphs.partitioned.array.PartitionedArray`), whose ``gather()`` returns the whole array. The guide "Graphs
    in parts" lists the calls that run over a graph in parts, and the calls that are refused.

    Attributes
    ----------
    num_vertices : int
    num_edges : int
    num_arcs : int
    num_self_loops : int
    directed : bool
    has_parallel_edges : bool
    parts : list of Part
        The parts that this process holds.
    num_parts : int
    devices : tuple of str
        The device of each part.

    Notes
    -----
    If each process holds a part, all processes must make the same calls in the same order. This applies to the methods
    of this class and of `PartitionedArray`, except ``repr``, and to everything that runs over the graph.

    In each part, a vertex field is as long as on one device, and so is the array of row offsets. So parts share arcs
    and work, but not the data for each vertex.

    Examples
    --------
    >>> import minigr as mg
    >>> graph = mg.PartitionedGraph.from_edges([0, 1, 2], [1, 2, 3], devices=["cpu"] * 2)
    >>> graph
    PartitionedGraph(4 vertices, 3 edges, undirected, unweighted, 2 parts by ranges: cpu, cpu)
    >>> mg.bfs(graph, 0).depth.gather()
    array([0, 1, 2, 3], dtype=int32)
    """

    version = 0  # a static graph never changes
    is_sorted = True
    keeps_in_edges = True

    def __init__(self, graphs: list[Graph], deal: Ranges | Hashed, directed: bool, exchange: Exchange) -> None:
        # The caller, one of the constructors below, has built a graph for each part of this process.
        team = Team([graph._device for graph in graphs], exchange.local)

        def part(number: int) -> Part:
            index, graph = exchange.local[number], graphs[number]
            there = deal.on(graph._device)
            if directed:
                graph._kept = KeptOfPart()
            return Part(index, graph, there, exchange.num_parts, there.owned(index))

        self._hold(team.each(part), deal, directed, exchange)
        # Compute now what a process may ask for alone, for instance to plot the graph.
        own = team.each(lambda number: _facts(graphs[number]))
        arcs, loops, repeats, degrees = zip(*exchange.all_gather(own), strict=True)
        self._count(sum(arcs), sum(loops))
        self.has_parallel_edges = any(repeats)
        self._facts |= {(name, False): (self.version, max(degrees)) for name in ("max_degree", "longest_row")}
        meet(self.parts, self._team, exchange)

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
        """Build a graph from the edges ``src[i], dst[i]``. The arcs go to the parts that own their sources.

        The edges are scanned twice, in pieces of four million: to count the arcs of each vertex, and to deal the arcs
        out. So a part never holds arcs of other parts, except the arcs of one piece.

        Parameters
        ----------
        src, dst : integer arrays or sequences [m]
            As for `Graph.from_edges`. Arrays that are mapped from a file are read piece by piece. For parts on GPUs,
            arrays on a GPU are dealt out there. With ``devices="mpi"``, each process passes a share of the edges. Any
            shares are valid, but no edge may be in two shares.
        weights : array or sequence [m], optional
        num_vertices : int, optional
        directed : bool
        devices : sequence of str, "mpi" or Mpi
            The device of each part: ``["cuda:0", "cuda:1"]`` or ``["cpu"] * 4``. GPUs work at the same time. Several
            parts on one device run one after another, on a CPU each on all cores. ``"mpi"``: one part for each process
            that ``mpiexec`` started, on the cores of the process. `minigr.distributed.Mpi` sets how long the processes
            wait for each other.
        deal : {"auto", "ranges", "hash"}
            The rule that assigns vertices to parts. ``"ranges"``: ranges of ids with about the same number of arcs
            each. ``"hash"``: a hash of the id, which spreads vertices with nearby ids. By default, a hash if the graph
            has hubs, otherwise ranges.

        Raises
        ------
        GraphError
            As for `Graph.from_edges`. Also if `devices` is empty or mixes CPU and GPUs, or if `deal` is unknown.
        DeviceError
            If a device does not exist.
        MissingExtraError
            If mpi4py is not installed for ``devices="mpi"``.
        OutOfMemoryError
            If a part does not fit into memory.
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
        """Build the same graph in parts. Each part copies the rows of its vertices.

        Parameters
        ----------
        graph : Graph
            With ``devices="mpi"``, the same graph in each process, such as a folder that is mapped.
        devices : sequence of str, or "mpi"
        deal : {"auto", "ranges", "hash"}
            As for `from_edges`.

        Raises
        ------
        GraphError
            If `graph` is not a `Graph`, if `devices` is empty or mixes CPU and GPUs, or if `deal` is unknown.
        DeviceError
            If a device does not exist.
        OutOfMemoryError
            If the parts do not fit into memory.
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
                    where.synchronize()  # another GPU copies these arrays
                    parts.append(rows.to(device))
                    device.synchronize()
            return cls(parts, chosen, graph.directed, exchange)

    def _check_alike(self) -> None:
        """Do nothing, because a static graph has no batches."""

    def _static_graphs(self) -> list[Graph]:
        return [part.graph for part in self.parts]

    @out_of_memory
    def by_degree(self) -> tuple[PartitionedGraph, PartitionedArray]:
        """Return the graph with the vertices of each part renumbered by decreasing out-degree, and the new numbers.

        The graph is built at first use and kept. Each vertex stays in its part: the vertices of a part, by decreasing
        degree, get the ids that the part owns, in ascending order. If a few vertices have most of the edges, the data
        that an algorithm keeps for these vertices is then close together, and in the caches. Building takes a sort of
        the arcs, and as much memory as the graph.

        Returns
        -------
        graph : PartitionedGraph
        place : PartitionedArray of int32[n]
            Vertex v of this graph is vertex ``place[v]`` of the new graph. Vertices of equal degree keep their order.

        Examples
        --------
        >>> import minigr as mg
        >>> path = mg.generate.path(5, device="cpu")
        >>> graph = mg.PartitionedGraph.from_graph(path, devices=["cpu"] * 2, deal="ranges")
        >>> other, place = graph.by_degree()
        >>> place.gather(), other.degree().gather()
        (array([2, 0, 1, 3, 4], dtype=int32), array([2, 2, 1, 2, 1]))
        """
        with _making:
            found: tuple[PartitionedGraph, Copies] | None = self._kept.peek("by_degree")
            if found is None:
                found = self._by_degree()
                self._kept.put("by_degree", self.version, found)
            graph, place = found
            return graph, place.of(self)

    def by_degree_if_it_fits(self) -> tuple[PartitionedGraph, PartitionedArray] | None:
        """Return the result of `by_degree`, or None if the result is not kept and a part has no room for it."""
        if "by_degree" not in self._kept:
            with self._exchange.together():
                if not all(self._exchange.of_processes(all(map(by_degree.fits, self.parts)))):
                    return None
        return self.by_degree()

    def _by_degree(self) -> tuple[PartitionedGraph, Copies]:
        parts, each = self.parts, self._team.each
        with self._exchange.together():
            places = each(lambda index: by_degree.own_places(parts[index]))
            told = each(lambda index: [places[index][mirrors] for mirrors in parts[index].mirrors])
            received = self._exchange.all_to_all(told)
            each(lambda index: by_degree.learn_places(parts[index], places[index], received[index]))
            graphs = each(lambda index: by_degree.renumbered(parts[index], places[index]))
            made = PartitionedGraph(graphs, self.deal, self.directed, self._exchange)
        return made, Copies(tuple(places), Known.GHOSTS, self.times_met)

    def _with_arrays(self, change: Callable[[Any], Any]) -> PartitionedGraph:
        """See `minigr.held.with_arrays`. Passes the arrays to `change`, but returns the graph itself."""
        for part in self.parts:
            with_arrays((part.graph, part.owned, *part.ghosts, *part.mirrors, self._kept), change)
        return self

    def make_in_edges(self) -> None:
        """Build the in-edges of the vertices of each part, if the graph is directed. Built once, and kept."""
        with _making:
            if self.directed and not all("in_edges" in part.graph._kept for part in self.parts):
                with self._exchange.together():
                    parts, in_edges = turn_rows(self.parts, self._team, self._exchange)
                # An exception may come anywhere, and other threads may be in the middle of runs over the parts. So the
                # parts are replaced at once, and in-edges are kept only after that.
                self.parts = parts
                self._times_turned += 1
                for part, rows in zip(parts, in_edges, strict=True):
                    part.graph.drop()
                    part.graph._kept.put("in_edges", part.graph.version, rows)


def graph_of_shares(
    share: Share, exchange: Exchange, homes: list[Device], *, directed: bool, deal: Rule
) -> PartitionedGraph:
    """The graph of the edges that all processes pass in shares. For callers that work `together`."""
    counted = share.counted
    rounds = max(exchange.of_processes(counted.pieces))
    degrees = sum(exchange.of_processes(CPU.asarray(counted.degrees)))
    chosen = deal_of(deal, degrees, exchange.num_parts)
    graphs = rows_of_parts(share, rounds, chosen, homes, exchange, directed)
    return PartitionedGraph(graphs, chosen, directed, exchange)


def check_deal(deal: Any) -> None:
    """Refuse values that are not a rule for dealing vertices out."""
    if not isinstance(deal, str) or deal not in RULES:
        raise GraphError(f"deal={deal!r}: use one of {', '.join(map(repr, RULES))}")


def check_one_place(device: Any, arcs: str, devices: Any) -> None:
    """Refuse `device` and ``arcs="host"`` together with `devices`, and an estimate of a graph in parts."""
    if devices is not None and isinstance(device, Device) and device.is_rehearsed:
        raise EstimateError("there is no estimate of making a graph in parts: report() says what the parts take")
    if devices is not None and (device is not None or arcs != "device"):
        raise GraphError("devices= says where the parts of a graph are: leave out device= and arcs=")


def homes_of(devices: Any, deal: Any) -> tuple[Exchange, list[Device]]:
    """The exchange between the parts, and the devices of the parts of this process."""
    check_deal(deal)
    if isinstance(devices, Exchange):
        return devices, [devices.home]
    if isinstance(devices, Mpi) or (isinstance(devices, str) and devices == "mpi"):
        how = devices if isinstance(devices, Mpi) else Mpi()
        messages = Messages(how)
        exchange = OnGpus(messages) if how.device == "cuda" else messages
        return exchange, [exchange.home]
    if isinstance(devices, str) or not isinstance(devices, Sequence) or not devices:
        raise GraphError(f"devices={devices!r}: give a list with the device of each part, e.g. ['cpu'] * 4, or 'mpi'")
    homes = [resolve(device) for device in devices]
    if len({device.kind for device in homes}) > 1:
        raise GraphError(
            f"devices={[str(device) for device in homes]}: the parts of a graph are all on the CPU or all on GPUs, so "
            "give 'cpu' for each, or a GPU for each"
        )
    return InProcess(len(homes)), homes


def _facts(graph: Graph) -> tuple[int, int, bool, int]:
    """The facts about the rows of a part that all processes need."""
    return graph.num_arcs, graph.num_self_loops, graph.has_parallel_edges, graph.max_degree()


def _rows_of(graph: Graph, degrees: Any, owned: Any) -> Graph:
    """The graph with only these rows, on the same device."""
    device = graph._device
    offsets = device.full(graph.num_vertices + 1, 0, np.int64)
    offsets[1:][owned] = degrees[owned]
    at = positions_of(graph.offsets, owned, device)
    weights = None if graph.weights is None else graph.weights[at]
    return Graph(Adjacency(device.xp.cumsum(offsets), graph.indices[at], weights), graph.directed, device)
