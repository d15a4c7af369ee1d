"""What a functor may contain: the same on both targets, in the same words. No program is run here.

Each case is a function's body over the same parameters. The CPU's compiler and numba-cuda's, which needs no GPU, get
it; both take it, or both refuse it with one message.
"""

import linecache
import math
from collections import namedtuple
from enum import IntEnum
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import minigr as mg
from minigr.errors import FunctorError
from minigr.jit import allowed, check, compile_cuda
from minigr.jit.arguments import Argument
from minigr.jit.compile_cpu import compile_program
from minigr.jit.functor import METHODS, bind_function

Pair = namedtuple("Pair", "first second")
ARGUMENTS = {
    "vertex": Argument("int32"),
    "a": Argument("int64", is_array=True),
    "b": Argument("float64", is_array=True),
    "i": Argument("int32", is_array=True),
    "k": Argument("int64"),
    "r": Argument("float64"),
    "rows": Argument("float32", is_array=True, columns=3),
    "small": Argument("uint8", is_array=True),
    "mask": Argument("bool", is_array=True),
}
ARCHITECTURE = 90
LAST, COLUMNS = -1, 3
IN_RANDOM = r"(numpy\.random\.)?(mtrand\.)?"  # what NumPy says, by its version


class Shade(IntEnum):
    DARK = 4


def plus(x, y=2):
    return x + y


def both(x):
    return x, x + 1


def element(field, index):
    return field[index]


def prints(x):
    print(x)
    return x


def spells(x):
    return len(f"{x}")


TAKEN = [
    "a[vertex] = (a[vertex] + k) * 3 // 2 % 7 - (k << 2) ^ ~k & 5",
    "b[vertex] = b[vertex] ** 2 / r - a[vertex] / k",
    "b[vertex] = abs(b[vertex]) + abs(k) + min(k, 3, r) + max(1, k) + round(r) + round(r, 2) + int(r) + float(k)",
    "a[vertex] = divmod(k, 3)[0] + pow(k, 2) + len((1, 2))",
    "b[vertex] = math.sqrt(r) + math.exp(r) + math.log(k) + math.floor(r) + math.atan2(r, 2) + math.pi + math.inf",
    "b[vertex] = np.log(r) + np.minimum(k, r) + np.maximum(k, 3) + np.hypot(r, r) + np.inf",
    "b[vertex] = np.float32(r) + np.int8(k) + np.uint64(k)",
    "a[vertex] = 1 if math.isnan(r) or not np.isnan(r) and k > 1 else 2",
    "a[vertex] = 3 < k < 9",
    "a[vertex] = (math.floor(r) & 3) + ~math.ceil(r) + (math.trunc(r) >> 1)",
    "s = 0\nfor j in range(10, k, -2):\n    if j == 5:\n        continue\n    s += j\na[vertex] = s",
    "s = 0\nfor n, j in enumerate(range(k)):\n    s += n * j\na[vertex] = s",
    "s = 0\nfor n, j in enumerate(range(k), 1):\n    s += n * j\na[vertex] = s",
    "s = 0\nfor n, j in zip(range(3), range(k)):\n    s += j\na[vertex] = s",
    "s = k\nwhile s > 0:\n    s -= 1\n    if s == 7:\n        break\nelse:\n    s = 3\na[vertex] = s",
    "x, y = both(k)\nx, y = y, x\na[vertex] = x + plus(y) + plus(x, y=3)",
    "x = (1, k, 2.5)\nb[vertex] = x[1] + x[-1] + x[1:][0]",
    "a[vertex] = Pair(k, 3).first + Pair(k, 3)[1]",
    "a[vertex] = (k, 1) < (1, 2)",
    "a[vertex] = k in (1, 2, 3)",
    "c = b\nc[vertex] = c[vertex] + 1",
    "if k > 1:\n    c = b\nelse:\n    c = b\nc[vertex] = 1",
    "c, d = a, b\nd[vertex] = c[vertex]",
    "b[vertex] = element(b, vertex)",
    "a[vertex] = Shade.DARK + 1\na[0] = Shade.DARK",
    "x = 1\nif k > 1:\n    x = 2.5\nb[vertex] = x",
    "a[vertex] += 1\na[vertex] *= 2",
    "b[a[vertex]] = b[np.uint64(k)]",
    "i[vertex] = r",
    "f = math.sqrt\nb[vertex] = f(r)",
    "f = lambda x: x + k\na[vertex] = f(3)",
    "def f(x, y=2):\n    return x * y + k\na[vertex] = f(3) + f(4, 5) + plus(1, y=2)",
    "mg.atomic_add(a, vertex, 1)\nmg.atomic_min(b, vertex, k)\nmg.atomic_cas(a, vertex, 1, k)",
    "if k > 2:\n    return\na[vertex] = 1",
    "if False:\n    print(k)\na[vertex] = 1",
    "'''What it does.'''\na[vertex] = 1",
    "rows[vertex, 2] = rows[k, a[vertex]] + 1\nrows[0, 0] *= 2\nrows[np.uint64(k), vertex] = 3",
    "place = (vertex, 1)\nrows[place] = rows[place] - divmod(k, 2)[0]",
    "c = rows\nc[vertex, k] = element(rows, (vertex, 1))",
    "mg.atomic_add(rows, (vertex, k), 1)\nmg.atomic_max(rows, both(1), 2)",
    "mask[vertex] = k\nmask[vertex] = not mask[vertex] and r > 0\nmask[vertex] = 0.5",
    "small[vertex] += 1\nsmall[vertex] = small[vertex] - 300 if mask[vertex] else r",
    "b[vertex] = small[vertex] * r + mask[vertex] + (mask[vertex] == small[vertex])",
    "pass",
]
REFUSED = {
    "print(vertex)": "line 2 of .* prints, which device code doesn't support: write the values to a field",
    "print('x', k, end='')": "line 2 of .* prints",
    "a[vertex] = prints(k)": r"line \d+ of .*test_subset.py prints",
    "a[vertex] = spells(k)": r"line \d+ of .*test_subset.py makes a string",
    "a[vertex] = len('abc')": "has a string",
    "a[vertex] = 'a' == 'b'": "has a string",
    "x = 'abc'\na[vertex] = 1": "has a string",
    "a[vertex] = len(str(k))": "uses str",
    "a[vertex] = input()": "uses input",
    "x = [1, k]\na[vertex] = x[0]": "line 2 of .* makes a list",
    "a[vertex] = sum([x for x in range(3)])": "uses sum|makes a list",
    "x = {1: k}\na[vertex] = x[1]": "makes a dict",
    "x = {1, k}\na[vertex] = len(x)": "makes a set",
    "x = np.zeros(3)\nb[vertex] = x[0]": r"line 2 of .*no zeros\(",
    "b[vertex] = np.random.random()": f"calls {IN_RANDOM}random, .*: draw before the run, and pass",
    "a[vertex] = np.random.randint(5)": f"calls {IN_RANDOM}randint",
    "np.random.seed(3)": f"calls {IN_RANDOM}seed",
    "b[vertex] = np.sqrt(r)": "calls np.sqrt, which device code doesn't support: use math.sqrt",
    "b[vertex] = np.power(r, 2)": r"calls np.power, .* use x \*\* y",
    "b[vertex] = np.sum(b)": "gives a whole field|calls .*sum",
    "b[vertex] = b.sum()": "reads .sum of a field",
    "b[vertex] = (b + b)[vertex]": "computes with a whole field",
    "a[vertex] = b.size": "reads .size of a field: .*length a parameter",
    "a[vertex] = len(b)": "gives a whole field to len",
    "b[vertex] = b[1:3][0]": "indexes a field by a slice",
    "b[1:3] = 0": "indexes a field by a slice",
    "b[vertex] = b[-1]": "indexes a field by -1: count indexes from the beginning",
    "b[-1] = 3": "indexes a field by -1",
    "b[vertex] = b[(vertex,)]": "indexes a field by",
    "b[math.floor(r) / 2] = a[vertex]": "line 2 of .* indexes a field by a float",
    "mg.atomic_max(a, r, 1)": "line 2 of .* indexes a field by a float",
    "mg.atomic_add(a, vertex)": r"write atomic_add\(array, index, value\), where array is a field",
    "mg.atomic_cas(a[vertex], 1, 2)": r"write atomic_cas\(array, index, expected, value\), where array is a field",
    "b[vertex] = float('inf')": "line 2 of .* has a string, which device code doesn't support: use math.inf",
    "b[vertex] = -float(' NaN')": "use math.nan",
    "b[vertex] = b[k > 1]": "there is no getitem",
    "b[k > 1] = 2": "there is no setitem",
    "rows[vertex] = 1": r"indexes 'rows' by one number, but 'rows' has the shape \(n, 3\): write rows\[i, k\]",
    "b[vertex] = element(rows, vertex)": r"line \d+ of .*test_subset.py indexes 'field' by one number",
    "b[vertex] = rows[vertex, 0, 1]": "indexes 'rows' by 3 numbers",
    "rows[vertex, k > 1] = 0": "indexes 'rows' by something else than whole numbers",
    "rows[vertex, 0:2] = 0": "indexes 'rows' by something else than whole numbers",
    "rows[(vertex,)] = 0": "indexes 'rows' by one number",
    "rows[vertex][1] = 0": "indexes 'rows' by one number",
    "rows[vertex, -1] = 0": "indexes a field by -1",
    "b[vertex, 0] = 1": r"by 2 numbers, but 'b' has the shape \(n,\): write b\[i\], or declare the field with columns=",
    "mg.atomic_add(rows, vertex, 1)": r"indexes 'rows' by one number, .* write atomic_add\(rows, \(i, k\), ...\)",
    "mg.atomic_add(b, (vertex, 1), 1)": r"indexes 'b' by 2 numbers, .* write atomic_add\(b, i, ...\)",
    "mg.atomic_add(a, -1, 1)": "line 2 of functor.py indexes a field by -1: count indexes from the beginning",
    "mg.atomic_cas(a, LAST, 1, 2)": "line 2 of functor.py indexes a field by -1",
    "mg.atomic_max(array=b, value=1, index=-2)": "line 2 of functor.py indexes a field by -2",
    "mg.atomic_add(rows, (-1, 0), 1)": "indexes a field by -1",
    "mg.atomic_add(rows, (vertex, -1), 1)": "indexes a field by -1",
    "mg.atomic_add(rows, (vertex, 3), 1)": "the column 3 of a field: the field has 3 columns, 0 to 2",
    "place = (vertex, -1)\nmg.atomic_add(rows, place, 1)": "line 3 of functor.py indexes a field by -1",
    "place = (vertex, 3)\nrows[place] += 1": "line 3 of functor.py reads or writes the column 3 of a field",
    "rows[vertex, 3] = 1": "line 2 of functor.py reads or writes the column 3 of a field: the field has 3 columns",
    "rows[vertex, COLUMNS] *= 2": "the column 3 of a field",
    "b[vertex] = rows[0, 99]": "the column 99 of a field",
    "mg.atomic_add(small, vertex, 1)": "float64, got one of uint8: declare it as int32",
    "mg.atomic_or(mask, vertex, True)": "int64, got one of bool: declare it as int32",
    "for x in rows:\n    a[vertex] = 1": "a field of float32 with 3 columns",
    "a[vertex] = len(rows)": "a field of float32 with 3 columns",
    "a[vertex] = rows.size": "a field of float32 with 3 columns",
    "b[vertex] = (rows + 1)[vertex, 0]": "a field of float32 with 3 columns",
    "a[plus] = 1": "there is no setitem",
    "a[vertex] = plus.__code__.co_argcount": "line 2 of .*__code__",
    "a[vertex] = 1 if plus else 2": "there is no bool",
    "a[vertex] = mg.jit.index_checks.first_word(k)": "Unknown attribute 'first_word'",
    "a[vertex] = 1.0 in b": "computes with a whole field",
    "a[vertex] = b is a": "computes with a whole field",
    "a[vertex] = b is None": "computes with a whole field",
    "for x in b:\n    a[vertex] = 1": "loops over a whole field",
    "for x in (1, 2):\n    a[vertex] = x": "loops over a tuple of 2: loop over a range",
    "a[vertex] = (1, 2, 3)[vertex]": "indexes a tuple by a variable",
    "a[vertex] = 1 << 70": "Int value is too large",
    "x = 1\nif k > 1:\n    x = 'a'\na[vertex] = 1": "line 4 of .* has a string",
    "x = None\nif k > 1:\n    x = k\nif x is not None:\n    a[vertex] = x": "None on one path and a number on another",
    "x = 1\nif k > 1:\n    x = (1, 2)\na[vertex] = x": "can't be compiled: .*unify",
    "try:\n    a[vertex] = 1\nexcept Exception:\n    a[vertex] = 2": "has try",
    "raise ValueError('x')": "raises or asserts",
    "assert k > 1": "raises or asserts",
    "def g(x):\n    raise ValueError\ng(3)": "line 3 of .* raises or asserts",
    "yield k": "yields",
    "with k:\n    pass": "has with",
    "import math\nb[vertex] = math.sqrt(r)": "imports",
    "global LAST\nLAST = k": "assigns to a global variable",
    "x, *y = (1, 2, 3)": r"unpacks with \*",
    "a[vertex] = plus(*both(k))": r"with \*arguments",
    "a[vertex] = (lambda: (yield))": "yields",
    "x = k\ndel x": "line 3 of functor.py has del, which device code doesn't support: leave it out",
    "def g(x, y=2):\n    return x * y\na[vertex] = g(3) + g(2, y=5)": "line 4 of .* gives y= by keyword to",
    "g = lambda x: x\na[vertex] = g(x=5)": "line 3 of .* gives x= by keyword .*: give the arguments by position",
    "if (x := k * 2) > 1:\n    a[vertex] = x": r"assigns within an expression \(:=\), .*: assign in a statement before",
    "b[vertex] = (1j * 1j).real": "has a complex number",
    "def f(x):\n    return f(x) if x else 0\na[vertex] = f(k)": "line 2 of .* that calls itself, .*: write a loop",
    "match (k, 1):\n    case (1, 1):\n        a[vertex] = 1": "line 3 of .* matches more than a number, .*: match each",
    "class C:\n    pass": "line 2 of .* defines a class, which device code doesn't support",
    "b[vertex] = Shade.DARK": "stores a member of an enumeration",
    "a[vertex] = max(True, k)": "gives a bool to max|there is no max",  # the second before Numba 0.63
    "a[vertex] = k == None": "computes with None",
    "a[vertex] = isinstance(k, int)": "uses isinstance",
    "a[vertex] = math.gcd(k, 3)": "calls gcd",
    "b[vertex] = math.factorial(k)": "can't be compiled",
    "b.fill(3)": "reads .fill of a field",
    "for x in np.ndindex(3):\n    pass": "calls numpy.ndindex",
    "b[vertex] = b[r]": "line 2 of .* indexes a field by a float: convert the index with int",
    "k[0] = 3": "there is no setitem",
    "return 'a'": "has a string",
    "return (1, 2)": "must return a number or nothing",
    "return b": "returns a whole field, but must return a number",
    "return plus": "returns a function, but must return a number",
    "if k > 1:\n    return 1": "on one path and nothing on another, but must return a number or nothing",
}


def bound(body):
    source = f"def apply({', '.join(ARGUMENTS)}):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    space = dict(globals())
    linecache.cache["functor.py"] = len(source), None, source.splitlines(keepends=True), "functor.py"
    exec(compile(source, "functor.py", "exec"), space)
    return bind_function(
        space["apply"], "F", "apply", METHODS["apply"], [name for name in ARGUMENTS if name != "vertex"]
    )


def on_cpu(body):
    names = ", ".join(ARGUMENTS)
    given = names.replace("rows", "row_field(rows, 3)")
    program = compile_program(f"{_IMPORT}\ndef run({names}):\n    return user({given})\n", {"user": bound(body)})
    program.packed(*map(value_of, ARGUMENTS.values()))


_IMPORT = "from minigr.jit.native.memory import row_field"


def value_of(argument):
    if argument.is_array:
        return np.zeros((1, argument.columns) if argument.columns else 1, argument.dtype)
    return np.dtype(argument.dtype).type(1)


def on_gpu(body):
    user = bound(body)
    check.refuse(user)
    arguments = [ARGUMENTS[name] for _, name in user.arguments]
    compile_cuda._compile_user("user_apply", user, arguments, ARCHITECTURE)


targets = pytest.mark.parametrize(
    "compile_body",
    [
        on_cpu,
        pytest.param(
            on_gpu, marks=pytest.mark.skipif(not find_spec("numba_cuda"), reason="numba-cuda is not installed")
        ),
    ],
)


@targets
@pytest.mark.parametrize("body", TAKEN)
def test_taken_on_both_targets(body, compile_body):
    compile_body(body)


@targets
@pytest.mark.parametrize("body", REFUSED)
def test_refused_on_both_targets_in_the_same_words(body, compile_body):
    """The same words: both are held against one pattern, and what one target says is what the other says."""
    with pytest.raises(FunctorError, match=f"(?s){REFUSED[body]}") as caught:
        compile_body(body)
    assert str(caught.value) == said(body)
    assert len(str(caught.value)) < 700
    assert str(caught.value).startswith("functor F.apply (functor.py:1)")


def said(body):
    """What the CPU says."""
    try:
        on_cpu(body)
    except FunctorError as error:
        return str(error)
    return ""


def test_the_documentation_lists_every_function():
    page = (Path(__file__).resolve().parents[2] / "docs" / "functors.md").read_text()
    names = [*allowed.BUILTINS, *allowed.MATH.split(), *allowed._NUMPY.split()]
    assert [name for name in names if f"`{name}`" not in page] == []


@pytest.mark.parametrize("name", ["sqrt", "exp", "floor", "isfinite", "expm1", "copysign"])
def test_functions_of_numpy_that_gpus_have_not_got_are_named_as_those_of_math(name):
    assert f"use math.{name}" in said(f"b[vertex] = np.{name}(r, r)" if name == "copysign" else f"b[0] = np.{name}(r)")
    assert math, np  # what the bodies read


def test_a_functor_that_prints_is_refused_and_can_be_called_as_a_function(capsys, device):
    class Values(mg.Problem):
        x = mg.vertex_field(np.int64)

    class Prints(mg.Functor):
        def apply(vertex, x):
            print(vertex, x[vertex])

    problem = Values(mg.generate.path(3, device=device))
    for _ in range(2):
        with pytest.raises(FunctorError, match=r"Prints.apply .* prints, which device code.*call the function"):
            mg.operators.compute(problem, mg.Frontier.all_vertices(), Prints)
    Prints.apply(1, [5, 6, 7])
    assert capsys.readouterr().out == "1 6\n"
