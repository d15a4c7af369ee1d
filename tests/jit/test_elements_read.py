"""Which arrays a function reads at its index, whatever path it takes."""

import pytest

from minigr.jit.elements_read import elements_read


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
