"""Peers do the same as minigr, and those that can't are named."""

from dataclasses import replace

import numpy as np
import pytest

import minigr as mg
from minigr.bench import apps, peers
from minigr.bench.named import (
    ALL_PAIRS,
    ASSORTATIVITY,
    BETWEENNESS,
    BFS,
    BICONNECTED,
    BIPARTITE_MATCHING,
    COLORING,
    COMPONENTS,
    CORE_NUMBER,
    DEGREE,
    DIAMETER,
    ECCENTRICITY,
    EDGE_BETWEENNESS,
    EIGENVECTOR,
    FLOW,
    FOREST,
    HARMONIC,
    INDEPENDENT_SET,
    ITERATION,
    ITERATIONS,
    KATZ,
    LABELS,
    LEIDEN,
    LEVELS,
    LIGHTEST,
    LONGEST,
    LOUVAIN,
    MAXIMAL_MATCHING,
    MULTI_BFS,
    NEVER,
    PAGERANK,
    PATHS,
    PERSONALIZED,
    REDUCTION,
    RICH_CLUB,
    SAMPLE,
    SHORTEST,
    SIMILARITY,
    SSSP,
    STRONG,
    TRIANGLES,
    TRUSS,
    WALKS,
    without_weights,
)
from minigr.bench.peers import PEERS
from minigr.device import CPU
from minigr.errors import GraphError, MeasurementError

FOR_ACYCLIC = LEVELS, LONGEST, REDUCTION


@pytest.fixture
def arcs_and_edges():
    """A directed graph with a dead end, and an undirected one; source 0 does not reach all of either."""
    src, dst = np.array([0, 0, 1, 2, 3, 3, 5]), np.array([1, 2, 3, 3, 0, 4, 0])
    weights = np.array([1, 5, 1, 1, 2, 7, 1], np.float32)
    directed = mg.Graph.from_edges(src, dst, weights, directed=True, device="cpu")
    undirected = mg.Graph.from_edges(src[:4], dst[:4], weights[:4], num_vertices=6, device="cpu")
    return directed, undirected


def test_peers_find_the_same_diameter_and_eccentricities():
    apart, whole = ([0, 1, 2, 4], [1, 2, 3, 5]), ([0, 1, 2, 2, 4], [1, 2, 3, 4, 5])
    for edges, (diameter, total) in ((apart, (3, 12)), (whole, (4, 19))):
        graph = mg.Graph.from_edges(*edges, num_vertices=6, device="cpu")
        for name in ("networkx", "igraph"):
            pytest.importorskip(PEERS[name].module)
            calls = PEERS[name].calls(graph, 0)
            assert (DIAMETER in calls) == (ECCENTRICITY in calls) == (name == "igraph" or edges is whole)
            for app, expected in ((DIAMETER, diameter), (ECCENTRICITY, total)):
                assert apps.APPS[app].found(apps.APPS[app].call(graph, 0)) == expected
                assert app not in calls or calls[app].found(calls[app].call()) == expected


def test_peers_find_the_same_degrees_of_neighbors():
    graph = mg.generate.rmat(6, 4, seed=1, device="cpu")
    for name in ("networkx", "igraph"):
        pytest.importorskip(PEERS[name].module)
        calls = PEERS[name].calls(graph, 0)
        coefficient = apps.APPS[ASSORTATIVITY].call(graph, 0).coefficient
        assert calls[ASSORTATIVITY].call() == pytest.approx(coefficient, rel=1e-9)
        assert (RICH_CLUB in calls) == (name == "networkx")
        if RICH_CLUB in calls:
            found = apps.APPS[RICH_CLUB].found(apps.APPS[RICH_CLUB].call(graph, 0))
            assert calls[RICH_CLUB].found(calls[RICH_CLUB].call()) == found > 2


def test_peers_find_the_same_of_a_graph_without_cycles():
    edges = [0, 0, 0, 1, 2, 3], [1, 2, 3, 3, 3, 4]
    graph = mg.Graph.from_edges(*edges, num_vertices=6, directed=True, device="cpu")
    assert apps.choose(FOR_ACYCLIC, graph)[1] == {}
    calls = PEERS["networkx"].calls(graph, 0)
    for app, expected in zip(FOR_ACYCLIC, (4, 3, 5), strict=True):
        assert apps.APPS[app].found(apps.APPS[app].call(graph, 0)) == expected
        assert calls[app].found(calls[app].call()) == expected
    pytest.importorskip("igraph")
    order = PEERS["igraph"].calls(graph, 0)[LEVELS].call()
    assert sorted(order) == list(range(6))
    assert all(order.index(u) < order.index(v) for u, v in zip(*edges, strict=True))


@pytest.mark.parametrize("name", sorted({name for name, peer in PEERS.items() if peer.device == "cpu"} - {"pyg"}))
def test_a_peer_does_the_same_as_minigr(name, arcs_and_edges):
    pytest.importorskip(PEERS[name].module)
    for graph in arcs_and_edges:
        calls = PEERS[name].calls(graph, 0)
        assert {BFS, SSSP} <= set(calls)
        assert (STRONG in calls) == (graph.directed and name != "graphblas")
        assert (FOREST in calls) == (not graph.directed and name in ("scipy", "networkx", "igraph"))
        compared = {
            BFS,
            SSSP,
            COMPONENTS,
            STRONG,
            FOREST,
            BICONNECTED,
            SHORTEST,
            LIGHTEST,
            PATHS,
            FLOW,
            BIPARTITE_MATCHING,
        }
        for app in compared & set(calls):
            own = apps.APPS[app]
            assert calls[app].found(calls[app].call()) == own.found(own.call(graph, 0)) < 6
        for app in {MULTI_BFS, ALL_PAIRS} & set(calls):
            own = apps.APPS[app]
            assert calls[app].found(calls[app].call()) == own.found(own.call(graph, 0)) < 6 * 6
        for app in {BETWEENNESS, EDGE_BETWEENNESS, HARMONIC} & set(calls):
            result, found, own = calls[app].call(), calls[app].found, apps.APPS[app]
            assert found is None or 0 < found(result) == pytest.approx(own.found(own.call(graph, 0)))
        if CORE_NUMBER in calls:
            assert not graph.directed
            assert calls[CORE_NUMBER].found(calls[CORE_NUMBER].call()) == 8  # a cycle, and two vertices alone
            assert int(mg.core_number(graph).core.sum()) == 8
        if TRIANGLES in calls:
            answer, found = calls[TRIANGLES].call(), mg.triangle_count(graph, clustering=True)
            share = calls[TRIANGLES].found
            assert share(answer) == found.total if share else answer == pytest.approx(found.transitivity)
        if TRUSS in calls:
            assert (
                calls[TRUSS].found(calls[TRUSS].call()) == apps.APPS[TRUSS].found(apps.APPS[TRUSS].call(graph, 0)) == 0
            )
        if SIMILARITY in calls:
            score = mg.similarity(graph).score
            assert calls[SIMILARITY].call() == pytest.approx(score.tolist())
            own = apps.APPS[SIMILARITY].found(mg.similarity(graph))
            assert calls[SIMILARITY].found(score) == pytest.approx(own)
        for app in {DEGREE} & set(calls):
            assert calls[app].found(calls[app].call()) == int(mg.degree_centrality(graph).degree.sum())
        for app in {PERSONALIZED} & set(calls):
            ranks = mg.personalized_pagerank(without_weights(graph), np.arange(6), epsilon=1e-9).rank
            np.testing.assert_allclose(calls[app].call(), ranks, atol=1e-6)
        for app in {EIGENVECTOR, KATZ} & set(calls):
            answer, own = calls[app].call(), apps.APPS[app].call(without_weights(graph), 0).score
            found = np.array(list(answer.values()) if isinstance(answer, dict) else answer)
            np.testing.assert_allclose(found / np.linalg.norm(found), own, atol=1e-4)
        for app in {COLORING, INDEPENDENT_SET, MAXIMAL_MATCHING} & set(calls):
            assert not graph.directed
            assert len(calls[app].call()) > 0
        for app in {PAGERANK, ITERATION} & set(calls):
            calls[app].call()
            assert calls[app].divide == (ITERATIONS if app == ITERATION else 1)


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")  # PyTorch Geometric's own
def test_pyg_draws_as_minigr_does(arcs_and_edges):
    """From these seeds, which are all vertices, each vertex draws a known number of edges."""
    pytest.importorskip("pyg_lib")
    for graph in arcs_and_edges:
        calls = PEERS["pyg"].calls(graph, 0)
        assert set(calls) == {SAMPLE, WALKS}
        assert len(calls[SAMPLE].call().row) == len(apps.APPS[SAMPLE].call(graph, 0).row)
        assert tuple(calls[WALKS].call().shape) == apps.APPS[WALKS].call(graph, 0).vertices.shape


@pytest.mark.parametrize("name", ["scipy", "graphblas"])
def test_a_power_iteration_written_for_a_peer_is_pagerank(name, arcs_and_edges):
    pytest.importorskip(PEERS[name].module)
    for graph in arcs_and_edges:
        plain = without_weights(graph)
        found = PEERS[name].calls(plain, 0)[ITERATION].call()
        ranks = found.to_dense(fill_value=0) if name == "graphblas" else found
        np.testing.assert_allclose(ranks, mg.pagerank(plain, tol=NEVER, max_iter=ITERATIONS).rank, rtol=1e-9)


def test_networkx_stops_after_the_iterations_it_was_told(arcs_and_edges, monkeypatch):
    import networkx as nx

    given = []
    original = nx.pagerank

    def noted(*arguments, **options):
        given.append(options["max_iter"])
        return original(*arguments, **options)

    monkeypatch.setattr(nx, "pagerank", noted)
    PEERS["networkx"].calls(arcs_and_edges[0], 0)[ITERATION].call()
    assert given == [ITERATIONS]


def test_a_missing_peer_is_named_and_a_slow_one_only_by_request(monkeypatch):
    graph = mg.generate.path(3, device="cpu")
    monkeypatch.setitem(PEERS, "igraph", replace(PEERS["igraph"], module="no_such_module"))
    monkeypatch.setitem(PEERS, "networkx", replace(PEERS["networkx"], most_arcs=3))
    chosen, absent = peers.choose(None, graph)
    assert "scipy" in [peer.name for peer in chosen]
    assert absent["igraph"] == "not installed (pip install igraph)"
    assert "--peers networkx" in absent["networkx"]
    assert peers.choose(["networkx"], graph) == ([PEERS["networkx"]], {})


def test_a_peer_of_another_device_is_refused():
    with pytest.raises(GraphError, match="cugraph runs on cuda"):
        peers.choose(["cugraph"], mg.generate.path(3, device="cpu"))


def test_apps_and_peers_share_rows(arcs):
    scipy = [PEERS["scipy"]] if arcs.device == "cpu" else []
    rows = list(apps.measure_apps("arcs", arcs, 0, [BFS, ITERATION], scipy, 2))
    by = [(row["key"]["app"], row["key"]["by"]) for row in rows]
    assert by == [(app, who) for app in (BFS, ITERATION) for who in ("minigr", *(peer.name for peer in scipy))]
    for row in rows:
        assert len(row["samples"]) == 2
        own = next(other for other in rows if other["key"] == {**row["key"], "by": "minigr"})
        assert row["ratio"] == pytest.approx(row["median"] / own["median"])
        assert ("iterations" in row) == (row["key"]["by"] == "minigr")


def test_apps_over_a_dynamic_graph_stand_beside(arcs):
    rows = list(apps.measure_apps("arcs", arcs, 0, [BFS, SSSP, ITERATION], [], 2, dynamic=True))
    by = [(row["key"]["app"], row["key"]["by"]) for row in rows]
    assert by == [(app, who) for app in (BFS, SSSP, ITERATION) for who in ("minigr", apps.DYNAMIC)]
    assert all("what" not in row for row in rows)
    for own, over_slabs in zip(rows[::2], rows[1::2], strict=True):
        assert over_slabs["iterations"] == own["iterations"]
        assert over_slabs["ratio"] == pytest.approx(over_slabs["median"] / own["median"])


def test_apps_over_parts_stand_beside(arcs):
    rows = list(apps.measure_apps("arcs", arcs, 0, [BFS, SSSP, COMPONENTS, ITERATION], [], 2, parts=[arcs.device] * 2))
    found = {(row["key"]["app"], row["key"]["by"]): row for row in rows}
    over = [BFS, SSSP, COMPONENTS, ITERATION]
    assert [app for app, who in found if who == apps.IN_PARTS] == over
    for app in over:
        assert found[app, apps.IN_PARTS]["iterations"] >= 1
        ratio = found[app, apps.IN_PARTS]["median"] / found[app, "minigr"]["median"]
        assert found[app, apps.IN_PARTS]["ratio"] == pytest.approx(ratio)


def test_apps_that_need_weights_are_left_out(device):
    plain = mg.generate.path(3, device=device)
    found, absent = apps.choose([BFS, SSSP, STRONG], plain)
    assert ([app.name for app in found], absent) == (
        [BFS],
        {SSSP: "needs edge weights", STRONG: "only for directed graphs"},
    )
    turned = mg.generate.path(3, directed=True, device=device)
    assert [app.name for app in apps.choose([BFS, SSSP, STRONG], turned)[0]] == [BFS, STRONG]
    assert without_weights(plain) is plain


def test_apps_for_graphs_without_cycles_are_left_out(device):
    cycle, path = mg.generate.cycle(3, directed=True, device=device), mg.generate.path(3, device=device)
    for graph, why in ((cycle, "only for graphs without cycles"), (path, "only for directed graphs")):
        assert apps.choose(FOR_ACYCLIC, graph) == ([], dict.fromkeys(FOR_ACYCLIC, why))


def test_an_iteration_of_pagerank_is_left_out_if_few_are_enough(device):
    graph = mg.generate.cycle(5, device=device)  # its ranks are equal from the beginning
    assert apps.choose([PAGERANK, ITERATION], graph)[1] == {ITERATION: "PageRank is exact after 1 of 20 iterations"}


def test_a_peer_that_reaches_other_vertices_stops_the_bench(arcs):
    def offer(graph, source):
        return {BFS: peers.PeerCall("nothing", lambda: 1, found=lambda result: result)}

    other = peers.Peer("other", "scipy", "scipy", "cpu", offer)
    with pytest.raises(MeasurementError, match=r"minigr found 5 vertices, other 1"):
        list(apps.measure_apps("arcs", arcs, 0, [BFS], [other], 1))


@pytest.mark.parametrize("name", ["networkx", "igraph"])
def test_a_peer_that_rounds_otherwise_does_not_stop_the_bench(name):
    pytest.importorskip(PEERS[name].module)
    at_distance = [1, 1, 1, 2, 5, 1]  # vertices; the centrality is 3.5 and an error of rounding
    firsts = np.cumsum([0, 1, *at_distance[:-2]])  # the first vertex at each distance has all those after it
    parents = np.repeat(firsts, at_distance)
    graph = mg.Graph.from_edges(parents, np.arange(1, 1 + sum(at_distance)), device="cpu")
    rows = apps.measure_apps("tree", graph, 0, [HARMONIC], [PEERS[name]], 1)
    assert [row["key"]["by"] for row in rows] == ["minigr", name]


def test_a_dynamic_graph_drops_parallel_edges(device):
    parallel = mg.Graph.from_edges([0, 0], [1, 1], device=device)
    with pytest.raises(MeasurementError, match=r"minigr, dynamic 2: .* leave out --dynamic"):
        list(apps.measure_apps("parallel", parallel, 0, [DEGREE], [], 1, dynamic=True))


def test_a_peer_that_fails_is_named(arcs):
    def fail(*_):
        raise ValueError("no loops")

    def offer(graph, source):
        return {BFS: peers.PeerCall("nothing", fail)}

    for calls, what in ((offer, BFS), (fail, "graph")):
        other = peers.Peer("other", "scipy", "scipy", "cpu", calls)
        with pytest.raises(MeasurementError, match=f"{what}: other failed with ValueError: no loops; leave other out"):
            list(apps.measure_apps("arcs", arcs, 0, [BFS], [other], 1))


def test_networkx_matches_only_graphs_without_parallel_edges(arcs_and_edges):
    _, edges = arcs_and_edges
    parallel = mg.Graph.from_edges([0, 0], [1, 1], device="cpu")
    assert [MAXIMAL_MATCHING in PEERS["networkx"].calls(graph, 0) for graph in (edges, parallel)] == [True, False]


def test_the_modularity_of_communities_is_told(device):
    graph = mg.generate.rmat(8, 8, seed=1, device=device)
    label = np.arange(graph.num_vertices) % 3

    def offer(graph, source):
        return {LOUVAIN: peers.PeerCall("nothing", lambda: [label], labels=lambda result: result[0])}

    other = peers.Peer("other", "scipy", "scipy", "cpu", offer)
    own, theirs, colors = apps.measure_apps("rmat", graph, 0, [LOUVAIN, COLORING], [other], 1)
    assert own["modularity"] == pytest.approx(mg.louvain(graph).modularity)
    assert theirs["modularity"] == pytest.approx(mg.modularity(graph, label))
    assert "modularity" not in colors


@pytest.mark.parametrize("name", ["igraph", "networkit"])
def test_communities_of_peers_are_read(name):
    pytest.importorskip(name)
    nx = pytest.importorskip("networkx")
    graph = mg.Graph.from_networkx(nx.caveman_graph(6, 8), device="cpu")  # whose cliques are apart
    offers = PEERS[name].calls(graph, 0)
    for app in (LOUVAIN, LEIDEN, LABELS):
        if app in offers:
            found = offers[app]
            assert mg.modularity(graph, found.labels(found.call())) == pytest.approx(5 / 6)


def test_the_same_graph_without_weights_shares_its_arrays(arcs):
    plain = without_weights(arcs)
    assert not plain.weighted
    assert plain.directed
    host = CPU.asarray
    assert (host(plain.indices) == host(arcs.indices)).all()
    if arcs.device == "cpu":
        assert np.shares_memory(plain.indices, arcs.indices)
