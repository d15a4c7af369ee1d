"""The accesses of a functor's function to elements of fields: at its source, its destination, its vertex.

They are read from the syntax trees of the function and of the functions that it calls. A graph in parts uses them to
find which elements of other parts a part needs, and how to combine changes of elements that other parts own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import FunctionType, ModuleType
from typing import Any

from minigr.errors import FunctorError
from minigr.jit.capture import python_function
from minigr.jit.functor import Bound, parameters
from minigr.jit.intrinsic import Provided
from minigr.jit.native import source
from minigr.jit.native.types import Unknown
from minigr.jit.plain_atomics import Atomic
from minigr.jit.union_find import find, join

PLACES = ("src", "dst", "vertex")
OTHER = "other"
"""The place of an element whose index is none of `PLACES`."""
_INCREASING = {"atomic_min": (ast.Gt, ast.GtE), "atomic_max": (ast.Lt, ast.LtE)}  # old value against new value


@dataclass(frozen=True)
class Access:
    """An access of a function to elements of a field.

    Attributes
    ----------
    field : str
    place : str
        One of `PLACES`, or `OTHER`.
    how : str
        ``"read"``, ``"store"``, ``"change"`` (``field[i] += 1``), or the name of an atomic. For a field with the
        parents of a union-find, ``"find"`` or ``"join"`` for each element that is searched or joined.
    used : bool
        Whether the result of an atomic, or of `join`, is used.
    claims : bool
        Whether the result is used only to let the first thread pass, or the threads that improve an element. If several
        threads pass because they do not see each other's changes, one of them would also have passed with all changes
        visible. No later condition may stop a thread that passed.
    decides : tuple of str
        For a claim at the end of the function's only ``return``: the atomic and the value that the old element is
        compared with, as in ``("atomic_cas", "-1")`` or ``("atomic_min", "through")``. The atomic must take the same
        value. For a read in this ``return`` with the same comparison: the atomic whose claim it precedes. Empty for all
        other accesses.
    is_behind_claim : bool
        Whether the access comes only if a comparison of an atomic's result in the same function holds.
    needs_claim : bool
        Whether the function returns something true only if such a comparison holds.
    is_certain : bool
        Whether each call of the function makes the access.
    label : str
        The function and the line, for messages.
    """

    field: str
    place: str
    how: str
    used: bool
    claims: bool
    decides: tuple[str, ...]
    is_behind_claim: bool
    needs_claim: bool
    is_certain: bool
    label: str

    @property
    def writes(self) -> bool:
        """Whether the access may change the element."""
        return self.how not in ("read", "find")


def accesses(bound: Bound, arrays: Container[str]) -> list[Access]:
    """All accesses of a function to its fields that are in `arrays`.

    Raises
    ------
    FunctorError
        If the source of the function, or of a function that it calls, is missing.

    Examples
    --------
    >>> from minigr.jit.functor import METHODS, bind_function
    >>> def apply_advance(src, dst, score, share):
    ...     share[dst] = score[src]
    >>> fields = ["score", "share"]
    >>> bound = bind_function(apply_advance, "F", "apply_advance", METHODS["apply_advance"], fields)
    >>> [(each.field, each.place, each.how) for each in accesses(bound, fields)]
    [('share', 'dst', 'store'), ('score', 'src', 'read')]
    """
    roles: dict[str, Any] = {}
    for name, (kind, of) in zip(parameters(bound.function), bound.arguments, strict=True):
        if kind == "field" and of in arrays:
            roles[name] = frozenset([of])
        elif kind == "supplied" and of in PLACES:
            roles[name] = of
    return list(_Reader(bound.function, roles, f"functor {bound.functor}.{bound.name}").all())


class _Reader:
    """Reads one function. `roles`: for each parameter the fields that it may be, or the place that it is.

    `helps`: whether another function calls it. `is_behind_claim`: whether it calls it only if a claim holds.
    `is_certain`: whether each call of the other function calls it.
    """

    def __init__(
        self,
        function: FunctionType,
        roles: Mapping[str, Any],
        label: str,
        helps: bool = False,
        is_behind_claim: bool = False,
        is_certain: bool = True,
    ) -> None:
        self._function, self._label, self._helps = function, label, helps
        self._comes_behind, self._comes_always = is_behind_claim, is_certain
        try:
            self._tree = source.definition(function.__code__)
        except Unknown as unknown:
            raise FunctorError(
                f"{label}: the source, which shows what it reads and writes, can't be used ({unknown}): "
                "define the function in a file"
            ) from None
        self._parents = {child: node for node in ast.walk(self._tree) for child in ast.iter_child_nodes(node)}
        self._skipped: set[ast.AST] = set()  # statements that do not come if an earlier one returns
        for before, statement in pairwise(self._tree.body):
            if before in self._skipped or any(isinstance(each, ast.Return) for each in ast.walk(before)):
                self._skipped.add(statement)
        stored = [n.id for n in ast.walk(self._tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        self._stored = {name: stored.count(name) for name in stored}
        self._roles = {name: role for name, role in roles.items() if not (isinstance(role, str) and name in stored)}
        self._results: set[str] = set()  # names of the results of atomics
        self._renamed: set[ast.Assign] = set()  # statements that only give a field another name
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                fields, name = self._fields(node.value), node.targets[0].id
                if fields and self._stored[name] == 1:
                    self._roles[name] = fields
                    self._renamed.add(node)
                elif self._is_result(node.value):
                    self._results.add(name)

    def all(self) -> Iterator[Access]:
        for statement in self._tree.body:
            yield from self._of(statement)

    def _of(self, node: ast.AST) -> Iterator[Access]:
        if isinstance(node, ast.Assign) and node in self._renamed:
            if isinstance(value := node.value, ast.IfExp):
                yield from self._of(value.test)
        elif isinstance(node, ast.Subscript) and (fields := self._fields(node.value)):
            how = "read" if isinstance(node.ctx, ast.Load) else "store"
            if isinstance(self._parents[node], ast.AugAssign) and how == "store":
                how = "change"
            yield from self._made(fields, node.slice, how, node)
            if isinstance(node.value, ast.IfExp):
                yield from self._of(node.value.test)
            yield from self._of(node.slice)
        elif isinstance(node, ast.Call):
            yield from self._of_call(node)
        elif isinstance(node, ast.Name) and (fields := self._fields(node)):
            yield from self._made(fields, None, "read", node)  # under another name, which is not followed
        else:
            for child in ast.iter_child_nodes(node):
                yield from self._of(child)

    def _of_call(self, node: ast.Call) -> Iterator[Access]:
        called = self._value(node.func)
        if isinstance(called, Atomic) and len(node.args) > 1 and (fields := self._fields(node.args[0])):
            yield from self._made(fields, node.args[1], called._name, node)
            for argument in node.args[1:]:
                yield from self._of(argument)
            return
        helper = called.function if isinstance(called, Provided) else python_function(called)
        if helper is None:
            for child in ast.iter_child_nodes(node):
                yield from self._of(child)
            return
        given = dict(zip(parameters(helper), node.args, strict=False))
        given |= {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg is not None}
        if called in (find, join) and (fields := self._fields(given.get("parent"))):
            for element in [each for name, each in given.items() if name != "parent"]:
                yield from self._made(fields, element, helper.__name__, node)
                yield from self._of(element)
            return
        roles: dict[str, Any] = {}
        for name, argument in given.items():
            role = self._fields(argument) or self._place(argument)
            if role != OTHER:
                roles[name] = role
            else:
                yield from self._of(argument)
        label = f"{self._label}: {helper.__name__}"
        yield from _Reader(helper, roles, label, True, self._is_behind_claim(node), self._is_certain(node)).all()

    def _made(self, fields: frozenset[str], index: Any, how: str, node: Any) -> Iterator[Access]:
        place = OTHER if index is None else self._place(index)
        returns = how.startswith("atomic") or how == "join"
        used = returns and not isinstance(self._parents[node], ast.Expr)
        claims = used and how != "join" and not self._helps and self._lets_through(node, how)
        decides = self._decides(node, how) if (claims or how == "read") and not self._helps else ()
        label = f"{self._label} ({self._function.__code__.co_filename}:{node.lineno})"
        of_claim = self._is_behind_claim(node), self._needs_claim()
        certain = len(fields) == 1 and self._is_certain(node)
        for name in sorted(fields):
            yield Access(name, place, how, used, claims, decides, *of_claim, certain, label)

    def _fields(self, node: Any) -> frozenset[str]:
        """The fields that an expression may refer to."""
        if isinstance(node, ast.Name) and isinstance(self._roles.get(node.id), frozenset):
            return self._roles[node.id]
        if isinstance(node, ast.IfExp):
            one, other = self._fields(node.body), self._fields(node.orelse)
            return one | other if one and other else frozenset()
        return frozenset()

    def _place(self, node: Any) -> str:
        """The place of an index. For an element of a row, the place of the row."""
        if isinstance(node, ast.Tuple) and node.elts:
            node = node.elts[0]
        role = self._roles.get(node.id) if isinstance(node, ast.Name) else None
        return role if isinstance(role, str) else OTHER

    def _value(self, node: ast.expr) -> Any:
        """The value of a name from outside the function, or of an attribute of a module; None for other expressions."""
        if isinstance(node, ast.Name):
            outside = {**self._function.__globals__, **source.free_names(self._function)}
            return None if node.id in self._roles else outside.get(node.id)
        if isinstance(node, ast.Attribute):
            of = self._value(node.value)
            return getattr(of, node.attr, None) if isinstance(of, ModuleType) else None
        return None

    # --- the use of an atomic's result ------------------------------------------------------------------------------

    def _lets_through(self, node: ast.AST, how: str) -> bool:
        """Whether the result of an atomic is only compared, and the comparison only lets threads pass."""
        parent = self._parents[node]
        if isinstance(parent, ast.Assign) and len(parent.targets) == 1 and isinstance(parent.targets[0], ast.Name):
            name = parent.targets[0].id
            loads = [
                n
                for n in ast.walk(self._tree)
                if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
            ]
            return self._stored[name] == 1 and all(self._lets_through(load, how) for load in loads)
        if how == "atomic_or":
            while isinstance(parent, (ast.BinOp, ast.UnaryOp)) and not isinstance(getattr(parent, "op", 0), ast.Not):
                node, parent = parent, self._parents[parent]
        if not (isinstance(parent, ast.Compare) and len(parent.ops) == 1 and _fits(parent, node, how)):
            return False
        node, parent = parent, self._parents[parent]
        while isinstance(parent, ast.BoolOp):
            if isinstance(parent.op, ast.And) and node is not parent.values[-1]:
                return False  # a later condition may stop the thread that passed, but not another one
            node, parent = parent, self._parents[parent]
        if isinstance(parent, ast.If) and node is parent.test:
            inside = [each for statement in parent.body for each in ast.walk(statement) if isinstance(each, ast.Return)]
            return not parent.orelse and all(each in parent.body and _is_true(each) for each in inside)
        return isinstance(parent, ast.Return)

    def _is_behind_claim(self, node: ast.AST) -> bool:
        """Whether a part of the function runs only if the result of an atomic passes a comparison."""
        if self._comes_behind:
            return True
        while node is not self._tree:
            above = self._parents[node]
            if isinstance(above, ast.If) and node in above.body and self._asks_atomic(above.test):
                return True
            node = above
        return False

    def _is_certain(self, node: ast.AST) -> bool:
        """Whether each call of the outermost function gets to a part of this function."""
        if not self._comes_always:
            return False
        while node is not self._tree:
            above = self._parents[node]
            if isinstance(above, (ast.If, ast.IfExp, ast.While)):
                always = node is above.test
            elif isinstance(above, ast.For):
                always = node is above.iter
            elif isinstance(above, ast.BoolOp):
                always = node is above.values[0]
            elif isinstance(above, ast.Compare):
                always = node not in above.comparators[1:]
            elif above is self._tree:
                always = node not in self._skipped
            else:
                always = True
            if not always:
                return False
            node = above
        return True

    def _needs_claim(self) -> bool:
        """Whether the function returns something true only if the result of an atomic passes a comparison."""
        returns = [each for each in ast.walk(self._tree) if isinstance(each, ast.Return)]
        return all(
            each.value is None
            or (isinstance(each.value, ast.Constant) and not each.value.value)
            or self._is_behind_claim(each)
            or self._asks_atomic(each.value)
            for each in returns
        )

    def _asks_atomic(self, test: ast.expr) -> bool:
        """Whether a condition holds only if the result of an atomic passes a comparison."""
        if isinstance(test, ast.BoolOp):
            return isinstance(test.op, ast.And) and any(map(self._asks_atomic, test.values))
        return isinstance(test, ast.Compare) and any(map(self._is_result, ast.walk(test)))

    def _is_result(self, node: ast.AST) -> bool:
        """Whether a part of an expression is the result of an atomic."""
        if isinstance(node, ast.Call):
            return isinstance(self._value(node.func), Atomic)
        return isinstance(node, ast.Name) and node.id in self._results

    def _decides(self, node: Any, how: str) -> tuple[str, ...]:
        """See `Access.decides`."""
        compare = above = self._parents[node]
        while isinstance(above, ast.Compare) or (isinstance(above, ast.BoolOp) and isinstance(above.op, ast.And)):
            above = self._parents[above]
        returns = [each for each in ast.walk(self._tree) if isinstance(each, ast.Return)]
        if not isinstance(compare, ast.Compare) or len(compare.ops) != 1 or returns != [above]:
            return ()
        other = compare.comparators[0] if compare.left is node else compare.left
        is_atomic = how in (*_INCREASING, "atomic_cas")
        if is_atomic and [ast.unparse(each) for each in node.args[2:3]] != [ast.unparse(other)]:
            return ()
        if how == "atomic_cas":
            number = ast.unparse(other)
            return (how, number) if re.fullmatch(r"-?\d{1,9}", number) else ()
        kind = type(compare.ops[0])
        if kind not in (ast.Lt, ast.Gt) or any(not self._is_fixed(each) for each in ast.walk(other)):
            return ()
        improved = "atomic_min" if (kind is ast.Lt) == (other is compare.left) else "atomic_max"
        return (improved, ast.unparse(other)) if how in ("read", improved) else ()

    def _is_fixed(self, node: ast.AST) -> bool:
        """Whether a part of an expression has the same value in all of the function."""
        if isinstance(node, ast.Name):
            return self._stored.get(node.id, 0) <= 1
        return not isinstance(node, (ast.Call, ast.NamedExpr))


def _fits(compare: ast.Compare, node: ast.AST, how: str) -> bool:
    """Whether a comparison of an element's old value lets the first thread pass, or the threads that improve it."""
    (kind,) = map(type, compare.ops)
    if how in _INCREASING:
        turned: dict[type, type] = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
        seen = kind if compare.left is node else turned.get(kind, kind)
        return seen in _INCREASING[how]
    return kind is ast.Eq if how == "atomic_cas" else kind in (ast.Eq, ast.NotEq)


def _is_true(node: ast.Return) -> bool:
    return node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is True)
