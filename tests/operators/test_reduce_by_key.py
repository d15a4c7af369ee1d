"""reduce_by_key compared with its specification over the battery, and with NumPy's unique for long rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigr as mg
from minigr import atomic_add
from minigr.device import CPU
from minigr.errors import FieldIndexError, FunctorError, GraphError, ProblemError
from tests.operators.common import frontiers, needs_order, run_both, skip_repetition

# Degrees around the limits at which a GPU packs a row with others, gives it to a warp, shares it, or cuts it into
# several slices; for keys and values of 32 and of 64 bits.
DEGREES = [0, 1, 2, 3, 31, 32, 33, 40, 47, 48, 62, 64, 94, 95, 96, 97, 127, 128, 200, 511, 512, 513, 1024, 1025]
DEGREES += [1535, 1536, 3000]


class Groups(mg.Problem):
    color = mg.vertex_field(np.int32)
    groups = mg.vertex_field(np.int64)  # the number of groups
    total = mg.vertex_field(np.int64)  # is computed from keys and values of groups
    best = mg.vertex_field(np.int64, fill=-7)
    its_value = mg.vertex_field(np.int64, fill=-7)
    its_score = mg.vertex_field(np.float64, fill=-7)
    its_idx = mg.vertex_field(np.int64, fill=-7)
    its_total = mg.vertex_field(np.int64, fill=-7)
    edge_hits = mg.edge_field(np.int32)
    its_ends = mg.edge_field(np.int64, fill=-1)
    its_weight = mg.edge_field(np.float32, fill=-1)


class Told(mg.Functor):
    """Records all its arguments; many scores are equal."""

    def key(src, dst, edge, seg, iteration, color, edge_hits):
        atomic_add(edge_hits, edge, iteration)
        return (color[src] + 3 * color[dst] + seg) % 7 - 3

    def map(src, dst, edge, weight, color, its_ends, its_weight):
        its_ends[edge] = src * 100000 + dst
        its_weight[edge] = weight
        return color[dst] - 50

    def apply_group(vertex, key, value, idx, iteration, groups, total):
        atomic_add(groups, vertex, iteration)
        atomic_add(total, vertex, (key + 5) * value + idx)
        return value % 3 * 0.5

    def apply_best(vertex, key, value, score, idx, iteration, total, best, its_value, its_score, its_idx, its_total):
        best[vertex] = key * iteration
        its_value[vertex] = value
        its_score[vertex] = score
        its_idx[vertex] = idx
        its_total[vertex] = total[vertex]


class Ranked(mg.Functor):
    def key(edge, rank):
        return rank % 3 + edge - edge

    def apply_best(vertex, key, best):
        best[vertex] = key


class Counted(mg.Functor):
    """Counts edges, and chooses the key that most edges have."""

    def key(src, dst, color):
        return color[src] % 4 - color[dst] % 3

    def apply_best(vertex, key, value, score, best, its_value, its_score):
        best[vertex] = key
        its_value[vertex] = value
        its_score[vertex] = score


class OnlyGroups(mg.Functor):
    def key(dst, color):
        return color[dst] % 5

    def map(weight):
        return weight

    def apply_group(vertex, value, its_score):
        atomic_add(its_score, vertex, value)


def groups_on(graph):
    problem = Groups(graph)
    problem.color = np.arange(graph.num_vertices) * 7919 % 101
    return problem


CASES = [
    ("vertices", "out"),
    ("vertices", "in"),
    ("bitmap", "in"),
    ("none", "out"),
    ("all", "out"),
    ("all", "in"),
]


@pytest.mark.parametrize(("start", "direction"), CASES)
def test_agrees_with_the_specification(graph, start, direction):
    skip_repetition(graph, (start, direction) == ("all", "out"))
    run_both("reduce_by_key", groups_on(graph), frontiers(graph)[start], Told, direction=direction)


@pytest.mark.parametrize("functor", [Counted, OnlyGroups])
def test_what_a_functor_may_leave_out(graph, functor):
    run_both("reduce_by_key", groups_on(graph), frontiers(graph)["vertices"], functor)


def test_rank(graph):
    needs_order(graph)
    run_both("reduce_by_key", groups_on(graph), frontiers(graph)["vertices"], Ranked, direction="in")


def test_only_what_came_since_the_mark(graph):
    options = {"direction": "in", "since": "mark"}
    if graph.layout == "csr":
        with pytest.raises(ProblemError, match=r"reduce_by_key: since='mark' takes a DynamicGraph"):
            mg.operators.reduce_by_key(groups_on(graph), mg.Frontier.all_vertices(), Counted, **options)
        return
    run_both("reduce_by_key", groups_on(graph), frontiers(graph)["vertices"], Counted, **options)


# --- rows of all lengths ---


class Wide(mg.Problem):
    key64 = mg.edge_field(np.int64)
    key32 = mg.edge_field(np.int32)
    number = mg.edge_field(np.int64)
    best = mg.vertex_field(np.int64, fill=-7)
    whole = mg.vertex_field(np.int64, fill=-7)
    groups = mg.vertex_field(np.int64)
    total = mg.vertex_field(np.int64)


class Best(mg.Functor):
    def apply_group(vertex, key, value, groups, total):
        atomic_add(groups, vertex, 1)
        atomic_add(total, vertex, (key ^ 12345) * 31 + np.int64(value))

    def apply_best(vertex, key, value, best, whole):
        best[vertex] = key
        whole[vertex] = value


class Short(Best):
    def key(edge, key32):
        return key32[edge]

    def map(edge, number):
        return np.int32(number[edge])


class Long(Best):
    def key(edge, key64):
        return key64[edge]

    def map(edge, number):
        return number[edge]


class Mixed(Best):
    def key(edge, key64):
        return key64[edge]

    def map(edge, number):
        return np.int32(number[edge])


EXTREMES = {
    "key32": [np.iinfo(np.int32).min, np.iinfo(np.int32).max, -1, 0],
    "key64": [np.iinfo(np.int64).min, np.iinfo(np.int64).max, -1, 0, -(1 << 32), 1 << 33, 3 << 62 & (1 << 63) - 1],
}


def rows_of(degrees, device, layout="csr"):
    """A graph whose vertices have these out-degrees."""
    src = np.repeat(np.arange(len(degrees)), degrees)
    dst = np.arange(len(src)) - np.repeat(np.cumsum(degrees) - degrees, degrees)
    n = max([len(degrees), *degrees])
    if layout == "slabs":
        return mg.DynamicGraph.from_edges(src, dst, num_vertices=n, directed=True, allow_self_loops=True, device=device)
    return mg.Graph.from_edges(src, dst, num_vertices=n, directed=True, device=device)


def wide_on(graph, keys):
    """A problem with many different keys, including the extreme ones, and with random values."""
    rng = np.random.default_rng(0)
    problem = Wide(graph)
    for name, extremes in EXTREMES.items():
        chosen = np.concatenate([extremes, rng.integers(-(1 << 31), 1 << 31, keys)])[: max(keys, 1)]
        setattr(problem, name, rng.choice(chosen, graph.num_arcs))
    problem.number = rng.integers(-1000, 1000, graph.num_arcs)
    return problem


REDUCE = {"add": np.add, "min": np.minimum, "max": np.maximum, "or": np.bitwise_or}


def check_rows(problem, functor, reduce):
    """Check that `functor` found the same as NumPy, row by row."""
    graph = problem.graph
    keys = problem.key32 if functor is Short else problem.key64
    keys, numbers = CPU.asarray(keys).astype(np.int64), CPU.asarray(problem.number)
    offsets = CPU.asarray(graph.offsets)
    expected = {name: CPU.asarray(getattr(Wide(graph), name)).copy() for name in ("best", "whole", "groups", "total")}
    for vertex in np.flatnonzero(np.diff(offsets)):
        row = slice(offsets[vertex], offsets[vertex + 1])
        order = np.argsort(keys[row], kind="stable")
        found, first = np.unique(keys[row][order], return_index=True)
        values = REDUCE[reduce].reduceat(numbers[row][order], first)
        best = np.argmax(values)  # the first of equal values, which has the least key
        total = ((found ^ 12345) * 31 + values).sum()
        row = {"best": found[best], "whole": values[best], "groups": len(found), "total": total}
        for name, value in row.items():
            expected[name][vertex] = value
    for name, values in expected.items():
        np.testing.assert_array_equal(CPU.asarray(getattr(problem, name)), values, err_msg=name)


@pytest.mark.parametrize("keys", [1, 3, 60, 100000])
@pytest.mark.parametrize("functor", [Short, Long, Mixed])
def test_rows_of_all_lengths(device, functor, keys):
    graph = rows_of(DEGREES * 3 + [1, 2, 3, 4, 5] * 40 + [0] * 30, device)
    problem = wide_on(graph, keys)
    mg.operators.reduce_by_key(problem, mg.Frontier.all_vertices(), functor)
    check_rows(problem, functor, "add")


@pytest.mark.parametrize("reduce", ["min", "max", "or"])
@pytest.mark.parametrize("functor", [Short, Long])
def test_other_reductions(device, functor, reduce):
    problem = wide_on(rows_of(DEGREES, device), 50)
    mg.operators.reduce_by_key(problem, mg.Frontier.of(np.arange(len(DEGREES))[::-1]), functor, reduce=reduce)
    check_rows(problem, functor, reduce)


@pytest.mark.parametrize("keys", [2, 1 << 20])
def test_a_hub_with_very_many_edges(device, keys):
    problem = wide_on(rows_of([130000, 3, 0, 70000], device), keys)
    mg.operators.reduce_by_key(problem, mg.Frontier.all_vertices(), Long)
    check_rows(problem, Long, "add")


def test_the_same_again_and_again(device):
    """A run leaves its tables empty for the next run, also in a loop."""
    graph = rows_of(DEGREES, device)
    problem = wide_on(graph, 40)
    for steps in (1, 5):
        loop = Loop(graph, problem=problem, max_iterations=steps)
        loop.run()
        problem.groups = CPU.asarray(problem.groups) // steps
        problem.total = CPU.asarray(problem.total) // steps
        check_rows(problem, Short, "add")
        problem.groups, problem.total = 0, 0


class Loop(mg.Enactor, problem=Wide, functor=Short):
    def step(self, frontier):
        self.reduce_by_key(frontier)


class RealProblem(mg.Problem):
    key32 = mg.edge_field(np.int32)
    real = mg.edge_field(np.float64)
    best = mg.vertex_field(np.int64, fill=-7)
    amount = mg.vertex_field(np.float64, fill=-7)
    groups = mg.vertex_field(np.int64)
    sum = mg.vertex_field(np.float64)


class Real(mg.Functor):
    def key(edge, key32):
        return key32[edge]

    def map(edge, real):
        return real[edge]

    def apply_group(vertex, key, value, groups, sum):
        atomic_add(groups, vertex, 1)
        atomic_add(sum, vertex, value)
        return value * key

    def apply_best(vertex, key, value, best, amount):
        best[vertex] = key
        amount[vertex] = value


@pytest.mark.parametrize("layout", ["csr", "slabs"])
@pytest.mark.parametrize(
    ("reduce", "dtype"), [("add", "float64"), ("add", "float32"), ("min", None), ("max", "float32")]
)
def test_floats(device, layout, reduce, dtype):
    graph = rows_of([*DEGREES[:-4], 700], device, layout)
    skip_repetition(graph, reduce == "max")
    problem = RealProblem(graph)
    rng, m = np.random.default_rng(3), CPU.asarray(problem.real).size
    problem.key32, problem.real = rng.integers(-9, 9, m), rng.integers(-1000, 1000, m) / 8  # sums are exact
    options = {"reduce": reduce} if dtype is None else {"reduce": reduce, "dtype": dtype}
    run_both("reduce_by_key", problem, mg.Frontier.all_vertices(), Real, **options)


def test_sums_of_floats_on_a_cpu_follow_the_row():
    problem = RealProblem(rows_of([4, 2000], "cpu"))
    rng, m = np.random.default_rng(3), 2004
    keys, values = rng.integers(0, 3, m), rng.standard_normal(m)
    problem.key32, problem.real = keys, values
    mg.operators.reduce_by_key(problem, mg.Frontier.all_vertices(), Real)
    row = slice(4, m)
    sums = [np.cumsum(values[row][keys[row] == key])[-1] for key in range(3)]
    best = int(np.argmax(np.array(sums) * np.arange(3)))
    assert (problem.best[1], problem.amount[1]) == (best, sums[best])


@pytest.mark.gpu
def test_sums_of_floats_on_a_gpu_are_the_same_in_every_run_for_rows_of_one_warp():
    graph = rows_of([46, 40, 33, 20, 5] * 50, "cuda")
    found = []
    for _ in range(5):
        problem = RealProblem(graph)
        rng, m = np.random.default_rng(3), graph.num_arcs
        problem.key32, problem.real = rng.integers(0, 3, m), rng.standard_normal(m)
        mg.operators.reduce_by_key(problem, mg.Frontier.all_vertices(), Real)
        found.append(CPU.asarray(problem.amount).tobytes())
    assert len(set(found)) == 1


# --- which group is the best ---


class Scored(mg.Problem):
    score_of = mg.vertex_field(np.float64)
    best = mg.vertex_field(np.int32, fill=-7)
    its_score = mg.vertex_field(np.float64, fill=-7)


class ByScore(mg.Functor):
    def key(dst):
        return dst

    def apply_group(key, score_of):
        return score_of[key]

    def apply_best(vertex, key, score, best, its_score):
        best[vertex] = key
        its_score[vertex] = score


SCORES = [
    ([1, 5, 5, 2], 1),
    ([5, 5, 5, 5], 0),
    ([-3, -1, -2, -1], 1),
    ([np.nan, -5, np.nan, -5], 1),
    ([np.nan] * 4, 0),
    ([-np.inf, np.nan, np.nan, np.nan], 0),
    ([np.inf, 3, np.inf, 1], 0),
    ([0.0, -0.0, -0.0, -1], 0),
]


@pytest.mark.parametrize("times", [1, 10, 200])
@pytest.mark.parametrize(("scores", "expected"), SCORES)
def test_the_best_group(device, scores, expected, times):
    """Rows have 4, 40 and 800 edges, so that all kinds of rows occur."""
    n = 4 * times
    graph = mg.Graph.from_edges(np.full(n, n), np.arange(n), num_vertices=n + 1, directed=True, device=device)
    problem = Scored(graph, score_of=[*scores * times, 0])
    mg.operators.reduce_by_key(problem, mg.Frontier.of([n]), ByScore)
    assert CPU.asarray(problem.best)[n] == expected
    np.testing.assert_equal(CPU.asarray(problem.its_score)[n], float(scores[expected]))
    assert (CPU.asarray(problem.best)[:n] == -7).all()  # a vertex without edges has no group


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_random_graphs(data):
    n = data.draw(st.integers(1, 12))
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    edges = data.draw(st.lists(ends, max_size=60))
    graph = mg.Graph.from_edges(
        *np.array(edges, np.int32).reshape(-1, 2).T, num_vertices=n, directed=True, device="cpu"
    )
    problem = Wide(graph)
    keys = st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-2, 2)
    problem.key64 = np.array([data.draw(keys) for _ in edges], np.int64)
    problem.number = np.array([data.draw(st.integers(-5, 5)) for _ in edges], np.int64)
    mg.operators.reduce_by_key(problem, mg.Frontier.all_vertices(), Long)
    check_rows(problem, Long, "add")


# --- graphs that change ---


class Heads(mg.Problem):
    best = mg.vertex_field(np.int32, fill=-1)
    groups = mg.vertex_field(np.int64)


class ByHead(mg.Functor):
    def key(dst):
        return dst

    def apply_group(vertex, groups):
        atomic_add(groups, vertex, 1)

    def apply_best(vertex, key, best):
        best[vertex] = key


class Steady(mg.Enactor, problem=Heads, functor=ByHead, steady=True):
    def step(self, frontier):
        self.reduce_by_key(frontier)


def test_tables_grow_with_the_graph(device):
    """Runs follow each other while degrees rise, first within the room of vertices and then above it."""
    n = 900
    graph = mg.DynamicGraph(n, directed=True, device=device, load_factor=1.0)
    steady, rng = Steady(graph, max_iterations=1), np.random.default_rng(1)
    there = [set() for _ in range(n)]
    for number in (3, 20, 30, 60, 90, 100, 300, 700):
        src, dst = rng.integers(0, 3, number), rng.integers(0, n, number)
        src, dst = src[src != dst], dst[src != dst]
        graph.insert_edges(src, dst)
        for u, v in zip(src.tolist(), dst.tolist(), strict=True):
            there[u].add(v)
        steady.problem.reset()
        steady.run(mg.Frontier.all_vertices())
        assert CPU.asarray(steady.problem.groups).tolist() == [len(row) for row in there]
        assert CPU.asarray(steady.problem.best).tolist() == [min(row, default=-1) for row in there]


# --- what is refused ---


class FloatKey(Counted):
    def key(dst, color):
        return color[dst] * 0.5


class LargeKey(Counted):
    def key(dst):
        return np.uint64(dst)


class NoResult(mg.Functor):
    def key(dst):
        return dst


class Positions(Counted):
    def key(idx):
        return idx


class Place(Counted):
    def key(rank):
        return rank


class FloatValue(Counted):
    def map(weight):
        return weight * 0.5


REFUSED = [
    (FloatKey, {}, FunctorError, r"FloatKey\.key .* returns float64, but a key is a whole number"),
    (LargeKey, {}, FunctorError, r"LargeKey\.key .* returns uint64"),
    (NoResult, {}, FunctorError, r"needs functor NoResult to have apply_group or apply_best"),
    (mg.Functor, {}, FunctorError, r"reduce_by_key needs functor Functor to have key"),
    (Positions, {}, FunctorError, r"asks for 'idx', .*use 'edge' or 'seg'"),
    (FloatValue, {"dtype": "int64"}, FunctorError, r"drops fractions"),
    (OnlyGroups, {"reduce": "or"}, ProblemError, r"'or' works on the bits of integers"),
    (Counted, {"reduce": "mul"}, ProblemError, r"unknown reduction 'mul'"),
    (Counted, {"direction": "both"}, ProblemError, r"reduce_by_key: direction='both': use one of 'out', 'in'"),
    (Counted, {"dtype": "int8"}, ProblemError, r"reduce_by_key: dtype='int8' is not one of int32"),
]


@pytest.mark.parametrize(("functor", "options", "error", "message"), REFUSED)
def test_bad_calls(device, functor, options, error, message):
    problem = groups_on(mg.Graph.from_edges([0, 1], [1, 2], [1.0, 2.0], device=device))
    with pytest.raises(error, match=message):
        mg.operators.reduce_by_key(problem, mg.Frontier.of([0]), functor, **options)


def test_what_slabs_do_not_know(device):
    problem = groups_on(mg.DynamicGraph.from_edges([0, 1], [1, 2], device=device))
    with pytest.raises(FunctorError, match=r"Place\.key .* asks reduce_by_key for 'rank'"):
        mg.operators.reduce_by_key(problem, mg.Frontier.of(0), Place)
    with pytest.raises(GraphError, match=r"reduce_by_key with direction='in' needs in-edges"):
        mg.operators.reduce_by_key(problem, mg.Frontier.of(0), Counted, direction="in")
    with pytest.raises(ProblemError, match=r"takes a frontier of vertices"):
        mg.operators.reduce_by_key(problem, mg.Frontier.all_edges(), Counted)


class Beyond(Counted):
    def key(dst, color):
        return color[dst + 1]


@pytest.mark.parametrize("leaves", [3, 50, 600])
def test_an_index_out_of_range_is_found_in_debug_mode(device, leaves):
    problem = groups_on(mg.generate.star(leaves, device=device))
    with pytest.raises(FieldIndexError, match="color"):
        mg.operators.reduce_by_key(problem, mg.Frontier.all_vertices(), Beyond, debug=True)
