"""neighbor_reduce of pairs and other tuples compared with its specification, over the battery and over long rows."""

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU
from minigr.errors import FunctorError, ProblemError
from minigr.schedules.choice import BALANCES
from tests.operators.common import frontiers, needs_order, run_both, skip_alike, skip_repetition

BEYOND = 1 << 60  # a whole number that float64 cannot tell from the next one


class Pairs(mg.Problem):
    whole = mg.vertex_field(np.int64)
    real = mg.vertex_field(np.float64)
    most = mg.vertex_field(np.int64, fill=-7)
    least = mg.vertex_field(np.float64, fill=-7)
    which = mg.vertex_field(np.int32, fill=-7)
    seen = mg.vertex_field(np.int64, fill=-7)
    total = mg.scalar_field(np.int64, fill=-7)


class Greatest(mg.Functor):
    """Keys that differ only beyond the precision of float64, with ties."""

    def map(dst, whole):
        return whole[dst], dst

    def apply_reduce(vertex, value, idx, iteration, seen):
        key, neighbor = value
        seen[vertex] = neighbor * 1000 + idx + iteration
        return key


class Least(mg.Functor):
    """Floats, some of them NaN or infinite."""

    def map(src, real):
        return real[src], src


class Spread(mg.Functor):
    """The number of values, their sum and the sum of their squares."""

    def map(dst):
        return 1, dst, dst * dst

    def reduce(a, b):
        return a[0] + b[0], a[1] + b[1], a[2] + b[2]

    def apply_reduce(vertex, value, least):
        count, total, squares = value
        # Whole numbers until the division, so that neither the order of additions nor a fused instruction matters.
        least[vertex] = (count * squares - total * total) / max(count, 1)


class TwoLeast(mg.Functor):
    """The least value and the next one."""

    def map(dst, whole):
        return whole[dst], 1 << 62

    def reduce(a, b):
        return min(a[0], b[0]), min(max(a[0], b[0]), min(a[1], b[1]))


class Composed(mg.Functor):
    """Affine maps x -> a*x + b modulo a prime, composed in the order of the edges: associative, not commutative."""

    def map(dst, whole):
        return dst % 7 + 2, np.int32(whole[dst] % 101)

    def reduce(a, b):
        return a[0] * b[0] % 997, (a[1] * b[0] + b[1]) % 997


def pairs_on(graph):
    problem = Pairs(graph)
    numbers = np.arange(graph.num_vertices)
    problem.whole = BEYOND + numbers * 7919 % 11
    problem.real = np.choose(numbers * 31 % 5, [np.nan, np.inf, 0.5, -0.5, 3.0]) if len(numbers) else []
    return problem


ARGMAX = {"reduce": "argmax", "into": ("most", "which")}
ARGMIN = {"reduce": "argmin", "into": ("least", "which"), "direction": "in"}
FIRST = {"argmax": (np.iinfo(np.int64).min, -1), "argmin": (np.inf, -1)}
TWO = {"initial": (1 << 62, 1 << 62), "into": ("most", "seen")}


def starts(options):
    """The initial value for the specification, if the test gives none."""
    return {} if "initial" in options else {"initial": FIRST[options["reduce"]]}


@pytest.mark.parametrize(
    ("start", "functor", "options"),
    [
        ("all", Greatest, {**ARGMAX, "scalar": "total", "scalar_reduce": "max", "scalar_initial": 0}),
        ("vertices", Greatest, {**ARGMAX, "by": "position"}),
        ("none", Greatest, {**ARGMAX, "by": "position"}),
        ("bitmap", Least, ARGMIN),
        ("all", Least, {**ARGMIN, "initial": (0.5, 2)}),
        ("vertices", Spread, {"initial": (0, 0, 0)}),
        ("all", TwoLeast, TWO),
    ],
    ids=["argmax", "argmax-position", "none", "argmin", "argmin-initial", "three", "two"],
)
def test_agrees_with_the_specification(graph, start, functor, options):
    skip_repetition(graph, functor in (Spread, TwoLeast))
    run_both("neighbor_reduce", pairs_on(graph), frontiers(graph)[start], functor, starts(options), **options)


def test_own_reduce_keeps_the_order_of_edges(graph):
    needs_order(graph)
    options = {"initial": (1, 0), "into": ("most", "which")}
    run_both("neighbor_reduce", pairs_on(graph), frontiers(graph)["vertices"], Composed, **options)


@pytest.mark.parametrize("balance", BALANCES[1:])
@pytest.mark.parametrize(("start", "functor", "options"), [("all", Greatest, ARGMAX), ("vertices", Least, ARGMIN)])
def test_strategies(graph, balance, start, functor, options):
    skip_alike(graph, balance)
    skip_repetition(graph, functor is Least)
    options = {**options, "balance": balance}
    run_both("neighbor_reduce", pairs_on(graph), frontiers(graph)[start], functor, starts(options), **options)


@pytest.mark.parametrize("balance", BALANCES[1:])
@pytest.mark.parametrize("functor", [Greatest, Composed])
def test_hubs(device, balance, functor):
    """Rows span many slices or shares; one begins where another ends, and there are short and empty rows in between."""
    degrees = np.zeros(6000, np.int64)
    degrees[[0, 1, 7, 100, 5998]] = 4000, 255, 513, 3000, 1300
    degrees[2000:3000] = np.arange(1000) % 40
    dst = np.concatenate([np.arange(d) for d in degrees])
    graph = mg.Graph.from_edges(
        np.repeat(np.arange(6000), degrees), dst, num_vertices=6000, directed=True, device=device
    )
    start = mg.Frontier.of(np.arange(6000)[::-1])
    options = ARGMAX if functor is Greatest else {"initial": (1, 0), "into": ("most", "which")}
    specified, options = starts(options), {**options, "balance": balance}
    run_both("neighbor_reduce", pairs_on(graph), start, functor, specified, **options)


def test_ties_in_a_long_row(device):
    """The row is longer than that of a hub of any operator; all values except two are equal."""
    n = 40_000
    graph = mg.Graph.from_edges(
        np.zeros(n - 1, np.int64), np.arange(1, n), num_vertices=n, directed=True, device=device
    )
    problem = Pairs(graph)
    problem.whole[...] = BEYOND
    problem.whole[[20_000, 39_999]] = BEYOND + 1
    for balance in ("auto", "merge"):
        mg.operators.neighbor_reduce(problem, mg.Frontier.of([0, 5]), Greatest, balance=balance, **ARGMAX)
        assert (int(problem.most[0]), int(problem.which[0])) == (BEYOND + 1, 20_000)
        assert (int(problem.most[5]), int(problem.which[5])) == FIRST["argmax"]


@pytest.mark.parametrize("balance", BALANCES[1:])
@pytest.mark.parametrize("since", [None, "mark"])
def test_hubs_of_slabs(device, balance, since):
    """Rows span many slices, some of which hold no edge, or no edge since the mark."""
    leaves, n = np.arange(1, 6001), 6003
    graph = mg.DynamicGraph(n, directed=True, device=device)
    graph.insert_edges(np.zeros_like(leaves), leaves)
    graph.insert_edges(np.full(2000, 6001), leaves[:2000])
    graph.delete_edges(np.full(1990, 6001), leaves[10:2000])
    graph.mark()
    graph.insert_edges([0, 0, 6002], [6001, 6002, 1])
    skip_repetition(graph, (balance, since) not in (("block", None), ("merge", "mark")))
    everyone = mg.Frontier.of(np.arange(n)[::-1])
    options = {**ARGMAX, "balance": balance, "since": since}
    run_both("neighbor_reduce", pairs_on(graph), everyone, Greatest, starts(ARGMAX), **options)


class Given(mg.Functor):
    def map(dst, given, label):
        return given[dst], label[dst]


class Few(mg.Problem):
    given = mg.vertex_field(np.float32)
    label = mg.vertex_field(np.float32)
    value = mg.vertex_field(np.float32, fill=-7)
    id = mg.vertex_field(np.float32, fill=-7)


def best(device, values, labels, reduce, **options):
    """The pair that a reduction keeps of those of one vertex."""
    problem = Few(mg.generate.star(len(values) + 1, device=device))
    problem.given, problem.label = [0, *values], [0, *labels]
    mg.operators.neighbor_reduce(problem, mg.Frontier.of(0), Given, reduce=reduce, into=("value", "id"), **options)
    return float(problem.value[0]), float(problem.id[0])


def test_which_pair_goes_first(device):
    """Pairs are ordered by value, then by id. NaN is after all numbers, and ids below zero are after all others."""
    nan, inf = np.nan, np.inf
    assert best(device, [3, 1, 2, 1], [4, 9, 1, 5], "argmin") == (1, 5)
    assert best(device, [3, 1, 2, 3], [4, 9, 1, 5], "argmax") == (3, 4)
    assert best(device, [0.0, -0.0, 0.0], [8, 3, 6], "argmin") == (0, 3)
    assert best(device, [2, 2, 2], [-3, 7, -9], "argmin") == (2, 7)
    assert best(device, [2, 2, 5], [-3, -9, 1], "argmin") == (2, -9)
    for reduce, worst in (("argmin", inf), ("argmax", -inf)):
        assert best(device, [nan, 4, nan], [1, 2, 3], reduce) == (4, 2)
        assert best(device, [worst, nan, worst], [6, 1, 5], reduce) == (worst, 5)  # an edge is preferred to none
        assert best(device, [nan, nan], [2, 1], reduce) == (worst, -1)
        assert best(device, [nan, nan], [2, 1], reduce, initial=(nan, -1))[1] == 1
        assert best(device, [nan, 7], [2, 1], reduce, initial=(7, 3)) == (7, 1)
    assert best(device, [3, 1], [4, 5], "argmin", initial=(0.5, 2)) == (0.5, 2)


class Kept(mg.Functor):
    """The least weight and its edge. On a CPU, Numba compiles it, because it calls `np.fmax`."""

    def map(weight, edge):
        return np.fmax(weight, 0.0), edge

    def reduce(a, b):
        return (np.fmax(a[0], -1.0), a[1]) if a[0] <= b[0] else b

    def cond_reduce(vertex, value, iteration, real):
        return np.fmax(value[0], 0.0) < 3.0 and value[1] >= 0

    def apply_reduce(vertex, value, most, least):
        most[vertex], least[vertex] = value[1], np.fmax(value[0], 0.0)


@pytest.mark.parametrize("options", [{"reduce": "argmin"}, {"initial": (np.inf, -1)}], ids=["named", "own"])
@pytest.mark.parametrize("debug", [False, True])
def test_output_and_debug_mode(device, options, debug):
    """The output has the vertices that `cond_reduce` chooses by both numbers; debug mode checks indexes."""
    graph = mg.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 0], [5.0, 2.0, 4.0, 1.0], directed=True, device=device)
    problem = Pairs(graph)
    how = {**options, "output": "vertices", "debug": debug, "dtype": ("float64", "int64")}
    found = mg.operators.neighbor_reduce(problem, mg.Frontier.all_vertices(), Kept, **how)
    assert sorted(CPU.asarray(found.ids).tolist()) == [0, 2]
    assert problem.least.tolist() == [2.0, 4.0, 1.0]
    assert problem.most.tolist() == [1, 2, 3]


class Farthest(Greatest):
    def map(src, dst, whole):
        return abs(whole[src] - whole[dst]), dst

    def apply_reduce(vertex, value, whole):
        whole[vertex] += value[1]


class Loop(mg.Enactor, problem=Pairs, functor=Farthest):
    def step(self, frontier):
        self.neighbor_reduce(frontier, reduce="argmax", dtype=np.int64)


@pytest.mark.parametrize("driver", ["auto", "fused", "host"])
def test_in_a_loop(device, driver):
    loop = Loop(mg.generate.path(5, device=device), max_iterations=2, driver=driver)
    loop.run(mg.Frontier.of([0]))
    assert loop.problem.whole.tolist() == [2, 0, 0, 0, 0]


class Single(mg.Functor):
    def map(dst):
        return dst

    def apply_reduce(vertex, value):
        return value


class Halves(mg.Functor):
    def map(dst):
        return dst, dst * 0.5

    def reduce(a, b):
        return a

    def apply_reduce(vertex, value):
        return value


class Unsigned(Halves):
    def map(dst):
        return dst, np.uint64(dst)


class Numbered(Halves):
    def reduce(a, b):
        return a[0]


@pytest.mark.parametrize(
    ("functor", "options", "complaint"),
    [
        (
            Single,
            {"reduce": "argmin"},
            r"Single\.map .* returns int32, but must return a tuple of 2 numbers, which are",
        ),
        (Halves, {"reduce": "min"}, r"must return a number; neighbor_reduce takes tuples only if initial= is a tuple"),
        (Halves, {"reduce": "argmin", "dtype": "int64"}, "returns float64, but it becomes int64"),
        (Halves, {"reduce": "argmin", "into": ("most", "which")}, "returns float64, but it becomes int32"),
        (Halves, {"reduce": "argmin", "dtype": ("int64",) * 3}, "give one dtype, or a tuple of 2"),
        (
            Halves,
            {"reduce": "argmin", "into": ("least", "which"), "dtype": ("float64", "int64")},
            "'int64' don't fit into='which', which is declared as int32",
        ),
        (Halves, {"reduce": "argmin", "dtype": ("int64", "int8")}, "dtype='int8' is not one of int32"),
        (Unsigned, {"reduce": "argmin"}, "returns uint64"),
        (
            Halves,
            {"reduce": "argmin", "into": "most"},
            "a result is 2 numbers: name 2 different vertex fields, or .*apply_reduce",
        ),
        (Halves, {"reduce": "argmin", "into": ("most", "most")}, "name 2 different vertex fields"),
        (Halves, {"reduce": "argmin", "into": ("most", "least", "most")}, "name 2 different vertex fields"),
        (Halves, {"reduce": "argmin", "into": ("most", ["no"])}, r"into=\['no'\] is not a vertex field of Pairs"),
        (Halves, {"reduce": "add", "into": ("most", "least")}, "but a result is one number: name one field; or reduce"),
        (Halves, {"reduce": "argmin", "into": ("most", "no")}, "into='no' is not a vertex field of Pairs"),
        (Halves, {"reduce": "argmin", "initial": 5}, r"initial=5: give a tuple of 2 numbers"),
        (Halves, {"reduce": "argmin", "initial": (0.5, 1)}, r"initial=0\.5 is no number of dtype int64"),
        (Halves, {"initial": (0, 1, 2)}, r"Halves\.map .* must return a tuple of 3 numbers"),
        (Numbered, {"initial": (0, 1)}, r"Numbered\.reduce .* must return a tuple of 2 numbers"),
        (Halves, {}, "needs initial=, the value it starts from: a number, or a tuple"),
        (Halves, {"initial": (1,)}, r"initial=\(1,\): a tuple must have at least two numbers"),
        (Halves, {"reduce": "argmin", "scalar": "total"}, r"Halves\.apply_reduce .* must return a number"),
        (Halves, {"reduce": "argmin", "scalar": "total", "scalar_reduce": "argmax"}, "'argmax' takes pairs .*add, min"),
    ],
)
def test_bad_input(device, functor, options, complaint):
    problem = Pairs(mg.generate.path(3, device=device))
    with pytest.raises((FunctorError, ProblemError), match=complaint):
        mg.operators.neighbor_reduce(problem, mg.Frontier.of(0), functor, **options)
    assert problem.most.tolist() == [-7] * 3
