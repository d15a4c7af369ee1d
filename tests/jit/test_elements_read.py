"""Which arrays a function reads at its index, whatever path it takes, and whether it reads elsewhere."""

import pytest

from minigr.jit.elements_read import elements_read, reads_only_at


def several(v, x, y, z):
    z[v] = x[v] + y[v]


def as_it_changes(v, x, y, z):
    x[v] += y[v]
    z[v] = 1


def on_one_path(v, x, y, a):
    total = x[v]
    if a > 0:
        total += y[v]
    return total


def on_both_paths(v, x, a):
    if a > 0:
        return x[v]
    return -x[v]


def in_a_loop(v, x, y, n):
    total = y[v]
    for _ in range(n):
        total += x[v]
    return total


def after_a_loop(v, x, n):
    total = 0
    for i in range(n):
        total += i
    return total + x[v]


def elsewhere(v, x, y):
    return x[v + 1] + y[0]


def with_another_index(v, x, y):
    first = x[v]
    v = v + 1
    return first + y[v]


def by_another_name(v, x, y, a):
    z = x if a > 0 else y
    return z[v]


def with_another_array(v, x, y):
    x = y
    return x[v]


def in_conditions(v, x, y, z, a):
    return a[v] > 0 and (x[v] > 0 or y[v] > 0) if x[v] > 1 and a[v] > 0 else z[v] > 0 and a[v] > 1


def in_a_chain(v, x, y, z):
    return x[v] < y[v] < z[v]


def after_what_may_return(v, x, y):
    if x[v] > 0:
        return 1
    return y[v]


def after_what_may_break(v, x, y):
    while x[v] > 0:
        if y[v] > 0:
            break
        y[v] += 1
    return 0


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (several, {"x", "y"}),
        (as_it_changes, {"x", "y"}),
        (on_one_path, {"x"}),
        (on_both_paths, set()),  # neither of the two reads is on every path
        (in_a_loop, {"y"}),
        (after_a_loop, {"x"}),
        (elsewhere, set()),
        (with_another_index, set()),
        (in_conditions, {"x"}),
        (in_a_chain, {"x", "y"}),
        (after_what_may_return, {"x"}),
        (after_what_may_break, {"x"}),
        (by_another_name, set()),
        (with_another_array, set()),
    ],
)
def test_what_is_read(function, expected):
    assert elements_read(function, "v") == expected


def at_either(v, w, x, y, a):
    left = (x if a & 1 else y)[v]
    if left > y[w] // a:
        return -left % a
    return left if a > 0 and y[w] > 0 else 1 / a


def in_columns(v, w, table):
    return table[v, 0] * table[w, 2]


def of_numbers(v, w, a):
    return v - w + a


def at_a_difference(v, w, x):
    return x[v - w]


def at_another_parameter(v, w, x, a):
    return x[v] + x[a]


def at_a_constant(v, w, x):
    return x[v] + x[0]


def in_a_column_that_varies(v, w, table):
    return table[v, w]


def at_a_changed_index(v, w, x):
    w = v + w
    return x[w]


def at_an_index_that_moves(v, w, x):
    w += 1
    return x[v]


def by_another_function(v, w, x):
    return several(v, x, x, x)


def until_it_finds(v, w, x):
    while x[v] < 0:
        w += 1
    return w


def shifted(v, w, a):
    return 1 << a


@pytest.mark.parametrize("function", [at_either, in_columns, of_numbers])
def test_what_may_be_called_for_any_elements(function):
    assert reads_only_at(function, ("v", "w"))


@pytest.mark.parametrize(
    "function",
    [
        at_a_difference,
        at_another_parameter,
        at_a_constant,
        in_a_column_that_varies,
        at_a_changed_index,
        at_an_index_that_moves,
        by_another_function,
        until_it_finds,
        shifted,
        several,
    ],
)
def test_what_may_not(function):
    assert not reads_only_at(function, ("v", "w"))


def test_each_index_must_be_named():
    assert not reads_only_at(at_either, ("v",))


def test_what_has_no_source():
    assert not reads_only_at(eval("lambda v, x: x[v]"), ("v",))
