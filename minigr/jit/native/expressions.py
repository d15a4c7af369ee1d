"""Expressions of Python in a translated function."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection
from types import FunctionType, ModuleType
from typing import Any

from minigr.jit.native import operators, source
from minigr.jit.native.calling import Calling
from minigr.jit.native.code import NONE, Known, Value, constant, tuple_value
from minigr.jit.native.types import (
    BOOL,
    FLOAT32,
    INT64,
    Array,
    Number,
    Tuple,
    Unknown,
    join,
    tuple_of,
)

_ABSENT = object()


class Expressions(Calling):
    """A function with translations of its expressions."""

    def value(self, node: ast.expr) -> Value:
        """The run-time value of an expression."""
        found = self.expression(node)
        if isinstance(found, Known):
            if found.value is None:
                return NONE
            raise Unknown(f"{ast.unparse(node)} as a value in line {self._line}")
        return found

    def expression(self, node: ast.expr) -> Value | Known:
        """The value of an expression."""
        handler = getattr(self, f"_get_{type(node).__name__}", None)
        if handler is None:
            raise Unknown(f"{type(node).__name__} in line {node.lineno}")
        found: Value | Known = handler(node)
        return found

    def _get_Constant(self, node: ast.Constant) -> Value | Known:
        return self.outer(node.value)

    def _get_Name(self, node: ast.Name) -> Value | Known:
        return self.variable_value(node.id)

    def variable_value(self, name: str) -> Any:
        """The value of a name."""
        scope = self.scope
        variable = scope.prefix + name
        if variable in self.fixed:
            return self.fixed[variable]
        found = self.local(variable)
        if found is not None:
            return found
        if name in scope.own:
            raise Unknown(f"{name}, which may have no value in line {self._line}")
        if name in scope.outside:
            return self.outer(scope.outside[name])
        if name not in scope.function.__code__.co_names:  # such as a name with two underscores, which a class renames
            raise Unknown(f"the name {name}")
        space = scope.function.__globals__
        if name in space:
            if self.strict and name in ("range", "slice", "len"):
                raise Unknown(f"another {name}")
            return self.outer(space[name])
        if hasattr(builtins, name):
            return self.outer(getattr(builtins, name))
        raise Unknown(f"the name {name}")

    def _get_Attribute(self, node: ast.Attribute) -> Value | Known:
        found = self.expression(node.value)
        if isinstance(found, Known):
            value = getattr(found.value, node.attr, _ABSENT)
            if value is _ABSENT:
                raise Unknown(f"{ast.unparse(node)}, which does not exist")
            if self.strict and (isinstance(value, FunctionType) or not isinstance(found.value, (ModuleType, tuple))):
                raise Unknown(f"{ast.unparse(node)} in line {self._line}")
            return self.outer(value)
        if self.strict:
            raise Unknown(f"{ast.unparse(node)} in line {self._line}")
        if isinstance(found.type, Array) and node.attr == "size":
            size = found.parts[1]
            for length in found.parts[2:]:
                size = self.new(f"mul i64 {size}, {length}")
            return Value(INT64, (size,), None, True)
        if isinstance(found.type, Array) and node.attr == "shape":
            return Value(tuple_of((INT64,) * found.type.ndim), found.parts[1:])
        raise Unknown(f"{ast.unparse(node)} in line {self._line}")

    def _get_Tuple(self, node: ast.Tuple) -> Value:
        return tuple_value([self.value(each) for each in node.elts])

    def _get_IfExp(self, node: ast.IfExp) -> Value | Known:
        test = self.condition(node.test)
        if isinstance(test, bool):
            return self.expression(node.body if test else node.orelse)
        return self._choose(test, node.body, node.orelse)

    def _choose(self, test: str, body: ast.expr, orelse: ast.expr) -> Value:
        """The value of one of two expressions. Only this expression is computed."""
        if all(isinstance(each, (ast.Name, ast.Constant)) for each in (body, orelse)):
            return self._select(test, body, orelse)
        yes, no, after = self.label("then"), self.label("else"), self.label("chosen")
        self.branch(test, yes, no)
        self.begin(yes)
        first = self.value(body)
        first_lines, first_block = len(self.lines), self.block
        self.begin(no)
        second = self.value(orelse)
        kind = join(first.type, second.type)
        if first.type is not second.type:
            self.merged[self.scope.prefix, id(body)] = kind
        second = self.cast(second, kind)
        second_block = self.block
        # The first value is converted in its own block, before the jump at the end of this block.
        end = self.lines[first_lines:]
        del self.lines[first_lines:]
        self.block, first = first_block, self.cast(first, kind)
        first_block = self.block
        self.do(f"br label %{after}")
        self.lines += end[1:]
        self.block = second_block
        self.begin(after)
        parts = [
            self.new(f"phi {part} [{a}, %{first_block}], [{b}, %{second_block}]")
            for part, a, b in zip(kind.parts, first.parts, second.parts, strict=True)
        ]
        return Value(kind, tuple(parts), None, first.nonnegative and second.nonnegative)

    def _select(self, test: str, body: ast.expr, orelse: ast.expr) -> Value:
        """One of two available values, without a jump, which a processor may mispredict."""
        first, second = self.value(body), self.value(orelse)
        kind = join(first.type, second.type)
        if first.type is not second.type:
            self.merged[self.scope.prefix, id(body)] = kind
        first, second = self.cast(first, kind), self.cast(second, kind)
        parts = [
            self.new(f"select i1 {test}, {part} {a}, {part} {b}")
            for part, a, b in zip(kind.parts, first.parts, second.parts, strict=True)
        ]
        return Value(kind, tuple(parts), None, first.nonnegative and second.nonnegative)

    def condition(self, node: ast.expr) -> str | bool:
        """A condition: True or False if it is known when code is made, otherwise its text."""
        if isinstance(node, ast.BoolOp):
            return self._conditions(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.condition(node.operand)
            return not inner if isinstance(inner, bool) else self.new(f"xor i1 {inner}, true")
        if self.strict and self._is_constant(node):
            return self._pruned(node)
        self.in_doubt |= self.strict and self._is_constant(node, self._constants)
        found = self.expression(node)
        if isinstance(found, Known):
            if self.strict:
                raise Unknown(f"{ast.unparse(node)} as a condition in line {self._line}")
            return bool(found.value)
        return bool(found.known) if found.known is not None else self.truth(found)

    def _is_constant(self, node: ast.expr, constants: Collection[str] = ()) -> bool:
        """Whether an expression has no variables that are known only at run time, except `constants`."""
        names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} - {*constants}
        return not any(name in self.scope.own and not self._known_local(name) for name in names)

    def _known_local(self, name: str) -> bool:
        variable = self.scope.prefix + name
        value = self.fixed.get(variable, self.flow.get(variable))
        return isinstance(value, Known) or (isinstance(value, Value) and value.known is not None)

    def _pruned(self, node: ast.expr) -> bool:
        """The value of a known condition. Numba then removes one of the branches, and the branch's types don't count.

        Numba does so if one or two numbers decide the condition. It recognizes some other conditions but not all.
        """
        nodes, op = [node], None
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            nodes, op = [node.left, *node.comparators], node.ops[0]
        found = [self.expression(each) for each in nodes]
        if isinstance(op, (ast.Is, ast.IsNot)):
            return bool(operators.compare(self, op, *found).known)
        simple = all(isinstance(each, (ast.Constant, ast.Name)) or source.folded(each) is not None for each in nodes)
        numbers = [each.known for each in found if isinstance(each, Value) and each.type is not FLOAT32]
        decide = bool if op is None else operators.PYTHON.get(type(op))
        if not simple or decide is None or len(numbers) < len(nodes) or None in numbers:
            raise Unknown(f"the condition {ast.unparse(node)} in line {self._line}")
        return decide(*numbers)

    def _conditions(self, node: ast.BoolOp) -> str | bool:
        """``and`` or ``or`` of conditions. Each is evaluated only if the earlier ones do not decide the result."""
        decides = isinstance(node.op, ast.Or)
        after = self.label("decided")
        found: list[tuple[str, str]] = []
        for place, each in enumerate(node.values):
            test = self.condition(each)
            if isinstance(test, bool):
                if test is decides:
                    if not found:
                        return decides
                    found.append((str(decides).lower(), self.block))
                    self.jump(after)
                    break
                if place == len(node.values) - 1:
                    if not found:
                        return test
                    found.append((str(test).lower(), self.block))
                    self.jump(after)
                continue
            if place == len(node.values) - 1:
                if not found:
                    return test
                found.append((test, self.block))
                self.jump(after)
            else:
                found.append((str(decides).lower(), self.block))
                again = self.label("next")
                self.branch(test, *((after, again) if decides else (again, after)))
                self.begin(again)
        self.begin(after)
        return self.new("phi i1 " + ", ".join(f"[{text}, %{block}]" for text, block in found))

    def _get_BoolOp(self, node: ast.BoolOp) -> Value:
        """``and`` and ``or`` of conditions only. Of other numbers, Python returns one; this is not supported."""
        self._require_conditions(node)
        return self._bool(self._conditions(node))

    def _require_conditions(self, node: ast.BoolOp) -> None:
        for each in node.values:
            if isinstance(each, ast.BoolOp):
                self._require_conditions(each)
            elif not isinstance(each, ast.Compare) and not _is_not(each) and self.peek(each) is not BOOL:
                raise Unknown(f"and/or of other than conditions in line {self._line}")

    def peek(self, node: ast.expr) -> Any:
        """The type of an expression. The lines of its translation are dropped."""
        state = len(self.lines), self.block, self.ended, len(self.variables)
        found = self.expression(node)
        lines, self.block, self.ended, variables = state
        del self.lines[lines:], self.variables[variables:]
        return found.type if isinstance(found, Value) else constant(bool(found.value)).type

    def _bool(self, test: str | bool) -> Value:
        return constant(test) if isinstance(test, bool) else Value(BOOL, (test,))

    def _get_UnaryOp(self, node: ast.UnaryOp) -> Value | Known:
        literal = source.folded(node)
        if literal is not None:
            return self.outer(literal)
        if isinstance(node.op, ast.Not):
            return self._bool(self.condition(node))
        return operators.unary(self, node.op, self.value(node.operand))

    def _get_BinOp(self, node: ast.BinOp) -> Value | Known:
        literal = source.folded(node)
        if literal is not None:
            return self.outer(literal)
        left = self.value(node.left)
        return operators.binary(self, node.op, left, self.value(node.right))

    def _get_Compare(self, node: ast.Compare) -> Value:
        left = self.expression(node.left)
        if len(node.ops) > 1:
            return self._compare_all(node, left)
        return self._compared(node.ops[0], left, self.expression(node.comparators[0]))

    def _compared(self, op: ast.cmpop, left: Value | Known, right: Value | Known) -> Value:
        both = left, right
        known = isinstance(op, (ast.Is, ast.IsNot)) and all(isinstance(each, Known) for each in both)
        number = any(isinstance(each, Value) and isinstance(each.type, Number) for each in both)
        if self.strict and not (known or number):
            raise Unknown(f"a comparison of other than numbers in line {self._line}")
        return operators.compare(self, op, left, right)

    def _compare_all(self, node: ast.Compare, left: Value | Known) -> Value:
        """``a < b < c``: each value is computed once, and only if the earlier comparisons hold."""
        after = self.label("compared")
        found: list[tuple[str, str]] = []
        for place, (op, right_node) in enumerate(zip(node.ops, node.comparators, strict=True)):
            right = self.expression(right_node)
            holds = self.truth(self._compared(op, left, right))
            if place == len(node.ops) - 1:
                found.append((holds, self.block))
                self.jump(after)
            else:
                found.append(("false", self.block))
                again = self.label("next")
                self.branch(holds, again, after)
                self.begin(again)
            left = right
        self.begin(after)
        return Value(BOOL, (self.new("phi i1 " + ", ".join(f"[{text}, %{block}]" for text, block in found)),))

    def _get_Subscript(self, node: ast.Subscript) -> Value | Known:
        literal = source.folded(node)
        if literal is not None:
            return self.outer(literal)
        container = self.expression(node.value)
        if isinstance(container, Known):
            raise Unknown(f"{ast.unparse(node)} in line {self._line}")
        if isinstance(node.slice, ast.Slice):
            if node.slice.step is not None:
                raise Unknown(f"a slice in line {self._line}")
            low, high = (None if each is None else self.value(each) for each in (node.slice.lower, node.slice.upper))
            return self.view(container, low, high)
        indexes = [self.value(each) for each in self._indexes(node.slice)]
        if isinstance(container.type, Tuple):
            items, place = self.items(container), indexes[0].known
            if len(indexes) != 1 or not isinstance(place, int) or not -len(items) <= place < len(items):
                raise Unknown(f"an index of a tuple in line {self._line}")
            return items[place]
        if isinstance(container.type, Array) and len(indexes) < container.type.ndim:
            return self._row(container, indexes)
        address = self.element(container, indexes)
        return self.load(container.type.element, address)

    def _indexes(self, node: ast.expr) -> list[ast.expr]:
        if not isinstance(node, ast.Tuple):
            return [node]
        if self.strict and len(node.elts) == 1:
            raise Unknown(f"a tuple of one index in line {self._line}")
        return node.elts

    def _get_Call(self, node: ast.Call) -> Value:
        called = self.expression(node.func)
        if not isinstance(called, Known):
            raise Unknown(f"a call of {ast.unparse(node.func)} in line {self._line}")
        arguments = [self.expression(each) for each in node.args if not isinstance(each, ast.Starred)]
        keywords = {each.arg: self.expression(each.value) for each in node.keywords if each.arg is not None}
        if len(arguments) < len(node.args) or len(keywords) < len(node.keywords):
            raise Unknown(f"a call with stars in line {self._line}")
        return self.call(called.value, arguments, keywords)


def _is_not(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
