"""Functions that ask for `graph`, rewritten to functions that ask for the graph's arrays.

Compilers don't know graphs. They know numbers, arrays and calls. So a loop over ``graph.neighbors(v)`` is replaced by
the loops of `minigr.jit.graph_walk`. A call such as ``graph.degree(v)`` is replaced by a call of a function over
arrays. The parameter `graph` is replaced by one parameter for each array. Helpers that are given the graph are
rewritten too. The syntax tree is rewritten once for all compilers, and line numbers stay those of the source.
"""

from __future__ import annotations

import ast
import copy
import difflib
from collections.abc import Sequence
from functools import cache
from types import FunctionType
from typing import Any, NamedTuple, NoReturn

import numpy as np

from minigr.errors import FunctorError
from minigr.jit import capture
from minigr.jit.functor import GRAPH, parameters, where
from minigr.jit.graph_walk import RowFunctions, listed, statements
from minigr.jit.native import source
from minigr.jit.native.types import Unknown
from minigr.jit.vertices import within

NUMBER, LIMIT, WEIGHTS = "num_vertices", "limit", "weights"
"""The parts that a function gets besides the arrays of rows. `LIMIT` is the vertex count, checked in debug mode."""
_LOOPS = ("neighbors", "edges", "weighted_edges")
_CALLS = {"degree": ("v",), "has_edge": ("u", "v")}
_OFFERED = (
    "degree(v), has_edge(u, v), num_vertices, and neighbors(v), edges(v) and weighted_edges(v) to loop over with for"
)
_MOST_KNOWN = 1024


class Seen(NamedTuple):
    """A layout of graphs, as functions see it.

    Attributes
    ----------
    rows : RowFunctions
    arrays : tuple of str
        The names of the arrays that are needed to walk rows; "" for an array that a functor's function doesn't need.
    weighted : bool
        Whether the graph has weights.
    """

    rows: RowFunctions
    arrays: tuple[str, ...]
    weighted: bool


class Rewritten(NamedTuple):
    """A function that asks for parts of the graph instead of the graph, and the names of the parts."""

    function: FunctionType
    parts: tuple[str, ...]


_known: dict[Any, Rewritten] = {}


def rewrite(function: FunctionType, label: str, seen: Seen) -> Rewritten:
    """`function` with a parameter for each part of the graph in place of `graph`; `label` names it in messages.

    Raises
    ------
    FunctorError
        If the function uses the graph in a way that is not supported, or its source can't be read.
    """
    key = function, capture.digest(function), seen
    if key not in _known:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        whole = _Rewriting(function, label, seen)
        _known[key] = Rewritten(whole.rewritten(function, GRAPH), whole.parts)
    return _known[key]


class _Rewriting:
    """The rewriting of a functor's function and of the helpers that are given the graph.

    Attributes
    ----------
    parts : tuple of str
        The parts that all of these functions get in place of the graph.
    """

    def __init__(self, function: FunctionType, label: str, seen: Seen) -> None:
        self.label, self.seen = label, seen
        weights = any("weighted_edges" in each.__code__.co_names for each in capture.called(function))
        if weights and not seen.weighted:
            raise FunctorError(
                f"{label} loops over graph.weighted_edges, but the graph has no weights: make it with weights, or "
                "loop over graph.edges(v)"
            )
        self.parts = (*filter(None, seen.arrays), *([WEIGHTS] if weights else []), NUMBER, LIMIT)
        self._made: dict[Any, FunctionType] = {}

    def rewritten(self, function: FunctionType, graph: str) -> FunctionType:
        """`function`, rewritten; its parameter named `graph` is the graph."""
        key = function, graph
        if key not in self._made:
            self._made[key] = _Function(self, function, graph).made()
        return self._made[key]


class _Function(ast.NodeTransformer):
    """The rewriting of one function."""

    def __init__(self, whole: _Rewriting, function: FunctionType, graph: str) -> None:
        self._whole, self._function, self._graph = whole, function, graph
        try:
            self._node = copy.deepcopy(source.definition(function.__code__))
        except Unknown:
            raise FunctorError(
                f"{whole.label} asks for {GRAPH!r}, but the source of {function.__qualname__} ({where(function)}) was "
                "not found: define it in a file or a notebook, by def"
            ) from None
        names = [*parameters(function), *(each.id for each in ast.walk(self._node) if isinstance(each, ast.Name))]
        self._prefix = "_graph_"
        while any(name.startswith(self._prefix) for name in names):
            self._prefix = f"_{self._prefix}"
        self._outer: dict[str, Any] = {}  # its additional values from outside, by name
        self._helpers: list[FunctionType] = []
        self._loops = 0
        self._line = self._node.lineno

    def made(self) -> FunctionType:
        """The rewritten function, compiled by Python."""
        node = self._node
        body = [found for each in node.body for found in listed(self.visit(each))]
        self._line = node.lineno
        rows = self._whole.seen.rows
        items = [self._name(each) if each else ast.Constant(0) for each in self._whole.seen.arrays]
        tuple_of_them = ast.Tuple(list[ast.expr](items), ast.Load())
        parts = ast.Call(self._outside("parts_of", rows.parts), [self._name("rows")], [])
        first = [ast.Assign([self._name("rows", ast.Store())], tuple_of_them)]
        first.append(ast.Assign([self._name("parts", ast.Store())], parts))
        node.body = [*map(self._placed, first), *body]
        node.args = self._parameters(node.args)
        return source.remade(self._function, node, self._outer)

    # --- names and places --------------------------------------------------------------------------------------------

    def _name(self, name: str, context: ast.expr_context | None = None) -> ast.Name:
        """A name that doesn't occur in the source."""
        return ast.Name(f"{self._prefix}{name}", context or ast.Load())

    def _outside(self, name: str, value: Any) -> ast.Name:
        """A name for a value from outside."""
        found = self._name(name)
        self._outer[found.id] = value
        return found

    def _placed(self, node: Any) -> Any:
        """A node whose parts without a line number get the line of the statement that is being rewritten."""
        for each in ast.walk(node):
            if isinstance(each, (ast.expr, ast.stmt, ast.keyword)) and "lineno" not in vars(each):
                each.lineno = each.end_lineno = self._line
                each.col_offset = each.end_col_offset = 0
        return node

    def _parameters(self, arguments: ast.arguments) -> ast.arguments:
        """The parameters, with the parts of the graph in place of the graph."""
        found: list[ast.arg] = []
        for each in (*arguments.posonlyargs, *arguments.args):
            parts = self._whole.parts if each.arg == self._graph else ()
            found += [ast.arg(self._name(part).id) for part in parts] or [each]
        return ast.arguments([], found, arguments.vararg, [], [], None, [])

    def _refuse(self, what: str) -> NoReturn:
        file = self._function.__code__.co_filename
        raise FunctorError(f"{self._whole.label}: line {self._line} of {file} {what}")

    # --- uses of the graph -------------------------------------------------------------------------------------------

    def visit(self, node: ast.AST) -> Any:
        self._line = getattr(node, "lineno", self._line)
        return super().visit(node)

    def _is_graph(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == self._graph

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if self._is_graph(node):
            verb = "uses" if isinstance(node.ctx, ast.Load) else "assigns to"
            self._refuse(
                f"{verb} {node.id!r} as a value, but the graph is none: call one of its functions, or give "
                f"the graph to a helper; the graph has {_OFFERED}"
            )
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if not self._is_graph(node.value):
            self.generic_visit(node)
            return node
        name, graph = node.attr, self._graph
        if name == NUMBER and isinstance(node.ctx, ast.Load):
            return self._placed(self._name(NUMBER))
        if name in _LOOPS:
            self._refuse(f"uses {graph}.{name} outside of a for loop: write 'for ... in {graph}.{name}(v):'")
        if name in _CALLS:
            self._refuse(f"uses {graph}.{name} without calling it: write {graph}.{name}({', '.join(_CALLS[name])})")
        close = difflib.get_close_matches(name, [*_LOOPS, *_CALLS, NUMBER], 1)
        hint = f"did you mean {close[0]!r}? The graph" if close else "the graph"
        self._refuse(f"asks for {graph}.{name}, which does not exist: {hint} has {_OFFERED}")

    def visit_Call(self, node: ast.Call) -> ast.expr:
        called, line = node.func, node.lineno
        if isinstance(called, ast.Attribute) and self._is_graph(called.value) and called.attr in _CALLS:
            found = self._answer(called.attr, *self._asked(node, _CALLS[called.attr]))
        elif any(map(self._is_graph, (*node.args, *(each.value for each in node.keywords)))):
            found = self._helped(node)
        else:
            self.generic_visit(node)
            return node
        self._line = line
        return self._placed(found)

    def _asked(self, node: ast.Call, names: Sequence[str]) -> list[ast.expr]:
        """The arguments of a call of a method of the graph."""
        if node.keywords or len(node.args) != len(names) or any(isinstance(each, ast.Starred) for each in node.args):
            self._refuse(f"calls {ast.unparse(node.func)} with wrong arguments: the arguments are ({', '.join(names)})")
        return [self.visit(each) for each in node.args]

    def _vertex(self, node: ast.expr) -> ast.expr:
        """A vertex. In debug mode, the function ends if the vertex doesn't exist."""
        return ast.Call(self._outside("within", within), [self._name(LIMIT), node], [])

    def _answer(self, method: str, vertex: ast.expr, *others: ast.expr) -> ast.expr:
        rows = self._whole.seen.rows
        if method == "degree":
            return ast.Call(self._outside("degree", rows.degree), [self._name("rows"), self._vertex(vertex)], [])
        has_edge = self._outside("has_edge", _has_edge(rows.find))
        return ast.Call(has_edge, [self._name("parts"), self._vertex(vertex), *others], [])

    def _helped(self, node: ast.Call) -> ast.expr:
        """A call of a helper that is given the graph."""
        helper = capture.python_function(self._value_of(node.func))
        if helper is None:
            called = ast.unparse(node.func)
            self._refuse(
                f"gives the graph to {called}, which is not a helper: a helper is a Python function outside the functor"
            )
        names = parameters(helper)
        given = [name for name, each in zip(names, node.args, strict=False) if self._is_graph(each)]
        given += [str(each.arg) for each in node.keywords if self._is_graph(each.value)]
        optional = names[len(names) - len(helper.__defaults__ or ()) :]
        if len(given) != 1 or given[0] not in names or given[0] in optional:
            self._refuse(f"must give the graph to {helper.__name__} exactly once, for a parameter without a default")
        made, place = self._whole.rewritten(helper, given[0]), names.index(given[0])
        if not any(made is each for each in self._helpers):
            self._helpers.append(made)
        number = next(number for number, each in enumerate(self._helpers) if each is made)
        parts = [self._name(part) for part in self._whole.parts]
        found = ast.Call(self._outside(f"helper{number}", made), [], [])
        for each in node.args:
            found.args += parts if self._is_graph(each) else [self.visit(each)]
        for keyword in node.keywords:
            if self._is_graph(keyword.value):
                wanted = parameters(made)[place : place + len(parts)]
                found.keywords += [ast.keyword(name, part) for name, part in zip(wanted, parts, strict=True)]
            else:
                found.keywords.append(ast.keyword(keyword.arg, self.visit(keyword.value)))
        return found

    def _value_of(self, node: ast.expr) -> Any:
        """The value of a name from outside the function; None for other expressions."""
        if not isinstance(node, ast.Name) or node.id in self._function.__code__.co_varnames:
            return None
        return source.free_names(self._function).get(node.id, self._function.__globals__.get(node.id))

    def visit_For(self, node: ast.For) -> Any:
        call = node.iter
        if not (isinstance(call, ast.Call) and self._is_graph(getattr(call.func, "value", call))):
            self.generic_visit(node)
            return node
        assert isinstance(call.func, ast.Attribute)
        method, line, number = call.func.attr, node.lineno, self._loops
        self._loops += 1
        if method not in _LOOPS:
            self.visit(call)  # refuses unknown methods
            self._refuse(f"loops over {ast.unparse(call)}, which is one value")
        (vertex,) = self._asked(call, ("v",))
        neighbor, edge = self._name(f"neighbor{number}"), self._name(f"edge{number}")
        given: list[ast.expr] = [neighbor, edge]
        if method == "weighted_edges":
            place = ast.Call(self._outside("uint64", np.uint64), [edge], [])  # so that it never counts from the end
            given.append(ast.Subscript(self._name(WEIGHTS), place, ast.Load()))
        value = neighbor if method == "neighbors" else ast.Tuple(given, ast.Load())
        body: list[ast.stmt] = [ast.Assign([self.visit(node.target)], value)]
        body += [found for each in node.body for found in listed(self.visit(each))]
        orelse = [found for each in node.orelse for found in listed(self.visit(each))]

        def named(name: str) -> ast.expr:
            if name == "vertex":
                return self._vertex(vertex)
            if name == "parts":
                return self._name(name)
            if name in RowFunctions._fields:
                return self._outside(name, getattr(self._whole.seen.rows, name))
            return self._name(f"{name}{number}")

        made = statements(named, body, orelse)
        self._line = line
        return [self._placed(each) for each in made]


@cache
def _has_edge(find: Any) -> Any:
    def has_edge(parts, u, v):
        return v >= 0 and find(parts, u, v) >= 0  # a value below 0 stands for a lane without an edge

    return has_edge
