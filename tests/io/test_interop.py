"""What other libraries hold goes in, and what they need comes out, in the same memory where the dtypes allow it."""

import sys

import numpy as np
import pytest
import scipy.sparse

import minigr as mg
from minigr.device import CPU, resolve

EDGES = [(0, 1, 4.0), (0, 2, 1.0), (1, 2, 2.0), (1, 3, 5.0), (3, 4, 3.0)]


class OnlyArrayInterface:
    """An array of a library that NumPy knows nothing about but its `__array_interface__`."""

    def __init__(self, array):
        self._array = array

    @property
    def __array_interface__(self):
        return self._array.__array_interface__


class OnlyCudaArrayInterface:
    def __init__(self, array):
        self._array = array

    @property
    def __cuda_array_interface__(self):
        return self._array.__cuda_array_interface__


class OnlyDLPack:
    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


OFFERS = {
    "cpu": (OnlyArrayInterface, OnlyDLPack),
    "cuda": (OnlyCudaArrayInterface, OnlyDLPack),
}


@pytest.fixture
def graph(device):
    return mg.Graph.from_edges(*map(list, zip(*EDGES, strict=True)), device=device)


@pytest.fixture
def rows(graph):
    """Offsets, indices and weights that are the test's own, on the device."""
    return [array.copy() for array in (graph.offsets, graph.indices, graph.weights)]


def address(array):
    """Where an array's memory begins."""
    interface = "__cuda_array_interface__" if hasattr(array, "__cuda_array_interface__") else "__array_interface__"
    return getattr(array, interface)["data"][0]


@pytest.mark.parametrize("offer", [0, 1], ids=["interface", "dlpack"])
def test_arrays_that_offer_one_protocol(device, rows, offer):
    wrapped = [OFFERS[device][offer](array) for array in rows]
    graph = mg.Graph.from_csr(*wrapped, device=device)
    for own, held in zip(rows, (graph.offsets, graph.indices, graph.weights), strict=True):
        assert address(held) == address(own)
    assert mg.sssp(graph, 0).distance.tolist() == [0, 3, 1, 8, 11]
    src, dst, weights = (OFFERS[device][offer](array.copy()) for array in graph.to_edges())
    again = mg.Graph.from_edges(src, dst, weights, device=device)
    assert again.indices.tolist() == graph.indices.tolist()
    assert again.weights.tolist() == graph.weights.tolist()


def test_results_offer_dlpack(device, graph):
    depth = mg.bfs(graph, 0).depth
    there = graph._device.xp.from_dlpack(depth)
    assert address(there) == address(depth)
    assert there.tolist() == [0, 1, 1, 2, 3]


def test_arrays_that_must_not_be_written_to(rows):
    rows = [CPU.asarray(array).copy() for array in rows]
    for array in rows:
        array.flags.writeable = False
    graph = mg.Graph.from_csr(*rows, device="cpu")
    assert np.shares_memory(graph.indices, rows[1])
    assert mg.sssp(graph, 0).distance.tolist() == [0, 3, 1, 8, 11]
    assert mg.DynamicGraph.from_graph(graph).num_edges == 5


def test_scipy_shares_indices_and_weights():
    matrix = scipy.sparse.random_array((60, 60), density=0.1, format="csr", rng=np.random.default_rng(0))
    graph = mg.Graph.from_scipy(matrix, device="cpu")
    assert np.shares_memory(graph.indices, matrix.indices)
    assert np.shares_memory(graph.weights, matrix.data)
    back = graph.to_scipy()
    assert np.shares_memory(back.indices, matrix.indices)
    assert np.shares_memory(back.data, matrix.data)
    assert (back != matrix).nnz == 0


def test_without_scipy_the_remedy_is_named(tmp_path, monkeypatch):
    graph = mg.generate.path(3, device="cpu")
    scipy.sparse.save_npz(tmp_path / "matrix.npz", graph.to_scipy())
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)  # importing it fails
    for call in (graph.to_scipy, lambda: mg.read(tmp_path / "matrix.npz")):
        with pytest.raises(ImportError, match=r"pip install 'minigr\[scipy\]'"):
            call()


@pytest.mark.gpu
def test_cupy_matrices_both_ways(graph):
    sparse = pytest.importorskip("cupyx.scipy.sparse")
    graph = graph.to("cuda")
    n = graph.num_vertices
    matrix = sparse.csr_matrix((graph.weights, graph.indices, graph.offsets), shape=(n, n))
    again = mg.Graph.from_scipy(matrix, directed=False)
    assert again.device == graph.device
    assert address(again.weights) == address(matrix.data)
    assert address(again.indices) == address(matrix.indices)
    assert mg.sssp(again, 0).distance.tolist() == [0, 3, 1, 8, 11]


def test_igraph_both_ways(graph):
    igraph = pytest.importorskip("igraph", reason="igraph is not installed (pip install igraph)")
    src, dst, weights = (CPU.asarray(array) for array in graph.to_edges())
    theirs = igraph.Graph(graph.num_vertices, np.column_stack([src, dst]), directed=graph.directed)
    theirs.es["weight"] = weights.tolist()
    assert theirs.distances(0, weights="weight")[0] == mg.sssp(graph, 0).distance.tolist()
    src, dst = np.array(theirs.get_edgelist()).reshape(-1, 2).T
    again = mg.Graph.from_edges(src, dst, theirs.es["weight"], num_vertices=theirs.vcount(), device="cpu")
    assert again.indices.tolist() == graph.indices.tolist()
    assert again.weights.tolist() == graph.weights.tolist()


def test_torch_tensors_both_ways(device, graph):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed, and too large to be a part of [test]")
    src, dst, _ = graph.to_edges(both_ways=True)
    edge_index = torch.stack([torch.from_dlpack(src), torch.from_dlpack(dst)]).long()  # PyTorch Geometric's
    again = mg.Graph.from_edges(*edge_index, num_vertices=5, directed=True, device=device)
    assert again.indices.tolist() == graph.indices.tolist()
    indices = torch.from_dlpack(graph.indices)
    assert indices.data_ptr() == address(graph.indices)
    held = mg.Graph.from_csr(torch.from_dlpack(graph.offsets), indices, device=device)
    assert address(held.indices) == indices.data_ptr()
    depth = mg.bfs(held, 0).depth
    tensor = torch.from_dlpack(depth)
    assert (tensor.data_ptr(), tensor.tolist()) == (address(depth), [0, 1, 1, 2, 3])


def test_samples_are_taken_without_a_copy(device, graph):
    sample = mg.sample_neighbors(graph, [0, 1], [2, 2])
    pairs, walks = mg.negative_samples(graph, 5), mg.random_walks(graph, [0, 1], 3)
    arrays = sample.node, sample.row, sample.col, sample.edge, pairs.src, pairs.dst, walks.vertices
    xp = resolve(device).xp
    for array in arrays:
        assert address(xp.from_dlpack(array)) == address(array)
    torch = pytest.importorskip("torch", reason="PyTorch is not installed, and too large to be a part of [test]")
    for array in arrays:
        tensor = torch.from_dlpack(array)
        assert (tensor.data_ptr(), tensor.tolist()) == (address(array), CPU.asarray(array).tolist())
    again = mg.sample_neighbors(graph, torch.from_dlpack(sample.node)[:2], [2, 2])
    assert CPU.asarray(again.edge).tolist() == CPU.asarray(sample.edge).tolist()


def test_jax_arrays_both_ways(graph, monkeypatch):
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")  # on a GPU it would take most of the memory that other tests need
    jax = pytest.importorskip("jax", reason="JAX is not installed, and too large to be a part of [test]")
    graph = graph.to("cpu")
    indices = jax.numpy.asarray(graph.indices)
    held = mg.Graph.from_csr(graph.offsets, indices, directed=False, device="cpu")
    assert address(held.indices) == indices.unsafe_buffer_pointer()  # JAX's are not to be written to, and are not
    depth = mg.bfs(held, 0).depth
    assert jax.numpy.from_dlpack(depth).tolist() == [0, 1, 1, 2, 3]  # it copies what begins at no multiple of 64


@pytest.mark.gpu
def test_cugraph_edge_lists(graph):
    cudf = pytest.importorskip("cudf", reason="cuDF is not installed; it comes with RAPIDS")
    cugraph = pytest.importorskip("cugraph", reason="cuGraph is not installed; it comes with RAPIDS")
    src, dst, weights = graph.to("cuda").to_edges()
    theirs = cugraph.Graph()
    theirs.from_cudf_edgelist(cudf.DataFrame({"src": src, "dst": dst, "weight": weights}), "src", "dst", "weight")
    table = theirs.view_edge_list()
    again = mg.Graph.from_edges(table["src"], table["dst"], table["weight"], num_vertices=5)
    assert again.device.startswith("cuda")
    assert mg.sssp(again, 0).distance.tolist() == [0, 3, 1, 8, 11]


def columns_of(kind):
    """A table of three edges in the types that a library has for names and numbers."""
    pd, pa = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    names, weights = (["ann", "bob", "ann"], ["bob", "cleo", "dan"]), [2.0, 3.0, 4.0]
    if kind == "pandas, categories and nullable numbers":
        src, dst = map(pd.Categorical, names)
        return pd.DataFrame({"src": src, "dst": dst, "weight": pd.array(weights, dtype="Float64")})
    if kind == "pandas, backed by Arrow":
        src, dst = (pd.array(column, dtype="string[pyarrow]") for column in names)
        return pd.DataFrame({"src": src, "dst": dst, "weight": pd.array(weights, dtype="double[pyarrow]")})
    if kind == "Arrow, dictionaries":
        src, dst = (pa.array(column).dictionary_encode() for column in names)
        return pa.table({"src": src, "dst": dst, "weight": weights})
    if kind == "Arrow, chunks":
        src, dst = (pa.chunked_array([column[:1], column[1:]]) for column in names)
        return pa.table({"src": src, "dst": dst, "weight": pa.chunked_array([weights[:2], weights[2:]])})
    pl = pytest.importorskip("polars")
    src, dst = (pl.Series(column, dtype=pl.Categorical) for column in names)
    return pl.DataFrame({"src": src, "dst": dst, "weight": weights})


@pytest.mark.parametrize(
    "kind",
    [
        "pandas, categories and nullable numbers",
        "pandas, backed by Arrow",
        "Arrow, dictionaries",
        "Arrow, chunks",
        "polars, categories",
    ],
)
def test_types_of_columns(kind):
    graph, labels = mg.from_table(columns_of(kind), device="cpu")
    assert list(labels) == ["ann", "bob", "cleo", "dan"]
    found = mg.sssp(graph, labels.id("cleo")).distance
    assert labels.series(found).to_dict() == {"ann": 5, "bob": 3, "cleo": 0, "dan": 9}


def test_columns_of_ids_are_taken_as_they_are():
    pa, pl = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    src, dst = [0, 1, 2], [1, 2, 3]
    want = mg.Graph.from_edges(src, dst, device="cpu").indices.tolist()
    for column in (pa.array, lambda values: pa.chunked_array([values]), pl.Series):
        assert mg.Graph.from_edges(column(src), column(dst), device="cpu").indices.tolist() == want
