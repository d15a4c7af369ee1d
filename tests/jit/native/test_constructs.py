"""What functors are written in, construct by construct: compiled by minigr's own compiler as by Numba, or by Numba."""

import enum
import functools
import importlib
import sys
import typing

import numpy as np
import pytest

import minigr as mg
from minigr.jit.native.module import Module
from minigr.jit.native.types import INT64, Unknown, array
from tests.jit.native.both import Native, Numba, returned, run_both, written


class Shade(enum.IntEnum):
    DARK = 4


class Point(typing.NamedTuple):
    x: int
    y: float


GIVEN = {
    "b": np.bool_(True), "i": np.int32(-7), "n": np.int64(-13), "f": np.float32(0.1), "x": np.float64(-2.7),
    "a32": np.array([5, -3, 2**31 - 1, -(2**31)], np.int32), "a64": np.array([2**63 - 1, -(2**63), 7, 0]),
    "f32": np.array([0.1, 1e30, -0.0, np.nan], np.float32), "f64": np.array([0.1, 1e300, -0.0, np.nan]),
    "bb": np.array([True, False, True, False]),
}  # fmt: skip
OTHER = (
    np.bool_(False),
    np.int32(2**31 - 1),
    np.int64(2**63 - 1),
    np.float32("nan"),
    np.float64(3.5),
    *list(GIVEN.values())[5:],
)
OUTSIDE = {
    "Shade": Shade, "POINT": Point(1, 2.5), "BIG": 2**63 - 1, "LEAST": -(2**63), "FLAG": True, "OFF": False,
    "F32": np.float32(0.1), "I32": np.int32(3), "U64": np.uint64(2**63), "TWO": (1, 2.5), "NAME": "fast",
    "functools": functools,
}  # fmt: skip

EXPRESSIONS = """
9223372036854775807 + 1
-9223372036854775808
9223372036854775808
BIG + 1
-LEAST
-BIG - 2
BIG * 2
1 << 62
1 << 63
2 ** 40
7.5 // 2
I32 << 40
F32 * 2
F32 * F32
I32 + I32
-I32
U64 + 1
-U64
BIG // -1
LEAST // -1
n // -n
1 // (n - n)
n % (n - n)
n / (n - n)
5 % -3
min(f32[3], x)
min(x, f32[3])
max(f64[3], x)
min(x, f64[3], 1.0)
max(1, f64[3], 3)
min(0.0, f64[2])
min(f64[2], 0.0)
max(f32[2], 0)
a32[i & 3]
a32[(n & 3) - 4]
a32[np.uint64(1)]
bb[0] & bb[1]
bb[0] + bb[1]
True + True
b + True
True == 1
n is None
None is None
1 < n < 3
-13 <= n < 2.5 < 3
i < n or f < x
3 if FLAG else 2.5
3 if True else 2.5
i if b else x
f if b else f64[0]
1 if f64[3] else 2
int(b)
int(f)
np.int32(1e3)
np.int32(n * 1000000007)
np.uint32(n)
np.float32(16777217)
np.float32(0.1) + 0.1
math.pi * f
abs(np.int64(a32[3]))
abs(a32[3])
abs(f64[2])
-a32[3]
len((1, 2))
(1, 2.5, 3)[-1] * 4
(1, 2.5)[0]
TWO[1]
TWO[-1]
POINT.x + POINT.y
np.bool_(3)
mg.atomic_add(a32, 0, 5)
mg.atomic_add(a32, 0, 5.7)
mg.atomic_add(a32, b, 5)
mg.atomic_add(f32, 0, i)
mg.atomic_add(f64, 1, x)
mg.atomic_add(a64, 0, BIG)
mg.atomic_min(f32, 0, f64[3])
mg.atomic_min(f32, 3, 5)
mg.atomic_max(f64, 2, 0.0)
mg.atomic_min(f64, 0, -0.0)
mg.atomic_max(a64, 1, n)
mg.atomic_min(a32, 1, n)
mg.atomic_or(a32, 0, n)
mg.atomic_exch(f32, 0, 2)
mg.atomic_exch(a64, 0, U64)
mg.atomic_cas(a32, 1, -3, 2)
mg.atomic_cas(f32, 0, 2, F32)
mg.atomic_cas(f64, 2, 0.0, 2)
mg.atomic_cas(f64, 3, f64[3], 2)
"""

BODIES = """
y = i; i = n; return y
k, m = n, i; k, m = m, k; return k, m
x = f32[0]; y = x * x; x = 0.5; return y, x
k = 3; m = k; k = 0.5; return m, k
i += 1; return i
k = n; k /= 2; return k
min = 3; return min
k = None; k = 3; return k
k = min; m = math; g = np.int32; return k(n, 3), m.sqrt(x), g(n)
c = a32; c[0] = 9; return a32[0]
c, d = a32, a64; c[1], d[1] = d[1], c[1]; return c[1], d[1]
a32[0] = 7.9; a32[1] = a64[0]; a32[2] = b; a64[0] = f; a64[1] = b; return a32[0]
bb[0] = 5; bb[1] = 0.5; bb[2] = f64[2]; bb[3] = f32[3]; return bb[1]
f32[0] = 1e300; f32[1] = a64[0]; f32[2] = b; f64[0] = b; f64[1] = f; f64[2] = n; return f32[0]
a32[0] += 1; a32[0] -= i; a32[0] *= 3; a32[1] //= 2; a32[1] %= 3; a32[1] <<= 2; a32[2] &= n; a32[2] |= 3; return a32[0]
a32[0] += 2.5; a32[1] /= 2; f32[0] *= 3.1; bb[0] |= b; bb[1] ^= b; return a32[0]
---
k = 3
if b:
    k = 0.5
return k
---
x = f32[0]
if b:
    y = x * x
    x = x + 1.0
else:
    y = x
return y, x
---
k = a32[0]
m = k
for j in range(3):
    m = k
    k = k + 1
return m, k
---
k = f
t = 0
for j in range(4):
    if j == 1:
        k = k * 2.5
        continue
    if j == 3:
        break
    t += j
return k, t
---
k = 3 if I32 == 3 else 2.5
if OFF:
    k = 2.5
return k
---
if I32 > 2:
    return 1
return 2.5
---
k = True
if k:
    return 3
return 2.5
---
if b:
    return i
return n
---
if b:
    return n
elif i:
    return f
return i
---
while True:
    t = n
    n += n // 2 - 5
    if n > 3 or n < -100:
        break
return t
---
while i:
    i = i >> 1 if i > 0 else 0
return i
---
t = 0
for j in range(0, BIG, 4611686018427387904):
    t += 1
    if t > 10:
        break
return t
---
t = 0
for j in range(a32[0], a32[2], a32[2]):
    t += 1
    if t > 10:
        break
return t
---
t = 0
for j in range(10, 0, (i & 3) - 4):
    j = j + 1
    t += j
for j in range(np.int32(3)):
    t += j
    for l in range(j, 5, j + 1):
        if l == 4:
            break
        t = t * 3 + l
for j in range(np.uint64(3)):
    t += np.int64(j)
return t
---
if b:
    c = a32
else:
    c = a32
c[1] = 8
return c[1]
---
if b:
    k = (a32[0], f)
else:
    k = (a64[1], x)
return k
"""

MODULES = """
def g(x, k=3, m=2.5):
    return x * k + m
def tried():
    return g(n), g(n, 5), g(n, m=1), g(k=2, x=i), g(i, 2, 3), g(x, m=f), g(b, b, n)
---
def g(x, k=None):
    if k is None:
        return x
    return x + k
def tried():
    return g(n), g(n, 5), g(n, None), g(f, k=2.5)
---
def g(x, k=np.float32(0.1), c=True, p=(1, 2.5)):
    return x * k + p[0] * p[1] if c else x
def tried():
    return g(f), g(x), g(i), g(f, 3), g(n, c=False), g(f, p=(2, f))
---
def g(x):
    for j in range(10):
        if j * j > x:
            return j, x
    return -1, 2.5
def tried():
    p, q = g(n)
    return g(n), g(x), g(50), g(1000), q, p
---
def g(c, d, k):
    c[k] = d[k]
def bump(c, k):
    c[k] += 1
    return c
def tried():
    g(a32, a64, 0)
    g(f32, f64, 1)
    g(c=a64, k=2, d=f64)
    return a64[2], bump(a32, 0)[0]
---
def apply(h, x):
    return h(x)
def g(x):
    return x + 1
def tried():
    return apply(g, n), apply(abs, n), apply(np.int32, n), apply(g, f)
---
def make(k):
    def g(x):
        return x + k
    return g
g1, g2, g3 = make(3), make(2.5), make(np.float32(0.1))
def tried():
    return g1(n), g2(n), g3(f)
---
g = lambda x: x * 0.5
def h(x): return x + 1
def k(x): x += 0.5; return x
def tried():
    return g(n), h(i), k(n), k(f)
---
def wrapped(h):
    @functools.wraps(h)
    def w(x, k=2):
        return h(x, k) + 1
    return w
@wrapped
def g(x, k=10):
    return x * k
def tried():
    return g(n), g(n, 5)
---
def g(x, k=3):
    return x + k
def other(x, k=3):
    return x * k
g.__code__, g.__defaults__ = other.__code__, (5,)
def tried():
    return g(n)
---
max, int = min, np.int32
def tried():
    return max(i, 5), int(n)
"""

LEFT_TO_NUMBA = """
(i or n) and b
n and i
a32[b]
a32[n < 0]
a32[-1]
a32[1 - 2]
a32[((3, 0.5, -3)[-1] & 7) - 8]
a32[x]
a32[0:2][0]
a32.size
len(a32)
n == None
TWO[n & 1]
"a" == "a"
1 if NAME else 2
1 if NAME == "fast" else 2
Shade.DARK
Shade.DARK + n
np.integer(3)
float(b)
math.pow(x, 3)
min(b, n)
n if b else b
1 in (1, n)
n ** 2
x // 2
sum([j for j in range(3)])
(lambda: n)()
(k := n) + k
len(1, 2)
math.no_such_function(x)
x.real
divmod(n, 7)[0]
1 if TWO[0] == 1 else 2.5
1 if F32 == 0.1 else 2.5
mg.atomic_add(bb, 0, 1)
mg.atomic_add(a32, 0, value=5)
print(n)
---
if b: t = 3
return t
---
for j in range(n, 0): last = j
return last
---
for j in range(4): pass
return j
---
if n > 0: t = 3
else: pass
return t
---
t = 3
if b: t = None
return t
---
k = min
if b: k = max
return k(n, 3)
---
k = 0
while k: k, n = k - 1, 0.5
return n
---
k = 3
k = k + 1
m = k
if m == 4: return 1
return 2.5
---
k = 3
n += 1.5 if k == 3 else 2
k = n
return k
---
c = a32
if b: c = a64
return c[0]
---
for j in range(1, np.uint64(3)): n += 1
return n
---
for j in range(4): n += j
else: n = 1
return n
---
while n < 3: n += 1
else: n = 1
return n
---
for j in (1, 2): n += j
return n
---
global BIG
BIG = 3
return BIG
---
del n
return i
---
int = 3
return int(2.5)
---
def inner(): return n
return inner()
---
if b: return 1
---
if b: return 1
return True
---
if b: return None
return 1
---
k = [1, 2]
return k[0]
---
k = "a"
return n
---
assert n
return n
---
try: n = 1
except Exception: n = 2
return n
---
*k, m = (1, 2, 3)
return m
---
a32[0:2] = 1
return n
"""


def source(body):
    lines = body.replace("; ", "\n").split("\n")
    lines = lines if any("return" in line for line in lines) or len(lines) > 1 else [f"return {body}"]
    return f"def tried({', '.join(GIVEN)}):\n" + "".join(f"    {line}\n" for line in lines)


def bodies(text):
    first, *rest = text.split("---\n")
    return [*(line for line in first.split("\n") if line), *(each.strip("\n") for each in rest)]


def together(texts):
    """A function that calls each of several as a helper."""
    names = ", ".join(GIVEN)
    helpers = [each.replace("def tried(", f"def part{place}(") for place, each in enumerate(texts)]
    results = "".join(f"    r{place} = part{place}({names})\n" for place in range(len(texts)))
    every = ", ".join(f"r{place}" for place in range(len(texts)))
    return written("\n".join(helpers) + f"\ndef tried({names}):\n{results}    return ({every},)\n", **OUTSIDE)["tried"]


def agree(function, alone=False):
    arguments = tuple(GIVEN.values())
    native, numba = Native(function, *arguments, alone=alone), Numba(function, *arguments)
    assert str(native.returns) == str(numba.returns)
    for given in (arguments, OTHER):
        found, expected = run_both(native, numba, given)
        assert found == expected
    return native, numba


@pytest.mark.parametrize("alone", [False, True])
def test_expressions(alone):
    lines = [f"    r{place} = {each}\n" for place, each in enumerate(bodies(EXPRESSIONS))]
    names = ", ".join(f"r{place}" for place in range(len(lines)))
    text = f"def tried({', '.join(GIVEN)}):\n{''.join(lines)}    return ({names})\n"
    agree(written(text, **OUTSIDE)["tried"], alone)


def test_statements():
    agree(together(list(map(source, bodies(BODIES)))))


def test_helpers():
    """Each in a module of its own, because they give the same names to other things."""
    functions = {}
    for place, text in enumerate(MODULES.split("---\n")):
        text = text.replace("def tried():", f"def tried({', '.join(GIVEN)}):")
        functions[f"part{place}"] = written(text, **OUTSIDE)["tried"]
    calls = ", ".join(f"{name}({', '.join(GIVEN)})" for name in functions)
    agree(written(f"def tried({', '.join(GIVEN)}):\n    return ({calls},)\n", **functions)["tried"])


@pytest.mark.parametrize("body", bodies(LEFT_TO_NUMBA))
def test_what_is_left_to_numba(body):
    with pytest.raises(Unknown):
        returned(written(source(body), **OUTSIDE)["tried"], *GIVEN.values())


# --- the source ----------------------------------------------------------------------------------------------------


def test_two_functions_in_a_line_are_left_to_numba():
    space = written("g = lambda x: x + 1; h = lambda x: x + 2\ndef tried(n):\n    return h(n)\n")
    with pytest.raises(Unknown, match="whose source"):
        returned(space["tried"], np.int64(1))


@pytest.mark.parametrize(
    "after",
    [
        "def f(n):\n    return n + 2\n",
        "def f(n, *m):\n    return n + 1\n",
        "\n\ndef f(n):\n    return n + 1\n",
        "",
        "def f(n:\n",
    ],
)
def test_a_file_that_was_edited_is_left_to_numba(after, tmp_path, monkeypatch):
    file = tmp_path / "edited_functor.py"
    file.write_text("def f(n):\n    return n + 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    function = importlib.import_module("edited_functor").f
    del sys.modules["edited_functor"]
    file.write_text(after)
    with pytest.raises(Unknown, match="whose source"):
        returned(function, np.int64(1))


def test_a_function_without_a_file_is_left_to_numba():
    space = {}
    exec("def f(n):\n    return n + 1\n", space)
    with pytest.raises(Unknown, match="whose source"):
        returned(space["f"], np.int64(1))


def test_a_global_with_the_name_of_a_builtin_that_numba_wants_unchanged_is_left_to_numba():
    space = written("range = max\ndef f(n):\n    return range(n, 5)\n")
    with pytest.raises(Unknown):
        returned(space["f"], np.int64(1))


def test_a_name_that_a_class_changes_is_left_to_numba():
    space = written("__K = 1\n_C__K = 2\nclass C:\n    def f(n):\n        return n + __K\n")
    with pytest.raises(Unknown, match="the name __K"):
        returned(space["C"].f, np.int64(1))


def test_an_array_that_may_not_be_written_to():
    function = written("def f(a):\n    a[0] = 1\n    return a[0]\n")["f"]
    with pytest.raises(Unknown, match="read-only"):
        Module().specialize(function, [array(INT64, 1, False)], strict=True)


# --- through the whole pipeline ------------------------------------------------------------------------------------

LATE = 2


def last_of(x):
    for j in range(x):
        last = j
    return last


def negative(i, a):
    if a[i] > LATE:
        last = last_of(a[i])
    elif a[i] == Shade.DARK - LATE:
        last = a[i] ** 2
    else:
        last = a[i] % 3.5 - 1
    return (last, i)[0]


def test_transform_with_what_is_left_to_numba():
    a = np.arange(6) - 1
    with pytest.raises(Unknown):
        returned(negative, np.int64(1), a)
    found = mg.primitives.transform(negative, count=6, a=a, device="cpu")
    assert found.dtype == np.float64
    assert found.tolist() == [a[i] % 3.5 - 1 if a[i] < 2 else 4 if a[i] == 2 else a[i] - 1 for i in range(6)]


def narrow(i, a):
    x = a[i]
    y = x * x
    x = 0.5
    return y


def test_transform_has_the_dtype_of_what_was_assigned_last():
    a = np.array([0.1, 3.0], np.float32)
    found = mg.primitives.transform(narrow, count=2, a=a, device="cpu")
    assert found.dtype == np.float32
    assert found.tolist() == (a * a).tolist()


class Values(mg.Problem):
    state = mg.vertex_field(np.int32)
    y = mg.vertex_field(np.int32)
    limit = mg.parameter(np.int64, default=3)


class Uses(mg.Functor):
    def apply(vertex, state, y, limit):
        kind = state[vertex] in (1, 4) if state[vertex] == Shade.DARK else False
        y[vertex] = 2.9 * kind + limit

    def until(iteration):
        return iteration in (2, 3)


class Steps(mg.Enactor, problem=Values, functor=Uses):
    def step(self, frontier):
        self.compute(frontier)


def test_an_enactor_with_what_is_left_to_numba():
    steps = Steps(mg.generate.path(4, device="cpu"), max_iterations=9)
    steps.problem.state = np.array([4, 1, 4, 0])
    steps.run()
    assert steps.problem.y.tolist() == [5, 3, 5, 3]
