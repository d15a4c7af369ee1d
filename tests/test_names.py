"""Tests of the package's names: modules are imported when they are first used, and type checkers know all names."""

import ast
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import minigr
import minigr as mg
from minigr.errors import GraphError


def test_type_checkers_are_told_of_every_name():
    """`__init__.pyi` imports each name from the module from which `__init__.py` gets it."""
    tree = ast.parse(Path(minigr.__file__).with_suffix(".pyi").read_text())
    told = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            for name in node.names:
                assert name.asname is not None, "a name is only handed on by 'as'"
                told[name.asname] = (node.module, name.name)
    homes = {name: (home, name) for name, home in minigr._HOMES.items()}
    modules = {name: tuple(home.rsplit(".", 1)) for name, home in minigr._MODULES.items()}
    assert told == homes | modules


def test_every_name_is_there():
    assert set(minigr.__all__) <= set(dir(minigr))
    assert all(getattr(minigr, name) is not None for name in minigr.__all__)


APPS = sorted(name for name, home in minigr._HOMES.items() if home.startswith("minigr.apps.") and name != "stream")
NO_GRAPHS = [
    (lambda: nx.path_graph(3), r"got a networkx.*mg\.Graph\.from_networkx\(graph\)"),
    (lambda: scipy.sparse.eye_array(3, format="csr"), r"got a scipy.*mg\.Graph\.from_scipy\(matrix\)"),
    (lambda: mg.GraphBatch.from_graphs([mg.generate.path(3, device="cpu")]), r"got a .*GraphBatch: .*\.graph"),
    (lambda: pd.DataFrame({"src": [0], "dst": [1]}), r"got a pandas.*mg\.from_table\(table\)"),
    (lambda: "graph.mtx", r"got a str: read the file with mg\.read\(path\)"),
    (lambda: np.zeros((2, 2)), r"got a numpy\.ndarray: make one with mg\.Graph\.from_edges"),
    (lambda: None, r"got a NoneType: make one with mg\.Graph\.from_edges"),
    (lambda: mg.Graph, r"got the class Graph: make one"),
]


@pytest.mark.parametrize(("make", "complaint"), NO_GRAPHS)
def test_what_is_no_graph(make, complaint):
    graph = make()
    for name in APPS:
        with pytest.raises(GraphError, match=f"^{name} takes a minigr.Graph or DynamicGraph, {complaint}"):
            getattr(mg, name)(graph)
    for kind in (mg.Problem, mg.Enactor):
        with pytest.raises(GraphError, match=f"^{kind.__name__} takes a minigr.Graph or DynamicGraph, {complaint}"):
            kind(graph)


@pytest.mark.parametrize("name", APPS)
def test_options_that_an_algorithm_does_not_have(name):
    graph = mg.generate.path(3, device="cpu")
    with pytest.raises(TypeError, match=rf"^{name} has no option 'colour'; it has [a-z_, ]+$"):
        getattr(mg, name)(graph, colour="red")


def test_what_is_no_graph_to_convert():
    dynamic = mg.DynamicGraph(3, device="cpu")
    with pytest.raises(
        GraphError, match=r"^from_graph takes a static minigr\.Graph, got a DynamicGraph: use graph\.copy"
    ):
        mg.DynamicGraph.from_graph(dynamic)
    with pytest.raises(
        GraphError, match=r"^from_graph takes a minigr\.Graph or DynamicGraph, got a networkx.*from_netw"
    ):
        mg.DynamicGraph.from_graph(nx.path_graph(3))
    with pytest.raises(GraphError, match=r"^from_networkx takes a NetworkX graph, got list"):
        mg.Graph.from_networkx([(0, 1)])
