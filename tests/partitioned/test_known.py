"""Which copies of an array in parts are right: after batches, assignments and functions of arrays."""

import numpy as np
import pytest

import minigr as mg
from minigr.errors import ProblemError

CPUS = ["cpu"] * 3


class Sums(mg.Problem):
    x = mg.vertex_field(np.int64)
    s = mg.vertex_field(np.int64)


class Sum(mg.Functor):
    def map(dst, x):
        return x[dst]


class Number(mg.Functor):
    def apply(vertex, x):
        x[vertex] = vertex + 100


def sums(problem):
    mg.operators.neighbor_reduce(problem, mg.Frontier.all_vertices(), Sum, reduce="add", into="s")
    return np.asarray(problem.s).tolist()


@pytest.mark.parametrize("deal", ["ranges", "hash"])
@pytest.mark.parametrize("seed", range(4))
def test_ghosts_that_a_batch_made_are_read_right(deal, seed):
    random = np.random.default_rng(seed)
    src, dst = random.integers(0, 20, (2, 15))
    graphs = [
        mg.PartitionedDynamicGraph.from_edges(src, dst, num_vertices=20, devices=CPUS, deal=deal),
        mg.DynamicGraph.from_edges(src, dst, num_vertices=20, device="cpu"),
    ]
    problems = [Sums(graph) for graph in graphs]
    for problem in problems:
        mg.operators.compute(problem, mg.Frontier.all_vertices(), Number)
    assert sums(problems[0]) == sums(problems[1])
    for _ in range(3):
        src, dst = random.integers(0, 20, (2, 6))
        for graph in graphs:
            graph.insert_edges(src, dst)
        assert sums(problems[0]) == sums(problems[1])


@pytest.mark.parametrize("assign", ["key", "slice", "positions", "out", "each"])
def test_an_assignment_of_what_parts_know_of_their_own_vertices(assign):
    path = mg.generate.path(8, device="cpu")
    graph = mg.PartitionedGraph.from_graph(path, devices=CPUS, deal="hash")
    problem, whole = Sums(graph), Sums(path)
    degree = graph.degree()  # each part counts only the edges of its own vertices
    if assign == "key":
        problem.x[degree >= 2], whole.x[path.degree() >= 2] = 1, 1
    elif assign == "slice":
        problem.x[:], whole.x[:] = degree, path.degree()
    elif assign == "each":
        problem.x[:], whole.x[:] = problem.x.with_each(np.add, degree), path.degree()
    elif assign == "out":
        np.add(degree, problem.x, out=problem.x), np.add(path.degree(), whole.x, out=whole.x)
    else:
        problem.x[np.arange(8)], whole.x[:] = degree, path.degree()
    assert sums(problem) == sums(whole)


def test_functions_that_do_not_go_vertex_by_vertex_are_refused():
    graph = mg.PartitionedGraph.from_graph(mg.generate.path(6, device="cpu"), devices=CPUS)
    degree = graph.degree()
    for function in (
        lambda: degree + np.zeros((6, 1), int),
        lambda: degree + np.zeros((2, 6), int),
        lambda: degree @ degree,
        lambda: np.add(degree, 1, out=np.zeros(6, int)),
    ):
        with pytest.raises(ProblemError, match=r"does not go vertex by vertex over arrays in parts: use gather\(\)"):
            function()
    with pytest.raises(ValueError, match=r"neither true nor false: use any\(\) or all\(\)"):
        bool(degree == 99)
    assert (degree + np.arange(6)).gather().tolist() == [1, 3, 4, 5, 6, 6]


def test_the_greatest_element():
    graph = mg.PartitionedGraph.from_graph(mg.generate.path(6, device="cpu"), devices=CPUS)
    values = Sums(graph).x + np.array([1.0, 5.0, 2.0, 5.0, 0.0, 1.0])
    assert values.argmax() == 1
    values[3] = np.nan
    assert values.argmax() == 3
    empty = mg.PartitionedGraph.from_edges([], [], num_vertices=0, devices=CPUS).degree()
    for of in (empty.max, empty.min, empty.argmax):
        with pytest.raises(ValueError, match=r"zero-size|without elements"):
            of()
    assert (empty.any(), empty.all(), empty.sum()) == (False, True, 0)
    edge = mg.PartitionedGraph.from_edges([0], [1], devices=CPUS).degree()  # one of the parts has no vertex
    assert (edge.min(), edge.max(), edge.argmax()) == (1, 1, 0)
