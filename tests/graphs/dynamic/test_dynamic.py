"""DynamicGraph over the battery, its options, and invalid arguments."""

import pickle

import numpy as np
import pytest

import minigr as mg
from minigr import generate
from minigr.device import CPU
from minigr.errors import FormatError, GraphError, OutOfMemoryError
from minigr.graphs.dynamic import DynamicGraph
from minigr.graphs.dynamic.layout import OWNER, SLAB_BYTES, buckets_for
from tests.allocations import Failing
from tests.battery import BATTERY
from tests.graphs.dynamic.oracle import Oracle, arcs_of, check, rows_of

DTYPES = ("int32", "int64", "float32", "float64")


def pairs(rng, n, count):
    return rng.integers(0, n, (2, count), dtype=np.int32)


def oracle_of(graph, loops=False):
    """An oracle with the edges of a `Graph`, inserted in the order of its rows."""
    oracle = Oracle(graph.num_vertices, graph.directed, graph.weighted, loops)
    offsets, indices = CPU.asarray(graph.offsets), CPU.asarray(graph.indices)
    src = np.repeat(np.arange(graph.num_vertices), np.diff(offsets)).tolist()
    oracle.insert(src, indices.tolist(), None if not graph.weighted else CPU.asarray(graph.weights).tolist())
    return oracle


@pytest.mark.parametrize("factory", [factory for _, factory in BATTERY], ids=[name for name, _ in BATTERY])
@pytest.mark.parametrize("loops", [False, True], ids=["", "loops"])
def test_battery(device, factory, loops):
    graph = factory(device)
    dynamic = DynamicGraph.from_graph(graph, allow_self_loops=loops, in_edges=loops)
    oracle = oracle_of(graph, loops)
    check(dynamic, oracle)
    assert dynamic.device == graph.device
    src, dst = (CPU.asarray(ids) for ids in pairs(np.random.default_rng(1), max(graph.num_vertices, 1), 400))
    if graph.num_vertices == 0:
        src, dst = src[:0], dst[:0]
    weights = np.arange(len(src)).astype(graph.weights.dtype) if graph.weighted else None
    there = oracle.arcs()
    found = CPU.asarray(dynamic.has_edges(src, dst)).tolist()
    assert found == [pair in there for pair in zip(src.tolist(), dst.tolist(), strict=True)]
    want = oracle.insert(src.tolist(), dst.tolist(), None if weights is None else weights.tolist())
    count, mask = dynamic.insert_edges(src, dst, weights, return_mask=True)
    assert (count, CPU.asarray(mask).tolist()) == (sum(want), want)
    check(dynamic, oracle)
    want = oracle.delete(src[::2].tolist(), dst[::2].tolist())
    count, mask = dynamic.delete_edges(src[::2], dst[::2], return_mask=True)
    assert (count, CPU.asarray(mask).tolist()) == (sum(want), want)
    dynamic.rehash()
    check(dynamic, oracle)


@pytest.mark.parametrize("dtype", [None, *DTYPES])
@pytest.mark.parametrize("directed", [True, False], ids=["directed", "undirected"])
def test_from_edges_is_inserting_edges(device, dtype, directed):
    rng = np.random.default_rng(3)
    src, dst = pairs(rng, 50, 4000)
    weights = None if dtype is None else rng.integers(0, 1000, 4000).astype(dtype)
    options = {"directed": directed, "device": device}
    bulk = DynamicGraph.from_edges(src, dst, weights, num_vertices=50, in_edges=True, **options)
    grown = DynamicGraph(50, weighted=dtype or False, in_edges=True, **options)
    oracle = Oracle(50, directed, dtype is not None)
    for part in np.array_split(np.arange(4000), 7):
        values = None if dtype is None else weights[part]
        assert grown.insert_edges(src[part], dst[part], values) == sum(
            oracle.insert(src[part].tolist(), dst[part].tolist(), None if dtype is None else values.tolist())
        )
    check(bulk, oracle)
    check(grown, oracle)
    assert grown.weight_dtype == bulk.weight_dtype == (None if dtype is None else np.dtype(dtype))


def test_a_hub_in_one_batch_and_edge_by_edge(device):
    """Chains stay short, no matter how a vertex gets its edges, and the cost of this does not grow with the square."""
    n = 20_000
    leaves = np.arange(1, n, dtype=np.int32)
    hub = np.zeros(n - 1, np.int32)
    at_once = DynamicGraph(n, device=device)
    assert at_once.insert_edges(hub, leaves) == n - 1
    slowly = DynamicGraph(n, device=device)
    for part in np.array_split(np.arange(n - 1), 60):
        slowly.insert_edges(hub[part], leaves[part])
    for graph in (at_once, slowly):
        assert int(graph.degree()[0]) == n - 1
        slabs = graph._out
        _, _, lengths = slabs.kernels.measure(slabs, slabs.chains(graph._device.asarray([0]))[0], False)
        assert int(lengths.max()) <= 3
        assert bool(graph.has_edges(hub, leaves).all())
        assert graph.neighbors(0).tolist() == leaves.tolist()


@pytest.mark.parametrize("leaves", [25, 700, 20_000, 150_000])
def test_a_hub_in_a_bulk_build(device, leaves):
    """Rows of every kind: some fit one slab, others more than a block has room for. A hub has each edge twice."""
    rng = np.random.default_rng(4)
    n = 3 * leaves // 2
    src, dst = pairs(rng, n, 3 * n)
    hub = rng.permutation(np.concatenate([np.arange(leaves), np.arange(leaves)])).astype(np.int32)
    src, dst = np.concatenate([src, np.full(2 * leaves, n // 2, np.int32)]), np.concatenate([dst, hub])
    graph = DynamicGraph.from_edges(src, dst, num_vertices=n, in_edges=True, device=device)
    want = np.unique(np.stack([src, dst])[:, src != dst], axis=1)
    rows, columns = rows_of(graph._out), rows_of(graph._in)
    for csr, (owners, keys) in ((rows, want), (columns, want[::-1][:, np.lexsort(want)])):
        assert CPU.asarray(csr.offsets).tolist() == np.searchsorted(owners, np.arange(n + 1)).tolist()
        np.testing.assert_array_equal(CPU.asarray(csr.indices), keys)
    assert graph.num_edges == graph._in.num_arcs == want.shape[1]
    assert CPU.asarray(graph.degree()).tolist() == np.bincount(want[0], minlength=n).tolist()
    assert bool(graph.has_edges(*want).all())
    assert graph.insert_edges(src, dst) == 0
    graph.rehash()
    np.testing.assert_array_equal(CPU.asarray(rows_of(graph._out).indices), want[1])
    assert graph.delete_edges(src, dst) == want.shape[1]


def test_many_threads(monkeypatch):
    """Teams of threads divide batches and rows; there are more threads than cores, so that all orders occur."""
    monkeypatch.setenv("MINIGR_NUM_THREADS", "5")
    n, rng = 4000, np.random.default_rng(0)
    src, dst = pairs(rng, n, 120_000)
    weights = rng.integers(0, 99, src.size).astype(np.int32)
    graph = DynamicGraph(n, weighted="int32", directed=False, device="cpu")
    oracle = Oracle(n, False, True)
    want = oracle.insert(src.tolist(), dst.tolist(), weights.tolist())
    count, mask = graph.insert_edges(src, dst, weights, return_mask=True)
    assert mask.tolist() == want
    assert count == sum(want)
    want = oracle.delete(src[:60_000].tolist(), dst[:60_000].tolist())
    count, mask = graph.delete_edges(src[:60_000], dst[:60_000], return_mask=True)
    assert mask.tolist() == want
    gone = np.arange(0, n, 3)
    assert graph.delete_vertices(gone) == oracle.delete_vertices(gone.tolist())
    check(graph, oracle)


@pytest.mark.parametrize("directed", [True, False], ids=["directed", "undirected"])
@pytest.mark.parametrize("n", [3, 700])
def test_large_batches(device, directed, n):
    src, dst = pairs(np.random.default_rng(2), n, 40_000)
    oracle = Oracle(n, directed)
    oracle.insert(src.tolist(), dst.tolist())
    bulk = DynamicGraph.from_edges(src, dst, num_vertices=n, directed=directed, in_edges=True, device=device)
    grown = DynamicGraph(n, directed=directed, in_edges=True, device=device)
    assert grown.insert_edges(src, dst) == len(oracle.edges)
    check(bulk, oracle)
    check(grown, oracle)
    with pytest.raises(GraphError, match=r"dst\[1\] is 700"):
        grown.insert_edges(grown._device.asarray(src[:2]), grown._device.asarray(np.array([0, 700], np.int32)))
    check(grown, oracle)


def test_deletions_and_insertions_leave_no_garbage(device):
    rng = np.random.default_rng(5)
    graph = DynamicGraph(300, device=device)
    for _ in range(60):
        src, dst = pairs(rng, 300, 5000)
        graph.insert_edges(src, dst)
        graph.delete_edges(src, dst)
    assert graph.num_edges == 0
    graph.insert_edges([], [])  # a batch first cleans up after the batch before it
    assert graph._out.num_tombstones <= 2 * graph._out.in_use
    assert graph.memory().mean_chain < 3
    graph.flush()
    assert graph._out.num_tombstones == 0
    for _ in range(300):
        graph.insert_edges([0] * 99, range(1, 100))
        graph.delete_vertices([0])
        assert graph.insert_vertices(1).tolist() == [0]
    assert graph._out.capacity < 3000


def test_every_array_interface(device):
    class Wrapped:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    graph = DynamicGraph(9, weighted=True, device=device)
    xp = graph._device.xp
    forms = (list, tuple, np.asarray, lambda x: np.asarray(x, np.int64)[::1], lambda x: np.asarray(x, np.uint8),
             xp.asarray, lambda x: xp.asarray(x, np.int32), lambda x: xp.asarray(x, np.int64),
             lambda x: Wrapped(np.asarray(x)))  # fmt: skip
    for v, form in enumerate(forms):
        assert graph.insert_edges(form([v, v]), form([(v + 1) % 9, (v + 2) % 9]), [1.0, 2]) == 2
    strided = np.arange(18, dtype=np.int32)[::2] // 2
    assert bool(graph.has_edges(strided, (strided + 2) % 9).all())
    assert isinstance(graph.degree(), xp.ndarray)
    assert graph.degree().tolist() == [2] * 9


BAD = [
    ({"src": [0, 5], "dst": [1, 1]}, r"src\[1\] is 5, but num_vertices is 5"),
    ({"src": [0, 1], "dst": [1, -1]}, r"dst\[1\] is -1: vertex ids must not be negative"),
    ({"src": np.array([0, 2**31]), "dst": [1, 1]}, r"src\[1\] is 2147483648"),
    ({"src": np.array([2**63], np.uint64), "dst": [1]}, r"src\[0\] is 9223372036854775808"),
    ({"src": [0, 1], "dst": [1]}, "src has length 2, but dst has length 1"),
    ({"src": [0.0], "dst": [1]}, "src must hold integer vertex ids"),
    ({"src": ["a"], "dst": [1]}, "src must hold numbers"),
    ({"src": [[0]], "dst": [1]}, "src must have one dimension"),
    ({"src": np.array([0, 7], np.int32), "dst": np.array([1, 1], np.int32)}, r"src\[1\] is 7"),
    ({"src": np.array([0, 1], np.int32), "dst": np.array([1, -7], np.int32)}, r"dst\[1\] is -7"),
    ({"src": np.array([0, 9], np.int32), "dst": np.array([1, 9], np.int32)}, r"src\[1\] is 9"),  # a self-loop
]


@pytest.mark.parametrize(("ids", "named"), BAD)
@pytest.mark.parametrize("on_device", [False, True], ids=["host", "device"])
def test_bad_ids_change_nothing(device, ids, named, on_device):
    graph = DynamicGraph(5, device=device)
    graph.insert_edges([0, 1], [3, 4])
    if on_device:
        ids = {name: graph._device.asarray(a) if isinstance(a, np.ndarray) else a for name, a in ids.items()}
    oracle = Oracle(5)
    oracle.insert([0, 1], [3, 4])
    for call in (graph.insert_edges, graph.delete_edges, graph.has_edges):
        with pytest.raises(GraphError, match=named):
            call(**ids)
        check(graph, oracle)
    with pytest.raises(GraphError):
        DynamicGraph.from_edges(**ids, num_vertices=5, device=device)


def test_lengths_that_differ_where_ids_give_the_number_of_vertices(device):
    with pytest.raises(GraphError, match="src has length 2, but dst has length 1"):
        DynamicGraph.from_edges([0, 1], [1], device=device)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("return_mask", [True, False])
def test_a_deletion_with_a_bad_id_deletes_nothing(device, directed, return_mask):
    src, dst = np.divmod(np.arange(900, dtype=np.int32), 30)
    graph = DynamicGraph(100, directed=directed, weighted="int32", device=device)
    oracle = Oracle(100, directed=directed, weighted=True)
    for one in (graph.insert_edges, oracle.insert):
        one(src, dst, np.arange(900, dtype=np.int32))
    ends = [
        graph._device.asarray(np.concatenate([a, a[::-1], [last]]).astype(np.int32))
        for a, last in ((src, 0), (dst, 100))
    ]
    with pytest.raises(GraphError, match=r"dst\[1800\] is 100, but num_vertices is 100"):
        graph.delete_edges(*ends, return_mask=return_mask)
    check(graph, oracle)
    assert graph.delete_edges(*(a[:-1] for a in ends)) == len(oracle.edges)
    assert graph.num_edges == 0


@pytest.mark.parametrize(
    ("weighted", "weights", "named"),
    [
        (False, [1.0, 2.0], "the graph has no weights"),
        (True, None, "give one weight to each edge"),
        (True, [1.0], "weights has length 1, but src has length 2"),
        (True, [1.0, float("nan")], r"weights\[1\] is NaN"),
        ("int32", [1.5, 2.0], "weights has dtype float64, but the graph's weights are int32"),
        ("int32", [1, 2**40], r"weights\[1\] is 1099511627776, which int32 can't hold"),
        ("float32", [1, 2**24 + 1], r"weights\[1\] is 16777217, which float32 can't hold"),
        ("float32", np.array([1, 2**31 - 1], np.int32), r"weights\[1\] is 2147483647, which float32 can't hold"),
        ("float64", [1, 2**63 - 1], r"weights\[1\] is 9223372036854775807, which float64 can't hold"),
        ("float32", [1.0, -1e300], r"weights\[1\] is -1e\+300, which float32 can't hold"),
        ("float32", np.array([1.0, 2.0]), "weights has dtype float64, but the graph's weights are float32"),
        ("float32", np.array([1j, 2]), "weights must hold numbers"),
        ("int64", np.array([1, 2], np.uint64), "weights has dtype uint64"),
    ],
)
def test_bad_weights_change_nothing(device, weighted, weights, named):
    graph = DynamicGraph(5, weighted=weighted, device=device)
    with pytest.raises(GraphError, match=named):
        graph.insert_edges([0, 1], [1, 2], weights)
    check(graph, Oracle(5, weighted=bool(weighted)))


def test_infinite_weights_of_a_list_fit_a_narrower_dtype(device):
    graph = DynamicGraph(5, weighted="float32", device=device)
    graph.insert_edges([0, 1], [1, 2], [-np.inf, np.inf])
    assert graph.edge_weights([0, 1], [1, 2]).tolist() == [-np.inf, np.inf]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("directed", [True, False])
def test_nan_among_weights_that_are_on_the_device(device, dtype, directed):
    graph = DynamicGraph(40, weighted=dtype, directed=directed, in_edges=directed, device=device)
    oracle = Oracle(40, directed=directed, weighted=True)
    src, dst = np.arange(39, dtype=np.int32), np.arange(1, 40, dtype=np.int32)
    for one in (graph.insert_edges, oracle.insert):
        one(src[:20], dst[:20], np.arange(20, dtype=dtype))
    weights = np.arange(39, dtype=dtype) + 100
    weights[[30, 35]] = np.nan
    ends = [graph._device.asarray(each) for each in (src, dst)]
    with pytest.raises(GraphError, match=r"weights\[30\] is NaN"):
        graph.insert_edges(*ends, graph._device.asarray(weights))
    check(graph, oracle)
    weights[[30, 35]] = np.inf
    graph.insert_edges(*ends, graph._device.asarray(weights))
    oracle.insert(src, dst, weights)
    check(graph, oracle)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"num_vertices": -1}, "num_vertices must be between 0 and"),
        ({"num_vertices": 2**31}, "num_vertices must be between 0 and"),
        ({"num_vertices": 1.5}, "num_vertices must be a whole number"),
        ({"num_vertices": 1, "weighted": "int8"}, "weighted must be True, False or one of"),
        ({"num_vertices": 1, "weighted": "heavy"}, "weighted must be True, False or one of"),
        ({"num_vertices": 1, "weighted": None}, "weighted must be True, False or one of"),
        ({"num_vertices": 1, "load_factor": 0}, "load_factor must be a number of at least 1e-06"),
        ({"num_vertices": 1, "load_factor": -1.0}, "load_factor must be a number of at least 1e-06"),
        ({"num_vertices": 1, "load_factor": "full"}, "load_factor must be a number of at least 1e-06"),
        ({"num_vertices": 1, "load_factor": float("nan")}, "load_factor must be a number of at least 1e-06"),
    ],
)
def test_bad_options(options, named):
    with pytest.raises(GraphError, match=named):
        DynamicGraph(**options, device="cpu")


def test_the_least_load_factor():
    assert DynamicGraph(1, load_factor=1e-6, device="cpu").load_factor == 1e-6


def test_empty_batches_and_graphs(device):
    graph = DynamicGraph(0, device=device)
    assert graph.insert_edges([], []) == graph.delete_edges([], []) == graph.delete_vertices([]) == 0
    assert graph.has_edges([], []).tolist() == graph.insert_vertices(0).tolist() == []
    assert graph.memory().bytes_per_arc == 0
    graph.rehash()
    with pytest.raises(GraphError, match="num_vertices is 0"):
        graph.insert_edges([0], [0])
    assert graph.insert_vertices(40).tolist() == list(range(40))
    count, mask = graph.insert_edges(np.zeros(39, np.int32), np.arange(1, 40), return_mask=True)
    assert (count, bool(mask.all())) == (39, True)
    assert graph.to_graph().num_edges == 39


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_an_empty_batch_of_lists(device, dtype):
    graph = DynamicGraph(2, weighted=dtype, device=device)
    assert graph.insert_edges([], [], []) == 0
    assert graph.insert_vertices(1, [], [], []).tolist() == [2]
    assert graph.weight_dtype == dtype


def test_deleted_vertices(device):
    graph = DynamicGraph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], directed=False, device=device)
    assert graph.delete_vertices([1, 1]) == 1
    assert graph.delete_vertices([1]) == 0
    for ids in (([0], [1]), ([1], [3])):
        with pytest.raises(GraphError, match=r"\[0\] is 1, a vertex that was deleted"):
            graph.insert_edges(*ids)
        assert not bool(graph.has_edges(*ids).any())
        assert graph.delete_edges(*ids) == 0
    assert graph.live_vertices().tolist() == [0, 2, 3]
    assert repr(graph).startswith("DynamicGraph(3 vertices, 2 edges, undirected")
    assert graph.neighbors(1).tolist() == []
    for bad, named in (([4], r"ids\[0\] is 4"), ([-1], r"ids\[0\] is -1"), ([0.5], "must hold integer")):
        with pytest.raises(GraphError, match=named):
            graph.delete_vertices(bad)
    for bad in (-1, 2**31 - 2, "two"):
        with pytest.raises(GraphError):
            graph.insert_vertices(bad)
    assert graph.insert_vertices(2).tolist() == [1, 4]
    assert graph.insert_edges([1, 4], [3, 1]) == 2


OUT_OF_MEMORY = {
    "insert_edges": lambda g, src, dst, weights: g.insert_edges(src, dst, weights),
    "insert_vertices": lambda g, *_: g.insert_vertices(2000),
    "insert_vertices-edges": lambda g, src, dst, weights: g.insert_vertices(90, src, dst, weights),
    "delete_vertices": lambda g, *_: g.delete_vertices(range(40)),
    "rehash": lambda g, *_: g.rehash(0.2),
    "delete_edges": lambda g, src, dst, _: g.delete_edges(src, dst),
    "mark": lambda g, *_: g.mark(),
}


@pytest.mark.parametrize("dtype", [None, "float32", "float64"])
def test_rows_that_are_longer_than_a_block_sorts(device, dtype):
    rng, n = np.random.default_rng(3), 6000
    src = np.concatenate([np.zeros(3000), np.full(2500, 7), np.arange(10, 500)]).astype(np.int32)
    dst = np.concatenate([rng.permutation(n - 1)[:count] + 1 for count in (3000, 2500)] + [np.arange(9, 499)])
    order, kept = rng.permutation(len(src)), src != dst
    src, dst = src[order][kept[order]], dst[order][kept[order]].astype(np.int32)
    weights = None if dtype is None else rng.random(len(src)).astype(dtype)
    options = {"num_vertices": n, "directed": True, "device": device}
    ours = DynamicGraph.from_edges(src, dst, weights, **options).to_graph()
    assert arcs_of(ours.out_edges) == arcs_of(mg.Graph.from_edges(src, dst, weights, **options).out_edges)


@pytest.mark.parametrize("directed", [True, False], ids=["directed", "undirected"])
@pytest.mark.parametrize("change", OUT_OF_MEMORY.values(), ids=OUT_OF_MEMORY)
def test_out_of_memory_changes_nothing(device, directed, change):
    """The graph is unchanged whichever allocation fails. If enough allocations succeed, the change is done."""
    rng = np.random.default_rng(11)
    n = 90
    src, dst = pairs(rng, n, 2500)
    first = DynamicGraph(n, directed=directed, weighted="int32", in_edges=directed, device=device)
    weights = rng.integers(0, 9, 2500).astype(np.int32)
    first.insert_edges(src, dst, weights)
    marked = change is not OUT_OF_MEMORY["mark"]  # because a second mark allocates nothing
    if marked:
        first.mark()
    oracle = Oracle(n, directed, True)
    oracle.insert(src.tolist(), dst.tolist(), weights.tolist())
    hub = np.concatenate([np.zeros(n), rng.integers(0, n, 3000)]).astype(np.int32)
    others = np.concatenate([np.arange(n), rng.integers(0, n, 3000)]).astype(np.int32)
    batch = (
        (~hub if change is OUT_OF_MEMORY["insert_vertices-edges"] else hub),
        others,
        np.arange(len(hub), dtype=np.int32),
    )
    wanted = first.copy()
    change(wanted, *batch)
    failures = 0
    for number in range(400):
        graph = first.copy()
        with Failing(number, device, lasting=True):
            try:
                change(graph, *batch)
            except OutOfMemoryError:
                failures += 1
                is_done = False
            else:
                is_done = True
        if is_done:
            break
        check(graph, oracle)
        assert not marked or all(len(ids) == 0 for ids in graph.added_since_mark()[:2])
    assert 0 < failures < 400
    assert arcs_of(graph.to_graph().out_edges) == arcs_of(wanted.to_graph().out_edges)
    assert (graph.num_vertices, graph.num_edges) == (wanted.num_vertices, wanted.num_edges)


def test_save_and_load(device, tmp_path):
    graph = DynamicGraph.from_edges(
        [0, 1, 2, 2, 4], [1, 2, 2, 3, 0], [1.0, 2, 3, 4, 5], load_factor=0.5, in_edges=True, allow_self_loops=True,
        device=device,
    )  # fmt: skip
    graph.delete_vertices([3])
    graph.save(tmp_path / "g.npz")
    again = DynamicGraph.load(tmp_path / "g.npz", device=device)
    assert repr(again) == repr(graph)
    assert arcs_of(again.to_graph().out_edges) == arcs_of(graph.to_graph().out_edges)
    assert (again.load_factor, again.keeps_in_edges, again.allow_self_loops) == (0.5, True, True)
    assert again.insert_vertices(1).tolist() == [3]
    assert mg.read(tmp_path / "g.npz", device=device).num_edges == graph.num_edges
    (tmp_path / "bad.npz").write_bytes((tmp_path / "g.npz").read_bytes()[:500])
    with pytest.raises(FormatError, match="cut short"):
        DynamicGraph.load(tmp_path / "bad.npz", device=device)
    np.savez(tmp_path / "other.npz", x=np.arange(3))
    with pytest.raises(FormatError, match="wrote: the array indptr is missing"):
        DynamicGraph.load(tmp_path / "other.npz", device=device)
    with pytest.raises(FileNotFoundError):
        DynamicGraph.load(tmp_path / "none.npz", device=device)


def test_copies_are_apart(device):
    graph = DynamicGraph.from_edges([0, 1], [1, 2], device=device)
    for other in (graph.copy(), pickle.loads(pickle.dumps(graph))):
        other.insert_edges([2], [0])
        assert (graph.num_edges, other.num_edges) == (2, 3)
        assert not bool(graph.has_edges([2], [0])[0])


def test_a_copy_frees_the_slabs_of_deleted_vertices_too(device):
    graph = DynamicGraph.from_edges([0] * 2000, range(1, 2001), device=device)
    graph.delete_vertices([0])
    copied = graph.copy()
    for each in (graph, copied):
        each.insert_edges([], [])
    assert copied.memory().base_slabs == graph.memory().base_slabs == 2001 * SLAB_BYTES


def test_a_pool_grows_by_a_share_if_there_is_memory(device):
    slabs = DynamicGraph(9, device=device)._out
    capacity = slabs.capacity
    with Failing(0, device) as failing:
        slabs.reserve(slabs.available + 1)
    assert failing.failed
    assert slabs.capacity == capacity + 1
    slabs.reserve(slabs.available + 1)
    assert slabs.capacity == capacity + 1 + (capacity + 1) // 4


def test_vertices_that_come_one_by_one_seldom_copy_the_arrays(device):
    graph = DynamicGraph(100, device=device)
    made = [graph._out.heads]
    for _ in range(300):
        graph.insert_vertices(1)
        if graph._out.heads is not made[-1]:
            made.append(graph._out.heads)
    assert len(made) <= 9


@pytest.mark.gpu
@pytest.mark.parametrize("looks", [0, 10**7], ids=["the driver waits", "the host looks"])
def test_reports_are_waited_for(monkeypatch, looks):
    from minigr.graphs.dynamic import launch_cuda

    graph = DynamicGraph(2000, directed=False, device="cuda")
    monkeypatch.setattr(launch_cuda, "LOOKS", looks)
    if looks:
        monkeypatch.setattr(launch_cuda.Launcher, "read", None)  # so that a call of it fails
    for first in range(0, 1000, 100):
        src = np.arange(first, first + 100)
        assert graph.insert_edges(src, src + 1) == 100
        assert graph.has_edges(src + 1, src).all()
        assert not graph.has_edges(src, src + 2).any()
        assert graph.delete_edges(src[::2], src[::2] + 1) == 50


def test_edge_weights(device):
    graph = DynamicGraph.from_edges([0, 1], [1, 2], [1.5, 2.5], device=device)
    weights = CPU.asarray(graph.edge_weights([0, 1, 2], [1, 2, 0]))
    assert weights[:2].tolist() == [1.5, 2.5]
    assert np.isnan(weights[2])
    whole = DynamicGraph.from_edges([0], [1], [3], device=device)
    with pytest.raises(GraphError, match="which can't hold default=nan"):
        whole.edge_weights([0], [1])
    for default in (np.inf, 2**70, "x", None, 0.5):
        with pytest.raises(GraphError, match=f"can't hold default={default!r}: give a whole number"):
            whole.edge_weights([0], [1], default)
    assert whole.edge_weights([0, 1], [1, 0], np.float32(7)).tolist() == [3, 7]
    with pytest.raises(GraphError, match="weights are float32, which can't hold default=1e\\+300: give a number"):
        DynamicGraph(2, weighted=True, device=device).edge_weights([0], [1], 1e300)
    with pytest.raises(GraphError, match="no weights"):
        DynamicGraph(2, device=device).edge_weights([0], [1])


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
def test_marked_arcs(device, directed):
    """Each arc of the pairs is marked once; pairs may be repeated, reversed, self-loops or no edges."""
    rng = np.random.default_rng(3)
    xp, n = mg.device.resolve(device).xp, 200
    options = {"num_vertices": n, "directed": directed, "allow_self_loops": True, "device": device}
    graph = DynamicGraph.from_edges(*pairs(rng, n, 4000), **options)
    src, dst = (xp.asarray(ids) for ids in pairs(rng, n, 9000))
    only = xp.asarray(rng.random(9000) < 0.5)
    for chosen in (None, only):
        bits = xp.zeros(graph.num_edge_ids // 32 + 1, np.int32)
        ids = CPU.asarray(graph._mark_arcs(src, dst, bits, chosen))
        kept = CPU.asarray(only) if chosen is not None else np.full(9000, True)
        given = list(zip(CPU.asarray(src)[kept].tolist(), CPU.asarray(dst)[kept].tolist(), strict=True))
        wanted = {pair for pair in given + [(v, u) for u, v in given if not directed] if pair[0] != pair[1]}
        pool = CPU.asarray(graph.out_edges.pool)
        found = list(zip(pool[ids // 32 * 32 + OWNER].tolist(), pool[ids].tolist(), strict=True))
        rows = graph.to_graph().to_scipy().tocoo()
        there = set(zip(rows.row.tolist(), rows.col.tolist(), strict=True))
        assert sorted(found) == sorted(wanted & there)
        marked = np.unpackbits(CPU.asarray(bits).view(np.uint8), bitorder="little")
        np.testing.assert_array_equal(np.flatnonzero(marked), np.sort(ids))
    bits[...] = 0
    src[5] = n
    with pytest.raises(GraphError, match="pass ids below"):
        graph._mark_arcs(src, dst, bits)
    assert not bits.any()
    assert len(graph._mark_arcs(src[:0], dst[:0], bits)) == 0


def test_the_longest_row_is_that_of_a_vertex_that_grew(device):
    graph = DynamicGraph.from_edges([0, 1], [1, 2], num_vertices=2000, device=device)
    assert graph.longest_row() == 32
    for most in (200, 900, 1900):
        graph.insert_edges(np.full(most, 7), np.arange(most))
        heads = CPU.asarray(graph.out_edges.heads)
        assert graph.longest_row() == 32 * heads[1::2].max() == 32 * heads[2 * 7 + 1]
    graph.insert_vertices(3)
    assert graph.longest_row() == 32 * heads[2 * 7 + 1]
    empty = DynamicGraph(0, device=device)
    assert empty.longest_row() == 0
    empty.insert_vertices(3)
    assert empty.longest_row() == 32


def test_degrees_are_those_of_now_and_of_their_direction(device):
    graph = DynamicGraph.from_edges([0, 0, 1], [1, 2, 2], num_vertices=6, in_edges=True, device=device)
    assert graph.max_degree() == graph.max_degree(inward=True) == graph.to_graph().max_degree() == 2
    graph.insert_edges([0, 0, 1], [3, 4, 3])
    assert graph.to_graph().max_degree() == graph.max_degree() == 4
    assert graph.to_graph().max_degree(inward=True) == 2
    turned = graph.reverse()
    assert (turned.max_degree(), turned.max_degree(inward=True)) == (2, 4)
    assert turned.to_graph().max_degree() == 2


def test_each_batch_and_rehash_makes_a_new_version(device):
    graph, versions = DynamicGraph(5, device=device), []
    for change in (
        lambda: graph.insert_edges([0, 0], [1, 2]),
        lambda: graph.insert_edges([0], [1]),
        lambda: graph.delete_edges([0], [1]),
        graph.flush,
        graph.rehash,
        lambda: graph.insert_vertices(1),
        lambda: graph.delete_vertices([0]),
    ):
        versions.append(graph.version)
        change()
    assert sorted({*versions, graph.version}) == [*versions, graph.version]


def test_what_operators_are_handed(device):
    """Walking chains and streaming over the pool give the edges, or from the marks on the edges since the mark."""
    graph = DynamicGraph.from_graph(
        generate.rmat(8, 16, seed=3, directed=True, weights=(1, 9), device=device), in_edges=True
    )
    graph.mark()
    rows = graph.out_edges
    heads, degrees, marks = (CPU.asarray(array) for array in (rows.heads, rows.degrees, rows.marks))
    pool, weights = (CPU.asarray(array).reshape(-1, 32) for array in (rows.pool, rows.weights))
    want = arcs_of(graph.to_graph().out_edges)
    live = pool[:, :30] >= 0
    owners = np.repeat(pool[:, 30], live.sum(axis=1)).tolist()
    stream = zip(owners, pool[:, :30][live].tolist(), strict=True)
    assert dict(zip(stream, weights[:, :30][live].tolist(), strict=True)) == want
    assert degrees.tolist() == CPU.asarray(graph.degree()).tolist()
    v = int(degrees.argmax())
    assert (graph.max_degree(), graph.longest_row()) == (degrees[v], 32 * heads[1::2].max())
    chain, found = [int(heads[2 * v]) + bucket for bucket in range(heads[2 * v + 1])], []
    for slab in chain:
        if pool[slab, 31] >= 0:
            chain.append(int(pool[slab, 31]))
        found += pool[slab, :30][live[slab]].tolist()
    assert sorted(found) == CPU.asarray(graph.neighbors(v)).tolist()
    assert (live.sum(axis=1) == marks).all()
    assert CPU.asarray(graph.in_edges().degrees).tolist() == CPU.asarray(graph.in_degree()).tolist()
    assert graph.max_degree(inward=True) == CPU.asarray(graph.in_degree()).max()
    with pytest.raises(GraphError, match="in_edges=True"):
        DynamicGraph(2, device=device).in_edges()


def test_ids_of_edges(device):
    graph = DynamicGraph.from_edges([0, 0, 1], [1, 2, 2], device=device)
    graph.delete_edges([0], [2])
    assert graph.num_edge_ids == 32 * 3
    there = CPU.asarray(graph.edges_there(graph._device.asarray(np.arange(96))))
    assert np.flatnonzero(there).tolist() == [0, 32]  # neither the tombstone, nor owners, nor ends of chains


@pytest.mark.parametrize("dtype", DTYPES)
def test_weight_summary(device, dtype):
    graph = DynamicGraph(4, weighted=dtype, device=device)
    assert graph.weight_summary() == (0, 0, 0)
    graph.insert_edges([0, 1, 2, 3], [1, 2, 3, 0], np.array([4, -2, 7, 100], dtype))
    assert graph.weight_summary() == (-2, 27.25, 100)
    graph.delete_edges([3], [0])
    assert graph.weight_summary() == (-2, 3, 7)
    with pytest.raises(GraphError, match="no weights"):
        DynamicGraph(2, device=device).weight_summary()


def test_weight_summary_of_many_slabs(device):
    n = 1 << 15
    src, weights = np.arange(n), np.ones(n)
    weights[:2] = -7, 41  # far from the last slabs
    graph = DynamicGraph.from_edges(src, np.roll(src, 1), weights, device=device)
    assert graph.weight_summary() == (-7, (n + 32) / n, 41)


def test_added_since_mark_needs_a_mark(device):
    with pytest.raises(GraphError, match="call mark"):
        DynamicGraph(2, device=device).added_since_mark()


def test_memory(device):
    graph = DynamicGraph.from_graph(generate.rmat(10, 16, seed=1, directed=True, weights=(1, 9), device=device))
    report = graph.memory()
    slabs = graph._out
    held = (slabs.pool, slabs.weights, slabs.heads, slabs.degrees, slabs.free)
    assert report.total == sum(int(array.nbytes) for array in held)
    assert report.bytes_per_arc == pytest.approx(report.total / graph.num_edges)
    assert 0 < report.utilization <= report.load <= 1
    assert report.mean_chain >= 1


def test_memory_of_a_uniform_graph():
    """With 16 edges for each vertex, an edge takes at most 9 bytes, or 18 with weights of four bytes."""
    rng = np.random.default_rng(0)
    src, dst = pairs(rng, 1 << 14, 1 << 18)
    assert DynamicGraph.from_edges(src, dst, num_vertices=1 << 14, device="cpu").memory().bytes_per_arc < 9
    weights = np.ones(1 << 18, np.float32)
    assert DynamicGraph.from_edges(src, dst, weights, num_vertices=1 << 14, device="cpu").memory().bytes_per_arc < 18


def test_buckets():
    assert buckets_for(np, np.arange(0, 100, 31), 1.0).tolist() == [1, 2, 3, 4]
    assert buckets_for(np, [1000], 0.5).tolist() == [67]


def test_weights_of_a_dtype_in_the_other_byte_order(device):
    graph = DynamicGraph(3, weighted=np.dtype(np.float64).newbyteorder(), device=device)
    graph.insert_edges([0, 1], [1, 2], [1.5, 2.0])
    assert graph.weight_dtype == np.float64
    assert mg.sssp(graph, 0).distance.tolist() == [0.0, 1.5, 3.5]


def test_facts_may_be_found_while_a_graph_is_copied(device):
    graph = mg.DynamicGraph.from_edges([0, 1], [1, 2], [1.0, 2.0], in_edges=True, device=device)
    graph.weight_summary()
    for _ in graph._facts:  # as copy.deepcopy does, while another thread asks
        graph.max_degree()
        graph.longest_row(inward=True)
