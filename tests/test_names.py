"""The package's names: what is imported when it is first used, and what type checkers are told."""

import ast
from pathlib import Path

import minigr


def test_type_checkers_are_told_of_every_name():
    """`__init__.pyi` imports each name from where `__init__.py` gets it."""
    tree = ast.parse(Path(minigr.__file__).with_suffix(".pyi").read_text())
    told = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            for name in node.names:
                assert name.asname is not None, "a name is only handed on by 'as'"
                told[name.asname] = (node.module, name.name)
    homes = {name: (home, name) for name, home in minigr._HOMES.items()}
    modules = {name: tuple(home.rsplit(".", 1)) for name, home in minigr._MODULES.items()}
    assert told == homes | modules


def test_every_name_is_there():
    assert set(minigr.__all__) <= set(dir(minigr))
    assert all(getattr(minigr, name) is not None for name in minigr.__all__)
