"""Tables in memory, and vertices that are called by names."""

import numpy as np
import pandas as pd
import pytest

import minigr as mg
from minigr.device import CPU
from minigr.errors import FormatError, GraphError
from minigr.labels import Labels

ROWS = {"from": ["ann", "bob", "ann"], "year": [1, 2, 3], "to": ["bob", "cleo", "dan"], "weight": [2.0, 3.0, 4.0]}


KINDS = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table", "builtins": "dict"}


@pytest.fixture(params=list(KINDS))
def make(request):
    """What makes a table of a dict of columns."""
    return getattr(pytest.importorskip(request.param), KINDS[request.param])


def test_tables(make, device):
    graph, labels = mg.from_table(make(ROWS), device=device)
    assert list(labels) == ["ann", "bob", "cleo", "dan"]
    assert not graph.directed
    assert graph.num_edges == 3
    distance = mg.sssp(graph, labels.id("cleo")).distance
    assert labels.series(distance, "distance").to_dict() == {"ann": 5, "bob": 3, "cleo": 0, "dan": 9}


def test_ids_that_are_numbers_already(make):
    graph, labels = mg.from_table(make({"src": [0, 4], "dst": [2, 0]}), relabel=False, directed=True, device="cpu")
    assert (graph.num_vertices, graph.num_edges, graph.directed, graph.weighted) == (5, 2, True, False)
    assert labels[4] == 4
    assert len(labels) == 5


@pytest.mark.parametrize("directed", [False, True])
def test_other_columns_go_along(make, device, directed):
    table = make({**ROWS, "by": ["car", "train", "car"]})
    graph, labels = mg.from_table(table, edge_columns=True, directed=directed, device=device)
    src, dst, weights = (CPU.asarray(each) for each in graph.to_edges())
    found = zip(labels[src], labels[dst], weights, graph.edge_columns["year"], graph.edge_columns["by"], strict=True)
    rows = zip(*(ROWS[name] for name in ("from", "to", "weight", "year")), ["car", "train", "car"], strict=True)
    assert {(u, v, w, int(str(year)), str(by)) for u, v, w, year, by in found} == set(rows)
    assert list(graph.edge_columns) == ["year", "by"]
    assert list(mg.from_table(table, edge_columns=["by"], device=device)[0].edge_columns) == ["by"]
    assert not mg.from_table(table, device=device)[0].edge_columns


def test_columns_of_ids_that_are_numbers_already():
    table = {"src": [2, 0, 0, 0], "dst": [1, 2, 1, 2], "name": ["a", "b", "c", "d"], "n": [5, 6, 7, 8]}
    graph, _ = mg.from_table(table, relabel=False, edge_columns="name", device="cpu")
    assert list(zip(*graph.to_edges()[:2], graph.edge_columns["name"], strict=True)) == [
        (0, 1, "c"),
        (0, 2, "b"),
        (0, 2, "d"),
        (1, 2, "a"),
    ]


def test_columns_by_choice():
    table = pd.DataFrame({"a": [1.5], "b": ["x"], "c": ["y"]})
    graph, labels = mg.from_table(table, columns=("weight", "dst", "src"), directed=True, device="cpu")
    assert [array.tolist() for array in graph.to_edges()] == [[0], [1], [1.5]]
    assert list(labels) == ["y", "x"]
    assert not mg.from_table(table, columns=("weight", "dst", "src"), weights=False, device="cpu")[0].weighted


@pytest.mark.parametrize(
    ("table", "options", "complaint"),
    [
        ([[0, 1]], {}, "expected a pandas or polars DataFrame, an Arrow Table or a dict of columns, got list"),
        ({"x": [0], "y": [1]}, {}, "no columns for source and target among 'x', 'y'"),
        ({"src": ["a"], "dst": ["b"]}, {"columns": ("src",)}, "columns= names 1 columns, but there are 2"),
        ({"src": ["a", None], "dst": ["b", "c"]}, {}, "row 1 of column 0 has no label"),
        ({"src": ["a"], "dst": ["b"], "weight": [None]}, {}, "row 0 has no 'weight'"),
        ({"src": [["a"]], "dst": [["b"]]}, {}, "labels must be hashable"),
        ({"src": [1, 2], "dst": np.ma.array([3, 4], mask=[0, 1])}, {}, r"dst\[1\] is masked, so it has no value"),
        ({"u": np.ma.array([3, 4], mask=[0, 1]), "v": [1, 2]}, {"relabel": False}, r"u\[1\] is masked"),
        ({"src": [1], "dst": [2], "w": np.ma.array([1.5], mask=[1])}, {}, r"w\[0\] is masked"),
        (pd.DataFrame([[1, 2, 3]], columns=["src", "dst", "dst"]), {}, "two columns are called 'dst'"),
        ({"a": [1], "b": [2]}, {"columns": ("src", "src", "dst")}, "columns= names 3 columns"),
        ({"a": [1], "b": [2], "c": [3]}, {"columns": ("src", "src", "dst")}, "columns= has 2 columns 'src'"),
        ({"src": [1], "dst": [2]}, {"columns": 5}, "columns= is the names of columns, got 5"),
        ({"src": [1], "dst": [2]}, {"edge_columns": None}, "edge_columns= is True, False or the names of columns"),
        ({"src": ["a"], "dst": ["b"]}, {"relabel": False}, "src must hold numbers"),
        ({"src": ["a"], "dst": ["b", "c"]}, {}, "src has length 1, but dst has length 2"),
        (
            {"src": ["a"], "dst": ["b"]},
            {"edge_columns": ["c"]},
            "edge_columns names 'c', but the table has 'src', 'dst'",
        ),
    ],
)
def test_refused_tables(table, options, complaint):
    with pytest.raises(GraphError, match=complaint):
        mg.from_table(table, **options, device="cpu")


@pytest.mark.filterwarnings("error")
def test_a_lazy_frame_is_refused():
    pl = pytest.importorskip("polars")
    with pytest.raises(GraphError, match="a LazyFrame has no rows yet"):
        mg.from_table(pl.LazyFrame({"src": [0], "dst": [1]}), device="cpu")


@pytest.mark.parametrize(
    "names", [["a", "b", "a"], [(1, 2), (3,), (1, 2)], [7, "seven", 7.5], [3, -1, 3], [True, (), frozenset()]]
)
def test_labels_of_any_hashable_type(names):
    labels, (ids,) = Labels.number(names)
    assert list(labels) == list(dict.fromkeys(names))
    assert ids.dtype == np.int32
    assert list(labels[ids]) == names
    assert labels.ids(names).tolist() == ids.tolist()
    assert [labels[i] for i in ids.tolist()] == names
    assert all(labels.id(name) == i for name, i in zip(names, ids, strict=True))


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint64])
@pytest.mark.parametrize("step", [1, 3, 1000])  # close together, or not
def test_labels_that_are_numbers(dtype, step):
    rng = np.random.default_rng(step)
    info = np.iinfo(dtype)
    for least in (info.min, 0, info.max - min(60 * step, int(info.max))):
        names = (least + step * rng.integers(0, 60, 150).astype(object)).tolist()
        names = np.array([name for name in names if name <= info.max], dtype)
        labels, (some, others) = Labels.number(names[:20], names[20:])
        assert list(labels) == list(dict.fromkeys(names.tolist()))
        assert labels._index.dtype == dtype
        assert some.dtype == others.dtype == np.int32
        assert (labels[np.concatenate([some, others])] == names).all()
        assert labels.ids(names[20:]).tolist() == others.tolist()


def test_numbers_and_names_stay_apart():
    labels, (src, dst) = Labels.number(np.array([1, 2]), ["1", "2"])
    assert list(labels) == [1, 2, "1", "2"]
    assert src.tolist() + dst.tolist() == [0, 1, 2, 3]


def test_whole_numbers_beside_a_column_of_real_numbers():
    labels, (src, dst) = Labels.number(np.array([2**53, 2**53 + 1]), np.array([2.0**53, 0.5]))
    assert list(labels) == [2**53, 2**53 + 1, 0.5]
    assert (src.tolist(), dst.tolist()) == ([0, 1], [0, 2])


def test_labels_of_no_ids():
    assert list(Labels(["a", "b"])[[]]) == []


def test_labels_with_half_precision():
    labels = Labels(np.array([0.5, 2], np.float16))
    assert (list(labels), labels.ids(np.array([2], np.float16)).tolist()) == ([0.5, 2], [1])


def test_tuples_are_single_labels():
    for names in ([("a", 1), ("b", 2)], [("\ud800", 1), ("b", 2)]):
        series = Labels(names).series([5, 6])
        assert (series.index.nlevels, series.index.tolist(), series.to_dict()) == (1, names, {names[0]: 5, names[1]: 6})


def test_what_is_asked_of_labels():
    labels = Labels(["a", "b"])
    with pytest.raises(GraphError, match=r"no vertex is called 'c' \(1 of 2 are unknown\)"):
        labels.ids(["a", "c"])
    with pytest.raises(GraphError, match="got 3 values for 2 labels"):
        labels.series([1, 2, 3])
    with pytest.raises(GraphError, match="the label 'a' is there twice"):
        Labels(["a", "b", "a"])
    with pytest.raises(GraphError, match="vertex 1 has no label"):
        Labels(["a", None])
    with pytest.raises(GraphError, match=r"labels\[1\] is masked"):
        Labels(np.ma.array([1, 2], mask=[0, 1]))
    with pytest.raises(GraphError, match=r"labels\[0\] is masked"):
        labels.ids(np.ma.array([1, 2], mask=[1, 0]))
    for call in (lambda: labels.id(["a"]), lambda: Labels([{}, {}])):
        with pytest.raises(GraphError, match="labels must be hashable"):
            call()
    with pytest.raises(GraphError, match=r"values has shape \(2, 2\)"):
        labels.series(np.ones((2, 2)))


def test_labels_of_an_index_with_levels():
    labels = Labels(pd.MultiIndex.from_tuples([(1, "a"), (2, "b")]))
    assert (list(labels), labels.id((2, "b"))) == ([(1, "a"), (2, "b")], 1)


def test_real_numbers_find_whole_numbers_only_where_they_are_equal():
    labels = Labels([2**53, 2**53 + 1])
    assert labels.id(float(2**53)) == 0
    assert labels.ids(np.array([2.0**53])).tolist() == [0]
    with pytest.raises(GraphError, match="no vertex is called"):
        Labels([2.0**53, 1.5]).id(2**53 + 1)
    with pytest.raises(GraphError, match="no vertex is called"):
        Labels([2.0**63, 1.5]).ids(np.array([2**63 + 1], np.uint64))
    assert list(Labels([2**63, -1, 2**63 + 1])) == [2**63, -1, 2**63 + 1]


def test_text_with_half_of_a_pair_of_codes(tmp_path):
    labels = Labels(["\ud800", "b"])
    assert (labels.id("\ud800"), labels.id("b")) == (0, 1)
    with pytest.raises(GraphError, match="no vertex is called"):
        Labels(["a"]).id("\ud800")
    graph = mg.generate.path(2, device="cpu")
    mg.write(graph, tmp_path / "a.gml", labels=labels)
    assert list(mg.read_named(tmp_path / "a.gml", device="cpu")[1]) == ["\ud800", "b"]
    with pytest.raises(FormatError, match="which XML can't hold"):
        mg.write(graph, tmp_path / "a.graphml", labels=labels)


def test_arrays_of_arrow():
    arrow = pytest.importorskip("pyarrow")
    names = arrow.array(["a", "b"])
    assert list(Labels(names)) == ["a", "b"]
    assert Labels(["b", "a"]).ids(names).tolist() == [1, 0]
    batch = arrow.RecordBatch.from_pydict({"src": ["a"], "dst": ["b"], "weight": [True]})
    for table in (batch, {"src": names[:1], "dst": names[1:], "weight": arrow.array([True])}):
        graph, labels = mg.from_table(table, device="cpu")
        assert (list(labels), graph.weights.tolist()) == (["a", "b"], [1, 1])
    with pytest.raises(GraphError, match="row 1 of column 1 has no label"):
        mg.from_table({"src": names, "dst": arrow.array(["a", None])}, device="cpu")
    with pytest.raises(GraphError, match="row 0 has no 'weight'"):
        mg.from_table({"src": [1], "dst": [2], "weight": arrow.nulls(1)}, device="cpu")


def test_no_rows():
    for relabel in (True, False):
        graph, labels = mg.from_table({"src": [], "dst": []}, relabel=relabel, device="cpu")
        assert (graph.num_vertices, graph.num_edges, len(labels)) == (0, 0, 0)


@pytest.mark.parametrize("directed", [False, True])
def test_edges_come_back(device, directed):
    src, dst, weights = np.array([3, 0, 2, 2]), np.array([1, 2, 0, 2]), np.array([1.0, 2, 3, 4])
    graph = mg.Graph.from_edges(src, dst, weights, directed=directed, device=device)
    again = mg.Graph.from_edges(*graph.to_edges(), directed=directed)
    assert again.device == graph.device
    for one, other in ((graph.offsets, again.offsets), (graph.indices, again.indices), (graph.weights, again.weights)):
        np.testing.assert_array_equal(CPU.asarray(one), CPU.asarray(other))
    both = graph.to_edges(both_ways=True)
    assert len(both[0]) == graph.num_arcs
    assert both[1] is graph.indices
