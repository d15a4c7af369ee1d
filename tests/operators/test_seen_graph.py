"""Functions that ask for `graph`, in every operator, compared with the same functions in plain Python."""

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr import atomic_add
from minigr.device import CPU
from minigr.errors import FieldIndexError, FunctorError
from tests.layouts import arcs_of, as_graph, slabs_of
from tests.operators.common import frontiers, run_both


class Asked(mg.Problem):
    """`key` is given; the other fields record the answers of the graph."""

    key = mg.vertex_field(np.int32)
    first = mg.vertex_field(np.int64)
    second = mg.vertex_field(np.int64)
    third = mg.vertex_field(np.float64)
    by_edge = mg.edge_field(np.int64)
    total = mg.scalar_field(np.int64)


def asked(graph):
    problem = Asked(graph)
    problem.key = np.arange(graph.num_vertices, dtype=np.int64) * 7919 % 101
    return problem


class Walks(mg.Functor):
    """Asks all questions, in loops that end early, in a loop within another, and in a loop with an else."""

    def apply(vertex, graph, key, first, second, third, by_edge):
        for neighbor in graph.neighbors(vertex):
            first[vertex] += 1 + neighbor
            if graph.has_edge(neighbor, vertex) and not graph.has_edge(vertex, -1):
                second[vertex] += 1
        for neighbor, edge in graph.edges(vertex):
            if key[neighbor] % 2 == 0:
                continue
            by_edge[edge] += 1 + neighbor
        for _, edge, weight in graph.weighted_edges(vertex):
            third[vertex] += weight
            by_edge[edge] += 1000
        first[vertex] += 10_000 * graph.degree(vertex) + graph.num_vertices
        second[vertex] += common_neighbors(graph, vertex)


def common_neighbors(graph, v):
    """Counts neighbors with a path of two edges to a neighbor of `v`; other neighbors count 1000 each."""
    count = 0
    for near in graph.neighbors(v):
        for far in graph.neighbors(near):
            if is_near(far, v, of=graph):
                count += 1
                break
        else:
            count += 1000
    return count


def is_near(far, v, of):
    return of.has_edge(v, far) if of.degree(far) > 0 else False


class WalksByNumba(Walks):
    """The same with an expression that only Numba compiles."""

    def apply(vertex, graph, key, first, second, third, by_edge):
        for neighbor, edge, weight in graph.weighted_edges(vertex):
            whole, rest = divmod(neighbor, 2)
            first[vertex] += whole + 3 * rest
            third[vertex] += weight
            by_edge[edge] += 1
        second[vertex] += common_neighbors(graph, vertex) + graph.degree(vertex) * graph.num_vertices


@pytest.mark.parametrize("functor", [Walks, WalksByNumba])
@pytest.mark.parametrize("start", ["all", "vertices"])
def test_compute(graph, functor, start):
    run_both("compute", problem := asked(graph), frontiers(graph)[start], functor)
    if start == "all":  # expected values come from the arcs alone, because each id belongs to one arc
        assert np.count_nonzero(CPU.asarray(problem.by_edge)) == len(arcs_of(graph)[0])


class Along(mg.Functor):
    def cond_target(dst, graph):
        return graph.degree(dst) % 3 != 1

    def cond_advance(src, dst, graph, key):
        for neighbor in graph.neighbors(dst):
            if neighbor != src and key[neighbor] % 4 == 0:
                return True
        return graph.degree(src) < 3

    def apply_advance(src, dst, edge, graph, first, by_edge):
        atomic_add(first, dst, graph.degree(src))
        atomic_add(by_edge, edge, graph.has_edge(dst, src))


@pytest.mark.parametrize("direction", ["push", "pull"])
@pytest.mark.parametrize("start", ["all", "vertices"])
def test_advance(graph, direction, start):
    run_both("advance", asked(graph), frontiers(graph)[start], Along, direction=direction)


class Items(mg.Functor):
    def cond_filter(src, dst, graph):
        return not graph.has_edge(dst, src) or graph.degree(src) > graph.degree(dst)

    def apply_filter(edge, src, graph, by_edge):
        by_edge[edge] = graph.num_vertices + graph.degree(src)


@pytest.mark.parametrize("start", ["edges", "all_edges"])
def test_filter(graph, start):
    run_both("filter", asked(graph), frontiers(graph)[start], Items)


class Values(mg.Functor):
    def map(src, dst, graph):
        least = graph.num_vertices
        for neighbor in graph.neighbors(dst):
            least = min(least, neighbor)
        return least + graph.degree(src)

    def apply_reduce(vertex, value, graph, first):
        first[vertex] = value + graph.degree(vertex)


@pytest.mark.parametrize("direction", ["out", "in"])
@pytest.mark.parametrize("balance", ["auto", "tile", "merge"])
def test_neighbor_reduce(graph, direction, balance):
    if balance != "auto" and not graph._device.is_cuda:
        pytest.skip("one and the same on the CPU")
    frontier = mg.Frontier.all_vertices()
    run_both("neighbor_reduce", asked(graph), frontier, Values, reduce="add", direction=direction, balance=balance)


class Common(mg.Functor):
    def cond_intersect(src, dst, graph):
        return graph.degree(src) >= graph.degree(dst)

    def apply_intersect(common, graph, first):
        atomic_add(first, common, graph.degree(common))

    def apply_count(src, edge, count, graph, by_edge):
        by_edge[edge] = count
        return graph.degree(src)


def test_intersect(graph):
    run_both("intersect", asked(graph), mg.Frontier.all_edges(), Common, into="total")


class Degrees(mg.Functor):
    """Vertices come out by degree, until the degrees of one step sum to more than a third of the number of vertices."""

    def cond_filter(iteration):
        return iteration == 1

    def priority(vertex, graph):
        return graph.degree(vertex)

    def apply(vertex, iteration, graph, first):
        first[vertex] = iteration
        return graph.degree(vertex)

    def until(graph, total):
        return 3 * total > graph.num_vertices


class ByDegree(mg.Enactor, problem=Asked, functor=Degrees):
    def step(self, frontier):
        near = self.near_far(self.filter(frontier), width=1.0)
        self.compute(near, into="total")
        return near


@pytest.mark.parametrize("slabs", [False, True])
def test_near_far_and_until(device, slabs):
    graph = mg.generate.rmat(7, 4, seed=3, directed=False, device=device)
    graph = slabs_of(graph) if slabs else graph
    enactor = ByDegree(graph)
    enactor.run(mg.Frontier.of(range(graph.num_vertices)))
    degrees, met = CPU.asarray(as_graph(graph).degree()), CPU.asarray(enactor.problem.first)
    bands = np.unique(degrees)
    sums = [degrees[degrees == band].sum() for band in bands]
    steps = 1 + next(k for k, total in enumerate(sums) if 3 * total > graph.num_vertices)
    assert enactor.iterations == steps < len(bands)
    np.testing.assert_array_equal(met, np.where(degrees < bands[steps - 1] + 1, np.searchsorted(bands, degrees) + 1, 0))


class Triangles(mg.Functor):
    def apply(vertex, graph, first):
        for near in graph.neighbors(vertex):
            if near < vertex:
                for far in graph.neighbors(near):
                    if far < near and graph.has_edge(vertex, far):
                        first[vertex] += 1


@pytest.mark.parametrize("slabs", [False, True])
def test_triangles_as_networkx_counts_them(device, slabs):
    graph = mg.generate.rmat(9, 8, seed=5, directed=False, device=device)
    problem = Asked(slabs_of(graph, deleted=3) if slabs else graph)
    mg.operators.compute(problem, mg.Frontier.all_vertices(), Triangles)
    src, dst = (CPU.asarray(each).tolist() for each in graph.to_edges()[:2])
    known = nx.Graph(zip(src, dst, strict=True))
    known.remove_edges_from(list(nx.selfloop_edges(known)))
    assert CPU.asarray(problem.first).sum() == sum(nx.triangles(known).values()) // 3


class Successors(mg.Functor):
    def apply(vertex, graph, first):
        first[vertex] = graph.num_vertices
        for neighbor in graph.neighbors(vertex):
            first[vertex] += 1000 * neighbor


class SumsOfSuccessors(mg.Enactor, problem=Asked, functor=Successors):
    def step(self, frontier):
        self.compute(frontier)


def test_a_graph_that_changes_between_runs(device):
    """The graph of one enactor gets other slabs between two runs, and more vertices for another problem."""
    graph, known = mg.DynamicGraph(50, directed=True, device=device), nx.DiGraph()
    known.add_nodes_from(range(60))
    rng = np.random.default_rng(1)
    enactor = SumsOfSuccessors(graph, max_iterations=1)
    for size in (50, 50, 50, 60):
        if size > graph.num_vertices:
            graph.insert_vertices(size - graph.num_vertices)
            enactor = SumsOfSuccessors(graph, max_iterations=1)
        src, dst = rng.integers(0, size, (2, 700))
        graph.insert_edges(src, dst)
        known.add_edges_from((u, v) for u, v in zip(src.tolist(), dst.tolist(), strict=True) if u != v)
        graph.delete_edges(src[:200], dst[:200])
        known.remove_edges_from(list(zip(src[:200].tolist(), dst[:200].tolist(), strict=True)))
        enactor.problem.reset()
        enactor.run(mg.Frontier.all_vertices())
        expected = [size + 1000 * sum(known.successors(v)) for v in range(size)]
        assert CPU.asarray(enactor.problem.first).tolist() == expected


# --- errors -----------------------------------------------------------------------------------------------------------


class Outside(mg.Functor):
    def apply(vertex, graph, first):
        first[vertex] = graph.degree(vertex + 1)  # invalid for the last vertex


class OutsideByNumba(mg.Functor):
    def apply(vertex, graph, first):
        whole, rest = divmod(vertex - 1, 1)
        for neighbor in graph.neighbors(whole):  # invalid for the first vertex
            first[vertex] += neighbor + rest


@pytest.mark.parametrize(
    ("functor", "wrong", "line"), [(Outside, 9, "invalid for the last"), (OutsideByNumba, -1, "first")]
)
@pytest.mark.parametrize("slabs", [False, True])
def test_debug_mode_names_a_vertex_that_is_not_there(device, functor, wrong, line, slabs, monkeypatch):
    monkeypatch.setenv("MINIGR_DEBUG", "1")
    graph = mg.generate.path(9, device=device)
    message = f"line .*: the vertex {wrong} is out of range for graph, which has 9 vertices"
    with pytest.raises(FieldIndexError, match=message) as raised:
        mg.operators.compute(Asked(slabs_of(graph) if slabs else graph), mg.Frontier.all_vertices(), functor)
    with open(__file__) as file:
        lines = file.read().splitlines()
    number = int(str(raised.value).split(": line ")[1].split(":")[0])
    assert f"{line}" in lines[number - 1]
    assert "# invalid" in lines[number - 1]


def test_debug_mode_changes_no_answer(device, monkeypatch):
    monkeypatch.setenv("MINIGR_DEBUG", "1")
    graph = slabs_of(mg.generate.rmat(5, 4, seed=2, directed=True, weights=(1, 9), device=device))
    run_both("compute", asked(graph), mg.Frontier.all_vertices(), Walks)


def asks_by_default(v, graph=None):
    return graph.degree(v)


def keeps(v, graph):
    kept = graph
    return kept.degree(v)


REFUSED = {
    "uses 'graph' as a value, but the graph is none": lambda vertex, graph: keeps(vertex, graph),
    "'graph' as a value": lambda vertex, graph: (graph, 1),
    "uses graph.neighbors outside of a for loop: write 'for": lambda vertex, graph: graph.neighbors(vertex),
    r"uses graph.degree without calling it: write graph.degree\(v\)": lambda vertex, graph: graph.degree,
    "graph.neighbours, which does not exist: did you mean 'neighbors'": lambda vertex, graph: graph.neighbours(vertex),
    r"graph.xyz, .* the graph has degree\(v\), has_edge\(u, v\), num_vertices, and": lambda vertex, graph: graph.xyz,
    r"calls graph.has_edge with wrong arguments: .* are \(u, v\)": lambda vertex, graph: graph.has_edge(vertex),
    "gives the graph to len, which is not a helper": lambda vertex, graph: len(graph),
    "must give the graph to asks_by_default exactly once": lambda vertex, graph: asks_by_default(vertex, graph),
    "graph needs a whole number as a vertex, got float64": lambda vertex, graph: graph.degree(0.5),
    "loops over graph.weighted_edges, but the graph has no weights": lambda vertex, graph: weights_of(graph, vertex),
}


def weights_of(graph, v):
    total = 0.0
    for _, _, weight in graph.weighted_edges(v):
        total += weight
    return total


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_refused(message):
    functor = type("Wrong", (mg.Functor,), {"apply": REFUSED[message]})
    with pytest.raises(FunctorError, match=message) as raised:
        mg.operators.compute(Asked(mg.generate.path(3, device="cpu")), mg.Frontier.all_vertices(), functor)
    assert "functor Wrong.apply" in str(raised.value)
    assert "test_seen_graph.py" in str(raised.value)


def test_a_loop_over_what_is_one_number():
    class Loops(mg.Functor):
        def apply(vertex, graph, first):
            for degree in graph.degree(vertex):
                first[vertex] = degree

    with pytest.raises(FunctorError, match=r"loops over graph.degree\(vertex\), which is one value"):
        mg.operators.compute(Asked(mg.generate.path(3, device="cpu")), mg.Frontier.all_vertices(), Loops)


def test_a_function_without_source_is_refused():
    space = {"mg": mg}
    exec(
        "class Made(mg.Functor):\n    def apply(vertex, graph, first):\n        first[vertex] = graph.degree(vertex)",
        space,
    )
    with pytest.raises(FunctorError, match=r"the source of .* was not found: define it in a file"):
        mg.operators.compute(Asked(mg.generate.path(3, device="cpu")), mg.Frontier.all_vertices(), space["Made"])


def own_degree(graph, v):
    return graph.degree(v)


def ten_more(graph, v):
    return 10 + graph.degree(v)


def test_a_helper_that_is_changed_is_seen():
    found = []
    for helper in (own_degree, ten_more):

        class Calls(mg.Functor):
            def apply(vertex, graph, first):
                first[vertex] = helper(graph, vertex)  # noqa: B023

        problem = Asked(mg.generate.path(3, device="cpu"))
        mg.operators.compute(problem, mg.Frontier.all_vertices(), Calls)
        found.append(problem.first.tolist())
    assert found == [[1, 2, 1], [11, 12, 11]]


def test_a_functor_function_by_hand():
    graph, first = mg.generate.complete(5, device="cpu"), [0] * 5
    for view in (mg.GraphView(graph), mg.GraphView(slabs_of(graph))):
        first[:] = [0] * 5
        for vertex in range(5):
            Triangles.apply(vertex, view, first)
        assert first == [0, 0, 1, 3, 6]
