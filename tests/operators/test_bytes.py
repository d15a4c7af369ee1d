"""Fields and parameters of bool and uint8 in operators, with both compilers, compared with NumPy."""

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU
from tests.jit.helpers import compilers
from tests.layouts import arcs_of

VERTICES = 600


class Stored(mg.Problem):
    """A bool and a uint8 field for each kind of the given numbers."""

    whole = mg.array_field(np.int64)
    real = mg.array_field(np.float64)
    from_whole = mg.vertex_field(bool)
    from_real = mg.vertex_field(bool)
    cut = mg.vertex_field(np.uint8)
    rounded = mg.vertex_field(np.uint8)
    count = mg.vertex_field(np.uint8, fill=250)
    by = mg.parameter(np.uint8)
    on = mg.parameter(bool)
    told = mg.vertex_field(np.int64)
    cells = mg.vertex_field(np.uint8, columns=2)


def store(vertex, whole, real, from_whole, from_real, cut, rounded, count, by, on, told, cells):
    from_whole[vertex] = whole[vertex]
    from_real[vertex] = real[vertex]
    cut[vertex] = whole[vertex]
    rounded[vertex] = abs(real[vertex])
    count[vertex] += by
    count[vertex] = count[vertex] + 1 if on else 0
    told[vertex] = 2 * by + from_whole[vertex] + (from_real[vertex] and not on)
    told[vertex] += 10 if from_whole[vertex] == from_real[vertex] else 0
    cells[vertex, 1] = cells[vertex, 0] - 1
    cells[vertex, 0] |= 1 << vertex % 9


@compilers
@pytest.mark.parametrize("debug", [False, True])
def test_what_is_stored_and_read(device, by, debug):
    class Store(mg.Functor):
        apply = by(store)

    whole = np.arange(VERTICES) * 7919 % 1000 - 500
    whole[::5] = 0
    real = np.where(np.arange(VERTICES) % 4 == 0, 0.0, np.arange(VERTICES) % 200 + 0.75) * (-1.0) ** np.arange(VERTICES)
    given = {"whole": whole.tolist(), "real": real.tolist(), "by": 200, "on": True}
    problem = Stored(mg.generate.path(VERTICES, device=device), **given)
    bits = 1 << np.arange(VERTICES) % 9
    for _ in range(2):
        mg.operators.compute(problem, mg.Frontier.all_vertices(), Store, debug=debug)
    expected = {
        "from_whole": whole.astype(bool),
        "from_real": real.astype(bool),
        "cut": whole.astype(np.uint8),
        "rounded": np.abs(real).astype(np.uint8),
        "count": np.full(VERTICES, (250 + 2 * 201) % 256, np.uint8),
        "told": 400 + (whole != 0) + 10 * ((whole != 0) == (real != 0)),
        "cells": np.stack([bits, bits % 256 - 1], axis=1).astype(np.uint8),
    }
    for name, values in expected.items():
        found = CPU.asarray(getattr(problem, name))
        np.testing.assert_array_equal(found, values, err_msg=name)
        assert name == "told" or found.dtype == (bool if name.startswith("from") else np.uint8)


class Visits(mg.Problem):
    seen = mg.vertex_field(bool)
    crossed = mg.edge_field(bool)
    level = mg.vertex_field(np.uint8, fill=255)
    total = mg.scalar_field(np.int64)


class Visit(mg.Functor):
    def cond_target(dst, seen):
        return not seen[dst]

    def apply_advance(dst, edge, crossed, iteration, level):
        crossed[edge] = True
        level[dst] = min(level[dst], iteration)

    def cond_filter(vertex, seen):
        return not seen[vertex]

    def apply_filter(vertex, seen):
        seen[vertex] = True


class Seen(mg.Functor):
    def map(dst, seen):
        return seen[dst]

    def apply_reduce(value):
        return value


class Walk(mg.Enactor, problem=Visits, functor=Visit):
    def start(self, source):
        self.problem.seen[source] = True
        self.problem.level[source] = 0
        return mg.Frontier.of(source)

    def step(self, frontier):
        return self.filter(self.advance(frontier))


def test_visited_masks(graph):
    if graph.num_vertices == 0:
        pytest.skip("no vertex to begin with")
    walk = Walk(graph)
    walk.run(0)
    ids, src, dst, _ = arcs_of(graph)
    level = np.full(graph.num_vertices, -1)
    level[0], step = 0, 0
    while (level == step).any():
        reached = dst[ids][level[src[ids]] == step]
        step += 1
        level[reached[level[reached] < 0]] = step
    problem = walk.problem
    np.testing.assert_array_equal(CPU.asarray(problem.level), np.where(level < 0, 255, np.minimum(level, 255)))
    np.testing.assert_array_equal(CPU.asarray(problem.seen), level >= 0)
    crossed = CPU.asarray(problem.crossed)
    assert not crossed[ids][level[src[ids]] < 0].any()
    np.testing.assert_array_equal(np.unique(dst[ids][crossed[ids]]), np.flatnonzero(level > 0))
    mg.operators.neighbor_reduce(problem, mg.Frontier.all_vertices(), Seen, reduce="add", scalar="total")
    assert int(CPU.asarray(problem.total)[0]) == (level[dst[ids]] >= 0).sum()  # bools are added up as numbers
