"""Read PTX into its declarations, kernels and functions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_SIZES = {"b8": 1, "u8": 1, "s8": 1, "b16": 2, "u16": 2, "s16": 2, "f16": 2, "pred": 1}
_SIZES |= dict.fromkeys(("b32", "u32", "s32", "f32"), 4) | dict.fromkeys(("b64", "u64", "s64", "f64"), 8)
_VARIABLE = re.compile(
    r"(?P<linkage>(?:\.(?:visible|weak|extern|common)\s+)*)\.(?P<space>global|const|shared|local|param)\s+"
    r"(?:\.align\s+(?P<align>\d+)\s+)?\.(?P<type>\w+)\s+(?P<name>[\w$%]+)(?P<array>\[\d*\])?(?:\s*=\s*(?P<value>.*))?$",
    re.DOTALL,
)
_HEADER = re.compile(
    r"(?P<linkage>(?:\.(?:visible|weak|extern)\s+)*)\.(?P<kind>entry|func)\s*(?:\((?P<returns>[^()]*)\)\s*)?"
    r"(?P<name>[\w$]+)\s*(?:\((?P<parameters>[^()]*)\))?(?P<rest>.*)$",
    re.DOTALL,
)


def size_of(kind: str) -> int:
    """Return the bytes that a type of PTX takes."""
    return _SIZES[kind]


@dataclass(frozen=True)
class Variable:
    """A variable in a memory space; `size` is 0 if the launch determines the size."""

    name: str
    space: str
    align: int
    size: int
    element: str
    value: str


@dataclass
class Function:
    """A kernel or a function; each statement has the number of its line."""

    name: str
    is_kernel: bool
    parameters: list[Variable]
    returns: list[Variable]
    statements: list[tuple[int, str]] = field(default_factory=list)
    has_body: bool = False


@dataclass
class Ptx:
    """All declarations of a PTX text."""

    variables: list[Variable]
    functions: list[Function]


def read(text: str) -> Ptx:
    """Read PTX in the form that NVIDIA's compilers write."""
    found, inside, depth = Ptx([], []), None, 0
    for line, statement in _statements(text):
        if inside is not None:
            depth += {"{": 1, "}": -1}.get(statement, 0)
            if depth == 0:
                inside = None
            else:
                inside.statements.append((line, statement))
        elif statement == "{":
            inside, depth = found.functions[-1], 1
            inside.has_body = True
        elif statement.startswith((".version", ".target", ".address_size", ".file", ".section")):
            continue
        elif re.search(r"\.(entry|func)\b", statement):
            found.functions.append(_function(statement))
        else:
            found.variables.append(variable(statement))
    return found


def variable(statement: str) -> Variable:
    """Return the variable that a statement declares."""
    match = _VARIABLE.match(statement.strip())
    if match is None:
        raise NotImplementedError(f"a declaration that the emulator can't read: {statement}")
    each = size_of(match["type"])
    count = 1 if match["array"] is None else int(match["array"][1:-1] or 0)
    align = int(match["align"] or each)
    return Variable(match["name"], match["space"], align, each * count, match["type"], match["value"] or "")


def _function(statement: str) -> Function:
    match = _HEADER.match(statement)
    if match is None:
        raise NotImplementedError(f"a function that the emulator can't read: {statement}")
    parameters, returns = (
        [variable(each) for each in (match[name] or "").split(",") if each.strip()]
        for name in ("parameters", "returns")
    )
    return Function(match["name"], match["kind"] == "entry", parameters, returns)


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of each statement, of each label with its colon, and of each brace of a scope."""
    text = re.sub(r"/\*.*?\*/", lambda match: "\n" * match[0].count("\n"), text, flags=re.DOTALL)
    begun, held = 0, ""
    for number, line in enumerate(text.split("\n"), 1):
        line = line.split("//")[0]
        directive = line.strip()
        if not held.strip() and re.match(r"\.(version|target|address_size|file|loc|pragma)\b", directive):
            continue
        for piece in re.split(r"([;{}])|(?<![:\w.])([\w$]+:)(?!:)", line):
            if not piece:
                continue
            if not held.strip():
                begun, held = number, ""
            if piece == ";":
                yield begun, held.strip()
                held = ""
            elif piece == "{" and _opens(held):
                if held.strip():
                    yield begun, held.strip()
                yield number, "{"
                held = ""
            elif piece == "}" and not held.strip():
                yield number, "}"
            elif re.fullmatch(r"[\w$]+:", piece) and not held.strip():
                yield number, piece
            else:
                held += piece
        held += " "


def _opens(held: str) -> bool:
    """Return whether a brace after this text opens a scope. Otherwise it opens a vector or a list."""
    return not held.strip() or bool(re.match(r"(\.\w+\s+)*\.(entry|func)\b", held.strip()))
