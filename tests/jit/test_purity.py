"""Whether a function only reads: whatever writes must be found or refused, and what functors do most is reading."""

import contextlib
import math
import operator
from collections import namedtuple

import numpy as np
import pytest

import minigr as mg
from minigr.errors import FunctorError
from minigr.jit.arguments import Argument
from minigr.jit.facts import writes
from minigr.jit.functor import Method, bind_function
from tests.jit.helpers import compilers

Pair = namedtuple("Pair", "low high")
FIELDS = ["x", "y"]


def changes(function):
    """Whether `function` may change anything, as programs ask."""
    bound = bind_function(function, "F", function.__name__, Method(("i",), "any"), FIELDS)
    arguments = [Argument("float64" if name in FIELDS else "int64", name in FIELDS) for _, name in bound.arguments]
    return writes(bound, arguments)


def element(x, i):
    x[i] = 1


def element_in_place(x, i):
    x[i] += 1


def slice_of_array(x, i):
    x[i : i + 2] = 1


def slice_with_step(x, i):
    x[::2] = 1


def whole(x, i):
    x[:] = 1


def slice_in_place(x, i):
    x[:i] += 1


def array_in_place(x, i):
    x += 1


def view_in_place(x, i):
    view = x[i:]
    view *= 2


def view_by_another_name(x, i):
    view = other = x[i:]
    if i > 3:
        view = other
    view -= 1


def element_by_another_name(x, y, i):
    z = x
    if i > 3:
        z = y
    z[i] = 1


def element_of_either(x, y, i):
    (x if i > 3 else y)[i] = 1


def element_in_a_tuple(x, y, i):
    both = (x, y)
    both[1][i] = 1


def elements_at_once(x, y, i):
    x[i], y[i] = 1, 2


def seldom(x, i):
    for k in range(i):
        if k == 77:
            x[i] = k


def by_a_helper_of_either(x, y, i):
    element(x if i > 3 else y, i)


def deletes(x, i):
    del x[i]


def attribute(x, i):
    x.flags = i


def fills(x, i):
    x.fill(0)


def sorts(x, i):
    x.sort()


def out_by_name(x, i):
    np.add(x, 1, out=x)


def out_by_place(x, i):
    np.add(x, 1, x)


def out_among_arguments(x, i):
    given = (x, 1, x)
    np.add(*given)


def copies_into(x, i):
    np.copyto(x, 1)


def by_operator(x, i):
    operator.setitem(x, i, 1)


def atomic(x, i):
    mg.atomic_add(x, i, 1)


def atomic_of_either(x, y, i):
    if mg.atomic_min(x, i, 1) > 2:
        mg.atomic_exch(y, i, 1)


def atomic_swap(x, i):
    return mg.atomic_cas(x, i, 1, 2)


def draws(x, i):
    return np.random.random()  # noqa: NPY002


def prints(x, i):
    print(i)


def in_a_function_within(x, i):
    def within():
        x[i] = 1

    within()


def by_a_helper(x, i):
    return math.sqrt(1.0) + helper_of_helper(x, i)


def helper_of_helper(x, i):
    element(x, i)
    return 1


WRITERS = [
    element, element_in_place, element_by_another_name, element_of_either, element_in_a_tuple, elements_at_once, seldom,
    atomic, atomic_of_either, atomic_swap, by_a_helper, by_a_helper_of_either,
]  # fmt: skip
NO_FUNCTORS = [
    slice_of_array, slice_with_step, whole, slice_in_place, array_in_place, view_in_place, view_by_another_name,
    deletes, attribute, fills, sorts, out_by_name, out_by_place, out_among_arguments, copies_into, by_operator, draws,
    prints, in_a_function_within,
]  # fmt: skip


@compilers
@pytest.mark.parametrize("function", WRITERS)
def test_what_writes(function, by):
    assert changes(by(function))


@pytest.mark.parametrize("function", NO_FUNCTORS)
def test_what_is_refused_or_writes(function):
    with contextlib.suppress(FunctorError):
        assert changes(function)


def reads_and_compares(x, i, y):
    return x[i] < 0 and not y[i] >= x[i - 1]


def converts(x, i, y):
    return np.float64(x[i]) / np.int32(2) + float(y[i]) + int(i)


def calls_functions_of_numbers(x, i):
    return math.sqrt(abs(x[i])) + np.log(x[i]) + min(x[i], 2) + max(1, 2, i) + round(x[i])


def loops(x, i):
    total, highest = 0.0, 0
    total = 0.0
    highest = 0
    for k in range(i, i + 9, 2):
        total += x[k] * 2
        highest |= k
    while highest > 3:
        highest >>= 1
    return total + highest


def branches(x, i):
    return x[i] if i > 2 else -x[i]


def tuples(x, i):
    low, high = x[i], x[i + 1]
    return Pair(low, high).high + (low, high)[0]


def calls_a_helper(x, i):
    return branches(x, i) + loops(x, i)


READERS = [reads_and_compares, converts, calls_functions_of_numbers, branches, tuples, calls_a_helper, loops]


@compilers
@pytest.mark.parametrize("function", READERS)
def test_what_reads(function, by):
    assert not changes(by(function))
