"""`find` and `join` under contention, and wherever a functor may read them from."""

import numpy as np
import pytest
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

import minigr as mg
from minigr.device import CPU
from minigr.errors import FieldIndexError, FunctorError
from minigr.jit.union_find import find, join
from minigr.program import cpu
from tests.jit.helpers import compilers


def problem_of(dtype):
    class Sets(mg.Problem):
        parent = mg.vertex_field(dtype)
        root = mg.vertex_field(dtype)
        lost = mg.vertex_field(np.int32)

    return Sets


SETS = {"int32": problem_of(np.int32), "int64": problem_of(np.int64)}


def by_attribute(src, dst, parent, lost):
    gone = mg.join(parent, src, dst)
    if gone >= 0:
        mg.atomic_add(lost, gone, 1)


def by_name(src, dst, parent, lost):
    gone = joined(parent, dst, src)
    if gone >= 0:
        mg.atomic_add(lost, gone, 1)


def joined(parent, u, v):
    return join(parent, u, v) if find(parent, u) != find(parent, v) else -1


def root_of(vertex, parent, root):
    root[vertex] = mg.find(parent, vertex)


@compilers
@pytest.mark.parametrize("function", [by_attribute, by_name])
@pytest.mark.parametrize("dtype", SETS)
@pytest.mark.parametrize("threads", ["1", "4"])
def test_sets_that_many_threads_join(device, by, function, dtype, threads, monkeypatch):
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    monkeypatch.setattr(cpu, "FIRST_SOLO", 0)
    graph = mg.generate.uniform(20_000, 14_000, seed=4, device=device)
    sets = SETS[dtype](graph)
    sets.parent = np.arange(graph.num_vertices)
    functor = type("Joins", (mg.Functor,), {"apply_advance": by(function), "apply": by(root_of)})
    mg.operators.advance(sets, mg.Frontier.all_vertices(), functor, output=None)
    mg.operators.compute(sets, mg.Frontier.all_vertices(), functor)
    src, dst = (CPU.asarray(each) for each in graph.to_edges()[:2])
    shape = (graph.num_vertices, graph.num_vertices)
    count, label = connected_components(coo_matrix((np.ones(len(src)), (src, dst)), shape), directed=False)
    assert 1000 < count < graph.num_vertices - 1000
    _, least = np.unique(label, return_index=True)
    np.testing.assert_array_equal(CPU.asarray(sets.root), least[label])
    # Each root but the least of a component was lost, once.
    expected = np.ones(graph.num_vertices, int)
    expected[least] = 0
    np.testing.assert_array_equal(CPU.asarray(sets.lost), expected)


def test_plain_python():
    parent = np.arange(6)
    assert [mg.join(parent, u, v) for u, v in [(4, 5), (1, 0), (5, 1), (0, 4)]] == [5, 1, 4, -1]
    assert [int(mg.find(parent, v)) for v in range(6)] == [0, 0, 2, 3, 0, 0]
    assert repr(mg.find) == "<function minigr.find>"


def test_an_index_that_is_out_of_range(device, monkeypatch):
    monkeypatch.setenv("MINIGR_DEBUG", "1")
    sets = SETS["int32"](mg.generate.path(5, device=device))
    sets.parent = [0, 1, -3, 3, 4]
    with pytest.raises(FieldIndexError, match=r"line \d+ of .*union_find.py, in find: parent\[-3\]"):
        mg.operators.compute(sets, mg.Frontier.all_vertices(), type("F", (mg.Functor,), {"apply": root_of}))


def test_what_is_no_field():
    def apply(vertex):
        mg.join(vertex, 0, 1)

    sets = SETS["int32"](mg.generate.path(5, device="cpu"))
    with pytest.raises(FunctorError, match=r"functor F\.apply"):
        mg.operators.compute(sets, mg.Frontier.all_vertices(), type("F", (mg.Functor,), {"apply": apply}))
