"""intersect compared with its specification, over the battery."""

import numpy as np
import pytest

import minigr as mg
from minigr import atomic_add, atomic_max
from minigr.device import CPU
from minigr.errors import FunctorError, ProblemError
from tests.layouts import arcs_of, slabs_of
from tests.operators.common import frontiers, rows_of_all_lengths, run_both


class Pairs(mg.Problem):
    """`key` is given; the other fields record what was found, and which arguments each visit got."""

    key = mg.vertex_field(np.int32)
    found = mg.vertex_field(np.int64)
    near = mg.edge_field(np.int64)
    far = mg.edge_field(np.int64)
    told = mg.edge_field(np.int64)
    counts = mg.edge_field(np.int64, fill=-1)
    its_ends = mg.edge_field(np.int64, fill=-1)
    its_idx = mg.edge_field(np.int64, fill=-1)
    total = mg.scalar_field(np.int64, fill=-7)
    largest = mg.scalar_field(np.float64)
    size = mg.parameter(np.int64)


class Everything(mg.Functor):
    """Records all its arguments."""

    def cond_intersect(src, dst, edge, idx, iteration, key):
        return (key[src] + 2 * key[dst]) % 3 != 0 and edge >= 0 and idx >= 0 and iteration == 1

    def apply_intersect(src, dst, common, edge, src_edge, dst_edge, idx, iteration, key, found, near, far, told):
        atomic_add(found, common, 1 + key[src])
        atomic_add(near, src_edge, 1 + key[dst])
        atomic_add(far, dst_edge, 1 + key[common])
        atomic_add(told, edge, iteration * (1 + key[common] + src_edge * 3 + dst_edge * 5 + idx))

    def apply_count(src, dst, edge, count, idx, iteration, counts, its_ends, its_idx, size):
        counts[edge] = count * iteration
        its_ends[edge] = src * size + dst
        atomic_max(its_idx, edge, idx)  # because a list may have an edge twice
        return count + src


class Numbers(mg.Functor):
    """Counts common neighbors, without asking which they are."""

    def apply_count(edge, count, counts):
        counts[edge] = count
        return count


class Found(mg.Functor):
    """Finds common neighbors, without asking for their number or the edges to them."""

    def apply_intersect(common, found):
        atomic_add(found, common, 1)


def pairs_on(graph):
    problem = Pairs(graph, size=graph.num_vertices)
    problem.key = np.arange(graph.num_vertices, dtype=np.int64) * 7919 % 101
    return problem


@pytest.mark.parametrize("start", ["edges", "all_edges"])
def test_all_it_is_told(graph, start):
    run_both("intersect", pairs_on(graph), frontiers(graph)[start], Everything, into="total", reduce="add")


LARGEST = {"specified": {"initial": -np.inf}, "into": "largest", "reduce": "max"}


@pytest.mark.parametrize("start", ["edges", "all_edges"])
def test_numbers(graph, start):
    run_both("intersect", pairs_on(graph), frontiers(graph)[start], Numbers, **LARGEST)


def test_edges_that_repeat(device):
    graph = mg.generate.complete(9, device=device)
    run_both("intersect", pairs_on(graph), mg.Frontier.of_edges([5, 9, 5, 5]), Found)


def test_no_edges(graph):
    run_both("intersect", pairs_on(graph), mg.Frontier.of_edges(arcs_of(graph)[0][:0]), Numbers, **LARGEST)


@pytest.mark.parametrize(
    ("layout", "functor"),
    [("repeats", Everything), ("slabs", Everything), ("simple", Numbers)],
)
def test_rows_of_all_lengths(device, layout, functor):
    graph = rows_of_all_lengths(device)
    if layout != "repeats":
        matrix = graph.to_scipy()
        matrix.setdiag(0)
        matrix.eliminate_zeros()
        graph = mg.Graph.from_scipy(matrix, weights=False, device=device)
        assert graph.is_simple
    if layout == "slabs":
        graph = slabs_of(graph)
    problem = pairs_on(graph)
    run_both("intersect", problem, mg.Frontier.all_edges(), functor, into="total")
    before = {name: CPU.asarray(getattr(problem, name)).copy() for name in ("counts", "found")}
    problem.reset()
    problem.key = np.arange(graph.num_vertices, dtype=np.int64) * 7919 % 101
    edges = np.random.default_rng(6).permutation(arcs_of(graph)[0])
    mg.operators.intersect(problem, mg.Frontier.of_edges(edges), functor, into="total")
    for name, values in before.items():
        np.testing.assert_array_equal(CPU.asarray(getattr(problem, name)), values)
    assert before["counts"].max() > 300  # otherwise the rows are not long enough for this test


@pytest.mark.parametrize("hubs", [0, 3])
def test_hubs_of_any_graph(graph, hubs):
    if graph.layout != "csr":
        pytest.skip("hubs are for rows that are sorted; that others are refused is a test of its own")
    run_both("intersect", pairs_on(graph), mg.Frontier.all_edges(), Numbers, into="total", reduce="add", hubs=hubs)


@pytest.mark.parametrize("apart", [1, 10])
@pytest.mark.parametrize("functor", [Numbers, Everything])
def test_so_many_hubs(device, functor, apart):
    """Rows lead to hubs, to others, to both and to nobody; some words of bits have all bits set, and some have none.

    If ids of vertices are ten apart, rows have more bits than a warp compares at once.
    """
    graph, _ = mg.generate.rmat(9, 24, seed=3, device="cpu").by_degree()
    src, dst = graph.to_edges(both_ways=True)[:2]
    some = np.arange(70)
    src, dst = np.concatenate([src, np.repeat(some, 70)]), np.concatenate([dst, np.tile(some, 70)])
    edges = np.unique(np.stack([src, dst], axis=1)[src != dst], axis=0) * apart
    graph = mg.Graph.from_edges(*edges.T, num_vertices=520 * apart, directed=True, device=device)
    problem = pairs_on(graph)
    run_both("intersect", problem, mg.Frontier.all_edges(), functor, into="total")
    names = [name for name in Pairs._fields if name not in ("size", "largest")]
    before = {name: CPU.asarray(getattr(problem, name)).copy() for name in names}
    assert before["counts"].max() > 70
    for hubs in (1, 32 * apart, 69 * apart, 128, 300 * apart, 131_072):
        problem.reset()
        problem.key = before["key"]
        mg.operators.intersect(problem, mg.Frontier.all_edges(), functor, into="total", hubs=hubs)
        for name, values in before.items():
            np.testing.assert_array_equal(CPU.asarray(getattr(problem, name)), values, err_msg=f"{name}, {hubs} hubs")


class Sums(mg.Problem):
    seen = mg.edge_field(np.int64)
    total = mg.scalar_field(np.int64, fill=7)


class Sum(mg.Functor):
    def apply_count(edge, count, seen, total):
        seen[edge] = total
        return count


class SumEnactor(mg.Enactor, problem=Sums, functor=Sum):
    def start(self):
        return mg.Frontier.all_edges()

    def step(self, frontier):
        self.intersect(frontier, into="total")


@pytest.mark.parametrize("driver", ["auto", "fused", "host"])
@pytest.mark.parametrize("size", [10, 90], ids=["short rows", "wide rows too"])
def test_scalar_holds_the_last_step_until_all_edges_are_done(device, driver, size):
    graph = mg.generate.complete(size, device=device)
    enactor = SumEnactor(graph, max_iterations=2, driver=driver)
    enactor.run()
    total = graph.num_arcs * (size - 2)
    assert (CPU.asarray(enactor.problem.seen) == total).all()
    assert int(enactor.problem.total[0]) == total


class Total(mg.Problem):
    total = mg.scalar_field(np.int64)


class Add(mg.Functor):
    def apply_count(count):
        return count


class AddSteadily(mg.Enactor, problem=Total, functor=Add, steady=True):
    def start(self):
        return mg.Frontier.all_edges()

    def step(self, frontier):
        self.intersect(frontier, into="total")


def test_a_self_loop_that_came_after_the_first_run(device):
    """A vertex whose only neighbor is at the other end shares no neighbor with it, unless that has a self-loop."""
    graph = mg.DynamicGraph(40, allow_self_loops=True, device=device)
    graph.insert_edges([0], [1])
    enactor = AddSteadily(graph, max_iterations=1)
    enactor.run()
    assert int(enactor.problem.total[0]) == 0
    graph.insert_edges([1], [1])
    enactor.run()
    assert int(enactor.problem.total[0]) == 2


class Silent(mg.Functor):
    def apply_count(edge, count, counts):
        counts[edge] = count


class Many(mg.Functor):
    def cond_intersect(src):
        return src


def test_reductions_over_nothing(device):
    """The result is the initial value, by default the neutral element, and never the fill of the field."""
    problem = pairs_on(mg.generate.complete(4, device=device))

    def found(edges, **more):
        mg.operators.intersect(problem, mg.Frontier.of_edges(edges), Numbers, into="total", reduce="max", **more)
        return int(problem.total[0])

    assert found([]) == np.iinfo(np.int64).min
    assert (found([], initial=-1), found([0, 1], initial=-1), found([0, 1], initial=7)) == (-1, 2, 7)
    with pytest.raises(ProblemError, match=r"initial='none' is no number of dtype int64"):
        found([], initial="none")


@pytest.mark.parametrize(
    ("start", "functor", "options", "complaint"),
    [
        ("vertices", Numbers, {}, "intersect takes a frontier of edges or pairs, got one of vertices"),
        ("all", Numbers, {}, "intersect takes a frontier of edges or pairs, got one of vertices"),
        ("edges", Many, {}, "Many to have apply_intersect or apply_count"),
        ("edges", None, {}, "intersect needs a functor"),
        ("edges", Found, {"into": "total"}, "into='total' needs functor Found to have apply_count"),
        ("edges", Silent, {"into": "total"}, "Silent.apply_count.* must return a number"),
        ("edges", Numbers, {"into": "counts"}, "'counts' is not a scalar field of Pairs"),
        ("edges", Numbers, {"into": "total", "reduce": "mul"}, "add, min, max, or"),
        ("edges", Numbers, {"into": "largest", "reduce": "or"}, "bits of integers"),
        ("edges", Numbers, {"hubs": 2}, "hubs= goes with all edges"),
        ("all_edges", Numbers, {"hubs": -1}, "hubs=-1 must be a whole number from 0 to 131,072"),
        ("all_edges", Numbers, {"hubs": 131_073}, "hubs=131073 must be a whole number"),
        ("all_edges", Numbers, {"hubs": True}, "hubs=True must be a whole number"),
    ],
)
def test_bad_input(device, start, functor, options, complaint):
    problem = pairs_on(mg.generate.path(4, device=device))
    with pytest.raises((FunctorError, ProblemError), match=complaint):
        mg.operators.intersect(problem, frontiers(problem.graph)[start], functor, **options)


def test_no_hubs_in_slabs(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.path(4, device=device))
    with pytest.raises(ProblemError, match=r"hubs= needs a Graph.*to_graph"):
        mg.operators.intersect(pairs_on(graph), mg.Frontier.all_edges(), Numbers, hubs=2)


def test_a_functor_asks_for_what_there_is(device):
    class Weights(mg.Functor):
        def apply_intersect(weight):
            pass

    problem = pairs_on(mg.generate.path(4, device=device))
    with pytest.raises(FunctorError, match=r"parameter 'weight' is neither supplied.*common"):
        mg.operators.intersect(problem, mg.Frontier.all_edges(), Weights)
