"""The elements that a function reads from arrays, according to its syntax tree.

With this information, elements can be prefetched before a call, or a function can be called without need for its
result.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Container, Iterable
from types import FunctionType

from minigr.jit.native import source
from minigr.jit.native.types import Unknown


def elements_read(function: FunctionType, index: str) -> set[str]:
    """Names of the parameters of which `function` reads the element at its parameter `index` on every path.

    Not found are reads in called functions, reads under another name of the parameter or the index, and reads after a
    statement that may return.

    Examples
    --------
    >>> def half(vertex, x, y):
    ...     return x[vertex] if x[vertex] > 0 else y[vertex]
    >>> elements_read(half, "vertex")
    {'x'}
    """
    try:
        node = source.definition(function.__code__)
    except Unknown:
        return set()  # not prefetched; the element is loaded when it is read
    assigned = {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    parameters = {each.arg for each in (*node.args.posonlyargs, *node.args.args)} - assigned
    return _of_all(node.body, index) & parameters if index in parameters else set()


_PLAIN = (
    ast.Return, ast.Assign, ast.If, ast.IfExp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.Name, ast.Constant,
    ast.Subscript, ast.Tuple, ast.expr_context, ast.unaryop, ast.cmpop, ast.boolop, ast.Add, ast.Sub, ast.Mult, ast.Div,
    ast.FloorDiv, ast.Mod, ast.BitAnd, ast.BitOr, ast.BitXor,
)  # fmt: skip


def reads_only_at(function: FunctionType, indices: Collection[str]) -> bool:
    """Whether `function` reads elements only at its parameters `indices`, and returns normally for all numbers.

    Such a function may be called for any elements at these indices. The result is False for a function that writes,
    calls another function, shifts or loops.

    Examples
    --------
    >>> def share(src, dst, x):
    ...     return x[src] if x[src] > x[dst] else 0.5 * x[dst]
    >>> reads_only_at(share, ["src", "dst"]), reads_only_at(share, ["src"])
    (True, False)
    """
    try:
        node = source.definition(function.__code__)
    except Unknown:
        return False
    nodes = [each for statement in node.body for each in ast.walk(statement)]
    assigned = {each.id for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    unchanged = set(indices) - assigned
    return all(
        isinstance(each, _PLAIN) and (not isinstance(each, ast.Subscript) or _reads_at(each, unchanged))
        for each in nodes
    )


def _reads_at(element: ast.Subscript, indices: Container[str]) -> bool:
    """Whether an element is read at one of `indices`, and in a constant column if there are columns."""
    place = element.slice
    row, *columns = place.elts if isinstance(place, ast.Tuple) else [place]
    is_known = isinstance(row, ast.Name) and row.id in indices
    return is_known and isinstance(element.ctx, ast.Load) and all(isinstance(each, ast.Constant) for each in columns)


def _of_all(nodes: Iterable[ast.AST], index: str) -> set[str]:
    """The parameters that are read by nodes which run one after the other."""
    found: set[str] = set()
    for node in nodes:
        found |= _of(node, index)
        if any(isinstance(each, (ast.Return, ast.Break, ast.Continue)) for each in ast.walk(node)):
            break  # the following nodes may not be reached
    return found


def _of(node: ast.AST, index: str) -> set[str]:
    """The parameters that a node reads on every path through it."""
    if isinstance(node, ast.If):
        return _of(node.test, index) | (_of_all(node.body, index) & _of_all(node.orelse, index))
    if isinstance(node, ast.IfExp):
        return _of(node.test, index) | (_of(node.body, index) & _of(node.orelse, index))
    if isinstance(node, ast.BoolOp):
        return _of(node.values[0], index)
    if isinstance(node, ast.Compare):
        return _of(node.left, index) | _of(node.comparators[0], index)
    if isinstance(node, ast.While):
        return _of(node.test, index)
    if isinstance(node, ast.For):
        return _of(node.iter, index)
    if isinstance(node, (ast.Lambda, ast.FunctionDef)):
        return set()
    found = set().union(*(_of(each, index) for each in ast.iter_child_nodes(node)))
    read = node.target if isinstance(node, ast.AugAssign) else node
    if isinstance(read, ast.Subscript) and (isinstance(read.ctx, ast.Load) or read is not node):
        array, place = read.value, read.slice
        if isinstance(array, ast.Name) and isinstance(place, ast.Name) and place.id == index:
            found.add(array.id)
    return found
