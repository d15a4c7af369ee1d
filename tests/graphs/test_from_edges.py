"""Graph.from_edges compared with SciPy and with a few lines of Python, on every device."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import DeviceError, GraphError
from minigr.graphs import Graph
from minigr.graphs.arcs import Arcs
from minigr.graphs.backend import builder

MANY = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
DTYPES = ("int32", "int64", "float32", "float64")


@st.composite
def edge_lists(draw):
    n = draw(st.integers(1, 12))
    vertex = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(vertex, vertex), max_size=40))
    src = np.array([u for u, _ in edges], np.int32)
    dst = np.array([v for _, v in edges], np.int32)
    weights = draw(st.sampled_from((None, *DTYPES)))
    return n, src, dst, None if weights is None else np.arange(len(edges)).astype(weights)


@st.composite
def arcs_of_all_kinds(draw):
    """Vertices, whether arcs are in the order of rows, both ends of each, weights, and options of the rows."""
    n, src, dst, weights = draw(edge_lists())
    in_rows = draw(st.booleans())
    if in_rows:
        order = np.lexsort((dst, src))
        src, dst = src[order], dst[order]
    place = draw(st.none() | st.permutations(range(n)))
    options = {
        "place": None if place is None else np.array(place, np.int32),
        "turn": draw(st.booleans()),
        "down": draw(st.sampled_from((None, "keep", "fold"))),
        "mirror": draw(st.booleans()),
    }
    return n, in_rows, src, dst, weights, options


def entries_by_hand(src, dst, place=None, turn=False, down=None, mirror=False):
    """Entries (row, neighbor, place in the input), by the rules of the builders."""
    for i, (u, v) in enumerate(zip(src.tolist(), dst.tolist(), strict=True)):
        if place is not None:
            u, v = int(place[u]), int(place[v])
        if u < v if down == "fold" else turn:
            u, v = v, u
        if down is not None and u <= v:
            continue
        yield u, v, i
        if mirror and u != v:
            yield v, u, i


@pytest.fixture(
    params=[
        ("cpu", "device"),
        pytest.param(("cuda", "device"), marks=pytest.mark.gpu),
        pytest.param(("cuda", "host"), marks=pytest.mark.gpu),
    ],
    ids="-".join,
)
def building(request):
    """A device, and a module that builds rows from arcs on this device or on the host."""
    device, arcs = request.param
    return device, builder(resolve(device), arcs)


def rows_by_hand(n, src, dst, weights, **options):
    """Sorted rows of (neighbor, place in the input)."""
    entries = sorted(entries_by_hand(src, dst, **options))
    offsets = np.cumsum([0] + [sum(u == row for u, _, _ in entries) for row in range(n)])
    ids = [i for _, _, i in entries]
    return offsets, [v for _, v, _ in entries], None if weights is None else weights[ids], ids


def host(array):
    return None if array is None else CPU.asarray(array)


def on(device, array):
    return None if array is None else resolve(device).asarray(array)


def assert_same(ours, theirs):
    assert (ours is None) == (theirs is None)
    if ours is not None:
        np.testing.assert_array_equal(host(ours), theirs)


@settings(MANY, max_examples=150)
@given(arcs=arcs_of_all_kinds(), with_ids=st.booleans(), part=st.integers(1, 50))
def test_rows_of_arcs(building, arcs, with_ids, part):
    device, build = building
    n, in_rows, src, dst, weights, options = arcs
    offsets = np.searchsorted(src, np.arange(n + 1)) if in_rows else None
    given_arcs = Arcs(
        on(device, dst),
        src=None if in_rows else on(device, src),
        offsets=on(device, offsets),
        weights=on(device, weights),
        **{**options, "place": on(device, options["place"])},
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "part_of", lambda count: part)
        got = build.rows(n, given_arcs, with_ids=with_ids)
    want = rows_by_hand(n, src, dst, weights, **options)
    assert [None if each is None else each.dtype for each in got] == [
        np.int64, np.int32, None if weights is None else weights.dtype, np.int64 if with_ids else None
    ]  # fmt: skip
    for ours, theirs in zip(got, (*want[:3], want[3] if with_ids else None), strict=True):
        assert_same(ours, theirs)


LONG_ROWS = ((2, 30_000), (7, 3_000), (40, 3_000), (3, 24_000))
"""Numbers of vertices and edges. A GPU sorts rows of each of these lengths in another way."""


@pytest.mark.parametrize(("n", "m"), LONG_ROWS)
@pytest.mark.parametrize("dtype", [None, "float32", "int64"])
def test_long_rows_are_sorted_and_stable(building, n, m, dtype):
    device, build = building
    rng = np.random.default_rng(n)
    src, dst = rng.integers(0, n, (2, m)).astype(np.int32)
    src[: m // 2] = 0
    weights = None if dtype is None else rng.integers(0, 1000, m).astype(dtype)
    arcs = Arcs(on(device, dst), src=on(device, src), weights=on(device, weights))
    got = build.rows(n, arcs, with_ids=True)
    order = np.lexsort((np.arange(m), dst, src))
    want = (np.searchsorted(src[order], np.arange(n + 1)), dst[order], None if dtype is None else weights[order], order)
    for ours, theirs in zip(got, want, strict=True):
        assert_same(ours, theirs)


@settings(MANY, max_examples=100)
@given(edges=edge_lists(), mirror=st.booleans(), part=st.integers(1, 9))
def test_rows_are_examined(building, edges, mirror, part):
    """The rows are examined in parts, some of which end within a row."""
    device, build = building
    n, src, dst, weights = edges
    offsets, columns, values, _ = rows_by_hand(n, src, dst, weights, mirror=mirror)
    columns = np.array(columns, np.int32)
    owners = np.repeat(np.arange(n), np.diff(offsets))
    pairs = list(zip(owners.tolist(), columns.tolist(), strict=True))
    rows = on(device, offsets), on(device, columns)

    assert_same(build.row_of_arcs(rows[0], len(columns)), owners)
    assert build.self_loops_and_repeats(*rows) == (sum(u == v for u, v in pairs), len(set(pairs)) < len(pairs))
    ends = np.repeat(np.arange(n, dtype=np.int32), n), np.tile(np.arange(n, dtype=np.int32), n)
    found = build.contains(*rows, *(on(device, end) for end in ends))
    assert host(found).tolist() == [pair in pairs for pair in zip(*map(np.ndarray.tolist, ends), strict=True)]

    shuffled = columns[::-1].copy()
    falls = [i for i in range(1, len(columns)) if shuffled[i] < shuffled[i - 1] and owners[i] == owners[i - 1]]
    assert build.first_disorder(rows[0], on(device, shuffled)) == (falls[0] if falls else -1)
    if mirror:
        assert build.first_unmatched(*rows, on(device, values)) == -1

    simple = sorted({(u, v) for u, v in pairs if u != v})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "part_of", lambda count: part)
        new_offsets, new_columns = build.simplify(rows[0], on(device, columns.copy()))
    assert_same(new_offsets, np.searchsorted([u for u, _ in simple], np.arange(n + 1)))
    assert_same(new_columns, [v for _, v in simple])


@pytest.mark.parametrize("weights", [None, [1, 1, 2], [1, 1, 1]], ids=["no", "other", "same"])
def test_the_first_arc_without_its_reverse(building, weights):
    device, build = building
    offsets, indices = on(device, np.array([0, 2, 3, 3])), on(device, np.array([1, 2, 0], np.int32))
    values = None if weights is None else on(device, np.array(weights, np.float32))
    want = 1 if weights is None or weights[2] == 1 else 0
    assert build.first_unmatched(offsets, indices, values) == want


@pytest.mark.parametrize("threads", ["1", "3"])
def test_faults_in_the_rows_of_each_thread(building, threads, monkeypatch):
    device, build = building
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    graph = mg.generate.uniform(3000, 60_000, weights=(1, 9), device="cpu")
    offsets, indices, weights = graph.offsets, graph.indices, graph.weights
    rows = np.repeat(np.arange(3000), np.diff(offsets))
    assert build.first_unmatched(*(on(device, each) for each in (offsets, indices, weights))) == -1
    assert build.first_disorder(on(device, offsets), on(device, indices)) == -1
    for arc in range(7, graph.num_arcs, 29_000):
        other = offsets[indices[arc]] + np.searchsorted(graph.neighbors(indices[arc]), rows[arc])
        heavier = weights + (np.arange(len(weights)) == arc)
        assert build.first_unmatched(*(on(device, each) for each in (offsets, indices, heavier))) == min(arc, other)
        place = int(np.flatnonzero((rows[1:] == rows[:-1])[arc:])[0]) + arc
        swapped = indices.copy()
        swapped[place], swapped[place + 1] = indices[place + 1], indices[place]
        assert build.first_disorder(on(device, offsets), on(device, swapped)) == place + 1


def test_zero_with_a_sign_is_as_much_as_one_without(device):
    for dtype in (np.float32, np.float64):
        rows = np.array([0, 1, 2]), np.array([1, 0], np.int32), np.array([0.0, -0.0], dtype)
        assert builder(resolve(device)).first_unmatched(*(on(device, each) for each in rows)) == -1
    graph = Graph.from_csr([0, 1, 2], [1, 0], [0.0, -0.0], device=device)
    assert graph.weights.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_against_scipy(device, directed, dtype):
    from scipy.sparse import coo_array

    rng = np.random.default_rng(7)
    keys = rng.choice(200 * 199 // 2, 1500, replace=False)
    upper = np.triu_indices(200, 1)
    src, dst = upper[0][keys], upper[1][keys]
    weights = rng.integers(1, 99, len(keys)).astype(dtype)
    graph = Graph.from_edges(src, dst, weights, num_vertices=200, directed=directed, device=device)
    matrix = coo_array((weights, (src, dst)), shape=(200, 200))
    want = (matrix if directed else matrix + matrix.T).tocsr()
    assert (graph.to_scipy() != want).nnz == 0
    assert graph.num_edges == 1500
    assert graph.weights.dtype == dtype
    assert graph.is_simple
    assert graph.device == str(resolve(device))


def test_number_of_vertices():
    assert Graph.from_edges([], [], device="cpu").num_vertices == 0
    for kind in (Graph, mg.DynamicGraph):
        assert kind.from_edges([3], [1], device="cpu").num_vertices == 4
        assert kind.from_edges([1], [3], device="cpu").num_vertices == 4
    assert Graph.from_edges([3], [1], num_vertices=9, device="cpu").degree().tolist() == [0, 1, 0, 1, 0, 0, 0, 0, 0]


def test_self_loops_and_parallel_edges_are_kept(device):
    graph = Graph.from_edges([0, 0, 1, 1, 1], [0, 1, 0, 1, 1], [1, 2, 3, 4, 5], device=device)
    assert CPU.asarray(graph.indices).tolist() == [0, 1, 1, 0, 0, 1, 1]
    assert CPU.asarray(graph.weights).tolist() == [1, 2, 3, 2, 3, 4, 5]
    assert (graph.num_edges, graph.num_self_loops, graph.has_parallel_edges) == (5, 3, True)


@pytest.mark.parametrize(
    ("given_dtype", "kept"),
    [("bool", "int32"), ("int8", "int32"), ("uint16", "int32"), ("uint32", "int64"), *((d, d) for d in DTYPES)],
)
def test_weight_dtypes(given_dtype, kept):
    graph = Graph.from_edges([0], [1], np.ones(1, given_dtype), device="cpu")
    assert graph.weights.dtype == kept


def test_weights_from_lists():
    assert Graph.from_edges([0], [1], [3], device="cpu").weights.dtype == np.int64
    assert Graph.from_edges([0], [1], [3.0], device="cpu").weights.dtype == np.float64


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (([0, 1, -3], [1, 2, 0]), r"src\[2\] is -3"),
        (([0, 1], [1, 2**31 - 1]), r"dst\[1\] is 2147483647.*below 2147483647"),
        (([0, 1], [1, 2**40]), r"dst\[1\] is 1099511627776"),
        (([0, 1], [1]), r"src has length 2, but dst has length 1"),
        (([0.0, 1.0], [1, 2]), r"src must hold integer vertex ids.*float64.*astype"),
        ((np.array([]), []), r"src must hold integer"),
        (([True, False], [1, 2]), r"bool"),
        ((["a"], [1]), r"src must hold numbers"),
        (([[0, 1]], [1, 2]), r"one dimension.*\(1, 2\)"),
        (([[0], [1, 2]], [1, 2]), r"src can't be read as an array"),
        (([2**70], [1]), r"src must hold numbers.*object"),
        (([0], [1], [1.0, 2.0]), r"weights has length 2, but src has length 1"),
        (([0, 1], [1, 2], [1.0, float("nan")]), r"weights\[1\] is NaN"),
        (([0], [1], np.ones(1, np.float16)), r"weights has dtype float16.*astype"),
        (([0], [1], np.ones(1, np.uint64)), r"uint64"),
        (([0], [1], ["x"]), r"weights must hold numbers"),
    ],
)
def test_bad_input_is_named(device, arguments, named):
    with pytest.raises(GraphError, match=named):
        Graph.from_edges(*arguments, device=device)


def test_directed_is_true_or_false():
    assert Graph.from_edges([0], [1], directed=np.True_, device="cpu").directed is True
    for call in (Graph.from_edges, Graph.from_csr):
        with pytest.raises(GraphError, match=r"directed must be True or False, got array\(\[1, 0\]\)"):
            call([0, 1], [1], directed=np.array([1, 0]), device="cpu")


def test_arrays_of_arrow():
    arrow = pytest.importorskip("pyarrow")
    chunks = arrow.chunked_array([[0], [1]])
    graph = Graph.from_edges(arrow.array([1, 2]), chunks, arrow.array([True, False]), directed=True, device="cpu")
    assert [each.tolist() for each in graph.to_edges()] == [[1, 2], [0, 1], [1, 0]]
    for arguments, name in (
        ((arrow.array([0, None]), [1, 2]), "src"),
        (([1, 2], arrow.chunked_array([[0], [None]])), "dst"),
        (([1, 2], [0, 1], arrow.array([1.5, None])), "weights"),
    ):
        with pytest.raises(GraphError, match=rf"{name}\[1\] is missing \(null\): .* {name}\.fill_null\(value\)"):
            Graph.from_edges(*arguments, device="cpu")


@pytest.mark.parametrize(
    ("num_vertices", "named"),
    [(2, r"src\[1\] is 5, but num_vertices is 2"), (-1, "between 0"), (2**31, "between 0"), (2.5, "whole number")],
)
def test_bad_number_of_vertices(num_vertices, named):
    with pytest.raises(GraphError, match=named):
        Graph.from_edges([0, 5], [1, 1], num_vertices=num_vertices, device="cpu")


def test_unknown_device():
    with pytest.raises(DeviceError, match="unknown device 'tpu'"):
        Graph.from_edges([0], [1], device="tpu")
