"""Frontiers that a step itself names and that are the same in each step: all items, and lists of ids."""

import numpy as np
import pytest

import minigr as mg
from minigr import atomic_add, atomic_cas
from minigr.device import CPU
from minigr.errors import ProblemError
from tests.layouts import arcs_of


class Search(mg.Problem):
    depth = mg.vertex_field(np.int32, fill=-1)
    near = mg.vertex_field(np.int64, fill=-9)
    visits = mg.vertex_field(np.int64)
    told = mg.edge_field(np.int64)


class Visit(mg.Functor):
    def cond_advance(dst, iteration, depth):
        return atomic_cas(depth, dst, -1, iteration) == -1

    def map(dst, depth):
        return depth[dst]


class All(mg.Functor):
    def apply(vertex, visits):
        atomic_add(visits, vertex, 1)

    def apply_advance(src, edge, visits, told):
        atomic_add(visits, src, 1000)
        atomic_add(told, edge, 1)


class Some(mg.Functor):
    def apply(vertex, visits):
        atomic_add(visits, vertex, 1_000_000)

    def apply_advance(src, visits):
        atomic_add(visits, src, 1_000_000_000)

    def cond_filter(vertex):
        return vertex % 2 == 0


class Edges(mg.Functor):
    def apply(edge, told):
        atomic_add(told, edge, 1000)

    def apply_advance(edge, told):
        atomic_add(told, edge, 1_000_000_000)

    def cond_filter(edge):
        return edge % 3 == 0


class SomeEdges(mg.Functor):
    def apply(edge, told):
        atomic_add(told, edge, 1_000_000)


class Searches(mg.Enactor, problem=Search, functor=Visit):
    """A search that in each step also runs operators over the frontiers that stay."""

    def start(self, source, ids, edges):
        self.ids, self.edges = ids, edges
        self.problem.depth[source] = 0
        return mg.Frontier.of(source)

    def step(self, frontier):
        everyone, some = mg.Frontier.all_vertices(), mg.Frontier.of(self.ids)
        self.neighbor_reduce(everyone, reduce="add", into="near")
        self.compute(everyone, All)
        self.advance(everyone, All, output=None)
        self.compute(mg.Frontier.all_edges(), Edges, overlap=True)
        self.compute(self.filter(some, Some), Some)
        self.advance(some, Some, output=None)
        self.compute(self.filter(mg.Frontier.all_edges(), Edges), SomeEdges)
        self.advance(mg.Frontier.of_edges(self.edges), Edges, output=None)
        return self.advance(frontier)


def check(graph, enactor, chosen, edges):
    """Check by loops over the graph's arcs that a search from vertex 0 did all its work in each step."""
    ids, src, dst, _ = arcs_of(graph)
    n, rows = graph.num_vertices, [[] for _ in range(graph.num_vertices)]
    for edge in ids:
        rows[src[edge]].append(int(dst[edge]))
    depth, frontier, steps = [0] + [-1] * (n - 1), [0], 0
    while frontier:
        steps, before = steps + 1, list(depth)
        frontier = sorted({d for v in frontier for d in rows[v] if depth[d] < 0})
        for v in frontier:
            depth[v] = steps
    assert enactor.iterations == steps
    alive = range(n) if graph.layout == "csr" else CPU.asarray(graph.live_vertices()).tolist()
    near, visits = [-9] * n, [0] * n
    for v in alive:
        near[v] = sum(before[d] for d in rows[v])
        visits[v] = 1 + 1000 * len(rows[v])
    for v in chosen:
        visits[v] += 1_000_000 * (v % 2 == 0) + 1_000_000_000 * len(rows[v])
    told = np.zeros(graph.num_edge_ids, np.int64)
    told[ids] = 1 + 1000 + 1_000_000 * (ids % 3 == 0)
    expected = {"depth": depth, "near": near, "visits": np.array(visits) * steps}
    for name, values in expected.items():
        assert CPU.asarray(getattr(enactor.problem, name)).tolist() == list(values), name
    for edge in edges:  # the step advances from the ends of these edges
        leaving = ids[src[ids] == dst[edge]]
        told[leaving] += 1_000_000_000
    assert CPU.asarray(enactor.problem.told).tolist() == (told * steps).tolist()


def chosen_of(graph):
    alive = range(graph.num_vertices) if graph.layout == "csr" else CPU.asarray(graph.live_vertices()).tolist()
    return [v for v in alive if v % 3 != 1][::-1], arcs_of(graph)[0][::5]


def test_beside_a_search(graph):
    if not graph.num_vertices:
        pytest.skip("there is no vertex to start from")
    ids, edges = chosen_of(graph)
    enactor = Searches(graph)
    enactor.run(0, ids, edges)
    check(graph, enactor, ids, edges)


@pytest.mark.parametrize("driver", ["fused", "graph", "host"])
def test_by_each_driver(device, driver):
    if driver == "graph" and device == "cpu":
        pytest.skip("a CUDA graph")
    graph = mg.generate.lattice(7, 3, device=device)
    ids, edges = chosen_of(graph)
    enactor = Searches(graph, driver=driver)
    enactor.run(0, ids, edges)
    check(graph, enactor, ids, edges)
    assert enactor.memory(mg.Frontier.of(0)) > 4 * len(ids) + 8 * len(edges)
    plan = enactor.record(mg.Frontier.of(0))
    assert [len(frontier) for frontier in plan.fixed] == [len(ids), len(edges)]  # each list is there once


class Again(Searches, steady=True):
    def start(self, *arguments):
        self.problem.reset()
        return super().start(*arguments)


def test_a_steady_enactor_sees_what_became_of_the_graph(device):
    """The plan stays valid until the set of all vertices changes."""
    graph = mg.DynamicGraph.from_graph(mg.generate.lattice(5, 4, device=device))
    enactor = Again(graph)
    for update in (
        lambda: None,
        lambda: None,
        lambda: graph.delete_vertices([7, 13]),
        lambda: graph.insert_vertices(3),
    ):
        update()
        ids, edges = chosen_of(graph)
        enactor.run(0, ids, edges)
        check(graph, enactor, ids, edges)


class Steps(mg.Enactor, problem=Search, functor=All):
    def step(self, frontier):
        self.compute(self.named)
        return self.filter(frontier, Some)


@pytest.mark.parametrize(
    ("named", "complaint"),
    [
        (mg.Frontier.of([2, 4]), "id 4, but there are 4 vertices"),
        (mg.Frontier.all_edges(), "'vertex', which a frontier of edges doesn't have"),
        ([0, 1], "or a mg.Frontier, got list"),
    ],
)
def test_what_is_refused(device, named, complaint):
    steps = Steps(mg.generate.path(4, device=device))
    steps.named = named
    with pytest.raises((ProblemError, mg.errors.FunctorError), match=complaint):
        steps.run(mg.Frontier.of(0))


def test_levels_are_for_start(device):
    class Levels(mg.Enactor, problem=Search, functor=Visit, keeps_levels=True):
        def step(self, frontier):
            return self.advance(frontier)

    search = Levels(mg.generate.path(4, device=device))
    search.problem.depth[0] = 0
    search.run(mg.Frontier.of(0))
    steps = Steps(search.graph)
    steps.named = mg.Frontier.of_levels(search.levels)
    with pytest.raises(ProblemError, match="return the levels from start"):
        steps.run(mg.Frontier.of(0))
