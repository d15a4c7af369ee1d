"""GraphBatch: its making from every form of graph, parts of it, and what is refused."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import GraphError
from tests.batch.sets import SETS, batch_of, same_batch, same_graph, shapes, weighted


def numbers(array):
    return CPU.asarray(array).tolist()


@pytest.mark.parametrize("name", SETS)
def test_each_graph_is_the_one_it_was_made_from(device, name):
    make, directed = SETS[name]
    graphs = weighted(make(directed), "float32")
    batch = batch_of(graphs, device, "weight")
    assert (len(batch), batch.directed, batch.weighted) == (len(graphs), directed, True)
    assert batch.num_vertices == sum(map(len, graphs))
    assert batch.num_edges == sum(graph.number_of_edges() for graph in graphs)
    assert batch.device == str(resolve(device))
    assert batch.sizes.tolist() == [len(graph) for graph in graphs]
    for found, graph in zip(batch, graphs, strict=True):
        if graph.edges:  # without any, a graph by itself has weights of another dtype
            same_graph(found, mg.Graph.from_networkx(graph, "weight", device=device))
        assert (found.num_vertices, found.num_edges) == (len(graph), graph.number_of_edges())


@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("directed", [False, True])
def test_all_forms_give_one_batch(device, directed, weight):
    graphs = [graph for graph in weighted(shapes(directed)) if not nx.number_of_selfloops(graph) and graph.edges]
    expected = batch_of(graphs, device, weight)

    def columns(graph):
        src, dst, weights = map(np.array, zip(*graph.edges(data="weight"), strict=True))
        return (src, dst, weights) if weight else (src, dst)

    counts = [len(graph) for graph in graphs]
    forms = {
        "columns": [columns(graph) for graph in graphs],
        "matrices": [nx.to_scipy_sparse_array(graph, weight="weight") for graph in graphs],
        "graphs": [mg.Graph.from_networkx(graph, weight, device=device) for graph in graphs],
    }
    if not weight:
        del forms["matrices"]
        forms["pairs"] = [list(graph.edges) for graph in graphs]
        forms["arrays"] = [np.array(graph.edges) for graph in graphs]
    for form in forms.values():
        same_batch(mg.GraphBatch.from_graphs(form, num_vertices=counts, directed=directed, device=device), expected)
    through = [np.concatenate(column) for column in zip(*map(columns, graphs), strict=True)]
    offsets = np.cumsum([0, *counts])
    shift = np.repeat(offsets[:-1], [graph.number_of_edges() for graph in graphs])
    weights = through[2] if weight else None
    same_batch(
        mg.GraphBatch.from_edges(
            through[0] + shift, through[1] + shift, offsets, weights, directed=directed, device=device
        ),
        expected,
    )
    same_batch(mg.GraphBatch.from_graph(expected.graph, offsets), expected)


def test_what_isnt_said_of_direction():
    assert not mg.GraphBatch.from_graphs([[(0, 1)]], device="cpu").directed
    assert mg.GraphBatch.from_graphs([nx.to_scipy_sparse_array(nx.path_graph(2))], device="cpu").directed
    assert mg.GraphBatch.from_graphs([nx.DiGraph([(0, 1)])], device="cpu").directed


def test_a_graph_without_edges_has_no_say_in_weights():
    weights = np.ones(1, np.float32)
    batch = mg.GraphBatch.from_graphs([[], ([0], [1], weights), ([], [], [])], num_vertices=[1, 2, 0], device="cpu")
    assert batch.graph.weights.dtype == np.float32
    assert mg.GraphBatch.from_graphs([([], [], weights[:0])], device="cpu").graph.weights.dtype == np.float32


def test_weights_of_several_dtypes_are_promoted():
    batch = mg.GraphBatch.from_graphs([([0], [1], np.ones(1, "f4")), ([0], [1], np.ones(1, "i4"))], device="cpu")
    assert batch.graph.weights.dtype == np.float64


@settings(max_examples=60, deadline=None)
@given(data=st.data(), directed=st.booleans(), has_weights=st.booleans())
def test_parts_are_batches_of_the_parts(data, directed, has_weights):
    sizes = data.draw(st.lists(st.integers(0, 4), max_size=7))
    columns = []
    for n in sizes:
        vertex = st.integers(0, max(n - 1, 0))
        edges = data.draw(st.lists(st.tuples(vertex, vertex), max_size=6 if n else 0))
        src, dst = np.array(edges, np.int32).reshape(-1, 2).T
        columns.append((src, dst, np.arange(len(src), dtype=np.float32)) if has_weights else (src, dst))
    options = {"directed": directed, "device": "cpu"}
    labels = np.arange(len(sizes)) * 10

    def made(which):
        chosen = [columns[i] for i in which]
        counts = [sizes[i] for i in which]
        return mg.GraphBatch.from_graphs(chosen, num_vertices=counts, graph_labels=labels[which], **options)

    def alike(found, which):
        np.testing.assert_array_equal(found.graph_labels, labels[which])
        if len(which):
            same_batch(found, made(which))
        else:
            assert (found.num_graphs, found.num_vertices, found.num_edges) == (0, 0, 0)

    count = len(sizes)
    everything = np.arange(count)
    if not count:
        return
    batch = made(everything)
    begin, end = data.draw(st.integers(-count - 1, count + 1)), data.draw(st.integers(-count - 1, count + 1))
    step = data.draw(st.sampled_from((None, 1, 2, -1)))
    alike(batch[begin:end:step], everything[begin:end:step])
    chosen = data.draw(st.lists(st.integers(-count, count - 1), max_size=9))
    alike(batch[chosen], everything[np.array(chosen, np.int64)])
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=count, max_size=count)))
    alike(batch[mask], everything[mask])
    for i in range(-count, count):
        same_graph(batch[i], batch[[i]].graph)


def test_labels_go_with_their_graphs(device):
    edges = ([0, 2, 5], [1, 3, 6], [0, 2, 5, 7])
    batch = mg.GraphBatch.from_edges(*edges, graph_labels=list("abc"), vertex_labels=np.arange(7) * 2, device=device)
    part = batch[[2, 0]]
    assert part.graph_labels.tolist() == ["c", "a"]
    assert part.vertex_labels.tolist() == [10, 12, 0, 2]
    assert batch[1:].vertex_labels.tolist() == [4, 6, 8, 10, 12]
    assert batch.to("cpu")._all_labels()[0].tolist() == ["a", "b", "c"]


def test_values_by_graph(device):
    batch = mg.GraphBatch.from_graphs([[(0, 1)], [], [(0, 1), (0, 2)]], num_vertices=[2, 0, 3], device=device)
    degree = batch.graph.degree()
    assert [numbers(part) for part in batch.split(degree)] == [[1, 1], [], [2, 1, 1]]
    assert numbers(batch.graph_of_vertex()) == [0, 0, 2, 2, 2]
    assert numbers(batch.vertex_offsets) == [0, 2, 2, 5]
    assert numbers(batch.reduce(degree)) == [2, 0, 4]
    assert numbers(batch.vertices([1, 2], [0, 2])) == [1, 4]
    assert numbers(batch[[0, 2]].vertices(1)) == [1, 3]


def test_nothing(device):
    batch = mg.GraphBatch.from_graphs([], device=device)
    assert repr(batch) == f"GraphBatch(0 graphs, 0 vertices, 0 edges, undirected, unweighted, {resolve(device)})"
    assert batch.split(batch.graph.degree()) == []
    assert len(batch[:]) == len(batch[[]]) == 0
    with pytest.raises(IndexError, match="no graph 0"):
        batch[0]


def test_devices(device):
    batch = batch_of(shapes(), "cpu")
    there = batch.to(device)
    assert there.device == str(resolve(device))
    assert there.to(device) is there
    same_batch(there.to("cpu"), batch)


PATH = [(0, 1), (1, 2)]


@pytest.mark.parametrize(
    ("graphs", "options", "named"),
    [
        ([PATH, [(0, -1)]], {}, r"graph 1: the targets\[0\] is -1"),
        ([PATH, PATH, ([0, 1], [1])], {}, r"graph 2: src has length 2, but dst has length 1"),
        ([PATH, 7], {}, r"graph 1: not a graph.*got int"),
        ([PATH, "ab"], {}, r"graph 1: not a graph"),
        ([PATH, [(0, 1, 2)]], {}, r"graph 1: not a graph.*\(1, 3\)"),
        ([PATH, [(0, 1), (2,)]], {}, r"graph 1: not a graph"),
        ([PATH, ([0],)], {}, r"graph 1: a tuple is \(src, dst\)"),
        ([PATH, [(0.5, 1)]], {}, r"graph 1: the sources must hold integer"),
        ([PATH, ([0], [1], [1.0])], {}, r"graph 1: the graph has weights, but the graphs before it have none"),
        ([[], ([0], [1], [1.0]), PATH], {}, r"graph 2: the graph has no weights, but the graphs before it have some"),
        ([([0], [1], [float("nan")])], {}, r"graph 0: weights\[0\] is NaN"),
        ([PATH, nx.DiGraph([(0, 1)])], {}, r"graph 1: the graph is directed, but the graphs before it are not"),
        ([nx.path_graph(2)], {"directed": True}, r"graph 0: the graph is undirected, but directed=True"),
        ([nx.path_graph(2)], {"weight": "w"}, r"graph 0: edge \(0, 1\) has no attribute 'w'"),
        ([PATH, PATH], {"num_vertices": [3, 2]}, r"graph 1: the targets\[1\] is 2, but num_vertices is 2"),
        ([PATH], {"num_vertices": [3, 2]}, r"num_vertices has 2 elements, but there are 1 graphs"),
        ([PATH, PATH], {"num_vertices": [3]}, r"num_vertices has 1 elements"),
        ([nx.path_graph(2)], {"num_vertices": [3]}, r"graph 0: the graph has 2 vertices, but num_vertices says 3"),
        ([nx.to_scipy_sparse_array(nx.DiGraph(PATH))], {"directed": False}, r"graph 0: an undirected graph holds both"),
        ([PATH], {"graph_labels": [1, 2]}, r"graph_labels has shape \(2,\), but there are 1 graphs"),
    ],
)
def test_a_bad_graph_is_named_by_its_position(graphs, options, named):
    with pytest.raises(GraphError, match=named):
        mg.GraphBatch.from_graphs(graphs, device="cpu", **options)


def test_too_many_vertices():
    with pytest.raises(GraphError, match="have 2147483650 vertices"):
        mg.GraphBatch.from_graphs([[], []], num_vertices=[2**30 + 1, 2**30 + 1], device="cpu")


@pytest.mark.parametrize(
    ("offsets", "named"),
    [
        ([0, 2, 4], r"the edge 1 -> 2 joins graph 0 and graph 1"),
        ([0, 3, 2, 4], r"vertex_offsets fall from 3 at graph 1"),
        ([1, 4], r"begin with 0.*beginning with 1"),
        ([], r"begin with 0"),
        ([0.0, 4.0], r"float64"),
        ([0, 3], r"num_vertices is 3"),
    ],
)
def test_bad_offsets(device, offsets, named):
    with pytest.raises(GraphError, match=named):
        mg.GraphBatch.from_edges([0, 1, 2], [1, 2, 3], offsets, device=device)


def test_bad_parts():
    batch = mg.GraphBatch.from_graphs([PATH, PATH], device="cpu")
    for key in (2, -3, [0, 2]):
        with pytest.raises(IndexError, match="there is no graph"):
            batch[key]
    with pytest.raises(IndexError, match="a mask must have an element for each of 2"):
        batch[[True]]
    with pytest.raises(IndexError, match="a mask must have an element for each of 2"):
        batch[np.zeros(0, bool)]
    for key in ("a", 1.0, [0.5], np.zeros(0)):
        with pytest.raises(TypeError, match="is indexed by"):
            batch[key]
    with pytest.raises(GraphError, match="there are 2 values, but 6 vertices"):
        batch.split([1, 2])
    with pytest.raises(GraphError, match="graph 1 has 3 vertices, so it has no vertex 3"):
        batch.vertices([0, 3])
    with pytest.raises(GraphError, match="one for each of 2 graphs, got 3 ids"):
        batch.vertices([0, 1, 2])
    with pytest.raises(GraphError, match="must agree"):
        mg.GraphBatch.from_graph(batch.graph, [0, 3])
    with pytest.raises(GraphError, match="takes a sequence of graphs, got NoneType"):
        mg.GraphBatch.from_graphs(None)
    with pytest.raises(GraphError, match="takes a sequence of graphs, got Graph: put a single graph in a list"):
        mg.GraphBatch.from_graphs(nx.path_graph(3))
    with pytest.raises(GraphError, match="graph_labels can't be read as an array"):
        mg.GraphBatch.from_graphs([[(0, 1)], [(0, 1)]], graph_labels=[[1], [1, 2]], device="cpu")
    with pytest.raises(GraphError, match="expected a Graph, got DynamicGraph"):
        mg.GraphBatch.from_graph(mg.DynamicGraph(3, device="cpu"), [0, 3])


def test_masked_arrays_are_refused(device):
    batch = mg.GraphBatch.from_graphs([[(0, 1)], [(0, 1)]], device=device)
    masked = np.ma.array([0, 1], mask=[0, 1])
    for of in (
        lambda: batch[masked],
        lambda: batch.vertices(masked),
        lambda: mg.GraphBatch.from_graphs([np.ma.array([[0, 1]], mask=[[0, 1]])], device=device),
        lambda: mg.GraphBatch.from_graphs([[(0, 1)], [(0, 1)]], graph_labels=masked, device=device),
        lambda: mg.GraphBatch.from_graph(batch[0], [0, 2], vertex_labels=masked),
    ):
        with pytest.raises(GraphError, match=r"\[1\] is masked"):
            of()


def test_arrays_of_arrow(device):
    """Those that DLPack has no place for: of text and bools, and with missing elements."""
    arrow = pytest.importorskip("pyarrow")
    graphs = [[(0, 1)], [(0, 1), (1, 2)]]
    batch = mg.GraphBatch.from_graphs(graphs, graph_labels=arrow.array(["a", "b"]), device=device)
    assert batch.graph_labels.tolist() == ["a", "b"]
    assert batch[arrow.array([False, True])].graph_labels.tolist() == ["b"]
    assert numbers(batch.vertices(arrow.chunked_array([[1], [2]]))) == [1, 4]
    missing = arrow.array([0, None])
    for of in (
        lambda: batch[missing],
        lambda: batch.vertices(missing),
        lambda: mg.GraphBatch.from_graphs(graphs, graph_labels=missing, device=device),
    ):
        with pytest.raises(GraphError, match=r"\[1\] is missing \(null\)"):
            of()


def test_no_vertices_of_no_graphs(device):
    batch = mg.GraphBatch.from_graphs([[(0, 1)]], device=device)
    assert len(batch[:0].vertices([])) == 0


def test_one_number_of_vertices_for_all_graphs(device):
    with pytest.raises(GraphError, match="num_vertices=3: give a sequence with one number for each graph"):
        mg.GraphBatch.from_graphs([[(0, 1)]], num_vertices=3, device=device)
