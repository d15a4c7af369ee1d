"""`mg.plot.graph`: what is drawn where and in which color; and the layout."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from matplotlib.collections import EllipseCollection, LineCollection, PathCollection, PolyCollection

import minigr as mg
from minigr.device import CPU
from minigr.plot.figures import COLORS, GRAY
from minigr.plot.layout import layout


def of(figure, kind):
    return [found for found in figure.axes[0].collections if type(found) is kind]


def shown(figure):
    """The groups of vertices: legend text, how many, color."""
    from matplotlib.colors import to_hex

    return [(p.get_label(), len(p.get_offsets()), to_hex(p.get_facecolor()[0])) for p in of(figure, PathCollection)]


def texts(figure):
    return [text.get_text() for text in figure.axes[0].get_legend().get_texts()]


@pytest.fixture
def pair(device):
    """Two triangles apart, of which one has a tail."""
    return mg.Graph.from_edges([0, 1, 2, 2, 4, 5, 6], [1, 2, 0, 3, 5, 6, 4], device=device)


def test_edges_join_the_places_of_their_ends(pair):
    place = np.random.default_rng(0).random((7, 2))
    figure = mg.plot.graph(pair, positions=place)
    [points] = of(figure, PathCollection)
    np.testing.assert_allclose(points.get_offsets(), place)
    [lines] = of(figure, LineCollection)
    src, dst, _ = pair.to("cpu").to_edges()
    np.testing.assert_allclose(lines.get_segments(), np.stack([place[src], place[dst]], axis=1))
    assert of(figure, PolyCollection) == []


def test_arrows_point_along_directed_edges():
    graph = mg.Graph.from_edges([0, 2], [1, 1], directed=True, device="cpu")
    place = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 2.0]])
    [heads] = of(mg.plot.graph(graph, positions=place), PolyCollection)
    for path, (begin, end) in zip(heads.get_paths(), ((0, 1), (2, 1)), strict=True):
        tip, *back = path.vertices[:3]
        along = place[end] - place[begin]
        assert all((tip - corner) @ along > 0 for corner in back)
        assert np.cross(*[np.append(v, 0) for v in (along, tip - place[begin])])[2] == pytest.approx(0)
        assert 0 < (tip - place[begin]) @ along < along @ along
        middle = (place[begin] + place[end]) / 2
        assert all((corner - middle) @ along > 0 for corner in back)  # so that those of an edge both ways are apart
    assert of(mg.plot.graph(graph, positions=place, arrows=False), PolyCollection) == []


def test_self_loops_are_circles_above_their_vertices():
    graph = mg.Graph.from_edges([0, 1, 1], [1, 1, 1], directed=True, device="cpu")
    figure = mg.plot.graph(graph, positions=[[0, 0], [1, 0]])
    [loops] = of(figure, EllipseCollection)
    [[x, y]] = loops.get_offsets()
    assert x == 1
    assert 0 < y < 1
    assert len(of(figure, LineCollection)[0].get_segments()) == 1
    assert figure.axes[0].get_ylim()[1] >= 2 * y  # all of the circle is to be seen


def test_groups_have_colors_markers_and_sizes_in_the_legend(pair):
    figure = mg.plot.graph(pair, mg.connected_components(pair).label, categorical=True, label="component")
    assert shown(figure) == [("0: 4", 4, COLORS[0].lower()), ("4: 3", 3, COLORS[1].lower())]
    assert texts(figure) == ["0: 4", "4: 3"]
    assert figure.axes[0].get_legend().get_title().get_text() == "component"
    assert len(figure.axes) == 1


def test_booleans_and_text_are_groups_by_themselves(pair):
    member = np.array([True, False, False, True, True, False, False])
    assert [text for text, *_ in shown(mg.plot.graph(pair, member))] == ["False: 4", "True: 3"]
    assert texts(mg.plot.graph(pair, list("aabbbba"))) == ["a: 3", "b: 4"]
    assert len(mg.plot.graph(pair, member, categorical=False).axes) == 2


def test_text_in_any_column_is_groups_and_what_is_missing_is_a_gray_cross(pair):
    pd, pa = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    names = ["a", "a", None, "b", "b", "b", "a"]
    for values in (names, np.array(names, object), pd.Series(names), pd.Categorical(names), pa.array(names)):
        assert [text for text, *_ in shown(mg.plot.graph(pair, values))] == ["a: 3", "b: 3", "no value: 1"]
    assert [text for text, *_ in shown(mg.plot.graph(pair, pd.Series(list("aabbbba"))))] == ["a: 3", "b: 4"]
    numbers = [1, 1, None, 2, 2, 2, 1]
    for values in (numbers, pd.array(numbers, dtype="Int64"), pa.array(numbers)):
        figure = mg.plot.graph(pair, values)
        assert (len(figure.axes), shown(figure)[1][0]) == (2, "no value: 1")
    assert shown(mg.plot.graph(pair, numbers, categorical=True))[0][0] == "1: 3"
    with pytest.raises(mg.errors.GraphError, match="the values are text, which are groups"):
        mg.plot.graph(pair, list("aabbbba"), categorical=False)


def test_of_many_groups_the_smallest_are_drawn_alike():
    graph = mg.generate.path(62, device="cpu")
    groups = np.concatenate([np.arange(30), np.arange(30), [28, 29]])  # 28 and 29 have three, others two
    figure = mg.plot.graph(graph, groups, categorical=True)
    labels = [text for text, *_ in shown(figure)]
    assert labels == [f"{i}: 2" for i in range(26)] + ["28: 3", "29: 3", "2 smaller ones: 4"]
    assert shown(figure)[-1][2] == GRAY
    styles = {(color, points.get_paths()[0].vertices.tobytes()) for (*_, color), points in
              zip(shown(figure), of(figure, PathCollection), strict=True)}  # fmt: skip
    assert len(styles) == 29


def test_quantities_have_a_color_bar(pair):
    rank = mg.pagerank(pair).rank
    figure = mg.plot.graph(pair, rank, label="rank")
    [points] = of(figure, PathCollection)
    np.testing.assert_array_equal(points.get_array(), CPU.asarray(rank))
    assert points.get_cmap().name == "viridis"
    assert figure.axes[1].get_ylabel() == "rank"


def test_what_has_no_value_is_a_gray_cross(pair):
    depth = CPU.asarray(mg.bfs(pair, 0).depth)
    for values in (np.ma.masked_less(depth, 0), np.where(depth < 0, np.inf, depth), np.where(depth < 0, np.nan, depth)):
        figure = mg.plot.graph(pair, values)
        assert [(count, text) for text, count, _ in shown(figure)][1:] == [(3, "no value: 3")]
        assert len(of(figure, PathCollection)[0].get_array()) == 4
    nothing = mg.plot.graph(pair, np.full(7, np.nan))
    assert texts(nothing) == ["no value: 7"]


def test_labels(pair):
    def written(figure):
        return [text.get_text() for text in figure.axes[0].texts]

    assert written(mg.plot.graph(pair)) == []
    assert written(mg.plot.graph(pair, labels=True)) == [str(i) for i in range(7)]
    figure = mg.plot.graph(pair, labels=list("abcdefg"), title="two parts")
    assert written(figure) == list("abcdefg")
    assert figure.axes[0].get_title() == "two parts"


def test_names_with_dollar_signs_are_no_formulas(pair, tmp_path):
    names = ["US$ A$", "$$", "$x_$", "a", "b", "c", "d"]
    figure = mg.plot.graph(pair, names, labels=names)
    mg.plot.save(figure, tmp_path / "names.svg")
    drawn = (tmp_path / "names.svg").read_text()
    assert all(f"<!-- {name} -->" in drawn and f"<!-- {name}: 1 -->" in drawn for name in names)


def test_deleted_vertices_are_not_drawn(pair):
    graph = mg.DynamicGraph.from_graph(pair)
    graph.delete_vertices([3, 6])
    figure = mg.plot.graph(graph, np.arange(7), categorical=True, labels=True)
    assert [text for text, *_ in shown(figure)] == [f"{i}: 1" for i in (0, 1, 2, 4, 5)]
    assert [text.get_text() for text in figure.axes[0].texts] == ["0", "1", "2", "4", "5"]
    assert np.isfinite(of(figure, LineCollection)[0].get_segments()).all()


def test_what_is_too_large_or_does_not_fit_is_refused(pair):
    with pytest.raises(mg.errors.GraphError, match="2,001 vertices and 2,000 edges are too many"):
        mg.plot.graph(mg.generate.path(2001, device="cpu"))
    with pytest.raises(mg.errors.GraphError, match="300 vertices and 44,850 edges are too many"):
        mg.plot.graph(mg.generate.complete(300, device="cpu"))
    with pytest.raises(mg.errors.GraphError, match="no vertices"):
        mg.plot.graph(mg.Graph.from_edges([], [], num_vertices=0, device="cpu"))
    with pytest.raises(mg.errors.GraphError, match=r"values has shape \(7, 2\): give one number or name for each"):
        mg.plot.graph(pair, np.zeros((7, 2)))
    for option in ("values", "labels", "positions"):
        with pytest.raises(mg.errors.GraphError, match=f"{option} has length 2, but there are 7 vertices"):
            mg.plot.graph(pair, **{option: [[0, 0], [0, 0]]})


def test_what_is_no_graph_is_refused(pair):
    for graph in (nx.path_graph(3), None, mg.GraphBatch.from_graphs([pair])):
        with pytest.raises(mg.errors.GraphError, match=r"plot.graph takes a minigr.Graph or DynamicGraph, got"):
            mg.plot.graph(graph)
        with pytest.raises(mg.errors.GraphError, match=r"plot.degrees takes a minigr.Graph or DynamicGraph, got"):
            mg.plot.degrees({"it": graph})


def test_values_and_positions_of_another_form_are_refused(pair):
    for values, what in (
        ("abcdefg", "shape"),
        ({i: i for i in range(7)}, "shape"),
        (5, "type int"),
        (pair, "Graph"),
        (np.array(5), "type ndarray"),
        ([[1], [2, 3]] + [[4]] * 5, "be read"),
    ):
        with pytest.raises(mg.errors.GraphError, match=rf"^graph: values .*{what}.*: give"):
            mg.plot.graph(pair, values)
    some = dict.fromkeys(range(1, 8), (0, 0))
    for positions in (np.zeros((7, 3)), np.zeros(7), [("a", "b")] * 7, [(0, 1)] * 6 + [(1,)], some):
        with pytest.raises(mg.errors.GraphError, match=r"^graph: positions .*: (give two|its keys)"):
            mg.plot.graph(pair, positions=positions)


# --- where the vertices are ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("graph", [nx.star_graph(299), nx.complete_graph(150)], ids=str)
def test_a_graph_in_which_nearly_all_vertices_are_alike_has_a_layout(graph):
    place = layout(nx.to_scipy_sparse_array(graph, dtype=float))
    assert np.isfinite(place).all()
    assert len(np.unique(place.round(6), axis=0)) == len(graph)


def test_positions_may_be_a_layout_of_networkx():
    graph = nx.path_graph(5)
    place = nx.circular_layout(graph)
    drawn = mg.plot.graph(mg.Graph.from_networkx(graph, device="cpu"), positions=place)
    np.testing.assert_array_equal(of(drawn, PathCollection)[0].get_offsets(), [place[v] for v in range(5)])


@pytest.mark.parametrize(
    "graph", [nx.grid_2d_graph(6, 9), nx.cycle_graph(12), nx.random_labeled_tree(25, seed=1)], ids=str
)
def test_distances_on_paper_are_like_those_in_the_graph(graph):
    """No vertex can be moved a bit to where the stress is clearly less, and the stress is no more than NetworkX's."""
    matrix = nx.to_scipy_sparse_array(graph, dtype=float)
    hops = np.array(nx.floyd_warshall_numpy(graph))
    weight = np.divide(1, hops**2, out=np.zeros_like(hops), where=hops > 0)

    def stress(place):
        return (weight * (np.linalg.norm(place[:, None] - place, axis=2) - hops) ** 2).sum()

    found = layout(matrix)
    theirs = np.array(list(nx.kamada_kawai_layout(graph).values()))
    apart = np.linalg.norm(theirs[:, None] - theirs, axis=2)
    theirs *= (weight * apart * hops).sum() / (weight * apart**2).sum()  # at its best scale
    assert stress(found) <= 1.05 * stress(theirs)


def test_components_do_not_overlap():
    graph = nx.disjoint_union_all([nx.path_graph(5), nx.cycle_graph(6), nx.complete_graph(4), *[nx.empty_graph(1)] * 7])
    place = layout(nx.to_scipy_sparse_array(graph, dtype=float))
    boxes = [(place[sorted(part)].min(0), place[sorted(part)].max(0)) for part in nx.connected_components(graph)]
    for number, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[:number]:
            assert ((low > other_high + 0.5) | (high < other_low - 0.5)).any()
    extent = place.max(0) - place.min(0)
    assert extent.max() < 4 * extent.min()


def test_weights_do_not_move_vertices():
    graph, infinite = mg.generate.lattice(3, 2, device="cpu"), float("inf")
    place = layout(graph.to_scipy())
    for weight in (infinite, 0.0, -1.0):
        np.testing.assert_array_equal(layout(graph.with_weights(np.full(graph.num_edges, weight)).to_scipy()), place)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_tiny_graphs(n):
    place = layout(nx.to_scipy_sparse_array(nx.star_graph(n - 1), dtype=float))
    assert place.shape == (n, 2)
    assert np.isfinite(place).all()
    assert len(np.unique(place.round(3), axis=0)) == n


def test_the_leaves_of_a_star_part():
    place = layout(nx.to_scipy_sparse_array(nx.star_graph(8), dtype=float))
    apart = np.linalg.norm(place[:, None] - place, axis=2)[~np.eye(9, dtype=bool)]
    assert apart.min() > 0.4
