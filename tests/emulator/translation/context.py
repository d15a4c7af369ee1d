"""Common parts of PTX instructions: the parts of their opcodes, and their operands as expressions of C."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

TYPES = ("pred", *(f"{sign}{bits}" for bits in (8, 16, 32, 64) for sign in "bus"), "f32", "f64")
SPACES = ("global", "shared", "local", "const", "param")
SPECIAL = {
    **{f"%tid.{axis}": f"self->tid[{i}]" for i, axis in enumerate("xyz")},
    **{f"%ntid.{axis}": f"launch_ntid[{i}]" for i, axis in enumerate("xyz")},
    **{f"%ctaid.{axis}": f"block_id(self)[{i}]" for i, axis in enumerate("xyz")},
    **{f"%nctaid.{axis}": f"launch_nctaid[{i}]" for i, axis in enumerate("xyz")},
    "%laneid": "self->lane",
    "%lanemask_lt": "((1u << self->lane) - 1)",
    "%lanemask_eq": "(1u << self->lane)",
    "%clock64": "clock_now()",
    "%globaltimer": "clock_now()",
}


class Operands(Protocol):
    """The names that an instruction may use, which depend on the function that contains it."""

    def register(self, name: str) -> tuple[str, str]: ...
    def is_register(self, name: str) -> bool: ...
    def symbol(self, name: str) -> str: ...
    def label(self, name: str) -> tuple[str, bool]: ...
    def function(self, name: str) -> str: ...


@dataclass(frozen=True)
class Instruction:
    """An instruction: the line of the PTX, the opcode with its modifiers, and the operands as text."""

    line: int
    opcode: str
    rest: str

    @property
    def parts(self) -> list[str]:
        return [part for part in re.split(r"[.:]+", self.opcode) if part]

    @property
    def types(self) -> list[str]:
        return [part for part in self.parts if part in TYPES]

    @property
    def operands(self) -> list[str]:
        pieces = re.findall(r"\{[^}]*\}|\[[^\]]*\]|\([^)]*\)|[^,{}\[\]()]+", self.rest)
        return [piece.strip() for piece in pieces if piece.strip()]


class Context:
    """One instruction in the function that contains it."""

    def __init__(self, instruction: Instruction, inside: Operands) -> None:
        self.i, self.inside = instruction, inside
        self.line, self.operands, self.parts = instruction.line, instruction.operands, instruction.parts
        self.types = instruction.types
        self.type = self.types[-1] if self.types else ""

    def value(self, operand: str, kind: str) -> str:
        """Return an operand as an expression of type `kind`."""
        if operand.startswith("!"):
            return f"(!{self.value(operand[1:], kind)})"
        if self.inside.is_register(operand):
            name, declared = self.inside.register(operand)
            return converted(name, declared, kind)
        if operand in SPECIAL:
            return f"({c_type(kind)}){SPECIAL[operand]}"
        if match := re.fullmatch(r"0([fFdD])([0-9a-fA-F]+)", operand):
            wide = match[1] in "dD"
            number = f"{'f64' if wide else 'f32'}_bits(0x{match[2]}{'ull' if wide else 'u'})"
            return converted(number, "f64" if wide else "f32", kind)
        if match := re.fullmatch(r"(-?)(0[xX][0-9a-fA-F]+|\d+)U?", operand):
            if kind == "pred":  # true is -1 in PTX, and 1 here
                return str(int(int(match[1] + match[2], 0) != 0))
            return f"(({c_type(kind)})0x{int(match[1] + match[2], 0) % (1 << 64):x}ull)"
        return f"(({c_type(kind)})({self.address(operand)}))"

    def address(self, operand: str) -> str:
        """Return the address that an operand names, as an expression."""
        match = re.fullmatch(r"\[?\s*([%\w$]+)\s*(?:\+\s*(-?\w+))?\s*\]?", operand)
        if match is None:
            raise ValueError(f"the address {operand}")
        name, offset = match[1], match[2]
        base = (
            self.value(name, "u64") if self.inside.is_register(name) or name.isdecimal() else self.inside.symbol(name)
        )
        return f"{base} + {int(offset, 0)}" if offset else base

    def put(self, operand: str, expression: str, kind: str) -> str:
        """Return a statement that assigns a value of type `kind` to a register."""
        if operand == "_":
            return f"(void)({expression});"
        name, declared = self.inside.register(operand)
        is_float, is_float_register = kind[0] == "f", declared[0] == "f"
        if is_float != is_float_register:
            return f"{name} = {converted(f'({c_type(kind)})({expression})', c_type(kind), declared)};"
        return f"{name} = ({declared})({c_type(kind)})({expression});"

    def binary(self, expression: str) -> str:
        """Return a statement that assigns an expression of the operands a and b."""
        target, a, b = self.operands
        text = expression.format(a=self.value(a, self.type), b=self.value(b, self.type))
        return self.put(target, text, self.type)

    @property
    def bits(self) -> int:
        """The width of the instruction's type."""
        return int(self.type[1:])


def c_type(kind: str) -> str:
    """Return the C type for a PTX type."""
    return "u8" if kind == "pred" else "u" + kind[1:] if kind[0] == "b" else kind


def converted(text: str, declared: str, kind: str) -> str:
    """Return the bits of a register as a value of another type."""
    if declared[0] == "f":
        if kind[0] == "f":
            return text
        return f"(({c_type(kind)})bits_{declared}({text}))"
    if kind[0] == "f":
        return f"{kind}_bits((u{kind[1:]}){text})"
    return f"(({c_type(kind)}){text})"


Emitter = Callable[[Context], str]
"""A function that returns the statements for one instruction."""

EMITTERS: dict[str, Emitter] = {}
"""The emitter for each instruction, by the first part of the opcode."""


def emits(*names: str) -> Callable[[Emitter], Emitter]:
    """Register a function as the emitter of these instructions."""

    def enter(emitter: Emitter) -> Emitter:
        EMITTERS.update(dict.fromkeys(names, emitter))
        return emitter

    return enter
