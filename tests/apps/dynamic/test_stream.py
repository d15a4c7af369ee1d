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


INT64 = np.iinfo(np.int64)


@pytest.mark.parametrize(
    ("time", "window", "batch"),
    [
        *(([0, 1, 3, 9], 2, np.arange(1, 13).astype(dtype)) for dtype in ("uint8", "uint64", "int8", "float32")),
        *((np.array([0, 1, 3, 9], dtype), dtype(4), dtype(2)) for dtype in (np.uint8, np.uint64, np.int8, np.float32)),
        (np.array([250, 251, 255], np.uint8), 3, 2),
        ([INT64.max - 9, INT64.max - 1, INT64.max], 5, 3),
        ([INT64.min, INT64.min + 4, INT64.min + 9], 5, 3),
        (np.array([2**64 - 9, 2**64 - 2, 2**64 - 1], np.uint64), np.uint64(5), np.uint64(3)),
        ([2**62, 2**62 + 1, 2**62 + 3], 2.0, 1.0),  # float64 has no place for these times
        ([0, 1, 3, 9], np.inf, 4),
        ([0, 1, 3, 9], 10**30, 4),
        ([0, 1, 3, 9], 2.5, 1.5),
        ([-4e306, 0.0, 4e306], 1e306, 3e306),
    ],
)
def test_windows_of_any_numbers(time, window, batch):
    """No number wraps, and whole ones aren't rounded: each step has the edges of its window, by Python's numbers."""
    times, width, share = np.asarray(time).tolist(), *(np.asarray(given).tolist() for given in (window, batch))
    if isinstance(times[0], int):
        width, share = (int(n) if isinstance(n, float) and n.is_integer() else n for n in (width, share))
    graph = mg.DynamicGraph(len(times) + 1, device="cpu")
    counts = []
    src = np.arange(len(times))
    steps = mg.stream(
        graph, src, src + 1, time, window=window, batch=batch, callback=lambda step: counts.append(graph.num_edges)
    )
    expected = [sum(step.end - width <= seen < step.end for seen in times) for step in steps]
    assert counts == expected
    assert sum(step.inserted for step in steps) == len(times)
    if np.ndim(batch) == 0:
        assert [step.end for step in steps] == [times[0] + share * (i + 1) for i in range(len(steps))]
        assert steps[-1].end - share <= times[-1] < steps[-1].end


def test_what_was_there_stays(device):
    graph = mg.DynamicGraph.from_edges([0, 3], [1, 4], num_vertices=5, device=device)
    steps = mg.stream(graph, [1, 2], [2, 3], [0.0, 0.5], window=0.25, batch=[0.2, 0.6, 0.6, 2.0])
    assert [(step.inserted, step.deleted) for step in steps] == [(1, 0), (1, 1), (0, 0), (0, 1)]
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
        (GraphError, "answers holds a float", ([0], [1], [4], [1.0]), {"answers": np.array([1.0])}),
        (GraphError, "with each answer once", ([0], [1], [4], [1.0]), {"answers": [paths, paths]}),
        (GraphError, "must be a list of answers", ([0], [1], [4], [1.0]), {"answers": paths}),
        (GraphError, "must be a list of answers", ([0], [1], [4], [1.0]), {"answers": 5}),
        (GraphError, "batch can't be read as an array", ([0], [1], [4], [1.0]), {"batch": [[1], [2, 3]]}),
        (GraphError, "callback='abc': give a function", ([0], [1], [4], [1.0]), {"callback": "abc"}),
        (ProblemError, "window=0 must be above 0", ([0], [1], [4], [1.0]), {"window": 0}),
        (ProblemError, "batch=-1 must be above 0", ([0], [1], [4], [1.0]), {"batch": -1}),
        (ProblemError, "the times of batch= must not fall", ([0], [1], [4], [1.0]), {"batch": [5, 4]}),
    ):
        with pytest.raises(error, match=what):
            mg.stream(graph, *edges, **{**good, **options})
    for error, what, times, options in (
        (GraphError, r"time\[1\] is inf: every edge needs", [0.0, np.inf], {}),
        (GraphError, r"time\[1\] is nan: every edge needs", [0.0, np.nan], {}),
        (ProblemError, "window=nan must be above 0", [0, 1], {"window": np.nan}),
        (ProblemError, "batch=nan must be above 0", [0, 1], {"batch": np.nan}),
        (ProblemError, "batch=inf must be finite", [0, 1], {"batch": np.inf}),
        (ProblemError, "must be finite numbers", [0, 1], {"batch": [1, np.inf]}),
        (ProblemError, "must be finite numbers", [0, 1], {"batch": [np.nan, 1]}),
        (ProblemError, "window='1' must be a number", [0, 1], {"window": "1"}),
        (ProblemError, r"window=array\(\[1, 2\]\) must be a number", [0, 1], {"window": np.array([1, 2])}),
        (ProblemError, "window=10+ is too large for float64", [0.0, 1.0], {"window": 10**400}),
        (ProblemError, "batch=10+ is too large for float64", [0.0, 1.0], {"batch": 10**400}),
        (GraphError, r"time\[1\] is masked", np.ma.array([0, 1], mask=[0, 1]), {}),
        (GraphError, r"batch\[0\] is masked", [0, 1], {"batch": np.ma.array([1, 2], mask=[1, 0])}),
        (ProblemError, "more than 100,000,000 steps of batch=1", [-(2**63), 2**63 - 1], {}),
        (ProblemError, "more than 100,000,000 steps of batch=1", [0.0, 1e300], {}),
        (ProblemError, "too far apart", [-1e308, 1e308], {"batch": 1e307}),
        (ProblemError, "batch=1 is lost in rounding beside times such as 1e\\+300", [1e300, 1e300], {}),
        (ProblemError, "window=1 is lost in rounding", [1e300, 1e300], {"batch": 1e299}),
    ):
        with pytest.raises(error, match=what):
            mg.stream(graph, [0, 1], [1, 2], times, [1.0, 1.0], **{**good, **options})
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
