"""Functions that ask for `graph` as compilers get them: what is known of them, and what becomes of them on a GPU."""

import numpy as np
import pytest

import minigr as mg
from minigr.jit import numba_functor
from minigr.jit.facts import facts, writes
from minigr.jit.native.functors import argument_type
from minigr.program.seen_graph import bind_to
from minigr.program.supplied import arguments_of

STATIC = mg.Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3], np.ones(4, np.float32), device="cpu")
LAYOUTS = pytest.mark.parametrize("graph", [STATIC, mg.DynamicGraph.from_graph(STATIC)], ids=["csr", "slabs"])


class Fields(mg.Problem):
    x = mg.vertex_field(np.int32)
    y = mg.vertex_field(np.float32)


def least_of(of, v, x):
    least = x[v]
    for neighbor in of.neighbors(v):
        if x[neighbor] < 0:
            break
        least = min(least, x[neighbor])
    return least


def reads_in_a_helper(vertex, graph, x):
    return least_of(graph, vertex, x=x) + graph.degree(vertex)


def reads_weights(vertex, graph, y):
    total = np.float32(0)
    for neighbor, _, weight in graph.weighted_edges(vertex):
        total += weight * y[neighbor]
    return total


def reads_by_numba(vertex, graph, x):
    whole, rest = divmod(vertex, 2)
    return least_of(graph, vertex, x) + whole + rest


def writes_in_a_loop(vertex, graph, x):
    for neighbor, edge in graph.edges(vertex):
        x[neighbor] = edge


def mark_neighbors(v, graph, x):
    for neighbor in graph.neighbors(v):
        mg.atomic_add(x, neighbor, 1)


def writes_in_a_helper(vertex, graph, x):
    mark_neighbors(vertex, graph=graph, x=x)


READS = [reads_in_a_helper, reads_weights, reads_by_numba]
WRITES = [writes_in_a_loop, writes_in_a_helper]


def bound_on(graph, function):
    problem = Fields(graph)
    functor = type("Asks", (mg.Functor,), {"apply": function})
    return bind_to(functor, "apply", problem), problem


@LAYOUTS
@pytest.mark.parametrize("function", [*READS, *WRITES])
def test_what_only_reads(graph, function, monkeypatch):
    bound, problem = bound_on(graph, function)
    if function is not reads_by_numba:
        monkeypatch.setattr(numba_functor, "compiled", None)  # minigr's own compiler knows all of it
    assert writes(bound, arguments_of(bound, problem)) is (function in WRITES)


def test_types_are_those_of_numba():
    """The two compilers agree on what neighbors, edges and weights are."""
    bound, problem = bound_on(STATIC, reads_weights)
    arguments = [argument_type(each) for each in arguments_of(bound, problem)]
    assert str(facts(bound, arguments).returns) == str(numba_functor.compiled(bound, arguments).returns) == "float32"


def test_only_what_asks_for_weights_is_given_them():
    assert bound_on(STATIC, reads_weights)[0].sees("weights")
    assert not bound_on(STATIC, writes_in_a_loop)[0].sees("weights")


def test_a_function_is_rewritten_once():
    first, second = (bound_on(STATIC, writes_in_a_helper)[0] for _ in range(2))
    assert first.function is second.function
    assert first.arguments == second.arguments


@LAYOUTS
@pytest.mark.parametrize("function", [reads_in_a_helper, reads_weights, reads_by_numba, writes_in_a_helper])
def test_a_gpu_calls_nothing_and_keeps_nothing_in_memory(graph, function):
    """Loops, and the functions that rows are walked by, become part of the kernel."""
    pytest.importorskip("cuda.core")
    from minigr.jit.cuda_imports import cuda_core
    from minigr.jit.link_cuda import _linked
    from minigr.program.cuda import code_of

    bound, _ = bound_on(graph, function)

    class Runs(mg.Enactor, problem=Fields):
        def step(self, frontier):
            self.compute(frontier, type("Asks", (mg.Functor,), {"apply": function}))

    plan = Runs(graph, max_iterations=1).record(mg.Frontier.all_vertices())
    plan.nodes[0].functions["apply"] = bound
    code, text = code_of(plan, 90)
    options = {"arch": "sm_90", "ptx": True, "kernels_used": text.kernels, "variables_used": ["arguments"]}
    ptx = _linked(cuda_core(), code._modules, "ptx", **options).decode()
    assert ".entry wide_0" in ptx
    assert "call" not in ptx
    assert ".func" not in ptx
    assert ".local" not in ptx
