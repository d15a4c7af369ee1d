"""neighbor_reduce compared with its specification, over the battery."""

import numpy as np
import pytest

import minigr as mg
from minigr import atomic_add
from minigr.device import CPU
from minigr.errors import FunctorError, GraphError, ProblemError
from minigr.schedules.choice import BALANCES
from tests import specification
from tests.operators.common import compare_fields, frontiers, needs_order, run_both, skip_alike, skip_repetition


class Sums(mg.Problem):
    key = mg.vertex_field(np.int32)
    result = mg.vertex_field(np.int64, fill=-7)
    heaviest = mg.vertex_field(np.float32, fill=-7)
    seen = mg.vertex_field(np.int64)
    its_idx = mg.vertex_field(np.int64, fill=-1)
    its_edge = mg.edge_field(np.int64, fill=-1)
    its_ends = mg.edge_field(np.int64, fill=-1)
    its_place = mg.edge_field(np.int64, fill=-1)
    its_weight = mg.edge_field(np.float32, fill=-1)
    edge_hits = mg.edge_field(np.int32)
    total = mg.scalar_field(np.int64, fill=-7)
    size = mg.parameter(np.int64)


class Keys(mg.Functor):
    """The sum of neighbors' keys. Records its arguments."""

    def map(
        src, dst, edge, weight, rank, seg, iteration, key, size, its_edge, its_ends, its_place, its_weight, edge_hits
    ):
        atomic_add(edge_hits, edge, iteration)
        its_edge[edge] = edge
        its_ends[edge] = src * size + dst
        its_place[edge] = seg * 100000 + rank
        its_weight[edge] = weight
        return key[src] * 3 - key[dst]

    def apply_reduce(vertex, value, idx, iteration, seen, its_idx):
        seen[vertex] = value * iteration
        its_idx[vertex] = idx
        return value


class UnrankedKeys(Keys):
    """The same without the rank, which edges of slabs don't have."""

    def map(src, dst, edge, weight, seg, iteration, key, size, its_edge, its_ends, its_place, its_weight, edge_hits):
        atomic_add(edge_hits, edge, iteration)
        its_edge[edge] = edge
        its_ends[edge] = src * size + dst
        its_place[edge] = seg
        its_weight[edge] = weight
        return key[src] * 3 - key[dst]


def keys(graph):
    """`Keys`, or for slabs `UnrankedKeys`."""
    return Keys if graph.layout == "csr" else UnrankedKeys


class Heaviest(mg.Functor):
    def map(weight):
        return weight


class Composed(mg.Functor):
    """Affine maps x -> a*x + b modulo a prime, composed in the order of the edges: associative, not commutative."""

    def map(dst, key):
        return (key[dst] % 7 + 2) * 1000 + key[dst]

    def reduce(a, b):
        slope = (a // 1000) * (b // 1000) % 997
        offset = ((a % 1000) * (b // 1000) + b % 1000) % 997
        return slope * 1000 + offset


class Position(mg.Functor):
    def map(idx, edge, its_place):
        its_place[edge] = idx
        return 1


def sums_on(graph):
    problem = Sums(graph, size=graph.num_vertices)
    problem.key = np.arange(graph.num_vertices) * 7919 % 101
    return problem


CASES = [
    ("vertices", {"direction": "out", "into": "result"}),
    ("vertices", {"direction": "in", "into": "result"}),
    ("bitmap", {"direction": "in", "into": "result"}),
    ("none", {"direction": "out", "into": "result"}),
    ("vertices", {"direction": "out", "into": "result", "by": "position"}),
    ("all", {"direction": "out", "into": "result", "scalar": "total"}),
    ("all", {"direction": "in", "into": "result", "scalar": "total"}),
    ("vertices", {"direction": "in", "scalar": "total", "scalar_reduce": "add"}),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join([case[0], *case[1].values()]))
def test_agrees_with_the_specification(graph, case):
    start, options = case
    skip_repetition(graph, "position" in options.values() or (start, options["direction"]) == ("all", "out"))
    run_both("neighbor_reduce", sums_on(graph), frontiers(graph)[start], keys(graph), reduce="add", **options)


@pytest.mark.parametrize(("reduce", "initial"), [("add", 0), ("max", -np.inf)])
def test_named_reductions_of_floats(graph, reduce, initial):
    skip_repetition(graph, reduce == "add")
    problem = sums_on(graph)
    run_both(
        "neighbor_reduce", problem, mg.Frontier.all_vertices(), Heaviest, {"initial": np.float32(initial)},
        reduce=reduce, into="heaviest",
    )  # fmt: skip


def test_or(device):
    graph = mg.generate.rmat(7, 8, seed=5, directed=True, device=device)
    problem = Masks(graph)
    problem.mask = 1 << (np.arange(graph.num_vertices) % 31)
    fields = specification.fields_of(problem)
    specification.neighbor_reduce(graph, mg.Frontier.all_vertices(), Mask, fields, reduce="or", into="found")
    mg.operators.neighbor_reduce(problem, mg.Frontier.all_vertices(), Mask, reduce="or", into="found")
    compare_fields(problem, fields)


class Masks(mg.Problem):
    mask = mg.vertex_field(np.int32)
    found = mg.vertex_field(np.int32)


class Mask(mg.Functor):
    def map(dst, mask):
        return mask[dst]


def test_own_reduce_keeps_the_order_of_edges(graph):
    needs_order(graph)
    run_both("neighbor_reduce", sums_on(graph), frontiers(graph)["vertices"], Composed, initial=1000, into="result")


class Product(mg.Functor):
    """A product, which is commutative, as it must be for rows without an order."""

    def map(dst, key):
        return key[dst] + 1

    def reduce(a, b):
        return a * b % 9973


def test_own_reduce(graph):
    run_both("neighbor_reduce", sums_on(graph), frontiers(graph)["vertices"], Product, initial=5, into="result")


def test_idx_numbers_all_edges(graph):
    needs_order(graph)
    problem = sums_on(graph)
    run_both(
        "neighbor_reduce", problem, mg.Frontier.all_vertices(), Position,
        direction="in", reduce="add", into="result",
    )  # fmt: skip
    assert sorted(CPU.asarray(problem.its_place).tolist()) == list(range(graph.num_arcs))


@pytest.mark.parametrize(("start", "direction"), [("vertices", "out"), ("vertices", "in"), ("none", "out")])
def test_idx_counts_through_the_rows_of_the_frontier(graph, start, direction):
    needs_order(graph)
    run_both(
        "neighbor_reduce", sums_on(graph), frontiers(graph)[start], Position,
        direction=direction, reduce="add", into="result",
    )  # fmt: skip


def test_only_what_came_since_the_mark(graph):
    options = {"direction": "in", "reduce": "add", "into": "result", "since": "mark"}
    if graph.layout == "csr":
        with pytest.raises(ProblemError, match=r"since='mark' takes a DynamicGraph"):
            mg.operators.neighbor_reduce(sums_on(graph), mg.Frontier.all_vertices(), Keys, **options)
        return
    run_both("neighbor_reduce", sums_on(graph), frontiers(graph)["vertices"], UnrankedKeys, **options)


def test_what_slabs_do_not_know(device):
    problem = sums_on(mg.DynamicGraph.from_edges([0, 1], [1, 2], [1.0, 2.0], device=device))
    options = {"reduce": "add", "into": "result"}
    with pytest.raises(FunctorError, match=r"Keys\.map .* asks neighbor_reduce for 'rank'"):
        mg.operators.neighbor_reduce(problem, mg.Frontier.of(0), Keys, **options)
    with pytest.raises(GraphError, match=r"neighbor_reduce with direction='in' needs in-edges.*in_edges=True"):
        mg.operators.neighbor_reduce(problem, mg.Frontier.of(0), UnrankedKeys, direction="in", **options)


BALANCED = [
    (start, options)
    for start, options in (
        ("vertices", {"direction": "in", "into": "result", "by": "position"}),
        ("all", {"direction": "out", "into": "result", "scalar": "total"}),
    )
    for options in ({**options, "balance": balance} for balance in BALANCES[1:])
] + [("bitmap", {"direction": "out", "into": "result", "scalar": "total", "balance": "merge"})]


@pytest.mark.parametrize("case", BALANCED, ids=lambda case: "-".join([case[0], *case[1].values()]))
def test_strategies_agree_with_the_specification(graph, case):
    start, options = case
    skip_alike(graph, options["balance"])
    skip_repetition(graph, start != "vertices")
    run_both("neighbor_reduce", sums_on(graph), frontiers(graph)[start], keys(graph), reduce="add", **options)


@pytest.mark.parametrize("balance", BALANCES[1:])
def test_strategies_keep_the_order_of_edges(graph, balance):
    needs_order(graph)
    skip_alike(graph, balance)
    start = frontiers(graph)["vertices"]
    run_both("neighbor_reduce", sums_on(graph), start, Composed, initial=1000, into="result", balance=balance)


@pytest.mark.parametrize("balance", BALANCES[1:])
@pytest.mark.parametrize("everything", [False, True])
def test_strategies_reduce_hubs_in_order(device, balance, everything):
    """Rows span many slices or shares; one begins where another ends, and there are short and empty rows in between."""
    degrees = np.zeros(6000, np.int64)
    degrees[[0, 1, 7, 100, 5998]] = 4000, 255, 513, 3000, 1300
    degrees[2000:3000] = np.arange(1000) % 40
    dst = np.concatenate([np.arange(d) for d in degrees])
    graph = mg.Graph.from_edges(
        np.repeat(np.arange(6000), degrees), dst, num_vertices=6000, directed=True, device=device
    )
    start = mg.Frontier.all_vertices() if everything else mg.Frontier.of(np.arange(6000)[::-1])
    options = {"initial": 1000, "into": "result", "balance": balance}
    run_both("neighbor_reduce", sums_on(graph), start, Composed, **options)


@pytest.mark.parametrize("balance", BALANCES[1:])
@pytest.mark.parametrize("since", [None, "mark"])
def test_strategies_reduce_hubs_of_slabs(device, balance, since):
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
    options = {"initial": 5, "into": "result", "balance": balance, "since": since}
    run_both("neighbor_reduce", sums_on(graph), everyone, Product, **options)


def test_strategies_that_do_not_know_idx(device):
    problem = sums_on(mg.generate.path(4, device=device))
    options = {"reduce": "add", "into": "result", "balance": "warp"}
    with pytest.raises(FunctorError, match=r"Position asks neighbor_reduce for 'idx'.*balance='warp' doesn't"):
        mg.operators.neighbor_reduce(problem, mg.Frontier.of([0]), Position, **options)


@pytest.mark.parametrize("threads", ["1", "2", "7"])
def test_a_hub_among_isolated_vertices(device, threads, monkeypatch):
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    graph = mg.Graph.from_edges([5] * 3000, range(3000), num_vertices=9000, directed=True, device=device)
    problem = Degrees(graph)
    mg.operators.neighbor_reduce(problem, mg.Frontier.all_vertices(), One, reduce="add", into="degree")
    np.testing.assert_array_equal(CPU.asarray(problem.degree), CPU.asarray(graph.out_degree()))


class Degrees(mg.Problem):
    degree = mg.vertex_field(np.int64)


class One(mg.Functor):
    def map(src):
        return 1


class Silent(mg.Functor):
    def map(weight):
        return weight

    def apply_reduce(vertex, value, seen):
        seen[vertex] = 1


@pytest.mark.parametrize(
    ("frontier", "functor", "options", "complaint"),
    [
        ("vertices", Keys, {}, "reduce='add'"),
        ("vertices", Heaviest, {"reduce": "add"}, "nowhere to put its results"),
        ("vertices", Keys, {"reduce": "mul", "into": "result"}, "add, min, max, or"),
        ("vertices", Keys, {"reduce": "or", "into": "heaviest"}, "bits of integers"),
        ("vertices", Keys, {"reduce": "add", "into": "total"}, "not a vertex field"),
        ("vertices", Keys, {"reduce": "add", "into": "nothing"}, "not a vertex field"),
        ("vertices", Keys, {"reduce": "add", "direction": "both"}, "'out', 'in'"),
        ("vertices", Keys, {"reduce": "add", "by": "rank"}, "'vertex', 'position'"),
        ("vertices", Keys, {"reduce": "add", "dtype": "int8"}, "int32, int64, float32, float64"),
        ("vertices", Composed, {"into": "result"}, "initial="),
        ("vertices", Heaviest, {"reduce": "add", "into": "heaviest", "scalar": "total"}, "apply_reduce"),
        ("vertices", Silent, {"reduce": "add", "scalar": "total"}, "must return a number"),
        ("vertices", Keys, {"reduce": "add", "into": "result", "balance": None}, "balance=None: use one of 'auto'"),
        ("edges", Keys, {"reduce": "add", "into": "result"}, "frontier of vertices, got one of edges"),
        ("repeated", Keys, {"reduce": "add", "into": "result", "by": "position"}, "distinct"),
    ],
)
def test_bad_input(device, frontier, functor, options, complaint):
    problem = sums_on(mg.Graph.from_edges([0, 1], [1, 2], [1.0, 2.0], device=device))
    frontier = mg.Frontier.of([0, 0]) if frontier == "repeated" else frontiers(problem.graph)[frontier]
    with pytest.raises((FunctorError, ProblemError), match=complaint):
        mg.operators.neighbor_reduce(problem, frontier, functor, **options)


class Totals(mg.Problem):
    seen = mg.vertex_field(np.float64)
    total = mg.scalar_field(np.float64, fill=7.0)
    largest = mg.scalar_field(np.int64)


class Total(mg.Functor):
    def map(dst):
        return 1.0

    def apply_reduce(vertex, value, total, seen):
        seen[vertex] = total
        return value + 1.0, int(value)


class TotalEnactor(mg.Enactor, problem=Totals, functor=Total):
    balance = "auto"

    def step(self, frontier):
        options = {"scalar": ("total", "largest"), "scalar_reduce": ("add", "max"), "balance": self.balance}
        self.neighbor_reduce(frontier, reduce="add", **options)


@pytest.fixture(params=[20, 3000], ids=["no hubs", "hubs"])
def two_stars(request, device):
    leaves = np.arange(2, request.param)
    return mg.Graph.from_edges(leaves % 2, leaves, num_vertices=request.param + 5, device=device)


@pytest.mark.parametrize("balance", BALANCES)
@pytest.mark.parametrize("driver", ["auto", "fused", "host"])
def test_scalars_hold_the_last_step_until_all_rows_are_done(two_stars, balance, driver):
    enactor = TotalEnactor(two_stars, max_iterations=2, driver=driver)
    enactor.balance = balance
    enactor.run()
    degrees = CPU.asarray(two_stars.degree())
    total = float(degrees.sum() + len(degrees))
    assert (CPU.asarray(enactor.problem.seen) == total).all()  # of the first step: neither 7 nor a part of the second
    assert float(enactor.problem.total[0]) == total
    assert int(enactor.problem.largest[0]) == degrees.max()


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("2 scalars but 1 of scalar_reduce", {"scalar": ("total", "largest"), "scalar_reduce": ("add",)}),
        ("names a field twice", {"scalar": ("total", "total")}),
        ("'seen' is not a scalar field", {"scalar": ("total", "seen")}),
    ],
)
def test_several_scalars_refused(device, words, options):
    problem = Totals(mg.generate.path(3, device=device))
    with pytest.raises(ProblemError, match=words):
        mg.operators.neighbor_reduce(problem, mg.Frontier.all_vertices(), Total, reduce="add", **options)


def test_a_number_where_a_tuple_is_due(device):
    class One(Total):
        def apply_reduce(vertex, value):
            return value

    problem = Totals(mg.generate.path(3, device=device))
    with pytest.raises(FunctorError, match=r"One\.apply_reduce"):
        mg.operators.neighbor_reduce(
            problem, mg.Frontier.all_vertices(), One, reduce="add", scalar=("total", "largest")
        )


class Best(mg.Problem):
    best = mg.vertex_field(np.int64)
    label = mg.vertex_field(np.int32)
    share = mg.vertex_field(np.float32)
    counted = mg.vertex_field(np.int32)
    most = mg.scalar_field(np.int64, fill=-3)
    least = mg.scalar_field(np.float64, fill=-3)


class Packed(mg.Functor):
    """The greatest key and the neighbor that has it, in one whole number above 2^53."""

    def map(src, dst):
        return (1 << 40) * (dst * 100) + dst

    def apply_reduce(vertex, value, best):
        best[vertex] = value
        return value


class PackedOwn(Packed):
    def reduce(a, b):
        return a if a > b else b


@pytest.mark.parametrize(("functor", "options"), [(Packed, {"reduce": "max"}), (PackedOwn, {"initial": -1})])
def test_whole_numbers_are_reduced_exactly(device, functor, options):
    """Reductions without a field for results, and with the functor's own reduce."""
    problem = Best(mg.Graph.from_edges([0, 0], [10001, 777], num_vertices=10002, device=device))
    mg.operators.neighbor_reduce(problem, mg.Frontier.of(0), functor, scalar="most", scalar_reduce="max", **options)
    packed = (1 << 40) * 10001 * 100 + 10001
    assert int(problem.best[0]) == packed
    assert int(problem.most[0]) == packed


class Label(mg.Functor):
    def map(dst, label):
        return label[dst]  # int32, but the sum is int64

    def apply_reduce(vertex, value, best):
        best[vertex] = value


class IsOdd(mg.Functor):
    def map(dst):
        return dst % 2 == 1

    def apply_reduce(vertex, value, best):
        best[vertex] = value


class Share(mg.Functor):
    def map(dst, share):
        return share[dst]

    def apply_reduce(vertex, value, best, share):
        best[vertex] = value * np.float32(3.0) == np.float32(0.1) * np.float32(3.0)  # true only in float32


def test_the_dtype_that_values_are_reduced_in(device):
    """The dtype follows from the values of ``map``: int64 for integers and bools, float32 for float32."""
    problem = Best(mg.generate.star(5, device=device))
    problem.label, problem.share = 2**31 - 1, 0.1
    center = mg.Frontier.of(0)
    for functor, reduce, expected in ((Label, "add", 4 * (2**31 - 1)), (IsOdd, "add", 2), (Share, "max", 1)):
        mg.operators.neighbor_reduce(problem, center, functor, reduce=reduce)
        assert int(problem.best[0]) == expected


class Unsigned(mg.Functor):
    def map(dst):
        return np.uint64(dst)

    def apply_reduce(vertex, value):
        return value


class Halves(mg.Functor):
    def map(dst):
        return dst * 0.5

    def apply_reduce(vertex, value):
        return value


class HalvesOfWhole(Halves):
    def map(dst):
        return dst

    def reduce(a, b):
        return (a + b) * 0.5


@pytest.mark.parametrize(
    ("functor", "options", "complaint"),
    [
        (Unsigned, {"reduce": "add"}, r"map .* returns uint64.*dtype='int64' or 'float64'"),
        (Halves, {"reduce": "add", "into": "counted"}, r"map .* returns float64, but it becomes int32"),
        (Halves, {"reduce": "add", "dtype": "int64"}, r"map .* returns float64, but it becomes int64"),
        (Halves, {"reduce": "add", "scalar": "most"}, r"apply_reduce .* returns float64, but it becomes int64"),
        (HalvesOfWhole, {"initial": 0}, r"reduce .* returns float64, but it becomes int64"),
        (Packed, {"reduce": "max", "initial": (1, 2)}, r"initial=\(1, 2\) is no number of dtype int64"),
        (Packed, {"reduce": "max", "initial": 0.5}, r"initial=0\.5 is no number of dtype int64"),
        (Packed, {"reduce": "max", "scalar": "most", "scalar_initial": np.inf}, r"initial=inf is no number of dtype"),
        (Packed, {"reduce": "max", "scalar": "most", "scalar_initial": [1, 2]}, "1 scalars but 2 of scalar_initial"),
        (Packed, {"reduce": "max", "scalar": 3}, "scalar=3: give one value, or a tuple"),
        (Packed, {"reduce": "max", "into": ["best"]}, r"into=\['best'\] names a field for each number of a tuple"),
        (Packed, {"reduce": "max", "dtype": "many"}, "dtype='many' is not one of int32"),
        (Packed, {"reduce": "max", "dtype": (np.int32, np.float64)}, "dtype=.* is not one of int32"),
        (Halves, {"reduce": "add", "into": "counted", "dtype": "float64"}, "'float64' don't fit into='counted'"),
        (Packed, {"reduce": "max", "into": "counted", "dtype": np.int64}, "'int64' don't fit .* declared as int32"),
    ],
)
def test_what_would_lose_something_is_refused(device, functor, options, complaint):
    problem = Best(mg.generate.path(3, device=device))
    with pytest.raises((FunctorError, ProblemError), match=complaint):
        mg.operators.neighbor_reduce(problem, mg.Frontier.of(0), functor, **options)


class Place(mg.Functor):
    def map(dst):
        return dst

    def apply_reduce(vertex, value):
        return value, vertex + 0.5


@pytest.mark.parametrize("balance", ["auto", "merge"])
def test_scalars_over_nothing(two_stars, balance):
    """The result is the initial value, by default the neutral element, and never the fill of the field."""
    problem = Best(two_stars)
    options = {"reduce": "max", "scalar": ("most", "least"), "scalar_reduce": ("max", "min"), "balance": balance}
    nothing, one = mg.Frontier.of([]), mg.Frontier.of([2])

    def found(frontier, **more):
        mg.operators.neighbor_reduce(problem, frontier, Place, **options, **more)
        return int(problem.most[0]), float(problem.least[0])

    assert found(nothing) == (np.iinfo(np.int64).min, np.inf)
    assert found(nothing, scalar_initial=(-1, 7)) == (-1, 7.0)
    assert found(nothing, scalar_initial=4) == (4, 4.0)
    assert found(one, scalar_initial=(-1, 7)) == (0, 2.5)
    assert found(one, scalar_initial=(9, 1)) == (9, 1.0)
    assert found(mg.Frontier.of([0, 1, 2]), scalar_initial=(-1, 7))[1] == 0.5


class Extremes(mg.Problem):
    height = mg.vertex_field(np.float64)
    least = mg.vertex_field(np.float64)
    total = mg.scalar_field(np.float64)


class TakeHeight(mg.Functor):
    def map(dst, height):
        return height[dst]

    def apply_reduce(value):
        return value

    def apply(vertex, height):
        return height[vertex]


@pytest.mark.parametrize("balance", BALANCES)
@pytest.mark.parametrize("reduce", ["min", "max"])
def test_nan_is_passed_over(device, reduce, balance):
    """NaN is ignored, whichever worker begins with one."""
    rng, n = np.random.default_rng(5), 700
    src = np.concatenate([np.repeat([0, 1, 2, 3], [n, 40, 5, 2]), rng.integers(4, n, 3000)])
    dst = rng.integers(0, n, len(src))
    src, dst = src[src != dst], dst[src != dst]
    height = np.where(rng.random(n) < 0.7, np.nan, rng.normal(size=n))
    fold = np.fmin if reduce == "min" else np.fmax
    expected = np.full(n, np.inf if reduce == "min" else -np.inf)
    fold.at(expected, src, height[dst])
    for make in (mg.Graph.from_edges, mg.DynamicGraph.from_edges):
        graph = make(src, dst, num_vertices=n, directed=True, device=device)
        problem, everyone = Extremes(graph, height=height.tolist()), mg.Frontier.all_vertices()
        scalar = {"scalar": "total", "scalar_reduce": reduce}
        mg.operators.neighbor_reduce(
            problem, everyone, TakeHeight, reduce=reduce, into="least", balance=balance, **scalar
        )
        assert CPU.asarray(problem.least).tolist() == expected.tolist()
        assert float(problem.total[0]) == fold.reduce(expected)
        mg.operators.compute(problem, everyone, TakeHeight, into="total", reduce=reduce)
        assert float(problem.total[0]) == fold.reduce(height)


class Heights(mg.Problem):
    height = mg.vertex_field(np.float64)
    total = mg.scalar_field(np.float64)
    of_all = mg.scalar_field(np.float64)
    result = mg.vertex_field(np.float64)


class SumOfHeights(TakeHeight):
    def apply_reduce(vertex, value, result):
        result[vertex] = value
        return value


@pytest.mark.parametrize("layout", [mg.Graph, mg.DynamicGraph])
@pytest.mark.parametrize("balance", ["auto", "merge"])
@pytest.mark.parametrize("share", [1.0, 0.5, 0.01])
def test_sums_are_those_of_any_number_of_threads(layout, balance, share, monkeypatch):
    """Sums are equal bit by bit, although additions round: each piece is reduced as a whole, then pieces in order."""
    made = mg.generate.rmat(13, 8, seed=5, device="cpu")
    src, dst, _ = made.to_edges()
    count = made.num_vertices
    graph = layout.from_edges(src, dst, num_vertices=count, directed=False, device="cpu")
    rng = np.random.default_rng(1)
    heights, some = rng.random(count), rng.permutation(count)[: int(count * share)].astype(np.int32)
    frontier, found = mg.Frontier.all_vertices() if share == 1.0 else mg.Frontier("vertices", ids=some), []
    for threads in ("1", "2", "5", "16"):
        monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
        problem = Heights(graph, height=heights)
        mg.operators.neighbor_reduce(problem, frontier, SumOfHeights, reduce="add", scalar="total", balance=balance)
        mg.operators.compute(problem, frontier, SumOfHeights, into="of_all")
        found.append((float(problem.total[0]), float(problem.of_all[0]), problem.result.tobytes()))
    assert found == found[:1] * 4
    rows = np.repeat(np.arange(count), made.degree())
    sums = np.bincount(rows, heights[made.indices], count)
    assert found[0][:2] == pytest.approx((sums[some].sum(), heights[some].sum()), rel=1e-12)


class Shares(mg.Problem):
    share = mg.vertex_field(np.float64)
    result = mg.vertex_field(np.float64, fill=-7)


class SingleShares(Shares):
    share = mg.vertex_field(np.float32)


class SumOfHeads(mg.Functor):
    def map(dst, share):
        return share[dst]

    def apply_reduce(vertex, value, result):
        result[vertex] = value


@pytest.mark.parametrize("of", [Shares, SingleShares])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_what_lies_beyond_a_row_is_no_matter(device, of, kind):
    """Values after the end of rows of each length do not matter, whether they are numbers or not."""
    lengths = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 0, 0, 1]
    src = np.repeat(np.arange(len(lengths)), lengths)
    values = np.random.default_rng(2).integers(1, 9, len(src)).astype(np.float64)
    n = len(lengths) + len(src)
    graph = mg.Graph.from_edges(src, len(lengths) + np.arange(len(src)), num_vertices=n, directed=True, device=device)
    for row, length in enumerate(lengths):
        mine = src == row
        share = np.zeros(n)
        share[len(lengths) :] = np.where(mine, values, np.resize([np.nan, np.inf, -np.inf], len(src)))
        problem = of(graph, share=graph._device.asarray(share, of._fields["share"].dtype))
        mg.operators.neighbor_reduce(
            problem, mg.Frontier.of([row]), SumOfHeads, reduce="add", direction="out", dtype=kind
        )
        assert (length, float(problem.result[row])) == (length, values[mine].sum())


@pytest.mark.parametrize("initial", [0.0, -0.0])
def test_zeros_keep_their_sign(device, initial):
    graph = mg.generate.path(3, device=device)
    problem = Shares(graph, share=graph._device.full(3, -0.0, np.float64))
    mg.operators.neighbor_reduce(
        problem, mg.Frontier.all_vertices(), SumOfHeads, reduce="add", direction="out", initial=initial
    )
    assert np.signbit(CPU.asarray(problem.result)).tolist() == [np.signbit(initial)] * 3
