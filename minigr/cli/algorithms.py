"""The algorithms of ``minigr run``. A new app needs an entry in `ALGORITHMS` and a function that summarizes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import minigr as mg

if TYPE_CHECKING:
    from minigr.graphs import Graph

TOP_VERTICES = 5
"""The number of vertices, or of pairs of vertices, in the summary of a ranking."""


Settings = Mapping[str, Any]
"""The settings of a run on the command line, by the names of the apps' options; only the given options are included."""

_LOOP = ("trace", "driver")
_LONG_LOOP = ("progress", *_LOOP)  # for loops that may take long
_STEP = ("direction", "balance")
_SEARCHES = ("samples", "seed", "weighted", *_STEP, *_LONG_LOOP)  # for sums over many searches


@dataclass(frozen=True)
class Algorithm:
    """A row of the table.

    Attributes
    ----------
    name : str
        The name on the command line.
    summary : str
        A line for the help.
    fields : tuple of str
        The arrays of the result, which are the columns of ``--output``; empty if the result has only figures.
    app : callable
        ``(graph, **options) -> result``.
    options : tuple of str
        The options that it takes from the `Settings`.
    describe : callable
        ``(result) -> {name: number}``, the figures for the result table.
    needs_weights : bool
        Whether an unweighted graph is refused.
    rows : str
        What the elements of `fields` belong to: ``"vertex"``, ``"edge"``, ``"walk"``, ``"degree"`` or, for a path,
        ``"step"``. In a two-dimensional array, this is the second dimension, and each row becomes a column.
    colors : str
        What the colors of a drawing show for a field: ``"groups"`` or ``"quantities"``; empty if it can't be drawn.
    """

    name: str
    summary: str
    fields: tuple[str, ...]
    app: Callable[..., Any]
    options: tuple[str, ...]
    describe: Callable[[Any], dict[str, Any]]
    needs_weights: bool = False
    rows: str = "vertex"
    colors: str = ""

    def call(self, graph: Graph, settings: Settings) -> Any:
        """Run the algorithm with the settings that it takes."""
        return self.app(graph, **{name: value for name, value in settings.items() if name in self.options})


def host(array: Any) -> Any:
    """An array of a result as a NumPy array, from any device."""
    from minigr.device import CPU

    return CPU.asarray(array)


def _figures(**attributes: str) -> Callable[[Any], dict[str, Any]]:
    """A function that describes a result by its attributes, given the names of figures and of attributes."""

    def describe(result: Any) -> dict[str, Any]:
        found = {figure: getattr(result, name) for figure, name in attributes.items()}
        return {figure: value.item() if hasattr(value, "item") else value for figure, value in found.items()}

    return describe


def _describe_bfs(result: Any) -> dict[str, Any]:
    depth = host(result.depth)
    reached = depth[depth >= 0]
    return {
        "reached": reached.size,
        "levels": int(reached.max(initial=0)),
        "sum_of_depths": int(reached.sum(dtype="int64")),
    }


def _multi_source_bfs(graph: Graph, samples: int | None = None, seed: int = 0, **options: Any) -> Any:
    """Search from the vertices that ``--samples`` draws, or from as many as are searched together."""
    from minigr.apps.common.bits import TOGETHER
    from minigr.apps.common.sources import choose_sources

    count = min(TOGETHER, graph.num_live_vertices) if samples is None else samples
    sources = choose_sources(graph, None, count, seed, "multi-source-bfs") if count else []
    return mg.multi_source_bfs(graph, sources, **options)


def _describe_multi_source_bfs(result: Any) -> dict[str, Any]:
    depth = host(result.depth)
    reached = depth[depth >= 0]
    return {
        "sources": len(depth),
        "reached": reached.size,
        "levels": int(reached.max(initial=0)),
        "mean_depth": float(reached.mean()) if reached.size else 0.0,
    }


@dataclass(frozen=True)
class _Eccentricities:
    """A summary of distances from many vertices; there is no loop to trace."""

    eccentricity: Any
    reached: Any
    sources: int
    sum_of_distances: float
    trace: None = None


def _all_pairs(graph: Any, samples: int | None = None, seed: int = 0, **options: Any) -> _Eccentricities:
    """Summarize distances from all vertices, or from the vertices that ``--samples`` draws."""
    import numpy as np

    from minigr.apps.common.sources import choose_sources

    sources = None if samples is None else choose_sources(graph, None, samples, seed, "all-pairs")
    total, count, whole = 0.0, 0, not options.get("weighted")
    eccentricity = np.full(graph.num_vertices, -1 if whole else np.nan, np.int32 if whole else np.float64)
    reached = np.zeros(graph.num_vertices, np.int32)
    for block in mg.all_pairs(graph, sources, **options):
        for source, row in zip(block.sources.tolist(), block.distance, strict=False):  # an estimate has only few rows
            there = (row >= 0) & (row < np.inf)
            distance = graph._device.xp.where(there, row, 0)
            eccentricity[source], reached[source] = float(distance.max()), int(there.sum())
            total += float(distance.sum(dtype=np.float64))
        count += len(block.sources)
    return _Eccentricities(eccentricity, reached, count, total)


def _describe_all_pairs(result: _Eccentricities) -> dict[str, Any]:
    pairs = int(result.reached.sum(dtype="int64")) - result.sources  # without the pairs of a vertex with itself
    known = result.eccentricity[result.reached > 0]
    return {
        "sources": result.sources,
        "pairs": pairs,
        "greatest": known.max(initial=0).item(),
        "mean_distance": result.sum_of_distances / pairs if pairs else 0.0,
    }


def _describe_sssp(result: Any) -> dict[str, Any]:
    distance = host(result.distance)
    reached = distance[distance < float("inf")]
    return {
        "reached": reached.size,
        "max_distance": float(reached.max(initial=0)),
        "sum_of_distances": float(reached.sum(dtype="float64")),
    }


def _describe_earliest_arrival(result: Any) -> dict[str, Any]:
    arrival = host(result.arrival)
    reached = arrival[arrival < float("inf")]
    return {"reached": reached.size, "last_arrival": float(reached.max(initial=float("-inf")))}


def _last_vertex(graph: Any) -> int:
    """The end of a path, unless the command line names another vertex."""
    everyone = graph.num_live_vertices == graph.num_vertices
    return graph.num_vertices - 1 if everyone else int(graph.live_vertices()[-1])


def _shortest_path(graph: Any, target: int | None = None, **options: Any) -> Any:
    return mg.shortest_path(graph, target=_last_vertex(graph) if target is None else target, **options)


@dataclass(frozen=True)
class _PathVertices:
    """The vertices of several paths, one path after the other; there is no loop to trace."""

    path: Any
    vertex: Any
    length: Any
    trace: None = None


def _k_shortest_paths(graph: Any, target: int | None = None, k: int = 3, **options: Any) -> _PathVertices:
    import numpy as np

    end = _last_vertex(graph) if target is None else target
    found = mg.k_shortest_paths(graph, target=end, k=k, **options)
    rows = [host(path) for path in found.paths]
    number = np.repeat(np.arange(len(rows), dtype=np.int32), [len(row) for row in rows])
    return _PathVertices(number, np.concatenate([*rows, np.empty(0, np.int32)]), host(found.length))


def _describe_k_shortest_paths(result: _PathVertices) -> dict[str, Any]:
    return {"paths": len(result.length), "lengths": result.length.tolist()}


def _describe_shortest_path(result: Any) -> dict[str, Any]:
    return {"length": result.length, "vertices": len(result.path), "iterations": int(result.iterations)}


def _top(values: Any) -> list[tuple[int, float]]:
    """The indexes of the greatest values, with the values; entries without a value are left out."""
    known = (values == values).nonzero()[0]
    first = known.size - min(TOP_VERTICES, known.size)
    candidates = known[values[known].argpartition(first)[first:]] if first else known
    return sorted(((int(vertex), float(values[vertex])) for vertex in candidates), key=lambda p: (-p[1], p[0]))


def _top_pairs(result: Any) -> list[tuple[str, float]]:
    """The ends of the pairs with the greatest scores, with the scores."""
    src, dst = host(result.src), host(result.dst)
    return [(f"{src[place]}-{dst[place]}", value) for place, value in _top(host(result.score))]


def _describe_pagerank(result: Any) -> dict[str, Any]:
    top = _top(host(result.rank))
    return {"iterations": int(result.iterations), "converged": bool(result.converged), "top": top}


def _personalized_pagerank(
    graph: Graph, source: int = 0, samples: int | None = None, seed: int = 0, **options: Any
) -> Any:
    """Rank from the source, or from the vertices that ``--samples`` draws."""
    from minigr.apps.common.sources import choose_sources

    sources = [source] if samples is None else choose_sources(graph, None, samples, seed, "personalized-pagerank")
    return mg.personalized_pagerank(graph, sources, **options)


def _describe_personalized(result: Any) -> dict[str, Any]:
    figures = {"sources": len(result.rank), "iterations": int(result.iterations)}
    missing = float(host(result.missing).max(initial=0.0))
    return {**figures, "most_missing": missing, "top": _top(host(result.rank).mean(axis=0))}


def _describe_degrees(result: Any) -> dict[str, Any]:
    degree = host(result.degree)
    return {"mean_degree": float(degree.mean()) if degree.size else 0.0, "top": _top(host(result.score))}


def _describe_scores(result: Any) -> dict[str, Any]:
    top = _top(host(result.score))
    return {"iterations": int(result.iterations), "converged": bool(result.converged), "top": top}


def _describe_centrality(result: Any) -> dict[str, Any]:
    return {"sources": result.num_sources, "iterations": int(result.iterations), "top": _top(host(result.score))}


def _describe_edge_centrality(result: Any) -> dict[str, Any]:
    return {"sources": result.num_sources, "iterations": int(result.iterations), "top": _top_pairs(result)}


def _describe_components(result: Any) -> dict[str, Any]:
    from minigr.device import CPU

    label = host(result.label)
    largest = int(CPU.xp.bincount(label[label >= 0]).max(initial=0))
    return {"components": result.num_components, "largest": largest}


def _describe_spanning_forest(result: Any) -> dict[str, Any]:
    return {"edges": len(result.edges), "total_weight": result.total_weight, "trees": result.num_components}


@dataclass(frozen=True)
class _EdgeLabels:
    """A label for each edge, with each edge listed once."""

    src: Any
    dst: Any
    label: Any
    num_components: int


def _biconnected(graph: Any, **options: Any) -> _EdgeLabels:
    rows = graph if graph.layout == "csr" else graph.to_graph()
    result = mg.biconnected_components(rows, **options)
    src, dst, *_ = map(host, rows.to_edges(both_ways=True))
    once = src <= dst
    return _EdgeLabels(src[once], dst[once], host(result.label)[once], result.num_components)


def _describe_bridges(result: Any) -> dict[str, Any]:
    return {"bridges": len(result.edges)}


def _describe_bipartite(result: Any) -> dict[str, Any]:
    edge = "" if result.odd_edge is None else "{}-{}".format(*result.odd_edge)
    return {"bipartite": result.bipartite, "odd_edge": edge}


@dataclass(frozen=True)
class _Flow:
    """The flow along each arc, and the size of the source side of a minimum cut."""

    src: Any
    dst: Any
    flow: Any
    value: int | float
    source_side: int
    iterations: int


def _maximum_flow(graph: Any, source: int, sink: int | None = None, **options: Any) -> _Flow:
    """Find a flow to the sink, by default the vertex of highest degree except the source."""
    from minigr.apps.common.sources import highest_degree

    rows = graph if graph.layout == "csr" else graph.to_graph()
    found = mg.maximum_flow(rows, source, highest_degree(rows, source) if sink is None else sink, **options)
    src, dst, *_ = map(host, rows.to_edges(both_ways=True))
    return _Flow(src, dst, host(found.flow), found.value, int(found.source_side.sum()), found.iterations)


def _describe_levels(result: Any) -> dict[str, Any]:
    from minigr.apps.topological import in_words

    cycle = "" if result.acyclic else in_words([*result.cycle, result.cycle[0]])
    return {"levels": result.num_levels, "acyclic": result.acyclic, "cycle": cycle}


def _describe_longest_path(result: Any) -> dict[str, Any]:
    from minigr.apps.topological import in_words

    return {"longest": result.longest, "path": in_words(host(result.path).tolist())}


def _describe_diameter(result: Any) -> dict[str, Any]:
    ends = "" if result.ends is None else "{}-{}".format(*result.ends)
    return {"diameter": result.lower, "ends": ends, "searches": result.num_searches}


def _describe_rich_club(result: Any) -> dict[str, Any]:
    coefficient = host(result.coefficient)
    densest = int(coefficient.argmax()) if len(coefficient) else 0
    return {"degrees": len(coefficient), "densest_above": densest, "coefficient": float(coefficient.max(initial=0))}


def _describe_hits(result: Any) -> dict[str, Any]:
    figures = {"iterations": int(result.iterations), "converged": bool(result.converged)}
    return {**figures, "top_hubs": _top(host(result.hub)), "top_authorities": _top(host(result.authority))}


@dataclass(frozen=True)
class _Walks:
    """Random walks by steps, with a column for each step; there is no loop to trace."""

    step: Any
    trace: None = None


def _random_walks(graph: Graph, length: int = 10, samples: int | None = None, seed: int = 0, **options: Any) -> _Walks:
    """Walk from each vertex, or from the vertices that ``--samples`` draws."""
    from minigr.apps.common.sources import choose_sources

    starts = choose_sources(graph, None, samples, seed, "random-walks")
    walks = mg.random_walks(graph, starts, length, seed=seed, **options)
    return _Walks(host(walks.vertices).T)


def _describe_random_walks(result: _Walks) -> dict[str, Any]:
    return {"walks": result.step.shape[1], "steps": int((result.step[1:] >= 0).sum())}


@dataclass(frozen=True)
class _DrawnEdges:
    """The edges of a sample, by the ids of their ends; there is no loop to trace."""

    src: Any
    dst: Any
    edge: Any
    vertices: int
    trace: None = None


def _sample_neighbors(
    graph: Graph, fanouts: Sequence[int] = (10, 10), samples: int | None = None, seed: int = 0, **options: Any
) -> _DrawnEdges:
    """Sample from all vertices, or from the vertices that ``--samples`` draws."""
    from minigr.apps.common.sources import choose_sources

    seeds = choose_sources(graph, None, samples, seed, "sample-neighbors")
    found = mg.sample_neighbors(graph, seeds, fanouts, seed=seed, **options)
    node, row, col = host(found.node), host(found.row), host(found.col)
    return _DrawnEdges(node[row], node[col], host(found.edge), len(node))


def _describe_sample(result: _DrawnEdges) -> dict[str, Any]:
    return {"vertices": result.vertices, "edges": len(result.edge)}


@dataclass(frozen=True)
class _Pairs:
    """Pairs, and their similarities if requested; there is no loop to trace."""

    src: Any
    dst: Any
    score: Any = None
    trace: None = None


def _pairs(result: Any) -> _Pairs:
    return _Pairs(result.src, result.dst, result.score)


def _negative_samples(graph: Graph, k: int = 10, **options: Any) -> _Pairs:
    found = mg.negative_samples(graph, k, **options)
    return _Pairs(found.src, found.dst)


def _describe_similarity(result: _Pairs) -> dict[str, Any]:
    return {"pairs": len(result.score), "top": _top_pairs(result)}


ALGORITHMS = {
    algorithm.name: algorithm
    for algorithm in (
        Algorithm(
            "bfs",
            "breadth-first search: hops from the source",
            ("depth", "parent"),
            lambda graph, **options: mg.bfs(graph, **options),
            ("source", *_STEP, *_LOOP),
            _describe_bfs,
            colors="quantities",
        ),
        Algorithm(
            "multi-source-bfs",
            "hops from each of several vertices",
            ("depth",),
            _multi_source_bfs,
            ("samples", "seed", *_STEP, *_LOOP),
            _describe_multi_source_bfs,
        ),
        Algorithm(
            "all-pairs",
            "the distance from each vertex to all others",
            ("eccentricity", "reached"),
            _all_pairs,
            ("samples", "seed", "weighted", *_STEP, "driver"),
            _describe_all_pairs,
            colors="quantities",
        ),
        Algorithm(
            "sssp",
            "shortest paths by edge weight from the source",
            ("distance", "parent"),
            lambda graph, **options: mg.sssp(graph, **options),
            ("source", "balance", *_LOOP),
            _describe_sssp,
            needs_weights=True,
            colors="quantities",
        ),
        Algorithm(
            "shortest-path",
            "a shortest path from the source to the target",
            ("path",),
            _shortest_path,
            ("source", "target", "weighted", "balance", *_LOOP),
            _describe_shortest_path,
            rows="step",
        ),
        Algorithm(
            "k-shortest-paths",
            "the k shortest paths from the source to the target, the shortest first",
            ("path", "vertex"),
            _k_shortest_paths,
            ("source", "target", "k", "weighted", "progress", "driver"),
            _describe_k_shortest_paths,
            rows="step",
        ),
        Algorithm(
            "earliest-arrival",
            "the earliest time at which each vertex is reached, where weights are the times at which edges leave",
            ("arrival", "parent"),
            lambda graph, **options: mg.earliest_arrival(graph, **options),
            ("source", "start", "duration", "balance", *_LOOP),
            _describe_earliest_arrival,
            needs_weights=True,
            colors="quantities",
        ),
        Algorithm(
            "pagerank",
            "importance of each vertex by its incoming edges",
            ("rank",),
            lambda graph, **options: mg.pagerank(graph, **options),
            ("damping", "tol", "max_iter", "balance", *_LONG_LOOP),
            _describe_pagerank,
            colors="quantities",
        ),
        Algorithm(
            "personalized-pagerank",
            "the ranks of all vertices as seen from one vertex, or from each of several",
            ("rank",),
            _personalized_pagerank,
            ("source", "samples", "seed", "damping", "epsilon", "balance", *_LONG_LOOP),
            _describe_personalized,
        ),
        Algorithm(
            "hits",
            "hubs and authorities",
            ("hub", "authority"),
            lambda graph, **options: mg.hits(graph, **options),
            ("tol", "max_iter", "balance", *_LONG_LOOP),
            _describe_hits,
            colors="quantities",
        ),
        Algorithm(
            "eigenvector",
            "a score in proportion to the sum of the scores of in-neighbors",
            ("score",),
            lambda graph, **options: mg.eigenvector_centrality(graph, **options),
            ("tol", "max_iter", "balance", *_LONG_LOOP),
            _describe_scores,
            colors="quantities",
        ),
        Algorithm(
            "katz",
            "the walks to each vertex, with shorter walks counting more",
            ("score",),
            lambda graph, **options: mg.katz_centrality(graph, **options),
            ("alpha", "tol", "max_iter", "balance", *_LONG_LOOP),
            _describe_scores,
            colors="quantities",
        ),
        Algorithm(
            "degree",
            "the number of edges of each vertex, as a share of all other vertices",
            ("score", "degree"),
            lambda graph, **options: mg.degree_centrality(graph, **options),
            ("weighted",),
            _describe_degrees,
            colors="quantities",
        ),
        Algorithm(
            "in-degree",
            "the number of edges that end at each vertex, as a share of all other vertices",
            ("score", "degree"),
            lambda graph, **options: mg.in_degree_centrality(graph, **options),
            ("weighted",),
            _describe_degrees,
            colors="quantities",
        ),
        Algorithm(
            "out-degree",
            "the number of edges that begin at each vertex, as a share of all other vertices",
            ("score", "degree"),
            lambda graph, **options: mg.out_degree_centrality(graph, **options),
            ("weighted",),
            _describe_degrees,
            colors="quantities",
        ),
        Algorithm(
            "components",
            "connected components; directions are ignored",
            ("label",),
            lambda graph, **options: mg.connected_components(graph, **options),
            (*_STEP, *_LOOP),
            _describe_components,
            colors="groups",
        ),
        Algorithm(
            "betweenness",
            "how many shortest paths lead through each vertex",
            ("score",),
            lambda graph, **options: mg.betweenness_centrality(graph, **options),
            _SEARCHES,
            _describe_centrality,
            colors="quantities",
        ),
        Algorithm(
            "edge-betweenness",
            "how many shortest paths lead along each edge",
            ("src", "dst", "score"),
            lambda graph, **options: mg.edge_betweenness_centrality(graph, **options),
            _SEARCHES,
            _describe_edge_centrality,
            rows="edge",
        ),
        Algorithm(
            "closeness",
            "how near each vertex is to the vertices that reach it",
            ("score",),
            lambda graph, **options: mg.closeness_centrality(graph, **options),
            _SEARCHES,
            _describe_centrality,
            colors="quantities",
        ),
        Algorithm(
            "harmonic",
            "the sum of the inverse distances to each vertex",
            ("score",),
            lambda graph, **options: mg.harmonic_centrality(graph, **options),
            _SEARCHES,
            _describe_centrality,
            colors="quantities",
        ),
        Algorithm(
            "approximate-betweenness",
            "betweenness of all vertices, estimated from some sources",
            ("score",),
            lambda graph, **options: mg.approximate_betweenness_centrality(graph, **options),
            ("epsilon", "confidence", "seed", "weighted", *_STEP, *_LONG_LOOP),
            _describe_centrality,
            colors="quantities",
        ),
        Algorithm(
            "approximate-closeness",
            "closeness of all vertices, estimated from some sources",
            ("score",),
            lambda graph, **options: mg.approximate_closeness_centrality(graph, **options),
            ("epsilon", "confidence", "seed", *_STEP, *_LONG_LOOP),
            _describe_centrality,
            colors="quantities",
        ),
        Algorithm(
            "approximate-harmonic",
            "harmonic centrality of all vertices, estimated from some sources",
            ("score",),
            lambda graph, **options: mg.approximate_harmonic_centrality(graph, **options),
            ("epsilon", "confidence", "seed", *_STEP, *_LONG_LOOP),
            _describe_centrality,
            colors="quantities",
        ),
        Algorithm(
            "strong-components",
            "strongly connected components, of vertices that reach each other",
            ("label",),
            lambda graph, **options: mg.strongly_connected_components(graph, **options),
            (*_STEP, *_LOOP),
            _describe_components,
            colors="groups",
        ),
        Algorithm(
            "spanning-forest",
            "a minimum spanning forest",
            ("label",),
            lambda graph, **options: mg.minimum_spanning_forest(graph, **options),
            _LOOP,
            _describe_spanning_forest,
            colors="groups",
        ),
        Algorithm(
            "biconnected",
            "biconnected components, of edges that are in a cycle together",
            ("src", "dst", "label"),
            _biconnected,
            ("driver",),
            _figures(components="num_components"),
            rows="edge",
        ),
        Algorithm(
            "bridges",
            "edges that are in no cycle",
            ("src", "dst"),
            lambda graph, **options: mg.bridges(graph, **options),
            ("driver",),
            _describe_bridges,
            rows="edge",
        ),
        Algorithm(
            "articulation-points",
            "vertices whose removal disconnects a connected component",
            ("member",),
            lambda graph, **options: mg.articulation_points(graph, **options),
            ("driver",),
            _figures(articulation_points="size"),
            colors="groups",
        ),
        Algorithm(
            "bipartite",
            "the two sides of a bipartite graph, or an edge of an odd cycle",
            ("side",),
            lambda graph, **options: mg.bipartite_sides(graph, **options),
            ("driver",),
            _describe_bipartite,
            colors="groups",
        ),
        Algorithm(
            "maximal-matching",
            "a set of edges without common ends, to which no edge can be added",
            ("mate",),
            lambda graph, **options: mg.maximal_matching(graph, **options),
            ("seed", *_LOOP),
            _figures(edges="size", iterations="iterations"),
            colors="groups",
        ),
        Algorithm(
            "bipartite-matching",
            "a largest set of edges without common ends, in a bipartite graph",
            ("mate", "cover"),
            lambda graph, **options: mg.maximum_bipartite_matching(graph, **options),
            ("driver",),
            _figures(edges="size", iterations="iterations"),
            colors="groups",
        ),
        Algorithm(
            "maximum-flow",
            "a maximum flow from the source to a sink, and a minimum cut",
            ("src", "dst", "flow"),
            _maximum_flow,
            ("source", "sink", "driver"),
            _figures(value="value", source_side="source_side", iterations="iterations"),
            rows="edge",
        ),
        Algorithm(
            "topological-levels",
            "the number of edges on the longest path to each vertex of a directed graph, or a cycle",
            ("level",),
            lambda graph, **options: mg.topological_levels(graph, **options),
            ("balance", *_LOOP),
            _describe_levels,
            colors="quantities",
        ),
        Algorithm(
            "longest-path",
            "longest paths of a directed graph without cycles",
            ("length", "parent"),
            lambda graph, **options: mg.dag_longest_path(graph, **options),
            ("weighted", "balance", *_LOOP),
            _describe_longest_path,
            colors="quantities",
        ),
        Algorithm(
            "transitive-reduction",
            "edges of a directed graph without cycles that no longer path replaces",
            ("src", "dst"),
            lambda graph, **options: mg.transitive_reduction(graph, **options),
            ("balance", "progress", "driver"),
            _figures(edges="num_edges", iterations="iterations"),
            rows="edge",
        ),
        Algorithm(
            "eccentricity",
            "hops from each vertex to the farthest one that it reaches",
            ("eccentricity",),
            lambda graph, **options: mg.eccentricity(graph, **options),
            ("progress", "driver"),
            _figures(diameter="diameter", radius="radius", searches="num_searches"),
            colors="quantities",
        ),
        Algorithm(
            "diameter",
            "the greatest number of hops between two vertices of a connected component",
            (),
            lambda graph, **options: mg.diameter(graph, **options),
            ("progress", "driver"),
            _describe_diameter,
        ),
        Algorithm(
            "assortativity",
            "whether neighbors have similar degrees",
            ("average_neighbor_degree",),
            lambda graph, **options: mg.degree_assortativity(graph, **options),
            ("balance",),
            _figures(coefficient="coefficient"),
            colors="quantities",
        ),
        Algorithm(
            "rich-club",
            "the share of the pairs of vertices of high degree that are neighbors",
            ("coefficient", "vertices", "edges"),
            lambda graph, **options: mg.rich_club_coefficient(graph, **options),
            ("balance",),
            _describe_rich_club,
            rows="degree",
        ),
        Algorithm(
            "coloring",
            "few colors for the vertices, different for neighbors",
            ("color",),
            lambda graph, **options: mg.coloring(graph, **options),
            ("order", "seed", *_STEP, *_LOOP),
            _figures(colors="num_colors", iterations="iterations"),
            colors="groups",
        ),
        Algorithm(
            "independent-set",
            "a maximal set of vertices without an edge between them",
            ("member",),
            lambda graph, **options: mg.maximal_independent_set(graph, **options),
            ("seed", *_STEP, *_LOOP),
            _figures(members="size", iterations="iterations"),
            colors="groups",
        ),
        Algorithm(
            "core-number",
            "how dense a part of the graph each vertex is in",
            ("core",),
            lambda graph, **options: mg.core_number(graph, **options),
            ("balance", *_LONG_LOOP),
            _figures(degeneracy="degeneracy", iterations="iterations"),
            colors="quantities",
        ),
        Algorithm(
            "label-propagation",
            "communities, by labels that spread along edges",
            ("label",),
            lambda graph, **options: mg.label_propagation(graph, **options),
            ("seed", "max_iter", *_LONG_LOOP),
            _figures(communities="num_communities", iterations="iterations", converged="converged"),
            colors="groups",
        ),
        Algorithm(
            "louvain",
            "communities of high modularity, by Louvain's method",
            ("label",),
            lambda graph, **options: mg.louvain(graph, **options),
            ("resolution", "seed", "tol", "max_iter", "progress", "driver"),
            _figures(
                communities="num_communities", modularity="modularity", iterations="iterations", converged="converged"
            ),
            colors="groups",
        ),
        Algorithm(
            "leiden",
            "communities of high modularity that are connected, by Leiden's method",
            ("label",),
            lambda graph, **options: mg.leiden(graph, **options),
            ("resolution", "seed", "max_iter", "progress", "driver"),
            _figures(
                communities="num_communities", modularity="modularity", iterations="iterations", converged="converged"
            ),
            colors="groups",
        ),
        Algorithm(
            "random-walks",
            "walks along edges drawn at random",
            ("step",),
            _random_walks,
            ("length", "samples", "seed", "weighted", "p", "q"),
            _describe_random_walks,
            rows="walk",
        ),
        Algorithm(
            "sample-neighbors",
            "some neighbors of vertices, drawn at random, layer by layer",
            ("src", "dst", "edge"),
            _sample_neighbors,
            ("fanouts", "samples", "seed", "replace", "weighted"),
            _describe_sample,
            rows="edge",
        ),
        Algorithm(
            "negative-samples",
            "pairs of vertices without an edge, drawn at random",
            ("src", "dst"),
            _negative_samples,
            ("k", "power", "seed"),
            lambda result: {"pairs": len(result.src)},
            rows="edge",
        ),
        Algorithm(
            "similarity",
            "how similar the ends of each edge are, by their common neighbors",
            ("src", "dst", "score"),
            lambda graph, **options: _pairs(mg.similarity(graph, **options)),
            ("measure", "weighted"),
            _describe_similarity,
            rows="edge",
        ),
        Algorithm(
            "most-similar",
            "the most similar pairs of vertices",
            ("src", "dst", "score"),
            lambda graph, k=10, **options: _pairs(mg.most_similar(graph, k, **options)),
            ("k", "measure", "weighted"),
            _describe_similarity,
            rows="edge",
        ),
        Algorithm(
            "triangles",
            "triangles at each vertex, and how clustered its neighbors are",
            ("per_vertex", "clustering"),
            lambda graph, **options: mg.triangle_count(graph, clustering=True, **options),
            _LOOP,
            _figures(triangles="total", transitivity="transitivity"),
            colors="quantities",
        ),
        Algorithm(
            "cliques",
            "the number of sets of k vertices in which every two are neighbors",
            (),
            lambda graph, k=4, **options: mg.clique_count(graph, k, **options),
            ("k", *_LOOP),
            _figures(cliques="total"),
        ),
        Algorithm(
            "truss",
            "the edges of the k-truss, each in at least k - 2 triangles",
            ("src", "dst", "support"),
            lambda graph, k=3, **options: mg.k_truss(graph, k, **options),
            ("k", *_LONG_LOOP),
            _figures(edges="num_edges", iterations="iterations"),
            rows="edge",
        ),
    )
}
