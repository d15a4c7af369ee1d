"""Fields with columns in operators, compared with NumPy and SciPy: with both compilers, atomics, and debug mode."""

import inspect
import re

import numpy as np
import pytest
import scipy.sparse

import minigr as mg
from minigr import atomic_add
from minigr.device import CPU
from minigr.errors import FieldIndexError, FunctorError, ProblemError
from tests.jit.helpers import compilers
from tests.layouts import arcs_of

SOURCES = 5


def adjacency(graph, weighted):
    """The matrix with an entry for each arc: 1, or its rounded weight. Entries of parallel arcs are added up."""
    ids, src, dst, weights = arcs_of(graph)
    entries = np.round(weights[ids].astype(np.float64)) if weighted else np.ones(len(ids))
    return scipy.sparse.csr_array((entries, (src[ids], dst[ids])), shape=(graph.num_vertices,) * 2)


class Reach(mg.Problem):
    """For each vertex, the sources among a few that reach it."""

    reached = mg.vertex_field(bool, columns=SOURCES)
    changed = mg.vertex_field(np.int32)  # the last step in which a source was added


class Pass(mg.Functor):
    def cond_advance(src, dst, iteration, reached, changed):
        came = False
        for k in range(SOURCES):
            if reached[src, k] and not reached[dst, k]:
                reached[dst, k] = True
                came = True
        return came and mg.atomic_max(changed, dst, iteration) < iteration


class Reaching(mg.Enactor, problem=Reach, functor=Pass):
    def start(self, sources):
        self.problem.reset()
        reached = np.zeros(self.problem.reached.shape, bool)
        reached[sources, np.arange(len(sources))] = True
        self.problem.reached = reached
        return mg.Frontier.of(np.unique(sources))

    def step(self, frontier):
        return self.advance(frontier, duplicates="impossible")


def test_which_sources_reach_a_vertex(graph):
    n = graph.num_vertices
    enactor = Reaching(graph)
    sources = np.arange(min(SOURCES, n)) * 7919 % max(n, 1)
    enactor.run(sources)
    matrix = adjacency(graph, weighted=False).T.tocsr()
    expected = np.zeros((n, SOURCES), bool)
    expected[sources, np.arange(len(sources))] = True
    while True:
        further = expected | (matrix @ expected.astype(np.int64) > 0)
        if (further == expected).all():
            break
        expected = further
    np.testing.assert_array_equal(CPU.asarray(enactor.problem.reached), expected)


class Features(mg.Problem):
    given = mg.vertex_field(np.float32, columns=3)
    sums = mg.vertex_field(np.float32, columns=3)
    wide = mg.vertex_field(np.float64, columns=64)
    means = mg.vertex_field(np.float64, columns=64)


def features(graph, name, columns):
    """Rows of small whole numbers, so that sums are exact in any order."""
    problem = Features(graph)
    values = np.arange(graph.num_vertices * columns).reshape(-1, columns) * 7919 % 31 - 15.0
    setattr(problem, name, values)
    return problem, values


def push(field, vertex, k, value):
    atomic_add(field, (vertex, k), value)


class Push(mg.Functor):
    def apply_advance(src, dst, weight, given, sums):
        for k in range(3):
            push(sums, dst, k, round(weight) * given[src, k])


class Gather(mg.Functor):
    def apply(vertex, graph, wide, means):
        for neighbor in graph.neighbors(vertex):
            for k in range(64):
                means[vertex, k] += wide[neighbor, k]
        for k in range(64):
            means[vertex, k] /= max(graph.degree(vertex), 1)


def test_sums_over_neighbors_pushed(graph):
    problem, values = features(graph, "given", 3)
    mg.operators.advance(problem, mg.Frontier.all_vertices(), Push, output=None)
    matrix = adjacency(graph, weighted=True)
    np.testing.assert_array_equal(CPU.asarray(problem.sums), matrix.T @ values)


def test_means_over_neighbors_gathered(graph):
    problem, values = features(graph, "wide", 64)
    mg.operators.compute(problem, mg.Frontier.all_vertices(), Gather)
    matrix = adjacency(graph, weighted=False)
    degrees = np.maximum(matrix.sum(axis=1), 1)
    np.testing.assert_array_equal(CPU.asarray(problem.means), matrix @ values / degrees[:, None])


class Cells(mg.Problem):
    """Fields such as `most` have a column for each remainder of an edge's id."""

    total = mg.vertex_field(np.int64, columns=4)
    least = mg.vertex_field(np.float32, fill=np.inf, columns=4)
    most = mg.vertex_field(np.int32, fill=-1, columns=4)
    seen = mg.vertex_field(np.int32, columns=4)
    last = mg.vertex_field(np.int64, fill=-1, columns=4)
    first = mg.vertex_field(np.int64, fill=-1, columns=4)
    by_edge = mg.edge_field(np.float64, columns=2)
    table = mg.array_field(np.int64, columns=2)
    winners = mg.vertex_field(np.int32)


def contend(dst, edge, total, least, most, seen, last, first, by_edge, table, winners):
    cell = dst, edge % 4
    mg.atomic_add(total, cell, table[edge % 3, 1])
    mg.atomic_min(least, (dst, edge % 4), -edge)
    mg.atomic_max(most, cell, edge)
    mg.atomic_or(seen, cell, 1 << edge % 31)
    by_edge[edge, 0] = mg.atomic_exch(last, cell, edge)
    if mg.atomic_cas(first, cell, -1, edge) == -1:
        mg.atomic_add(winners, dst, 1)
    place = edge, 1
    by_edge[place] = edge
    by_edge[place] += table[0, 0]


@compilers
@pytest.mark.parametrize("debug", [False, True])
def test_atomics_on_cells(device, by, debug):
    class Contend(mg.Functor):
        apply_advance = by(contend)

    leaves = 3000
    graph = mg.Graph.from_edges(np.arange(leaves) + 1, np.zeros(leaves, int), directed=True, device=device)
    problem = Cells(graph, table=[[100, 1], [200, 2], [300, 3]])
    mg.operators.advance(problem, mg.Frontier.all_vertices(), Contend, output=None, debug=debug)
    edges, values = np.arange(leaves), {name: CPU.asarray(getattr(problem, name)) for name in Cells._fields}
    classes = [edges[edges % 4 == k] for k in range(4)]
    assert values["total"][0].tolist() == [int((each % 3 + 1).sum()) for each in classes]
    assert values["least"][0].tolist() == [-each.max() for each in classes]
    assert values["most"][0].tolist() == [each.max() for each in classes]
    assert values["seen"][0].tolist() == [2**31 - 1] * 4
    assert values["winners"][0] == 4
    for k in range(4):  # each exchange gets the value that another exchange stored
        handed_on = [*values["by_edge"][classes[k], 0], values["last"][0, k]]
        assert sorted(handed_on) == [-1, *classes[k]]
        assert values["first"][0, k] in classes[k]
    np.testing.assert_array_equal(values["by_edge"][:, 1], edges + 100)
    for name in ("total", "seen", "winners"):
        assert not values[name][1:].any()


class Vast(mg.Problem):
    x = mg.vertex_field(np.uint8, columns=1 << 15)


class Mark(mg.Functor):
    def apply(vertex, x):
        x[vertex, (1 << 15) - 1] = vertex % 100 + x[vertex, 5]


def test_cells_past_32_bits(device):
    graph, far = mg.generate.path(3 << 15, device=device), [1 << 16, (3 << 15) - 1]
    x = mg.device.resolve(device).xp.zeros((graph.num_vertices, 1 << 15), np.uint8)  # 3 GiB, of which little is touched
    mg.operators.compute(Vast(graph, x=x), mg.Frontier.of(far), Mark)
    assert [int(x[vertex, -1]) for vertex in far] == [vertex % 100 for vertex in far]
    assert not CPU.asarray(x[:4]).any()


class Indexed(mg.Problem):
    x = mg.vertex_field(np.float32, columns=3)
    y = mg.vertex_field(np.int32)
    small = mg.vertex_field(np.uint8)
    mask = mg.vertex_field(bool, columns=2)
    edges = mg.edge_field(np.int32, columns=2)
    table = mg.array_field(np.float64, columns=2)


def indexed(device, vertices=50):
    return Indexed(mg.generate.path(vertices, device=device), table=np.zeros((7, 2)).tolist())


def deeper(field, i, k):
    return field[i, k]  # an access in a helper


WRONG_CELLS = {
    "x[50, 1]: the row 50 is out of range for the vertex field 'x', which has 50 rows (0 to 49)": (
        lambda vertex, x: x[vertex + 1, 1]
    ),
    "x[49, 3]: the column 3 is out of range for the vertex field 'x', which has 3 columns (0 to 2)": (
        lambda vertex, x: x[vertex, vertex - 46]
    ),
    "edges[49, -1]: the column -1 is out of range for the edge field 'edges', which has 2 columns (0 to 1)": (
        lambda vertex, edges: mg.atomic_add(edges, (vertex, 48 - vertex), 1)
    ),
    "table[49, 2]: the row 49 is out of range for the array field 'table', which has 7 rows (0 to 6)": (
        lambda vertex, table: deeper(table, vertex, vertex - 47)
    ),
}


@compilers
@pytest.mark.parametrize("expected", WRONG_CELLS)
def test_wrong_rows_and_columns_in_debug_mode(device, expected, by):
    wrong = by(WRONG_CELLS[expected])

    class Look(mg.Functor):
        apply = wrong

    problem = indexed(device)
    with pytest.raises(FieldIndexError, match=re.escape(expected)) as caught:
        mg.operators.compute(problem, mg.Frontier.of(49), Look, debug=True, reduce="add", into=None)
    helper = inspect.getsourcelines(deeper)[1] + 1
    line = f"line {helper} of {__file__}, in deeper" if "table" in expected else f"line {wrong.__code__.co_firstlineno}"
    assert f": {line}: {expected}" in str(caught.value)


def by_one(field, i):
    return field[i]


REFUSED = {
    r"indexes 'x' by one number, but 'x' has the shape \(n, 3\): write x\[i, k\]": lambda vertex, x: x[vertex] > 0,
    r"indexes 'y' by 2 numbers, but 'y' has the shape \(n,\): write y\[i\], or declare the field with columns=": (
        lambda vertex, y: y[vertex, 0] > 0
    ),
    r"line \d+ of .* indexes 'field' by one number": lambda vertex, x: by_one(x, vertex) > 0,
    "atomic_add needs a field of int32, int64, float32, float64, got one of uint8: declare it as int32": (
        lambda vertex, small: atomic_add(small, vertex, 1) > 0
    ),
    "atomic_or needs a field of int32, int64, got one of bool: declare it as int32": (
        lambda vertex, mask: mg.atomic_or(mask, (vertex, 1), 1) > 0
    ),
}


@compilers
@pytest.mark.parametrize("complaint", REFUSED)
def test_wrong_numbers_of_indexes(device, complaint, by):
    class Wrong(mg.Functor):
        cond_filter = by(REFUSED[complaint])

    for debug in (False, True):
        with pytest.raises(FunctorError, match=rf"^functor Wrong\.cond_filter .*{complaint}"):
            mg.operators.filter(indexed(device), mg.Frontier.all_vertices(), Wrong, debug=debug)


class Weights(mg.Functor):
    def map(dst, y):
        return y[dst]


@pytest.mark.parametrize(
    ("into", "declared"),
    [("x", "float32 vertex with 3 columns"), ("small", "uint8 vertex"), ("mask", "bool vertex with 2 columns")],
)
def test_results_are_not_reduced_into_rows_or_bytes(device, into, declared):
    with pytest.raises(ProblemError, match=f"into='{into}' is declared as {declared}, .* each vertex"):
        mg.operators.neighbor_reduce(indexed(device), mg.Frontier.all_vertices(), Weights, reduce="add", into=into)
