"""Read the signature and the docstring of a function, for tests that compare both."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints


def sections(function: Any) -> dict[str, str]:
    """The text below each heading of a docstring in NumPy's style."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", inspect.getdoc(function) or "", flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def items(section: str) -> dict[str, tuple[str, str]]:
    """The items that a section describes, by name: the words after the colon, and the lines below."""
    found: dict[str, tuple[str, str]] = {}
    for head, body in re.findall(r"^(\S.*)\n((?:[ \n].*\n?)*)", section + "\n", re.MULTILINE):
        names, _, kind = head.partition(" : ")
        found |= {name.strip("* "): (kind, " ".join(body.split())) for name in names.split(",")}
    return found


def described(function: Any) -> dict[str, tuple[str, str]]:
    return items(sections(function).get("Parameters", ""))


def parameters(function: Any) -> dict[str, inspect.Parameter]:
    """The parameters that a caller passes."""
    return {n: p for n, p in inspect.signature(function).parameters.items() if n not in ("self", "cls")}


def options(function: Any) -> dict[str, inspect.Parameter]:
    return {n: p for n, p in parameters(function).items() if p.kind is p.KEYWORD_ONLY}


def choices(function: Any) -> dict[str, tuple[Any, ...]]:
    """The values that each parameter may have, for parameters whose annotation lists them."""
    function = inspect.unwrap(function.__init__ if inspect.isclass(function) else function)
    found = {name: tuple(_literals(hint)) for name, hint in get_type_hints(function).items() if name != "return"}
    return {name: values for name, values in found.items() if values}


def _literals(hint: Any) -> Iterator[Any]:
    if get_origin(hint) is Literal:
        yield from get_args(hint)
    elif isinstance(hint, UnionType):
        for part in get_args(hint):
            yield from _literals(part)


def braces(kind: str) -> list[Any]:
    """The values that a docstring lists in braces."""
    found = re.match(r"\{(.*?)\}", kind)
    return list(ast.literal_eval(f"[{found[1]}]")) if found else []
