"""The walk through a row of a graph: the meaning of a loop over ``graph.neighbors(v)``, in Python and compiled code."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from minigr.jit.native import source


class RowFunctions(NamedTuple):
    """Functions to walk rows: some of the functions of `minigr.graphs.adjacency_cpu.Rows`, which describes them.

    All of them contain only what a functor may contain.
    """

    gaps: bool
    parts: Any
    row: Any
    piece: Any
    next_piece: Any
    entry: Any
    find: Any
    degree: Any


def walk(gaps: Any, row: Any, piece: Any, next_piece: Any, entry: Any, parts: Any, vertex: Any) -> Iterator[Any]:
    """Each neighbor of a vertex, and its position, which is the id of the edge.

    In compiled code, the body of a loop replaces the ``yield``; see `statements`.
    """
    position, end = row(parts, vertex)
    home = position
    while home < end:
        following, stop = piece(parts, position, home, end)
        while following < stop:  # faster than a range, because numba-cuda counts a range twice
            edge = following
            following += 1
            neighbor = entry(parts, edge)
            if gaps and neighbor < 0:
                if neighbor == -1:  # a lane that was never used; no edge comes after it
                    break
                continue
            yield neighbor, edge
        position, home = next_piece(parts, position, home, end)


def statements(name: Callable[[str], ast.expr], body: list[ast.stmt], orelse: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of `walk`, with the body of a loop in place of ``yield``, and those of the loop's ``else``.

    `name` gives the expression for each name in `walk`. The nodes have no places in the source yet.
    """
    tree = copy.deepcopy(source.definition(walk.__code__))
    for node in ast.walk(tree):
        for place in ("lineno", "end_lineno", "col_offset", "end_col_offset"):
            node.__dict__.pop(place, None)
    # A loop that was left by a break goes through no more pieces. Its else uses this to recognize the break.
    ends = _Breaks(_assigned(name("end"), name("home")))
    inside = [found for node in body for found in listed(ends.visit(node))]
    made = [found for node in tree.body[1:] for found in listed(_Template(name, inside).visit(node))]
    if orelse:
        before = name("before")
        made.insert(1, _assigned(before, name("end")))
        made.append(ast.If(ast.Compare(name("end"), [ast.Eq()], [before]), orelse, []))
    return made


def listed(found: Any) -> list[Any]:
    """The result of a transformer for a node, as a list."""
    return found if isinstance(found, list) else [found]


def _assigned(target: ast.expr, value: ast.expr) -> ast.Assign:
    assert isinstance(target, ast.Name)
    return ast.Assign([ast.Name(target.id, ast.Store())], value)


class _Template(ast.NodeTransformer):
    """Replaces ``yield`` by a body, and names by other names."""

    def __init__(self, name: Callable[[str], ast.expr], body: list[ast.stmt]) -> None:
        self._name, self._body = name, body

    def visit_Name(self, node: ast.Name) -> ast.expr:
        found = self._name(node.id)
        if isinstance(found, ast.Name):
            found.ctx = node.ctx
        return found

    def visit_Expr(self, node: ast.Expr) -> list[ast.stmt]:
        assert isinstance(node.value, ast.Yield)
        return self._body


class _Breaks(ast.NodeTransformer):
    """Puts a statement before every ``break`` of a loop body."""

    def __init__(self, statement: ast.stmt) -> None:
        self._statement = statement

    def visit_Break(self, node: ast.Break) -> list[ast.stmt]:
        return [copy.deepcopy(self._statement), node]

    def _of_else(self, node: Any) -> Any:
        node.orelse = [found for each in node.orelse for found in listed(self.visit(each))]
        return node

    visit_For = visit_While = _of_else  # a break in their bodies belongs to the inner loop
