"""Real graphs against the reference values that stand beside them, in the tables of INDEX.md."""

import os
import re
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU
from minigr.program.control import DRIVERS
from tests.apps.test_spanning_forest import reference as forest_reference
from tests.apps.test_strong_components import reference as strong_reference
from tests.conftest import DATA_VARIABLE, ROOT
from tests.verifiers import (
    check_betweenness,
    check_bfs,
    check_core_number,
    check_label_propagation,
    check_pagerank,
    check_sssp,
)

_INDEX = Path(os.environ.get(DATA_VARIABLE, ROOT.parent / "shared" / "data")) / "INDEX.md"  # as in conftest.data_dir


def rows_of_tables(first, marker):
    """The rows of each table in INDEX.md whose header begins with `first` and has a cell that begins with `marker`."""
    found, inside = [], False
    for line in _INDEX.read_text().splitlines() if _INDEX.exists() else ():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            inside = False
        elif cells[0] == first:
            inside, header = any(cell.startswith(marker) for cell in cells), cells
        elif inside and not set(cells[0]) <= set("-: "):
            found.append(dict(zip(header, cells, strict=False)))
    return found


def number(text):
    return int(text.replace(",", ""))


def searches():
    """(name, source, reached, levels, sum of levels)"""
    for row in rows_of_tables("name", "BFS src"):
        text = next(cell for header, cell in row.items() if header.startswith("BFS src"))
        match = re.fullmatch(r"(\d+): ([\d,]+) / ([\d,]+) / ([\d,]+)", text)
        assert match, f"{row['name']}: {text!r} is no 'source: reached / levels / sum'"
        yield pytest.param(row["name"], *map(number, match.groups()), id=row["name"])


def components():
    """(name, weakly connected components, vertices of the largest)"""
    for row in rows_of_tables("name", "WCC"):
        yield pytest.param(row["name"], *map(number, row["WCC / largest"].split(" / ")), id=row["name"])


def triangles():
    """(name, triangles)"""
    for row in rows_of_tables("name", "tri"):
        yield pytest.param(row["name"], number(row["tri"]), id=row["name"])


def strong_components():
    """(name, strongly connected components, vertices of the largest) of directed graphs"""
    for row in rows_of_tables("name", "SCC"):
        if row["SCC / largest"]:
            yield pytest.param(row["name"], *map(number, row["SCC / largest"].split(" / ")), id=row["name"])


def shortest_paths():
    """(name, source, reached, greatest distance, sum of distances)"""
    for row in rows_of_tables("name", "SSSP source"):
        values = (number(row[column]) for column in ("SSSP source", "reached", "max dist", "sum dist"))
        yield pytest.param(row["name"], *values, id=row["name"])


@pytest.mark.parametrize(("name", "source", "reached", "levels", "total"), list(searches()))
def test_bfs(data_dir, device, name, source, reached, levels, total):
    graph = mg.read(data_dir / f"{name}.npz", directed=False, weights=False, device=device)
    result = mg.bfs(graph, source)
    depth = CPU.asarray(result.depth)
    found = depth[depth >= 0].astype(np.int64)
    assert (len(found), found.max(), found.sum()) == (reached, levels, total)
    check_bfs(graph, source, depth, result.parent)


@pytest.mark.parametrize(("name", "count", "largest"), list(components()))
def test_components(data_dir, device, name, count, largest):
    for directed in (False, True):
        graph = mg.read(data_dir / f"{name}.npz", directed=directed, weights=False, device=device)
        result = mg.connected_components(graph)
        sizes = np.bincount(CPU.asarray(result.label))
        assert (result.num_components, np.count_nonzero(sizes), sizes.max()) == (count, count, largest)


@pytest.mark.parametrize(("name", "total"), list(triangles()))
def test_triangles(data_dir, device, name, total):
    for directed in (False, True):
        graph = mg.read(data_dir / f"{name}.npz", directed=directed, weights=False, device=device)
        result = mg.triangle_count(graph, per_vertex=True)
        assert (result.total, int(result.per_vertex.sum())) == (total, 3 * total)


@pytest.mark.parametrize(("name", "count", "largest"), list(strong_components()))
def test_strong_components(data_dir, device, name, count, largest):
    graph = mg.read(data_dir / f"{name}.npz", directed=True, weights=False, device=device)
    result = mg.strongly_connected_components(graph)
    label = CPU.asarray(result.label)
    sizes = np.bincount(label)
    assert (result.num_components, np.count_nonzero(sizes), sizes.max()) == (count, count, largest)
    np.testing.assert_array_equal(label, strong_reference(graph))


@pytest.mark.parametrize("name", [case.values[0] for case in shortest_paths()])
def test_spanning_forest(data_dir, device, name):
    graph = mg.read(data_dir / f"{name}.npz", directed=False, device=device)
    result = mg.minimum_spanning_forest(graph)
    assert (len(result.edges), result.total_weight) == forest_reference(graph)
    assert result.num_components == mg.connected_components(graph).num_components


@pytest.mark.parametrize(("name", "source", "reached", "greatest", "total"), list(shortest_paths()))
def test_sssp(data_dir, device, name, source, reached, greatest, total):
    graph = mg.read(data_dir / f"{name}.npz", device=device)
    result = mg.sssp(graph, source)
    distance = CPU.asarray(result.distance)
    found = distance[distance < np.inf].astype(np.int64)
    assert (len(found), found.max(), found.sum()) == (reached, greatest, total)
    check_sssp(graph, source, distance, result.parent)


@pytest.mark.parametrize(
    ("name", "source", "reached", "greatest", "total"),
    [case for case in shortest_paths() if case.values[0] in ("rome99", "osm-andorra")],
)
def test_drivers_agree_on_roads(data_dir, device, name, source, reached, greatest, total):
    graph = mg.read(data_dir / f"{name}.npz", device=device)
    depth, rank = CPU.asarray(mg.bfs(graph, source).depth), CPU.asarray(mg.pagerank(graph).rank)
    for driver in DRIVERS if device == "cuda" else ("fused", "host"):
        np.testing.assert_array_equal(CPU.asarray(mg.bfs(graph, source, driver=driver).depth), depth)
        distance = CPU.asarray(mg.sssp(graph, source, driver=driver).distance)
        found = distance[distance < np.inf].astype(np.int64)
        assert (driver, len(found), found.max(), found.sum()) == (driver, reached, greatest, total)
        np.testing.assert_allclose(CPU.asarray(mg.pagerank(graph, driver=driver).rank), rank, rtol=1e-9)


@pytest.mark.parametrize(
    ("name", "source", "reached", "levels", "total"),
    [case for case in searches() if case.values[0] in ("law-cnr-2000", "snap-as-caida20071105", "delaunay_n16")],
)
def test_drivers_agree_on_hubs_and_meshes(data_dir, device, name, source, reached, levels, total):
    graph = mg.read(data_dir / f"{name}.npz", directed=False, weights=False, device=device)
    for driver in DRIVERS if device == "cuda" else ("fused", "host"):
        depth = CPU.asarray(mg.bfs(graph, source, driver=driver).depth)
        found = depth[depth >= 0].astype(np.int64)
        assert (driver, len(found), found.max(), found.sum()) == (driver, reached, levels, total)


@pytest.mark.parametrize(
    ("name", "weighted"), [("snap-ca-GrQc", False), ("snap-wiki-Vote", False), ("rome99", False), ("rome99", True)]
)
def test_betweenness(data_dir, device, name, weighted):
    graph = mg.read(data_dir / f"{name}.npz", device=device)
    sources = [0, graph.num_vertices // 2]
    result = mg.betweenness_centrality(graph, sources, weighted=weighted, normalized=False, endpoints=True)
    sums = CPU.asarray(result.score) * len(sources) / graph.num_vertices
    check_betweenness(graph, sums, sources, weighted=weighted, endpoints=True)


@pytest.mark.parametrize("name", ["snap-ca-GrQc", "rome99", "snap-wiki-Vote", "snap-facebook-combined", "tu-MUTAG"])
def test_pagerank(data_dir, device, name):
    graph = mg.read(data_dir / f"{name}.npz", device=device)
    result = mg.pagerank(graph)
    assert result.converged
    check_pagerank(graph, result.rank)
    expected = nx.pagerank(graph.to_networkx(), weight="weight")
    difference = np.abs(CPU.asarray(result.rank) - [expected[v] for v in range(graph.num_vertices)]).sum()
    assert difference < 1e-6


@pytest.mark.parametrize("name", ["snap-ca-GrQc", "rome99", "snap-wiki-Vote", "snap-facebook-combined", "tu-MUTAG"])
def test_core_number(data_dir, device, name):
    for directed in (False, True):
        graph = mg.read(data_dir / f"{name}.npz", directed=directed, weights=False, device=device)
        result = mg.core_number(graph)
        check_core_number(graph, result.core, result.degeneracy)


@pytest.mark.parametrize(("name", "degeneracy"), [("law-cnr-2000", 83), ("snap-ego-twitter-und", 96)])
def test_drivers_agree_on_core_numbers(data_dir, device, name, degeneracy):
    graph = mg.read(data_dir / f"{name}.npz", directed=False, weights=False, device=device)
    found = mg.core_number(graph)
    assert found.degeneracy == degeneracy
    for driver in DRIVERS if device == "cuda" else ("fused", "host"):
        again = mg.core_number(graph, driver=driver)
        np.testing.assert_array_equal(CPU.asarray(again.core), CPU.asarray(found.core))


@pytest.mark.parametrize("name", ["snap-ca-GrQc", "rome99", "snap-wiki-Vote", "snap-facebook-combined"])
def test_label_propagation(data_dir, device, name):
    for directed in (False, True):
        graph = mg.read(data_dir / f"{name}.npz", directed=directed, device=device)
        result = mg.label_propagation(graph)
        assert result.converged
        check_label_propagation(graph, result.label, result.num_communities)


def test_the_tables_were_found(data_dir):
    assert len(list(searches())) >= 20
    assert len(list(components())) >= 20
    assert len(list(triangles())) >= 10
    assert len(list(strong_components())) >= 6
    assert len(list(shortest_paths())) >= 5
    missing = [case.values[0] for case in searches() if not (data_dir / f"{case.values[0]}.npz").exists()]
    assert not missing
