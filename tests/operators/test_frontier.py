"""Frontiers: lists, bitmaps, and conversions between them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import ProblemError
from minigr.program.frontier import Handle

deterministic = settings(derandomize=True, max_examples=60, deadline=None)


@deterministic
@given(
    st.integers(0, 200).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.integers(0, max(n - 1, 0)), max_size=n)))
)
def test_list_to_bitmap_and_back(case):
    size, ids = case
    frontier = mg.Frontier.of(np.array(ids, np.int32))
    mask = frontier.mask(size)
    assert mask.dtype == np.bool_
    assert np.flatnonzero(mask).tolist() == sorted(set(ids))
    dense = frontier.dense(size)
    assert dense.is_dense
    assert not frontier.is_dense
    assert dense.distinct
    assert dense.ids.tolist() == sorted(set(ids))
    assert frontier.distinct == (len(set(ids)) == len(ids))
    sparse = dense.sparse()
    assert not sparse.is_dense
    assert sparse.distinct
    assert sparse.ids.tolist() == dense.ids.tolist()
    np.testing.assert_array_equal(dense.mask(size), mask)
    assert len(dense) == len(set(ids)) == dense.count(size)


@deterministic
@given(st.lists(st.booleans(), max_size=300), st.sampled_from(["vertices", "edges"]))
def test_bitmap_to_list_and_back(mask, kind):
    frontier = mg.Frontier.from_mask(np.array(mask, np.bool_), kind)
    assert frontier.ids.dtype == (np.int32 if kind == "vertices" else np.int64)
    assert frontier.ids.tolist() == [i for i, is_set in enumerate(mask) if is_set]
    np.testing.assert_array_equal(frontier.mask(len(mask)), np.array(mask, np.bool_))
    assert frontier.dense(len(mask)).kind == kind


def test_on_each_device(device):
    xp = resolve(device).xp
    frontier = mg.Frontier.of([3, 1, 3], device=device)
    assert not frontier.distinct
    assert CPU.asarray(frontier.mask(5)).tolist() == [False, True, False, True, False]
    assert CPU.asarray(frontier.dense(5).ids).tolist() == [1, 3]
    mask = xp.asarray([True, False, True])
    assert CPU.asarray(mg.Frontier.from_mask(mask).ids).tolist() == [0, 2]
    assert isinstance(mg.Frontier.from_mask(mask).ids, xp.ndarray)


def test_what_a_frontier_can_be_made_of():
    for ids in (4, np.int64(4), [4], (4,), np.array([4], np.uint8), range(4, 5)):
        assert mg.Frontier.of(ids).ids.tolist() == [4]
        assert mg.Frontier.of_edges(ids).ids.dtype == np.int64
    assert len(mg.Frontier.of([])) == 0
    assert repr(mg.Frontier.of([1, 2])) == "Frontier(2 vertices, sparse)"
    assert repr(mg.Frontier.of([1, 2]).dense(3)) == "Frontier(2 vertices, dense)"
    assert repr(mg.Frontier.all_edges()) == "Frontier(all edges)"


def test_everything():
    frontier = mg.Frontier.all_vertices()
    assert frontier.everything
    assert frontier.distinct
    assert frontier.count(9) == 9
    assert frontier.mask(3).tolist() == [True] * 3
    with pytest.raises(ProblemError, match="depend on the graph"):
        len(frontier)


def test_the_list_is_its_own():
    ids = np.array([1, 2], np.int32)
    frontier = mg.Frontier.of(ids)
    ids[0] = 7
    assert frontier.ids.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: mg.Frontier.of([1.0]), "integers, got float64"),
        (lambda: mg.Frontier.of(["1"]), "integers"),
        (lambda: mg.Frontier.of([True]), r"integers, got bool: pass a mask.*Frontier\.from_mask\(mask\)"),
        (lambda: mg.Frontier.of_edges(np.ones(2, bool)), r"Frontier\.from_mask\(mask, 'edges'\)"),
        (lambda: mg.Frontier.of([[1], [2, 3]]), "list can't be read as an array of frontier ids"),
        (lambda: mg.Frontier.from_mask([[True], [True, False]]), "list can't be read as an array of bools"),
        (lambda: mg.Frontier.of([2**31]), "fit int32, got 2147483648"),
        (lambda: mg.Frontier.of(np.array([2**32 - 1], np.uint32)), "fit int32, got 4294967295"),
        (lambda: mg.Frontier.of(np.array([2**63], np.uint64)), "fit int32"),
        (lambda: mg.Frontier.of_edges(np.array([2**63], np.uint64)), "fit int64"),
        (lambda: mg.Frontier.of(np.int64(-(2**40))), "at least 0"),
        (lambda: mg.Frontier.from_mask([0, 1]), "bool array"),
        (lambda: mg.Frontier.of(np.ma.array([1, 2], mask=[0, 1])), r"masked array: fill .* with \.filled\(value\)"),
        (lambda: mg.Frontier.of_pairs([1, 2], np.ma.array([1, 2])), "masked array"),
        (lambda: mg.Frontier.from_mask(np.ma.array([True, True], mask=[0, 1])), "the mask of a frontier is a masked"),
        (lambda: mg.Frontier.from_mask(np.ones((2, 2), bool)), "one-dimensional"),
        (lambda: mg.Frontier.from_mask([True], "faces"), "'vertices' or 'edges'"),
        (lambda: mg.Frontier.from_mask([True], "pairs"), "'vertices' or 'edges' a frontier holds, not which 'pairs'"),
        (lambda: mg.Frontier("pairs"), "no frontier of all pairs"),
        (lambda: mg.Frontier.of([1]).pairs, "a frontier of vertices has no pairs"),
        (lambda: mg.Frontier.of_pairs([1], [2]).mask(3), "pairs has no mask"),
        (lambda: mg.Frontier.of_pairs([1], [2]).dense(3), "pairs has no mask"),
        (lambda: mg.Frontier.of_pairs([1, 2], [2]), "2 sources and 1 destinations"),
        (lambda: mg.Frontier.of_pairs([1, 2, 3]), r"shape \(n, 2\), got shape \(3,\)"),
        (lambda: mg.Frontier.of_pairs(np.ones((2, 3), int)), r"shape \(n, 2\), got shape \(2, 3\)"),
        (lambda: mg.Frontier.of_pairs([(0, 1), (2,)]), "list can't be read as an array of frontier ids"),
        (lambda: mg.Frontier.of_pairs([1.0], [2]), "integers, got float64"),
        (lambda: mg.Frontier.of_pairs([1], [2**31]), "fit int32, got 2147483648"),
        (lambda: mg.Frontier.of_pairs(np.array([[1, -(2**40)]])), "at least 0 and fit int32, got -1099511627776"),
        (lambda: 3 in mg.Frontier.of_pairs([1], [2]), r"pairs \(source, destination\), but 3 is none"),
        (lambda: (1.0, 2) in mg.Frontier.of_pairs([1], [2]), r"\(1.0, 2\) is none"),
        (lambda: (True, 2) in mg.Frontier.of_pairs([1], [2]), r"\(True, 2\) is none"),
        (lambda: (1, 2, 3) in mg.Frontier.of_pairs([1], [2]), r"\(1, 2, 3\) is none"),
        (lambda: "12" in mg.Frontier.of_pairs([1], [2]), "'12' is none"),
        (lambda: 3 in mg.Frontier.all_vertices(), "depend on the graph"),
        (lambda: 3 in Handle("vertices"), "can't look for an id"),
        (lambda: list(Handle("vertices")), "can't go through a frontier's ids"),
        (lambda: mg.Frontier.of([5]).mask(5), "id 5, but there are 5 vertices"),
        (lambda: mg.Frontier.of([-1]), "at least 0 and fit int32, got -1"),
        (lambda: mg.Frontier.of(np.array([-1], np.int32)).mask(5), "holds id -1"),
        (lambda: bool(Handle("vertices")), "can't branch"),
        (lambda: len(Handle("vertices")), "can't look at a frontier's length"),
    ],
)
def test_bad_input(make, complaint):
    with pytest.raises(ProblemError, match=complaint):
        make()


@pytest.mark.parametrize("kind", ["vertices", "edges"])
@pytest.mark.parametrize(
    "item", [1.0, 1.5, True, np.True_, np.float32(1), "1", None, (1, 2), [1], np.arange(2), 1 + 0j]
)
def test_what_is_no_id_is_not_looked_for(item, kind):
    with pytest.raises(ProblemError, match=rf"a frontier of {kind} holds ids, which are whole numbers, but .* is none"):
        assert item in mg.Frontier.from_mask(np.array([False, True]), kind)


def test_ids_in_a_frontier(device):
    """Whole numbers of any type can be ids; other values are not in a frontier."""
    kinds = (int, np.uint8, np.int64, np.array)
    for frontier in (mg.Frontier.of([1, 7], device), mg.Frontier.of_edges([7, 1], device)):
        for each in (frontier, frontier.dense(9)):
            assert all(kind(1) in each and kind(7) in each and kind(0) not in each for kind in kinds)
            for beyond in (-1, 9, 2**31, 2**32 + 1, -(2**63), 2**64 + 1, np.uint64(2**63)):
                assert beyond not in each
    pairs = mg.Frontier.of_pairs([1, 0], [7, 2], device)
    assert all((kind(1), kind(7)) in pairs and (kind(7), kind(1)) not in pairs for kind in kinds)
    assert np.array([0, 2]) in pairs
    assert [0, 2] in pairs
    for beyond in ((1, 2**32 + 7), (-1, 7), (2**64 + 1, 7)):
        assert beyond not in pairs


some_ids = st.lists(st.integers(0, 90), max_size=40)


@deterministic
@given(some_ids, some_ids, st.booleans(), st.booleans(), st.sampled_from(["vertices", "edges"]))
def test_frontiers_are_sets(a, b, a_dense, b_dense, kind):
    make = mg.Frontier.of if kind == "vertices" else mg.Frontier.of_edges
    first, second = (
        frontier.dense(91) if dense else frontier
        for frontier, dense in ((make(np.array(a, np.int64)), a_dense), (make(np.array(b, np.int64)), b_dense))
    )
    for found, expected in (
        (first | second, set(a) | set(b)),
        (first & second, set(a) & set(b)),
        (first - second, set(a) - set(b)),
    ):
        assert list(found) == sorted(expected)
        assert (found.kind, found.distinct, found.ids.dtype) == (kind, True, first.ids.dtype)
        assert found.is_dense == (a_dense and b_dense)
    assert [i in first for i in range(92)] == [i in set(a) for i in range(92)]
    assert sorted(first) == sorted(set(a) if a_dense else a)  # the operation has changed neither


def test_sets_on_each_device(device):
    first, second = mg.Frontier.of([5, 3, 3], device=device), mg.Frontier.of([3, 7])
    assert [list(first | second), list(first & second), list(first - second)] == [[3, 5, 7], [3], [5]]
    assert isinstance((first | second).ids, resolve(device).xp.ndarray)
    masks = [resolve(device).asarray(np.array(mask)) for mask in ([True, False, True], [True, True, False])]
    dense = [mg.Frontier.from_mask(mask) for mask in masks]
    assert [list(dense[0] | dense[1]), list(dense[0] & dense[1]), list(dense[0] - dense[1])] == [[0, 1, 2], [0], [2]]
    longer = mg.Frontier.from_mask(resolve(device).asarray(np.array([False, False, True, True])))
    assert list(dense[0] | longer) == [0, 2, 3]


def test_sets_with_all_there_are():
    everything, some = mg.Frontier.all_vertices(), mg.Frontier.of([4, 2, 4])
    assert (everything | some).everything
    assert (some | everything).everything
    assert (everything & everything).everything
    assert list(everything & some) == list(some & everything) == [2, 4]
    assert list(some - everything) == []
    assert list(everything - everything) == []
    with pytest.raises(ProblemError, match=r"all edges has no list .*Frontier.of_edges\(range\(graph.num_arcs\)\)"):
        mg.Frontier.all_edges() - mg.Frontier.of_edges([2])
    with pytest.raises(ProblemError, match=r"all vertices has no list .*Frontier.of\(range\(graph.num_vertices\)\)"):
        everything - some
    with pytest.raises(ProblemError, match="depend on the graph"):
        assert 3 in everything


large = 2**31 - 1
some_pairs = st.lists(st.tuples(*[st.one_of(st.integers(0, 6), st.sampled_from([large - 1, large]))] * 2), max_size=40)


@deterministic
@given(some_pairs, some_pairs)
def test_frontiers_of_pairs_are_sets(a, b):
    first, second = mg.Frontier.of_pairs(a), mg.Frontier.of_pairs([u for u, _ in b], np.array([v for _, v in b], int))
    assert (list(first), list(second)) == (a, b)
    assert (len(first), first.distinct) == (len(a), len(set(a)) == len(a))
    for found, expected in (
        (first | second, set(a) | set(b)),
        (first & second, set(a) & set(b)),
        (first - second, set(a) - set(b)),
    ):
        assert list(found) == sorted(expected)
        assert (found.kind, found.distinct, found.ids.dtype) == ("pairs", True, np.int64)
    assert all((pair in first) == (pair in set(a)) for pair in b)
    assert not any(pair in first for pair in [(-1, 6), (6, -1), (0, 2**32), (2**31, 0)])


def test_pairs_on_each_device(device):
    xp = resolve(device).xp
    rows = xp.asarray([[3, 1], [0, 2], [3, 1]])
    frontier = mg.Frontier.of_pairs(rows)
    sources, destinations = frontier.pairs
    for found, expected in ((sources, [3, 0, 3]), (destinations, [1, 2, 1])):
        assert isinstance(found, xp.ndarray)
        assert (found.dtype, CPU.asarray(found).tolist()) == (np.int32, expected)
    assert CPU.asarray(frontier.ids).tolist() == [3 << 32 | 1, 2, 3 << 32 | 1]
    assert list(mg.Frontier.of_pairs(rows[:, 0], [1, 2, 1])) == [(3, 1), (0, 2), (3, 1)]
    assert list(mg.Frontier.of_pairs(4, 5, device)) == [(4, 5)]
    assert isinstance(mg.Frontier.of_pairs([4], [5], device).ids, xp.ndarray)
    assert ((3, 1) in frontier, (1, 3) in frontier, (np.int64(0), 2) in frontier) == (True, False, True)
    rows[0] = 0
    assert next(iter(frontier)) == (3, 1)
    assert repr(frontier) == "Frontier(3 pairs, sparse)"
    assert list(mg.Frontier.of_pairs([])) == list(mg.Frontier.of_pairs(np.empty((0, 2), int))) == []


def test_sets_of_different_kinds():
    vertices, edges = mg.Frontier.of([1]), mg.Frontier.of_edges([1])
    for combine in (lambda a, b: a | b, lambda a, b: a & b, lambda a, b: a - b):
        with pytest.raises(ProblemError, match="of vertices and one of edges"):
            combine(vertices, edges)
        with pytest.raises(ProblemError, match="of pairs and one of edges"):
            combine(mg.Frontier.of_pairs([0], [1]), edges)
        with pytest.raises(TypeError):
            combine(vertices, {1})


def test_ids_that_were_to_be_distinct_are_counted_on_another_graph(device):
    class Nothing(mg.Problem):
        pass

    class All(mg.Functor):
        def cond_advance(dst):
            return True

        def cond_filter(vertex):
            return True

    star = Nothing(mg.generate.star(4, device=device))
    leaves, pair = mg.Frontier.of([1, 2, 3]), mg.generate.path(2, device=device)
    found = mg.operators.advance(star, leaves, All, duplicates="impossible")  # but all of them lead to 0
    with pytest.raises(ProblemError, match="frontier holds 3 ids, but there are 2 vertices"):
        mg.operators.filter(Nothing(pair), found, All)
