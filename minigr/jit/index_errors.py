"""Messages for a functor that indexes a field with a wrong number of indexes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

from minigr.jit import capture
from minigr.jit.scalars import is_atomic

# In a message of Numba: the unknown call, a field with its columns or an array, and the types of the other arguments.
_FIELD = r"(?:(?:field|checked)\(\w+\[:(?:, (?P<columns>\d+))?\].*?\)|(?:readonly )?array\(.*?\))"
_CALL = re.compile(rf">>> (?P<called>getitem|setitem|atomic_\w+)\({_FIELD}, (?P<rest>.+)\)")
_PLACE = re.compile(r'File "([^"]+)", line (\d+)')
_WHOLE = re.compile(r"u?int\d+|Literal\[int\]\(-?\d+\)")


class _Access(NamedTuple):
    """An indexing operation of a function: the line, the variable, and the number of indexes."""

    line: int
    name: str
    indexes: int


def wrong_index(function: FunctionType, message: str) -> str | None:
    """The line of an access with the wrong number of indexes, the error and the remedy.

    None if Numba refused the function for another reason; `message` is Numba's message.
    """
    call = _CALL.search(message)
    if call is None:
        return None
    columns, given = int(call["columns"] or 0), _indexes(call["rest"])
    by_float = len(given) == 1 and not columns and given[0].startswith("float")
    right = all(map(_WHOLE.fullmatch, given)) if len(given) == 2 and columns else len(given) == 1 and not columns
    if right and not by_float:
        return None
    functions = capture.called(function)
    for path, line in _PLACE.findall(message):
        here = [each for each in functions if Path(each.__code__.co_filename).name == Path(path).name]
        for access in (access for each in here for access in _accesses(each)):
            if access.line == int(line) and access.indexes == len(given):
                if by_float:  # the line may have several fields, so this one is not named
                    return f"line {line} of {path} indexes a field by a float: convert the index with int()"
                return f"line {line} of {path} {_words(call['called'], access.name, columns, len(given))}"
    return None


def _words(called: str, name: str, columns: int, given: int) -> str:
    """The error in an access to a field, and the remedy."""
    right = 2 if columns else 1
    by = "something else than whole numbers" if given == right else {1: "one number"}.get(given, f"{given} numbers")
    index, shape = ("i, k", f"(n, {columns})") if columns else ("i", "(n,)")
    access = f"{name}[{index}]"
    if called.startswith("atomic_"):
        access = f"{called}({name}, {f'({index})' if columns else index}, ...)"
    other = "" if columns else ", or declare the field with columns="
    return f"indexes {name!r} by {by}, but {name!r} has the shape {shape}: write {access}{other}"


def _indexes(types: str) -> list[str]:
    """The types of the indexes, from the types of the arguments after the field."""
    uniform = re.match(r"UniTuple\((.+?) x (\d+)\)", types)
    if uniform:
        return [uniform[1]] * int(uniform[2])
    several = re.match(r"Tuple\(((?:[^()]|\([^()]*\))*)\)", types)
    return several[1].split(", ") if several else [types]


def _accesses(function: FunctionType) -> Iterator[_Access]:
    """The indexing operations of a function, and its calls of atomics."""
    from minigr.jit.private import ir, run_frontend

    statements = [s for block in run_frontend(function).blocks.values() for s in block.body]
    values = {s.target.name: s.value for s in statements if isinstance(s, ir.Assign)}
    for statement in statements:
        value = getattr(statement, "value", None)
        if isinstance(statement, (ir.SetItem, ir.StaticSetItem)):
            variable, index = statement.target, getattr(statement, "index_var", None) or statement.index
        elif isinstance(value, ir.Expr) and value.op in ("getitem", "static_getitem"):
            variable, index = value.value, value.index if value.op == "getitem" else value.index_var
        elif isinstance(value, ir.Expr) and value.op == "call" and is_atomic(values.get(value.func.name)):
            variable, index = value.args[:2]
        else:
            continue
        count = _count(values.get(getattr(index, "name", "")))
        yield _Access(statement.loc.line, str(variable.unversioned_name), count)


def _count(value: Any) -> int:
    """The number of indexes in the value of a variable."""
    items = value.items if getattr(value, "op", "") == "build_tuple" else getattr(value, "value", None)
    return len(items) if isinstance(items, (list, tuple)) else 1
