"""What stands in the signature and the docstring of a function, for tests that compare the two."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints


def sections(function: Any) -> dict[str, str]:
    """The text of a docstring in NumPy's style, below each of its headings."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", inspect.getdoc(function) or "", flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def items(section: str) -> dict[str, tuple[str, str]]:
    """What a section describes, by name: the words after the colon, and the lines below."""
    found: dict[str, tuple[str, str]] = {}
    for head, body in re.findall(r"^(\S.*)\n((?:[ \n].*\n?)*)", section + "\n", re.MULTILINE):
        names, _, kind = head.partition(" : ")
        found |= {name.strip("* "): (kind, " ".join(body.split())) for name in names.split(",")}
    return found


def described(function: Any) -> dict[str, tuple[str, str]]:
    return items(sections(function).get("Parameters", ""))


def parameters(function: Any) -> dict[str, inspect.Parameter]:
    """Those that a caller gives."""
    return {n: p for n, p in inspect.signature(function).parameters.items() if n not in ("self", "cls")}


def options(function: Any) -> dict[str, inspect.Parameter]:
    return {n: p for n, p in parameters(function).items() if p.kind is p.KEYWORD_ONLY}


def choices(function: Any) -> dict[str, tuple[Any, ...]]:
    """The values that each parameter may have, where its annotation says so."""
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
    """The values that a docstring lists."""
    found = re.match(r"\{(.*?)\}", kind)
    return list(ast.literal_eval(f"[{found[1]}]")) if found else []
