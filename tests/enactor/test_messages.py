"""What a wrong call, a wrong functor and a finished program say of themselves."""

import subprocess
import sys
import traceback

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU
from minigr.errors import FunctorError, GraphError, ProblemError


class Counts(mg.Problem):
    depth = mg.vertex_field(np.int32, fill=-1)
    total = mg.scalar_field(np.int64)


class Seen(mg.Functor):
    def cond_advance(dst, iteration, depth):
        return mg.atomic_cas(depth, dst, -1, iteration) == -1


class Search(mg.Enactor, problem=Counts, functor=Seen):
    def start(self, source, far=0):
        self.problem.depth[source] = far
        return mg.Frontier.of(source)

    def step(self, frontier):
        return self.advance(frontier, duplicates="impossible")


@pytest.fixture
def path(device):
    return mg.generate.path(5, device=device)


def test_run_takes_what_start_takes(path):
    search = Search(path)
    search.run(source=1, far=7)
    assert CPU.asarray(search.problem.depth).tolist() == [1, 7, 1, 2, 3]
    output = Search(path, max_iterations=1).run_for_output(source=4)
    assert CPU.asarray(output.ids).tolist() == [3]
    for run in (search.run, search.run_for_output):
        with pytest.raises(TypeError, match=r"^Search\.run has no option 'sorce'; did you mean 'source'\?"):
            run(sorce=1)


class Plain(mg.Enactor, problem=Counts, functor=Seen):
    def step(self, frontier):
        return self.advance(frontier)


@pytest.mark.parametrize(("arguments", "options"), [((), {"source": 0}), ((1, 2), {})])
def test_an_enactor_without_a_start(path, arguments, options):
    with pytest.raises(TypeError, match=r"Plain has no start of its own.*write start\(self, \.\.\.\)"):
        Plain(path).run(*arguments, **options)
    with pytest.raises(ProblemError, match=r"start must return a minigr\.Frontier, got int: return a .* mg\.Frontier"):
        Plain(path).run(0)


def test_options_of_an_enactor_that_there_are_not(path):
    with pytest.raises(ProblemError, match=r"no option 'drver', and Counts no field 'drver'; did you mean 'driver'\?"):
        Search(path, drver="host")
    with pytest.raises(ProblemError, match=r"did you mean 'depth'\? It has max_iterations, trace"):
        Search(path, dpth=3)
    with pytest.raises(ProblemError, match="progress=3: give a function"):
        Search(path, progress=3)
    with pytest.raises(TypeError, match=r"class Wrong: an Enactor has no option 'functr'; did you mean 'functor'\?"):

        class Wrong(mg.Enactor, functr=Seen):
            pass

    for option, given in (("functor", Counts), ("problem", Seen), ("problem", Counts(path))):
        with pytest.raises(ProblemError, match=rf"class Wrong: {option}=.* must be a class, a subclass of mg\."):
            type("Wrong", (mg.Enactor,), {}, **{option: given})


class WrongOption(Search):
    def step(self, frontier):
        return self.advance(frontier, dirction="pull")


def test_options_of_an_operator_that_there_are_not(path):
    complaint = r"^advance has no option 'dirction'; did you mean 'direction'\? It has .*duplicates, balance"
    with pytest.raises(TypeError, match=complaint):
        WrongOption(path).run(0)
    with pytest.raises(TypeError, match=complaint):
        mg.operators.advance(Counts(path), mg.Frontier.of(0), Seen, dirction="pull")


class AddsByAtomic(mg.Functor):
    def apply(vertex, total):
        mg.atomic_add(total, 0, 1)


class AddsByIndex(mg.Functor):
    def apply(vertex, total):
        total[0] += vertex


class Assigns(mg.Functor):
    def apply(vertex, total):
        total += vertex


class Reads(mg.Functor):
    def apply(vertex, total, depth):
        depth[vertex] = total[0]


class UnknownFunction(mg.Functor):
    def apply(vertex, depth):
        depth[vertex] = np.sqroot(4.0)


class UnknownName(mg.Functor):
    def apply(vertex, depth):
        depth[vertex] = vertx  # noqa: F821


class WrongTypes(mg.Functor):
    def apply(vertex, depth):
        depth[vertex] = vertex + "one"


class WrongHelper(mg.Functor):
    def apply(vertex, depth):
        depth[vertex] = add_one(vertex)


def add_one(number):
    return number.plus(1)


@pytest.mark.parametrize(
    ("functor", "complaint"),
    [
        (AddsByAtomic, "assigns to the scalar field 'total'.*into='total'.*mg.array_field"),
        (AddsByIndex, "assigns to the scalar field 'total'.*into='total'"),
        (Assigns, "assigns to the scalar field 'total'.*into='total'"),
        (Reads, "assigns to the scalar field 'total', or uses it as an array, but total is only the field's value"),
        (UnknownFunction, "no attribute 'sqroot'"),
        (UnknownName, "reads 'vertx', which is not defined"),
        (WrongTypes, 'can\'t be compiled: line [0-9]+ of .*test_messages.py: .*\n *depth.vertex. = vertex . "one"'),
        (WrongHelper, "can't be compiled(.|\n)*plus"),
    ],
)
def test_a_functor_that_is_wrong_is_told_in_ten_lines(path, functor, complaint):
    with pytest.raises(FunctorError, match=complaint) as raised:
        mg.operators.compute(Counts(path), mg.Frontier.all_vertices(), functor)
    lines = "".join(traceback.format_exception(raised.value)).splitlines()
    assert len(str(raised.value).splitlines()) <= 6
    assert len(lines) <= 12  # with the line of this test, and what pytest adds
    assert functor.__name__ in str(raised.value)


SCRIPT = """
import numpy as np, minigr as mg

class Depths(mg.Problem):
    depth = mg.vertex_field(np.int32)

class Wrong(mg.Functor):
    def apply(vertex, depth):
        depth[vertex] = vertex + "one"

class Loop(mg.Enactor, problem=Depths, functor=Wrong):
    def step(self, frontier):
        self.compute(frontier)

Loop(mg.generate.path(4, device="cpu"), max_iterations=2).run()
"""


def test_the_traceback_of_a_program(tmp_path):
    """As a user sees it: what is printed names the line, and is short."""
    script = tmp_path / "program.py"
    script.write_text(SCRIPT)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    lines = done.stderr.splitlines()
    assert done.returncode == 1
    assert len(lines) <= 12
    assert any("line 9 of " in line and "program.py: there is no add(int32" in line for line in lines)
    assert any(line.strip() == 'depth[vertex] = vertex + "one"' for line in lines)


def test_a_number_that_many_places_write(device):
    """The remedy that is named for scalars works."""

    class Counted(mg.Problem):
        total = mg.array_field(np.int64)

    problem = Counted(mg.generate.path(5, device=device), total=[0])
    mg.operators.compute(problem, mg.Frontier.all_vertices(), AddsByAtomic)
    assert CPU.asarray(problem.total).tolist() == [5]


def test_how_enactors_print(path):
    search = Search(path, max_iterations=9)
    assert repr(search) == f"Search({path!r}, not run yet)"
    search.run(0)
    assert repr(search) == f"Search({path!r}, iterations=5, stopped=Stop.EMPTY)"
    assert (str(search.stopped), f"{search.stopped}", repr(search.stopped)) == ("Stop.EMPTY",) * 3
    assert search.stopped is mg.Stop.EMPTY


def test_how_labels_print():
    labels, _ = mg.Labels.number(["ann", "bob"], ["bob", "cleo"])
    assert repr(labels) == "Labels(3: 'ann', 'bob', 'cleo')"
    assert repr(mg.Labels(range(9))) == "Labels(9: 0, 1, 2, 3, ...)"


@pytest.mark.parametrize(
    ("call", "error", "complaint"),
    [
        (lambda labels: labels[-1], IndexError, "no vertex has the id -1: there are 3 labels"),
        (lambda labels: labels[[0, 3]], IndexError, "no vertex has the id 3"),
        (lambda labels: labels[0.5], GraphError, "takes one id or an array of them"),
        (lambda labels: labels[[[0]]], GraphError, r"got \(1, 1\) of int64"),
        (lambda labels: labels.ids(None), GraphError, "a sequence or an array of one dimension, got None"),
        (lambda labels: mg.Labels(np.zeros((2, 2))), GraphError, r"one dimension, got shape \(2, 2\)"),
    ],
)
def test_labels_that_are_not_there(call, error, complaint):
    labels, _ = mg.Labels.number(["ann", "bob"], ["bob", "cleo"])
    with pytest.raises(error, match=complaint):
        call(labels)


class Saves(mg.Enactor, problem=Counts, functor=Seen):
    """Keeps the frontier of its step, which nobody else may use."""

    def step(self, frontier):
        self.saved = frontier
        return self.advance(frontier)


class Takes(Plain):
    kept, use = None, "advance"

    def step(self, frontier):
        if self.use == "save":
            self.kept = frontier
        elif self.use == "combine":
            frontier = frontier | self.kept
        elif self.use == "return":
            self.advance(frontier)
            return self.kept
        else:
            frontier = self.kept
        return self.advance(frontier)


@pytest.mark.parametrize(
    ("use", "taker"), [("advance", "advance"), ("combine", "union"), ("return", "the loop")], ids=str
)
def test_a_frontier_of_another_step_is_refused(path, use, taker):
    expected = f"Takes.step: {taker} is given a frontier of another step, or of an earlier call of this step: use a"
    other, takes = Saves(path), Takes(path)
    other.record(mg.Frontier.of(0))
    takes.kept, takes.use = other.saved, use
    with pytest.raises(ProblemError, match=expected):
        takes.record(mg.Frontier.of(0))
    takes.use = "save"
    takes.record(mg.Frontier.of(0))
    takes.use = use
    with pytest.raises(ProblemError, match=expected):  # its own, of the recording before
        takes.record(mg.Frontier.of(0))


class Twice(mg.Problem):
    total = mg.scalar_field(np.int64)


class One(mg.Functor):
    def apply(vertex, total):
        return 1 + total * 10


class AddTwice(mg.Enactor, problem=Twice, functor=One):
    first = second = False

    def step(self, frontier):
        self.compute(frontier, into="total", accumulate=self.first)
        self.compute(frontier, into="total", accumulate=self.second)


def test_two_reductions_into_one_scalar(path):
    """The last one counts, unless one is to go on over the steps: then another would take its field away."""
    twice = AddTwice(path, max_iterations=2)
    twice.run()
    first = 5  # of five vertices, where total was 0
    second = 5 * (1 + first * 10)
    third = 5 * (1 + second * 10)
    assert int(twice.problem.total[0]) == 5 * (1 + third * 10)
    for accumulates in ({"first": True}, {"second": True}, {"first": True, "second": True}):
        twice = AddTwice(path, max_iterations=2)
        vars(twice).update(accumulates)
        with pytest.raises(ProblemError, match=r"into 'total' more than once, and one .* a scalar field for each"):
            twice.run()
