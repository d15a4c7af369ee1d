"""More arcs than 32 bits can count, on the CPU: 16 GiB of mapped rows are never read, so they take no room.

Vertex 0 has more than 2**32 arcs, which no test may walk. The rows of all other vertices are after them.
"""

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr import memory
from minigr.device import resolve
from minigr.errors import GraphError
from minigr.graphs.dynamic import edge_batch, kernels_cpu
from minigr.io import batch_parquet
from minigr.program import cuda

FIRST = 2**32 + 3  # arcs of vertex 0
N = 60
_theirs = nx.gnm_random_graph(N, 300, 7, directed=True)
_theirs.remove_node(0)
SMALL = mg.Graph.from_edges(
    *np.array(_theirs.edges).T, np.arange(_theirs.size()) % 5 + 1.0, num_vertices=N, directed=True, device="cpu"
)
OTHERS = np.arange(1, N)


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    """The arcs of `SMALL` after those of vertex 0."""
    folder = tmp_path_factory.mktemp("mapped")

    def behind(name, values):
        array = np.memmap(folder / name, values.dtype, "w+", shape=FIRST + len(values))
        array[FIRST:] = values
        return array

    offsets = np.append(0, SMALL.offsets[1:] + FIRST)
    rows = offsets, behind("indices", SMALL.indices), behind("weights", SMALL.weights)
    return mg.Graph.from_csr(*rows, directed=True, validate=False, device="cpu")


class Problem(mg.Problem):
    edges = mg.vertex_field(np.int64)
    heaviest = mg.vertex_field(np.float64)


class Functor(mg.Functor):
    def apply_advance(src, edge, edges):
        mg.atomic_add(edges, src, edge)

    def apply(vertex, graph, heaviest):
        for _, _, weight in graph.weighted_edges(vertex):
            heaviest[vertex] = max(heaviest[vertex], weight)


class Ends(mg.Functor):
    def apply(src, dst, edges):
        mg.atomic_add(edges, src, N * dst)


def test_what_is_asked_of_a_graph(graph):
    assert graph.num_edges == graph.num_arcs == FIRST + SMALL.num_arcs
    assert graph.degree().tolist() == [FIRST, *SMALL.degree()[1:].tolist()]
    assert graph.max_degree() == FIRST
    for vertex in OTHERS:
        assert graph.neighbors(vertex).tolist() == SMALL.neighbors(vertex).tolist()
    src, dst = np.random.default_rng(1).integers(1, N, (2, 300))
    assert (graph.has_edges(src, dst) == SMALL.has_edges(src, dst)).all()


def test_a_subgraph(graph):
    ours, expected = (each.subgraph(OTHERS[::-1]) for each in (graph, SMALL))
    for name in ("offsets", "indices", "weights"):
        assert getattr(ours, name).tolist() == getattr(expected, name).tolist()


@pytest.mark.parametrize("balance", ["thread", "merge"])
def test_ids_of_edges(graph, balance):
    problem, expected = Problem(graph), Problem(SMALL)
    mg.operators.advance(problem, mg.Frontier.of(OTHERS), Functor, balance=balance, output=None)
    mg.operators.advance(expected, mg.Frontier.of(OTHERS), Functor, output=None)
    assert problem.edges.tolist() == (expected.edges + FIRST * SMALL.degree()).tolist()


def test_a_functor_that_walks(graph):
    problem, expected = Problem(graph), Problem(SMALL)
    for each in (problem, expected):
        mg.operators.compute(each, mg.Frontier.of(OTHERS), Functor)
    assert problem.heaviest.tolist() == expected.heaviest.tolist() != [0.0] * N


def test_edges_of_a_frontier(graph):
    problem, expected = Problem(graph), Problem(SMALL)
    for each, first in ((problem, FIRST), (expected, 0)):
        mg.operators.compute(each, mg.Frontier.of_edges(first + np.arange(SMALL.num_arcs)), Ends)
    assert problem.edges.tolist() == expected.edges.tolist() != [0] * N


def test_bytes(graph):
    assert graph.memory == 8 * (N + 1) + 12 * graph.num_arcs

    class Flow(mg.Problem):
        flow = mg.edge_field(np.float64)

    class Every(mg.Enactor, problem=Problem, functor=Functor):
        def step(self, frontier):
            return self.advance(frontier, duplicates="keep")

    assert Flow.memory_on(graph) == 8 * graph.num_arcs
    needed, of_small = (Every(each).memory(mg.Frontier.of(1)) for each in (graph, SMALL))
    assert needed - of_small >= 4 * FIRST


def test_searches(graph):
    assert mg.bfs(graph, 1, direction="push").depth.tolist() == mg.bfs(SMALL, 1).depth.tolist()
    for p in (1, 3):
        walks = [mg.random_walks(each, OTHERS, 9, p=p).vertices.tolist() for each in (graph, SMALL)]
        assert walks[0] == walks[1]


def test_samples(graph):
    found, expected = (mg.sample_neighbors(each, OTHERS[::5], [3, 2], inward=False) for each in (graph, SMALL))
    assert (found.node.tolist(), found.edge.tolist()) == (expected.node.tolist(), (expected.edge + FIRST).tolist())
    pairs = [mg.negative_samples(each, 20, sources=OTHERS) for each in (graph, SMALL)]
    assert pairs[0].dst.tolist() == pairs[1].dst.tolist()


# --- numbers of 32 bits, with a lower limit --------------------------------------------------------------------------


def test_a_dynamic_graph_of_more_arcs_than_a_batch_has(device, monkeypatch):
    monkeypatch.setattr(edge_batch, "MOST_PAIRS", 100)
    graph = SMALL.to(device)
    ours = mg.DynamicGraph.from_graph(graph, in_edges=True)
    for rows, expected in ((ours, graph), (ours.reverse(), graph.reverse())):
        assert rows.to_graph().indices.tolist() == expected.indices.tolist()
        assert rows.to_graph().weights.tolist() == expected.weights.tolist()
    with pytest.raises(GraphError, match="a batch may have 100 edges"):
        ours.insert_edges(np.ones(101, np.int32), np.ones(101, np.int32), np.ones(101, np.float32))


def test_a_batch_of_more_pairs_than_32_bits_number(monkeypatch):
    monkeypatch.setattr(kernels_cpu, "MOST_IN_32_BITS", 100)
    src, dst, weights = SMALL.to_edges()
    ours = mg.DynamicGraph(N, directed=False, weighted="float64", device="cpu")
    count, mask = ours.insert_edges(src, dst, weights, return_mask=True)
    assert count == mask.sum() == ours.num_edges
    assert ours.edge_weights(src[mask], dst[mask]).min() > 0
    ours.rehash(0.3)
    assert ours.delete_edges(src, dst) == count
    assert ours.num_edges == 0


def test_a_table_of_more_edges_than_32_bits_number(monkeypatch, tmp_path):
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(batch_parquet, "_MOST_IN_LISTS", 2)
    graphs = mg.GraphBatch.from_graphs([[(0, 1), (1, 2)], [(0, 1)]], device="cpu")
    mg.batch.write(graphs, tmp_path / "set.parquet")
    again = mg.batch.read(tmp_path / "set.parquet", device="cpu")
    assert (again.sizes.tolist(), again.graph.indices.tolist()) == ([3, 2], graphs.graph.indices.tolist())


@pytest.mark.gpu
def test_a_row_of_more_arcs_than_kernels_count(monkeypatch):
    monkeypatch.setattr(cuda, "_MOST_POSITIONS", 9)
    with pytest.raises(GraphError, match="the row of a vertex has 10 positions, but programs on a GPU take 9 at most"):
        mg.bfs(mg.Graph.from_edges([0] * 10, [1] * 10, device="cuda"), 0)
    assert mg.bfs(mg.generate.path(20, device="cuda"), 0).depth.tolist() == list(range(20))


# --- on a GPU with enough memory --------------------------------------------------------------------------------------

VERTICES, STEP, PART = 2**22, 5, 2**26


def arc(numbers):
    """Source, destination and weight of the arcs with these numbers."""
    src, turn = numbers % VERTICES, numbers // VERTICES
    return tuple(each.astype(np.int32) for each in (src, (src + STEP * turn) % VERTICES, turn))


@pytest.mark.gpu
def test_building_on_a_gpu():
    """Four cases are in one test, because tests that run at the same time share one GPU."""
    cupy = pytest.importorskip("cupy")
    for count in (2**31 + 1000, 2**32 + 1000):
        for weighted in (False, True):
            build_and_look(cupy, count, weighted)


def build_and_look(cupy, count, weighted):
    an_arc = (12 + 8 + (8 if count > 2**32 else 4)) if weighted else 12  # ends, entry, weights given and kept, position
    if memory.free(resolve("cuda")) < an_arc * count + 2**33:  # 2**33 bytes for other tests that run meanwhile
        pytest.skip(f"not enough memory for {count:,} arcs {'with' if weighted else 'without'} weights")
    given = [cupy.empty(count, np.int32) for _ in range(2 + weighted)]
    for first in range(0, count, PART):
        numbers = cupy.arange(first, min(first + PART, count))
        for array, values in zip(given, arc(numbers), strict=False):
            array[first : first + PART] = values
    graph = mg.Graph.from_edges(*given, num_vertices=VERTICES, directed=True, device="cuda")
    del given, array, values, numbers

    turns, more = divmod(count, VERTICES)
    lengths = turns + (np.arange(VERTICES) < more)
    np.testing.assert_array_equal(graph.offsets.get(), np.append(0, np.cumsum(lengths)))
    mg.Graph.from_csr(graph.offsets, graph.indices, directed=True)  # checks that each row is in order
    for vertex in (0, 7, more - 1, more, VERTICES // 2, VERTICES - 1):
        _, dst, turn = arc(vertex + VERTICES * np.arange(lengths[vertex]))
        order = np.argsort(dst)
        np.testing.assert_array_equal(graph.neighbors(vertex).get(), dst[order])
        if weighted:
            begin, end = graph.offsets[vertex : vertex + 2].tolist()
            np.testing.assert_array_equal(graph.weights[begin:end].get(), turn[order])
    assert graph.num_self_loops == (VERTICES if turns < VERTICES else 0)
    last = np.arange(VERTICES - 1000, VERTICES)
    part = graph.subgraph(last)
    assert part.num_arcs == int(np.isin(np.concatenate([graph.neighbors(v).get() for v in last]), last).sum())
    for balance in ("block", "merge"):
        problem = Problem(graph)
        mg.operators.advance(problem, mg.Frontier.of(last, device="cuda"), Functor, balance=balance, output=None)
        ends = np.append(0, np.cumsum(lengths))
        ids = [np.arange(ends[v], ends[v + 1]).sum() for v in last]
        np.testing.assert_array_equal(problem.edges[VERTICES - 1000 :].get(), ids)
