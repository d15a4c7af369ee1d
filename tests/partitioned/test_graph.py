"""PartitionedGraph: the same graph in parts, however vertices are dealt out and the graph is made."""

import pickle
import weakref
from functools import partial
from threading import Thread

import numpy as np
import pytest

import minigr as mg
from minigr.apps.pagerank import transition
from minigr.device import CPU, resolve
from minigr.errors import DeviceError, EstimateError, GraphError, ProblemError
from minigr.graphs import build_cpu
from minigr.graphs.backend import builder
from minigr.graphs.partitioned import by_degree
from minigr.graphs.partitioned import share as module
from minigr.graphs.partitioned.array import PartitionedArray
from minigr.graphs.partitioned.exchange import InProcess
from minigr.graphs.partitioned.part import Part
from minigr.memory import estimate
from tests.battery import BATTERY
from tests.gone import all_gone

CASES = [(1, "auto"), (2, "ranges"), (3, "hash"), (4, "auto"), (7, "ranges")]


def same(found, graph):
    """Whether both graphs have the same rows and weights."""
    alike = (found.offsets == graph.offsets).all() and (found.indices == graph.indices).all()
    weights = found.weight_dtype == graph.weight_dtype and (
        graph.weights is None or (found.weights == graph.weights).all()
    )
    return alike and weights and (found.directed, found.num_vertices) == (graph.directed, graph.num_vertices)


@pytest.mark.parametrize(("name", "make"), BATTERY, ids=[name for name, _ in BATTERY])
def test_all_parts_together_are_the_graph(devices, name, make):
    graph = make("cpu")
    src, dst, weights = graph.to_edges()
    for count, deal in CASES:
        parts = mg.PartitionedGraph.from_graph(graph, devices=devices(count), deal=deal)
        assert same(parts.gather(), graph)
        counts = (parts.num_vertices, parts.num_edges, parts.num_arcs, parts.max_degree(), parts.has_parallel_edges)
        wanted = (graph.num_vertices, graph.num_edges, graph.num_arcs, graph.max_degree(), graph.has_parallel_edges)
        assert counts == wanted
        assert (parts.degree().gather() == graph.degree()).all()
        assert parts.max_degree(inward=True) == graph.max_degree(inward=True)
        made = mg.PartitionedGraph.from_edges(
            src, dst, weights, num_vertices=graph.num_vertices, directed=graph.directed, devices=devices(count),
            deal=deal,
        )  # fmt: skip
        assert [part.graph.num_arcs for part in made.parts] == [part.graph.num_arcs for part in parts.parts]
        if not graph.has_parallel_edges or graph.weights is None:
            assert same(made.gather(), graph)


def test_a_part_has_the_rows_of_its_vertices_and_knows_its_neighbors(devices):
    graph = mg.generate.rmat(8, 8, seed=1, directed=True, device="cpu")
    parts = mg.PartitionedGraph.from_graph(graph, devices=devices(3), deal="hash")
    host = CPU.asarray
    assert (np.sort(np.concatenate([host(part.owned) for part in parts.parts])) == np.arange(256)).all()
    parts.make_in_edges()
    for part in parts.parts:
        owned = host(part.owned)
        assert (parts.deal.owners(owned) == part.index).all()
        ends = set()
        for vertex in range(256):
            row, inward = part.graph.neighbors(vertex), part.graph.in_edges(ids=False)
            into = inward.indices[int(inward.offsets[vertex]) : int(inward.offsets[vertex + 1])]
            own = vertex in owned
            assert row.tolist() == (graph.neighbors(vertex).tolist() if own else [])
            wanted = graph.in_edges()
            assert into.tolist() == (
                wanted.indices[wanted.offsets[vertex] : wanted.offsets[vertex + 1]].tolist() if own else []
            )
            ends |= {*row.tolist(), *into.tolist()}
        assert set(np.concatenate(list(map(host, part.ghosts))).tolist()) == ends - set(owned.tolist())
        for other in parts.parts:
            assert (host(part.ghosts[other.index]) == host(other.mirrors[part.index])).all()


@pytest.mark.parametrize(("name", "make"), BATTERY, ids=[name for name, _ in BATTERY])
def test_vertices_of_a_part_are_numbered_by_degree(devices, name, make):
    graph = make("cpu")
    src, dst, weights = graph.to_edges(both_ways=True)
    for count, deal in CASES:
        parts = mg.PartitionedGraph.from_graph(graph, devices=devices(count), deal=deal)
        made, order = parts.by_degree()
        place = order.gather()
        assert (np.sort(place) == np.arange(graph.num_vertices)).all()
        moved = mg.Graph.from_edges(
            place[src], place[dst], weights, num_vertices=graph.num_vertices, directed=True, device="cpu"
        )
        found = made.gather()
        assert (found.offsets == moved.offsets).all()
        assert (found.indices == moved.indices).all()
        assert weights is None or (found.weights == moved.weights).all()
        for before, after in zip(parts.parts, made.parts, strict=True):
            assert (CPU.asarray(before.owned) == CPU.asarray(after.owned)).all()
            assert (np.diff(found.degree()[CPU.asarray(after.owned)]) <= 0).all()
        assert parts.by_degree()[0] is made


def test_in_edges_are_made_whole_after_an_interrupt(devices, monkeypatch):
    graph = mg.generate.rmat(7, 6, seed=1, directed=True, device="cpu")
    wanted = mg.hits(graph).hub
    for method in ("in_edges_of", "find_ghosts"):
        for count in (0, 1, 2):
            parts = mg.PartitionedGraph.from_graph(graph, devices=devices(3))
            with monkeypatch.context() as patch:
                interrupt_call(patch, Part, method, count)
                with pytest.raises(KeyboardInterrupt):
                    mg.hits(parts)
            assert (mg.bfs(parts, 0).depth.gather() == mg.bfs(graph, 0).depth).all()
            assert np.allclose(mg.hits(parts).hub, wanted)


def test_in_edges_that_are_dropped_in_the_middle_of_a_call_are_not_made_wrongly(monkeypatch):
    graph = mg.generate.rmat(7, 6, seed=1, directed=True, device="cpu")
    parts = mg.PartitionedGraph.from_graph(graph, devices=["cpu"] * 3)
    make_in_edges = mg.PartitionedGraph.make_in_edges

    def make_and_drop(graph):  # as another thread may do
        make_in_edges(graph)
        graph.drop("in_edges")

    with monkeypatch.context() as patch:
        patch.setattr(mg.PartitionedGraph, "make_in_edges", make_and_drop)
        with pytest.raises(GraphError, match="dropped while a call used them: call drop"):
            mg.hits(parts)
    assert np.allclose(mg.hits(parts).hub, mg.hits(graph).hub)
    assert np.allclose(mg.hits(pickle.loads(pickle.dumps(parts))).hub, mg.hits(graph).hub)


def interrupt_call(patch, owner, name, number):
    """Make the call `number` of a method, from 0, raise KeyboardInterrupt."""
    method, calls = getattr(owner, name), []

    def call(*arguments):
        calls.append(arguments)
        if len(calls) == number + 1:
            raise KeyboardInterrupt
        return method(*arguments)

    patch.setattr(owner, name, call)


def test_in_edges_may_be_made_in_the_middle_of_a_run(monkeypatch):
    graph = mg.generate.rmat(7, 6, seed=1, directed=True, device="cpu")
    source = int(graph.degree().argmax())
    wanted = mg.bfs(graph, source).depth
    for count in range(6):
        parts = mg.PartitionedGraph.from_graph(graph, devices=["cpu"] * 3, deal="hash")
        deliver, delivered = InProcess._deliver, []

        def delivery(exchange, sent, parts=parts, count=count, deliver=deliver, delivered=delivered):
            delivered.append(sent)
            if len(delivered) == count + 1:
                thread = Thread(target=parts.make_in_edges)
                thread.start()
                thread.join()
            return deliver(exchange, sent)

        with monkeypatch.context() as patch:
            patch.setattr(InProcess, "_deliver", delivery)
            assert (mg.bfs(parts, source).depth.gather() == wanted).all()
        assert len(delivered) > count
        assert np.allclose(mg.hits(parts).hub, mg.hits(graph).hub)


def test_vertices_are_not_numbered_by_degree_without_room(devices, monkeypatch):
    parts = mg.PartitionedGraph.from_graph(mg.generate.rmat(6, device="cpu"), devices=devices(2))
    monkeypatch.setattr(by_degree, "rows_fit", lambda *given: False)
    assert parts.by_degree_if_it_fits() is None
    assert parts.kept == {}
    monkeypatch.undo()
    before = parts.memory
    made, _ = parts.by_degree_if_it_fits()
    assert parts.kept["by_degree"] >= made.memory
    assert parts.memory == before + sum(parts.kept.values())
    parts.drop("by_degree")
    assert (parts.kept, parts.memory) == ({}, before)


@pytest.mark.parametrize("directed", [False, True])
def test_a_graph_goes_with_its_last_name(devices, directed, monkeypatch):
    """Objects that the graph keeps hold no reference to it, so it is freed without the garbage collector."""
    monkeypatch.setattr(transition, "_LARGE", {"cpu": 1, "cuda": 1})
    monkeypatch.setattr(transition, "_SKEWED", 1)
    graph = mg.generate.rmat(6, directed=directed, device="cpu")
    parts = mg.PartitionedGraph.from_graph(graph, devices=devices(2))
    mg.pagerank(parts)
    mg.pagerank(parts)
    references = [weakref.ref(parts), weakref.ref(parts.by_degree()[0])]
    del parts
    assert all_gone(references)


def test_edges_are_taken_in_pieces(devices, monkeypatch):
    monkeypatch.setattr(module, "CHUNK", 100)
    graph = mg.generate.rmat(7, 8, seed=3, weights=(1, 9), device="cpu")
    src, dst, weights = graph.to_edges()
    parts = mg.PartitionedGraph.from_edges(src, dst, weights, devices=devices(3), num_vertices=graph.num_vertices)
    assert same(parts.gather(), graph)
    src[350] = -4
    with pytest.raises(GraphError, match=r"src\[300:400\]\[50\] is -4"):
        mg.PartitionedGraph.from_edges(src, dst, devices=devices(1))


def test_parallel_edges_stay_in_the_order_in_which_they_were_given(devices):
    src, dst, weights = [0, 1, 0, 1, 1], [1, 0, 1, 0, 1], [5.0, 4.0, 3.0, 2.0, 1.0]
    graph = mg.Graph.from_edges(src, dst, weights, device="cpu")
    assert same(mg.PartitionedGraph.from_edges(src, dst, weights, devices=devices(2)).gather(), graph)


def test_the_deal_goes_by_the_graph(devices):
    star = mg.generate.star(1000, device="cpu")
    path = mg.generate.path(1000, device="cpu")
    assert mg.PartitionedGraph.from_graph(star, devices=devices(2)).report().deal == "hash"
    report = mg.PartitionedGraph.from_graph(path, devices=devices(4)).report()
    assert report.deal == "ranges"
    assert report.cut == 6 / path.num_arcs
    assert report.balance < 1.01
    assert report.vertices == (250,) * 4
    assert report.ghosts == (1, 2, 2, 1)
    assert sum(report.arcs) == path.num_arcs
    assert min(report.memory) > 8 * 1000
    assert str(report).startswith("4 parts by ranges: cut 0.3%, balance 1.00\n")
    empty = mg.PartitionedGraph.from_edges([], [], devices=devices(2)).report()
    assert (empty.cut, empty.balance) == (0, 1)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"devices": "cpu"}, GraphError, r"devices='cpu': give a list"),
        ({"devices": []}, GraphError, r"devices=\[\]: give a list"),
        ({"devices": ["cpu", "disk"]}, DeviceError, "unknown device 'disk'"),
        ({"devices": ["cpu"], "deal": "even"}, GraphError, "deal='even': use one of 'auto', 'ranges', 'hash'"),
        ({"devices": ["cpu"], "num_vertices": 1}, GraphError, r"dst\[0\] is 1, but num_vertices is 1"),
        ({"devices": ["cpu"], "weights": [1.0, 2.0]}, GraphError, "weights has length 2"),
    ],
)
def test_what_is_wrong_is_refused(options, error, message):
    with pytest.raises(error, match=message):
        mg.PartitionedGraph.from_edges([0], [1], **options)


def test_what_takes_one_graph_refuses_parts(devices):
    parts = mg.PartitionedGraph.from_edges([0, 1], [1, 2], devices=devices(2))
    with pytest.raises(GraphError, match=r"core_number does not run over a PartitionedGraph: .* graph\.gather"):
        mg.core_number(parts)
    with pytest.raises(GraphError, match="from_graph takes a static"):
        mg.PartitionedGraph.from_graph(mg.DynamicGraph(3, device="cpu"), devices=["cpu"])
    with pytest.raises(EstimateError, match="depends on what travels"):
        estimate(mg.bfs, parts, 0)
    with pytest.raises(GraphError, match="the graph has no weights"):
        parts.weight_summary()


def test_arrays_in_parts(devices):
    graph = mg.generate.rmat(6, 4, seed=1, device="cpu")
    parts = mg.PartitionedGraph.from_graph(graph, devices=devices(3))
    degree, whole = parts.degree(), graph.degree()
    assert (np.asarray(degree) == whole).all()
    assert ((degree * 2 - 1 > 5).gather() == (whole * 2 - 1 > 5)).all()
    assert (degree.sum(), degree.min(), degree.max()) == (whole.sum(), whole.min(), whole.max())
    assert degree.argmax() == whole.argmax()
    assert (degree >= 0).all()
    assert not (degree < 0).any()
    assert (degree[[3, 1]] == whole[[3, 1]]).all()
    degree[degree > 4] = -1
    degree[[0, 2]] = [7, 8]
    whole = np.where(whole > 4, -1, whole)
    whole[[0, 2]] = [7, 8]
    assert (degree.gather() == whole).all()
    assert repr(degree) == "PartitionedArray(64 int64 in 3 parts; gather() is the whole)"
    with pytest.raises(ValueError, match="without a copy"):
        np.array(degree, copy=False)

    class Degrees(mg.Problem):
        degree = mg.vertex_field("int64")
        total = mg.scalar_field("int64")

    assert (Degrees(parts, degree=degree).degree.gather() == whole).all()
    assert (Degrees(parts, degree=whole).degree.gather() == whole).all()
    other = mg.PartitionedGraph.from_graph(graph, devices=devices(2))
    with pytest.raises(ProblemError, match=r"Degrees\.degree is in the parts of another graph"):
        Degrees(other, degree=degree)
    with pytest.raises(ProblemError, match=r"Degrees\.degree must be .* int64 of shape"):
        Degrees(parts, degree=degree.__eq__(1))
    assert Degrees.memory_on(parts) == 3 * 8 * len(whole) + 8  # all parts have the scalar together


def test_an_assignment_uses_the_elements_of_all_parts(devices):
    graph = mg.generate.lattice(6, 5, 0.8, seed=1, device="cpu")
    parts = mg.PartitionedGraph.from_graph(graph, devices=devices(3), deal="hash")
    found = mg.bfs(parts, 0)
    depth, parent = found.depth, found.parent
    other = mg.bfs(mg.PartitionedGraph.from_graph(graph, devices=devices(2)), 0).depth
    for key, value in (
        (parent, 77),
        (parent, depth),
        (slice(None, None, -1), depth),
        (np.arange(30) ^ 1, depth),
        (depth == 3, np.arange((depth.gather() == 3).sum())),
        (depth > 2, depth[depth > 2]),
        (slice(None), other),
    ):
        array, whole = parts.degree() + 0, graph.degree()
        array[key] = value
        whole[np.asarray(key) if isinstance(key, PartitionedArray) else key] = np.asarray(value)
        assert (array.gather() == whole).all(), (key, value)


def test_arrays_in_parts_work_as_numpy_does(devices):
    graph = mg.generate.lattice(6, 5, 0.8, seed=1, device="cpu")
    parts = mg.PartitionedGraph.from_graph(graph, devices=devices(3), deal="hash")
    array, whole, parent = parts.degree() + 0, graph.degree(), mg.bfs(parts, 0).parent
    same_array = array
    array += parent
    array *= 3
    whole += np.asarray(parent)
    whole *= 3
    assert array is same_array
    assert (array.gather() == whole).all()
    assert [each.gather().tolist() for each in divmod(array, 5)] == [each.tolist() for each in divmod(whole, 5)]
    for reduce in (np.sum, np.min, np.max, np.any, np.all):
        assert reduce(array) == reduce(whole)
    with pytest.raises(ProblemError, match="without axis= and out=: use gather"):
        np.sum(array, axis=0)
    with pytest.raises(ProblemError, match="without axis= and out=: use gather"):
        np.sum(array, out=np.zeros((), int))
    for refused in (lambda: np.add.reduce(array), lambda: np.add(array, 1, dtype=float)):
        with pytest.raises(ProblemError, match=r"numpy\.add does not go vertex by vertex .*: use gather"):
            refused()
    other = mg.PartitionedGraph.from_graph(graph, devices=devices(3))
    with pytest.raises(ProblemError, match=r"numpy\.add is given is in the parts of another graph"):
        array + other.degree()


def test_the_elements_of_an_array_in_parts_are_gathered_once(devices, monkeypatch):
    parts = mg.PartitionedGraph.from_graph(mg.generate.path(6, device="cpu"), devices=devices(2))
    gather, gathered = PartitionedArray.gather, []
    monkeypatch.setattr(PartitionedArray, "gather", lambda array: gathered.append(array) or gather(array))
    assert set(parts.degree()) == {1, 2}
    assert len(gathered) == 1


def test_a_graph_in_parts_can_be_pickled(devices):
    parts = mg.PartitionedGraph.from_edges([0, 1, 2], [1, 2, 3], devices=devices(2))
    again = pickle.loads(pickle.dumps(parts))
    assert repr(again) == repr(parts)
    assert mg.bfs(again, 3).depth.gather().tolist() == [3, 2, 1, 0]


@pytest.mark.parametrize("options", [{"directed": True}, {"weights": (1, 99)}, {"simple": False}], ids=str)
def test_drawn_graphs_are_made_in_parts(devices, monkeypatch, options):
    for build in (build_cpu, builder(resolve(devices(1)[0]))):
        monkeypatch.setattr(build, "part_of", lambda count: 700)
    for draw in (partial(mg.generate.rmat, 8, 9, seed=3), partial(mg.generate.uniform, 300, 1500, seed=4)):
        graph = draw(**options, device="cpu")
        for count, deal in CASES[:4]:
            parts = draw(**options, devices=devices(count), deal=deal)
            assert same(parts.gather(), graph)
            assert parts.devices == tuple(devices(count))
            assert (parts.num_edges, parts.num_self_loops) == (graph.num_edges, graph.num_self_loops)
            assert parts.report().balance < 1.6
    with pytest.raises(GraphError, match="devices= says where the parts of a graph are: leave out device="):
        mg.generate.rmat(3, devices=devices(2), device="cpu")
    with pytest.raises(GraphError, match="deal='even'"):
        mg.generate.rmat(3, devices=devices(2), deal="even")


def test_what_is_kept_is_counted_and_dropped(devices):
    graph = mg.generate.rmat(6, 8, seed=1, directed=True, device="cpu")
    parts = mg.PartitionedGraph.from_graph(graph, devices=devices(2))
    assert parts.kept == {}
    bare = parts.memory
    ranks = mg.pagerank(parts).rank.gather()
    assert {"chances", "in_edges"} <= parts.kept.keys()
    assert parts.kept["chances"] == 2 * 8 * graph.num_vertices
    assert parts.memory > bare + parts.kept["chances"]
    with pytest.raises(GraphError, match="the graph keeps no 'chance'; did you mean 'chances'"):
        parts.drop("chance", "in_edges")
    assert "in_edges" in parts.kept
    parts.drop("in_edges")
    assert "in_edges" not in parts.kept
    assert "chances" in parts.kept
    parts.drop()
    assert parts.kept == {}
    assert np.allclose(mg.pagerank(parts).rank.gather(), ranks)


def test_a_number_is_stored_at_one_vertex(devices):
    parts = mg.PartitionedGraph.from_graph(mg.generate.path(6, device="cpu"), devices=devices(2))
    degree = parts.degree() + 0
    degree[2], degree[-1], degree[np.int32(3)] = 7, 0, 8.0
    assert degree.gather().tolist() == [1, 2, 7, 8, 2, 0]
    with pytest.raises(IndexError):
        degree[6] = 1


def test_facts_may_be_found_while_a_graph_is_copied(devices):
    graph = mg.PartitionedGraph.from_edges([0, 1], [1, 2], [1.0, 2.0], directed=True, devices=devices(2))
    graph.weight_summary()
    for _ in graph._facts:  # as copy.deepcopy does, while another thread asks
        graph.max_degree()
        graph.longest_row(inward=True)
