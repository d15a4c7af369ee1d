"""Exhibits of papers: what they are called, what they are measured on, and what is said of those without rows."""

import re

import pytest

from minigr.bench.document import row
from minigr.bench.papers.exhibit import Case, Exhibit, Given, Paper, described, measure_paper
from minigr.bench.papers.registry import PAPERS
from minigr.cli.bench_tables import TABLES
from minigr.device import CPU, resolve
from minigr.errors import GraphError


def weighted_rows(case):
    return [row({"graph": name, "by": "minigr"}, [1.0]) for name, graph in case.graphs() if graph.weighted]


PAPER = Paper(
    "some",
    "Somebody, Something, 2020",
    (
        Exhibit("table-1", "Table I: all", "mg.bfs", "apps", lambda case: [row({"app": "bfs"}, [2.0])]),
        Exhibit("table-2", "Table II: weighted", "mg.sssp", "apps", weighted_rows, needs="edge weights"),
    ),
)


def test_papers_and_exhibits_have_names_and_tables():
    for name, paper in PAPERS.items():
        assert paper.name == name
        assert re.search(r" \d{4}$", paper.title)
        names = [exhibit.name for exhibit in paper.exhibits]
        assert len(set(names)) == len(names) > 0
        for exhibit in paper.exhibits:
            assert re.fullmatch(r"abstract|(table|figure)(-\d+[a-z]?|s-\d+-\d+)", exhibit.name)
            assert exhibit.bench in TABLES
            assert exhibit.title.startswith(exhibit.name.split("-")[0].title())
        assert list(described(paper.exhibits)) == names


def test_rows_carry_their_exhibit_and_synthetic_graphs_are_made_once(device):
    case = Case(resolve(device), 1, 4)
    rows = []
    left_out = measure_paper(PAPER, [], case, rows)
    assert [each["key"]["exhibit"] for each in rows] == ["table-1", "table-2", "table-2"]
    assert [each["key"].get("graph") for each in rows] == [None, "rmat-4", "uniform-4"]
    assert not left_out
    assert [facts["vertices"] for facts in case.facts.values()] == [16, 16]
    assert dict(case.graphs())["rmat-4"] is dict(case.graphs())["rmat-4"]


def test_what_the_graphs_lack_is_said(device):
    import minigr as mg

    given = [Given("path", "path.npz", lambda: mg.generate.path(4, device=device))]
    case = Case(resolve(device), 1, None, given)
    rows = []
    left_out = measure_paper(PAPER, [], case, rows)
    assert [each["key"]["exhibit"] for each in rows] == ["table-1"]
    assert left_out == {"table-2": "left out: it needs edge weights, which no graph here has"}
    with pytest.raises(GraphError, match="table-2: left out: it needs edge weights"):
        measure_paper(PAPER, ["table-2"], case, [])


TINY = {"slabgraph": 6, "meerkat": 6}


@pytest.mark.parametrize(("name", "scale"), TINY.items())
def test_every_exhibit_has_rows_that_can_be_told_apart(name, scale):
    case = Case(CPU, 2, scale)
    rows = []
    left_out = measure_paper(PAPERS[name], [], case, rows)
    assert not left_out
    assert list(dict.fromkeys(each["key"]["exhibit"] for each in rows)) == [
        exhibit.name for exhibit in PAPERS[name].exhibits
    ]
    keys = [tuple(each["key"].items()) for each in rows]
    assert len(set(keys)) == len(keys)
    assert {each["key"]["graph"].removesuffix("-undirected") for each in rows} >= set(case.facts) - {"rmat-2-256"}
