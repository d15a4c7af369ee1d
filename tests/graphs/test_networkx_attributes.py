"""Attributes of NetworkX's graphs as columns, and columns as attributes."""

import datetime as dt

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigr as mg
from minigr.errors import GraphError

KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]


def town(kind):
    """A graph with a self-loop, an edge in both directions and, if the class allows them, parallel edges."""
    graph = kind()
    graph.add_node("c", size=3, pos=(0.5, 1.5), note="")
    graph.add_node("a", size=np.int32(4), pos=(1.5, 2.5), since=dt.date(2020, 1, 1))
    graph.add_node("b", size=5, pos=(2.5, 3.5), height=1.5)
    for u, v, road in (("a", "b", "A1"), ("b", "c", "A2"), ("c", "b", "A3"), ("a", "b", "A4"), ("c", "c", None)):
        graph.add_edge(u, v, lanes=len(graph.edges), **({} if road is None else {"road": road}))
    return graph


def told(graph, nodes):
    """The nodes and the edges with their attributes; the ends of an undirected edge are sorted."""
    edges = []
    for u, v, data in graph.edges(data=True):
        ends = (nodes[u], nodes[v])
        edges.append((ends if graph.is_directed() else tuple(sorted(ends)), sorted(data.items(), key=repr)))
    return {nodes[node]: data for node, data in graph.nodes(data=True)}, sorted(edges, key=repr)


@pytest.mark.parametrize("kind", KINDS)
def test_there_and_back(kind, device):
    theirs = town(kind)
    graph = mg.Graph.from_networkx(theirs, vertex_columns=True, edge_columns=True, device=device)
    assert list(graph.vertex_columns) == ["size", "pos", "note", "since", "height"]
    assert graph.vertex_columns["size"].tolist() == [3, 4, 5]
    assert graph.vertex_columns["size"].dtype == np.int64
    assert graph.vertex_columns["pos"].tolist() == [(0.5, 1.5), (1.5, 2.5), (2.5, 3.5)]
    assert graph.vertex_columns["note"].tolist() == ["", None, None]
    numbers = {name: number for number, name in enumerate(theirs)}
    again = graph.to_networkx(columns=True)
    assert type(again) is kind
    assert told(again, list(range(3))) == told(theirs, numbers)
    plain = graph.to_networkx()
    assert not any(data for _, data in plain.nodes(data=True))
    assert not any(data for *_, data in plain.edges(data=True))


@pytest.mark.parametrize("kind", KINDS)
def test_weights_and_names(kind, device):
    theirs = town(kind)
    graph = mg.Graph.from_networkx(theirs, "lanes", edge_columns=True, device=device)
    assert list(graph.edge_columns) == ["road"]
    assert not graph.vertex_columns
    weights = dict(zip(graph.edge_columns["road"].tolist(), graph.to_edges()[2].tolist(), strict=True))
    assert weights == {data.get("road"): data["lanes"] for *_, data in theirs.edges(data=True)}
    found = {data.get("road"): data["weight"] for *_, data in graph.to_networkx(columns=True).edges(data=True)}
    assert found == weights
    graph = mg.Graph.from_networkx(theirs, vertex_columns=["pos"], edge_columns="lanes", device=device)
    assert (list(graph.vertex_columns), list(graph.edge_columns)) == (["pos"], ["lanes"])


def test_missing_values_of_all_kinds_are_left_out():
    graph = mg.generate.path(3, device="cpu").with_columns(
        {
            "real": [1.5, np.nan, np.inf],
            "object": [None, pd.NA, pd.NaT],
            "whole": pd.array([1, None, 3], dtype="Int64"),
            "date": np.array(["2026-01-02", "NaT", "2026-01-03"], "M8[ns]"),
            "kind": pd.Categorical(["x", None, "y"]),
            "bool": [True, False, True],
        }
    )
    day = [pd.Timestamp("2026-01-02"), pd.Timestamp("2026-01-03")]
    assert dict(graph.to_networkx(columns=True).nodes(data=True)) == {
        0: {"real": 1.5, "whole": 1, "date": day[0], "kind": "x", "bool": True},
        1: {"bool": False},
        2: {"real": np.inf, "whole": 3, "date": day[1], "kind": "y", "bool": True},
    }


def test_large_numbers_beside_real_ones_stay_as_they_are():
    theirs = nx.Graph()
    theirs.add_nodes_from([(0, {"x": 2**60 + 1}), (1, {"x": 1.5})])
    assert mg.Graph.from_networkx(theirs, vertex_columns=True, device="cpu").vertex_columns["x"][0] == 2**60 + 1


def test_graphs_without_nodes_or_edges():
    for theirs in (nx.Graph(), nx.empty_graph(2)):
        graph = mg.Graph.from_networkx(theirs, edge_columns=["road"], vertex_columns=True, device="cpu")
        assert len(graph.edge_columns["road"]) == 0
        assert graph.to_networkx(columns=True).number_of_nodes() == len(theirs)


def test_refused():
    theirs = town(nx.Graph)
    with pytest.raises(GraphError, match="no edge has the attribute 'rod'; there are: 'lanes', 'road'"):
        mg.Graph.from_networkx(theirs, edge_columns=["rod"], device="cpu")
    with pytest.raises(GraphError, match="no node has the attribute 'road'"):
        mg.Graph.from_networkx(theirs, vertex_columns="road", device="cpu")
    theirs.nodes["a"][7] = "seven"
    with pytest.raises(GraphError, match="the attribute name 7 is not a string: list the names of columns"):
        mg.Graph.from_networkx(theirs, vertex_columns=True, device="cpu")
    assert list(mg.Graph.from_networkx(theirs, vertex_columns=["size"], device="cpu").vertex_columns) == ["size"]
    graph = mg.Graph.from_edges([0], [1], [2.5], device="cpu").with_columns(edges={"weight": [3]})
    with pytest.raises(GraphError, match="rename the column"):
        graph.to_networkx(columns=True)
    assert graph.without_weights().to_networkx(columns=True).edges[0, 1] == {"weight": 3}


_VALUES = st.one_of(st.integers(), st.text(), st.tuples(st.integers()))
_OF_EDGES = {"x": _VALUES, "y": st.booleans(), "z": st.floats(allow_nan=False)}
_EDGES = st.tuples(st.integers(0, 4), st.integers(0, 4), st.fixed_dictionaries({}, optional=_OF_EDGES))


@settings(deadline=None, max_examples=80)
@given(st.lists(_EDGES, max_size=12), st.lists(st.dictionaries(st.text(), _VALUES), max_size=5), st.sampled_from(KINDS))
def test_any_attributes(edges, nodes, kind):
    theirs = kind()
    theirs.add_nodes_from(enumerate(nodes))
    theirs.add_edges_from(edges)
    graph = mg.Graph.from_networkx(theirs, vertex_columns=True, edge_columns=True, device="cpu")
    numbers = {name: number for number, name in enumerate(theirs)}
    again = graph.to_networkx(columns=True)
    assert told(again, list(range(len(numbers)))) == told(theirs, numbers)
