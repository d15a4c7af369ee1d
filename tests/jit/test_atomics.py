"""Atomics under contention: every edge of a star meets at the hub."""

import copy
import pickle

import numpy as np
import pytest

import minigr as mg
from minigr import atomic_add, atomic_cas, atomic_exch, atomic_max, atomic_min, atomic_or
from minigr.device import CPU
from minigr.errors import FieldIndexError, FunctorError
from minigr.jit.kernel import kernel
from minigr.jit.native.calling import Alone
from minigr.jit.native.module import Module
from minigr.jit.native.types import array, number_of, tuple_of
from minigr.program import cpu
from tests.jit.helpers import compilers, own_entry

LEAVES = 40_000
DTYPES = ["int32", "int64", "float32", "float64"]


class Hub(mg.Problem):
    """`value` is an edge's contribution; results stand at vertex 0, `before` is what an edge's atomic returned."""

    value = mg.edge_field(lambda graph: graph.weights.dtype)
    before = mg.edge_field(lambda graph: graph.weights.dtype)
    total = mg.vertex_field(lambda graph: graph.weights.dtype)
    least = mg.vertex_field(lambda graph: graph.weights.dtype)
    most = mg.vertex_field(lambda graph: graph.weights.dtype)
    slot = mg.vertex_field(lambda graph: graph.weights.dtype, fill=-1)
    lock = mg.vertex_field(lambda graph: graph.weights.dtype, fill=-1)
    winners = mg.vertex_field(np.int32)


def contend(dst, edge, value, before, total, least, most, slot, lock, winners):
    atomic_add(total, dst, value[edge])
    atomic_min(least, dst, value[edge])
    atomic_max(most, dst, value[edge])
    before[edge] = atomic_exch(slot, dst, edge)
    if atomic_cas(lock, dst, -1, edge) == -1:
        atomic_add(winners, dst, 1)


def inward_star(leaves, dtype, device):
    return mg.Graph.from_edges(
        np.arange(1, leaves + 1), np.zeros(leaves, int), np.zeros(leaves, dtype), directed=True, device=device
    )


@pytest.fixture(params=["1", "4"])
def threads(request, monkeypatch):
    """A team, and a thread alone, whose atomics are plain accesses on the CPU."""
    monkeypatch.setenv("MINIGR_NUM_THREADS", request.param)


@compilers
@pytest.mark.parametrize("dtype", DTYPES)
def test_contention(device, dtype, threads, by):
    class Contend(mg.Functor):
        apply_advance = by(contend)

    graph = inward_star(LEAVES, dtype, device)
    problem = Hub(graph)
    values = (np.arange(LEAVES) * 7919 % 8191 - 4000).astype(dtype)  # small: float sums are exact in any order
    problem.value = values
    problem.least, problem.most = 9000, -9000
    mg.operators.advance(problem, mg.Frontier.all_vertices(), Contend, output=None)
    total, least, most, slot, lock, winners = (
        CPU.asarray(getattr(problem, name))[0] for name in ("total", "least", "most", "slot", "lock", "winners")
    )
    assert total == values.sum(dtype=np.int64 if np.dtype(dtype).kind == "i" else np.float64)
    assert (least, most) == (values.min(), values.max())
    assert winners == 1
    assert 0 <= lock < LEAVES
    # Exchanges hand one value on to the next: all but the last come back once, and the first finds what was there.
    handed_on = [*CPU.asarray(problem.before).tolist(), float(slot)]
    assert sorted(handed_on) == list(range(-1, LEAVES))


class Bits(mg.Problem):
    mask = mg.vertex_field(np.int32)
    wide = mg.vertex_field(np.int64)
    found = mg.edge_field(np.int64)


class Set(mg.Functor):
    def apply_advance(dst, edge, mask, wide, found):
        atomic_or(mask, dst, 1 << (edge % 31))
        found[edge] = atomic_or(wide, dst, 1 << (edge % 63))


def test_or(device, threads):
    problem = Bits(inward_star(4000, "float32", device))
    mg.operators.advance(problem, mg.Frontier.all_vertices(), Set, output=None)
    assert CPU.asarray(problem.mask)[0] == 2**31 - 1
    assert CPU.asarray(problem.wide)[0] == 2**63 - 1
    found = CPU.asarray(problem.found)
    firsts = [(found[bit::63] >> bit) & 1 for bit in range(63)]
    assert all((bits == 0).sum() == 1 for bits in firsts)  # each bit was clear for one of those that set it


class Extremes(mg.Problem):
    value = mg.vertex_field(lambda graph: graph.weights.dtype)
    least = mg.vertex_field(lambda graph: graph.weights.dtype)
    most = mg.vertex_field(lambda graph: graph.weights.dtype)
    old_least = mg.vertex_field(lambda graph: graph.weights.dtype)
    old_most = mg.vertex_field(lambda graph: graph.weights.dtype)


class Extremum(mg.Functor):
    def apply(vertex, value, least, most, old_least, old_most):
        old_least[vertex] = atomic_min(least, vertex, value[vertex])
        old_most[vertex] = atomic_max(most, vertex, value[vertex])


@pytest.mark.parametrize("dtype", DTYPES)
def test_extremes_of_all_signs(device, dtype, threads, monkeypatch):
    monkeypatch.setattr(cpu, "FIRST_SOLO", 0)  # so that a team shares even this
    if np.dtype(dtype).kind == "f":
        tiny = np.finfo(dtype).smallest_subnormal
        samples = [
            -np.inf,
            np.finfo(dtype).min,
            -2.5,
            -1.0,
            -tiny,
            -0.0,
            0.0,
            tiny,
            1.0,
            2.5,
            np.finfo(dtype).max,
            np.inf,
        ]
    else:
        samples = [np.iinfo(dtype).min, -7, -1, 0, 1, 7, np.iinfo(dtype).max]
    first, second = (a.ravel() for a in np.meshgrid(np.array(samples, dtype), np.array(samples, dtype)))
    graph = mg.Graph.from_edges([0], [1], np.zeros(1, dtype), num_vertices=len(first), device=device)
    problem = Extremes(graph)
    problem.value, problem.least, problem.most = second, first, first
    mg.operators.compute(problem, mg.Frontier.all_vertices(), Extremum)
    np.testing.assert_array_equal(CPU.asarray(problem.least), np.minimum(first, second))  # -0.0 equals 0.0 here
    np.testing.assert_array_equal(CPU.asarray(problem.most), np.maximum(first, second))
    np.testing.assert_array_equal(CPU.asarray(problem.old_least), first)
    np.testing.assert_array_equal(CPU.asarray(problem.old_most), first)


class OrOfFloats(mg.Functor):
    def apply(vertex, value):
        atomic_or(value, vertex, 1)


class OfANumber(mg.Functor):
    def apply(vertex, value):
        atomic_add(vertex, 0, 1)


class AtHalf(mg.Functor):
    def apply(vertex, value):
        atomic_add(value, 0.5, 1)


def test_wrong_element_types(device):
    problem = Extremes(inward_star(3, "float32", device))
    with pytest.raises(FunctorError, match="atomic_or needs a field of int32, int64"):
        mg.operators.compute(problem, mg.Frontier.all_vertices(), OrOfFloats)
    with pytest.raises(FunctorError, match="indexes a field by a float: convert the index with int"):
        mg.operators.compute(problem, mg.Frontier.all_vertices(), AtHalf)
    with pytest.raises(FunctorError, match="atomic_add needs a field"):
        mg.operators.compute(problem, mg.Frontier.all_vertices(), OfANumber)


@pytest.mark.parametrize("dtype", DTYPES)
def test_one_thread_has_no_locked_instructions(dtype):
    @kernel
    def helper(array, value):
        atomic_min(array, 0, value)
        atomic_max(array, 0, value)

    @kernel
    def all_of_them(fields, value):
        (array,) = fields
        atomic_exch(array, 0, value)
        atomic_cas(array, 0, value, value)
        helper(array, value)
        atomic_add(array, 0, value)

    plain = Alone(all_of_them)

    def by_several(fields, value):
        all_of_them(fields, value)

    def by_one(fields, value):
        plain(fields, value)

    number = number_of(dtype)
    for function, locked in ((by_several, True), (by_one, False)):
        fields = (np.zeros(1, dtype),)
        own_entry(function)(fields, np.dtype(dtype).type(1))
        assert fields[0][0] == 2
        module = Module()
        module.add_entry(function, (tuple_of((array(number, 1),)), number))
        assert [instruction in module.text() for instruction in ("cmpxchg", "atomicrmw")] == [locked, locked]


def one_of_each(i, which, array, wide, real, before):
    """The atomic that `which` says, on element i, with a whole number or a real one."""
    if which[i] == 0:
        before[i] = atomic_min(array, i, real[i])
    elif which[i] == 1:
        before[i] = atomic_max(array, i, real[i])
    elif which[i] == 2:
        before[i] = atomic_add(array, i, wide[i])
    elif which[i] == 3:
        before[i] = atomic_exch(array, i, real[i])
    elif which[i] == 4:
        before[i] = atomic_exch(array, i, wide[i])
    elif which[i] == 5:
        before[i] = atomic_cas(array, i, real[i], wide[i])
    else:
        before[i] = atomic_cas(array, i, array[i], real[i])


@compilers
@pytest.mark.parametrize("dtype", DTYPES)
def test_plain_python_does_the_same(dtype, device, by):
    numbers = [-3, -2.5, -0.0, 0, 1, 2.75, 7, 2**24 + 1, -(2**31), 2**31 - 1]
    old, real, which = (a.ravel() for a in np.meshgrid(numbers, [*numbers[:-1], 0.5], np.arange(7)))
    wide = (real * 3).astype(np.int64) + np.where(which == 4, 2**40, 0)  # beyond 32 bits: they wrap around
    array = old.astype(dtype)
    fields = {"which": which, "array": array, "wide": wide, "real": real, "before": np.zeros_like(array)}
    on_device = {name: mg.device.resolve(device).asarray(value.copy()) for name, value in fields.items()}
    mg.primitives.transform(by(one_of_each), **on_device)
    for i in range(len(array)):
        one_of_each(i, **fields)
    for name in ("array", "before"):
        np.testing.assert_array_equal(fields[name], CPU.asarray(on_device[name]))


def test_functor_by_hand(device):
    xp = mg.device.resolve(device).xp
    label = xp.array([0, 9, 9], np.int32)

    class Label(mg.Functor):
        def cond_advance(src, dst, label):
            return mg.atomic_min(label, dst, label[src] + 1) > label[src] + 1

    assert Label.cond_advance(src=0, dst=1, label=label)
    assert not Label.cond_advance(0, 1, label)
    assert label.tolist() == [0, 1, 9]
    found = mg.atomic_or(label, 2, 6)
    assert (found, type(found), int(label[2])) == (9, np.int32, 15)
    mask = xp.zeros(2, np.int64)
    mg.atomic_add(array=mask, index=np.True_, value=np.float32(2.9))
    assert mask.tolist() == [0, 2]
    floats = xp.array([0.0, np.nan])
    mg.atomic_cas(floats, 0, -0.0, 1)  # by the bits, as in compiled code
    mg.atomic_min(floats, 1, 1)
    assert float(floats[0]) == 0
    assert np.isnan(float(floats[1]))


def test_wrong_arguments_in_plain_python():
    field = np.zeros(3, np.int32)
    for index in (3, -1):
        with pytest.raises(FieldIndexError, match=rf"atomic_add: the index {index} .* has 3 elements \(0 to 2\)"):
            atomic_add(field, index, 1)
    for wrong in ([0, 0], 5):
        with pytest.raises(FunctorError, match="atomic_add needs a field, an array, got"):
            atomic_add(wrong, 0, 1)
    for dtype in (np.uint8, np.int8, bool):
        with pytest.raises(FunctorError, match=r"atomic_add needs a field of int32, .*, got one of .*int32, say"):
            atomic_add(np.zeros(2, dtype), 0, 1)
    with pytest.raises(FunctorError, match="atomic_or needs a field of int32, int64, got one of float64: declare it"):
        atomic_or(np.zeros(2), 0, 1)
    rows = np.zeros((2, 3), np.int32)
    with pytest.raises(FunctorError, match="atomic_add needs two whole numbers as the index, got 0"):
        atomic_add(rows, 0, 1)
    with pytest.raises(FunctorError, match=r"atomic_add needs a whole number as the index, got \(0, 1\)"):
        atomic_add(field, (0, 1), 1)
    with pytest.raises(FieldIndexError, match="the row 2 is out of range for an array, which has 2 rows"):
        atomic_add(rows, (2, 0), 1)
    with pytest.raises(FieldIndexError, match="the column -1 is out of range for an array, which has 3 columns"):
        atomic_add(rows, (1, -1), 1)
    with pytest.raises(FunctorError, match="with one or two dimensions, got 3"):
        atomic_add(rows.reshape(2, 3, 1), 0, 1)
    assert not rows.any()
    with pytest.raises(FunctorError, match=r"a whole number as the index, got 0\.5"):
        atomic_exch(field, 0.5, 1)
    with pytest.raises(FunctorError, match="a number as the value, got 'x'"):
        atomic_exch(field, 0, "x")
    with pytest.raises(TypeError, match="'value'"):
        atomic_cas(field, 0, 1)
    assert field.tolist() == [0, 0, 0]


def test_pickled_atomic_is_itself():
    assert pickle.loads(pickle.dumps(atomic_min)) is atomic_min
    assert copy.deepcopy(atomic_min) is atomic_min


def add_one(i, x):
    atomic_add(x, i, 1)


def test_read_only_array():
    x = np.zeros(3)
    x.flags.writeable = False
    with pytest.raises(FunctorError, match="atomic_add needs a field that it may write to"):
        mg.primitives.transform(add_one, x=x)
    with pytest.raises(ValueError, match="read-only"):
        add_one(0, x)
