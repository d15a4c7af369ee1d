"""Translate PTX to C. Each kernel becomes a function, and registers become its variables."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tests.emulator.translation.context import Instruction, Operands
from tests.emulator.translation.instructions import emit
from tests.emulator.translation.ptx import Function, Ptx, Variable, size_of, variable

_REGISTERS = {"pred": "u8", "b8": "u8", "b16": "u16", "b32": "u32", "b64": "u64", "f32": "f32", "f64": "f64"}
_REGISTERS |= {f"{sign}{bits}": f"u{bits}" for sign in "us" for bits in (8, 16, 32, 64)}
_GUARD = re.compile(r"@(!?)(%?[\w$]+)\s+(.*)$", re.DOTALL)


def translate(ptx: Ptx) -> str:
    """Return all kernels and functions as C, with a table of the parameters and shared memory of each kernel."""
    out = ['#include "runtime.h"', ""]
    globals_ = [v for v in ptx.variables if v.space in ("global", "const")]
    out += [_memory(v) for v in globals_]
    shared = [v for v in ptx.variables if v.space == "shared"]
    defined = [f for f in ptx.functions if f.has_body]
    out += [_signature(f) + ";" for f in defined]
    names = {v.name for v in globals_}
    tables = []
    for function in defined:
        body = _Body(function, names, shared)
        out += [body.text(), ""]
        if function.is_kernel:
            offsets, total = _places(function.parameters)
            values = [
                len(offsets),
                *(n for v, at in zip(function.parameters, offsets, strict=True) for n in (at, v.size)),
            ]
            numbers = ", ".join(map(str, [body.shared_size, total, *values]))
            tables.append(f"const u32 layout_{function.name}[] = {{{numbers}}};")
    ends = [f"{{(u64){_name(v.name)}, (u64){_name(v.name)} + {v.size}}}" for v in globals_ if v.size]
    tables.append(f"const u64 memory_count = {len(ends)};")
    tables.append(f"const Range memory[] = {{{', '.join(ends) or '{0, 0}'}}};")
    return "\n".join([*out, *tables, ""])


def _name(name: str) -> str:
    return "g_" + re.sub(r"\W", "_", name)


def _memory(v: Variable) -> str:
    content = ""
    if v.value:
        if not re.fullmatch(r"[\s{}0-9a-fA-FdDxX,+-]*", v.value):
            raise NotImplementedError(f"an initial value that the emulator can't read: {v.name} = {v.value}")
        numbers = [int(re.sub("^0[dDfF]", "0x", n), 0) for n in re.findall(r"-?\w+", v.value)]
        each = size_of(v.element)
        data = b"".join((n % (1 << 8 * each)).to_bytes(each, "little") for n in numbers)
        content = " = {" + ", ".join(map(str, data)) + "}"
    return f"__attribute__((aligned({max(v.align, 8)}))) u8 {_name(v.name)}[{max(v.size, 1)}]{content};"


def _signature(function: Function) -> str:
    name = _name(function.name)
    if function.is_kernel:
        return f"void {name}(Thread *self, char *arguments)"
    given = "".join(f", u8 *{_local(v.name)}" for v in [*function.returns, *function.parameters])
    return f"static void {name}(Thread *self{given})"


def _local(name: str) -> str:
    return "p_" + re.sub(r"\W", "_", name)


def _places(variables: Sequence[Variable]) -> tuple[list[int], int]:
    """Return the offset of each variable, and the offset where the last one ends."""
    places, end = [], 0
    for v in variables:
        end = -(-end // v.align) * v.align
        places.append(end)
        end += v.size
    return places, end


class _Body(Operands):
    """The translation of one function."""

    def __init__(self, function: Function, globals_: set[str], shared: list[Variable]) -> None:
        self._function, self._globals = function, globals_
        self._own = {v.name for v in (*function.parameters, *function.returns)}
        self._scopes: list[dict[str, str]] = [{}]
        self._ranges: dict[str, str] = {}
        self._used: dict[str, str] = {}
        self._lines: list[str] = []
        self._labels: set[str] = set()
        own = [variable(s) for _, s in function.statements if s.startswith(".shared")]
        words = set(re.findall(r"[\w$]+", " ".join(s for _, s in function.statements)))
        seen = [v for v in (*shared, *own) if v.name in words]
        seen.sort(key=lambda v: v.size == 0)  # the array whose size the launch determines must be last
        places, self.shared_size = _places(seen)
        self._shared = {v.name: place for v, place in zip(seen, places, strict=True)}

    def text(self) -> str:
        """Return the function in C."""
        for line, statement in self._function.statements:
            self._statement(line, statement)
        declared = ["  u32 carry = 0;", *(f"  {kind} {name} = 0;" for name, kind in self._used.items())]
        if self._function.is_kernel:
            places, _ = _places(self._function.parameters)
            pairs = zip(self._function.parameters, places, strict=True)
            declared += [f"  u8 *{_local(v.name)} = (u8 *)arguments + {place};" for v, place in pairs]
        return "\n".join([_signature(self._function) + " {", *declared, *self._lines, "}"])

    def _statement(self, line: int, statement: str) -> None:
        add = self._lines.append
        if statement == "{":
            self._scopes.append({})
            add("{")
        elif statement == "}":
            self._scopes.pop()
            add("}")
        elif statement.endswith(":"):
            self._labels.add(statement[:-1])
            add(f"{_label(statement[:-1])}:;")
        elif statement.startswith(".reg"):
            self._declare(statement)
        elif statement.startswith((".param", ".local")):
            v = variable(statement)
            self._scopes[-1][v.name] = "memory"
            add(f"u8 {_local(v.name)}[{v.size}] __attribute__((aligned({max(v.align, 8)})));")
        elif statement.startswith((".shared", ".pragma", ".loc")) or not statement:
            pass
        elif statement.startswith("."):
            raise NotImplementedError(f"a directive that the emulator doesn't know: {statement}")
        else:
            self._instruction(line, statement)

    def _declare(self, statement: str) -> None:
        match = re.match(r"\.reg\s+\.(\w+)\s+(.*)$", statement, re.DOTALL)
        assert match is not None
        kind = _REGISTERS[match[1]]
        for name in map(str.strip, match[2].split(",")):
            if name.endswith(">"):
                self._ranges[name.split("<")[0]] = kind
            else:
                self._scopes[-1][name] = kind
                self._lines.append(f"{kind} {_register(name)} = 0;")

    def _instruction(self, line: int, statement: str) -> None:
        guard, match = "", _GUARD.match(statement)
        if match is not None:
            guard, statement = f"if ({'!' * bool(match[1])}{self.register(match[2])[0]}) ", match[3]
        opcode, _, rest = statement.partition(" ")
        opcode, rest = opcode.strip(), rest.strip()
        try:
            code = emit(Instruction(line, opcode, rest), self)
        except (NotImplementedError, KeyError, IndexError, ValueError) as error:
            problem = f"{type(error).__name__}: {error}"
            raise NotImplementedError(f"line {line}: the emulator doesn't know {statement!r} ({problem})") from error
        self._lines.append(f"  {guard}{{ {code} }}")

    # --- names that instructions use ----------------------------------------------------------------------------------

    def register(self, name: str) -> tuple[str, str]:
        """Return the name of a register's C variable, and its type."""
        for scope in reversed(self._scopes):
            if name in scope:
                return _register(name), scope[name]
        prefix = name.rstrip("0123456789")
        if prefix not in self._ranges:
            raise KeyError(f"no register {name}")
        self._used[_register(name)] = self._ranges[prefix]
        return _register(name), self._ranges[prefix]

    def is_register(self, name: str) -> bool:
        """Return whether a name is a register."""
        return name.rstrip("0123456789") in self._ranges or any(
            scope.get(name, "memory") != "memory" for scope in self._scopes
        )

    def symbol(self, name: str) -> str:
        """Return the address of a variable or of a parameter, as a number."""
        if name in self._shared:
            return f"{self._shared[name]}ull"
        if name in self._own or any(name in scope for scope in self._scopes):
            return f"(u64){_local(name)}"
        if name in self._globals:
            return f"(u64){_name(name)}"
        raise KeyError(f"no variable {name}")

    def label(self, name: str) -> tuple[str, bool]:
        """Return a label's name in C, and whether the label is before the instruction."""
        return _label(name), name in self._labels

    def function(self, name: str) -> str:
        """Return the C name of a function."""
        return _name(name)


def _register(name: str) -> str:
    return "r_" + re.sub(r"\W", "_", name)


def _label(name: str) -> str:
    return "l_" + re.sub(r"\W", "_", name)
