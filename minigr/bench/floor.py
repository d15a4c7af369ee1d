"""The least time that the run of an app can take on a card: a lower bound from its work and the card's rates.

A floor counts the bytes that the run must read and write, the gathers (reads of one element of a table at a place that
the graph decides), the atomics, and the grid barriers. At best, bytes, gathers and atomics overlap, so only the slowest
of the three counts. The time of barriers is added, because nothing overlaps with a barrier:

    floor = max(bytes / copy, gathers / gather rate, atomics / atomic rate) + barriers * barrier

The work depends on how many edges the run looked at and how many steps it took. Both are read from a trace. A floor is
therefore that of the algorithm as it ran, with the dtypes of its fields: it shows how far the kernels are from the
limits of the card, not whether another algorithm needs fewer edges.

With n vertices, m arcs, r vertices reached, e edges looked at, s steps, weights of w bytes and values of d bytes:

bfs
    bytes: 8 n to fill depth and parent, 8 r offsets, 4 e neighbors, 8 r depth and parent, 8 r frontier out and in;
    gathers: e from the depths, 4 n bytes; atomics: r; barriers: s
sssp
    bytes: (d + 4) n to fill distance and parent, 8 r offsets, (4 + w) e neighbors and weights, 8 r frontier; then the
    parents, 8 n offsets and (4 + w + 4 + d) r for one tight edge each;
    gathers: e + r from the distances, d n bytes; atomics: r; barriers: s + 1
pagerank, each iteration, with shares of d bytes
    bytes: 4 m neighbors, 8 n offsets, 8 n to read the factor that each rank is multiplied by, 2 d n to read and write
    the shares; gathers: m from the shares, d n bytes; barriers: 1
hits, each iteration
    bytes: 8 m neighbors, 16 n offsets, 56 n to write and read the sums and to make them sum to 1; gathers: 2 m from
    hubs and authorities, 8 n bytes; barriers: 3
components, c of them
    bytes: 12 n to fill three fields, 4 n to begin, 8 n offsets, 4 e neighbors; 12 n s to read the votes, and to read
    and write the labels; gathers: e + n s from the labels, 4 n bytes; atomics: n - c; barriers: 3 s
harmonic of one vertex
    bytes: 4 n to fill depth, 8 r offsets, 4 e neighbors, 4 r depth, 8 r frontier out and in; gathers, atomics and
    barriers as for bfs
core-number
    bytes: 12 n for the degrees, 8 n for the pile of all vertices, 8 n offsets, 4 e neighbors, 8 n frontier out and in;
    gathers: e from the cores, 4 n bytes; atomics: all decrements from degrees to core numbers; barriers: s
label-propagation
    bytes: 44 n to fill fields and lists, 4 e neighbors; gathers: e from the labels, 4 n bytes; barriers: 5 s. Atomics,
    and the tables that the atomics fill, are not counted, because few are needed where neighbors have equal labels

betweenness from one source, all steps there and back
    bytes: 28 n to fill four fields, 4 e neighbors, 16 r offsets, 60 r to write and read order, depths, paths, shares
    and scores; gathers: e + 2 r from the depths, 4 n bytes; atomics: r; barriers: s

triangles, where e counts the entries of rows that were looked at
    bytes: 8 n offsets, 4 e; gathers: one from the offsets for each edge, 8 n bytes; barriers: 1

sample-neighbors, e edges drawn by f vertices, and r vertices in the sample
    bytes: 4 n to fill the stamps, 24 e and 8 r for the result; gathers: f from the offsets and e from the neighbors,
    4 m bytes, and e from the stamps, 4 n bytes; atomics: one for each vertex that is found; barriers: 1 a layer

The rate of gathers is measured with random places. In a graph in which a few vertices have most of the edges and have
ids next to each other, the caches of the multiprocessors serve many of the gathers, and a run can be faster.

A pull of BFS looks up its frontier in a bitmap, which is smaller than the table of depths. Gathers of a pull therefore
have the rate of the bitmap's size.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from minigr.device import Device
from minigr.errors import DeviceError, FormatError


@dataclass(frozen=True)
class Ceilings:
    """The highest rates of a card.

    A table may fit the cache only in part. Its rate then follows from the share that fits, c = `cached_bytes` / size of
    the table: 1 / rate = c / rate in the cache + (1 - c) / rate from memory.

    Attributes
    ----------
    copy : float
        Bytes a second, read and written together.
    gather, gather_memory : float
        4-byte reads a second from a table in the cache, and from one in memory.
    atomic, atomic_memory : float
        Atomics a second on a table in the cache, and on one in memory.
    cached_bytes : float
        The largest table that is read at the rate of the cache.
    barrier : float
        Seconds of one barrier of all blocks.

    Examples
    --------
    >>> round(H200.gathers_per_s(24e6) / 1e9), round(H200.gathers_per_s(64e6) / 1e9)
    (150, 71)
    """

    copy: float
    gather: float
    gather_memory: float
    atomic: float
    atomic_memory: float
    cached_bytes: float
    barrier: float

    def gathers_per_s(self, table: float) -> float:
        """The rate of gathers from a table of `table` bytes."""
        return _mixed(self.gather, self.gather_memory, self.cached_bytes, table)

    def atomics_per_s(self, table: float) -> float:
        """The rate of atomics on a table of `table` bytes."""
        return _mixed(self.atomic, self.atomic_memory, self.cached_bytes, table)


# Measured. Gathers: 150 G/s up to 24 MB, 72 at 64 MB, 40 from memory. A cache of 38 MB explains these rates.
H200 = Ceilings(
    copy=4.0e12,
    gather=150e9,
    gather_memory=40e9,
    atomic=105e9,
    atomic_memory=16e9,
    cached_bytes=38e6,
    barrier=1.0e-6,
)
KNOWN = {"H200": H200}
"""The rates of known GPUs. A key is a part of the GPU's name."""


@dataclass(frozen=True)
class Floor:
    """The work that a run cannot avoid.

    Attributes
    ----------
    bytes, gathers, atomics, barriers : float
    pulled : float
        How many of the gathers are from a second table, such as the bitmap of a pull.
    table, pull_table : float
        Bytes of the table of gathers and atomics, and bytes of the second table.
    """

    bytes: float
    gathers: float
    atomics: float
    barriers: float
    table: float
    pulled: float = 0.0
    pull_table: float = 0.0

    def against(self, ceilings: Ceilings, divide: int = 1) -> dict[str, Any]:
        """The floor and its terms in milliseconds, divided by `divide`, as values for JSON.

        Examples
        --------
        >>> Floor(bytes=4e9, gathers=0, atomics=0, barriers=10, table=0).against(H200)["ms"]
        1.01
        """
        terms = {
            "bytes_ms": self.bytes / ceilings.copy,
            "gathers_ms": (self.gathers - self.pulled) / ceilings.gathers_per_s(self.table)
            + self.pulled / ceilings.gathers_per_s(self.pull_table),
            "atomics_ms": self.atomics / ceilings.atomics_per_s(self.table),
            "barriers_ms": self.barriers * ceilings.barrier,
        }
        terms = {name: seconds * 1e3 / divide for name, seconds in terms.items()}
        total = max(terms["bytes_ms"], terms["gathers_ms"], terms["atomics_ms"]) + terms["barriers_ms"]
        counts = {name: getattr(self, name) / divide for name in ("bytes", "gathers", "atomics", "barriers")}
        return {"ms": round(total, 9), **terms, **counts}


def bfs_floor(graph: Any, result: Any) -> Floor:
    """The floor of a traced `minigr.bfs`."""
    n, reached = graph.num_vertices, int((result.depth >= 0).sum())
    edges = sum(row.edges for row in result.trace)
    pulled = sum(row.edges for row in result.trace if row.direction == "pull")
    moved = 8 * n + 8 * reached + 4 * edges + 8 * reached + 8 * reached
    return Floor(moved, edges, reached, len(result.trace), table=4 * n, pulled=pulled, pull_table=n / 8)


def sssp_floor(graph: Any, result: Any) -> Floor:
    """The floor of a traced `minigr.sssp`."""
    n, reached = graph.num_vertices, int((result.distance < float("inf")).sum())
    edges, steps = sum(row.edges for row in result.trace), len(result.trace)
    w, d = graph.weights.dtype.itemsize, result.distance.dtype.itemsize
    moved = (d + 4) * n + 8 * reached + (4 + w) * edges + 8 * reached + 8 * n + (4 + w + 4 + d) * reached
    return Floor(moved, edges + reached, reached, steps + 1, table=d * n)


def pagerank_floor(graph: Any, result: Any, share: int = 8) -> Floor:
    """The floor of a `minigr.pagerank` without weights, whose shares have `share` bytes."""
    n, m, steps = graph.num_vertices, graph.num_arcs, result.iterations
    moved = 8 + 8 + 2 * share  # the begin of the row, the factor of the rank, the share before and after
    return Floor(steps * (4 * m + moved * n), steps * m, 0, steps, table=share * n)


def hits_floor(graph: Any, result: Any) -> Floor:
    """The floor of a `minigr.hits` without weights."""
    n, m, steps = graph.num_vertices, graph.num_arcs, result.iterations
    # Written: authority, gathered. Read and written again: hub, authority. Read: gathered.
    return Floor(steps * (8 * m + (16 + 56) * n), steps * 2 * m, 0, 3 * steps, table=8 * n)


def components_floor(graph: Any, result: Any) -> Floor:
    """The floor of a traced `minigr.connected_components`."""
    n, edges, steps = graph.num_vertices, sum(row.edges for row in result.trace), len(result.trace)
    moved = 12 * n + 4 * n + 8 * n + 4 * edges + 12 * n * steps
    return Floor(moved, edges + n * steps, n - result.num_components, 3 * steps, table=4 * n)


def harmonic_floor(graph: Any, result: Any) -> Floor:
    """The floor of a traced `minigr.harmonic_centrality` by hops, of one vertex."""
    n, reached = graph.num_vertices, sum(row.frontier for row in result.trace)
    edges = sum(row.edges for row in result.trace)
    pulled = sum(row.edges for row in result.trace if row.direction == "pull")
    moved = 4 * n + 20 * reached + 4 * edges
    return Floor(moved, edges, reached, len(result.trace), table=4 * n, pulled=pulled, pull_table=n / 8)


def betweenness_floor(graph: Any, result: Any) -> Floor:
    """The floor of a traced `minigr.betweenness_centrality` by hops, from one source."""
    n, edges, steps = graph.num_vertices, sum(row.edges for row in result.trace), len(result.trace)
    pulled = sum(row.edges for row in result.trace if row.direction == "pull")
    reached = sum(row.frontier for row in result.trace) // 2  # each vertex is in two frontiers: out and back
    moved = 28 * n + 4 * edges + 76 * reached
    return Floor(moved, edges + 2 * reached, reached, steps, table=4 * n, pulled=pulled, pull_table=n / 8)


def core_number_floor(graph: Any, result: Any) -> Floor:
    """The floor of a traced `minigr.core_number` of a simple undirected graph."""
    n, edges, steps = graph.num_vertices, sum(row.edges for row in result.trace), len(result.trace)
    lost = graph.num_arcs - int(result.core.sum(dtype="int64"))
    return Floor((12 + 8 + 8 + 8) * n + 4 * edges, edges, lost, steps, table=4 * n)


def label_propagation_floor(graph: Any, result: Any) -> Floor:
    """The floor of a traced `minigr.label_propagation` of an undirected graph without weights.

    The first wishes are found before the first step, and look at all edges.
    """
    n, steps = graph.num_vertices, len(result.trace)
    edges = graph.num_arcs + sum(row.edges for row in result.trace)
    return Floor(44 * n + 4 * edges, edges, 0, 5 * steps, table=4 * n)


def sample_floor(graph: Any, result: Any) -> Floor:
    """The floor of a `minigr.sample_neighbors` without weights."""
    n, edges, layers = graph.num_vertices, len(result.edge), len(result.num_sampled_edges)
    drew, found = sum(result.num_sampled_nodes[:-1]), sum(result.num_sampled_nodes[1:])
    moved, near = 4 * n + 24 * edges + 8 * len(result.node), edges + drew
    return Floor(moved, near + edges, found, layers, table=4 * n, pulled=near, pull_table=4 * graph.num_arcs)


def triangles_floor(graph: Any, result: Any) -> Floor:
    """The floor of a traced `minigr.triangle_count`, of the total only, on a graph that was oriented before."""
    n, edges = graph.num_vertices, sum(row.edges for row in result.trace)
    return Floor(8 * n + 4 * edges, graph.num_edges, 0, 1, table=8 * n)


def ceilings_of(device: Device, file: Path | None) -> Ceilings:
    """Read the ceilings from a JSON file with the fields of `Ceilings`; without a file, look them up for the device.

    Raises
    ------
    DeviceError
        If there is no file and the device is not among `KNOWN`.
    FormatError
        If the file holds something else.
    """
    if file is not None:
        return _read(file)
    name = "this CPU"
    if device.is_cuda:
        name = device.xp.cuda.runtime.getDeviceProperties(device.index)["name"].decode()
    for part, ceilings in KNOWN.items():
        if part in name:
            return ceilings
    raise DeviceError(
        f"--floor knows the ceilings of {', '.join(KNOWN)}, not of {name}: measure them and give --ceilings FILE.json"
    )


def _read(file: Path) -> Ceilings:
    names = [field.name for field in fields(Ceilings)]
    try:
        content = json.loads(file.read_text())
        values = {name: float(content[name]) for name in names}
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(file, f"must be JSON with the numbers {', '.join(names)} ({error!r})") from error
    if not all(0 < value < math.inf for value in values.values()):
        raise FormatError(file, f"must have numbers above 0 for each of {', '.join(names)}")
    return Ceilings(**values)


def _mixed(cached: float, memory: float, cached_bytes: float, table: float) -> float:
    share = min(1.0, cached_bytes / table) if table > 0 else 1.0
    return 1 / (share / cached + (1 - share) / memory)
