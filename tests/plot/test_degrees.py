"""`mg.plot.degrees`: the points of the axes, against counts made one by one."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

import minigr as mg


@pytest.fixture(scope="module")
def kron():
    return mg.generate.rmat(9, 6, directed=True, device="cpu", seed=3)


def points(figure):
    return [line.get_xydata() for line in figure.axes[0].lines]


@pytest.mark.parametrize("inward", [False, True])
def test_the_ccdf_counts_vertices_of_at_least_a_degree(kron, inward):
    [found] = points(mg.plot.degrees(kron, inward=inward, ccdf=True))
    degree = np.bincount(kron.to_edges()[1 if inward else 0], minlength=512)
    expected = [(k, (degree >= k).mean()) for k in sorted(set(degree.tolist()) - {0})]
    np.testing.assert_allclose(found, expected)


def test_small_degrees_have_bins_of_their_own(kron):
    [found] = points(mg.plot.degrees(kron))
    counts = Counter(np.bincount(kron.to_edges()[0], minlength=512).tolist())
    for k in (1, 2, 3):
        assert found[k - 1].tolist() == [k, counts[k] / 512]


def test_bins_hold_all_vertices_with_edges(kron):
    """The share at a degree times the degrees of its bin adds up to all; bins are those of 10**(i / 10), rounded up."""
    degree = np.bincount(kron.to_edges()[0], minlength=512)
    [found] = points(mg.plot.degrees(kron))
    bounds = sorted({int(np.ceil(round(10 ** (i / 10), 9))) for i in range(40)})
    widths = {round((a * (b - 1)) ** 0.5, 6): b - a for a, b in pairwise(bounds)}
    total = sum(share * widths[round(middle, 6)] for middle, share in found)
    assert total == pytest.approx((degree > 0).mean())


def test_several_graphs_share_the_axes(kron):
    star = mg.generate.star(5, device="cpu")
    figure = mg.plot.degrees({"kron": kron, "star": star})
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    none = int((kron.out_degree() == 0).sum())
    assert labels == [f"kron, {none} vertices without edges", "star"]
    assert len({(line.get_color(), line.get_marker()) for line in figure.axes[0].lines}) == 2
    assert figure.axes[0].get_xscale() == figure.axes[0].get_yscale() == "log"


def test_many_series_differ(kron):
    lines = mg.plot.degrees({str(number): kron for number in range(40)}).axes[0].lines
    assert len({(line.get_color(), line.get_marker()) for line in lines}) == 40


def test_the_axes_say_what_they_show(kron):
    axes = mg.plot.degrees(kron, inward=True, ccdf=True).axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == (
        "in-degree, edges",
        "share of vertices with this in-degree or more",
    )


def test_deleted_vertices_do_not_count(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.star(5, device=device))
    graph.delete_vertices([4])
    [found] = points(mg.plot.degrees(graph, ccdf=True))
    assert found.tolist() == [[1, 1], [3, 0.25]]
    assert mg.plot.degrees(graph).axes[0].get_legend() is None


def test_a_graph_without_edges_is_refused():
    empty = mg.Graph.from_edges([], [], num_vertices=3, device="cpu")
    with pytest.raises(mg.errors.GraphError, match="lonely has no edges"):
        mg.plot.degrees({"lonely": empty})


def test_names_of_any_kind_are_written_as_they_are(kron, tmp_path):
    mg.plot.save(mg.plot.degrees({"US$ A$": kron, "$$": kron, 7: kron}), tmp_path / "names.svg")
    drawn = (tmp_path / "names.svg").read_text()
    assert all(f"<!-- {name}, " in drawn for name in ("US$ A$", "$$", 7))


def test_a_plot_of_nothing_is_refused():
    with pytest.raises(mg.errors.GraphError, match="give at least one"):
        mg.plot.degrees({})
