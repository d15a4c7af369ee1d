"""What compiled code depends on: a change of any of it is seen, in a process and between two."""

import enum
import math
from collections import namedtuple

import numpy as np
import pytest
from numba import njit, types
from numba.extending import intrinsic

import minigr as mg
from minigr.errors import FunctorError
from minigr.jit import capture
from tests.jit import helpers
from tests.jit.test_cache import result, start


def of_global(value):
    scope = {"K": value}
    exec("def f(i):\n    return K", scope)
    return scope["f"]


def of_cell(value):
    return lambda i: value


def of_code(value):
    scope = {}
    exec(f"def f(i):\n    return {value}", scope)
    return scope["f"]


def of_helper(value):
    helper = of_code(value)
    return lambda i: helper(i)


def of_compiled_helper(value):
    helper = njit(of_code(value))
    return lambda i: helper(i)


def of_default(value):
    def helper(i, k=value):
        return k

    return lambda i: helper(i)


def of_default_of_a_helper_of_a_helper(value):
    function = of_default(value)
    return lambda i: function(i)


def of_default_of_a_function_within(value):
    def helper(i):
        def within(i, k=value):
            return k

        return within(i)

    return lambda i: helper(i)


def of_tuple(value):
    both = (value, 3 - value)
    return lambda i: both[0]


def of_nested_tuple(value):
    nested = (0, (0, value))
    return lambda i: nested[1][1]


def of_order_of_fields(value):
    pair = namedtuple("Pair", ("x", "y") if value == 1 else ("y", "x"))(1, 2)
    return lambda i: pair.x


def of_order_of_fields_of_a_class(value):
    Pair = namedtuple("Pair", ("x", "y") if value == 1 else ("y", "x"))
    return lambda i: Pair(1, 2).x


def of_member(value):
    class Color(enum.IntEnum):
        RED = value

    red = Color.RED
    return lambda i: red + 0


def of_enum(value):
    class Color(enum.IntEnum):
        RED = value

    return lambda i: Color.RED + 0


def of_type_of_a_number(value):
    number = 1 if value == 1 else 1.0
    return lambda i: 1 if number * (1 << 62) * 4 == 0 else 2


def of_width_of_a_number(value):
    number = np.int64(1 << 31) if value == 1 else np.float64(1 << 31)
    return lambda i: 1 if number * number * 4 == 0 else 2


def of_sign_of_zero(value):
    zero = 0.0 if value == 1 else -0.0
    return lambda i: 1 if math.copysign(1.0, zero) > 0 else 2


def of_built_in(value):
    picked = min if value == 1 else max
    return lambda i: picked(1, 2)


KINDS = {name: make for name, make in globals().items() if name.startswith("of_")}


@pytest.mark.parametrize("kind", KINDS)
def test_digests_tell_apart(kind):
    first, again, other = (capture.digest(KINDS[kind](value)) for value in (1, 1, 2))
    assert first == again
    assert first != other


VALUES = """
import sys
import numpy as np
import minigr as mg
from tests.jit.test_capture import KINDS
for value in map(int, sys.argv[1:]):
    print(*(int(mg.primitives.transform(make(value), count=1, dtype="int64")[0]) for make in KINDS.values()))
"""


def test_changes_are_seen_in_a_process_and_between_two(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(VALUES)
    count = len(KINDS)
    assert result(start(script, tmp_path / "cache", "1", ["1"])) == ["1"] * count
    assert result(start(script, tmp_path / "cache", "2", ["2", "1"])) == ["2"] * count + ["1"] * count


def changed_code(function):
    function.__code__ = of_code(3).__code__


def changed_default(function):
    helper = function.__closure__[0].cell_contents
    helper.__defaults__ = (3,)


def changed_cell(function):
    function.__closure__[0].cell_contents = 3


def changed_global(function):
    function.__globals__["K"] = 3


def new_global(function):
    function.__globals__["min"] = max  # a built-in until then


@pytest.mark.parametrize(
    ("make", "change"),
    [
        (of_code, changed_code),
        (of_default, changed_default),
        (of_cell, changed_cell),
        (of_global, changed_global),
        (lambda value: eval("lambda i: min(i, 2)", {}), new_global),
    ],
)
def test_changes_of_a_function_are_seen(make, change):
    function = make(1)
    before = capture.digest(function)
    assert capture.digest(function) is before  # which is quick
    change(function)
    assert capture.digest(function) != before


ALIKE = [(1, True, 1.0, np.int32(1), np.int64(1), np.float32(1), np.bool_(True)), (0.0, -0.0, np.float64(0))]


@pytest.mark.parametrize("values", ALIKE)
def test_digests_tell_types_and_signs_apart(values):
    digests = {capture.digest(of_cell(value)) for value in values}
    digests |= {capture.digest(of_cell((0, (value,)))) for value in values}
    assert len(digests) == 2 * len(values)


def test_not_a_number_is_equal_to_itself():
    assert len({capture.digest(of_cell(float(text))) for text in ("nan", "nan")}) == 1


helpers_outer = helpers.outer


def of_names(x):
    return helpers_outer(x) in {"alpha", "beta", "gamma", "delta"}


DIGEST = """
from minigr.jit import capture
from tests.jit import test_capture
print(capture.digest(test_capture.of_names))
"""


def test_digests_do_not_depend_on_the_process(tmp_path):
    script = tmp_path / "digest.py"
    script.write_text(DIGEST)
    digests = {result(start(script, tmp_path / "cache", seed))[0] for seed in "12"}
    assert digests == {capture.digest(of_names)}


def test_digests_depend_on_what_helpers_read(monkeypatch):
    seen = {capture.digest(of_names)}
    for name, value in (("SCALE", 4), ("SCALE", 4.0), ("SCALE", True), ("PAIR", (2, 6)), ("PAIR", (2, 6.0))):
        monkeypatch.setattr(helpers, name, value)
        seen.add(capture.digest(of_names))
    monkeypatch.setattr(helpers, "inner", lambda x: x)
    seen.add(capture.digest(of_names))
    assert len(seen) == 7


def test_what_is_known_of_functions_that_are_gone_is_dropped(monkeypatch):
    monkeypatch.setattr(capture, "_MOST_KNOWN", 50)
    for _ in range(120):
        capture.digest(lambda x: x)
    assert 0 < len(capture._known) <= 50


# --- what is refused --------------------------------------------------------------------------------------------------


class Settings:
    K = 3


@intrinsic
def own_intrinsic(context):
    return types.int64(), lambda context, builder, signature, arguments: context.get_constant(types.int64, 1)


def plain(x):
    return x // 2


def keyword_only(x, *, k=3):
    return x + k


@pytest.mark.parametrize(
    ("helper", "what"),
    [
        (njit(fastmath=True)(plain), "calls 'helper', .*fastmath=.*leave the options out"),
        (njit(error_model="python")(plain), "error_model='python'"),
        (njit(boundscheck=True)(plain), "boundscheck=True"),
        (njit(parallel=True)(plain), "parallel=True"),
        (njit("float64(float64)")(plain), r"signatures=\['\(float64,\)"),
        (njit(locals={"x": types.float32})(plain), "locals="),
        (keyword_only, "keyword_only .*keyword-only parameters"),
        (Settings, "the class Settings"),
        (Settings(), "a Settings from outside"),
        (own_intrinsic, "a _Intrinsic from outside"),
        ((plain, plain), "which holds a function"),
        ([].append, "a builtin_function_or_method from outside"),
    ],
)
def test_what_compiled_code_would_not_keep_to_is_refused(helper, what):
    with pytest.raises(FunctorError, match=what):
        capture.digest(lambda x: helper(x))


def test_options_that_change_nothing_are_left_to_helpers():
    def calls(helper):
        return lambda x: helper(x)

    for options in ({}, {"error_model": "numpy"}, {"inline": "always"}, {"nogil": True}, {"fastmath": False}):
        assert capture.digest(calls(njit(**options)(plain))) == capture.digest(calls(plain))


# --- enactors that keep their plan ------------------------------------------------------------------------------------

STEP = 1


class Values(mg.Problem):
    y = mg.vertex_field(np.int32)


class Raised(mg.Functor):
    def apply(vertex, y):
        y[vertex] += STEP

    def until(iteration):
        return iteration >= 1


class Raise(mg.Enactor, problem=Values, functor=Raised, steady=True):
    def step(self, frontier):
        self.compute(frontier)


def test_steady_enactors_see_changes(device, monkeypatch):
    enactor = Raise(mg.generate.path(3, device=device))
    for step in (1, 1, 2, 1):
        monkeypatch.setitem(globals(), "STEP", step)
        enactor.problem.y[:] = 0
        enactor.run()
        assert enactor.problem.y.tolist() == [step] * 3
