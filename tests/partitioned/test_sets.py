"""Union-find over parts: sets are those on one device, for any order of edges, steps and programs."""

import networkx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import minigr as mg
from minigr.errors import FunctorError

ALL = mg.Frontier.all_vertices()
N = 24


class Sets(mg.Problem):
    parent = mg.vertex_field("int32")
    root = mg.vertex_field("int32")
    seen = mg.vertex_field("int32")
    wide = mg.vertex_field("int32", columns=2)
    bytes = mg.vertex_field("uint8")


class Long(mg.Problem):
    parent = mg.vertex_field("int64")
    root = mg.vertex_field("int32")
    seen = mg.vertex_field("int32")


class Join(mg.Functor):
    def cond_advance(src, dst, parent):
        return mg.find(parent, src) != mg.find(parent, dst)

    def apply_advance(src, dst, parent):
        mg.join(v=dst, u=src, parent=parent)

    def apply(vertex, parent, root):
        root[vertex] = mg.find(parent, vertex)


class Reset(mg.Functor):
    def apply(vertex, parent):
        parent[vertex] = vertex


class Look(mg.Functor):
    def apply_advance(src, dst, parent, seen):
        mg.atomic_max(seen, dst, parent[dst] - src)


class Components(mg.Enactor, problem=Sets, functor=Join):
    """Joins for several steps, each of which first resets the parents, as the step of a program may do."""

    def step(self, frontier):
        self.compute(frontier, Reset)
        self.advance(frontier, output=None)
        self.compute(frontier)


def roots_of(edges, count=N):
    graph = networkx.Graph(list(edges))
    graph.add_nodes_from(range(count))
    found = np.empty(count, int)
    for component in networkx.connected_components(graph):
        found[list(component)] = min(component)
    return found


def arcs_from(graph, vertices):
    return [(u, int(v)) for u in vertices for v in graph.neighbors(u)]


SOME = st.lists(st.integers(0, N - 1), unique=True, min_size=1)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    edges=st.lists(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)), max_size=30),
    directed=st.booleans(),
    count=st.integers(1, 4),
    deal=st.sampled_from(["ranges", "hash"]),
    frontiers=st.lists(SOME, min_size=1, max_size=3),
)
def test_sets_are_joined_by_what_frontiers_lead_to(devices, edges, directed, count, deal, frontiers):
    src, dst = np.array(edges, np.int64).reshape(-1, 2).T
    whole = mg.Graph.from_edges(src, dst, num_vertices=N, directed=directed, device="cpu")
    parts = mg.PartitionedGraph.from_graph(whole, devices=devices(count), deal=deal)
    sets, joined = Sets(parts), []
    mg.operators.compute(sets, ALL, Reset)
    for frontier in frontiers:
        mg.operators.advance(sets, mg.Frontier.of(frontier), Join, output=None)
        joined += arcs_from(whole, frontier)
        mg.operators.compute(sets, ALL, Join)
        assert (sets.root.gather() == roots_of(joined)).all()


@pytest.mark.parametrize("problem", [Sets, Long])
@pytest.mark.parametrize("kind", [mg.PartitionedGraph, mg.PartitionedDynamicGraph])
def test_programs_in_turn(devices, problem, kind):
    """A program works with the parents that another program left, whether it joins, looks at elements or resets."""
    whole = mg.generate.lattice(12, 9, 0.55, seed=3, device="cpu")
    count = whole.num_vertices
    sets = problem(kind.from_graph(whole, devices=devices(3), deal="hash"))
    sets.parent = np.arange(count)
    first, second = range(0, count, 2), range(1, count, 3)
    for frontier in (first, second):
        mg.operators.advance(sets, mg.Frontier.of(list(frontier)), Join, output=None)
        mg.operators.advance(sets, ALL, Look, output=None)  # refreshes copies of ghosts, but not of other vertices
    mg.operators.compute(sets, ALL, Join)
    assert (sets.root.gather() == roots_of(arcs_from(whole, [*first, *second]), count)).all()
    mg.operators.compute(sets, ALL, Reset)
    mg.operators.advance(sets, ALL, Look, output=None)
    mg.operators.advance(sets, mg.Frontier.of(list(second)), Join, output=None)
    mg.operators.compute(sets, ALL, Join)
    assert (sets.root.gather() == roots_of(arcs_from(whole, second), count)).all()


def test_a_step_may_begin_the_sets_again(devices):
    whole = mg.generate.rmat(7, 2, seed=4, directed=True, device="cpu")
    parts = mg.PartitionedGraph.from_graph(whole, devices=devices(4))
    enactor = Components(parts, max_iterations=3)
    enactor.run(ALL)
    assert (enactor.problem.root.gather() == mg.connected_components(whole).label).all()


def uses_what_join_returns(src, dst, parent):
    return mg.join(parent, src, dst) < 0


def joins_and_reads(src, dst, parent):
    if parent[src] > 3:
        mg.join(parent, src, dst)


def finds_and_reads(src, dst, parent, seen):
    if parent[dst] < mg.find(parent, src):
        seen[dst] = 1


def joins_others(src, dst, parent):
    mg.join(parent, src, dst + 1)


def claims_and_joins(src, dst, parent, seen):
    if mg.atomic_cas(seen, dst, 0, 1) == 0:
        mg.join(parent, src, dst)


def joins_rows(src, dst, wide):
    mg.join(wide, src, dst)


def joins_bytes(src, dst, bytes):
    mg.join(bytes, src, dst)


def joins_alone(vertex, parent):
    mg.join(parent, vertex, vertex)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (uses_what_join_returns, "uses what join returns, which depends on what other parts do"),
        (joins_and_reads, "uses 'parent' as an element, but 'parent' has the parents of sets"),
        (finds_and_reads, "uses 'parent' as an element, but 'parent' has the parents of sets"),
        (joins_others, "uses 'parent' at another index than src, dst or vertex"),
        (claims_and_joins, "joins sets of 'parent' besides a claim of 'seen'"),
        (joins_rows, "has sets in 'wide': use a field of int32 or int64 without columns"),
        (joins_bytes, "has sets in 'bytes': use a field of int32 or int64"),
        (joins_alone, "joins sets of 'parent' outside of an advance"),
    ],
)
def test_what_is_not_the_same_over_parts_is_refused(devices, function, message):
    graph = mg.generate.rmat(5, 4, device="cpu")
    problem = Sets(mg.PartitionedGraph.from_graph(graph, devices=devices(2)))
    problem.parent = np.arange(32)
    method = {uses_what_join_returns: "cond_advance", joins_alone: "apply"}.get(function, "apply_advance")
    functor = type("F", (mg.Functor,), {method: function})
    options = {} if method == "apply" else {"output": None}
    operator = mg.operators.compute if method == "apply" else mg.operators.advance
    with pytest.raises(FunctorError, match=r"test_sets\.py:\d+\) " + message):
        operator(problem, ALL, functor, **options)
    assert (problem.parent.gather() == np.arange(32)).all()
