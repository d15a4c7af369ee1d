"""The list of what CI compiles; compiling it is CI's."""

import pkgutil
from importlib import import_module

import minigr as mg
import minigr.apps
from minigr.apps import random_walks
from minigr.jit.build_all import programs


def subclasses(kind):
    for each in kind.__subclasses__():
        yield each
        yield from subclasses(each)


def test_every_program_is_recorded_under_a_name_of_its_own():
    names = [name for name, _ in programs()]
    assert len(names) > 500
    assert len(set(names)) == len(names)


def test_the_programs_of_every_app_are_recorded():
    found = pkgutil.walk_packages(minigr.apps.__path__, "minigr.apps.")
    modules = {module.name: import_module(module.name) for module in found}
    homes = {getattr(mg, name).__module__ for name in mg.__all__ if callable(getattr(mg, name))}
    assert len(homes & modules.keys()) > 15  # what follows looks at the modules of the public apps
    enactors = {each for each in subclasses(mg.Enactor) if each.__module__ in modules and not each.__subclasses__()}
    assert {enactor.__module__ for enactor in enactors} >= {"minigr.apps.bfs", "minigr.apps.dynamic.core_number"}
    recorded = [record for _, compile_program in programs() for record in getattr(compile_program, "args", ())]
    problems = {type(record.problem) for record in recorded if hasattr(record, "problem")}
    assert [each for each in enactors if not any(issubclass(p, each._problem_class) for p in problems)] == []
    calls = {bound.function for record in recorded if hasattr(record, "users") for bound in record.users().values()}
    assert calls >= {random_walks.walk_evenly, random_walks.walk_by_weight, random_walks.sum_row}
