"""What NetworkX is told: which functions there are, what can be answered, and what had better be left to it."""

import inspect
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from minigr.networkx import interface
from minigr.networkx.functions import CONVERTED, FUNCTIONS, NEVER, PASS
from minigr.networkx.info import backend_info
from tests.networkx.conftest import function_of, is_there

ROOT = Path(__file__).parents[2]
OF_NUMPY = nx.utils.create_py_random_state(np.random.default_rng(1))  # Python's functions around NumPy's generator
ADDED = {  # parameters, by NetworkX 3.7
    "hits": ("method",),
    "closeness_centrality": ("sp",),
    "leiden_communities": ("metric", "theta"),
    "leiden_partitions": ("metric", "theta"),
    "rich_club_coefficient": ("n_samples",),
}
THERE = [name for name in FUNCTIONS if is_there(name)]
ON_GRAPHS = [name for name in THERE if FUNCTIONS[name].module != "generators"]


@pytest.mark.parametrize("name", THERE)
def test_each_function_has_the_parameters_that_it_has_in_networkx(name):
    expected = list(inspect.signature(function_of(name)).parameters.values())[:-2]  # without those of the dispatcher
    found = inspect.signature(getattr(interface, name)).parameters.values()
    lacking = set(ADDED.get(name, ())) - {one.name for one in expected}
    known = [one for one in found if one.name not in lacking and one.kind is not inspect.Parameter.VAR_KEYWORD]
    assert {(one.name, one.default) for one in known} == {(one.name, one.default) for one in expected}
    by_place = [one.name for one in expected if one.kind is not inspect.Parameter.KEYWORD_ONLY]
    assert [one.name for one in known][: len(by_place)] == by_place


def test_what_is_not_offered():
    assert not hasattr(interface, "betweenness_of_nothing")
    with pytest.raises(AttributeError, match="has no attribute 'no_such_function'"):
        interface.__getattr__("no_such_function")


def test_the_info():
    info = backend_info()
    assert info["backend_name"] == "minigr"
    assert info["functions"].keys() == FUNCTIONS.keys()


def test_networkx_tells_of_it(installed):
    assert nx.utils.backends.backend_info["minigr"]["functions"].keys() == FUNCTIONS.keys()
    assert "minigr : " in nx.pagerank.__doc__


@pytest.mark.parametrize(
    ("name", "given", "reason"),
    [
        ("pagerank", {"nstart": {0: 1}}, "nstart"),
        ("pagerank", {"dangling": {0: 1}}, "dangling"),
        ("pagerank", {"alpha": 1}, "alpha"),
        ("pagerank", {"tol": 0}, "tol"),
        ("pagerank", {"max_iter": 0}, "max_iter"),
        ("pagerank", {"weight": lambda u, v, data: 1}, "function"),
        ("greedy_color", {"strategy": "smallest_last"}, "largest_first"),
        ("greedy_color", {"strategy": lambda graph, colors: []}, "largest_first"),
        ("greedy_color", {"interchange": True}, "interchange"),
        ("bfs_edges", {"source": 0, "sort_neighbors": sorted}, "sort_neighbors"),
        ("single_source_dijkstra", {"source": 0, "weight": lambda u, v, data: 1}, "function"),
        ("shortest_path", {"source": 0, "target": 1}, "bidirectional"),
        ("shortest_path", {"source": 0, "target": 1, "method": "bellman-ford"}, "bidirectional"),  # without weights
        ("shortest_path", {}, "all_pairs_shortest_path"),
        ("shortest_path", {"source": 0, "weight": "weight", "method": "none such"}, "none such"),
        ("shortest_path_length", {"source": 0, "method": "none such"}, "none such"),
        ("average_shortest_path_length", {"method": "floyd-warshall"}, "dijkstra"),
        ("average_shortest_path_length", {"weight": lambda u, v, data: 1}, "function"),
        ("eccentricity", {"sp": {}}, "known already"),
        ("diameter", {"e": {}}, "are known"),
        ("radius", {"usebounds": True, "weight": "weight"}, "without weights"),
        ("periphery", {"weight": lambda u, v, data: 1}, "function"),
        ("degree_assortativity_coefficient", {"x": "both"}, "'in' or 'out'"),
        ("degree_assortativity_coefficient", {"nodes": [0]}, "all nodes"),
        ("average_neighbor_degree", {"weight": "weight"}, "weights"),
        ("average_neighbor_degree", {"source": "in"}, "source must be"),
        ("average_neighbor_degree", {"target": "in"}, "directed"),
        ("rich_club_coefficient", {"normalized": True}, "normalized=False"),
        ("single_source_bellman_ford", {"source": 0, "weight": lambda u, v, data: 1}, "function"),
        ("multi_source_dijkstra", {"sources": [0], "weight": lambda u, v, data: 1}, "function"),
        ("clustering", {"weight": "weight"}, "weights"),
        ("average_clustering", {"weight": "weight"}, "weights"),
        ("betweenness_centrality", {"k": 0}, "at least 1"),
        ("betweenness_centrality", {"weight": lambda u, v, data: 1}, "function"),
        ("edge_betweenness_centrality", {"k": 0}, "at least 1"),
        ("betweenness_centrality", {"k": 1, "seed": OF_NUMPY}, "generators of Python"),
        ("edge_betweenness_centrality", {"k": 1, "seed": OF_NUMPY}, "generators of Python"),
        ("closeness_centrality", {"distance": lambda u, v, data: 1}, "function"),
        ("closeness_centrality", {"wf_improved": False}, "wf_improved"),
        ("closeness_centrality", {"sp": {}}, "known already"),
        ("harmonic_centrality", {"sources": [0]}, "all nodes"),
        ("eigenvector_centrality", {"nstart": {0: 1}}, "nstart"),
        ("eigenvector_centrality", {"max_iter": 0}, "max_iter"),
        ("eigenvector_centrality", {"weight": lambda u, v, data: 1}, "function"),
        ("katz_centrality", {"nstart": {0: 1}}, "nstart"),
        ("katz_centrality", {"tol": 0}, "tol"),
        ("katz_centrality", {"alpha": -1}, "alpha"),
        ("katz_centrality", {"alpha": math.inf}, "alpha"),
        ("hits", {"nstart": {0: 1}}, "nstart"),
        ("hits", {"normalized": False}, "normalized"),
        ("hits", {"tol": 0}, "tol"),
        ("hits", {"method": "svd"}, "power_iteration"),
        ("minimum_spanning_edges", {"algorithm": "prim"}, "equal weight"),
        ("maximum_spanning_tree", {"algorithm": "boruvka"}, "equal weight"),
        ("maximal_independent_set", {"nodes": [0]}, "nodes"),
        ("maximal_independent_set", {"seed": 1}, "seed"),
        ("asyn_lpa_communities", {"seed": 1}, "seed"),
        ("leiden_communities", {"metric": "cpm"}, "modularity"),
        ("leiden_communities", {"metric": "modularity", "seed": 1}, "seed"),
        ("leiden_partitions", {"metric": "modularity", "theta": 1}, "theta"),
    ],
)
def test_what_is_refused_by_keyword_and_by_position(name, given, reason):
    if not is_there(name):
        pytest.skip(f"NetworkX {nx.__version__} has no such function")
    defaults = {one: other.default for one, other in inspect.signature(function_of(name)).parameters.items()}
    if not given.keys() <= defaults.keys():
        pytest.skip(f"NetworkX {nx.__version__} has no such parameter")
    graph = nx.path_graph(3)
    assert reason in interface.can_run(name, (graph,), given)
    assert reason in interface.can_run(name, (), {"G": graph, **given})
    defaults.popitem()
    positional = [given.get(one, default) for one, default in list(defaults.items())[1:-1]]
    assert reason in interface.can_run(name, (graph, *positional), {})


def test_flows_are_asked_for_by_other_names():
    graph = nx.gnm_random_graph(300, 2000, seed=1, directed=True)
    assert "flow_func" in interface.can_run("minimum_cut", (), {"flowG": graph, "_s": 0, "_t": 1, "flow_func": sum})
    assert "capacity" in interface.can_run("maximum_flow", (graph, 0, 1, None), {})
    assert interface.should_run("maximum_flow", (), {"flowG": graph, "_s": 0, "_t": 1}) is True
    assert "small" in interface.should_run("maximum_flow", (nx.path_graph(150), 0, 1), {})


@pytest.mark.parametrize("kind", [nx.DiGraph, nx.MultiGraph])
def test_kinds_of_graphs_that_are_refused(kind):
    reason = "directed" if kind is nx.DiGraph else "multigraph"
    graph = nx.path_graph(3, create_using=kind)
    assert (interface.can_run("edge_betweenness_centrality", (graph,), {}) is True) is (kind is nx.DiGraph)
    for name in ("minimum_spanning_tree", "asyn_lpa_communities", "fast_label_propagation_communities"):
        assert reason in interface.can_run(name, (graph,), {})
    for name in ("core_number", "k_core", "clustering", "greedy_color"):
        assert (interface.can_run(name, (graph,), {}) is True) is (kind is nx.MultiGraph)
    assert interface.can_run("k_core", (graph,), {"core_number": {}}) is True


@pytest.mark.parametrize("name", ON_GRAPHS)
def test_plain_calls_are_answered(name):
    parameters = inspect.signature(function_of(name)).parameters
    starts = {"harmonic_centrality": ("source",), "average_neighbor_degree": ()}  # of which others mean something else
    given: dict[str, object] = {one: 0 for one in starts.get(name, ("source", "sources")) if one in parameters}
    given |= {"normalized": False} if name == "rich_club_coefficient" else {}
    given |= {"metric": "modularity"} if "metric" in parameters else {}
    assert interface.can_run(name, (nx.path_graph(3),), given) is True


def test_the_reason_is_in_the_error(backend):
    with pytest.raises(NotImplementedError) as error:
        backend("dijkstra_path_length", nx.Graph([(0, 1, {"weight": -1})]), 0, 1)
    assert "must be at least 0" in str(error.value.__cause__)


@pytest.mark.parametrize("name", ON_GRAPHS)
def test_small_graphs_are_left_to_networkx_and_large_ones_are_not(name):
    worth, of = min(FUNCTIONS[name].worth, PASS), next(iter(inspect.signature(function_of(name)).parameters))
    for graph in (nx.Graph(), nx.path_graph(10), nx.cycle_graph(max(worth // 3 - 10, 3))):
        assert (interface.should_run(name, (graph,), {}) is True) is (worth == 0)  # what NetworkX has none of
        assert (interface.should_run(name, (), {of: graph}) is True) is (worth == 0)
    for graph in (nx.cycle_graph(worth // 3 + 10), nx.complete_graph(int(worth**0.5) + 1), nx.empty_graph(worth)):
        assert (interface.should_run(name, (graph,), {}) is True) is (FUNCTIONS[name].worth < NEVER)


def test_what_was_converted_before_is_worth_more(backend):
    graph = nx.cycle_graph(CONVERTED // 3 + 10)
    assert interface.should_run("degree_centrality", (graph,), {}) == "the graph is small"
    backend("number_connected_components", graph)
    assert interface.should_run("degree_centrality", (graph,), {}) is True
    assert interface.should_run("pagerank", (graph,), {}) is True


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("triangles", {"nodes": 0}),
        ("clustering", {"nodes": [0]}),
        ("closeness_centrality", {"u": 0}),
        ("eccentricity", {"v": [0, 1]}),
        ("harmonic_centrality", {"nbunch": iter([0, 1])}),
        ("jaccard_coefficient", {"ebunch": [(0, 1)]}),
        ("adamic_adar_index", {"ebunch": iter([(0, 1)])}),
    ],
)
def test_what_is_soon_done_is_left_to_networkx(name, given):
    graph = nx.empty_graph(PASS)
    assert interface.should_run(name, (graph,), {}) is True
    assert interface.can_run(name, (graph,), given) is True
    assert "NetworkX is fast for" in interface.should_run(name, (graph,), given)
    assert "known" in interface.should_run("k_core", (graph,), {"core_number": {0: 0}})
    if name in ("eccentricity", "harmonic_centrality"):
        assert interface.should_run(name, (graph,), dict.fromkeys(given, range(100))) is True
    if name == "jaccard_coefficient":
        assert interface.should_run(name, (graph,), {"ebunch": [(0, 1)] * (PASS // 8)}) is True


def in_a_process_of_its_own(code, **environment):
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "MINIGR_DEVICE": "cpu", **environment}
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)


def test_numba_is_not_imported_before_there_is_something_to_run(installed):
    code = """if True:
        import json, sys, networkx as nx
        told = [name for name in sys.modules if name.startswith("minigr.")]
        nx.pagerank(nx.path_graph(4)), list(nx.connected_components(nx.path_graph(4)))
        print(json.dumps([told, sorted({"numba", "scipy.sparse", "minigr.networkx.interface"} & sys.modules.keys())]))
    """
    told, heavy = in_a_process_of_its_own(code, NETWORKX_BACKEND_PRIORITY="minigr")
    modules = [f"minigr.networkx.{name}" for name in ("arguments", "functions", "info")]
    assert sorted(told) == ["minigr.networkx", *modules]
    assert "numba" not in heavy
    assert "minigr.networkx.interface" in heavy


def test_the_page_shows_what_happens(installed):
    path = ROOT / "docs" / "networkx.md"
    code = f"""if True:
        import doctest, json
        print(json.dumps(doctest.testfile({str(path)!r}, module_relative=False)))
    """
    failed, attempted = in_a_process_of_its_own(code)
    assert (failed, attempted > 5) == (0, True)


def test_the_page_names_every_function():
    page = (ROOT / "docs" / "networkx.md").read_text()
    rows = page[page.index("## Functions") : page.index("Other functions of NetworkX call these")]
    assert set(re.findall("`(.+?)`", rows)) == set(FUNCTIONS)


def test_the_priority_of_backends(installed):
    code = """if True:
        import json, networkx as nx
        from minigr.networkx import interface, components
        asked = []
        inner = components.number_connected_components
        components.number_connected_components = lambda G: asked.append(len(G)) or inner(G)
        sizes = [nx.number_connected_components(nx.empty_graph(n)) for n in (10, 60_000)]
        print(json.dumps([sizes, asked]))
    """
    assert in_a_process_of_its_own(code, NETWORKX_BACKEND_PRIORITY="minigr") == [[10, 60_000], [60_000]]


def test_functions_that_are_built_on_others_gain(installed):
    code = """if True:
        import json, networkx as nx
        from minigr.networkx import cores, interface, spanning, unweighted
        nx.config.warnings_to_ignore.add("cache")
        asked = []
        def noted(module, name):
            inner = getattr(module, name)
            setattr(module, name, lambda *given, **named: asked.append(name) or inner(*given, **named))
        noted(cores, "core_number"), noted(unweighted, "bfs_edges"), noted(unweighted, "predecessor")
        noted(spanning, "minimum_spanning_edges")
        graph = nx.cycle_graph(20_000)
        found = [len(nx.k_core(graph)), len(nx.bfs_tree(graph, 0)), len(list(nx.all_shortest_paths(graph, 0, 10_000)))]
        found.append(nx.minimum_spanning_tree(graph).number_of_edges())
        print(json.dumps([found, asked]))
    """
    asked = ["core_number", "bfs_edges", "predecessor", "minimum_spanning_edges"]
    expected = [[20_000, 20_000, 2, 19_999], asked]
    assert in_a_process_of_its_own(code, NETWORKX_BACKEND_PRIORITY="minigr") == expected
