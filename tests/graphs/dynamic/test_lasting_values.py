"""Fields of edges that last over updates of their graph, compared with a dictionary."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU
from minigr.errors import OutOfMemoryError, ProblemError
from minigr.graphs.dynamic import DynamicGraph, update
from tests.allocations import Failing
from tests.graphs.dynamic.oracle import Oracle, check

N = 40


class Held(mg.Problem):
    number = mg.edge_field("int64", fill=-1, lasting=True)
    row = mg.edge_field("uint8", fill=7, columns=3, lasting=True)
    its_number = mg.array_field("int64")
    its_row = mg.array_field("uint8")
    n = mg.parameter("int64")
    add = mg.parameter("int64", default=0)


class Look(mg.Functor):
    def apply(src, dst, edge, number, row, its_number, its_row, n):
        place = src * n + dst
        its_number[place] = number[edge]
        for k in range(3):
            its_row[3 * place + k] = row[edge, k]


class Number(mg.Functor):
    """Gives each new edge a number of its own."""

    def apply(src, dst, edge, number, row, n, add):
        if number[edge] < 0:
            number[edge] = src * n + dst + add
            for k in range(3):
                row[edge, k] = (src + dst + k + add) % 200


def held_by(graph, size=2 * N):
    places = size * size
    return Held(graph, its_number=[0] * places, its_row=[0] * (3 * places), n=size)


def values(problem):
    """The values of each arc, by its ends."""
    mg.operators.compute(problem, mg.Frontier.all_edges(), Look)
    numbers, rows = CPU.asarray(problem.its_number), CPU.asarray(problem.its_row).reshape(-1, 3)
    size = int(problem.n)
    offsets, indices = (
        CPU.asarray(array) for array in (problem.graph.to_graph().offsets, problem.graph.to_graph().indices)
    )
    src = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return {
        (u, v): (int(numbers[u * size + v]), *rows[u * size + v].tolist())
        for u, v in zip(src.tolist(), indices.tolist(), strict=True)
    }


def number(problem, known, add):
    """Give new edges their values, on the device and in the dictionary, and check that both agree which are new."""
    size = int(problem.n)
    found = values(problem)
    assert {arc for arc, each in found.items() if each[0] < 0} == set(found) - set(known)
    assert all(each == (-1, 7, 7, 7) for each in found.values() if each[0] < 0)
    problem.add = add
    mg.operators.compute(problem, mg.Frontier.all_edges(), Number)
    for u, v in set(found) - set(known):
        known[u, v] = (u * size + v + add, *((u + v + k + add) % 200 for k in range(3)))
    assert values(problem) == known


@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("directed", [True, False], ids=["directed", "undirected"])
def test_edges_keep_their_values(device, directed, weighted):
    rng = np.random.default_rng(17)
    graph = DynamicGraph(N, directed=directed, weighted=weighted, in_edges=directed, device=device)
    problem, known = held_by(graph), {}
    for turn in range(12):
        live = CPU.asarray(graph.live_vertices())
        src, dst = rng.choice(live, (2, 400 if turn % 3 else 1500))
        src[rng.random(len(src)) < 0.4] = live[turn % 3]  # vertices that get more buckets, and so move
        graph.insert_edges(src, dst, np.ones(len(src), np.float32) if weighted else None)
        number(problem, known, 1000 * turn)
        if turn == 4:
            graph.mark()
        if turn == 6:
            graph.delete_vertices([3, 9, 11])
        if turn == 8:
            assert len(graph.insert_vertices(5)) == 5
        if turn in (3, 9):
            graph.rehash()
        gone = rng.integers(0, graph.num_vertices, (2, 700))
        graph.delete_edges(*gone)
        there = set(values(problem))
        known = {arc: each for arc, each in known.items() if arc in there}
        assert set(known) == there
        assert values(problem) == known


@pytest.mark.parametrize("change", ["insert_edges", "delete_edges", "rehash"])
def test_what_is_undone_leaves_the_values(device, change, monkeypatch):
    rng = np.random.default_rng(4)
    graph = DynamicGraph(N, device=device)
    src, dst = rng.integers(0, N, (2, 900))
    graph.insert_edges(src, dst)
    problem, known = held_by(graph), {}
    number(problem, known, 0)
    more = np.zeros(800, np.int64), rng.integers(0, N, 800)

    name = {"insert_edges": "insert", "delete_edges": "remove"}.get(change)
    if name:
        original = getattr(update, name)

        def fails(*arguments, **options):
            original(*arguments, **options)
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(update, name, fails)
            with pytest.raises(KeyboardInterrupt):
                getattr(graph, change)(*more if change == "insert_edges" else (src, dst))
    else:
        for place in range(200):
            try:
                with Failing(place, device, lasting=True):
                    graph.rehash(0.3)
            except OutOfMemoryError:
                assert values(problem) == known
            else:
                break
        assert 0 < place < 199
    assert values(problem) == known
    oracle = Oracle(N)
    oracle.insert(src.tolist(), dst.tolist())
    check(graph, oracle)


@pytest.mark.parametrize("again", [lambda problem: pickle.loads(pickle.dumps(problem)), copy.copy])
def test_a_copy_has_the_values(device, again):
    graph = DynamicGraph.from_edges([0, 1, 2], [1, 2, 0], device=device)
    problem, known = held_by(graph), {}
    number(problem, known, 0)
    copied = again(problem)
    copied.graph.insert_edges([0] * 60, np.arange(60) % 3)
    copied.graph.rehash(0.4)
    found = values(copied)
    assert {arc: found[arc] for arc in known} == known
    assert (0, 2) in found


def test_a_copied_graph_keeps_the_values(device):
    graph = DynamicGraph.from_edges([0, 1, 2], [1, 2, 0], device=device)
    problem, known = held_by(graph), {}
    number(problem, known, 0)
    copy.copy(graph)
    graph.rehash(0.4)
    assert values(problem) == known


def test_memory_counts_an_array_that_is_given_too(device):
    graph = DynamicGraph.from_edges([0, 1], [1, 2], device=device)
    given = "its_number", "its_row"
    assert Held.memory_on(graph, *given) == (8 + 3) * graph.most_edge_ids
    assert Held.memory_on(graph, "number", *given) == Held.memory_on(graph, *given)


class Aging(mg.Problem):
    age = mg.edge_field("int64", fill=lambda graph: graph.num_vertices, lasting=True)
    oldest = mg.scalar_field("int64")


class Age(mg.Functor):
    def apply(edge, age):
        return age[edge]


def test_reset_gives_new_edges_the_fill_of_now(device):
    graph = DynamicGraph.from_edges([0], [1], num_vertices=4, device=device)
    problem = Aging(graph)
    graph.insert_vertices(1)
    problem.reset()
    graph.insert_edges([2], [3])
    mg.operators.compute(problem, mg.Frontier.all_edges(), Age, into="oldest")
    assert int(problem.oldest[0]) == 10


def test_the_graph_forgets_the_values_of_a_problem_that_is_gone(device):
    graph = DynamicGraph.from_edges([0, 1], [1, 2], device=device)
    problem = held_by(graph, 4)
    array = weakref.ref(graph._out.values[problem._lasting["number"]])
    problem.number = 5
    assert CPU.asarray(problem.number).tolist() == [5] * graph.num_edge_ids
    problem.reset()
    assert set(CPU.asarray(problem.number).tolist()) == {-1}
    del problem
    gc.collect()
    assert array() is None
    assert not graph._out.values


def test_given_values_and_static_graphs(device):
    graph = DynamicGraph.from_edges([0, 1], [1, 2], num_vertices=4, device=device)
    given = np.arange(graph.num_edge_ids)
    options = {"its_number": [0] * 16, "its_row": [0] * 48, "n": 4}
    problem = Held(graph, number=given, **options)
    before = values(problem)
    assert all(number >= 0 for number, *_ in before.values())  # which are given, and not the fill
    graph.rehash()
    graph.insert_edges([0] * 100, [0, *range(1, 4)] * 25)
    after = values(problem)
    assert {arc: after[arc] for arc in before} == before
    graph.rehash()
    problem.number = 5  # in the array that there is now
    assert {number for number, *_ in values(problem).values()} == {5}
    with pytest.raises(
        ProblemError, match=r"Held\.number is a lasting field, whose array belongs to the graph: assign to the field"
    ):
        problem.use(number=problem.number)
    static = Held(mg.generate.path(4, device=device), **options)
    static.number = [3, 4, 5, 6, 7, 8]
    assert values_of_static(static) == [3, 4, 5, 6, 7, 8]


def values_of_static(problem):
    mg.operators.compute(problem, mg.Frontier.all_edges(), Look)
    found = CPU.asarray(problem.its_number).reshape(4, 4)
    return found[found > 0].tolist()


def test_an_enactor_that_is_steady_sees_the_values_of_now(device):
    class Rounds(mg.Problem):
        age = mg.edge_field("int64", lasting=True)
        total = mg.scalar_field("int64")

    class Grow(mg.Functor):
        def apply(edge, age):
            age[edge] += 1
            return age[edge]

    class Age(mg.Enactor, problem=Rounds, functor=Grow, steady=True):
        def step(self, frontier):
            self.compute(mg.Frontier.all_edges(), into="total")

    graph = DynamicGraph.from_edges([0, 1], [1, 2], num_vertices=100, device=device)
    loop, expected = Age(graph, max_iterations=1), 0
    for turn in range(1, 6):
        loop.run()
        expected += graph.num_edges
        assert int(loop.problem.total[0]) == expected
        graph.insert_edges([3 * turn] * 40, range(50, 90))
