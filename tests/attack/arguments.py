"""Call every public function and method with arguments of which some are hostile: types, shapes, sizes, strings.

A fault is one of these: an exception that a caller can't know of (none of `minigr.errors`, no TypeError, ValueError,
MemoryError or OSError), or whose message is about internals; a return for an argument that is plainly wrong; a call
that does not end; a crash. A child process runs some hundred trials, so that a crash can be attributed to one trial.
Equal faults of one function are reported once.
"""

from __future__ import annotations

import faulthandler
import inspect
import operator
import os
import random
import re
import resource
import select
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import minigr as mg
from minigr import errors
from minigr.device import CPU
from tests.attack.report import Report

_CHUNK = 250  # trials of one child
_SECONDS = 600.0  # for one trial, which may compile many programs while others use the machine
_MEMORY = 12 << 30
_OURS = tuple(value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, Exception))
_ALLOWED = (*_OURS, TypeError, ValueError, MemoryError, OSError)  # an IndexError is also allowed for an index
_INSIDE = re.compile(
    r"has no attribute|'NoneType' object|[Nn]umba|object is not subscriptable|cannot unpack|_[a-z]+\(\)"
)


# --- the functions that are called ------------------------------------------------------------------------------------


class Fields(mg.Problem):
    level = mg.vertex_field(np.int32, fill=-1)
    flow = mg.edge_field(np.float32)
    total = mg.scalar_field(np.int64)
    limit = mg.parameter(np.float64, default=1.0)


class Functions(mg.Functor):
    def cond_advance(dst, level):
        return level[dst] < 0

    def cond_target(dst, level):
        return level[dst] < 0

    def apply_advance(dst, iteration, level):
        level[dst] = iteration

    def cond_filter(vertex):
        return vertex > 1

    def apply(vertex):
        return vertex

    def map(dst):
        return dst

    def apply_reduce(vertex, value):
        return value

    def apply_count(count):
        return count


class Search(mg.Enactor, problem=Fields, functor=Functions):
    def start(self, source=0, level=0):
        frontier = mg.Frontier.of(source)
        self.problem.level = level
        return frontier

    def step(self, frontier):
        return self.advance(frontier)


def static() -> Any:
    return mg.Graph.from_edges([0, 1, 2, 2, 3], [1, 2, 0, 3, 4], np.ones(5, np.float32), num_vertices=6, device="cpu")


def dynamic() -> Any:
    return mg.DynamicGraph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], num_vertices=6, in_edges=True, device="cpu")


def batch() -> Any:
    return mg.GraphBatch.from_graphs([mg.generate.cycle(3, device="cpu"), mg.generate.path(4, device="cpu")])


def labels() -> Any:
    return mg.Labels(["a", "b", "c"])


def levels() -> Any:
    class Kept(Search, keeps_levels=True):
        def step(self, frontier):
            return self.advance(frontier, duplicates="remove")

    search = Kept(static())
    search.run(0)
    return search.levels


def _assigned(value: Any) -> None:
    Fields(static()).level = value


def _ran(source: Any = 0, level: Any = 0, driver: Any = "auto", max_iterations: Any = None) -> None:
    Search(static(), driver=driver, max_iterations=max_iterations).run(source, level=level)


def _problem(graph: Any, level: Any = None, limit: Any = 1.0) -> Any:
    return Fields(graph, limit=limit, **({} if level is None else {"level": level}))


def _declared(dtype: Any, fill: Any = 0) -> Any:
    return type("Declared", (mg.Problem,), {"field": mg.vertex_field(dtype, fill)})(static())


def targets() -> dict[str, Callable[[], Callable[..., Any]]]:
    """The callables by name: for each, a function that returns it, with a new object if it is a method."""
    found: dict[str, Callable[[], Callable[..., Any]]] = {}
    apps = [name for name in mg.__all__ if str(mg._HOMES.get(name, "")).startswith("minigr.apps.")]
    for name in (*apps, "read", "from_table", "Labels"):
        found[f"mg.{name}"] = partial(getattr, mg, name)
    modules = {"operators": None, "generate": None, "primitives": None, "batch": None, "dynamic": None}
    skipped = ("Frontier", "Maintained", "Step", "Update", "map", "local_cluster", "write", "batch_files")
    for module in modules:
        for name in getattr(mg, module).__all__:
            if name not in skipped:
                found[f"mg.{module}.{name}"] = partial(getattr, getattr(mg, module), name)
    for kind, make, names in (
        (mg.Graph, static, ("from_edges", "from_csr", "from_networkx", "from_scipy")),
        (mg.Graph, static, ("neighbors", "has_edges", "to", "to_edges", "in_edges", "max_degree", "longest_row")),
        (mg.DynamicGraph, dynamic, ("from_edges", "from_graph", "insert_edges", "delete_edges", "delete_vertices")),
        (mg.DynamicGraph, dynamic, ("insert_vertices", "has_edges", "edge_weights", "neighbors", "rehash")),
        (mg.GraphBatch, batch, ("from_edges", "from_graph", "from_graphs", "reduce", "split", "vertices", "to")),
        (mg.Labels, labels, ("id", "ids", "series", "__getitem__")),
        (mg.Frontier, partial(mg.Frontier.of, [1, 3]), ("of", "of_edges", "from_mask", "of_levels", "mask", "dense")),
        (mg.Enactor, partial(Search, static()), ("run", "run_for_output")),
    ):
        for name in names:
            found[f"mg.{kind.__name__}.{name}"] = lambda make=make, name=name: getattr(make(), name)
    own = {
        "DynamicGraph": mg.DynamicGraph,
        "Problem": _problem,
        "problem.field =": _assigned,
        "vertex_field": _declared,
    }
    for name, call in {**own, "Enactor.run": _ran, "device.resolve": mg.device.resolve}.items():
        found[f"mg.{name}"] = lambda call=call: call
    return found


# --- their arguments --------------------------------------------------------------------------------------------------


def anything(value: Any) -> bool:
    return True


def nothing(value: Any) -> bool:
    return False


def whole(low: int, high: int) -> Callable[[Any], bool]:
    """Whether a value is a whole number of any type from `low` to `high`."""

    def accepts(value: Any) -> bool:
        try:
            return low <= operator.index(value) <= high
        except TypeError:
            return False

    return accepts


def one_of(*words: Any) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and value in words


def real(value: Any) -> bool:
    """Whether a value is one number."""
    return not isinstance(value, (str, bytes, np.str_, np.bytes_)) and np.ndim(np.asarray(value, object)) == 0


def ids(count: int) -> Callable[[Any], bool]:
    """Whether a value is a whole number below `count`, or an array of them."""

    def accepts(value: Any) -> bool:
        try:
            array = np.asarray(list(value) if isinstance(value, range) else value)
        except (TypeError, ValueError):
            return False
        return array.size == 0 or (array.dtype.kind in "iub" and array.min() >= 0 and array.max() < count)

    return accepts


_NEVER = one_of()
# For each parameter, by its name: right values, and a function that says whether another value may be accepted.
PARAMETERS: dict[str, tuple[list[Callable[[], Any]], Callable[[Any], bool]]] = {
    "graph": ([static, dynamic], nothing),
    "batch": ([batch], nothing),
    "problem": ([lambda: Fields(static()), lambda: Fields(dynamic())], nothing),
    "frontier": ([mg.Frontier.all_vertices, partial(mg.Frontier.of, [0, 2]), mg.Frontier.all_edges], nothing),
    "functor": ([lambda: Functions], lambda value: value is None),
    "levels": ([levels], nothing),
    "source": ([lambda: 0, lambda: np.int64(2)], ids(6)),
    "sources": ([lambda: [0, 2], lambda: None], lambda value: value is None or ids(6)(value)),
    "target": ([lambda: 4, lambda: np.int64(5)], whole(0, 5)),
    "heuristic": ([lambda: None, lambda: [0.0] * 6], anything),
    "start": ([lambda: 0.5, lambda: -np.inf], real),
    "duration": ([lambda: 1, lambda: np.ones(10)], anything),
    "block": ([lambda: 2, lambda: 100], whole(1, 1 << 70)),
    "starts": ([lambda: [0, 2]], ids(6)),
    "vertices": ([lambda: [0, 2]], anything),
    "driver": ([lambda: "auto", lambda: "host", lambda: "fused"], one_of("auto", "host", "fused")),
    "recompute": ([lambda: "auto", lambda: "always"], one_of("auto", "always", "never")),
    "direction": ([lambda: "out", lambda: "push", lambda: "pull"], one_of("out", "in", "push", "pull", "auto")),
    "duplicates": ([lambda: "remove", lambda: "keep"], one_of("remove", "impossible", "keep")),
    "balance": ([lambda: "auto", lambda: "merge"], one_of("auto", "thread", "tile", "warp", "block", "merge")),
    "output": ([lambda: "vertices", lambda: None], lambda value: value is None),
    "reduce": ([lambda: "add", lambda: "max"], lambda value: value is None),
    "scalar_reduce": ([lambda: "add", lambda: ("max",)], anything),
    "since": ([lambda: None], lambda value: value is None),
    "by": ([lambda: "vertex", lambda: "position"], nothing),
    "into": ([lambda: "level", lambda: "total"], lambda value: value is None),
    "scalar": ([lambda: "total", lambda: None], lambda value: value is None or len(value) == 0),
    "initial": ([lambda: 0, lambda: None], lambda value: value is None or real(value)),
    "method": ([lambda: "pull", lambda: "push"], one_of("pull", "push", "residual")),
    "precision": ([lambda: "auto"], one_of("auto", "single", "double")),
    "op": ([lambda: "add", lambda: "max"], callable),
    "kind": ([lambda: "vertices"], nothing),
    "max_iter": ([lambda: 3, lambda: 50], whole(0, 100)),
    "max_iterations": ([lambda: 3, lambda: None], lambda value: value is None or whole(0, 1 << 70)(value)),
    "tol": ([lambda: 1e-3], real),
    "damping": ([lambda: 0.85], lambda value: real(value) and 0 <= value < 1),
    "delta": ([lambda: None, lambda: 1.0], lambda value: value is None or (real(value) and value > 0)),
    "width": ([lambda: 1.0, lambda: 3], nothing),
    "k": ([lambda: 3], whole(0, 1 << 31)),
    "length": ([lambda: 4], whole(0, 100)),
    "samples": ([lambda: 2, lambda: None], lambda value: value is None or whole(0, 6)(value)),
    "num_vertices": ([lambda: 6, lambda: None], lambda value: value is None or whole(0, 1 << 31)(value)),
    "num_edges": ([lambda: 7], whole(0, 1 << 31)),
    "scale": ([lambda: 3], whole(0, 31)),
    "size": ([lambda: 6], whole(0, 1 << 62)),
    "count": ([lambda: 3, lambda: None], lambda value: value is None or whole(0, 1 << 62)(value)),
    "load_factor": ([lambda: 0.5, lambda: 4.0], real),
    "capacity": ([lambda: None, lambda: 100], lambda value: value is None or whole(0, 10**6)(value)),
    "expected_degrees": ([lambda: None, lambda: 40], anything),
    "expected_in_degrees": ([lambda: None], anything),
    "seed": ([lambda: 7], anything),
    "device": ([lambda: "cpu", lambda: CPU], lambda value: value is None),
    "src": ([lambda: [0, 1, 2], lambda: np.array([3, 4, 0])], ids(1 << 31)),
    "dst": ([lambda: [1, 2, 0], lambda: np.array([4, 5, 3], np.int32)], ids(1 << 31)),
    "weights": ([lambda: None, lambda: [1.0, 2.0, 3.0], lambda: (1, 9)], anything),
    "time": ([lambda: [1, 2, 3]], anything),
    "window": ([lambda: 2], anything),
    "offsets": ([lambda: np.array([0, 2, 3])], anything),
    "indices": ([lambda: np.array([1, 0, 1])], anything),
    "vertex_offsets": ([lambda: [0, 2, 6]], anything),
    "f": ([lambda: np.arange(3.0), lambda: lambda i: i + 1], anything),
    "values": ([lambda: np.arange(7.0), lambda: ["a", "b"]], anything),
    "mask": ([lambda: [True, False, True]], anything),
    "dtype": ([lambda: np.int32, lambda: "float64"], anything),
    "fill": ([lambda: 0], real),
    "level": ([lambda: 1], anything),
    "limit": ([lambda: 2.0], real),
    "label": ([lambda: "a"], lambda value: isinstance(value, str)),
    "table": ([lambda: {"src": [0, 1], "dst": [1, 2]}], anything),
    "progress": ([lambda: None], lambda value: value is None or callable(value) or isinstance(value, (bool, int))),
    "path": ([lambda: "no_such_file.mtx"], anything),
    "format": ([lambda: None, lambda: "matrix-market"], anything),
    "validate": ([lambda: True], anything),
    "graphs": ([lambda: [static(), mg.generate.path(3, device="cpu")]], anything),
}


class _Odd(np.ndarray):
    """A subclass of arrays."""


class _Number(int):
    """A subclass of numbers."""


class _Word(str):
    """A subclass of strings."""


def _frozen() -> Any:
    array = np.arange(3)
    array.flags.writeable = False
    return array


HOSTILE: list[Callable[[], Any]] = [
    *(
        partial(lambda value: value, value)
        for value in (
            None, True, 0, 1, 2, -1, 5, 6, 2**31 - 1, 2**31, 2**40, 2**63, 2**64, -(2**63), 10**30, 0.0, 0.5, 1.5, -0.5,
            float("nan"), float("inf"), float("-inf"), 1e308, 5e-324, 1 + 2j, "", "abc", "0", "auto", "level", "é\0\n",
            b"abc", ..., (), (1, 2), (0.5,), ("a", 1), range(3), slice(1, 2), NotImplemented, int, np.int32, mg.Problem,
            Fields, Functions, mg.Functor, len, frozenset((1, 2)), np, _Number(2), _Word("abc"),
        )
    ),
    *(
        partial(lambda kind, value: kind(value), kind, value)
        for kind, value in (
            (np.int8, 1), (np.uint8, 200), (np.int64, -1), (np.uint64, 2**63), (np.float16, 1), (np.float32, np.nan),
            (np.longdouble, 2), (np.complex64, 1), (np.bool_, True), (np.str_, "push"), (np.bytes_, b"x"),
            (np.datetime64, "2020-01-01"), (np.timedelta64, 3), (np.array, 2), (np.array, 1.5), (np.array, None),
        )
    ),
    lambda: [],
    lambda: [0, 1, 2],
    lambda: [0.0, 1.5],
    lambda: [1, [2, 3]],
    lambda: [None],
    lambda: ["a", "b"],
    lambda: [float("nan"), float("inf")],
    lambda: [2**70, -1],
    lambda: [0, 0, 0],
    lambda: {},
    lambda: {"a": 1},
    lambda: {0: 1.0},
    lambda: {1, 2},
    lambda: (i for i in range(3)),
    lambda: iter([1, 2]),
    lambda: object(),
    lambda: lambda *given, **options: None,
    lambda: bytearray(b"abc"),
    lambda: memoryview(b"abc"),
    lambda: np.zeros(0),
    lambda: np.zeros((2, 2)),
    lambda: np.zeros((3, 1), np.int32),
    lambda: np.zeros((0, 2), np.int64),
    lambda: np.arange(6, dtype=np.int8),
    lambda: np.arange(6, dtype=np.uint64) + np.uint64(2**63),
    lambda: np.arange(6, dtype=">i8"),
    lambda: np.arange(12)[::2],
    lambda: np.arange(6)[::-1],
    lambda: np.arange(3, dtype=np.float16),
    lambda: np.arange(3, dtype=np.longdouble),
    lambda: np.arange(3, dtype=np.complex128),
    lambda: np.array([True, False, True, False, True, False]),
    lambda: np.array([None, 1, "a"], object),
    lambda: np.array([1, 2], object),
    lambda: np.array(["a", "b"]),
    lambda: np.array([b"a"]),
    lambda: np.zeros(3, [("a", np.int32), ("b", np.float64)]),
    lambda: np.array(["2020-01-01"], "datetime64[D]"),
    lambda: np.ma.array([0, 1, 2], mask=[False, True, False]),
    lambda: np.arange(6).view(_Odd),
    lambda: np.matrix([[0, 1, 2]]),
    lambda: np.recarray(2, [("a", np.int32)]),
    lambda: np.array([np.nan, np.inf, -1.0]),
    lambda: np.full(6, -1),
    lambda: np.full(3, 2**31 - 1),
    lambda: np.broadcast_to(np.int32(1), (6,)),
    _frozen,
    static,
    dynamic,
    batch,
    labels,
    mg.Frontier.all_edges,
    partial(mg.Frontier.of, [0, 0]),
    partial(mg.Frontier.of, [99]),
    lambda: Fields(static()),
    lambda: Search(static()),
]  # fmt: skip


def draw(rng: random.Random) -> tuple[str, Callable[[], Any], list[str], list[str]]:
    """Draw one call: its name, a function that runs it, its arguments as text, and those that are plainly wrong."""
    known = targets()
    name = rng.choice(sorted(known))
    call = known[name]()
    try:
        parameters = list(inspect.signature(call).parameters.values())
    except ValueError:
        parameters = []
    arguments, options, words, wrong = [], {}, [], []
    for parameter in parameters:
        if parameter.kind is parameter.VAR_KEYWORD:
            if rng.random() < 0.1:
                options[f"unknown_{rng.choice('ab')}"] = rng.choice(HOSTILE)()
            continue
        needed = parameter.default is parameter.empty or parameter.kind is parameter.VAR_POSITIONAL
        if not needed and rng.random() < 0.6:
            continue
        right, accepts = PARAMETERS.get(parameter.name, ([], anything))
        # Here `batch` is a number of edges; other functions have a parameter of the same name.
        if (name, parameter.name) == ("mg.stream", "batch"):
            right, accepts = [lambda: 2], anything
        hostile = not right or rng.random() < 0.35
        value = rng.choice(HOSTILE if hostile else right)()
        words.append(f"{parameter.name}={_shown(value)}")
        if hostile and not _accepted(accepts, value) and not any(isinstance(value, type(make())) for make in right[:2]):
            wrong.append(parameter.name)
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
            arguments.append(value)
        else:
            options[parameter.name] = value
    return name, partial(call, *arguments, **options), words, wrong


def _accepted(accepts: Callable[[Any], bool], value: Any) -> bool:
    try:
        return bool(accepts(value))
    except (TypeError, ValueError, OverflowError):
        return False


def _shown(value: Any) -> str:
    text = " ".join(repr(value).split())
    kind = "" if isinstance(value, (int, float, str, tuple, list, type(None))) else f"{type(value).__name__}: "
    return kind + (text if len(text) < 70 else text[:67] + "...")


# --- trials -----------------------------------------------------------------------------------------------------------


def trial(seed: int, number: int) -> str | None:
    """A description of what was wrong with a trial's answer, or None."""
    name, call, words, wrong = draw(random.Random(f"{seed}:{number}"))
    text = f"{name}({', '.join(words)})"
    try:
        call()
    except _ALLOWED as error:
        message = str(error)
        if isinstance(error, _OURS):
            return None if len(message.splitlines()) <= 10 else f"{text}: a message of many lines: {message}"
        return f"{text}: {type(error).__name__}: {message}" if _INSIDE.search(message) else None
    except Exception as error:
        if type(error) is IndexError and name.endswith("__getitem__"):
            return None
        return f"{text}: {type(error).__name__}: {error}"
    return f"{text}: taken, but {' and '.join(wrong)} can't be right" if wrong else None


def _child(seed: int, first: int, count: int) -> None:
    """Run trials; print the number of each before it, and after it what was wrong."""
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    warnings.simplefilter("ignore")
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # so that text that a call prints is not read as an answer
    for number in range(first, first + count):
        print(f"begin {number}", file=out)
        fault = trial(seed, number)
        print(f"fault {number} {' '.join(fault.split())}" if fault else f"end {number}", file=out)


def _key(fault: str) -> str:
    """The common part of faults of one kind: the function, and the beginning of its message."""
    name, _, said = fault.partition("(")
    return name + " " + re.sub(r"0x[0-9a-f]+|\d+|'[\w.]+' object", "#", said.rpartition("): ")[2])[:60]


def attack(count: int, seed: int, report: Report) -> None:
    """Run `count` trials of `seed`."""
    seen: set[str] = set()

    def tell(number: int, fault: str) -> None:
        if _key(fault) not in seen:
            seen.add(_key(fault))
            report.fault(f"{fault} [--seed {seed}, trial {number}]")

    first = 0
    with tempfile.TemporaryDirectory() as folder:
        while first < count:
            first = _chunk(seed, first, min(_CHUNK, count - first), folder, report, tell)


def _chunk(seed: int, first: int, count: int, folder: str, report: Report, tell: Callable[[int, str], None]) -> int:
    """Run trials in a child; return the number of the next trial."""
    command = [sys.executable, "-m", "tests.attack.arguments", str(seed), str(first), str(count)]
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    path = os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "MINIGR_DEVICE": "cpu"}
    with tempfile.TemporaryFile("w+") as said:
        child = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said
        )
        assert child.stdout is not None
        number, running, rest = first - 1, False, b""
        while True:
            ready, _, _ = select.select([child.stdout], [], [], _SECONDS)
            if not ready:
                child.kill()
                tell(number, f"trial {number}(): no end within {_SECONDS:.0f} s")
                break
            more = os.read(child.stdout.fileno(), 1 << 16)
            if not more:
                break
            *lines, rest = (rest + more).split(b"\n")
            for line in lines:
                word, _, text = line.decode(errors="replace").partition(" ")
                number, _, fault = int(text.split()[0]), *text.partition(" ")[1:]
                running = word == "begin"
                if not running:
                    report.tried()
                if word == "fault":
                    tell(number, fault)
        child.wait()
        said.seek(0)
        if running and child.returncode not in (0, -9):
            tell(number, f"trial {number}(): crash, {child.returncode}): {said.read()[-1500:]}")
        if running:
            report.tried()
    return number + 1


if __name__ == "__main__":
    _child(*map(int, sys.argv[1:4]))
