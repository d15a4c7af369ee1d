"""What is read off a function's claims: how the owner of a vertex decides on them, and what comes behind them."""

import pytest

from minigr import atomic_cas, atomic_exch, atomic_max, atomic_min
from minigr.jit.accesses import accesses
from minigr.jit.functor import METHODS, bind_function

UNSEEN = -1


def first_one(dst, iteration, x):
    return atomic_cas(x, dst, -1, iteration) == -1


def first_one_turned_round(dst, iteration, x):
    return iteration > 0 and -1 == atomic_cas(x, dst, -1, iteration)  # noqa: SIM300  # what is tested


def improved(src, dst, weight, x):
    through = x[src] + weight
    return through < atomic_min(x, dst, through)


def improved_after_a_look(src, dst, weight, x):
    through = x[src] + weight
    return through < x[dst] and x[dst] > through and atomic_min(x, dst, through) > through


def raised(src, dst, x):
    return x[src] > atomic_max(x, dst, x[src])


@pytest.mark.parametrize(
    ("function", "decides"),
    [
        (first_one, ("atomic_cas", "-1")),
        (first_one_turned_round, ("atomic_cas", "-1")),
        (improved, ("atomic_min", "through")),
        (improved_after_a_look, ("atomic_min", "through")),
        (raised, ("atomic_max", "x[src]")),
    ],
)
def test_decided_by_the_element_alone(function, decides):
    assert {each.decides for each in there(function)} == {decides}


def unseen_by_name(dst, iteration, x):
    return atomic_cas(x, dst, UNSEEN, iteration) == UNSEEN


def compared_with_another_number(dst, iteration, x):
    return atomic_cas(x, dst, -1, iteration) == 0


def not_the_first_one(dst, iteration, x):
    return atomic_cas(x, dst, -1, iteration) != -1


def exchanged(dst, iteration, x):
    return atomic_exch(x, dst, iteration) == -1


def kept_by_a_name(dst, iteration, x):
    old = atomic_cas(x, dst, -1, iteration)
    return old == -1


def or_else(src, dst, iteration, x):
    return src == 0 or atomic_cas(x, dst, -1, iteration) == -1


def with_another_end(src, dst, iteration, x):
    if src == 0:
        return True
    return atomic_cas(x, dst, -1, iteration) == -1


def as_good(src, dst, x):
    return x[src] <= atomic_min(x, dst, x[src])


def by_another_value(src, dst, iteration, x):
    return iteration < atomic_min(x, dst, x[src])


def by_what_was_changed(src, dst, x):
    best = x[src]
    best += 1
    return best < atomic_min(x, dst, best)


@pytest.mark.parametrize(
    "function",
    [
        unseen_by_name,
        compared_with_another_number,
        not_the_first_one,
        exchanged,
        kept_by_a_name,
        or_else,
        with_another_end,
        as_good,
        by_another_value,
        by_what_was_changed,
    ],
)
def test_not_decided_by_the_element_alone(function):
    assert {each.decides for each in there(function)} == {()}


def a_margin(src, dst, x):
    return x[src] + 1 < x[dst] and x[src] < atomic_min(x, dst, x[src])


def a_limit(src, dst, x):
    return x[dst] > 5 and x[src] < atomic_min(x, dst, x[src])


def nearly(src, dst, x):
    return x[src] <= x[dst] and x[src] < atomic_min(x, dst, x[src])


@pytest.mark.parametrize("function", [a_margin, a_limit, nearly])
def test_a_look_at_something_else_is_told_apart(function):
    assert len({each.decides for each in there(function)}) == 2


def keep(y, dst, src):
    y[dst] = src


def behind_the_first(src, dst, x, y):
    if src > 2 and atomic_cas(x, dst, -1, src) == -1:
        y[dst] = src


def behind_a_name(src, dst, x, y):
    before = atomic_min(x, dst, src)
    if src < before:
        if src > 2:
            keep(y, dst, src)
        else:
            y[dst] = 0


def before_it(src, dst, x, y):
    y[dst] = src
    return src < atomic_min(x, dst, src)


def beside_it(src, dst, x, y):
    if src > 2:
        keep(y, dst, src)
    if src < atomic_min(x, dst, src):
        y[dst] = src


def behind_one_of_two(src, dst, x, y):
    if src > 2 or src < atomic_min(x, dst, src):
        y[dst] = src


def where_it_does_not_hold(src, dst, x, y):
    if src < atomic_min(x, dst, src):
        y[dst] = src
    else:
        y[dst] = 0


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (behind_the_first, {True}),
        (behind_a_name, {True}),
        (before_it, {False}),
        (beside_it, {False, True}),
        (behind_one_of_two, {False}),
        (where_it_does_not_hold, {False, True}),
    ],
)
def test_stores_behind_a_claim(function, expected):
    assert {each.is_behind_claim for each in stores(function, "y")} == expected


def always(src, dst, x, y):
    if src > x[src]:
        x[src] = 0
    keep(y, dst, src)


def asks_for_it(src, dst, y):
    for _ in range(atomic_exch(y, dst, src)):
        if atomic_exch(y, dst, src) > 1:
            return


def sometimes(src, dst, y):
    if src > 2:
        keep(y, dst, src)


def either(src, dst, y):
    if src > 2 or atomic_exch(y, dst, src) > 1:
        return


def each_time(src, dst, y):
    for _ in range(src):
        y[dst] = src


def after_a_return(src, dst, y):
    if src > 2:
        return
    if src > 1:
        src += 1
    y[dst] = src


def in_a_chain(src, dst, y):
    if 2 < src < atomic_exch(y, dst, src):
        return


def one_of_two(src, dst, x, y):
    chosen = x if src > 2 else y
    chosen[dst] = src


@pytest.mark.parametrize("function", [always, asks_for_it])
def test_stores_that_come_always(function):
    assert any(each.is_certain for each in stores(function, "y"))


@pytest.mark.parametrize("function", [sometimes, either, each_time, after_a_return, in_a_chain, one_of_two])
def test_stores_that_may_not_come(function):
    assert not any(each.is_certain for each in stores(function, "y"))


def stores(function, field):
    bound = bind_function(function, "F", "apply_advance", METHODS["apply_advance"], ["x", "y"])
    found = [each for each in accesses(bound, ["x", "y"]) if each.field == field and each.writes]
    assert found
    return found


def there(function):
    bound = bind_function(function, "F", "cond_advance", METHODS["cond_advance"], ["x"])
    found = [each for each in accesses(bound, ["x"]) if each.place == "dst"]
    assert found
    return found
