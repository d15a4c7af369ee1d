"""Timing: who is called when, and what is kept."""

import time

import pytest

from minigr.bench import machine
from minigr.bench.measure import take_turns
from minigr.device import CPU, resolve


def test_calls_take_turns_and_the_first_round_is_no_sample():
    order = []
    timings = take_turns({"a": lambda: order.append("a"), "b": lambda: order.append("b")}, CPU, 3)
    assert order == ["a", "b"] * 4
    assert [len(timing.samples) for timing in timings.values()] == [3, 3]


def test_samples_are_milliseconds_and_the_result_is_the_last():
    count = iter(range(10))

    def call():
        time.sleep(0.02)
        return next(count)

    timing = take_turns({"nap": call}, CPU, 2)["nap"]
    assert timing.result == 2
    assert all(20 <= sample < 2000 for sample in (timing.first, timing.median, *timing.samples))


def test_a_call_past_its_limit_has_one_sample_at_least_and_the_others_go_on():
    timings = take_turns({"slow": lambda: time.sleep(0.01), "quick": lambda: None}, CPU, 4, limit=0.005)
    assert len(timings["slow"].samples) == 1
    assert len(timings["quick"].samples) == 4


def test_rest_comes_before_each_call_and_is_not_timed():
    started = time.perf_counter()
    timing = take_turns({"quick": lambda: None}, CPU, 2, rest=0.03)["quick"]
    assert time.perf_counter() - started >= 0.09
    assert timing.median < 30


def test_what_comes_before_and_after_a_call_is_not_timed():
    order = []

    def around(what):
        time.sleep(0.03)
        order.append(what)

    calls = {"a": lambda: order.append("a") or "result", "b": lambda: order.append("b")}
    timings = take_turns(calls, CPU, 2, before={"a": lambda: around("before")}, after={"a": around})
    assert order == ["before", "a", "result", "b"] * 3
    assert timings["a"].median < 30
    assert timings["a"].result is None  # it was handed on


def test_progress_names_the_call_and_the_turn():
    told = []
    take_turns({"a": lambda: None}, CPU, 2, tell=told.append)
    assert told == ["a, first call", "a, 1 of 2", "a, 2 of 2"]


@pytest.mark.gpu
def test_events_time_each_sample():
    timing = take_turns({"nothing": lambda: None}, resolve("cuda"), 3, events=True)["nothing"]
    assert len(timing.on_device) == len(timing.samples) == 3
    assert all(0 <= on_device <= host for on_device, host in zip(timing.on_device, timing.samples, strict=True))


def test_the_machine_is_described(device):
    facts = machine.facts(resolve(device))
    assert facts["packages"]["numpy"]
    assert ("gpu" in facts) == (device != "cpu")
    assert machine.installed("no-such-package") is None
