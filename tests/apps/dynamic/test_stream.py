"""A stream of timed edges: after every step the graph and its answers are those of the window, built afresh."""

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU
from minigr.errors import GraphError, ProblemError


def window_graph(src, dst, time, weights, end, width, n, device):
    """The edges of a window; of equal ones the last."""
    kept = (end - width <= time) & (time < end)
    return mg.DynamicGraph.from_edges(
        src[kept], dst[kept], weights[kept], num_vertices=n, directed=False, device=device
    )


@pytest.mark.parametrize("width", [3, 40, 1000])
def test_every_step(device, width):
    rng, n = np.random.default_rng(width), 25
    src, dst = rng.integers(0, n, (2, 300))
    time, weights = np.sort(rng.integers(-100, 100, 300)), rng.integers(0, 9, 300).astype(np.float32)
    graph = mg.DynamicGraph(n, directed=False, weighted=True, device=device)
    paths, search = mg.dynamic.SSSP(graph, 0, recompute="never"), mg.dynamic.BFS(graph, 1)
    components, ends = mg.dynamic.ConnectedComponents(graph), []

    def check(step):
        ends.append(step.end)
        fresh = window_graph(src, dst, time, weights, step.end, width, n, device)
        assert graph.num_edges == fresh.num_edges
        for got, expected in (
            (paths.distance, mg.sssp(fresh, 0).distance),
            (search.depth, mg.bfs(fresh, 1).depth),
            (components.label, mg.connected_components(fresh).label),
        ):
            np.testing.assert_array_equal(CPU.asarray(got), CPU.asarray(expected))
        assert paths.last_update.kind == "repair"  # the graph was changed by nobody else

    answers = [paths, search, components]
    steps = mg.stream(graph, src, dst, time, weights, window=width, batch=10, answers=answers, callback=check)
    assert ends == [time[0] + 10 * i for i in range(1, len(ends) + 1)]
    assert time[-1] < ends[-1] <= time[-1] + 10
    assert [step.number for step in steps] == list(range(len(ends)))
    assert sum(step.inserted - step.deleted for step in steps) == graph.num_edges


def test_what_was_there_stays(device):
    graph = mg.DynamicGraph.from_edges([0, 3], [1, 4], num_vertices=5, device=device)
    steps = mg.stream(graph, [1, 2], [2, 3], [0.0, 0.5], window=0.25, batch=[0.2, 0.6, 2.0])
    assert [(step.inserted, step.deleted) for step in steps] == [(1, 0), (1, 1), (0, 1)]
    assert CPU.asarray(graph.has_edges([0, 3, 1, 2], [1, 4, 2, 3])).tolist() == [True, True, False, False]
    assert mg.stream(graph, [], [], [], window=1, batch=1) == []


def test_what_is_refused_changes_nothing(device):
    graph = mg.DynamicGraph(5, directed=False, weighted=True, device=device)
    paths, other = mg.dynamic.SSSP(graph, 0), mg.dynamic.BFS(mg.DynamicGraph(3, directed=False, device=device), 0)
    version = graph.version
    good = {"window": 1, "batch": 1, "answers": [paths]}
    for error, what, edges, options in (
        (GraphError, r"time\[2\] is 1, after 5: sort", ([0, 1, 2], [1, 2, 3], [4, 5, 1], [1.0] * 3), {}),
        (GraphError, "time has length 1", ([0, 1], [1, 2], [4], [1.0] * 2), {}),
        (GraphError, r"src\[1\] is 7", ([0, 7], [1, 2], [4, 5], [1.0] * 2), {}),
        (GraphError, r"weights\[1\] is -1.0", ([0, 1], [1, 2], [4, 5], [1.0, -1.0]), {}),
        (GraphError, "give one weight to each edge", ([0, 1], [1, 2], [4, 5]), {}),
        (GraphError, "dynamic.BFS is an answer for another graph", ([0], [1], [4], [1.0]), {"answers": [other]}),
        (ProblemError, "window=0 must be above 0", ([0], [1], [4], [1.0]), {"window": 0}),
        (ProblemError, "batch=-1 must be above 0", ([0], [1], [4], [1.0]), {"batch": -1}),
        (ProblemError, "the times of batch= must not fall", ([0], [1], [4], [1.0]), {"batch": [5, 4]}),
    ):
        with pytest.raises(error, match=what):
            mg.stream(graph, *edges, **{**good, **options})
    with pytest.raises(GraphError, match="graph must be a DynamicGraph, got Graph"):
        mg.stream(mg.generate.path(3, device=device), [0], [1], [2], window=1, batch=1)
    assert graph.version == version
    assert graph.num_edges == 0


def test_the_bar_is_shown_on_standard_error(capsys):
    graph = mg.DynamicGraph(3, directed=False, device="cpu")
    mg.stream(graph, [0, 1], [1, 2], [0, 1], window=2, batch=1, progress=True)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "streaming" in shown.err
