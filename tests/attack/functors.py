"""Random functors, run on the device and by Python; and functors with constructs that must be refused.

The rules of the drawn language: whole numbers are int64, and each result is reduced below 1000 by a remainder, so that
nothing overflows. Other numbers are float64 multiples of a quarter below 1000. A product, a quotient or a root is
rounded down to a quarter immediately, so that each is exact, or rounded once, on every device. Python then computes the
same bits. A functor reads fields of int32, int64, float32 and float64 at its own vertex, and writes results of all
four.
"""

from __future__ import annotations

import faulthandler
import linecache
import math
import random
import zlib
from types import FunctionType
from typing import Any

import numpy as np

import minigr as mg
from minigr.errors import FunctorError
from tests.attack.report import Report

_VERTICES = 2100  # enough, with their arcs, for a team of threads
_TOGETHER = 10  # functions in a program, or one: compiling by Numba takes longest, and few programs do without it
_SECONDS = 300  # after this time a program counts as hanging
_DTYPES = {"o_int32": "int32", "o_int64": "int64", "o_float32": "float32", "o_float64": "float64"}

GARBAGE = (
    "print(vertex)",
    "n0 = len(str(n0))",
    "n0 = len('abc')",
    "n0 = len(f'{n0}')",
    "n0 = [n0, 1][0]",
    "n0 = len({1: n0})",
    "n0 = len({n0})",
    "n0 = sum([j for j in range(3)])",
    "x0 = np.random.random()",
    "n0 = np.random.randint(4)",
    "x0 = np.zeros(3)[0]",
    "x0 = a.sum()",
    "n0 = len(a)",
    "n0 = a.size",
    "a[0:2] = 1",
    "n0 = (a + a)[0]",
    "n0 = 1 in a",
    "x0 = x0.real",
    "n0 = a[-1]",
    "n0 = 'a'",
    "n0 = None",
    "n0 = 1j",
    "raise ValueError(n0)",
    "assert n0",
    "try:\n    n0 = 1\nexcept Exception:\n    n0 = 2",
    "with n0:\n    pass",
    "import os",
    "global LAST\nLAST = n0",
    "yield n0",
    "del a[0]",
    "n0 = input()",
    "n0 = open('x')",
    "n0 = eval('1')",
    "n0 = id(a)",
    "n0 = unknown_name",
    "n0 = a.unknown_attribute",
    "n0 = np.unknown_function(n0)",
    "n0 = (1, 2, 3)[vertex]",
    "for n0 in a:\n    pass",
    "for n0 in (1, 2):\n    pass",
    "n0 = sorted((n0, 1))[0]",
    "x0 = math.fsum((x0, 1.0))",
    "x0 = np.sqrt(x0)",
    "n0 = (lambda: [n0])()[0]",
    "class C:\n    pass",
    "n0 = a[x0]",
    "n0[0] = 1",
    "n0 = apply",
)


class _Writer:
    """Writes one function at random, as Python text."""

    def __init__(self, draw: random.Random, helpers: list[str]) -> None:
        self._draw, self._helpers = draw, helpers
        self._known = {"n": ["n0"], "x": ["x0"], "c": ["c0"]}

    def function(self, name: str, garbage: str | None = None) -> str:
        """A function that reads the fields a, i, b, f at `vertex`, and returns an int, a float, a bool as an int."""
        lines = ["n0 = int(a[vertex])", "x0 = np.float64(b[vertex])", "c0 = i[vertex] > 0"]
        for _ in range(self._draw.randrange(2, 5)):
            lines += self._statement(2)
        if garbage is not None:
            place = self._draw.randrange(3, len(lines) + 1)
            while place < len(lines) and lines[place].startswith((" ", "else")):
                place += 1  # not into a block, because the line is not indented
            lines[place:place] = garbage.splitlines()
        lines.append(f"return {self._int(1)}, {self._float(1)}, int({self._bool(1)})")
        return f"def {name}(vertex, a, i, b, f, k=3, r=0.5):\n" + "".join(f"    {line}\n" for line in lines)

    def _one(self, *choices: Any) -> str:
        return str(self._draw.choice(choices)())

    def _old(self, kind: str) -> str:
        return self._draw.choice(self._known[kind])

    def _any(self, kind: str, depth: int) -> str:
        return {"n": self._int, "x": self._float, "c": self._bool}[kind](depth)

    def _int(self, depth: int) -> str:
        if depth <= 0:
            number = self._draw.randrange(-9, 10)
            return self._one(lambda: self._old("n"), lambda: number, lambda: "k", lambda: "int(i[vertex])")
        i, x, c = lambda: self._int(depth - 1), lambda: self._float(depth - 1), lambda: self._bool(depth - 1)
        operator = self._draw.choice("+-*&|^")
        return self._one(
            lambda: self._int(0),
            lambda: f"(({i()} {operator} {i()}) % 997)",
            lambda: f"({i()} // (abs({i()}) + 1))",
            lambda: f"({i()} % ({i()} % 50 + 51))",
            lambda: f"(({i()} & 7) << ({i()} & 3))",
            lambda: f"({i()} >> ({i()} & 3))",
            lambda: f"(({i()} % 7) ** {self._draw.randrange(4)})",
            lambda: f"{self._draw.choice(('min', 'max'))}({i()}, {i()})",
            lambda: f"({i()} if {c()} else {i()})",
            lambda: f"abs({i()})",
            lambda: f"-({i()})",
            lambda: f"(~({i()}))",
            lambda: (
                f"{self._draw.choice(('int', 'round', 'math.floor', 'math.ceil', 'np.int64', 'math.trunc'))}({x()})"
            ),
            lambda: f"int({c()})",
            lambda: f"divmod({i()}, 7)[{self._draw.randrange(2)}]",
            lambda: f"({i()}, {i()})[{self._draw.randrange(2)}]",
        )

    def _float(self, depth: int) -> str:
        if depth <= 0:
            number = self._draw.randrange(-40, 41) / 4
            return self._one(lambda: self._old("x"), lambda: number, lambda: "r", lambda: "np.float64(f[vertex])")
        i, x, c = lambda: self._int(depth - 1), lambda: self._float(depth - 1), lambda: self._bool(depth - 1)
        return self._one(
            lambda: self._float(0),
            lambda: f"clip({x()} {self._draw.choice('+-')} {x()})",
            lambda: f"clip(quarter({x()} * {x()}))",
            lambda: f"clip(quarter({x()} / (abs({x()}) + 0.25)))",
            lambda: f"quarter(math.sqrt(abs({x()})))",
            lambda: f"clip({i()} * 0.25)",
            lambda: f"float({i()} % 1000)",
            lambda: f"quarter(({i()} % 1000) / (abs({i()}) % 1000 + 1))",
            lambda: f"{self._draw.choice(('min', 'max'))}({x()}, {x()})",
            lambda: f"({x()} if {c()} else {x()})",
            lambda: f"clip({x()} // (abs({x()}) + 0.25))",
            lambda: f"({x()} % 8.0)",
            lambda: f"math.{self._draw.choice(('fabs', 'fabs'))}({x()})",
            lambda: f"math.copysign({x()}, {x()} + 0.125)",
            lambda: f"np.float64(np.float32({x()}))",
        )

    def _bool(self, depth: int) -> str:
        if depth <= 0:
            return self._one(lambda: self._old("c"), lambda: self._draw.choice(("True", "False")))
        i, x, c = lambda: self._int(depth - 1), lambda: self._float(depth - 1), lambda: self._bool(depth - 1)
        compare = self._draw.choice(("<", "<=", ">", ">=", "==", "!="))
        return self._one(
            lambda: f"({i()} {compare} {i()})",
            lambda: f"({x()} {compare} {x()})",
            lambda: f"({i()} {compare} {x()})",
            lambda: f"({i()} < {i()} <= {i()})",
            lambda: f"({c()} {self._draw.choice(('and', 'or'))} {c()})",
            lambda: f"(not {c()})",
            lambda: f"({i()} in (1, 2, {self._draw.randrange(9)}))",
            lambda: f"(({i()}, {i()}) < ({i()}, {i()}))",
            lambda: f"bool({i()})",
            lambda: f"math.isnan({x()})",
        )

    def _statement(self, depth: int) -> list[str]:
        kind = self._draw.choice("nnxxc")
        assign = f"{self._new(kind) if depth == 2 and self._draw.random() < 0.4 else self._old(kind)} = "
        if assign.split()[0] not in self._known[kind]:
            line = assign + self._any(kind, 2)
            self._known[kind].append(assign.split()[0])
            return [line]
        choice = self._draw.randrange(7 if depth > 0 else 2)
        if choice <= 1:
            return [assign + self._any(kind, 2)]
        if choice == 2:
            first = [f"if {self._bool(2)}:", *self._block(depth)]
            return [*first, "else:", *self._block(depth)] if self._draw.random() < 0.6 else first
        if choice == 3:
            loop, step = f"j{depth}", self._draw.choice((1, 2, -1))
            begin, end = (0, 5) if step > 0 else (4, -1)
            lines = [f"for {loop} in range({begin}, {end}, {step}):", *self._block(depth)]
            return [*lines, f"    n0 = (n0 + {loop}) % 997"]
        if choice == 4:
            steps = f"w{depth}"
            return [
                f"{steps} = {self._int(1)} % 6",
                f"while {steps} > 0:",
                f"    {steps} -= 1",
                *self._block(depth),
                f"    if {self._bool(1)}:",
                f"        {self._draw.choice(('break', 'continue'))}",
            ]
        if choice == 5 and self._helpers:
            helper = self._draw.choice(self._helpers)
            given = self._draw.choice(("", f", {self._int(1)}", f", k={self._int(1)}", f", r={self._float(1)}"))
            return [f"t0, t1, t2 = {helper}(vertex, a, i, b, f{given})", "n0, x0 = t0 % 997, clip(t1)", "c0 = t2 == 1"]
        return ["n0, n1 = (n0 + k) % 997, n0", "x0, x1 = clip(x0 + r), x0"]

    def _block(self, depth: int) -> list[str]:
        return [f"    {line}" for _ in range(self._draw.randrange(1, 3)) for line in self._statement(depth - 1)]

    def _new(self, kind: str) -> str:
        return f"{kind}{len(self._known[kind]) + 1}"


def clip(x):
    """Limit a number to -1000 to 1000."""
    return min(max(x, -1000.0), 1000.0)


def quarter(x):
    """Round down to a multiple of a quarter."""
    return math.floor(x * 4.0) * 0.25


def attack(count: int, seed: int, report: Report) -> None:
    """Draw functors, run them, and compare; every second one must be refused."""
    draw = random.Random(seed)
    graph = mg.generate.path(_VERTICES)
    while report.trials < count:
        trial = draw.randrange(1 << 62)
        faulthandler.dump_traceback_later(_SECONDS, exit=True)  # shows where it hangs; the command has the seed
        _compare(random.Random(trial), graph, trial, report)
        for _ in range(_TOGETHER):
            _refuse(random.Random(draw.randrange(1 << 62)), graph, report)
        faulthandler.cancel_dump_traceback_later()


def _functions(text: str) -> dict[str, Any]:
    """The functions that a text defines, whose source can be found by `inspect`."""
    space: dict[str, Any] = {"math": math, "np": np, "mg": mg, "clip": clip, "quarter": quarter}
    file = f"<attack {zlib.crc32(text.encode()):08x}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    exec(compile(text, file, "exec"), space)
    return space


def _compare(draw: random.Random, graph: Any, trial: int, report: Report) -> None:
    names = [f"drawn{j}" for j in range(draw.choice((1, 1, _TOGETHER)))]
    text = "\n".join(_Writer(draw, names[max(0, j - 3) : j]).function(name) for j, name in enumerate(names))
    out = [f"o{j}_{part}" for j in range(len(names)) for part in range(3)]
    calls = "".join(
        f"    p, q, s = {name}(vertex, a, i, b, f, k)\n    o{j}_0[vertex], o{j}_1[vertex], o{j}_2[vertex] = p, q, s\n"
        for j, name in enumerate(names)
    )
    space = _functions(f"{text}\ndef apply(vertex, a, i, b, f, k, {', '.join(out)}):\n{calls}")
    dtypes = {
        name: draw.choice((("int32", "int64"), ("float32", "float64"), ("int32", "int64"))[int(name[-1])])
        for name in out
    }
    inputs = {"a": "int64", "i": "int32", "b": "float64", "f": "float32"}
    fields = {name: mg.vertex_field(np.dtype(dtype)) for name, dtype in {**inputs, **dtypes}.items()}
    values = type("Values", (mg.Problem,), {**fields, "k": mg.parameter(np.int64)})(graph, k=draw.randrange(-9, 10))
    given = {
        name: [draw.randrange(-99, 100) / (4 if dtype[0] == "f" else 1) for _ in range(_VERTICES)]
        for name, dtype in inputs.items()
    }
    given["a"], given["i"] = [int(x) for x in given["a"]], [int(x) for x in given["i"]]
    for name, numbers in given.items():
        setattr(values, name, np.array(numbers, inputs[name]))
    functor = type("Drawn", (mg.Functor,), {"apply": space["apply"]})
    try:
        mg.operators.compute(values, mg.Frontier.all_vertices(), functor)
    except FunctorError as error:
        report.fault(f"refused, functions of trial {trial}: {error}\n{text}")
        report.tried(len(names))
        return
    k = int(np.asarray(_host(values.k)).item())
    for j, name in enumerate(names):
        function: FunctionType = space[name]
        expected = [function(v, given["a"], given["i"], given["b"], given["f"], k) for v in range(_VERTICES)]
        for part in range(3):
            found = _host(getattr(values, f"o{j}_{part}"))
            wanted = np.array([e[part] for e in expected]).astype(dtypes[f"o{j}_{part}"])
            if not np.array_equal(found, wanted):
                v = int(np.flatnonzero(found != wanted)[0])
                report.fault(
                    f"{name} of trial {trial}, part {part}, vertex {v}: {found[v]!r}, by Python {wanted[v]!r}; "
                    f"a={given['a'][v]} i={given['i'][v]} b={given['b'][v]} f={given['f'][v]} k={k}\n{text}"
                )
                break
        report.tried()


def _host(array: Any) -> Any:
    """An array of a device, in host memory."""
    return array.get() if hasattr(array, "get") else np.asarray(array)


def _refuse(draw: random.Random, graph: Any, report: Report) -> None:
    garbage = draw.choice(GARBAGE)
    text = _Writer(draw, []).function("apply", garbage).replace(", k=3, r=0.5", ", k, r")
    text = text[: text.rindex("    return")] + "    a[vertex] = n0\n"
    inputs = {"a": "int64", "i": "int32", "b": "float64", "f": "float32"}
    fields = {name: mg.vertex_field(np.dtype(dtype)) for name, dtype in inputs.items()}
    more = {"k": mg.parameter(np.int64, 1), "r": mg.parameter(np.float64, 1)}
    values = type("Values", (mg.Problem,), {**fields, **more})(graph)
    report.tried()
    try:
        functor = type("Drawn", (mg.Functor,), {"apply": _functions(text)["apply"]})
        mg.operators.compute(values, mg.Frontier.all_vertices(), functor)
    except FunctorError:
        return
    except Exception as error:
        report.fault(f"{garbage!r} ends in {type(error).__name__}: {error}\n{text}")
        return
    report.fault(f"{garbage!r} is taken\n{text}")
