"""What a functor may read, and what it is told where it may not: functor, file and line, remedy."""

import linecache
import math
import random
import re
from enum import IntEnum

import numpy as np
import pytest
from numba import njit

import minigr as mg
from minigr.device import CPU
from minigr.errors import FunctorError
from minigr.jit.allowed import MATH
from tests.jit import helpers
from tests.jit.helpers import PAIR, Asserts, compilers, endless, failing, outer, ping
from tests.jit.native.both import bits, written


class Values(mg.Problem):
    x = mg.vertex_field(np.int64)
    y = mg.vertex_field(np.int64)
    ratio = mg.vertex_field(np.float64)
    offset = mg.parameter(np.int64, default=0)
    total = mg.scalar_field(np.int64)


class Shade(IntEnum):
    DARK = 4


FACTOR = 10
TABLE = np.arange(4)
NAMES = ["a"]


@njit
def compiled(x):
    return x + FACTOR


def run(device, functor, operator="compute", frontier=None, vertices=5, **options):
    problem = Values(mg.generate.path(vertices, device=device))
    problem.x = np.arange(vertices)
    frontier = mg.Frontier.all_vertices() if frontier is None else frontier
    getattr(mg.operators, operator)(problem, frontier, functor, **options)
    return CPU.asarray(problem.y).tolist()


def test_helpers_closures_and_constants(device):
    shift = 1000

    def local(x):
        return outer(x) + shift

    class Uses(mg.Functor):
        def apply(vertex, x, y, ratio):
            y[vertex] = local(x[vertex]) + compiled(vertex) + PAIR[0] + Shade.DARK + abs(min(-1, vertex))
            ratio[vertex] = math.sqrt(np.float64(vertex)) * math.pi

    expected = [outer(v) + 1000 + v + 10 + 2 + 4 + 1 for v in range(5)]
    assert run(device, Uses) == expected


class Results(mg.Problem):
    x = mg.parameter(np.float64)
    found = mg.array_field(np.float64)


def test_every_function_of_math(device):
    """What they compute, by whichever library has them on a device, also in a program that is read from the cache."""
    names = [name for name in MATH.split() if hasattr(math, name)]
    more = {
        "atan2": ", 2.0",
        "copysign": ", -2.0",
        "hypot": ", 2.0",
        "ldexp": ", 3",
        "nextafter": ", 2.0",
        "pow": ", 2.0",
    }
    calls = [f"math.{name}({'x + 1.0' if name == 'acosh' else 'x'}{more.get(name, '')})" for name in names]
    lines = [f"    found[{i}] = {call}\n" for i, call in enumerate(calls)]
    text = "import math\ndef apply(vertex, x, found):\n" + "".join(lines)
    linecache.cache["every function"] = len(text), None, text.splitlines(True), "every function"
    namespace = {}
    exec(compile(text, "every function", "exec"), namespace)
    functor = type("Every", (mg.Functor,), {"apply": namespace["apply"]})
    problem = Results(mg.generate.path(1, device=device), x=0.375, found=[0.0] * len(names))
    mg.operators.compute(problem, mg.Frontier.all_vertices(), functor)
    expected = [float(eval(call, {"math": math, "x": 0.375})) for call in calls]
    np.testing.assert_allclose(CPU.asarray(problem.found), expected, rtol=1e-14)


def computed(device, expressions, numbers, dtype):
    """What each of the expressions of x and y gives for all pairs of the numbers, computed by one functor."""
    pairs = [(x, y) for x in numbers for y in numbers]
    names = [f"found{i}" for i in range(len(expressions))]
    lines = [f"    {name}[vertex] = {each}\n" for name, each in zip(names, expressions, strict=True)]
    head = f"def apply(vertex, {', '.join(['first', 'second', *names])}):\n    x, y = first[vertex], second[vertex]\n"
    fields = {name: mg.vertex_field(dtype) for name in ("first", "second", *names)}
    problem = type("Numbers", (mg.Problem,), fields)(mg.generate.path(len(pairs), device=device))
    problem.first, problem.second = np.array(pairs, dtype).T
    functor = type("Computes", (mg.Functor,), {"apply": written(head + "".join(lines))["apply"]})
    mg.operators.compute(problem, mg.Frontier.all_vertices(), functor)
    return [CPU.asarray(getattr(problem, name)) for name in names]


def of_python(expression, numbers, dtype):
    """The same by Python, which raises where the functor gives NaN or an infinity."""

    def of(x, y):
        try:
            return eval(expression, {"math": math}, {"x": x, "y": y})
        except ZeroDivisionError:
            return x / np.float64(y) if expression == "x // y" else math.nan

    with np.errstate(all="ignore"):
        values = np.array(numbers, dtype).tolist()
        return np.array([of(x, y) for x in values for y in values]).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_quotients_and_remainders_of_floats(device, dtype):
    numbers = [0.0, -0.0, 1.0, -1.0, 0.3, -2.5, 7.0, 3e38, 1e-40, math.inf, -math.inf, math.nan]
    found = computed(device, ["x // y", "x % y", "divmod(x, y)[0]", "divmod(x, y)[1]"], numbers, dtype)
    expected = [of_python(each, numbers, dtype) for each in ("x // y", "x % y")]
    assert bits(found) == bits(expected * 2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_least_and_greatest_of_zeros_and_nan(device, dtype):
    numbers = [0.0, -0.0, 1.5, -math.inf, math.nan]
    expressions = ["min(x, y)", "max(x, y)", "min(x, y, 1.0)", "max(x, 1.0)"]
    found = computed(device, expressions, numbers, dtype)
    assert bits(found) == bits([of_python(each, numbers, dtype) for each in expressions])


def wrapped(number):
    """A whole number in 64 bits."""
    return (number + 2**63) % 2**64 - 2**63


def test_whole_numbers_wrap_around(device):
    """No compiler may take it that they don't. The last expression makes Numba compile all of them."""
    numbers = [0, 1, -1, 2**31, 2**62, -(2**63), 2**63 - 1]
    wholes = ["x * y", "x + y", "x - y", "-x", "x * 3 // 3"]
    tests = ["x * y != 0", "x + 1 > x", "x - 1 < x", "-x < 1", "x * 2 > x"]
    pairs = [(x, y) for x in numbers for y in numbers]
    for more in ([], ["divmod(x, 3)[1]"]):
        found = computed(device, [*wholes, *(f"1 if {each} else 0" for each in tests), *more], numbers, np.int64)
        expected = [
            [wrapped(x * y), wrapped(x + y), wrapped(x - y), wrapped(-x), wrapped(x * 3) // 3] for x, y in pairs
        ]
        assert [list(each) for each in zip(*(one.tolist() for one in found[:5]), strict=True)] == expected
        held = [
            [wrapped(x * y) != 0, wrapped(x + 1) > x, wrapped(x - 1) < x, wrapped(-x) < 1, wrapped(2 * x) > x]
            for x, y in pairs
        ]
        assert [list(each) for each in zip(*(one.tolist() for one in found[5:10]), strict=True)] == held


def halved(x):
    x /= 2
    return x


def test_whole_numbers_divided_in_place(device):
    class Divides(mg.Functor):
        def apply(vertex, x, y):
            x[vertex] /= 2
            y[vertex] = 4 * halved(vertex) + x[vertex]

    assert run(device, Divides) == [0, 2, 5, 7, 10]


def test_whole_numbers_to_whole_powers(device):
    """They wrap around, however large the power is."""
    numbers = [0, 1, -1, 2, 3, -7, 63, 65, 3037000501, 70001]
    squares, cubes, found, same, third, last = computed(
        device, ["x ** 2", "x ** 3", "x ** abs(y)", "pow(x, abs(y))", "x ** -3", "x ** (-2**63)"], numbers, np.int64
    )
    pairs = [(x, y) for x in numbers for y in numbers]
    assert squares.tolist() == [wrapped(x**2) for x, _ in pairs]
    assert cubes.tolist() == [wrapped(x**3) for x, _ in pairs]
    assert found.tolist() == same.tolist() == [wrapped(pow(x, abs(y), 2**64)) for x, y in pairs]
    assert [third[at] for at, (x, _) in enumerate(pairs) if x] == [x if abs(x) == 1 else 0 for x, _ in pairs if x]
    assert [last[at] for at, (x, _) in enumerate(pairs) if x] == [abs(x) == 1 for x, _ in pairs if x]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floats_to_whole_powers(device, dtype):
    """Where Python raises, they are infinite."""
    small = np.finfo(dtype).tiny
    numbers = [0.0, -0.0, small, -small, 1.5, -2.0, math.inf, -math.inf, math.nan]
    expressions = ["x ** -1", "x ** -2", "x ** -3", "x ** 2", "x ** 70000", "pow(x, int(-2**63))"]
    found = computed(device, expressions, numbers, dtype)
    values = np.repeat(np.array(numbers, dtype), len(numbers))
    with np.errstate(all="ignore"):
        expected = [np.float_power(values, power).astype(dtype) for power in (-1, -2, -3, 2, 70000, -(2.0**63))]
    assert bits(found) == bits(expected)


def test_whole_numbers_are_rounded_to_themselves(device):
    """Both by minigr's compiler and, as `round` is not known to it, by Numba's."""
    numbers = [0, 7, -7, 25, -35, 2**53 + 1, -(2**63), 2**63 - 1]
    same = ["math.floor(x)", "math.ceil(x)", "math.trunc(x)"]
    pairs = [(x, y) for x in numbers for y in numbers]
    for expressions in (same, [*same, "round(x)", "round(x, 1)"]):
        for found in computed(device, expressions, numbers, np.int64):
            assert found.tolist() == [x for x, _ in pairs]
    tens, hundreds, none = computed(device, ["round(x, -1)", "round(x, -2)", "round(x, -30)"], numbers[:6], np.int64)
    assert tens.tolist() == [round(x, -1) for x in numbers[:6] for _ in numbers[:6]]
    assert hundreds.tolist() == [round(x, -2) for x in numbers[:6] for _ in numbers[:6]]
    assert not none.any()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floats_are_rounded_to_digits(device, dtype):
    numbers = [0.0, -0.0, 2.5, -1234.5678, 3e38, 1e-40, math.inf, -math.inf, math.nan]
    expressions = [f"round(x, {digits})" for digits in (0, 1, 3, 20, 40, 400, -1, -3, -400)]
    found = computed(device, expressions, numbers, dtype)
    for got, each in zip(found, expressions, strict=True):
        np.testing.assert_allclose(got, of_python(each, numbers, dtype), rtol=np.finfo(dtype).eps)


def test_math_pow_of_whole_powers_is_that_of_float64(device):
    numbers = [0.0, 1.5, 2.5, -2.0, -3.0, 700.0]
    (found,) = computed(device, ["math.log2(math.pow(abs(x), int(y)))"], numbers, np.float32)
    with np.errstate(all="ignore"):
        expected = [np.log2(np.float_power(abs(x), int(y))) for x in numbers for y in numbers]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_changed_constants_are_seen(device, monkeypatch):
    class Scaled(mg.Functor):
        def apply(vertex, x, y):
            y[vertex] = helpers_scaled(x[vertex]) * FACTOR + PAIR[0]

    assert run(device, Scaled) == [(3 * v + 5) * 10 + 2 for v in range(5)]
    monkeypatch.setitem(globals(), "FACTOR", 100)
    assert run(device, Scaled) == [(3 * v + 5) * 100 + 2 for v in range(5)]
    monkeypatch.setitem(globals(), "PAIR", (7, 5))
    assert run(device, Scaled) == [(3 * v + 5) * 100 + 7 for v in range(5)]
    monkeypatch.setattr(helpers, "SCALE", 4)
    assert run(device, Scaled) == [(4 * v + 5) * 100 + 7 for v in range(5)]


helpers_scaled = helpers.inner


def test_inheritance(device):
    class Base(mg.Functor):
        def apply(vertex, y):
            y[vertex] = 1

        def cond_filter(vertex):
            return vertex > 2

    class Derived(Base):
        def apply(vertex, y):
            y[vertex] = 2

    assert run(device, Derived) == [2] * 5
    assert set(Derived.functions()) == {"apply", "cond_filter"}
    assert Derived.cond_filter is Base.cond_filter


class Ones(mg.Functor):
    def apply(vertex, y):
        y[vertex] = 1


class Twos(Ones):
    def apply(vertex, y):
        y[vertex] = 2


class StillOnes(Ones):
    pass


class Threes:
    def apply(vertex, y):
        y[vertex] = 3


@pytest.mark.parametrize(
    ("bases", "expected"),
    [((StillOnes, Twos), 2), ((Threes, Ones), 3), ((Threes, mg.Functor), 3), ((Ones, Threes), 1), ((Twos, Threes), 2)],
)
def test_several_bases_have_the_order_of_python(device, bases, expected):
    several = type("Several", bases, {})
    called = [0]
    several.apply(0, called)
    assert called == [expected]
    assert run(device, several) == [expected] * 5


def test_a_base_that_is_no_functor_is_checked_as_well():
    class Misspelt:
        def aply(vertex, y):
            y[vertex] = 1

    with pytest.raises(FunctorError, match=r"Wrong\.aply .*did you mean 'apply'"):
        type("Wrong", (Misspelt, mg.Functor), {})
    with pytest.raises(FunctorError, match="write it as a plain function"):
        type("Wrong", (type("Hides", (), {"apply": None}), Ones), {})


def test_functions_that_are_replaced_are_refused(device):
    class Fixed(Ones):
        pass

    for replace in (lambda: setattr(Fixed, "apply", Twos.apply), lambda: setattr(Ones, "aply", Twos.apply)):
        with pytest.raises(FunctorError, match="can't be set after the class statement: make a subclass"):
            replace()
    with pytest.raises(FunctorError, match=r"Ones\.apply can't be deleted"):
        del Ones.apply
    assert run(device, Fixed) == [1] * 5


# --- refused where the class is made ----------------------------------------------------------------------------------


def misspelt():
    class Wrong(mg.Functor):
        def cond_advanc(src):
            return True


def unknown():
    class Wrong(mg.Functor):
        def helper(src):
            return True


def with_self():
    class Wrong(mg.Functor):
        def apply(self, vertex):
            pass


def with_default():
    class Wrong(mg.Functor):
        def apply(vertex, y=3):
            pass


def with_star():
    class Wrong(mg.Functor):
        def apply(*vertices):
            pass


def keyword_only():
    class Wrong(mg.Functor):
        def apply(*, vertex):
            pass


def class_method():
    class Wrong(mg.Functor):
        @classmethod
        def apply(cls, vertex):
            pass


def precompiled():
    class Wrong(mg.Functor):
        apply = njit(lambda vertex: None)


def three_operands():
    class Wrong(mg.Functor):
        def reduce(a, b, c):
            return a


def instance():
    mg.Functor()


@pytest.mark.parametrize(
    ("define", "complaint"),
    [
        (misspelt, "did you mean 'cond_advance'"),
        (unknown, "use one of cond_advance, .*helpers go outside the class"),
        (with_self, "remove 'self'"),
        (with_default, "no default"),
        (with_star, "plain name"),
        (keyword_only, "plain name"),
        (class_method, "write it as a plain function"),
        (precompiled, "write it as a plain function"),
        (three_operands, "exactly two parameters"),
        (instance, "pass the class itself"),
    ],
)
def test_refused_definitions(define, complaint):
    with pytest.raises(FunctorError, match=complaint) as caught:
        define()
    if define not in (instance, class_method, precompiled):
        assert re.search(rf"Wrong\.\w+ \(.*test_functors\.py:{define.__code__.co_firstlineno + 2}\)", str(caught.value))


# --- refused when an operator gets it ---------------------------------------------------------------------------------


class UnknownField(mg.Functor):
    def apply(vertex, offse):
        pass


class UnknownName(mg.Functor):
    def apply(vertex, y):
        y[vertex] = undefined_name  # noqa: F821 (that no name is defined is what the functor is for)


class Raises(mg.Functor):
    def apply(vertex, y):
        if y[vertex] < 0:
            raise ValueError("negative")


class HelperAsserts(mg.Functor):
    def apply(vertex, y):
        y[vertex] = failing(vertex)


class HelperRecurses(mg.Functor):
    def apply(vertex, y):
        y[vertex] = endless(vertex)


class HelpersRecurse(mg.Functor):
    def apply(vertex, y):
        y[vertex] = ping(vertex)


class GlobalArray(mg.Functor):
    def apply(vertex, y):
        y[vertex] = TABLE[vertex]


class GlobalList(mg.Functor):
    def apply(vertex, y):
        y[vertex] = len(NAMES)


class UserModule(mg.Functor):
    def apply(vertex, y):
        y[vertex] = helpers.SCALE


class Uncompilable(mg.Functor):
    def apply(vertex, y):
        y[vertex] = {"a": vertex}["a"].nothing


class NoSuchFunction(mg.Functor):
    def apply(vertex, y):
        y[vertex] = np.no_such_function(vertex)


class Text(mg.Functor):
    def apply(vertex):
        return "text"


class Complex(mg.Functor):
    def apply(vertex):
        return 1j


class IntCondition(mg.Functor):
    def cond_filter(vertex):
        return vertex


class SometimesNothing(mg.Functor):
    def cond_filter(vertex):
        if vertex > 1:
            return True


class ReturnsFromApply(mg.Functor):
    def apply_filter(vertex):
        return vertex


GENERATOR, draw = np.random.default_rng(0), random.random


class DrawsByModule(mg.Functor):
    def apply(vertex, y):
        y[vertex] = random.random()


class DrawsByFunction(mg.Functor):
    def apply(vertex, y):
        y[vertex] = draw()


class DrawsByGenerator(mg.Functor):
    def apply(vertex, y):
        y[vertex] = GENERATOR.random()


class Allocates(mg.Functor):
    def apply(vertex, y):
        y[vertex] = np.zeros(3)[0]


class WantsWeight(mg.Functor):
    def cond_advance(weight):
        return weight > 0


@pytest.mark.parametrize(
    ("functor", "operator", "complaint"),
    [
        (UnknownField, "compute", "parameter 'offse' is neither supplied .* nor a field .*; did you mean 'offset'"),
        (UnknownName, "compute", "reads 'undefined_name', which is not defined: correct it"),
        (Raises, "compute", "raises or asserts.*return a value that stands for the error"),
        (Asserts, "compute", "raises or asserts"),
        (HelperAsserts, "compute", "line [0-9]+ of .*helpers.py raises or asserts"),
        (HelperRecurses, "compute", r"endless \(.*helpers.py:\d+\) calls itself.*write a loop"),
        (HelpersRecurse, "compute", r"ping \(.*helpers.py:\d+\) calls itself"),
        (GlobalArray, "compute", "reads 'TABLE', a ndarray from outside: make it a field"),
        (GlobalList, "compute", "reads 'NAMES', a list from outside: make it a field"),
        (UserModule, "compute", r"reads the module 'helpers': import .* by name \(from tests.jit.helpers import"),
        (
            DrawsByModule,
            "compute",
            "reads the module 'random', but device code has no random numbers: draw them before",
        ),
        (DrawsByFunction, "compute", "reads 'draw', but device code has no random numbers: draw them before the run"),
        (DrawsByGenerator, "compute", "reads 'GENERATOR', but device code has no random numbers: .* in a field"),
        (Uncompilable, "compute", "makes a dict, which device code doesn't support: a functor may use"),
        (NoSuchFunction, "compute", "can't be compiled.*no_such_function"),
        (Allocates, "compute", r"can't be compiled: line \d+ of .*test_functors.py: there is no zeros"),
        (Text, "compute", "has a string, which device code doesn't support"),
        (Complex, "compute", "has a complex number, which device code doesn't support"),
        (IntCondition, "filter", "must return a bool"),
        (SometimesNothing, "filter", "must return a bool.*every path"),
        (ReturnsFromApply, "filter", "must return nothing"),
        (WantsWeight, "advance", "asks for 'weight', but the graph has no weights"),
    ],
)
def test_refused_functors(device, functor, operator, complaint):
    with pytest.raises(FunctorError, match=f"(?s){complaint}") as caught:
        run(device, functor, operator)
    if "Recurse" not in functor.__name__:
        assert re.search(rf"{functor.__name__}\.\w+ \(.*(test_functors|helpers)\.py:\d+\)", str(caught.value))


def test_a_refused_functor_is_refused_again(device):
    for _ in range(2):
        with pytest.raises(FunctorError, match="must return a bool"):
            run(device, IntCondition, "filter")


def test_fields_that_hide_what_operators_supply(device):
    class Hiding(mg.Problem):
        edge = mg.vertex_field(np.int32)

    class Reads(mg.Functor):
        def cond_advance(dst, edge):
            return edge[dst] > 0

    with pytest.raises(FunctorError, match="both supplied by the operator and a field"):
        mg.operators.advance(Hiding(mg.generate.path(3, device=device)), mg.Frontier.all_vertices(), Reads)


class Lengths(mg.Problem):
    länge = mg.vertex_field(np.int64)
    长 = mg.vertex_field(np.int64)


def test_names_in_other_alphabets(device):
    class Copies(mg.Functor):
        def apply(vertex, länge, 长):
            mg.atomic_add(长, vertex, länge[vertex] + 1)

    problem = Lengths(mg.generate.path(3, device=device))
    problem.länge = [4, 5, 6]
    mg.operators.compute(problem, mg.Frontier.all_vertices(), Copies)
    assert CPU.asarray(problem.长).tolist() == [5, 6, 7]


def test_a_cell_without_a_value(device):
    class Early(mg.Functor):
        def apply(vertex, y):
            y[vertex] = later

    with pytest.raises(FunctorError, match="reads 'later' of the function around it, which has no value yet"):
        run(device, Early)
    later = 3
    assert run(device, Early) == [later] * 5


def steps_of_nothing(vertex, x, y):
    for i in range(0, 8, x[vertex]):
        y[vertex] += i


@compilers
@pytest.mark.parametrize("threads", ["1", "3"])
def test_what_raises_while_it_runs_ends_the_whole_team(threads, monkeypatch, by):
    """On the CPU; a GPU doesn't notice. Only the first thread gets the vertex that raises, the others wait for it."""
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)

    class StepsOfNothing(mg.Functor):
        apply = by(steps_of_nothing)

    class Steps(mg.Enactor, problem=Values, functor=StepsOfNothing):
        def step(self, frontier):
            self.compute(frontier)

    graph = mg.generate.path(5000, device="cpu")
    steps = Steps(graph, max_iterations=3)
    steps.problem.x = np.arange(5000)
    with pytest.raises(FunctorError, match=r"raised ValueError: range.*; functors can't raise"):
        steps.run()
    steps.problem.x = np.full(5000, 4)
    steps.run()  # and the next team is whole
    assert (steps.problem.y[1:] % 4 == 0).all()
    assert steps.problem.y[0] == 12
