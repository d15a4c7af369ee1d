"""The steps of the ready algorithms look at what their enactors say, and at nothing else."""

import ast
import importlib
import inspect
import pkgutil
import textwrap

import pytest

import minigr.apps
from minigr.enactor.enactor import Enactor
from minigr.enactor.steps import Steps


def enactors():
    for module in pkgutil.walk_packages(minigr.apps.__path__, "minigr.apps."):
        for kind in vars(importlib.import_module(module.name)).values():
            if isinstance(kind, type) and issubclass(kind, Enactor) and kind.__module__ == module.name:
                yield kind


def attributes_of(kind):
    """The attributes that the step of a class looks at, and the steps that it calls, except operators and the graph."""
    found = set()
    for base in kind.__mro__:
        if "step" not in vars(base):
            continue
        source = textwrap.dedent(inspect.getsource(vars(base)["step"]))
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
                found.add(node.attr)
        if "super()" not in source:
            return found - vars(Steps).keys() - {"graph"}
    raise AssertionError(f"{kind} has no step")


@pytest.mark.parametrize("kind", [*enactors()], ids=lambda kind: f"{kind.__module__[12:]}.{kind.__name__}")
def test_steps_look_at_what_they_say(kind):
    assert kind._steady or kind._looks_at is not None
    if kind._looks_at is not None:
        assert attributes_of(kind) <= set(kind._looks_at)
