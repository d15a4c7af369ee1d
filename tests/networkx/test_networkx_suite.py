"""NetworkX's own tests, with every call that minigr offers answered by it and the others by NetworkX."""

import json
import os
import subprocess
import sys
from pathlib import Path

import networkx as nx

from minigr.networkx.functions import FUNCTIONS
from tests.networkx.conftest import VERSION, is_there

ROOT = Path(__file__).parents[2]
MODULES = (  # which ask for what minigr offers
    "algorithms.assortativity",
    "algorithms.bipartite.tests.test_basic",
    "algorithms.bipartite.tests.test_matching",
    "algorithms.centrality.tests.test_betweenness_centrality",
    "algorithms.centrality.tests.test_closeness_centrality",
    "algorithms.centrality.tests.test_degree_centrality",
    "algorithms.centrality.tests.test_eigenvector_centrality",
    "algorithms.centrality.tests.test_harmonic_centrality",
    "algorithms.centrality.tests.test_katz_centrality",
    "algorithms.coloring",
    "algorithms.community.tests.test_label_propagation",
    *(["algorithms.community.tests.test_leiden"] if is_there("leiden_communities") else []),
    "algorithms.community.tests.test_louvain",
    "algorithms.community.tests.test_quality",
    "algorithms.components",
    "algorithms.flow.tests.test_maxflow",
    "algorithms.link_analysis",
    "algorithms.shortest_paths",
    "algorithms.tests.test_bridges",
    "algorithms.tests.test_cluster",
    "algorithms.tests.test_core",
    "algorithms.tests.test_dag",
    "algorithms.tests.test_distance_measures",
    "algorithms.tests.test_efficiency",
    "algorithms.tests.test_link_prediction",
    "algorithms.tests.test_matching",
    "algorithms.tests.test_mis",
    "algorithms.tests.test_richclub",
    "algorithms.tests.test_voronoi",
    "algorithms.tests.test_wiener",
    "algorithms.traversal",
    "algorithms.tree.tests.test_mst",
    "generators.tests.test_classic",
    "generators.tests.test_lattice",
    "generators.tests.test_random_graphs",
)
LONG = {  # which are left out, unless this variable is set
    "test_use_bounds_on_off_consistency": "500 tests of two ways to one eccentricity take 40 seconds",
    "test_gnp_generators_edge_probability": "thousands of graphs are drawn, which takes 14 seconds",
}
EVERY = "MINIGR_TEST_EVERY_NETWORKX"
# For each function the tests in which minigr answered, in the version of NetworkX that has the fewest.
ANSWERED = json.loads((Path(__file__).parent / "answered.json").read_text())
REFUSED = ("leiden_communities", "leiden_partitions")  # by NetworkX 3.7, whose tests give a seed or another metric


def test_networkx_passes_its_tests_with_minigr(installed, tmp_path):
    answers = tmp_path / "answers.json"
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
        "NETWORKX_TEST_BACKEND": "minigr",
        "NETWORKX_FALLBACK_TO_NX": "1",
        "MINIGR_DEVICE": "cpu",
        "MINIGR_ANSWERS": str(answers),
    }
    (tmp_path / "pytest.ini").write_text("[pytest]\n")  # not this project's settings
    options = ["-q", "-x", "-p", "no:cacheprovider", "-p", "tests.networkx.count_answers", "--rootdir", str(tmp_path)]
    if not os.environ.get(EVERY):
        options += ["-k", " and ".join(f"not {name}" for name in LONG)]
    modules = [f"networkx.{module}" for module in MODULES]
    found = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "-c", str(tmp_path / "pytest.ini"), "--pyargs", *modules],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout[-4000:] + found.stderr[-2000:]
    counted = json.loads(answers.read_text())
    refused = REFUSED if VERSION >= (3, 7) else ()
    expected = {name: least for name, least in ANSWERED.items() if is_there(name) and name not in refused}
    fewer = {name: (counted.get(name, 0), least) for name, least in expected.items() if counted.get(name, 0) < least}
    assert not fewer, f"NetworkX {nx.__version__}: answered in (how many, at least) tests: {fewer}"


def test_each_function_is_asked_for_by_some_test():
    assert ANSWERED.keys() == FUNCTIONS.keys()
    never = {name for name, count in ANSWERED.items() if not count}
    assert never == {"louvain_partitions"}  # which they call with a seed alone
