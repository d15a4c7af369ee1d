"""Functions drawn at random, which both compilers have to agree on, bit by bit.

What Python leaves to the processor is not drawn: floats become whole numbers only where those hold them, shifts are
by less than the bits of a word, indexes are within an array. Everything else is: sums that overflow, divisions by zero,
NaN, and variables that change their types.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from minigr.jit.native.types import Unknown
from tests.jit.native.both import Native, Numba, bits, copied, returned, run_both, written

SIZE = 8
PARAMETERS = "i n u f x b a32 a64 f32 f64 bb"
_HEAD = f"def drawn({PARAMETERS.replace(' ', ', ')}):\n"
_LOCALS = 3  # of each kind
_TOGETHER = 10  # bodies in a function: what takes time is to compile it
_ROUNDS = 6

HELPERS = """
def whole(x):
    return x if -1e6 < x < 1e6 else 3.0

def clamp(x, low=-100, high=100):
    if x < low:
        return low
    if x > high:
        return high
    return x

def first(x, y, k=3):
    for j in range(k):
        if x < y:
            return j, y
        x = x - 1
    return -1, y

def mixed(x, y, scale=0.5):
    if y > x:
        return x * scale
    x += 1
    return y

def bump(a, k, x):
    a[k] = x
    return a

def odd(x):
    while x:
        x = x >> 1 if x > 0 else 0
        if x == 5:
            break
    else_ = x & 1
    return else_ == 1

def store(a, k, x):
    if x > a[k]:
        return
    a[k] += x

LEAST, BIG, F32, I32, FLAG, PAIR = -2**63, 2**63 - 1, np.float32(0.1), np.int32(-5), True, (3, 0.75)
"""

_INTS = (0, 1, -1, 2, 3, -3, 7, 8, 31, 63, 255, 2**31 - 1, -(2**31), 2**53 + 1, 2**63 - 1, -(2**63))
_FLOATS = (0.0, -0.0, 1.0, 0.1, -2.75, 1e9, 1e300, -1e300, 5e-324, 3.4e38, float("inf"), float("-inf"), float("nan"))


class _Writer:
    """Writes the body of a function."""

    def __init__(self, draw: random.Random, prefix: str) -> None:
        self._draw, self._prefix = draw, prefix
        self._scopes: list[dict[str, str]] = [{}]
        self._loops = self._names = 0

    def body(self) -> tuple[list[str], list[str]]:
        """Its lines, and the variables that have a value at the end."""
        lines = [line for _ in range(self._draw.randrange(3, 6)) for line in self._statement(2)]
        return lines, sorted(self._scopes[0])

    # --- statements ------------------------------------------------------------------------------------------------

    def _block(self, depth: int, loop: bool = False) -> list[str]:
        self._scopes.append({})
        self._loops += loop
        lines = [line for _ in range(self._draw.randrange(1, 3)) for line in self._statement(depth - 1)]
        if self._loops and self._draw.random() < 0.2:
            lines += [f"if {self._bool(1)}:", f"    {self._draw.choice(('break', 'continue'))}"]
        self._loops -= loop
        self._scopes.pop()
        return [f"    {line}" for line in lines]

    def _statement(self, depth: int) -> list[str]:
        choice = self._draw.random()
        if depth > 0 and choice < 0.12:
            return self._if(depth)
        if depth > 0 and choice < 0.24:
            return self._for(depth)
        if depth > 0 and choice < 0.30:
            return self._while(depth)
        if choice < 0.45:
            return [self._write()]
        if choice < 0.55 and self._known():
            return [self._augment()]
        if choice < 0.60:
            a, b = self._target("n"), self._target("x")
            return [f"{a}, {b} = {self._int(1)}, {self._float(1)}"]
        if choice < 0.64:
            a, b = self._target("n"), self._target("x")
            return [f"{a}, {b} = first({self._int(0)}, {self._float(0)}, {self._int(0)} & 3)"]
        if choice < 0.67 and len(self._known()) > 1:
            a, b = self._draw.sample(self._known(), 2)
            kinds = self._kind(a), self._kind(b)
            self._set(a, kinds[1])
            self._set(b, kinds[0])
            return [f"{a}, {b} = {b}, {a}"]
        kind = self._draw.choice("nnxxxb")
        value = {"n": self._int, "x": self._float, "b": self._bool}[kind](2)
        return [f"{self._target(kind)} = {value}"]

    def _if(self, depth: int) -> list[str]:
        lines = [f"if {self._condition(2)}:", *self._block(depth)]
        if self._draw.random() < 0.3:
            lines += [f"elif {self._condition(1)}:", *self._block(depth)]
        return [*lines, "else:", *self._block(depth)] if self._draw.random() < 0.5 else lines

    def _for(self, depth: int) -> list[str]:
        variable = self._name("j")
        ranges = (
            lambda: "5",
            lambda: "np.int32(4)",
            lambda: f"{self._int(1)} & 7",
            lambda: f"-2, {self._int(1)} & 3",
            lambda: f"6, {self._draw.choice((-1, 0))}, {self._draw.choice((-1, -2, -4))}",
            lambda: f"0, 7, ({self._int(1)} & 3) - 5",
            lambda: f"0, 9, ({self._int(1)} & 3) + 1",
            lambda: f"i & 3, np.int32(2147483647), np.int32({2**30})",
            lambda: f"{self._int(1)} & 3, BIG, {2**62}",
            lambda: f"np.uint64({self._draw.randrange(5)})",
        )
        head = f"for {variable} in range({self._draw.choice(ranges)()}):"
        self._scopes.append({variable: "n"})
        lines = [head, *self._block(depth, loop=True)]
        self._scopes.pop()
        return lines

    def _while(self, depth: int) -> list[str]:
        steps = self._name("w")
        before = f"{steps} = {self._int(1)} & 7"
        test = f"while {steps} > 0 and {self._bool(1)}:" if self._draw.random() < 0.4 else f"while {steps}:"
        return [before, test, f"    {steps} -= 1", *self._block(depth, loop=True)]

    def _write(self) -> str:
        array = self._draw.choice(("a32", "a64", "f32", "f64", "bb"))
        value = self._any(2) if array[0] != "a" else self._draw.choice((self._int, self._whole, self._bool))(2)
        choice = self._draw.random()
        if choice < 0.25 and array != "bb":
            operation = self._draw.choice(("add", "min", "max", "exch", *(["or"] * (array[0] == "a"))))
            target = self._target("n" if array[0] == "a" else "x")
            return f"{target} = mg.atomic_{operation}({array}, {self._place()}, {value})"
        if choice < 0.32 and array != "bb":
            target = self._target("n" if array[0] == "a" else "x")
            return f"{target} = mg.atomic_cas({array}, {self._place()}, {array}[{self._index()}], {value})"
        if choice < 0.40:
            return f"bump({array}, {self._index()}, {value})"
        if choice < 0.48 and array != "bb":
            return f"store({array}, k={self._index()}, x={value})"
        operators = {"a": "+ - * // % & | ^", "f": "+ - * /", "b": "& | ^"}[array[0]]
        operator = f"{self._draw.choice(operators.split())}=" if choice < 0.7 else "="
        if operator != "=" and array[0] == "a":
            value = self._int(2)
        if operator != "=" and array == "bb":
            value = self._bool(2)
        return f"{array}[{self._index()}] {operator} {value}"

    def _augment(self) -> str:
        name = self._draw.choice(self._known())
        kind = self._kind(name)
        operator = self._draw.choice(
            {"n": ["+", "-", "*", "&", "|", "^", "//", "%", "/"], "x": ["+", "-", "*", "/"], "b": ["&", "|"]}[kind]
        )
        value = {"n": self._int, "x": self._any, "b": self._bool}[kind](1)
        if operator == "/":
            self._set(name, "x")
        return f"{name} {operator}= {value}"

    # --- variables -------------------------------------------------------------------------------------------------

    def _name(self, letter: str) -> str:
        self._names += 1
        return f"{self._prefix}{letter}{self._names}"

    def _known(self, kind: str = "") -> list[str]:
        names = {name: kind for scope in self._scopes for name, kind in scope.items()}
        return sorted(
            n for n, k in names.items() if k[0] != "?" and (not kind or k == kind) and f"{self._prefix}j" not in n
        )

    def _kind(self, name: str) -> str:
        return next(scope[name] for scope in reversed(self._scopes) if name in scope)

    def _set(self, name: str, kind: str) -> None:
        for scope in self._scopes[:-1]:  # on the path around this block it is what it was
            if name in scope and scope[name] != kind:
                scope[name] = "x" if {scope[name], kind} == {"n", "x"} else "?"
        self._scopes[-1][name] = kind

    def _target(self, kind: str) -> str:
        if self._draw.random() < 0.15 and self._known():
            name = self._draw.choice(self._known())  # a variable of another kind, maybe
        else:
            name = f"{self._prefix}{kind}{self._draw.randrange(_LOCALS)}"
        self._set(name, kind)
        return name

    # --- expressions -----------------------------------------------------------------------------------------------

    def _one(self, *choices: Any) -> str:
        return str(self._draw.choice(choices)())

    def _any(self, depth: int) -> str:
        return self._draw.choice((self._int, self._float, self._bool))(depth)

    def _index(self) -> str:
        return self._one(
            lambda: self._draw.randrange(SIZE),
            lambda: f"{self._int(1)} & 7",
            lambda: f"({self._int(1)} & 7) - 8",
            lambda: f"np.int32({self._int(0)} & 7)",
            lambda: f"np.uint64({self._int(0)} & 7)",
        )

    def _place(self) -> str:
        """An index that is not counted from the end, which atomics don't take."""
        return self._one(lambda: self._draw.randrange(SIZE), lambda: f"{self._int(1)} & 7", lambda: "b")

    def _whole(self, depth: int) -> str:
        return f"whole({self._float(depth - 1)})"

    def _int(self, depth: int) -> str:
        names = [*self._known("n"), *(n for s in self._scopes for n in s if n.startswith(f"{self._prefix}j"))]
        if depth <= 0:
            return self._one(
                lambda: self._draw.choice(names) if names else "i",
                lambda: self._draw.choice(("i", "n", "i", "n", "I32", "PAIR[0]", "BIG", "LEAST")),
                lambda: self._draw.choice(_INTS),
                lambda: self._draw.randrange(-9, 10),
                lambda: f"{self._draw.choice(('a32', 'a64'))}[{self._draw.randrange(SIZE)}]",
            )
        i, x, c = lambda: self._int(depth - 1), lambda: self._float(depth - 1), lambda: self._bool(depth - 1)
        compute = self._draw.choice(("+", "-", "*", "//", "%", "&", "|", "^", "+", "-", "*"))
        return self._one(
            lambda: self._int(0),
            lambda: f"({i()} {compute} {i()})",
            lambda: f"({i()} {compute} {i()})",
            lambda: f"({c()} {self._draw.choice('+*-')} {self._draw.choice((i, c))()})",
            lambda: f"({i()} << {self._draw.choice((0, 1, 5, 31, 62))})",
            lambda: f"({i()} {self._draw.choice(('<<', '>>'))} ({i()} & 31))",
            lambda: f"({i()} >> {self._draw.choice((0, 1, 5, 31, 63))})",
            lambda: f"{self._draw.choice(('min', 'max'))}({i()}, {i()})",
            lambda: f"{self._draw.choice(('min', 'max'))}({i()}, {i()}, {i()})",
            lambda: f"({i()} if {c()} else {i()})",
            lambda: f"{self._draw.choice(('abs', '-', '~', '+'))}({i()})",
            lambda: f"{self._draw.choice(('np.int32', 'np.int64', 'int', 'np.int8', 'np.uint8', 'np.int16'))}({i()})",
            lambda: (
                f"{self._draw.choice(('int', 'np.int32', 'np.int64', 'math.floor', 'math.ceil'))}({self._whole(1)})"
            ),
            lambda: f"int({c()})",
            lambda: f"({i()}, {x()}, {i()})[{self._draw.choice((0, 2, -1))}]",
            lambda: f"{self._draw.choice(('a32', 'a64'))}[{self._index()}]",
            lambda: f"clamp({i()}{self._draw.choice(('', ', -5', ', high=7', ', high=9, low=-9'))})",
            lambda: f"first({i()}, {i()})[0]",
            lambda: f"bump(a64, {self._draw.randrange(SIZE)}, {i()})[{self._draw.randrange(SIZE)}]",
        )

    def _float(self, depth: int) -> str:
        names = self._known("x")
        if depth <= 0:
            number = self._draw.choice((0.0, 1.0, 0.5, -2.5, 0.1, 1e300, 16777217.0))
            return self._one(
                lambda: self._draw.choice(names) if names else "f",
                lambda: self._draw.choice(("f", "x", "F32", "PAIR[1]", "math.pi")),
                lambda: number,
                lambda: f"{self._draw.choice(('f32', 'f64'))}[{self._draw.randrange(SIZE)}]",
            )
        i, x, c = lambda: self._int(depth - 1), lambda: self._float(depth - 1), lambda: self._bool(depth - 1)
        compute = self._draw.choice("+-*/")
        function = self._draw.choice(["sqrt", "fabs", "exp", "log", "log2", "log10", "sin", "cos"])
        return self._one(
            lambda: self._float(0),
            lambda: f"({x()} {compute} {x()})",
            lambda: f"({x()} {compute} {x()})",
            lambda: f"({i()} {compute} {x()})",
            lambda: f"({x()} {compute} {i()})",
            lambda: f"({i()} / {i()})",
            lambda: f"{self._draw.choice(('min', 'max'))}({x()}, {self._draw.choice((x, i))()})",
            lambda: f"max({x()}, {i()}, {x()})",
            lambda: f"({x()} if {c()} else {self._draw.choice((x, i))()})",
            lambda: f"{self._draw.choice(('abs', '-', '+'))}({x()})",
            lambda: f"{self._draw.choice(('np.float32', 'np.float64', 'float'))}({self._draw.choice((x, i))()})",
            lambda: f"math.{function}({self._draw.choice((x, x, i))()})",
            lambda: f"math.{self._draw.choice(('pow', 'copysign'))}({x()}, {x()})",
            lambda: f"mixed({self._draw.choice((x, i))()}, {x()}{self._draw.choice(('', ', 2.0', ', scale=f'))})",
            lambda: f"clamp({x()}, {x()}, {i()})",
            lambda: f"{self._draw.choice(('f32', 'f64'))}[{self._index()}]",
        )

    def _bool(self, depth: int) -> str:
        names = self._known("b")
        if depth <= 0:
            return self._one(
                lambda: self._draw.choice(names) if names else "b",
                lambda: self._draw.choice(("b", "True", "False", "FLAG")),
                lambda: f"bb[{self._draw.randrange(SIZE)}]",
            )
        i, x, c = lambda: self._int(depth - 1), lambda: self._float(depth - 1), lambda: self._bool(depth - 1)
        compare = self._draw.choice(("<", "<=", ">", ">=", "==", "!="))
        return self._one(
            lambda: f"({i()} {compare} {i()})",
            lambda: f"({x()} {compare} {x()})",
            lambda: f"({i()} {compare} {x()})",
            lambda: f"({c()} {compare} {c()})",
            lambda: f"({c()} {compare} {i()})",
            lambda: f"(np.uint64({i()}) {compare} {i()})",
            lambda: f"(u {compare} {self._draw.choice((i, c))()})",
            lambda: f"({i()} < {i()} <= {x()})",
            lambda: f"({c()} {self._draw.choice(('and', 'or'))} {c()})",
            lambda: f"(not {self._any(depth - 1)})",
            lambda: f"({c()} {self._draw.choice('&|^')} {c()})",
            lambda: f"bool({self._any(depth - 1)})",
            lambda: f"({c()} if {c()} else {c()})",
            lambda: f"math.{self._draw.choice(('isnan', 'isinf', 'isfinite'))}({x()})",
            lambda: f"odd({i()})",
        )

    def _condition(self, depth: int) -> str:
        return self._any(depth) if self._draw.random() < 0.3 else self._bool(depth)


def arguments(draw: random.Random) -> tuple[Any, ...]:
    """Numbers and arrays to call drawn functions with, edge values among them."""

    def whole(dtype: Any) -> int:
        number = draw.choice((draw.choice(_INTS), draw.randrange(-20, 20), draw.getrandbits(64)))
        return int(np.array(number % 2**64, np.uint64).astype(dtype))

    def real() -> float:
        return draw.choice((draw.choice(_FLOATS), draw.uniform(-5, 5), draw.uniform(-1e6, 1e6)))

    with np.errstate(all="ignore"):
        return (
            np.int32(whole(np.int32)),
            np.int64(whole(np.int64)),
            np.uint64(whole(np.uint64)),
            np.float32(real()),
            np.float64(real()),
            np.bool_(draw.random() < 0.5),
            np.array([whole(np.int32) for _ in range(SIZE)], np.int32),
            np.array([whole(np.int64) for _ in range(SIZE)], np.int64),
            np.array([real() for _ in range(SIZE)]).astype(np.float32),
            np.array([real() for _ in range(SIZE)]),
            np.array([draw.random() < 0.5 for _ in range(SIZE)]),
        )


def _function(bodies: list[tuple[list[str], list[str]]]) -> tuple[str, Any]:
    lines = [line for body, _ in bodies for line in body]
    names = [name for _, values in bodies for name in values]
    text = _HEAD + "".join(f"    {line}\n" for line in lines) + f"    return ({''.join(f'{n}, ' for n in names)})\n"
    return text, written(HELPERS + text)["drawn"]


def batch(seed: int) -> tuple[int, int, list[str]]:
    """Draw functions and compare; how many were drawn, how many the native compiler took, and what is wrong."""
    draw = random.Random(seed)
    rounds = [arguments(draw) for _ in range(_ROUNDS)]
    taken, drawn = [], 0
    while len(taken) < _TOGETHER and drawn < 20 * _TOGETHER:
        body = _Writer(draw, f"p{drawn}").body()
        drawn += 1
        try:
            returned(_function([*taken, body])[1], *rounds[0])  # what is doubtful in one may not go with another
        except Unknown:
            continue
        taken.append(body)
    return drawn, len(taken), _compared(taken, rounds, seed)


def _compared(bodies: list[Any], rounds: list[Any], seed: int) -> list[str]:
    """What is wrong with functions, found by halves."""
    text, function = _function(bodies)
    if not (wrong := _wrong(function, rounds)):
        return []
    if len(bodies) == 1:
        return [f"seed {seed}: {wrong}\n{text}"]
    half = len(bodies) // 2
    parts = _compared(bodies[:half], rounds, seed) + _compared(bodies[half:], rounds, seed)
    return parts or [f"seed {seed}: only together: {wrong}\n{text}"]


def _wrong(function: Any, rounds: list[Any]) -> str:
    native = Native(function, *rounds[0])
    try:
        numba = Numba(function, *rounds[0])
    except Exception as error:
        return f"Numba refuses it: {error}"
    if native.returns is not numba.returns:
        return f"returns {native.returns}, by Numba {numba.returns}"
    for given in rounds:
        found, expected = run_both(native, numba, given)
        if found != expected:
            pairs = zip(native(*copied(given)), numba(*copied(given)), strict=True)
            values = [f"{place}: {a!r}, by Numba {b!r}" for place, (a, b) in enumerate(pairs) if bits(a) != bits(b)]
            arrays = [f"{a!r}, by Numba {b!r}" for a, b in zip(found[1], expected[1], strict=True) if a != b]
            return f"gives {values}, leaves {arrays}, for {given}"
    return ""
