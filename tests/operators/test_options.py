"""Options of operators: they are the same in all forms, documented, and wrong values are answered with valid ones."""

from __future__ import annotations

import ast
import inspect
import itertools
import re
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minigr as mg
from minigr.errors import FunctorError, ProblemError
from minigr.operators import calls
from minigr.operators.recorders import RECORDERS
from tests.docstrings import braces, choices, described, options, parameters

OPERATORS = sorted(RECORDERS)
OF_A_LOOP = {"near_far": ("waiting", "falling")}
"""Options by operator that have no meaning in a single call."""


def of(name: str) -> tuple[Any, Any]:
    """An operator as a function, and as a method of an enactor."""
    return getattr(mg.operators, name), getattr(mg.Enactor, name)


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_has_the_same_options_wherever_it_is_called(name):
    """Options have the same order as a function, as a method of an enactor, and in the recorder."""
    function, method = (options(called) for called in of(name))
    assert method.pop("overlap").default is False
    assert function.pop("debug").default is False  # for a method, the enactor has this option
    assert list(method) == list(options(RECORDERS[name]))
    assert list(function) == [option for option in method if option not in OF_A_LOOP.get(name, ())]
    for option, parameter in method.items():
        assert options(RECORDERS[name])[option].default == parameter.default
        if option in function:
            assert (parameter.default, parameter.annotation) == (function[option].default, function[option].annotation)


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_is_described_wherever_it_is_called(name):
    """Options are described in the order of the signature, with the types and values of the annotations."""
    function, method = of(name)
    for called in (function, method):
        assert list(described(called)) == list(parameters(called))
        for option, values in choices(called).items():
            stated = braces(described(called)[option][0])
            assert [value for value in stated if value is not None] == [*values]
        assert all(body for _, body in described(called).values())
    for option in options(method):
        if option in options(function):
            assert described(function)[option][0] == described(method)[option][0]
    assert f"`minigr.operators.{name}`" in " ".join(inspect.getdoc(method).split())


@pytest.mark.parametrize("name", OPERATORS)
def test_an_editor_finds_the_options_in_the_source(name):
    """Signature and docstring are in the source at both definitions, and are not made at import."""
    for called in of(name):
        definition = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(called)))).body[0]
        assert isinstance(definition, ast.FunctionDef)
        assert [argument.arg for argument in definition.args.kwonlyargs] == list(options(called))
        assert inspect.cleandoc(ast.get_docstring(definition, clean=False)) == inspect.getdoc(called)


class Recorded(Exception):
    pass


class Nothing(mg.Problem):
    total = mg.scalar_field("int64")
    value = mg.vertex_field("int64")


class Every(mg.Functor):
    def cond_target(dst):
        return True

    def cond_advance(dst):
        return True

    def cond_filter():
        return True

    def apply():
        return 1

    def apply_count(count):
        return count

    def map(src):
        return 1

    def key(dst):
        return dst

    def apply_best(vertex):
        pass

    def priority(vertex):
        return vertex


def in_step(name, **given):
    """Call an operator as a method, in a step."""

    class Looped(mg.Enactor, problem=Nothing, functor=Every):
        def step(self, frontier):
            getattr(self, name)(frontier, **given)

    everything = mg.Frontier.of_edges([0]) if name == "intersect" else mg.Frontier.of([0])
    Looped(mg.generate.path(4, device="cpu"), max_iterations=1).run(everything)


def at_once(name, **given):
    """Call an operator as a function."""
    everything = mg.Frontier.of_edges([0]) if name == "intersect" else mg.Frontier.of([0])
    getattr(mg.operators, name)(Nothing(mg.generate.path(4, device="cpu")), everything, Every, **given)


@pytest.mark.parametrize("call", [at_once, in_step])
@pytest.mark.parametrize("name", OPERATORS)
def test_what_is_no_value_of_an_option_is_refused_by_its_name(name, call):
    """Python and NumPy would refuse it in the middle of a recording, with other words."""
    reduces = {"reduce": "add", "into": "value", "scalar": "total"}
    into, said = {"into": "total"}, {"reduce": "reduc", "scalar_reduce": "reduc", "scalar_initial": "initial"}
    needed = {"near_far": {"width": 1.0}, "neighbor_reduce": reduces, "compute": into, "intersect": into}.get(name, {})
    for option in options(of(name)[call is in_step]):
        for wrong in ("1", np.array([1, 2]), object(), b"", 1 + 2j):
            if option != "debug":
                with pytest.raises((ProblemError, FunctorError), match=said.get(option, option)):
                    call(name, **{**needed, option: wrong})


@pytest.mark.parametrize("call", [at_once, in_step])
@pytest.mark.parametrize("name", OPERATORS)
def test_every_option_of_an_operator_arrives_where_it_is_recorded(name, call, monkeypatch):
    def record(index, problem, frontier, functor, **given):
        raise Recorded(given)

    monkeypatch.setitem(RECORDERS, name, record)
    sent = {option: object() for option in options(of(name)[call is in_step]) if option not in ("overlap", "debug")}
    if (name, call) == ("near_far", at_once):  # is not a step with the queue of a loop
        monkeypatch.setattr(
            calls,
            "split",
            lambda problem, frontier, functor, debug, **given: record(0, problem, frontier, functor, **given),
        )
    with pytest.raises(Recorded) as caught:
        call(name, **sent)
    assert caught.value.args == (sent,)


@pytest.mark.parametrize("call", [at_once, in_step])
@pytest.mark.parametrize("name", OPERATORS)
def test_an_option_that_an_operator_does_not_have(name, call):
    near = {"width": 1.0} if name == "near_far" else {}
    with pytest.raises(TypeError, match=rf"^{name} has no option 'colour'; it has .*frontier, functor, ") as caught:
        call(name, colour="red", **near)
    for option in options(of(name)[call is in_step]):
        assert re.search(rf"\b{option}\b", str(caught.value))


@pytest.mark.parametrize("call", [at_once, in_step])
@pytest.mark.parametrize(
    ("name", "option"), [(name, option) for name in OPERATORS for option in choices(of(name)[0]) if name != "near_far"]
)
def test_a_value_that_an_option_of_an_operator_can_not_have(name, option, call):
    values = choices(of(name)[0])[option]
    given = {"reduce": "add", "into": "value"} if name == "neighbor_reduce" else {}
    given |= {"into": "total"} if option == "reduce" and name in ("compute", "intersect") else {}
    with pytest.raises(ProblemError, match=r"'sideways'") as caught:
        call(name, **{**given, option: "sideways"})
    for value in values:
        assert re.search(rf"\b{value}\b", str(caught.value))


def test_a_wrong_value_for_one_of_several_reductions():
    more = {"reduce": "add", "into": "value", "scalar": "total"}
    for call in (at_once, in_step):
        with pytest.raises(ProblemError, match=r"unknown reduction 'sideways': use one of add, min, max, or"):
            call("neighbor_reduce", scalar_reduce="sideways", **more)


def test_options_of_an_enactor():
    class Searched(mg.Enactor, problem=Nothing, functor=Every):
        def start(self, source, *, far=0):
            return mg.Frontier.of(source)

        def step(self, frontier):
            return self.advance(frontier)

    graph = mg.generate.path(4, device="cpu")
    with pytest.raises(ProblemError, match=r"driver='sideways': use one of 'auto', 'fused', 'graph', 'host'"):
        Searched(graph, driver="sideways")
    with pytest.raises(ProblemError, match=r"Searched has no option 'drivr'.*did you mean 'driver'\?"):
        Searched(graph, drivr="host")
    with pytest.raises(TypeError, match=r"^Searched\.run has no option 'fra'; did.* It has source, far$"):
        Searched(graph).run(0, fra=1)


def test_the_table_of_options_is_current():
    """The table of the guide has all options except `debug` and `overlap`, which the text below it names."""
    lines = (Path(__file__).parents[2] / "docs" / "operators.md").read_text().splitlines()
    rows = itertools.takewhile(lambda line: line.startswith("|"), lines[lines.index("| operator | options |") + 2 :])
    told = {}
    for name, *listed in (re.findall(r"`(\w+)`", row) for row in rows):
        assert name not in told
        told[name] = listed
    for name in OPERATORS:
        assert sorted(told.pop(name)) == sorted(set(options(getattr(mg.Enactor, name))) - {"overlap"}), name
    assert not told
