"""A program in LLVM's language: a translation of each function for each list of argument types, and an entry."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count
from types import FunctionType
from typing import Any

from minigr.jit.functor import Bound
from minigr.jit.native import functors, source
from minigr.jit.native.calling import call_parts
from minigr.jit.native.code import NONE, Code, Known, Value, tuple_value
from minigr.jit.native.function import UNLIKELY, Signature
from minigr.jit.native.translate import Translation
from minigr.jit.native.types import NOTHING, Array, Tuple, Unknown
from minigr.jit.native.variables import Restart
from minigr.jit.private import ARRAY_DATA, ARRAY_LENGTHS, numba_call, numba_results

ENTRY = "minigr_entry"
_MOST_RESTARTS = 50
_SHORT = 120  # lines up to which a function is inlined into each of its callers
_HINT = "HINT"  # replaced by the function's attribute for inlining
_METADATA = """
!0 = !{i32 0, i32 -2147483648}
!2 = !{!"branch_weights", i32 1, i32 2000}
"""


class Module:
    """The functions of a program.

    Attributes
    ----------
    functors : mapping
        The functions that are functions of functors.
    foreign : list
        Texts of programs from Numba that this program calls.
    has_wide_rows : bool
        Whether there are fields with so many columns that vector instructions pay for loops over the columns.
    """

    def __init__(self, functors: Mapping[FunctionType, Bound] | None = None) -> None:
        self.functors = functors or {}
        self.foreign: list[str] = []
        self.alone = self.has_wide_rows = False
        self._functions: dict[Any, Signature | None] = {}
        self._from_elsewhere: dict[Any, Signature] = {}
        self._texts: dict[str, str] = {}
        self._calls: Counter[str] = Counter()
        self._numbers = count(1)
        self._declared: dict[str, None] = {}

    def declare(self, line: str) -> None:
        """Declare a function from outside, or define a function in LLVM's language."""
        self._declared[line] = None

    def text(self) -> str:
        """The whole program."""
        texts = (text.replace(_HINT, self._hint(name, text), 1) for name, text in self._texts.items())
        return "\n".join([*self._declared, *texts, _METADATA])

    def _hint(self, name: str, text: str) -> str:
        """The attribute that makes LLVM inline a function, if the program grows only a little or not at all."""
        return "alwaysinline" if self._calls[name] == 1 or text.count("\n") <= _SHORT else ""

    def name(self, function: str) -> str:
        """A name for a function in the text."""
        return f'"{function}.{next(self._numbers)}"'

    # --- functions -------------------------------------------------------------------------------------------------

    def called(self, function: FunctionType, types: Sequence[Any], strict: bool) -> Signature:
        """The translation of a called function for these types. A known argument is given by its value."""
        if function in self.functors:
            signature = self._functor(function, types)
        else:
            signature = self.specialize(function, types, strict)
        self._calls[signature.name] += 1
        return signature

    def specialize(self, function: FunctionType, types: Sequence[Any], strict: bool = False) -> Signature:
        """The translation of a function for these types. A known argument is given by its value."""
        key = (function, tuple(types), self.alone, strict)
        if key not in self._functions:
            self._functions[key] = None
            try:
                self._functions[key] = self._translated(function, types, strict)
            except BaseException:
                del self._functions[key]  # so that it may be tried again
                raise
        found = self._functions[key]
        if found is None:
            raise Unknown(f"{function.__name__}, which calls itself")
        return found

    def plain_functor(self, function: FunctionType, types: Sequence[Any]) -> Signature:
        """The translation of a functor's function, or of a copy of it, for these types.

        Raises
        ------
        Unknown
            If the function is not plain, or returns the wrong type.
        """
        bound, signature = self.functors[function], self.specialize(function, types, strict=True)
        if not functors.fits(bound, signature.returns):
            raise Unknown(f"{bound.label}, which returns {signature.returns}")
        return signature

    def _functor(self, function: FunctionType, types: Sequence[Any]) -> Signature:
        """A function of a functor: translated if it is plain, otherwise compiled by Numba.

        Numba also gives the error messages, which are the same for both targets. A function that is refused here is
        therefore passed to Numba even if Numba will refuse it too.
        """
        key = function, tuple(types)
        if key in self._from_elsewhere:
            return self._from_elsewhere[key]
        try:
            return self.plain_functor(function, types)
        except Unknown:
            return self._from_elsewhere.setdefault(key, self._from_numba(self.functors[function], types))

    def _from_numba(self, bound: Bound, types: Sequence[Any]) -> Signature:
        """Link code that Numba compiled."""
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
        code.branch(call.raised, raised, fine, UNLIKELY)
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
                    made.leave(NONE)
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
        signature = Signature(self.name(function.__name__), made.returns, made.raises, made.writes)
        kinds = signature.parts
        returned = "void" if not kinds else kinds[0] if len(kinds) == 1 else "{" + ", ".join(kinds) + "}"
        hint = "alwaysinline" if getattr(function, "inlined", False) else _HINT
        head = f"define internal {returned} @{signature.name}({', '.join(parameters)}) nounwind {hint} {{\nentry:"
        self._texts[signature.name] = "\n".join([head, *made.variables, *made.lines, "}\n"])
        return signature

    # --- the entry -------------------------------------------------------------------------------------------------

    def add_entry(self, function: FunctionType, types: Sequence[Any]) -> Signature:
        """Define the function that Python calls with the address of the words of all arguments.

        The function replaces these words by the words of its result, and returns a status: 0, or the position of an
        error in `minigr.jit.native.errors`, counted from one.
        """
        signature = self.specialize(function, types)
        code = Code()
        parts: list[tuple[str, str]] = []
        _unpack(code, types, 0, parts)
        status, found = "0", call_parts(code, signature, parts)
        if signature.raises:
            status, *found = found
        for position, (part, text) in enumerate(zip(signature.returns.parts, found, strict=True)):
            at = code.new(f"getelementptr i64, ptr %words, i64 {position}")
            if part == "i1":
                part, text = "i64", code.new(f"zext i1 {text} to i64")
            code.do(f"store {part} {text}, ptr {at}")
        code.do(f"ret i64 {status}")
        self._texts[ENTRY] = "\n".join([f"define i64 @{ENTRY}(ptr %words) nounwind {{\nentry:", *code.lines, "}\n"])
        return signature


def _unpack(code: Code, types: Sequence[Any], place: int, parts: list[tuple[str, str]]) -> int:
    """Append the parts of arguments, whose words begin at `place`; return the position after them."""
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


def _give(made: Translation, node: ast.FunctionDef, types: Sequence[Any]) -> list[str]:
    """Bind the parameters of a function to values, and return the parameters in LLVM's language."""
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
        made.set(arguments.vararg.arg, tuple_value(given[len(names) :]))
    return parameters
