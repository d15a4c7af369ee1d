"""The translation of one Python function, a kernel or functor, to LLVM's language, for arguments of known types.

A function is translated in one pass over its syntax tree. Types are found during the pass. If a variable gets a wider
type where paths meet, the pass starts again with this type.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Sequence
from types import FunctionType
from typing import Any, NamedTuple

from minigr.jit.native import operators, source
from minigr.jit.native.code import NONE, Known, Value, constant
from minigr.jit.native.errors import RAISED, status_of
from minigr.jit.native.expressions import Expressions
from minigr.jit.native.function import Program, Scope
from minigr.jit.native.types import (
    INT32,
    INT64,
    UINT64,
    Number,
    Tuple,
    Unknown,
    join,
)
from minigr.jit.native.variables import Restart


class _Through(NamedTuple):
    """A loop over a generator: the statement, the scopes of both functions, and the label after the loop."""

    loop: ast.For
    outer: Scope
    inner: Scope
    after: str


class Translation(Expressions):
    """A function with translations of its statements."""

    def __init__(
        self, module: Program, function: FunctionType, merged: dict[Any, Any], returns: Any, strict: bool
    ) -> None:
        super().__init__(module, function, merged, returns, strict)
        self._loops: list[tuple[str, str]] = []
        self._generators: list[_Through] = []
        self._entered, self._yielded = 0, set[str]()

    def run(self, body: Sequence[ast.stmt]) -> None:
        """Translate statements."""
        for statement in body:
            if self.ended:
                return
            self._line = statement.lineno
            handler = getattr(self, f"_do_{type(statement).__name__}", None)
            if handler is None:
                raise Unknown(f"{type(statement).__name__} in line {statement.lineno}")
            handler(statement)

    def _meeting(self, node: object, hint: str) -> str:
        """A label where several paths of a statement may continue."""
        return self.meeting(node, hint, self.scope.prefix)

    def _do_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Yield):
            self._do_yield(node.value)
        elif not isinstance(node.value, ast.Constant):
            self.expression(node.value)

    def _do_Pass(self, node: ast.Pass) -> None:
        pass

    def _do_Return(self, node: ast.Return) -> None:
        if self._generators and self.scope is self._generators[-1].inner:
            self.jump(self._generators[-1].after)
            return
        value = NONE if node.value is None else self.value(node.value)
        if self.returns is None:
            self.returns = value.type
        elif (joined := join(self.returns, value.type)) is not self.returns:
            self.returns = self.merged["return"] = joined
            raise Restart
        self.leave(self.cast(value, self.returns))

    def _do_Raise(self, node: ast.Raise) -> None:
        raised = self.expression(node.exc) if isinstance(node.exc, ast.Name) and node.cause is None else None
        if not isinstance(raised, Known) or raised.value not in RAISED:
            raise Unknown(f"raise in line {node.lineno}")
        self.fail(str(status_of(raised.value)))

    def _do_Assign(self, node: ast.Assign) -> None:
        value = self._assigned(node.value, node.targets)
        for target in node.targets:
            self._assign(target, value)

    def _do_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._assign(node.target, self._assigned(node.value, [node.target]))

    def _assigned(self, node: ast.expr, targets: Sequence[ast.expr]) -> Value | Known:
        if self._is_constant(node, self._constants):
            names = (each for target in targets for each in ast.walk(target) if isinstance(each, ast.Name))
            self._constants.update(each.id for each in names)
        return self.expression(node)

    def _do_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Subscript):
            container = self.value(node.target.value)
            element = self.element(container, [self.value(each) for each in self._indexes(node.target.slice)])
            old = self.load(container.type.element, element)
            self.put(container, element, operators.binary(self, node.op, old, self.value(node.value)))
        elif isinstance(node.target, ast.Name):
            old = self.variable_value(node.target.id)
            self._assign(node.target, operators.binary(self, node.op, old, self.value(node.value)))
        else:
            raise Unknown(f"an assignment in line {node.lineno}")

    def _assign(self, target: ast.expr, value: Value | Known) -> None:
        if isinstance(target, ast.Name):
            self.set(target.id, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            if not (isinstance(value, Value) and isinstance(value.type, Tuple)):
                raise Unknown(f"unpacking in line {self._line}")
            items = self.items(value)
            if len(items) != len(target.elts):
                raise Unknown(f"unpacking in line {self._line}")
            for each, item in zip(target.elts, items, strict=True):
                self._assign(each, item)
        elif isinstance(target, ast.Subscript) and isinstance(value, Value):
            container = self.value(target.value)
            self.put(container, self.element(container, [self.value(i) for i in self._indexes(target.slice)]), value)
        else:
            raise Unknown(f"an assignment in line {self._line}")

    def set(self, name: str, value: Value | Known) -> None:
        """Assign to a variable."""
        bound = self.module.functors.get(self.function)
        if bound is not None and name in bound.scalars and (name in self.fixed or name in self.flow):
            raise Unknown(f"an assignment to the scalar field {name}")
        variable = self.scope.prefix + name
        if name in self.scope.once and isinstance(value, Value):
            self.fixed[variable] = value
        else:
            self.assign(variable, value)

    def _do_If(self, node: ast.If) -> None:
        test = self.condition(node.test)
        if isinstance(test, bool):
            self.run(node.body if test else node.orelse)
            return
        then, after = self.label("if"), self._meeting(node, "endif")
        otherwise = self.label("else") if node.orelse else after
        self.branch(test, then, otherwise)
        self.begin(then)
        self.run(node.body)
        self.jump(after)
        if node.orelse:
            self.begin(otherwise)
            self.run(node.orelse)
        self.begin_if_reached(after)

    def _do_While(self, node: ast.While) -> None:
        if node.orelse:
            raise Unknown(f"else of a loop in line {node.lineno}")
        test, body, after = (self._meeting(node, each) for each in ("while", "body", "endwhile"))
        self.begin(test)
        condition = self.condition(node.test)
        if condition is False:
            return
        if condition is True:
            self.jump(body)
        else:
            self.branch(condition, body, after)
        self.begin(body)
        self._loop(node.body, after, test)
        self.jump(test)
        self.begin_if_reached(after)

    def _loop(self, body: Sequence[ast.stmt], after: str, again: str) -> None:
        self._loops.append((after, again))
        self.run(body)
        self._loops.pop()

    def _do_For(self, node: ast.For) -> None:
        call = node.iter
        if node.orelse or not (isinstance(call, ast.Call) and not call.keywords):
            raise Unknown(f"a loop over something else than a range in line {node.lineno}")
        called = self.expression(call.func)
        if not self.strict and isinstance(called, Known) and _is_generator(called.value):
            self._go_through(node, called.value, [self.expression(each) for each in call.args])
            return
        if not (isinstance(called, Known) and called.value is range) or not 1 <= len(call.args) <= 3:
            raise Unknown(f"a loop over something else than a range in line {node.lineno}")
        if not isinstance(node.target, ast.Name):
            raise Unknown(f"this loop in line {node.lineno}")
        self._count_through(node, [self.value(each) for each in call.args])

    def _go_through(self, node: ast.For, generator: FunctionType, given: Sequence[Value | Known]) -> None:
        """Loop over a generator: translate the generator's statements here, with the loop body in place of the yield.

        One walk thus serves every kernel that needs it, at the speed of hand-written loops.
        """
        definition = source.definition(generator.__code__)
        self._entered += 1
        outer, inner = self.scope, Scope.of(generator, f"{generator.__name__}.{self._entered}.")
        through = _Through(node, outer, inner, self._meeting(node, "done"))
        self.scope = inner
        for parameter, value in zip(definition.args.args, self._in_order(generator, list(given), {}), strict=True):
            self.set(parameter.arg, value)
        self._generators.append(through)
        self.run(definition.body)
        self._generators.pop()
        self.jump(through.after)
        self.scope = outer
        self.begin_if_reached(through.after)

    def _do_yield(self, node: ast.Yield) -> None:
        if not self._generators or node.value is None:
            raise Unknown(f"a yield in line {self._line}")
        value, through = self.expression(node.value), self._generators.pop()
        if through.inner.prefix in self._yielded:  # the body of the loop would be translated twice
            raise Unknown(f"another yield in line {self._line}")
        self._yielded.add(through.inner.prefix)
        self.scope = through.outer
        self._assign(through.loop.target, value)
        again = self._meeting(through.loop, "resume")
        self._loop(through.loop.body, through.after, again)
        self.begin_if_reached(again)
        self.scope = through.inner
        self._generators.append(through)

    def _count_through(self, node: ast.For, given: list[Value]) -> None:
        if not all(isinstance(each.type, Number) and each.type.is_whole for each in given):
            raise Unknown(f"a range of other than whole numbers in line {node.lineno}")
        kind = _range_type(given, self.strict)
        start, stop, step = [constant(0), *given, constant(1)][-3:] if len(given) < 2 else [*given, constant(1)][:3]
        first = self.cast(start, kind)
        start_text, stop_text, step_text = (self.cast(each, kind).parts[0] for each in (start, stop, step))
        register, signed = kind.register, "s" if kind.kind == "i" else "u"
        counter = self.variable(register)
        self.do(f"store {register} {start_text}, ptr {counter}")
        test, body, again, after = (self._meeting(node, each) for each in ("for", "body", "next", "endfor"))
        if step.known is None:
            self.fail_if(self.new(f"icmp eq {register} {step_text}, 0"), str(status_of(ValueError)))
            falls = self.new(f"icmp {signed}lt {register} {step_text}, 0") if signed == "s" else "false"
        elif step.known == 0:
            raise Unknown(f"a range with step zero in line {node.lineno}")
        self.begin(test)
        at = self.new(f"load {register}, ptr {counter}")
        if step.known is None:
            up, down = (self.new(f"icmp {signed}{sign}t {register} {at}, {stop_text}") for sign in "lg")
            inside = self.new(f"select i1 {falls}, i1 {down}, i1 {up}")
        else:
            inside = self.new(f"icmp {signed}{'l' if step.known > 0 else 'g'}t {register} {at}, {stop_text}")
        self.branch(inside, body, after)
        self.begin(body)
        rises = step.known is not None and step.known > 0
        self._assign(node.target, Value(kind, (at,), None, rises and first.nonnegative))
        self._loop(node.body, after, again)
        self.begin_if_reached(again)
        if not self.ended:
            now = self.new(f"load {register}, ptr {counter}")
            if self.strict and step.known not in (1, -1):
                self._count_on(kind, now, step_text, counter, test, after)
            else:
                self.do(f"store {register} {self.new(f'add {register} {now}, {step_text}')}, ptr {counter}")
                self.jump(test)
        self.begin_if_reached(after)

    def _count_on(self, kind: Number, now: str, step: str, counter: str, test: str, after: str) -> None:
        """Add the step of a range, and leave the loop on overflow."""
        register = kind.register
        name = f"@llvm.{'s' if kind.kind == 'i' else 'u'}add.with.overflow.{register}"
        self.module.declare(f"declare {{{register}, i1}} {name}({register}, {register})")
        added = self.new(f"call {{{register}, i1}} {name}({register} {now}, {register} {step})")
        self.do(f"store {register} {self.new(f'extractvalue {{{register}, i1}} {added}, 0')}, ptr {counter}")
        self.branch(self.new(f"extractvalue {{{register}, i1}} {added}, 1"), after, test)

    def _do_Break(self, node: ast.Break) -> None:
        self.jump(self._loops[-1][0])

    def _do_Continue(self, node: ast.Continue) -> None:
        self.jump(self._loops[-1][1])


def _is_generator(value: Any) -> bool:
    return isinstance(value, FunctionType) and inspect.isgeneratorfunction(value)


def _range_type(given: Sequence[Value], strict: bool) -> Number:
    """The type of a range's numbers: 64 bits, unsigned if a bound is unsigned; 32 bits if all bounds have 32 bits."""
    if any(each.type.kind == "u" for each in given):
        if strict and any(each.type.kind == "i" for each in given):
            raise Unknown("a range of signed and unsigned numbers")
        if any(each.type.kind == "i" and not (each.known is not None and each.known >= 0) for each in given):
            raise Unknown("a range of signed and unsigned numbers")
        return UINT64
    narrow = all(each.type.bits <= 32 for each in given)
    return INT32 if narrow else INT64
