"""Problem: fields, what goes into them, and what is refused."""

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import DeviceError, ProblemError


class Everything(mg.Problem):
    depth = mg.vertex_field(np.int32, fill=-1)
    share = mg.vertex_field(lambda graph: graph.weights.dtype if graph.weighted else np.float64, fill=np.inf)
    count = mg.vertex_field("int64", fill=lambda graph: graph.num_vertices)
    flow = mg.edge_field(np.float32)
    total = mg.scalar_field(np.float64, fill=2.5)
    damping = mg.parameter(np.float64, default=0.5)
    rounds = mg.parameter(np.int32)


class Derived(Everything):
    extra = mg.vertex_field(np.int32)
    depth = mg.vertex_field(np.int64, fill=7)


@pytest.fixture
def graph(device):
    return mg.Graph.from_edges([0, 1, 2], [1, 2, 3], np.ones(3, np.float32), directed=True, device=device)


def values(problem, name):
    return CPU.asarray(getattr(problem, name)).tolist()


def test_fields(graph, device):
    problem = Everything(graph, rounds=3)
    assert isinstance(problem.depth, resolve(device).xp.ndarray)
    assert problem.depth.dtype == np.int32
    assert values(problem, "depth") == [-1] * 4
    assert problem.share.dtype == np.float32
    assert values(problem, "share") == [np.inf] * 4
    assert values(problem, "count") == [4] * 4
    assert problem.flow.shape == (graph.num_arcs,)
    assert values(problem, "total") == [2.5]
    assert (problem.damping, problem.rounds) == (0.5, 3)
    assert isinstance(problem.rounds, np.int32)
    assert isinstance(Everything.depth, type(Everything.rounds))  # on the class: the declaration


def test_inheritance(graph):
    problem = Derived(graph, rounds=1)
    assert problem.depth.dtype == np.int64
    assert list(Derived._fields) == [*Everything._fields, "extra"]
    assert Everything(graph, rounds=1).depth.dtype == np.int32


def test_assignment_copies(graph):
    problem = Everything(graph, rounds=1)
    array, given = problem.depth, np.arange(4)
    problem.depth = given
    given[0] = 9
    assert problem.depth is array
    assert values(problem, "depth") == [0, 1, 2, 3]
    problem.depth = 5
    assert values(problem, "depth") == [5] * 4
    problem.total = 4
    assert values(problem, "total") == [4.0]
    problem.damping = 0.25
    assert problem.damping == 0.25
    problem.reset()
    assert values(problem, "depth") == [-1] * 4
    assert values(problem, "total") == [2.5]
    assert problem.damping == 0.25  # parameters stay


def test_arrays_are_adopted(graph, device):
    array = resolve(device).full(4, 3, np.int32)
    problem = Everything(graph, rounds=1, depth=array)
    assert problem.depth is array
    assert values(problem, "depth") == [3] * 4


def test_array_fields(graph, device):
    class Table(mg.Problem):
        table = mg.array_field(np.int64)
        found = mg.vertex_field(np.int64)

    class LookUp(mg.Functor):
        def apply(vertex, table, found):
            found[vertex] = table[2 * vertex + 1]

    array = resolve(device).asarray(np.arange(8) * 10)
    problem = Table(graph, table=array)
    assert problem.table is array
    mg.operators.compute(problem, mg.Frontier.all_vertices(), LookUp)
    assert values(problem, "found") == [10, 30, 50, 70]
    problem.reset()
    assert values(problem, "table")[7] == 70
    with pytest.raises(ProblemError, match="Table needs an array for its field 'table': pass table="):
        Table(graph)
    with pytest.raises(ProblemError, match="contiguous, writeable array of 8 int64"):
        Table(graph, table=array.reshape(2, 4))
    with pytest.raises(ProblemError, match="contiguous, writeable array of 3 int64"):
        Table(graph, table=resolve(device).xp.zeros(3, np.int32))


def frozen():
    array = np.zeros(4, np.int32)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({}, "needs a value for its parameter 'rounds'"),
        ({"rounds": 1, "round": 2}, "no field 'round'; it has depth, share"),
        ({"rounds": 1.5}, "rounds is one int32, which 1.5 is not"),
        ({"rounds": [1, 2]}, "one int32"),
        ({"rounds": "many"}, "one int32, got 'many'"),
        ({"rounds": 2**31}, "one int32"),
        ({"rounds": np.nan}, "one int32"),
        ({"rounds": 1, "damping": "high"}, "one float64"),
    ],
)
def test_bad_values(graph, given, complaint):
    with pytest.raises(ProblemError, match=complaint):
        Everything(graph, **given)


@pytest.mark.parametrize(
    "make",
    [
        lambda xp: xp.zeros(3, np.int32),
        lambda xp: xp.zeros(4, np.int64),
        lambda xp: xp.zeros((4, 1), np.int32),
        lambda xp: xp.zeros(8, np.int32)[::2],
    ],
)
def test_arrays_that_do_not_fit(graph, device, make):
    with pytest.raises(ProblemError, match="contiguous, writeable array of 4 int32"):
        Everything(graph, rounds=1, depth=make(resolve(device).xp))


def test_arrays_from_the_host_that_do_not_fit(graph, device):
    for array in (frozen(), [0, 0, 0, 0]):
        with pytest.raises((ProblemError, DeviceError)):
            Everything(graph, rounds=1, depth=array)


@pytest.mark.gpu
def test_arrays_on_another_device():
    graph = mg.generate.path(4, device="cuda")
    with pytest.raises(DeviceError, match="depth is on cpu, but the graph is on cuda"):
        Everything(graph, rounds=1, depth=np.zeros(4, np.int32))


def test_assignments_that_do_not_fit(graph):
    problem = Everything(graph, rounds=1)
    with pytest.raises(ProblemError, match=r"depth takes one value or 4, got shape \(3,\)"):
        problem.depth = [1, 2, 3]
    with pytest.raises(ProblemError, match=r"total takes one value"):
        problem.total = [1, 2]
    with pytest.raises(ProblemError, match="needs a value"):
        problem.damping = None


@pytest.mark.parametrize("dtype", [np.int8, np.uint32, np.complex128, np.float16, bool, ">i4", lambda graph: np.int16])
def test_dtypes_that_do_not_exist_on_all_targets(graph, dtype):
    class Odd(mg.Problem):
        field = mg.vertex_field(dtype)

    with pytest.raises(ProblemError, match="not one of int32, int64, float32, float64"):
        Odd(graph)


@pytest.mark.parametrize("name", ["graph", "device", "reset"])
def test_names_that_are_taken(name):
    with pytest.raises(ProblemError, match="another name"):
        type("Taken", (mg.Problem,), {name: mg.vertex_field(np.int32)})


class Marks(mg.Problem):
    level = mg.vertex_field(np.int32, fill=5)


class Weighed(Marks):
    flow = mg.edge_field(np.float64, fill=1.5)


class Raise(mg.Functor):
    def apply(vertex, level):
        level[vertex] += 1


def raise_all(problem):
    mg.operators.compute(problem, mg.Frontier.all_vertices(), Raise)


def test_a_graph_that_changed(device):
    """Fields that no longer fit are refused before anything is touched; `reset` makes them fit."""
    graph = mg.DynamicGraph.from_edges([0, 1], [1, 2], device=device)
    marks, weighed = Marks(graph), Weighed(graph)
    assert len(weighed.flow) == graph.num_edge_ids
    graph.insert_edges([2], [0])
    raise_all(marks)  # a vertex is the same one still
    with pytest.raises(ProblemError, match=r"Weighed\.flow has an element for each edge.*reset\(\)"):
        raise_all(weighed)
    weighed.reset()
    raise_all(weighed)
    graph.insert_vertices(2)
    with pytest.raises(ProblemError, match=r"Marks\.level has 3 elements, but the graph has 5 vertices now"):
        raise_all(marks)
    assert values(marks, "level") == [6] * 3
    marks.reset()
    raise_all(marks)
    assert values(marks, "level") == [6] * 5


def test_a_step_recorded_before_the_graph_changed(device):
    from minigr.enactor.enactor import new_run

    class Search(mg.Enactor, problem=Marks, functor=Raise):
        def step(self, frontier):
            self.compute(frontier)

    graph = mg.DynamicGraph.from_edges([0, 1], [1, 2], device=device)
    plan = Search(graph, max_iterations=1).record(mg.Frontier.all_vertices())
    graph.delete_edges([0], [1])
    with pytest.raises(ProblemError, match="changed since the step was recorded"):
        new_run(plan, "host")


class Alone(mg.Problem):
    level = mg.vertex_field(np.int32)


class AmongOthers(mg.Problem):
    before = mg.edge_field(np.float32)
    level = mg.vertex_field(np.int32)
    after = mg.scalar_field(np.float64)


class AmongOthersOfOtherDtypes(mg.Problem):
    before = mg.edge_field(np.int64)
    level = mg.vertex_field(np.int32)
    after = mg.scalar_field(np.int32)


class Number(mg.Functor):
    def apply(vertex, level):
        level[vertex] = 3 * vertex


def test_fields_that_no_function_asks_for_are_no_part_of_the_program():
    """On the CPU, where each type that a program is called with would be compiled."""
    from minigr.enactor import cpu

    known = set(cpu._programs)
    for kind in (Alone, AmongOthers, AmongOthersOfOtherDtypes):
        problem = kind(mg.generate.path(4, device="cpu"))
        mg.operators.compute(problem, mg.Frontier.all_vertices(), Number)
        assert values(problem, "level") == [0, 3, 6, 9]
    (loop, *others), fields, _ = zip(*(made for key, made in cpu._programs.items() if key not in known), strict=True)
    assert all(other is loop for other in others)
    assert len(loop.signatures) == 1
    assert fields == (["level"],) * 3
