"""The syntax tree of a function: found in its file, and checked to be what the function was compiled from."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import CellType, CodeType, FunctionType
from typing import Any

from minigr.jit.native.types import Unknown

_made: dict[CodeType, ast.FunctionDef] = {}  # definitions that are in no file


@lru_cache(maxsize=256)
def definition(code: CodeType) -> ast.FunctionDef:
    """The definition of a function, by its code.

    Raises
    ------
    Unknown
        If the source is missing, or differs from the source that the code was compiled from, because the file was
        edited.
    """
    if code in _made:
        return _made[code]
    lines = tuple(linecache.getlines(code.co_filename))
    nodes, codes = _definitions(code.co_filename, lines)
    key = code.co_firstlineno, code.co_name
    if len(nodes.get(key, ())) == len(codes.get(key, ())) == 1 and _same(codes[key][0], code):
        node = nodes[key][0]
        if isinstance(node, ast.Lambda):
            body: list[ast.stmt] = [ast.copy_location(ast.Return(node.body), node.body)]
            made = ast.parse("def function(): ...").body[0]  # with all fields that this version of Python needs
            assert isinstance(made, ast.FunctionDef)
            made.name, made.args, made.body = "<lambda>", node.args, body
            return ast.copy_location(made, node)
        return node
    linecache.checkcache(code.co_filename)
    raise Unknown(f"{code.co_name}, whose source is not that of {code.co_filename}, line {code.co_firstlineno}")


_Places = dict[tuple[int, str], list[Any]]


@lru_cache(maxsize=64)
def _definitions(filename: str, lines: tuple[str, ...]) -> tuple[_Places, _Places]:
    """All functions of a file by name and first line, including decorators: their trees, and their codes."""
    nodes: _Places = {}
    codes: _Places = {}
    try:
        tree = ast.parse("".join(lines))
        whole = compile(tree, filename, "exec", dont_inherit=True)
    except SyntaxError:
        return nodes, codes
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
            nodes.setdefault((first, getattr(node, "name", "<lambda>")), []).append(node)
    for code in _codes(whole):
        codes.setdefault((code.co_firstlineno, code.co_name), []).append(code)
    return nodes, codes


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


_COMPARED = (
    "co_code",
    "co_names",
    "co_varnames",
    "co_freevars",
    "co_argcount",
    "co_posonlyargcount",
    "co_kwonlyargcount",
)


def _same(a: CodeType, b: CodeType) -> bool:
    """Whether both codes do the same."""
    if any(getattr(a, name) != getattr(b, name) for name in _COMPARED):
        return False
    constants = zip(a.co_consts, b.co_consts, strict=False)
    same = all(repr(x) == repr(y) for x, y in constants if not isinstance(x, CodeType))
    return same and len(a.co_consts) == len(b.co_consts)


@lru_cache(maxsize=256)
def assigned_once(code: CodeType) -> frozenset[str]:
    """Names of a function's variables that are assigned in one place, through which all later code has passed."""
    node = definition(code)
    stores: dict[str, int] = {}
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            stores[each.id] = stores.get(each.id, 0) + 1
        elif isinstance(each, ast.arg):
            stores[each.arg] = stores.get(each.arg, 0) + 1
        elif isinstance(each, ast.AugAssign) and isinstance(each.target, ast.Name):
            stores[each.target.id] = 2
    at_top = {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}
    for statement in node.body:
        if isinstance(statement, ast.Assign):
            names = (each for target in statement.targets for each in ast.walk(target) if isinstance(each, ast.Name))
            at_top.update(name.id for name in names)
    return frozenset(name for name in at_top if stores.get(name) == 1)


def free_names(function: FunctionType) -> dict[str, Any]:
    """The values of the names that a function takes from enclosing functions."""
    cells = function.__closure__ or ()
    found = {}
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            raise Unknown(f"{name}, which has no value yet") from None
    return found


_FOLDED = (ast.BinOp, ast.UnaryOp, ast.Subscript)
_LITERAL = (*_FOLDED, ast.Constant, ast.Tuple, ast.operator, ast.unaryop, ast.expr_context)
_SHORTEST = len(compile("1.5", "", "eval").co_code)


def folded(node: ast.expr) -> Any:
    """The constant that Python's compiler makes of an expression of numbers; None if it makes none."""
    if isinstance(node, _FOLDED) and all(isinstance(each, _LITERAL) for each in ast.walk(node)):
        code = compile(ast.Expression(node), "", "eval")
        if len(code.co_code) == _SHORTEST and isinstance(code.co_consts[0], (bool, int, float)):
            return code.co_consts[0]
    return None


def remade(function: FunctionType, node: ast.FunctionDef, outer: Mapping[str, Any]) -> FunctionType:
    """A copy of `function` with another definition, which may also read the names in `outer`.

    Decorators, default values and types in the definition are ignored.
    """
    node.decorator_list, node.returns = [], None
    node.args.defaults, node.args.kw_defaults = [], []
    for each in (*node.args.posonlyargs, *node.args.args):
        each.annotation = None
    own = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells = own | {name: CellType(value) for name, value in outer.items()}
    (around,) = ast.parse(f"def around({', '.join(cells)}): pass").body
    assert isinstance(around, ast.FunctionDef)
    around.body = [node]
    tree = ast.fix_missing_locations(ast.Module([around], []))
    code = compile(tree, function.__code__.co_filename, "exec", dont_inherit=True)
    for _ in range(2):  # into the enclosing function, and into the function itself
        code = next(each for each in code.co_consts if isinstance(each, CodeType))
    closure = tuple(cells[name] for name in code.co_freevars)
    made = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    made.__qualname__, made.__module__ = function.__qualname__, function.__module__
    _made[code] = node
    return made
