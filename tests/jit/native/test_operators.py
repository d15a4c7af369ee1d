"""Each operator for each pair of types: values and types are Numba's, bit by bit."""

import numpy as np
import pytest

from minigr.jit.native.types import Unknown
from tests.jit.native.both import Native, Numba, returned, run_both, written

ROUNDS = [
    (
        np.bool_(True),
        np.uint8(200),
        np.int32(-7),
        np.int64(-13),
        np.uint32(4000000000),
        np.uint64(2**63 + 5),
        np.float32(0.1),
        -2.7,
    ),
    (
        np.bool_(False),
        np.uint8(0),
        np.int32(-(2**31)),
        np.int64(-(2**63)),
        np.uint32(0),
        np.uint64(3),
        np.float32("nan"),
        -0.0,
    ),
    (
        np.bool_(True),
        np.uint8(255),
        np.int32(2**31 - 1),
        np.int64(2**63 - 1),
        np.uint32(5),
        np.uint64(2**64 - 1),
        np.float32("inf"),
        1e300,
    ),
    (
        np.bool_(True),
        np.uint8(1),
        np.int32(1),
        np.int64(0),
        np.uint32(1),
        np.uint64(0),
        np.float32(-0.0),
        float("nan"),
    ),
    (
        np.bool_(False),
        np.uint8(7),
        np.int32(0),
        np.int64(-1),
        np.uint32(7),
        np.uint64(2**53 + 1),
        np.float32(3e38),
        9007199254740992.0,
    ),
]
NUMBERS = ["b", "w", "i", "n", "v", "u", "f", "x"]
CONSTANTS = ["3", "-2", "1.5", "True"]
BINARY = {
    "sums": ("{} + {}", "{} - {}", "{} * {}"),
    "quotients": ("{} / {}", "{} // {}", "{} % {}"),
    "bits": ("{} & {}", "{} | {}", "{} ^ {}"),
    "comparisons": ("{} < {}", "{} >= {}", "{} != {}"),
    "choices": ("min({}, {})", "max({}, {})", "{} if b else {}"),
    "powers": ("math.pow({}, {})", "math.copysign({}, {})"),
}
SHIFTS = [
    f"{a} {op} {by}" for op in ("<<", ">>") for a in (*NUMBERS, "3", "-2")
    for by in ("0", "1", "31", "63", "(i & 31)", "(n & 63)", "np.uint64(n & 63)", "np.uint32(i & 31)")
]  # fmt: skip
CASTS = [
    "bool_",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float32",
    "float64",
    "intp",
    "uint",
]
OF_WHOLE = [f"np.{name}({a})" for name in CASTS for a in NUMBERS[:6]]
LOGIC = [
    "min(i, x, 1)",
    "max(f, n, 2, f)",
    "min(v, u, v)",
    "b and b",
    "b or not b",
    "(i < n) and (x < f)",
    "not i or n < 3",
    "i < n < x",
    "b and i < n <= u != f",
    "b or x",
]
OF_ALL = [
    form.format(a) for a in NUMBERS
    for form in ("-{}", "+{}", "~{}", "not {}", "abs({})", "float({})", "bool({})", "np.float32({})", "np.float64({})",
                 "math.sqrt({})", "math.fabs({})", "math.exp({})", "math.log({})", "math.log2({})", "math.log10({})",
                 "math.sin({})", "math.cos({})", "math.isnan({})", "math.isinf({})", "math.isfinite({})",
                 "1 if {} else 2")
]  # fmt: skip
OF_SMALL = [  # whole numbers of floats are those that fit
    f"{name}(min(max({a}, -1e2), 1e2))" for a in ("f", "x", "np.float32(x)")
    for name in ("int", "math.floor", "math.ceil", "math.trunc", "np.int8", "np.int32", "np.int64")
]  # fmt: skip


def made(expressions):
    """A function that computes each; Numba takes no branches within long tuples."""
    lines = "".join(f"    r{place} = {each}\n" for place, each in enumerate(expressions))
    results = "".join(f"r{place}, " for place in range(len(expressions)))
    return written(f"def tried({', '.join(NUMBERS)}):\n{lines}    return ({results})\n")["tried"]


def is_taken(expression):
    try:
        returned(made([expression]), *ROUNDS[0])
    except Unknown:
        return False
    return True


def compare(expressions, rounds=ROUNDS):
    function = made(expressions)
    native, numba = Native(function, *ROUNDS[0]), Numba(function, *ROUNDS[0])
    types = zip(expressions, native.returns.items, numba.returns.items, strict=True)
    assert [(text, str(a), str(b)) for text, a, b in types if a is not b] == []
    for given in rounds:
        (found, _), (expected, _) = run_both(native, numba, given)
        wrong = [each for each in zip(expressions, found, expected, strict=True) if each[1] != each[2]]
        assert wrong == [], given


@pytest.mark.parametrize(("group", "at_least"), [
    ("sums", 250), ("quotients", 180), ("bits", 140), ("comparisons", 250), ("choices", 100), ("powers", 60),
])  # fmt: skip
def test_two_numbers(group, at_least):
    constants = CONSTANTS if group != "choices" else ["3"]  # which are branches, that take Numba long
    operands = [(a, b) for a in (*NUMBERS, *constants) for b in (*NUMBERS, *constants) if {a, b} & set(NUMBERS)]
    expressions = [form.replace("{}", a, 1).replace("{}", b, 1) for form in BINARY[group] for a, b in operands]
    taken = [each for each in expressions if is_taken(each)]
    assert len(taken) >= at_least
    compare(taken)


def test_shifts():
    taken = [each for each in SHIFTS if is_taken(each)]
    assert len(taken) >= 80
    compare(taken)


def test_one_number():
    whole = [each for each in (*OF_WHOLE, *OF_ALL, *LOGIC) if is_taken(each)]
    assert len(whole) >= 190
    compare(whole)
    assert all(map(is_taken, OF_SMALL))
    compare(OF_SMALL, [ROUNDS[0], ROUNDS[2]])
