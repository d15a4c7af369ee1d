"""Tests of the docstrings of everything public: they have each parameter, its default, and an example."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from types import FunctionType, MethodType
from typing import Any

import pytest

import minigr as mg
from tests.docstrings import braces, described, parameters, sections

MODULES = (mg, mg.operators, mg.dynamic, mg.batch, mg.generate, mg.io, mg.primitives, mg.plot)
UNMADE = {"Graph", "GraphBatch", "Adjacency", "Frontier", "Stop"}
"""Classes that users don't construct. Their docstrings name the functions that make them."""


def public() -> Iterator[tuple[str, Any]]:
    """Every public function and class with its name."""
    seen: set[Any] = set()
    for module in MODULES:
        for name in module.__all__:
            value = getattr(module, name)
            if callable(value) and value not in seen:
                seen.add(value)
                yield f"{module.__name__}.{name}", value


PUBLIC = dict(public())
METHODS = {
    f"{label}.{name}": method
    for label, kind in PUBLIC.items()
    if inspect.isclass(kind)
    for name, method in inspect.getmembers(kind, lambda member: isinstance(member, (FunctionType, MethodType)))
    if not name.startswith("_") and method.__module__.startswith("minigr")
}


def test_a_docstring_is_read_as_help_shows_it():
    def function():
        """Do it.

        Parameters
        ----------
        a, b : int
        c : {"x", "y"}, optional
            Which
            one.

        Raises
        ------
        ValueError
        """

    assert described(function) == {"a": ("int", ""), "b": ("int", ""), "c": ('{"x", "y"}, optional', "Which one.")}
    assert braces(described(function)["c"][0]) == ["x", "y"]


@pytest.mark.parametrize("label", PUBLIC)
def test_what_is_public_is_described(label):
    """Every parameter is described, in its order or by name in the text; and there is an example."""
    function = PUBLIC[label]
    told, text = described(function), inspect.getdoc(function)
    made = (
        inspect.isclass(function) and label.rpartition(".")[2] not in UNMADE and "Attributes" not in sections(function)
    )
    if told or made or not inspect.isclass(function):
        named = [name for name in parameters(function) if name not in told]
        if told:
            assert set(told) == set(parameters(function))
        assert [name for name in named if not re.search(rf"`[^`]*\b{name}\b[^`]*`", text)] == []
    if not inspect.isclass(function):
        assert ">>> " in sections(function).get("Examples", "")


@pytest.mark.parametrize("label", METHODS)
def test_the_parameters_of_a_method_are_described(label):
    told, text = described(METHODS[label]), inspect.getdoc(METHODS[label])
    given = parameters(METHODS[label])
    if told:
        assert set(told) == set(given)
    any_number = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    named = [name for name in given if name not in told and given[name].kind not in any_number]
    assert [name for name in named if not re.search(rf"\b{name}\b", text)] == []


@pytest.mark.parametrize("label", [*PUBLIC, *METHODS])
def test_a_docstring_agrees_with_the_defaults(label):
    function = {**PUBLIC, **METHODS}[label]
    given = parameters(function) if described(function) else {}
    for name, (kind, _) in described(function).items():
        if not kind or given[name].kind in (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL):
            continue
        default, values = given[name].default, braces(kind)
        assert (default is None) == (kind.endswith("optional") or None in values[:1]), name
        if values and default not in (None, inspect.Parameter.empty):
            assert values[0] == default, f"the default of {name} comes first"
