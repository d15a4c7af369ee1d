"""The apps on real graphs, against the reference values that come with them in INDEX.md."""

import re

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU

NUMBER = re.compile(r"[\d,]+")


def rows_of(index, first_columns):
    """The rows of each table in the Markdown text `index` whose header begins with `first_columns`."""
    rows, inside = [], False
    for line in index.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            inside = False
        elif cells[: len(first_columns)] == first_columns:
            inside = True
        elif inside and not set(line) <= set("|- "):
            rows.append(cells)
    return rows


def numbers(cell):
    return [int(text.replace(",", "")) for text in NUMBER.findall(cell)]


@pytest.fixture(scope="module")
def index(data_dir):
    return (data_dir / "INDEX.md").read_text()


def test_bfs_on_every_graph(index, data_dir, device):
    rows = rows_of(index, ["name", "dir", "n", "rows"])
    assert len(rows) >= 30
    for name, _, count, *_, reference, _, _ in rows:
        graph = mg.read(data_dir / f"{name}.npz", directed=False, weights=False, device=device)
        assert graph.num_vertices == int(count.replace(",", ""))
        source, reached, levels, total = numbers(reference)
        depth = CPU.asarray(mg.bfs(graph, source).depth)
        seen = depth[depth >= 0].astype(np.int64)
        assert (name, seen.size, int(seen.max()), int(seen.sum())) == (name, reached, levels, total)


def test_sssp_on_every_weighted_graph(index, data_dir, device):
    rows = rows_of(index, ["name", "weight dtype", "SSSP source"])
    assert len(rows) >= 5
    for name, _, source, reached, greatest, total, _ in rows:
        graph = mg.read(data_dir / f"{name}.npz", device=device)
        distance = CPU.asarray(mg.sssp(graph, int(source)).distance)
        finite = distance[np.isfinite(distance)].astype(np.float64)
        found = (name, finite.size, int(finite.max()), int(finite.sum()))
        assert found == (name, *(int(text.replace(",", "")) for text in (reached, greatest, total)))


@pytest.mark.parametrize("name", ["snap-wiki-Vote", "snap-ca-GrQc", "rome99"])
def test_pagerank_equals_networkx(data_dir, device, name):
    graph = mg.read(data_dir / f"{name}.npz", device=device)
    rank = CPU.asarray(mg.pagerank(graph).rank)
    expected = nx.pagerank(graph.to("cpu").to_networkx())
    assert sum(abs(rank[vertex] - value) for vertex, value in expected.items()) < 1e-6
