"""Graph.from_edges against SciPy and a few lines of Python, on every device."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minigr.device import CPU, resolve
from minigr.errors import DeviceError, GraphError
from minigr.graphs import Graph, build_cpu, build_cuda

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


def rows_by_hand(n, src, dst, weights, mirror):
    """Sorted rows of (neighbor, place in the input), as the contract has it."""
    rows = [[] for _ in range(n)]
    for i, (u, v) in enumerate(zip(src.tolist(), dst.tolist(), strict=True)):
        rows[u].append((v, i))
        if mirror and u != v:
            rows[v].append((u, i))
    flat = [arc for row in rows for arc in sorted(row)]
    offsets = np.cumsum([0] + [len(row) for row in rows])
    return offsets, [v for v, _ in flat], None if weights is None else weights[[i for _, i in flat]]


@pytest.mark.parametrize("build", [build_cpu, build_cuda], ids=["cpu", "array_expressions"])
@settings(max_examples=150, deadline=None)
@given(edges=edge_lists(), mirror=st.booleans())
def test_rows_are_sorted_and_stable(build, edges, mirror):
    offsets, indices, weights = build.csr_from_edges(*edges, mirror)
    want_offsets, want_indices, want_weights = rows_by_hand(*edges, mirror)
    assert offsets.dtype == np.int64
    assert indices.dtype == np.int32
    assert offsets.tolist() == want_offsets.tolist()
    assert indices.tolist() == want_indices
    if want_weights is None:
        assert weights is None
    else:
        assert weights.dtype == want_weights.dtype
        assert weights.tolist() == want_weights.tolist()


@settings(max_examples=100, deadline=None)
@given(edges=edge_lists(), mirror=st.booleans())
def test_both_builders_agree(edges, mirror):
    n = edges[0]
    rows = build_cpu.csr_from_edges(*edges, mirror)
    for ours, theirs in zip(build_cpu.transpose(*rows), build_cuda.transpose(*rows), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    offsets, indices, _ = rows
    assert build_cpu.self_loops_and_repeats(offsets, indices) == build_cuda.self_loops_and_repeats(offsets, indices)
    assert build_cpu.first_unmatched(*rows) == build_cuda.first_unmatched(*rows)
    pairs = (np.repeat(np.arange(n), n), np.tile(np.arange(n), n))
    np.testing.assert_array_equal(
        build_cpu.contains(offsets, indices, *pairs), build_cuda.contains(offsets, indices, *pairs)
    )
    shuffled = indices[::-1].copy()
    assert build_cpu.first_disorder(offsets, shuffled) == build_cuda.first_disorder(offsets, shuffled)
    for ours, theirs in zip(
        build_cuda.simplify(offsets, indices.copy()), build_cpu.simplify(offsets, indices.copy()), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)


@settings(max_examples=100, deadline=None)
@given(edges=edge_lists(), mirror=st.booleans(), piece=st.integers(1, 9))
def test_pieces_of_the_arcs_make_no_difference(edges, mirror, piece):
    """As many arcs as an int32 doesn't count are worked on piece by piece."""
    offsets, indices, _ = build_cpu.csr_from_edges(*edges, mirror)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build_cuda, "PIECE", piece)
        rows = build_cuda.row_of_arcs(offsets, indices.size)
        simple = build_cuda.simplify(offsets, indices.copy())
    np.testing.assert_array_equal(rows, build_cpu.row_of_arcs(offsets, indices.size))
    for ours, theirs in zip(simple, build_cpu.simplify(offsets, indices.copy()), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


def test_zero_with_a_sign_is_as_much_as_one_without():
    for build in (build_cpu, build_cuda):
        for dtype in (np.float32, np.float64):
            rows = np.array([0, 1, 2]), np.array([1, 0], np.int32), np.array([0.0, -0.0], dtype)
            assert build.first_unmatched(*rows) == -1
    graph = Graph.from_csr([0, 1, 2], [1, 0], [0.0, -0.0], device="cpu")
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
    assert Graph.from_edges([3], [1], device="cpu").num_vertices == 4
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
