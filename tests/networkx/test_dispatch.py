"""What NetworkX is told: which functions there are, what can be answered, and what had better be left to it."""

import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import networkx as nx
import pytest

from minigr.networkx import interface
from minigr.networkx.functions import FUNCTIONS
from minigr.networkx.info import backend_info

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_each_function_has_the_parameters_that_it_has_in_networkx(name):
    expected = list(inspect.signature(getattr(nx, name)).parameters.values())[:-2]  # without those of the dispatcher
    found = inspect.signature(getattr(interface, name)).parameters.values()
    assert [(one.name, one.default) for one in found] == [(one.name, one.default) for one in expected]


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
        ("bfs_layers", {"sources": [0, 1]}, "one source"),
        ("single_source_dijkstra", {"source": 0, "weight": lambda u, v, data: 1}, "function"),
        ("shortest_path", {"source": 0, "target": 1}, "bidirectional"),
        ("shortest_path", {}, "all_pairs_shortest_path"),
        ("shortest_path", {"source": 0, "weight": "weight", "method": "bellman-ford"}, "bellman-ford"),
        ("shortest_path_length", {"source": 0, "method": "none such"}, "none such"),
        ("average_shortest_path_length", {"weight": "weight"}, "hops"),
        ("average_shortest_path_length", {"method": "floyd-warshall"}, "hops"),
        ("triangles", {"nodes": [0]}, "all nodes"),
        ("clustering", {"nodes": 0}, "all nodes"),
        ("clustering", {"weight": "weight"}, "weights"),
        ("average_clustering", {"nodes": [1, 2]}, "all nodes"),
        ("betweenness_centrality", {"k": 2}, "drawn"),
        ("betweenness_centrality", {"weight": "weight"}, "weights"),
        ("closeness_centrality", {"distance": "weight"}, "hops"),
        ("closeness_centrality", {"wf_improved": False}, "wf_improved"),
        ("harmonic_centrality", {"nbunch": [0]}, "all nodes"),
        ("harmonic_centrality", {"sources": [0]}, "all nodes"),
    ],
)
def test_what_is_refused_by_keyword_and_by_position(name, given, reason):
    graph = nx.path_graph(3)
    assert reason in interface.can_run(name, (graph,), given)
    assert reason in interface.can_run(name, (), {"G": graph, **given})
    defaults = {one: other.default for one, other in inspect.signature(getattr(nx, name)).parameters.items()}
    defaults.popitem()
    positional = [given.get(one, default) for one, default in list(defaults.items())[1:-1]]
    assert reason in interface.can_run(name, (graph, *positional), {})


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_plain_calls_are_answered(name):
    parameters = inspect.signature(getattr(nx, name)).parameters
    starts = ("source",) if name == "harmonic_centrality" else ("source", "sources")  # whose `sources` are refused
    given = {one: 0 for one in starts if one in parameters}
    assert interface.can_run(name, (nx.path_graph(3),), given) is True


def test_the_reason_is_in_the_error(backend):
    with pytest.raises(NotImplementedError) as error:
        backend("dijkstra_path_length", nx.Graph([(0, 1, {"weight": -1})]), 0, 1)
    assert "must be at least 0" in str(error.value.__cause__)


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_small_graphs_are_left_to_networkx_and_large_ones_are_not(name):
    worth = FUNCTIONS[name].worth
    for graph, expected in ((nx.Graph(), False), (nx.path_graph(10), False), (nx.cycle_graph(worth // 3 - 10), False)):
        assert (interface.should_run(name, (graph,), {}) is True) is expected
        assert (interface.should_run(name, (), {"G": graph}) is True) is expected
    for graph in (nx.cycle_graph(worth // 3 + 10), nx.complete_graph(int(worth**0.5) + 1), nx.empty_graph(worth)):
        assert interface.should_run(name, (graph,), {}) is True


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
    assert sorted(told) == ["minigr.networkx", "minigr.networkx.functions", "minigr.networkx.info"]
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
    rows = page[page.index("## Functions") : page.index("Functions of NetworkX that are built on")]
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
        from minigr.networkx import cores, interface, unweighted
        nx.config.warnings_to_ignore.add("cache")
        asked = []
        def noted(module, name):
            inner = getattr(module, name)
            setattr(module, name, lambda *given, **named: asked.append(name) or inner(*given, **named))
        noted(cores, "core_number"), noted(unweighted, "bfs_edges"), noted(unweighted, "predecessor")
        graph = nx.cycle_graph(20_000)
        found = [len(nx.k_core(graph)), len(nx.bfs_tree(graph, 0)), len(list(nx.all_shortest_paths(graph, 0, 10_000)))]
        print(json.dumps([found, asked]))
    """
    expected = [[20_000, 20_000, 2], ["core_number", "bfs_edges", "predecessor"]]
    assert in_a_process_of_its_own(code, NETWORKX_BACKEND_PRIORITY="minigr") == expected
