"""Compositions of operators: output frontiers of reductions and intersections, pushes along in-edges, sums over the
steps of a loop. Results are compared with loops over the graph's arcs.
"""

import numpy as np
import pytest

import minigr as mg
from minigr import atomic_add
from minigr.device import CPU
from minigr.errors import FunctorError, GraphError, ProblemError
from tests.layouts import arcs_of, slabs_of
from tests.operators.common import frontiers


class Values(mg.Problem):
    key = mg.vertex_field(np.int64)
    sum = mg.vertex_field(np.int64, fill=-9)
    applied = mg.vertex_field(np.int64)
    visits = mg.vertex_field(np.int64)
    told = mg.edge_field(np.int64)
    total = mg.scalar_field(np.int64, fill=-5)
    most = mg.scalar_field(np.int64, fill=-5)
    weights = mg.scalar_field(np.float64)


def values_on(graph):
    problem = Values(graph)
    problem.key = np.arange(graph.num_vertices, dtype=np.int64) * 7919 % 101
    return problem


def held(graph, frontier):
    """The vertices of a frontier."""
    if not frontier.everything:
        return CPU.asarray(frontier.ids)
    return np.arange(graph.num_vertices) if graph.layout == "csr" else CPU.asarray(graph.live_vertices())


class Sum(mg.Functor):
    def map(src, dst, key):
        return key[dst] + src

    def cond_reduce(vertex, value, iteration, applied):
        return (value + vertex) % 3 == iteration and applied[vertex] == 0

    def apply_reduce(vertex, applied):
        atomic_add(applied, vertex, 1)


@pytest.mark.parametrize("start", ["all", "vertices", "bitmap", "none"])
@pytest.mark.parametrize("balance", ["block", "tile", "merge"])
def test_vertices_that_a_reduction_puts_out(graph, start, balance):
    problem, frontier = values_on(graph), frontiers(graph)[start]
    key, sums = CPU.asarray(problem.key), np.zeros(graph.num_vertices, np.int64)
    ids, src, dst, _ = arcs_of(graph)
    np.add.at(sums, src[ids], key[dst[ids]] + src[ids])
    expected = [v for v in held(graph, frontier) if (sums[v] + v) % 3 == 1]
    output = mg.operators.neighbor_reduce(
        problem, frontier, Sum, reduce="add", into="sum", output="vertices", balance=balance
    )
    assert sorted(CPU.asarray(output.ids).tolist()) == sorted(expected)
    vertices = held(graph, frontier)
    np.testing.assert_array_equal(CPU.asarray(problem.sum)[vertices], sums[vertices])
    assert CPU.asarray(problem.applied).sum() == len(vertices)  # also for vertices that are not put out


def test_a_hub_and_its_leaves_are_put_out(device):
    graph = mg.generate.star(5000, device=device)
    for balance in ("block", "warp", "merge"):
        for keeps in (2, 1):  # keep the hub, then the leaves
            problem = values_on(graph)
            problem.key = np.where(np.arange(5000) == 0, keeps, 1)
            output = mg.operators.neighbor_reduce(
                problem, mg.Frontier.all_vertices(), Popular, reduce="add", output="vertices", balance=balance
            )
            assert sorted(CPU.asarray(output.ids).tolist()) == ([0] if keeps == 2 else list(range(1, 5000)))


class Popular(mg.Functor):
    def map(src, dst, key):
        return 1

    def cond_reduce(vertex, value, key):
        return (value > 1) == (key[0] == 2)


class Supports(mg.Functor):
    def cond_intersect(src, dst, key):
        return (key[src] + key[dst]) % 5 != 0

    def cond_count(edge, count, told):
        return count > 0 and told[edge] == 0

    def apply_count(edge, count, told):
        atomic_add(told, edge, 1)
        return count


def counted(graph, edges):
    """The number of common neighbors of the ends of edges, by a loop."""
    ids, src, dst, _ = arcs_of(graph)
    near = [set() for _ in range(graph.num_vertices)]
    for edge in ids:
        near[src[edge]].add(int(dst[edge]))
    return {int(e): len(near[src[e]] & near[dst[e]]) for e in edges}


@pytest.mark.parametrize("start", ["edges", "all_edges"])
def test_edges_that_an_intersection_puts_out(graph, start):
    problem, frontier = values_on(graph), frontiers(graph)[start]
    ids, src, dst, _ = arcs_of(graph)
    edges = ids if frontier.everything else CPU.asarray(frontier.ids)
    key = CPU.asarray(problem.key)
    edges = [int(e) for e in edges if (key[src[e]] + key[dst[e]]) % 5 != 0]
    counts = counted(graph, edges)
    output = mg.operators.intersect(problem, frontier, Supports, into="total", output="edges")
    assert sorted(CPU.asarray(output.ids).tolist()) == sorted(e for e in edges if counts[e])
    assert int(problem.total[0]) == sum(counts.values())
    assert CPU.asarray(problem.told).sum() == len(edges)


@pytest.mark.parametrize("start", ["edges", "all_edges"])
def test_edges_between_hubs_are_put_out(device, start):
    """The rows of hubs are so long that a GPU does them in a later phase."""
    graph = mg.generate.complete(150, device=device)
    problem = values_on(graph)
    problem.key = np.ones(150)
    edges = np.arange(0, graph.num_arcs, 7)
    frontier = mg.Frontier.all_edges() if start == "all_edges" else mg.Frontier.of_edges(edges)
    output = mg.operators.intersect(problem, frontier, Supports, into="total", output="edges")
    expected = range(graph.num_arcs) if start == "all_edges" else edges
    assert sorted(CPU.asarray(output.ids).tolist()) == list(expected)
    assert int(problem.total[0]) == 148 * len(expected)


class Count(mg.Functor):
    def apply_count(edge, count, told):
        told[edge] = 1 + count
        return count


@pytest.mark.parametrize("hubs", [False, True])
def test_an_intersection_of_what_came_since_the_mark(device, hubs):
    whole = mg.generate.complete(90 if hubs else 9, device=device)
    graph = slabs_of(whole, seed=3)
    problem = Values(graph)
    mg.operators.intersect(problem, mg.Frontier.all_edges(), Count, into="total", since="mark")
    new, _, _, _ = arcs_of(graph, since=True)
    counts = counted(graph, new)
    assert 0 < len(new) < graph.num_arcs
    assert int(problem.total[0]) == sum(counts.values())
    assert np.flatnonzero(CPU.asarray(problem.told)).tolist() == sorted(counts)


class Told(mg.Functor):
    def cond_target(dst, key):
        return key[dst] % 7 != 0

    def cond_advance(src, dst, key):
        return (key[src] + 2 * key[dst]) % 3 != 0

    def apply_advance(src, dst, edge, weight, visits, told):
        atomic_add(visits, src, 1 + dst)
        atomic_add(told, edge, 1 + src * 1000 + dst + np.int64(weight))


@pytest.mark.parametrize("start", ["all", "vertices", "none"])
@pytest.mark.parametrize(
    "options", [{}, {"balance": "merge"}, {"balance": "warp", "output": "edges"}, {"output": None}]
)
def test_a_push_along_in_edges(graph, start, options):
    problem, frontier = values_on(graph), frontiers(graph)[start]
    key, inside = CPU.asarray(problem.key), set(held(graph, frontier).tolist())
    ids, tails, heads, weights = arcs_of(graph)
    told, visits = np.zeros(graph.num_edge_ids, np.int64), np.zeros(graph.num_vertices, np.int64)
    passed = []
    for edge in ids if graph.directed else ():
        src, dst = int(heads[edge]), int(tails[edge])  # in reverse
        if src in inside and key[dst] % 7 != 0 and (key[src] + 2 * key[dst]) % 3 != 0:
            visits[src] += 1 + dst
            told[edge] += 1 + src * 1000 + dst + int(weights[edge])
            passed.append((int(edge), dst))
    output = mg.operators.advance(problem, frontier, Told, reverse=True, **options)
    if not graph.directed:  # an edge leads both ways, and the layout decides which of its two ids is used
        forward = values_on(graph)
        expected = mg.operators.advance(forward, frontier, Told, **{**options, "balance": "auto"})
        if options.get("output", "vertices") == "vertices":
            assert sorted(CPU.asarray(output.ids).tolist()) == sorted(CPU.asarray(expected.ids).tolist())
        np.testing.assert_array_equal(CPU.asarray(problem.visits), CPU.asarray(forward.visits))
        return
    np.testing.assert_array_equal(CPU.asarray(problem.visits), visits)
    np.testing.assert_array_equal(CPU.asarray(problem.told), told)
    if options.get("output", "vertices") is None:
        assert output is None
    else:
        place = 0 if options.get("output") == "edges" else 1
        assert sorted(CPU.asarray(output.ids).tolist()) == sorted({each[place] for each in passed})


def test_a_hub_is_gone_into_backwards(device):
    """Many edges lead to the hub and none from it, so it is a hub only by its in-edges."""
    n = 40_000
    graph = mg.Graph.from_edges(np.arange(1, n), np.zeros(n - 1, int), num_vertices=n, directed=True, device=device)
    problem = values_on(graph)
    output = mg.operators.advance(problem, mg.Frontier.of([0]), Everyone, reverse=True)
    assert sorted(CPU.asarray(output.ids).tolist()) == list(range(1, n))


class Everyone(mg.Functor):
    def cond_advance(src):
        return True


class Add(mg.Functor):
    def apply(vertex, iteration, key):
        return key[vertex] * iteration

    def map(dst, key):
        return key[dst]

    def apply_reduce(vertex, value, iteration):
        return value * iteration, value + iteration

    def apply_count(count, iteration):
        return np.float64(count * iteration)


class AddUp(mg.Enactor, problem=Values, functor=Add):
    items = mg.Frontier.all_vertices()

    def start(self):
        self.problem.key = np.arange(self.graph.num_vertices) * 7919 % 101
        return self.items

    def step(self, frontier):
        self.compute(frontier, into="total", initial=10, accumulate=True)


class ReduceUp(AddUp):
    def step(self, frontier):
        self.neighbor_reduce(
            frontier, reduce="add", scalar=("total", "most"), scalar_reduce=("add", "max"), scalar_accumulate=True
        )


class IntersectUp(AddUp):
    items = mg.Frontier.all_edges()

    def step(self, frontier):
        self.intersect(frontier, into="weights", accumulate=True)


@pytest.mark.parametrize("driver", ["auto", "fused", "graph", "host"])
@pytest.mark.parametrize("shape", ["path", "star", "complete"])
def test_sums_over_the_steps_of_a_loop(device, shape, driver):
    if driver == "graph" and device == "cpu":
        pytest.skip("a CUDA graph")
    size = {"path": 50, "star": 3000, "complete": 80}[shape]
    graph = getattr(mg.generate, shape)(size, device=device)
    ids, src, dst, _ = arcs_of(graph)
    key, sums = np.arange(size) * 7919 % 101, np.zeros(size, np.int64)
    np.add.at(sums, src[ids], key[dst[ids]])
    add, reduce = (enactor(graph, driver=driver, max_iterations=4) for enactor in (AddUp, ReduceUp))
    for _ in range(2):  # each run of a loop begins with the initial values
        add.run()
        assert int(add.problem.total[0]) == 10 + key.sum() * (1 + 2 + 3 + 4)
        reduce.run()
        assert int(reduce.problem.total[0]) == sums.sum() * (1 + 2 + 3 + 4)
        assert int(reduce.problem.most[0]) == sums.max() + 4
    if shape == "complete":
        intersect = IntersectUp(graph, driver=driver, max_iterations=3)
        intersect.run()
        assert float(intersect.problem.weights[0]) == (size - 2) * graph.num_arcs * (1 + 2 + 3)


class Any(mg.Functor):
    def cond_filter(vertex, key):
        return key[vertex] % 3 != 0

    def apply_filter(vertex, visits):
        atomic_add(visits, vertex, 1)


@pytest.mark.parametrize("functor", [Any, None])
@pytest.mark.parametrize("repeats", [1, 2, 300])
def test_culling_keeps_each_item_and_drops_most_repetitions(device, functor, repeats):
    graph = mg.generate.path(1000, device=device)
    problem = values_on(graph)
    vertices = np.arange(1, 1000, 2, dtype=np.int32)
    given = np.concatenate([np.repeat(vertices, repeats), vertices])
    key = CPU.asarray(problem.key)
    expected = vertices if functor is None else vertices[key[vertices] % 3 != 0]
    output = mg.operators.filter(problem, mg.Frontier.of(given), functor, duplicates="cull")
    found, counts = np.unique(CPU.asarray(output.ids), return_counts=True)
    assert found.tolist() == expected.tolist()
    assert (counts <= repeats + 1).all()
    if repeats == 300:
        assert counts.sum() < len(given) / 20
    if functor is not None:  # the functor visits each item that is put out
        np.testing.assert_array_equal(CPU.asarray(problem.visits)[found], counts)


def test_culling_begins_again_in_each_step(device):
    """A vertex that an earlier step saw does not count as a repetition."""
    graph = mg.generate.path(100, device=device)
    for _ in range(2):
        output = mg.operators.filter(Values(graph), mg.Frontier.of([7, 7, 9]), None, duplicates="cull")
        assert set(CPU.asarray(output.ids).tolist()) == {7, 9}
    stepper = Stepper(graph, max_iterations=3)
    stepper.run()
    assert CPU.asarray(stepper.problem.visits)[5:8].min() >= 3


class Visit(mg.Functor):
    def apply_filter(vertex, visits):
        atomic_add(visits, vertex, 1)


class Stepper(mg.Enactor, problem=Values, functor=Visit):
    def start(self):
        return mg.Frontier.of([5, 6, 7])

    def step(self, frontier):
        return self.filter(frontier, duplicates="cull")


def test_what_is_refused(device):
    graph = mg.generate.path(4, device=device)
    problem, everyone = Values(graph), mg.Frontier.all_vertices()
    with pytest.raises(FunctorError, match="to have cond_reduce"):
        mg.operators.neighbor_reduce(problem, everyone, Add, reduce="add", output="vertices")
    with pytest.raises(FunctorError, match="to have cond_count"):
        mg.operators.intersect(problem, mg.Frontier.all_edges(), Add, output="edges")
    with pytest.raises(ProblemError, match=r"reverse=True.*direction is 'pull'"):
        mg.operators.advance(problem, everyone, Everyone, reverse=True, direction="pull")
    with pytest.raises(ProblemError, match="reverse=True takes a frontier of vertices"):
        mg.operators.advance(problem, mg.Frontier.of_edges([0]), Everyone, reverse=True)
    with pytest.raises(ProblemError, match="accumulate"):
        mg.operators.compute(problem, everyone, Add, accumulate=True)
    for name, value in {"accumulate": True, "reduce": "max", "initial": 3}.items():
        how = {f"scalar_{name}": value}
        with pytest.raises(
            ProblemError, match=r"into no scalar field: name one with scalar=, or leave out scalar_reduce="
        ):
            mg.operators.neighbor_reduce(problem, everyone, Sum, reduce="add", **how)
    slabs = mg.DynamicGraph.from_graph(graph)
    slabs.mark()
    with pytest.raises(ProblemError, match=r"since='mark'.*list"):
        mg.operators.intersect(Values(slabs), mg.Frontier.of_edges([0]), Add, since="mark")
    directed = mg.DynamicGraph(3, directed=True, device=device)
    with pytest.raises(GraphError, match="in_edges=True"):
        mg.operators.advance(Values(directed), everyone, Everyone, reverse=True)
