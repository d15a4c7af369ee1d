"""Calls from Python: whatever the arguments of the calls before were, a call is made with its own."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minigr.jit.native.types import Unknown
from tests.jit.helpers import own_entry


@own_entry
def echo(number, other):
    return number, other


@own_entry
def first_of(numbers, pair, last):
    return numbers[0], pair[0], pair[1][0], last


@own_entry
def corner(table):
    return table[table.shape[0] - 1, 0]


@own_entry
def overwrite(numbers, value):
    numbers[0] = value


NUMBERS = [
    np.dtype(name)
    for name in ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64")
]
numbers = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(),
    st.sampled_from(NUMBERS).flatmap(
        lambda dtype: (
            st.binary(min_size=8, max_size=8).map(lambda raw: np.frombuffer(raw, dtype, 1)[0])
            if dtype != np.bool_
            else st.booleans().map(np.bool_)
        )
    ),
)


def same(found, given):
    """Equal, and both are NaN if one is."""
    return found == given or (found != found and given != given)


@settings(deadline=None)  # the first call with other types compiles
@given(st.lists(st.tuples(numbers, numbers, st.integers(1, 3)), min_size=1, max_size=12))
def test_numbers_come_back_as_they_were_given(calls):
    for number, other, times in calls:
        for _ in range(times):
            found = echo(number, other)
            assert same(found[0], number)
            assert same(found[1], other)


def test_whole_numbers_are_of_one_type_up_to_63_bits_and_of_another_above():
    for first, second in ((2**63, -1), (-1, 2**63), (2**64 - 1, 5)):
        for number in (first, first, first, second, second, first):
            assert echo(number, 0) == (number, 0)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(*[st.sampled_from(["int32", "int64", "float32", "float64"])] * 2, st.integers(0, 100), st.booleans()),
        min_size=1,
        max_size=12,
    )
)
def test_arrays_are_read_by_their_own_types(calls):
    for first, second, value, several in calls:
        for add in range(3 if several else 1):
            numbers, inside = np.array([value, 7], first), np.array([value + add], second)
            assert first_of(numbers, (add, inside), np.float32(0.5)) == (value, add, value + add, 0.5)


def test_dimensions_and_order_are_looked_at_in_each_call():
    table = np.arange(12, dtype=np.int64).reshape(3, 4)
    assert [corner(table) for _ in range(3)] == [8] * 3
    assert corner(np.arange(6).reshape(6, 1)) == 5
    with pytest.raises(TypeError, match="takes arrays in C order, not one with strides"):
        corner(table.T)
    with pytest.raises(Unknown, match="3 arguments for 1 parameters"):
        corner(table, 1, 2)
    assert corner(table) == 8


def test_an_array_that_may_not_be_written_to_any_more_is_refused():
    numbers = np.zeros(2, np.int64)
    for value in range(3):
        overwrite(numbers, value)
    assert numbers[0] == 2
    numbers.flags.writeable = False
    with pytest.raises(Unknown):
        overwrite(numbers, 5)
    assert numbers[0] == 2


def test_subclasses_and_foreign_byte_orders_are_not_taken_for_what_they_look_like(tmp_path):
    plain = np.array([3, 4], np.int64)
    for _ in range(3):
        assert first_of(plain, (1, plain), 2) == (3, 1, 3, 2)
    mapped = np.memmap(tmp_path / "numbers", np.int64, "w+", shape=2)
    mapped[:] = 9
    assert first_of(mapped, (1, plain), 2) == (9, 1, 3, 2)
    with pytest.raises(Unknown, match="elements of dtype >i8"):
        first_of(plain.astype(plain.dtype.newbyteorder()), (1, plain), 2)


def test_tuples_of_another_length_are_another_type():
    for _ in range(3):
        assert first_of(np.array([1]), (2, np.array([3])), 4) == (1, 2, 3, 4)
    assert first_of(np.array([1]), (2, np.array([3]), 8), 4) == (1, 2, 3, 4)
    with pytest.raises(Unknown):
        first_of(np.array([1]), (2,), 4)


def test_threads_make_calls_of_different_types_at_the_same_time():
    wrong = []

    def call(number):
        for step in range(2000):
            given = (type(number)(step % 100), step)
            if echo(*given) != given:
                wrong.append(given)

    threads = [threading.Thread(target=call, args=(n,)) for n in (1, 1.0, np.int8(1), np.float32(1))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
