"""Debug mode: an index that is out of range for a field ends a run with an error that names its line."""

import inspect
import pickle
import re

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU
from minigr.errors import FieldIndexError, FunctorError, ProblemError
from minigr.program import cpu

SIZE = 3000
TABLE, AROUND = 100, 1000  # elements of the table, and of the array that it is a part of


class Walk(mg.Problem):
    seen = mg.vertex_field(np.int32)
    flow = mg.edge_field(np.float64)
    table = mg.array_field(np.float32)
    past = mg.parameter(np.int64, default=0)


def part_of(device, begin=100):
    """An array, and the part of it that is a field: an index that is not checked meets the rest of the array."""
    whole = mg.device.resolve(device).full(AROUND, 1, np.float32)
    return whole, whole[begin : begin + TABLE]


def walk(device, **values):
    whole, table = part_of(device)
    return Walk(mg.generate.path(SIZE, device=device), **{"table": table, **values}), whole


def line_of(function, mark):
    lines, first = inspect.getsourcelines(function)
    (found,) = (first + number for number, line in enumerate(lines) if mark in line)
    return found


def shift(array, i, by):
    by = by + 1
    return array[i + by - 1]  # in a helper


class Reads(mg.Functor):
    def apply(vertex, table, seen):
        other = table

        seen[vertex] = other[vertex + 50] > 0  # wrong


class Writes(mg.Functor):
    def apply(vertex, table):
        if vertex == 70:
            table[vertex + 80] = 5  # wrong


class Adds(mg.Functor):
    def apply(vertex, table):
        if vertex == 70:
            table[vertex + 80] += 5  # wrong


class Negative(mg.Functor):
    def apply(vertex, table):
        if vertex == 70:
            table[vertex - 80] = 5  # wrong


class Counts(mg.Functor):
    def apply(vertex, table):
        if vertex == 70:
            mg.atomic_add(table, vertex + 80, 5)  # wrong


class Helps(mg.Functor):
    def apply(vertex, table):
        if vertex == 70:
            table[0] = shift(table, vertex, 80)


class SearchesOn(mg.Functor):
    def apply(vertex, table):
        i = vertex % 100
        while table[i] > 0:  # wrong
            i += 1


@pytest.mark.parametrize(
    ("functor", "index"),
    [(Writes, 150), (Adds, 150), (Negative, -10), (Counts, 150), (Helps, 150), (SearchesOn, 100)],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_first_wrong_index_is_named_and_touches_nothing(functor, index, device):
    problem, whole = walk(device)
    with pytest.raises(FieldIndexError) as caught:
        mg.operators.compute(problem, mg.Frontier.all_vertices(), functor, debug=True)
    apply = functor.functions()["apply"]
    if functor is Helps:
        place = f"line {line_of(shift, '# in a helper')} of {__file__}, in shift"
    else:
        place = f"line {line_of(functor, '# wrong')}"
    assert str(caught.value) == (
        f"functor {functor.__name__}.apply ({__file__}:{apply.__code__.co_firstlineno}): {place}: table[{index}]: the "
        f"index {index} is out of range for the array field 'table', which has 100 elements (0 to 99)"
    )
    assert isinstance(caught.value, IndexError)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    assert (CPU.asarray(whole) == 1).all()


@pytest.mark.parametrize("threads", ["1", "4"])
def test_one_of_many_wrong_indexes_is_named(device, threads, monkeypatch):
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    monkeypatch.setattr(cpu, "FIRST_SOLO", 0)  # so that a team shares all
    problem, _ = walk(device)
    for _ in range(20 if threads == "4" else 1):
        with pytest.raises(FieldIndexError, match=f"line {line_of(Reads, '# wrong')}: table.* 100 elements") as caught:
            mg.operators.compute(problem, mg.Frontier.all_vertices(), Reads, debug=True)
        index = int(re.search(r"table\[(\d+)\]", str(caught.value))[1])
        assert TABLE <= index < SIZE + 50


def test_field_without_elements(device):
    problem, _ = walk(device, table=mg.device.resolve(device).empty(0, np.float32))
    with pytest.raises(FieldIndexError, match=r"table\[50\].* which has no elements"):
        mg.operators.compute(problem, mg.Frontier.of(0), Reads, debug=True)


class Spread(mg.Functor):
    def cond_advance(src, dst, edge, seen, flow):
        flow[edge] += 1
        return mg.atomic_exch(seen, dst, 1) == 0

    def apply_advance(dst, iteration, past, seen):
        if iteration >= 3 and past > 0:
            seen[dst + past] = 1  # too far


class Check(mg.Functor):
    def apply(vertex, seen):
        seen[vertex] = 1


class Spreading(mg.Enactor, problem=Walk, functor=Spread, steady=True):
    def start(self, source, past):
        self.problem.reset()
        self.problem.past = past
        self.problem.seen[source] = 1
        return mg.Frontier.of(source)

    def step(self, frontier):
        self.compute(frontier, Check)
        return self.advance(frontier)


@pytest.mark.parametrize("driver", ["auto", "fused", "host", pytest.param("graph", marks=pytest.mark.gpu)])
def test_loop_ends_in_the_step_with_the_wrong_index(driver, device):
    if driver == "graph" and device == "cpu":
        pytest.skip("a CUDA graph")
    _, table = part_of(device)
    enactor = Spreading(mg.generate.path(SIZE, device=device), driver=driver, debug=True, table=table)
    enactor.run(0, 0)
    assert enactor.iterations == SIZE
    assert CPU.asarray(enactor.problem.seen).all()
    expected = (
        f"functor Spread.apply_advance .*: line {line_of(Spread, '# too far')}: seen.{SIZE + 3}.: the index {SIZE + 3} "
        f"is out of range for the vertex field 'seen', which has {SIZE} elements .0 to {SIZE - 1}."
    )
    with pytest.raises(FieldIndexError, match=expected):
        enactor.run(0, SIZE)
    seen = CPU.asarray(enactor.problem.seen)
    assert seen.tolist() == [1] * 4 + [0] * (SIZE - 4)  # not a step more
    enactor.run(5, 0)  # again, as if nothing had happened
    assert CPU.asarray(enactor.problem.seen).all()


def test_traced_run(device):
    _, table = part_of(device)
    enactor = Spreading(mg.generate.path(SIZE, device=device), trace=True, debug=True, table=table)
    with pytest.raises(FieldIndexError, match=r"Spread\.apply_advance"):
        enactor.run(0, SIZE)


class Stops(mg.Functor):
    def apply(vertex, seen):
        seen[vertex] = 1

    def until(iteration, table):
        return table[iteration * 50] < 0  # wrong


class Repeats(mg.Enactor, problem=Walk, functor=Stops):
    def step(self, frontier):
        self.compute(frontier)


@pytest.mark.parametrize("driver", ["auto", "host"])
def test_until(device, driver):
    _, table = part_of(device)
    enactor = Repeats(mg.generate.path(SIZE, device=device), driver=driver, debug=True, table=table)
    with pytest.raises(FieldIndexError, match=f"Stops.until .* line {line_of(Stops, '# wrong')}: table.100."):
        enactor.run()


class Sums(mg.Functor):
    def map(src, edge, flow, past):
        return flow[edge + past]

    def apply_reduce(vertex, value, seen):
        seen[vertex] = value
        return value, value


class Totals(Walk):
    total = mg.scalar_field(np.float64)
    most = mg.scalar_field(np.float64)


@pytest.mark.parametrize("kind", ["static", "dynamic"])
def test_edge_fields(kind, device):
    graph = mg.generate.path(50, device=device)
    if kind == "dynamic":
        graph = mg.DynamicGraph.from_graph(graph)
    problem = Totals(graph, table=part_of(device)[1])
    problem.flow = 1
    options = {"reduce": "add", "scalar": ("total", "most"), "scalar_reduce": ("add", "max"), "debug": True}
    mg.operators.neighbor_reduce(problem, mg.Frontier.all_vertices(), Sums, **options)
    assert (float(problem.total[0]), float(problem.most[0])) == (98, 2)
    problem.past = len(problem.flow)
    with pytest.raises(FieldIndexError, match=f"Sums.map .* edge field 'flow', which has {len(problem.flow)} elem"):
        mg.operators.neighbor_reduce(problem, mg.Frontier.all_vertices(), Sums, **options)


def test_variable(device, monkeypatch):
    problem, _ = walk(device)
    run = (problem, mg.Frontier.of(60), Reads)
    for off in ("0", ""):
        monkeypatch.setenv("MINIGR_DEBUG", off)
        mg.operators.compute(*run)  # reads beyond the table, but in the array that it is a part of
    monkeypatch.setenv("MINIGR_DEBUG", "1")
    with pytest.raises(FieldIndexError):
        mg.operators.compute(*run)
    monkeypatch.setenv("MINIGR_DEBUG", "yes")
    with pytest.raises(ProblemError, match="MINIGR_DEBUG='yes': use 1"):
        mg.operators.compute(*run)
    monkeypatch.delenv("MINIGR_DEBUG")
    mg.operators.compute(*run)
    with pytest.raises(ProblemError, match="debug='yes'"):
        mg.operators.compute(*run, debug="yes")


@pytest.mark.parametrize(("search", "name"), [(mg.bfs, "depth"), (mg.sssp, "distance")])
def test_answers_are_the_same(search, name, device, monkeypatch):
    graph = mg.generate.rmat(11, 8, device=device, weights=(1, 64))
    expected = search(graph, 0)
    monkeypatch.setenv("MINIGR_DEBUG", "1")
    found = search(graph, 0)
    np.testing.assert_array_equal(CPU.asarray(getattr(found, name)), CPU.asarray(getattr(expected, name)))


MOVED = """
class Moved(mg.Functor):
    def apply(vertex, table):
        i = vertex + 70
{between}        table[i + 80] = 5
"""


def test_lines_are_those_of_the_function_that_runs(device):
    problem, _ = walk(device)
    for before, between in ((0, 0), (3, 0), (3, 2)):
        namespace = {"mg": mg}
        source = "\n" * before + MOVED.format(between="\n" * between)
        exec(compile(source, "moved.py", "exec"), namespace)
        with pytest.raises(FieldIndexError, match=rf"\(moved.py:{before + 3}\): line {before + between + 5}: table"):
            mg.operators.compute(problem, mg.Frontier.of(0), namespace["Moved"], debug=True)


class Halves(mg.Functor):
    def apply(vertex, table):
        table[0] = table[0.5]


def test_index_that_is_no_whole_number(device):
    problem, _ = walk(device)
    with pytest.raises(FunctorError, match=r"Halves\.apply .* indexes a field by a float: convert the index"):
        mg.operators.compute(problem, mg.Frontier.of(0), Halves, debug=True)
