"""Each allocation of a call fails once. The call then raises and changes nothing, and when repeated it succeeds."""

import gc
import re
import weakref
from pathlib import Path

import networkx
import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import OutOfMemoryError
from minigr.memory import out_of_memory
from tests.allocations import Failing

N = 400
_draw = np.random.default_rng(5)
SRC, DST = _draw.integers(0, N, (2, 1500), dtype=np.int32)
SRC[:200] = 7  # so that vertex 7 has many edges
WEIGHTS = _draw.integers(1, 9, 1500).astype(np.float32)
SOME, OTHERS = SRC[::3], DST[1::3]
TOLD = re.compile(
    r"^\w[\w.]* found no room on (cpu|cuda:0), where [\d,]+ bytes are free: (.*\d.*|a library did not say how much "
    r"it asked for)\. No graph was changed\. Drop arrays"
)


def graph_of(device, directed=False, weights=WEIGHTS):
    return mg.Graph.from_edges(SRC, DST, weights, num_vertices=N, directed=directed, device=device)


def directed_of(device):
    return graph_of(device, True)


def dynamic_of(device):
    return mg.DynamicGraph.from_graph(directed_of(device), in_edges=True)


def arrays_of(device):
    return resolve(device).asarray(np.arange(3000) % 7)


def lists(value):
    """A result as lists, which can be compared."""
    if hasattr(value, "dtype"):
        return CPU.asarray(value).tolist()
    if isinstance(value, mg.DynamicGraph):
        return lists(value.to_graph())
    if isinstance(value, mg.GraphBatch):
        return lists(value.host_offsets), lists(value.graph)
    if isinstance(value, mg.Graph):
        return lists(value.offsets), lists(value.indices), lists(value.weights)
    if isinstance(value, mg.dynamic.BFS):
        return lists(value.depth)
    if isinstance(value, Path):
        return value.read_bytes()
    if hasattr(value, "edge_ids"):
        return lists(value.offsets), lists(value.indices), lists(value.edge_ids)
    return [lists(each) for each in value] if isinstance(value, (tuple, list)) else value


def check(device, make, call):
    """Check `call` with the result of `make`, which must be unchanged after an allocation failed."""
    given = make(device)
    before, expected = lists(given), lists(call(given))
    del given
    gc.collect()  # frees objects of the compilation, some of which hold the graph
    in_use = used(device)
    for number in range(500):
        given = make(device)
        message = found = None
        with Failing(number, device) as failing:
            try:
                found = call(given)
            except OutOfMemoryError as error:
                message = str(error)
        if message is not None:
            assert TOLD.search(message), message
            assert f"no room on {resolve(device)}" in message
            assert lists(given) == before
            found = call(given)
        assert lists(found) == expected
        del found, given
        assert used(device) == in_use, f"allocation {number} leaks"
        if not failing.failed:
            break
    assert 0 < number < 499


def used(device):
    """The bytes in use on a GPU."""
    if not resolve(device).is_cuda:
        return 0
    import cupy

    return cupy.get_default_memory_pool().used_bytes()


def test_an_error_holds_nothing_of_the_call():
    made = []

    @out_of_memory
    def call():
        array = np.zeros(9)
        made.append(weakref.ref(array))
        raise MemoryError("no room, says the test")

    with pytest.raises(OutOfMemoryError, match=r"call found no room .*: no room, says the test\. No graph") as caught:
        call()
    assert caught.value
    assert made[0]() is None


@pytest.mark.gpu
@pytest.mark.parametrize("code", ["cudaErrorMemoryAllocation", "CUDA_ERROR_OUT_OF_MEMORY"])
def test_what_cuda_raises(code):
    @out_of_memory
    def call():
        raise RuntimeError(f"{code}: out of memory")

    with pytest.raises(OutOfMemoryError, match=rf"call found no room on cuda:0, where [\d,]+ bytes are free: {code}"):
        call()


BUILT = {
    "from_edges": lambda device: graph_of(device),
    "from_edges, directed, without weights": lambda device: graph_of(device, True, None),
    "from_csr": lambda device: mg.Graph.from_csr(*ROWS, directed=True, device=device),
    "from_scipy": lambda device: mg.Graph.from_scipy(MATRIX, device=device),
    "from_networkx": lambda device: mg.Graph.from_networkx(networkx.gnm_random_graph(300, 900, 3), device=device),
    "rmat": lambda device: mg.generate.rmat(8, 4, seed=1, weights=(1, 9), device=device),
    "rmat, arcs on the host": lambda device: mg.generate.rmat(8, 4, seed=1, weights=(1, 9), device=device, arcs="host"),
    "uniform": lambda device: mg.generate.uniform(300, 900, seed=1, device=device),
    "lattice": lambda device: mg.generate.lattice(20, 20, 0.7, device=device),
    "random_geometric": lambda device: mg.generate.random_geometric(300, 6, device=device),
    "a dynamic graph": lambda device: mg.DynamicGraph(N, device=device),
    "a dynamic graph of edges": lambda device: mg.DynamicGraph.from_edges(SRC, DST, WEIGHTS, device=device),
    "a batch": lambda device: mg.GraphBatch.from_edges(
        SRC, DST, [0, N, 2 * N], edge_offsets=[0, 700, 1500], device=device
    ),
    "a batch of graphs": lambda device: mg.GraphBatch.from_graphs([EDGES, EDGES[:700]], device=device),
}
_rows = graph_of("cpu", True)
MATRIX = _rows.to_scipy()
ROWS, EDGES = (_rows.offsets, _rows.indices, _rows.weights), np.stack([SRC, DST], 1)


@pytest.mark.parametrize("build", BUILT.values(), ids=BUILT)
def test_what_is_built(device, build):
    check(device, lambda device: device, build)


OF_A_GRAPH = {
    "in_edges": lambda graph: graph.in_edges(),
    "in_degree": lambda graph: graph.in_degree(),
    "by_degree": lambda graph: graph.by_degree(),
    "reverse": lambda graph: graph.reverse(),
    "to_edges": lambda graph: graph.to_edges(),
    "has_edges": lambda graph: graph.has_edges(SOME, OTHERS),
    "subgraph": lambda graph: graph.subgraph(range(300, 0, -1)),
    "edge_subgraph": lambda graph: graph.edge_subgraph(range(300, 0, -1)),
    "simplify": lambda graph: graph.simplify(self_loops=True),
    "to_undirected": lambda graph: graph.to_undirected("first"),
    "with_weights": lambda graph: graph.with_weights(range(graph.num_arcs)),
    "from_graph": lambda graph: mg.DynamicGraph.from_graph(graph, in_edges=True),
}


@pytest.mark.parametrize("call", OF_A_GRAPH.values(), ids=OF_A_GRAPH)
def test_what_is_made_of_a_graph(device, call):
    check(device, directed_of, call)


ALGORITHMS = {
    "bfs": lambda graph: mg.bfs(graph, 7).depth,
    "bfs, fused": lambda graph: mg.bfs(graph, 7, driver="fused").depth,
    "bfs, by the host": lambda graph: mg.bfs(graph, 7, driver="host").depth,
    "sssp": lambda graph: mg.sssp(graph, 7).distance,
    "pagerank": lambda graph: mg.pagerank(graph).iterations,
    "components": lambda graph: mg.connected_components(graph).label,
    "similarity": lambda graph: mg.similarity(graph).score,
    "most_similar": lambda graph: mg.most_similar(graph, 3).score,
    "sample_neighbors": lambda graph: mg.sample_neighbors(graph, [7, 3], [2, 2]).edge,
    "triangles": lambda graph: mg.triangle_count(graph).per_vertex,  # counts on the oriented graph
}


@pytest.mark.parametrize("call", ALGORITHMS.values(), ids=ALGORITHMS)
def test_algorithms(device, call):
    check(device, graph_of, call)


@pytest.mark.gpu
def test_a_loop_that_is_a_cuda_graph():
    check("cuda", graph_of, lambda graph: mg.bfs(graph, 7, driver="graph").depth)


def test_many_small_graphs(device):
    def make(device):
        return mg.GraphBatch.from_graphs([EDGES, [(0, 1), (1, 2)]], device=device)

    check(device, make, lambda batch: list(mg.batch.shortest_paths(batch)))
    check(device, make, lambda batch: batch[:1])


OF_ARRAYS = {
    "transform": lambda array: mg.primitives.transform(lambda i, a: a[i] + 1, a=array),
    "scan": lambda array: mg.primitives.scan(array),
    "compact": lambda array: mg.primitives.compact(lambda i, a: a[i] > 3, a=array),
}


@pytest.mark.parametrize("call", OF_ARRAYS.values(), ids=OF_ARRAYS)
def test_primitives(device, call):
    check(device, arrays_of, call)


CHANGES = {
    "insert": lambda graph, answer: answer.insert_edges(OTHERS, SOME, WEIGHTS[::3]),
    "delete": lambda graph, answer: answer.delete_edges(SRC[::2], DST[::2]),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_an_answer_that_follows_a_graph(device, change):
    def followed(device):
        graph = dynamic_of(device)
        return graph, mg.dynamic.BFS(graph, 7)

    def changed(given):
        change(*given)
        return given

    check(device, followed, changed)


@pytest.mark.parametrize("name", ["graph.txt", "graph.mtx", "graph.npz", "graph.minigr"])
def test_a_file_that_is_read(device, tmp_path, name):
    mg.write(graph_of("cpu"), tmp_path / name)
    check(device, lambda device: device, lambda device: mg.read(tmp_path / name, device=device))


@pytest.mark.parametrize("name", ["graph.txt", "graph.mtx"])  # other formats need no counted memory on a CPU
def test_a_file_that_is_written(device, tmp_path, name):
    path = tmp_path / name

    def with_a_file(device):
        path.write_text("as it was")
        return graph_of(device), path

    def written(given):
        mg.write(*given)
        return given

    check(device, with_a_file, written)
