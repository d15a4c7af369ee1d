"""What threads of a warp do together: the same answers as from atomics, whoever calls together."""

import numpy as np
import pytest

import minigr as mg
from minigr import warp_add, warp_all, warp_any, warp_elect, warp_max, warp_min, warp_or
from minigr.device import CPU
from minigr.errors import FieldIndexError, FunctorError
from minigr.jit.capture import intrinsics_called
from minigr.jit.facts import facts
from minigr.jit.functor import bind
from minigr.jit.native.types import BOOL, INT32, array
from minigr.jit.warps import VOTES
from minigr.program import cpu
from tests.jit.helpers import compilers

CALLS = 3000
CELLS = 5
DTYPES = ["int32", "int64", "float32", "float64"]


def problem_of(dtype):
    of_items = {name: mg.vertex_field(dtype) for name in ("value", "before_sum", "before_least", "before_most")}
    of_cells = {name: mg.array_field(dtype) for name in ("total", "least", "most")}
    return type("Cells", (mg.Problem,), {**of_items, **of_cells, "cell": mg.vertex_field(np.int32)})


CELLS_OF = {dtype: problem_of(dtype) for dtype in DTYPES}


def aggregate(vertex, cell, value, before_sum, before_least, before_most, total, least, most):
    if vertex % 3:  # not all lanes of a warp
        before_sum[vertex] = warp_add(total, cell[vertex], value[vertex])
    for _ in range(vertex % 4):  # nor equally often
        before_least[vertex] = mg.warp_min(least, cell[vertex], value[vertex])
    before_most[vertex] = warp_max(most, cell[vertex], value[vertex])


def chained(before, value, start, end, better):
    """Whether calls could have got `before` one after the other: each change begins where another one ended."""
    changes = better(value, before)
    return sorted([*before[changes], end]) == sorted([start, *value[changes]])


@compilers
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("cells", [1, CELLS, CALLS])
def test_one_after_the_other(device, dtype, cells, by, monkeypatch):
    monkeypatch.setattr(cpu, "FIRST_SOLO", 0)
    numbers = np.random.default_rng(3)
    value = numbers.integers(-4000, 4000, CALLS).astype(dtype)
    cell = numbers.integers(0, cells, CALLS)
    start = np.full(cells, 9000, dtype)
    graph = mg.Graph.from_edges([0], [1], num_vertices=CALLS, device=device)
    place = mg.device.resolve(device).asarray
    problem = CELLS_OF[dtype](graph, total=place(start * 0), least=place(start.copy()), most=place(-start))
    problem.value, problem.cell = value, cell
    functor = type("Aggregate", (mg.Functor,), {"apply": by(aggregate)})
    mg.operators.compute(problem, mg.Frontier.all_vertices(), functor)
    found = {name: CPU.asarray(getattr(problem, name)) for name in CELLS_OF[dtype]._fields}
    item = np.arange(CALLS)
    for each in range(min(cells, 50)):
        adds, lowers, raises = (item[(cell == each) & who] for who in (item % 3 > 0, item % 4 == 1, item >= 0))
        assert found["total"][each] == value[adds].sum(dtype=np.float64)
        assert found["least"][each] == value[item[(cell == each) & (item % 4 > 0)]].min(initial=9000)
        assert found["most"][each] == value[raises].max(initial=-9000)
        ends = found["before_sum"][adds] + value[adds]
        assert sorted([*found["before_sum"][adds], found["total"][each]]) == sorted([0, *ends])
        assert chained(found["before_most"][raises], value[raises], -9000, found["most"][each], np.greater)
        assert (found["before_least"][lowers] >= found["least"][each]).all()


class Bits(mg.Problem):
    masks = mg.vertex_field(np.int64, columns=2)
    narrow = mg.vertex_field(np.int32)
    found = mg.vertex_field(np.int64)


@compilers
def test_bits_of_columns(device, by):
    def apply(vertex, masks, narrow, found):
        warp_or(narrow, vertex % 2, 1 << (vertex % 31))
        found[vertex] = warp_or(masks, (0, vertex % 2), 1 << (vertex % 63))

    problem = Bits(mg.Graph.from_edges([0], [1], num_vertices=630, device=device))
    mg.operators.compute(problem, mg.Frontier.all_vertices(), type("F", (mg.Functor,), {"apply": by(apply)}))
    assert CPU.asarray(problem.masks)[0].tolist() == [2**63 - 1] * 2
    assert CPU.asarray(problem.narrow)[:2].tolist() == [2**31 - 1] * 2
    vertex, found = np.arange(630), CPU.asarray(problem.found)
    was_clear = (found >> vertex % 63) & 1 == 0
    for side in (0, 1):
        firsts = vertex[was_clear & (vertex % 2 == side)] % 63
        assert sorted(firsts) == list(range(63))  # each bit was clear for one of those that set it


class Votes(mg.Problem):
    holds = mg.vertex_field(np.bool_)
    some = mg.vertex_field(np.bool_)
    every = mg.vertex_field(np.bool_)
    chosen = mg.vertex_field(np.bool_)
    late = mg.vertex_field(np.int32)


def vote(vertex, holds, some, every, chosen, late):
    some[vertex] = warp_any(holds[vertex])
    every[vertex] = warp_all(holds[vertex])
    chosen[vertex] = mg.warp_elect(holds[vertex])
    for turn in range(vertex % 9):
        if warp_elect(turn == 5):
            late[vertex] += 1


@compilers
def test_votes(device, by):
    count = 2000
    holds = np.arange(count) // 50 % 2 == 0
    problem = Votes(mg.Graph.from_edges([0], [1], num_vertices=count, device=device))
    problem.holds = holds
    mg.operators.compute(problem, mg.Frontier.all_vertices(), type("F", (mg.Functor,), {"apply": by(vote)}))
    some, every, chosen, late = (CPU.asarray(getattr(problem, name)) for name in ("some", "every", "chosen", "late"))
    assert some[holds].all()
    assert not every[~holds].any()
    assert not chosen[~holds].any()
    assert chosen.any()
    calls = np.arange(count) % 9 > 5
    assert late[~calls].sum() == 0
    assert late.any()
    if device == "cpu":  # each thread is by itself
        for answer in (some, every, chosen):
            np.testing.assert_array_equal(answer, holds)
        np.testing.assert_array_equal(late, calls)
    else:
        assert some.sum() > holds.sum() > every.sum()
        assert chosen.sum() < holds.sum() / 4


@compilers
@pytest.mark.parametrize("function", VOTES)
def test_a_vote_is_not_called_for_more_items(function, by):
    def cond_target(dst, depth):
        return mg.warp_any(depth[dst] < 0)

    def other(dst, depth):
        return mg.warp_all(depth[dst])

    def third(dst, depth):
        return warp_elect(depth[dst])

    chosen = dict(zip(VOTES, (cond_target, other, third), strict=True))[function]
    functor = type("F", (mg.Functor,), {"cond_target": by(chosen)})
    bound = bind(functor, "cond_target", {"depth": mg.vertex_field(np.int32)})
    found = facts(bound, [INT32, array(INT32, 1)])
    assert found.returns is BOOL
    assert found.writes
    assert function in intrinsics_called(bound.function)


def test_plain_python():
    field = np.array([4, 2], np.int32)
    assert [int(warp_add(field, 0, 3)), int(warp_min(field, 1, 1)), int(warp_max(field, 1, 6))] == [4, 2, 1]
    assert int(warp_or(field, 0, 8)) == 7
    assert field.tolist() == [15, 6]
    assert (warp_any(2), warp_all(0), warp_elect(np.int32(1))) == (True, False, True)
    assert repr(mg.warp_add) == "<function minigr.warp_add>"


def test_wrong_arguments(device, monkeypatch):
    problem = Bits(mg.Graph.from_edges([0], [1], num_vertices=9, device=device))

    def run(apply):
        mg.operators.compute(problem, mg.Frontier.all_vertices(), type("F", (mg.Functor,), {"apply": apply}))

    def of_a_field(vertex, found):
        found[0] = warp_any(found)

    def of_floats(vertex, found):
        warp_or(0.5, vertex, 1)

    def outside(vertex, narrow):
        warp_add(narrow, vertex + 1, 1)

    with pytest.raises(FunctorError, match="warp_any needs a bool or a number as the condition"):
        run(of_a_field)
    with pytest.raises(FunctorError, match="warp_or needs a field"):
        run(of_floats)
    monkeypatch.setenv("MINIGR_DEBUG", "1")
    with pytest.raises(FieldIndexError, match=r"narrow\[9\]: the index 9 is out of range"):
        run(outside)
