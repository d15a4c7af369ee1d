"""The ready apps by their public calls, next to the same calls of other libraries.

PageRank ignores weights, in minigr and in every peer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Literal

import minigr as mg
from minigr.apps.common.sources import highest_degree
from minigr.bench import floor as floors
from minigr.bench import named
from minigr.bench.document import MINIGR, Row, row
from minigr.bench.measure import Tell, Timing, about, ignore, take_turns
from minigr.bench.named import seeds_of, sources_from, target_from, without_weights
from minigr.bench.peers import Peer, PeerCall
from minigr.calls import double_cover
from minigr.device import resolve
from minigr.errors import MeasurementError

DYNAMIC = "minigr, dynamic"
"""The ``by`` of rows of apps that run over a dynamic graph."""
IN_PARTS = "minigr, in parts"
"""The ``by`` of rows of apps that run over a graph in parts."""
_WITHOUT = {DYNAMIC: "leave out --dynamic, which drops parallel edges", IN_PARTS: "leave out --devices"}
_REST = 0.03  # seconds of rest before a call, because idle threads of a peer spin on the cores that the call needs
_ROUNDING = 1e-4  # the relative difference of floats that are the same except for errors of rounding


@dataclass(frozen=True)
class App:
    """A ready app to time.

    Attributes
    ----------
    name : str
    call : callable
        ``(graph, source, **options) -> result``; the options are ``trace`` and ``driver``.
    per_iteration : bool
        Whether the time of one iteration is reported: the time of the call divided by its number of iterations.
    needs_weights : bool
    directed : bool or None
        True: only for directed graphs. False: only for undirected graphs. None: for both.
    acyclic : bool
        Whether the app is only for graphs without cycles.
    keeps_weights : bool
        Whether the app gets the graph with its weights.
    found : callable or None
        Gets the result and returns a number that peers must find, too. `what` names the things that it counts. A float
        may differ by errors of rounding.
    what : str
        What `found` counts, such as the vertices that a search reached, or components.
    floor : callable or None
        ``(graph, result of a traced call) -> Floor`` of the whole call, where the floor is known.
    labels : bool
        Whether the result has a `label` for each vertex. Rows then have the modularity of these communities.
    in_parts : str
        Over which graphs in parts the app runs.
    """

    name: str
    call: Callable[..., Any]
    floor: Callable[[Any, Any], floors.Floor] | None
    per_iteration: bool = False
    needs_weights: bool = False
    directed: bool | None = None
    acyclic: bool = False
    keeps_weights: bool = True
    found: Callable[[Any], float] | None = None
    what: str = "vertices"
    labels: bool = False
    in_parts: Literal["no", "undirected", "all"] = "no"

    def runs_in_parts(self, graph: Any) -> bool:
        """Whether the app runs over the parts of `graph`."""
        return self.in_parts == "all" or (self.in_parts == "undirected" and not graph.directed)


def sssp_with_parents(graph: Any, source: int, **options: Any) -> Any:
    """`mg.sssp` with its parents, which a result finds only when they are read."""
    found = mg.sssp(graph, source, **options)
    _ = found.parent
    return found


@lru_cache(1)
def _double_cover(graph: Any) -> Any:
    """The double cover of a graph; cached, because only the matching over it is timed."""
    return double_cover(graph)


APPS = {
    app.name: app
    for app in (
        App(
            named.BFS,
            lambda graph, source, **options: mg.bfs(graph, source, **options),
            floors.bfs_floor,
            found=lambda result: int((result.depth >= 0).sum()),
            in_parts="all",
        ),
        App(
            named.MULTI_BFS,
            lambda graph, source, **options: mg.multi_source_bfs(graph, sources_from(graph, source), **options),
            None,
            keeps_weights=False,
            found=lambda result: int((result.depth >= 0).sum()),
            what="pairs of source and vertex reached",
        ),
        App(
            named.ALL_PAIRS,
            lambda graph, source, trace=False, driver="auto": sum(
                int((block.distance >= 0).sum())
                for block in mg.all_pairs(graph, sources_from(graph, source, 256), driver=driver)
            ),
            None,
            keeps_weights=False,
            found=lambda reached: reached,
            what="pairs of source and vertex reached",
        ),
        App(
            named.SSSP,
            sssp_with_parents,
            floors.sssp_floor,
            needs_weights=True,
            found=lambda result: int((result.distance < float("inf")).sum()),
            in_parts="all",
        ),
        App(
            named.SHORTEST,
            lambda graph, source, **options: mg.shortest_path(graph, source, target_from(graph, source), **options),
            None,
            keeps_weights=False,
            found=lambda result: len(result.path),
            what="vertices on the path",
        ),
        App(
            named.LIGHTEST,
            lambda graph, source, **options: mg.shortest_path(
                graph, source, target_from(graph, source), weighted=True, **options
            ),
            None,
            needs_weights=True,
            found=lambda result: float(result.length) if result.length < float("inf") else -1.0,
            what="as the path's length",
        ),
        App(
            named.PATHS,
            lambda graph, source, trace=False, driver="auto": mg.k_shortest_paths(
                graph, source, target_from(graph, source), named.MANY_PATHS, driver=driver
            ),
            None,
            keeps_weights=False,
            found=lambda result: int(result.length.sum()),
            what="hops of all paths",
        ),
        App(
            named.ARRIVAL,
            lambda graph, source, **options: mg.earliest_arrival(graph, source, **options),
            None,
            needs_weights=True,
            found=lambda result: int((result.arrival < float("inf")).sum()),
        ),
        App(
            named.PAGERANK,
            lambda graph, source, **options: mg.pagerank(graph, **options),
            floors.pagerank_floor,
            keeps_weights=False,
            in_parts="all",
        ),
        App(
            named.ITERATION,
            lambda graph, source, **options: mg.pagerank(graph, tol=named.NEVER, max_iter=named.ITERATIONS, **options),
            floors.pagerank_floor,
            per_iteration=True,
            keeps_weights=False,
            in_parts="all",
        ),
        App(
            named.SINGLE_ITERATION,
            lambda graph, source, **options: mg.pagerank(
                graph, tol=named.NEVER, max_iter=named.ITERATIONS, precision="single", **options
            ),
            lambda graph, result: floors.pagerank_floor(graph, result, share=4),
            per_iteration=True,
            keeps_weights=False,
            in_parts="all",
        ),
        App(
            named.PERSONALIZED,
            lambda graph, source, **options: mg.personalized_pagerank(
                graph, sources_from(graph, source), top=named.TOP, **options
            ),
            None,
            keeps_weights=False,
        ),
        App(
            named.HITS,
            lambda graph, source, **options: mg.hits(graph, **options),
            floors.hits_floor,
            keeps_weights=False,
            in_parts="all",
        ),
        App(
            named.EIGENVECTOR,
            lambda graph, source, **options: mg.eigenvector_centrality(graph, **options),
            None,
            keeps_weights=False,
        ),
        App(
            named.KATZ,
            lambda graph, source, **options: mg.katz_centrality(graph, named.alpha_of(graph), **options),
            None,
            keeps_weights=False,
        ),
        App(
            named.DEGREE,
            lambda graph, source, trace=False, driver="auto": mg.degree_centrality(graph),
            None,
            keeps_weights=False,
            found=lambda result: int(result.degree.sum()),
            what="ends of edges",
        ),
        App(
            named.COMPONENTS,
            lambda graph, source, **options: mg.connected_components(graph, **options),
            floors.components_floor,
            found=lambda result: result.num_components,
            what="components",
            in_parts="all",
        ),
        App(
            named.BETWEENNESS,
            lambda graph, source, **options: mg.betweenness_centrality(graph, [source], normalized=False, **options),
            floors.betweenness_floor,
            keeps_weights=False,
            found=lambda result: int((result.score > 0).sum()),
            what="vertices on shortest paths",
        ),
        App(
            named.EDGE_BETWEENNESS,
            lambda graph, source, **options: mg.edge_betweenness_centrality(
                graph, [source], normalized=False, **options
            ),
            None,
            keeps_weights=False,
            found=lambda result: int((result.score > 0).sum()),
            what="edges on shortest paths",
        ),
        App(
            named.HARMONIC,
            lambda graph, source, **options: mg.harmonic_centrality(graph, [source], **options),
            floors.harmonic_floor,
            keeps_weights=False,
            found=lambda result: float(result.score[result.score >= 0].sum()),
            what="as harmonic centrality",
        ),
        App(
            named.APPROXIMATE_BETWEENNESS,
            lambda graph, source, **options: mg.approximate_betweenness_centrality(graph, named.ERROR, **options),
            None,
            keeps_weights=False,
        ),
        App(
            named.APPROXIMATE_CLOSENESS,
            lambda graph, source, **options: mg.approximate_closeness_centrality(graph, named.ERROR, **options),
            None,
            keeps_weights=False,
        ),
        App(
            named.APPROXIMATE_HARMONIC,
            lambda graph, source, **options: mg.approximate_harmonic_centrality(graph, named.ERROR, **options),
            None,
            keeps_weights=False,
        ),
        App(
            named.CORE_NUMBER,
            lambda graph, source, **options: mg.core_number(graph, **options),
            floors.core_number_floor,
            keeps_weights=False,
            found=lambda result: int(result.core.sum()),
            what="neighbors in cores",
        ),
        App(
            named.LABELS,
            lambda graph, source, **options: mg.label_propagation(graph, **options),
            floors.label_propagation_floor,
            keeps_weights=False,
            labels=True,
            in_parts="undirected",
        ),
        App(
            named.LOUVAIN,
            lambda graph, source, trace=False, driver="auto": mg.louvain(graph, driver=driver),
            None,
            keeps_weights=False,
            labels=True,
        ),
        App(
            named.LEIDEN,
            lambda graph, source, trace=False, driver="auto": mg.leiden(graph, driver=driver),
            None,
            keeps_weights=False,
            labels=True,
        ),
        App(
            named.TRIANGLES,
            lambda graph, source, **options: mg.triangle_count(graph, **options),
            floors.triangles_floor,
            found=lambda result: result.total,
            what="triangles",
            in_parts="undirected",
        ),
        App(
            named.CLIQUES,
            lambda graph, source, **options: mg.clique_count(graph, named.CLIQUES_OF, **options),
            None,
            keeps_weights=False,
            found=lambda result: result.total,
            what="cliques",
        ),
        App(
            named.TRUSS,
            lambda graph, source, **options: mg.k_truss(graph, named.TRUSS_OF, **options),
            None,
            keeps_weights=False,
            found=lambda result: len(result.src),
            what="edges",
        ),
        App(
            named.SIMILARITY,
            lambda graph, source, **options: mg.similarity(graph),
            None,
            keeps_weights=False,
            found=lambda result: float(result.score.sum()),
            what="as the sum of all",
        ),
        App(
            named.WALKS,
            lambda graph, source, **options: mg.random_walks(graph, seeds_of(graph), named.STEPS),
            None,
            keeps_weights=False,
            found=lambda result: int((result.vertices >= 0).sum()),
            what="vertices on walks",
        ),
        App(
            named.BIASED_WALKS,
            lambda graph, source, **options: mg.random_walks(graph, seeds_of(graph), named.STEPS, p=0.5, q=2.0),
            None,
            keeps_weights=False,
            found=lambda result: int((result.vertices >= 0).sum()),
            what="vertices on walks",
        ),
        App(
            named.SAMPLE,
            lambda graph, source, **options: mg.sample_neighbors(graph, seeds_of(graph), named.FANOUTS),
            floors.sample_floor,
            keeps_weights=False,
            found=lambda result: len(result.edge),
            what="edges",
        ),
        App(
            named.NEGATIVES,
            lambda graph, source, **options: mg.negative_samples(graph, named.SEEDS, power=0.75),
            None,
            keeps_weights=False,
            found=lambda result: len(result.src),
            what="pairs",
        ),
        App(
            named.COLORING,
            lambda graph, source, **options: mg.coloring(graph, **options),
            None,
            keeps_weights=False,
        ),
        App(
            named.INDEPENDENT_SET,
            lambda graph, source, **options: mg.maximal_independent_set(graph, **options),
            None,
            keeps_weights=False,
        ),
        App(
            named.MAXIMAL_MATCHING,
            lambda graph, source, **options: mg.maximal_matching(graph, **options),
            None,
            keeps_weights=False,
        ),
        App(
            named.BIPARTITE_MATCHING,
            lambda graph, source, trace=False, driver="auto": mg.maximum_bipartite_matching(
                _double_cover(graph), driver=driver
            ),
            None,
            keeps_weights=False,
            found=lambda result: result.size,
            what="edges",
        ),
        App(
            named.FLOW,
            lambda graph, source, trace=False, driver="auto": mg.maximum_flow(
                graph, source, highest_degree(graph, source), driver=driver
            ),
            None,
            needs_weights=True,
            found=lambda result: float(result.value),
            what="as the value",
        ),
        App(
            named.STRONG,
            lambda graph, source, **options: mg.strongly_connected_components(graph, **options),
            None,
            directed=True,
            keeps_weights=False,
            found=lambda result: result.num_components,
            what="components",
        ),
        App(
            named.BICONNECTED,
            lambda graph, source, trace=False, driver="auto": mg.biconnected_components(graph, driver=driver),
            None,
            directed=False,
            keeps_weights=False,
            found=lambda result: result.num_components,
            what="components",
        ),
        App(
            named.LEVELS,
            lambda graph, source, **options: mg.topological_levels(graph, **options),
            None,
            directed=True,
            acyclic=True,
            keeps_weights=False,
            found=lambda result: result.num_levels,
            what="levels",
        ),
        App(
            named.LONGEST,
            lambda graph, source, **options: mg.dag_longest_path(graph, **options),
            None,
            directed=True,
            acyclic=True,
            keeps_weights=False,
            found=lambda result: result.longest,
            what="edges on a longest path",
        ),
        App(
            named.REDUCTION,
            lambda graph, source, trace=False, driver="auto": mg.transitive_reduction(graph, driver=driver),
            None,
            directed=True,
            acyclic=True,
            keeps_weights=False,
            found=lambda result: result.num_edges,
            what="edges",
        ),
        App(
            named.ASSORTATIVITY,
            lambda graph, source, **options: mg.degree_assortativity(graph),
            None,
            keeps_weights=False,
        ),
        App(
            named.RICH_CLUB,
            lambda graph, source, **options: mg.rich_club_coefficient(graph),
            None,
            keeps_weights=False,
            found=lambda result: len(result.coefficient),
            what="degrees",
        ),
        App(
            named.ECCENTRICITY,
            lambda graph, source, trace=False, driver="auto": mg.eccentricity(graph, driver=driver),
            None,
            directed=False,
            keeps_weights=False,
            found=lambda result: int(result.eccentricity.sum()),
            what="hops to the farthest vertices",
        ),
        App(
            named.DIAMETER,
            lambda graph, source, trace=False, driver="auto": mg.diameter(graph, driver=driver),
            None,
            directed=False,
            keeps_weights=False,
            found=lambda result: result.lower,
            what="hops of diameter",
        ),
        App(
            named.FOREST,
            lambda graph, source, **options: mg.minimum_spanning_forest(graph, **options),
            None,
            needs_weights=True,
            directed=False,
            found=lambda result: len(result.edges),
            what="edges",
        ),
    )
}
"""All apps by name. A new app needs only an entry here."""


def choose(names: Sequence[str], graph: Any) -> tuple[list[App], dict[str, str]]:
    """The apps among `names` that can run on the graph, and for each other app, by name, why it can't.

    Examples
    --------
    >>> found, absent = choose(["bfs", "sssp"], mg.generate.path(3, device="cpu"))
    >>> [app.name for app in found], absent
    (['bfs'], {'sssp': 'needs edge weights'})
    """
    absent = {name: why for name in names if (why := _unfit(APPS[name], graph))}
    acyclic = [name for name in names if APPS[name].acyclic and name not in absent]
    if acyclic and not mg.topological_levels(graph).acyclic:
        absent |= dict.fromkeys(acyclic, "only for graphs without cycles")
    iterated = [name for name in names if APPS[name].per_iteration]
    if iterated:
        done = mg.pagerank(without_weights(graph), tol=named.NEVER, max_iter=named.ITERATIONS).iterations
        if done < named.ITERATIONS:  # then a peer stops earlier, too, and does not say when
            absent |= dict.fromkeys(iterated, f"PageRank is exact after {done} of {named.ITERATIONS} iterations")
    return [APPS[name] for name in names if name not in absent], absent


def _unfit(app: App, graph: Any) -> str:
    """Why an app can't run on graphs of this kind; empty if it can."""
    if app.directed not in (None, graph.directed):
        return f"only for {'directed' if app.directed else 'undirected'} graphs"
    return "needs edge weights" if app.needs_weights and not graph.weighted else ""


def measure_apps(
    name: str,
    graph: Any,
    source: int,
    names: Sequence[str],
    peers: Sequence[Peer],
    repeat: int,
    *,
    driver: str = "auto",
    limit: float = 60.0,
    dynamic: bool = False,
    parts: Sequence[str] = (),
    ceilings: floors.Ceilings | None = None,
    tell: Tell = ignore,
) -> Iterator[Row]:
    """Time apps and the corresponding calls of peers, which take turns.

    Parameters
    ----------
    name : str
        The name of the graph in the rows' keys.
    graph : Graph
    source : int
    names : sequence of str
        Names of `APPS`. Apps that cannot run on the graph are left out.
    peers : sequence of Peer
    repeat : int
        Samples of each call.
    driver : str
        Which driver runs minigr's loops; see `minigr.Enactor`.
    limit : float
        Seconds for each call in all rounds together. Slow peers get fewer samples.
    dynamic : bool
        Whether to time the apps over a `DynamicGraph` of the same edges, too.
    parts : sequence of str
        Also time the apps over a `PartitionedGraph` with a part on each of these devices, where apps support it.
    ceilings : Ceilings, optional
        Add the floor to each row of minigr, computed from a traced run, and the ratio of the time to the floor.
    tell : callable

    Yields
    ------
    Row
        The rows of an app, as soon as the app is measured. They have ``what`` (the call of a peer), ``first_ms``,
        ``iterations`` (only of minigr), ``modularity`` (only where communities are found), and ``ratio`` (the row's
        median over minigr's).

    Raises
    ------
    MeasurementError
        If a peer fails. If a peer, or minigr over the dynamic graph or over parts, found another number of vertices,
        components or triangles than minigr. Their calls then do not compute the same.
    """
    theirs: dict[str, dict[str, PeerCall]] = {}
    for peer in peers:
        tell(f"{name}: its form for {peer.name}")
        theirs[peer.name] = _of_peer(peer.name, "graph", partial(peer.calls, graph, source))()
    for app in choose(names, graph)[0]:
        subject = graph if app.keeps_weights else without_weights(graph)
        calls = {MINIGR: _own_call(app, subject, source, driver)}
        if dynamic:
            slabs = mg.DynamicGraph.from_graph(subject, in_edges=graph.directed, allow_self_loops=True)
            calls[DYNAMIC] = _own_call(app, slabs, source, driver)
        if parts and app.runs_in_parts(graph):
            calls[IN_PARTS] = _call_in_parts(app, subject, source, parts)
        offers = {by: offered[app.name] for by, offered in theirs.items() if app.name in offered}
        calls |= {by: _of_peer(by, app.name, offer.call) for by, offer in offers.items()}
        rest = _REST if any(peer.spins for peer in peers if peer.name in offers) else 0.0
        timings = take_turns(
            calls, graph._device, repeat, limit=limit, rest=rest, tell=about(f"{app.name} on {name}", tell)
        )
        _require_same_count(app, timings, offers)
        own = timings[MINIGR]
        own_divide = _divide(app, own)
        for by, timing in timings.items():
            divide = offers[by].divide if by in offers else _divide(app, timing)
            found: dict[str, Any] = {"first_ms": timing.first, "ratio": _per(timing, divide) / _per(own, own_divide)}
            if by == MINIGR and ceilings is not None and app.floor is not None:
                tell(f"{app.name} on {name}: traced for its floor")
                floor = app.floor(subject, app.call(subject, source, trace=True))
                found["floor"] = floor.against(ceilings, divide)
                found["over_floor"] = _per(own, divide) / found["floor"]["ms"]
            if by not in offers:
                found["iterations"] = getattr(timing.result, "iterations", 1)  # an app without a loop counts none
            else:
                found["what"] = offers[by].what
            label = _label(app, by, timing, offers.get(by))
            if label is not None:
                found["modularity"] = mg.modularity(subject, label)
            samples = [sample / divide for sample in timing.samples]
            yield row({"graph": name, "app": app.name, "by": by}, samples, **found)


def _own_call(app: App, graph: Any, source: int, driver: str) -> Callable[[], Any]:
    return lambda: app.call(graph, source, driver=driver)


def _of_peer(by: str, what: str, call: Callable[[], Any]) -> Callable[[], Any]:
    """A call of a peer whose errors say that they are the peer's."""

    def run() -> Any:
        try:
            return call()
        except Exception as error:
            raise MeasurementError(
                f"{what}: {by} failed with {type(error).__name__}: {error}; leave {by} out of --peers"
            ) from error

    return run


def _call_in_parts(app: App, graph: Any, source: int, devices: Sequence[str]) -> Callable[[], Any]:
    dealt = mg.PartitionedGraph.from_graph(graph, devices=devices)

    def call() -> Any:
        result = app.call(dealt, source)
        for device in devices:
            resolve(device).synchronize()
        return result

    return call


def _label(app: App, by: str, timing: Timing, offer: PeerCall | None) -> Any:
    """The label of each vertex that minigr or a peer found; None if the app finds no communities."""
    if offer is not None:
        return offer.labels(timing.result) if offer.labels else None
    return timing.result.label if app.labels and by == MINIGR else None


def _divide(app: App, timing: Timing) -> int:
    """The number that the time of a call of minigr is divided by."""
    return max(timing.result.iterations, 1) if app.per_iteration else 1


def _per(timing: Timing, divide: int) -> float:
    return timing.median / divide


def _agree(own: float, theirs: float) -> bool:
    """Whether a peer found the same number. Libraries add up floats in different orders, some in single precision."""
    return math.isclose(own, theirs, rel_tol=_ROUNDING) if isinstance(own, float) else own == theirs


def _require_same_count(app: App, timings: dict[str, Timing], offers: dict[str, PeerCall]) -> None:
    if app.found is None:
        return
    own = app.found(timings[MINIGR].result)
    counts = {by: own if offer.found is None else offer.found(timings[by].result) for by, offer in offers.items()}
    counts |= {by: app.found(timings[by].result) for by in (DYNAMIC, IN_PARTS) if by in timings}
    for by, theirs in counts.items():
        if not _agree(own, theirs):
            raise MeasurementError(
                f"{app.name}: minigr found {own:,} {app.what}, {by} {theirs:,}: they don't do the same on this graph; "
                f"{_WITHOUT.get(by, f'leave {by} out of --peers')}"
            )
