"""Connected components, over the battery, against SciPy, and where threads get in each other's way."""

import numpy as np
import pytest
from scipy.sparse import csgraph

import minigr as mg
from minigr.apps.components import programs
from minigr.apps.components.programs import ComponentsEnactor
from minigr.device import CPU, resolve
from minigr.errors import ProblemError
from minigr.program import cpu
from minigr.program.control import DRIVERS
from tests.verifiers import check_components


def reference(graph):
    """SciPy's answer, each component named by its least vertex."""
    matrix = graph.to("cpu").to_scipy()
    matrix.data = np.ones(matrix.nnz)  # an edge of weight 0 is one too
    _, component = csgraph.connected_components(matrix, connection="weak")
    _, first = np.unique(component, return_index=True)
    return first[component]


def check(graph, **options):
    result = mg.connected_components(graph, **options)
    np.testing.assert_array_equal(CPU.asarray(result.label), reference(graph))
    assert result.num_components == len(np.unique(reference(graph)))
    return result


def check_in_steps(graph, steps, below=False):
    enactor = ComponentsEnactor(graph, max_iterations=steps)
    enactor.problem.below = below
    enactor.run()
    np.testing.assert_array_equal(CPU.asarray(enactor.problem.label), reference(graph))
    assert enactor.problem.num_components == len(np.unique(reference(graph)))


def test_battery(graph):
    result = mg.connected_components(graph)
    assert isinstance(result.label, resolve(graph.device).xp.ndarray)
    assert isinstance(result.num_components, int)
    check_components(graph, result.label, result.num_components)
    if graph.num_vertices:
        check_in_steps(graph, 1)
        if not graph.directed:
            check_in_steps(graph, 2)
            check_in_steps(graph, 2, below=True)
    else:
        assert (result.num_components, result.iterations) == (0, 0)


def shapes():
    """(name, number of vertices, src, dst): large enough for threads to meet, and awkward for trees of labels."""
    rng = np.random.default_rng(7)
    n = 20_000
    ids = np.arange(n, dtype=np.int32)
    mixed = rng.permutation(ids)
    yield "chain", n, ids[:-1], ids[1:]
    yield "mixed chain", n, mixed[:-1], mixed[1:]
    yield "star whose center is last", n, np.full(n - 1, n - 1, np.int32), ids[:-1]
    yield "as many components as pairs", n, mixed[: n // 2], mixed[n // 2 :]
    yield "sparse", n, rng.integers(0, n, n // 2, np.int32), rng.integers(0, n, n // 2, np.int32)
    yield "tree", n, ids[1:], (ids[1:] - 1) // 2
    # Cliques of the even and of the odd vertices, and an edge that is the last of both its ends: no sample has it.
    u, v = np.triu_indices(100, 1)
    yield "bridge", 200, np.r_[2 * u, 2 * u + 1, 198], np.r_[2 * v, 2 * v + 1, 199]
    # A giant of the first half; all edges between it and others leave it, or all lead to it.
    giant, inner, outer = ids[1 : n // 2], rng.integers(0, n // 2, n // 4), ids[-(n // 4) :]
    yield "out of a giant", n, np.r_[giant, inner], np.r_[giant - 1, outer]
    yield "into a giant", n, np.r_[giant, outer], np.r_[giant - 1, inner]


SHAPES = {name: rest for name, *rest in shapes()}


@pytest.mark.parametrize("threads", ["1", "2", "5"])
@pytest.mark.parametrize(
    ("directed", "steps", "below"), [(False, 1, False), (False, 2, False), (False, 2, True), (True, 1, False)]
)
@pytest.mark.parametrize("name", SHAPES)
def test_threads_that_meet(device, name, directed, steps, below, threads, monkeypatch):
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    monkeypatch.setattr(cpu, "FIRST_SOLO", 0)
    n, src, dst = SHAPES[name]
    check_in_steps(mg.Graph.from_edges(src, dst, num_vertices=n, directed=directed, device=device), steps, below)


def test_a_graph_without_hubs_by_several_threads(device, monkeypatch):
    monkeypatch.setenv("MINIGR_NUM_THREADS", "3")
    check(mg.generate.uniform(9_000, 40_000, seed=2, device=device))


@pytest.mark.parametrize("directed", [False, True])
def test_the_direction_of_edges_does_not_matter(device, directed):
    for degree, steps in ((1, 1), (16, 1 if directed else 2)):
        graph = mg.generate.rmat(12, degree, seed=11, directed=directed, device=device)
        result = check(graph, trace=True)
        assert len(result.trace) == result.iterations == steps


def test_edges_of_the_giant_are_skipped(device):
    """A sample is enough for a graph that is connected by it; what is left to look at then is next to nothing."""
    graph = mg.generate.rmat(13, 32, seed=3, device=device)
    sampled, rest = check(graph, trace=True).trace
    assert sampled.edges < graph.num_arcs / 2
    assert rest.edges < graph.num_arcs / 100


def test_a_wrong_choice_of_the_giant_is_as_right(device, monkeypatch):
    """With one vertex to vote, and with no sample at all."""
    graph = mg.generate.rmat(10, 2, seed=5, device=device)
    monkeypatch.setattr(programs, "_APART", 1 << 30)
    check_in_steps(graph, 2)
    check_in_steps(graph, 2, below=True)
    monkeypatch.setattr(programs, "LINKS", 0)
    check_in_steps(graph, 2)
    check_in_steps(graph, 2, below=True)


@pytest.mark.parametrize("directed", [False, True])
def test_drivers_agree(device, directed):
    graph = mg.generate.rmat(9, 4, seed=4, directed=directed, device=device)
    for driver in DRIVERS if device == "cuda" else ("fused", "host"):
        check(graph, driver=driver)
    with pytest.raises(ProblemError, match="driver='none'"):
        mg.connected_components(graph, driver="none")
