"""A program in LLVM's language: one translation of each function for each list of argument types, and an entry."""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count
from types import FunctionType
from typing import Any, NamedTuple

from minigr.jit.functor import Bound
from minigr.jit.native import functors, source
from minigr.jit.native.calls import CALLS, cast_to
from minigr.jit.native.code import Code, Known, Value
from minigr.jit.native.expressions import Expressions
from minigr.jit.native.translate import Translation
from minigr.jit.native.types import NOTHING, Array, Tuple, Unknown, tuple_of
from minigr.jit.native.variables import Restart
from minigr.jit.private import ARRAY_DATA, ARRAY_LENGTHS, numba_call, numba_results

ENTRY = "minigr_entry"
_MOST_RESTARTS = 50
_SHORT = 120  # lines of a function that is put into each of its callers
_HINT = "HINT"  # stands for what LLVM is told about a function
_METADATA = """
!0 = !{i32 0, i32 -2147483648}
!2 = !{!"branch_weights", i32 1, i32 2000}
"""


class Signature(NamedTuple):
    """What is known of a translated function."""

    name: str
    returns: Any
    raises: bool
    writes: bool


class Alone(NamedTuple):
    """What to call in place of `function`, in a kernel, where no other thread has to do with its data.

    Atomics are plain loads and stores in it, and in all that it calls: an atomic costs twenty cycles, and stops the
    processor from looking ahead.
    """

    function: Any


class Module:
    """The functions of a program.

    Attributes
    ----------
    functors : mapping
        The functions of functors among them.
    foreign : list
        Texts of programs, from Numba, that this one calls.
    """

    def __init__(self, functors: Mapping[FunctionType, Bound] | None = None) -> None:
        self.functors = functors or {}
        self.foreign: list[str] = []
        self.alone = False
        self._functions: dict[Any, Signature | None] = {}
        self._from_elsewhere: dict[Any, Signature] = {}
        self._texts: dict[str, str] = {}
        self._calls: Counter[str] = Counter()
        self._numbers = count(1)
        self._declared: dict[str, None] = {}

    def declare(self, line: str) -> None:
        """Say what a function from outside takes and returns."""
        self._declared[line] = None

    def text(self) -> str:
        """The whole program."""
        texts = (text.replace(_HINT, self._hint(name, text), 1) for name, text in self._texts.items())
        return "\n".join([*self._declared, *texts, _METADATA])

    def _hint(self, name: str, text: str) -> str:
        """Have a function become part of its callers, if the program gets no larger by that, or little."""
        return "alwaysinline" if self._calls[name] == 1 or text.count("\n") <= _SHORT else ""

    def name(self, function: str) -> str:
        """A name for a function in the text."""
        return f'"{function}.{next(self._numbers)}"'

    # --- calls -----------------------------------------------------------------------------------------------------

    def call(self, code: Expressions, called: Any, arguments: list[Any], keywords: dict[str, Any], line: int) -> Value:
        """Translate a call of something that is known."""
        special = CALLS.get(called) if _is_hashable(called) else None
        if special is not None or isinstance(called, type):
            if keywords:
                raise Unknown(f"keywords in a call of {called.__name__} in line {line}")
            return cast_to(code, called, arguments) if special is None else special(code, arguments)
        if isinstance(called, Alone):
            before, self.alone = self.alone, True
            try:
                return self._call_function(code, called.function, arguments, keywords)
            finally:
                self.alone = before
        if not isinstance(called, FunctionType):
            raise Unknown(f"a call of {called!r} in line {line}")
        return self._call_function(code, called, arguments, keywords)

    def _call_function(self, code: Expressions, function: FunctionType, arguments: list[Any], keywords: Any) -> Value:
        given = _bound(code, function, arguments, keywords)
        kinds = [each.value if isinstance(each, Known) else each.type for each in given]
        if function in self.functors:
            signature = self._functor(function, kinds)
        else:
            signature = self.specialize(function, kinds, code.strict)
        parts = [part for each in given if isinstance(each, Value) for part in _parts(each)]
        code.writes |= signature.writes
        self._calls[signature.name] += 1
        return call_text(code, signature.name, parts, signature.returns, signature.raises)

    def specialize(self, function: FunctionType, types: Sequence[Any], strict: bool = False) -> Signature:
        """The translation of a function for these types; what is known stands for itself."""
        key = (function, tuple(types), self.alone, strict)
        if key not in self._functions:
            self._functions[key] = None
            try:
                self._functions[key] = self._translated(function, types, strict)
            except BaseException:
                del self._functions[key]  # it may be tried again
                raise
        found = self._functions[key]
        if found is None:
            raise Unknown(f"{function.__name__}, which calls itself")
        return found

    def _functor(self, function: FunctionType, types: Sequence[Any]) -> Signature:
        """A function of a functor."""
        bound, key = self.functors[function], (function, tuple(types))
        if key in self._from_elsewhere:
            return self._from_elsewhere[key]
        try:
            return functors.translated(self, function, bound, types)
        except Unknown:
            return self._from_elsewhere.setdefault(key, self._from_numba(bound, types))

    def _from_numba(self, bound: Bound, types: Sequence[Any]) -> Signature:
        """Link in what Numba compiled."""
        from minigr.jit import numba_functor

        text, called, returns, writes = numba_functor.compiled(bound, types)
        self.foreign.append(text)
        name = self.name(bound.name)
        code, given = Code(), []
        parameters: list[str] = []
        for kind in types:
            texts = [f"%a{len(parameters) + place}" for place in range(len(kind.parts))]
            parameters += [f"{part} {text}" for part, text in zip(kind.parts, texts, strict=True)]
            given.append((kind, texts))
        call = numba_call(code, called, returns, given)
        self.declare(call.declaration)
        made = "{" + ", ".join(["i64", *returns.parts]) + "}"
        raised, fine = code.label("raised"), code.label("fine")
        code.branch(call.raised, raised, fine, ", !prof !2")
        code.begin(raised)
        address = code.new(f"ptrtoint ptr {code.new(f'load ptr, ptr {call.error}')} to i64")
        code.do(f"ret {made} {code.new(f'insertvalue {made} zeroinitializer, i64 {address}, 0')}")
        code.ended = True
        code.begin(fine)
        all_of = "zeroinitializer"
        for place, (kind, at) in enumerate(numba_results(code, returns, call.result), start=1):
            all_of = code.new(f"insertvalue {made} {all_of}, {kind.register} {code.load(kind, at).parts[0]}, {place}")
        code.do(f"ret {made} {all_of}")
        head = f"define internal {made} @{name}({', '.join(parameters)}) nounwind alwaysinline {{\nentry:"
        self._texts[name] = "\n".join([head, *code.variables, *code.lines, "}\n"])
        return Signature(name, returns, True, writes)

    def _translated(self, function: FunctionType, types: Sequence[Any], strict: bool) -> Signature:
        node = source.definition(function.__code__)
        merged: dict[Any, Any] = {}
        returns, raises = None, False
        for _ in range(_MOST_RESTARTS):
            made = Translation(self, function, merged, returns, strict)
            made.raises = raises
            parameters = _give(made, node, types)
            try:
                made.run(node.body)
                if not made.ended:
                    if made.returns not in (None, NOTHING):
                        raise Unknown(f"{function.__name__}, which does not always return a value")
                    made.returns = NOTHING
                    made.leave(Value(NOTHING, ()))
                if made.returns is None:
                    made.returns = NOTHING
            except Restart:
                returns, raises = made.returns, made.raises
                continue
            if made.in_doubt and made.has_merged:
                raise Unknown(f"{function.__name__}, whose types depend on a condition that may be known")
            made.finish()
            return self._keep(made, function, parameters)
        raise Unknown(f"{function.__name__}, whose types don't come to rest")

    def _keep(self, made: Translation, function: FunctionType, parameters: list[str]) -> Signature:
        name = self.name(function.__name__)
        kinds = (["i64"] if made.raises else []) + list(made.returns.parts)
        returned = "void" if not kinds else kinds[0] if len(kinds) == 1 else "{" + ", ".join(kinds) + "}"
        hint = "alwaysinline" if getattr(function, "inlined", False) else _HINT
        head = f"define internal {returned} @{name}({', '.join(parameters)}) nounwind {hint} {{\nentry:"
        self._texts[name] = "\n".join([head, *made.variables, *made.lines, "}\n"])
        return Signature(name, made.returns, made.raises, made.writes)

    # --- the entry -------------------------------------------------------------------------------------------------

    def add_entry(self, function: FunctionType, types: Sequence[Any]) -> Signature:
        """Define the function that Python calls, with the address of the words of all arguments.

        It leaves the words of what the function returns in their place, and returns a status: 0, or the place of an
        error in `minigr.jit.native.errors`, counted from one.
        """
        signature = self.specialize(function, types)
        code = Code()
        parts: list[tuple[str, str]] = []
        _unpack(code, types, 0, parts)
        status = "0"
        if signature.returns.parts or signature.raises:
            found = call_parts(code, signature.name, parts, signature.returns, signature.raises)
            if signature.raises:
                status, *found = found
            for position, (part, text) in enumerate(zip(signature.returns.parts, found, strict=True)):
                at = code.new(f"getelementptr i64, ptr %words, i64 {position}")
                if part == "i1":
                    part, text = "i64", code.new(f"zext i1 {text} to i64")
                code.do(f"store {part} {text}, ptr {at}")
        else:
            code.do(f"call void @{signature.name}({', '.join(map(' '.join, parts))})")
        code.do(f"ret i64 {status}")
        self._texts[ENTRY] = "\n".join([f"define i64 @{ENTRY}(ptr %words) nounwind {{\nentry:", *code.lines, "}\n"])
        return signature


def _unpack(code: Code, types: Sequence[Any], place: int, parts: list[tuple[str, str]]) -> int:
    """Append the parts of arguments, which come as words from a place on; the place after them."""
    for kind in types:
        if isinstance(kind, Tuple):
            place = _unpack(code, kind.items, place, parts)
            continue
        at = code.new(f"getelementptr i64, ptr %words, i64 {place}")
        place += 1
        if isinstance(kind, Array):
            found = code.new(f"load ptr, ptr {at}")
            parts.append(("ptr", code.new(f"load ptr, ptr {_at(code, found, ARRAY_DATA)}")))
            lengths = code.new(f"load ptr, ptr {_at(code, found, ARRAY_LENGTHS)}")
            parts += [("i64", code.new(f"load i64, ptr {_at(code, lengths, 8 * each)}")) for each in range(kind.ndim)]
        else:
            parts.append((kind.register, code.load(kind, at).parts[0]))
    return place


def _at(code: Code, address: str, offset: int) -> str:
    return code.new(f"getelementptr i8, ptr {address}, i64 {offset}")


def call_parts(code: Code, name: str, parts: Sequence[tuple[str, str]], returns: Any, raises: bool) -> list[str]:
    """Call a function that returns something; what it returns, part by part, its status first if it has one."""
    kinds = (["i64"] if raises else []) + list(returns.parts)
    given = ", ".join(f"{kind} {text}" for kind, text in parts)
    if len(kinds) == 1:
        return [code.new(f"call {kinds[0]} @{name}({given})")]
    kind = "{" + ", ".join(kinds) + "}"
    called = code.new(f"call {kind} @{name}({given})")
    return [code.new(f"extractvalue {kind} {called}, {place}") for place in range(len(kinds))]


def call_text(code: Expressions, name: str, parts: Sequence[tuple[str, str]], returns: Any, raises: bool) -> Value:
    """Call a function; if it ends with an error, so does the one that calls it."""
    if not returns.parts and not raises:
        code.do(f"call void @{name}({', '.join(map(' '.join, parts))})")
        return Value(returns, ())
    found = call_parts(code, name, parts, returns, raises)
    if raises:
        status, *found = found
        code.fail_if(code.new(f"icmp ne i64 {status}, 0"), status)
    return Value(returns, tuple(found))


def _parts(value: Value) -> list[tuple[str, str]]:
    return list(zip(value.type.parts, value.parts, strict=True))


def _bound(code: Expressions, function: FunctionType, arguments: list[Any], keywords: dict[str, Any]) -> list[Any]:
    """The arguments of a call in the order of the parameters."""
    if not keywords and not function.__defaults__:
        return arguments
    try:
        bound = inspect.signature(function, follow_wrapped=False).bind(*arguments, **keywords)
    except TypeError as error:
        raise Unknown(f"a call of {function.__name__}: {error}") from None
    bound.apply_defaults()
    if bound.kwargs:
        raise Unknown(f"keyword-only parameters of {function.__name__}")
    return [each if isinstance(each, (Value, Known)) else code.outer(each) for each in bound.args]


def _give(made: Translation, node: ast.FunctionDef, types: Sequence[Any]) -> list[str]:
    """Name the parameters of a function, and say what each is; the parameters in LLVM's language."""
    arguments = node.args
    if arguments.kwonlyargs or arguments.kwarg:
        raise Unknown(f"keyword-only parameters of {node.name}")
    names = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
    if len(types) < len(names) or (len(types) > len(names) and arguments.vararg is None):
        raise Unknown(f"{len(types)} arguments for {len(names)} parameters of {node.name}")
    parameters: list[str] = []
    given: list[Any] = []
    for kind in types:
        if not hasattr(kind, "parts"):
            given.append(Known(kind))
            continue
        texts = [f"%a{len(parameters) + place}" for place in range(len(kind.parts))]
        parameters += [f"{part} {text}" for part, text in zip(kind.parts, texts, strict=True)]
        given.append(Value(kind, tuple(texts)))
    for name, value in zip(names, given, strict=False):
        made.set(name, value)
    if arguments.vararg is not None and all(isinstance(each, Value) for each in given[len(names) :]):
        rest = given[len(names) :]
        parts = tuple(part for each in rest for part in each.parts)
        made.set(arguments.vararg.arg, Value(tuple_of(tuple(each.type for each in rest)), parts))
    return parameters


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
