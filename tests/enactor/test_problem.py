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


class Depths(mg.Problem):
    depth = mg.vertex_field(np.int32, fill=1)


class Counts(mg.Problem):
    count = mg.vertex_field(np.int64, fill=2)


class Deeper(Depths):
    depth = mg.vertex_field(np.int64, fill=3)


class StillDepths(Depths):
    pass


class Mixed:
    depth = mg.vertex_field(np.float64, fill=4)


class CountDepths(mg.Functor):
    def apply(vertex, depth, count):
        count[vertex] += depth[vertex]


@pytest.mark.parametrize(
    ("bases", "fill"),
    [
        ((Depths, Counts), 1),
        ((Counts, Depths), 1),
        ((StillDepths, Deeper, Counts), 3),
        ((Mixed, Counts), 4),
        ((Mixed, Depths, Counts), 4),
        ((Depths, Mixed, Counts), 1),
    ],
)
def test_several_bases_have_the_order_of_python(graph, bases, fill):
    several = type("Several", bases, {})
    problem = several(graph)
    assert values(problem, "depth") == [fill] * 4
    assert set(several._fields) == {"depth", "count"}
    mg.operators.compute(problem, mg.Frontier.all_vertices(), CountDepths)
    assert values(problem, "count") == [fill + 2] * 4


def test_a_name_that_is_no_field_any_more(graph):
    class Without(Depths, Counts):
        depth = None

    assert Without(graph).depth is None
    with pytest.raises(ProblemError, match="has no field 'depth'; it has count"):
        Without(graph, depth=[1, 2, 3, 4])
    with pytest.raises(mg.errors.FunctorError, match=r"'depth' is neither supplied .* nor a field"):
        mg.operators.compute(Without(graph), mg.Frontier.all_vertices(), CountDepths)


def test_fields_that_are_set_after_the_class_statement(graph):
    for name, value in (("added", mg.vertex_field(np.int32)), ("depth", mg.vertex_field(np.int32)), ("depth", 0)):
        with pytest.raises(ProblemError, match=rf"Depths\.{name} can't be set after the class statement: make a sub"):
            setattr(Depths, name, value)
    assert values(Depths(graph), "depth") == [1] * 4


def test_a_field_has_one_name(graph):
    with pytest.raises(
        ProblemError, match=r"Twice\.second is a field that was not made under this name.*second = \.\.\."
    ):

        class Twice(mg.Problem):
            first = second = mg.vertex_field(np.int32)

    with pytest.raises(ProblemError, match=r"Again\.other is a field that was not made under this name"):

        class Again(Depths):
            other = Depths.depth

    assert values(Depths(graph), "depth") == [1] * 4


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
    with pytest.raises(
        ProblemError, match=r"int64 of shape \(n,\), got \(2, 4\) of int64: declare the field with columns=4"
    ):
        Table(graph, table=array.reshape(2, 4))
    with pytest.raises(ProblemError, match=r"int64 of shape \(n,\), got \(3,\) of int32"):
        Table(graph, table=resolve(device).xp.zeros(3, np.int32))


def frozen():
    array = np.zeros(4, np.int32)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({}, "needs a value for its parameter 'rounds': pass rounds= when"),
        ({"rounds": 1, "round": 2}, "no field 'round'; did you mean 'rounds'\\? It has depth, share"),
        ({"rounds": 1.5}, r"Everything\.rounds=1\.5 is no number of dtype int32"),
        ({"rounds": [1, 2]}, "no number of dtype int32"),
        ({"rounds": "many"}, "rounds='many' is no number"),
        ({"rounds": 2**31}, "no number of dtype int32"),
        ({"rounds": np.nan}, "no number of dtype int32"),
        ({"rounds": 1, "damping": "high"}, "damping='high' is no number of dtype float64"),
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
    with pytest.raises(ProblemError, match=r"contiguous, writeable array of int32 of shape \(4,\), got"):
        Everything(graph, rounds=1, depth=make(resolve(device).xp))


def test_arrays_from_the_host_that_do_not_fit(graph, device):
    with pytest.raises((ProblemError, DeviceError)):
        Everything(graph, rounds=1, depth=frozen())


class Table(mg.Problem):
    table = mg.array_field(np.float32)
    depth = mg.vertex_field(np.int32)


def test_lists_are_copied_into_arrays(graph, device):
    problem = Table(graph, table=[1, 2.5], depth=range(4))
    assert isinstance(problem.table, resolve(device).xp.ndarray)
    assert (problem.table.dtype, values(problem, "table")) == (np.float32, [1.0, 2.5])
    assert (problem.depth.dtype, values(problem, "depth")) == (np.int32, [0, 1, 2, 3])


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (
            {"table": [[1.0], [2.0]]},
            r"shape \(n,\), got \(2, 1\) of float32: declare the field with columns=1, or",
        ),
        ({"table": [[1.0], [2.0, 3.0]]}, "table: list can't be read as an array of numbers"),
        ({"table": ["a", "b"]}, r"table takes numbers of dtype float32, got \(2,\) of <U1"),
        ({"table": None}, r"table takes numbers of dtype float32"),
        ({"table": [1.0], "depth": [0, 1, 2]}, r"depth must be .* array of int32 of shape \(4,\), got \(3,\)"),
        ({"table": [1.0, -1e39]}, r"table: -1e\+39 is out of the range of float32: declare another dtype"),
        ({"table": [1.0], "depth": [0, 1, 2, 2.5]}, r"depth: 2\.5 is no int32"),
        ({"table": [1.0], "depth": [0, 1, 2, 2**31]}, r"depth: 2147483648 is no int32"),
    ],
)
def test_lists_that_do_not_fit(graph, given, complaint):
    with pytest.raises(ProblemError, match=complaint):
        Table(graph, **given)


@pytest.mark.parametrize("beyond", [2.0**63, 2.0**64, -(2.0**64), np.inf])
def test_floats_beyond_whole_numbers_are_refused(device, beyond):
    class Counted(mg.Problem):
        count = mg.vertex_field("int64")

    problem = Counted(mg.Graph.from_edges([0], [1], device=device))
    given = problem.device.asarray(np.array([-(2.0**63), beyond]))
    with pytest.raises(ProblemError, match=r"count: .* is no int64"):
        problem.count = given
    problem.count = given.clip(-(2.0**63), 2.0**62)
    assert CPU.asarray(problem.count).tolist() == [-(2**63), 2**62 if beyond > 0 else -(2**63)]


def test_masked_arrays_are_refused():
    masked = np.ma.array(np.ones(2, np.float32), mask=[False, True])
    graph = mg.generate.path(2, device="cpu")
    with pytest.raises(ProblemError, match=r"a masked array: fill the masked elements first, with \.filled\(value\)"):
        Table(graph, table=masked)
    problem = Table(graph, table=[1.0])
    with pytest.raises(ProblemError, match="a masked array"):
        problem.depth = np.ma.array([1, 2], mask=[True, False])


class Noted(Everything):
    note = None  # declared here, so that it may be set


def test_names_that_are_no_field(graph):
    problem = Noted(graph, rounds=1)
    problem.note, problem._cache = "mine", 3
    assert (problem.note, problem._cache) == ("mine", 3)
    with pytest.raises(ProblemError, match=r"Noted has no field 'dpth'; did you mean 'depth'\? It has depth, share"):
        problem.dpth = 0
    assert not hasattr(problem, "dpth")
    with pytest.raises(ProblemError, match=r"Declare the field in the class, or use the name _helper for"):
        problem.helper = 0
    with pytest.raises(ProblemError, match=r"no field 'flwo' with an array; did you mean 'flow'\?"):
        problem.use(flwo=np.zeros(4))


def test_how_problems_print():
    problem = Noted(mg.Graph.from_edges([0, 1], [1, 2], device="cpu"), rounds=1)
    assert repr(problem).startswith("Noted(Graph(3 vertices")
    assert "depth: int32 vertex" in repr(problem)
    assert "rounds: int32 parameter" in repr(problem)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: mg.vertex_field(np.int32, fil=0), r"vertex_field has no option 'fil'; did you mean 'fill'\?"),
        (lambda: mg.parameter(np.int32, defualt=0), r"parameter has no option 'defualt'; did you mean 'default'\?"),
    ],
)
def test_options_of_fields_that_there_are_not(make, complaint):
    with pytest.raises(TypeError, match=complaint):
        make()


@pytest.mark.parametrize("fill", ["many", None, np.nan, 2**31, (1, 2)])
def test_fills_that_do_not_fit(graph, fill):
    class Filled(mg.Problem):
        depth = mg.vertex_field(np.int32, fill=fill)

    with pytest.raises(ProblemError, match=r"Filled\.depth: fill=.* is no number of dtype int32"):
        Filled(graph)


def test_what_depends_on_the_graph_is_found_for_each_graph(device):
    class Sized(mg.Problem):
        x = mg.vertex_field(np.int32, columns=lambda graph: 1 if graph.num_vertices == 3 else True)  # 1 == True

    class Filled(mg.Problem):
        x = mg.vertex_field(np.int32, fill=lambda graph: graph.num_vertices)

    three, four = (mg.generate.path(n, device=device) for n in (3, 4))
    assert [int(Filled(graph).x[0]) for graph in (three, four)] == [3, 4]
    assert Sized(three).x.shape == (3, 1)
    with pytest.raises(ProblemError, match="columns=True must be a whole number"):
        Sized(four)


def test_a_default_that_does_not_fit(graph):
    class Half(mg.Problem):
        rounds = mg.parameter(np.int32, default=1.5)

    with pytest.raises(ProblemError, match=r"Half\.rounds: default=1\.5 is no number of dtype int32"):
        Half(graph)


@pytest.mark.gpu
def test_arrays_on_another_device():
    graph = mg.generate.path(4, device="cuda")
    with pytest.raises(DeviceError, match="depth is on cpu, but the graph is on cuda"):
        Everything(graph, rounds=1, depth=np.zeros(4, np.int32))


def test_assignments_that_do_not_fit(graph):
    problem = Everything(graph, rounds=1)
    with pytest.raises(ProblemError, match=r"depth takes one value or 4 values, got shape \(3,\)"):
        problem.depth = [1, 2, 3]
    two_arcs = mg.generate.path(4, device=graph.device)  # of each edge
    by_edge = np.arange(3, dtype=np.float32)
    with pytest.raises(
        ProblemError, match=r"takes .* 6 values, got shape \(3,\): .* graph.with_weights\(values\).weights"
    ):
        Everything(two_arcs, rounds=1).flow = by_edge
    with pytest.raises(ProblemError, match=r"of shape \(6,\), .*: an edge field has an element for each arc"):
        Everything(two_arcs, rounds=1, flow=resolve(graph.device).asarray(by_edge))
    Everything(two_arcs, rounds=1).flow = two_arcs.with_weights(by_edge).weights
    with pytest.raises(ProblemError, match=r"total takes one value"):
        problem.total = [1, 2]
    with pytest.raises(ProblemError, match="needs a value"):
        problem.damping = None
    for value, complaint in (
        (2**31, "is no int32"),
        (0.5, "is no int32"),
        (np.nan, "is no int32"),
        ("x", "takes numbers"),
    ):
        with pytest.raises(ProblemError, match=rf"depth.*{complaint}"):
            problem.depth = value
    with pytest.raises(ProblemError, match=r"depth: 4294967296 is no int32"):
        problem.depth = np.array([0, 1, 2, 2**32])
    assert values(problem, "depth") == [-1] * 4


@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint32, np.complex128, np.float16, ">i4", lambda graph: np.int16, None, "no"]
)
def test_dtypes_that_do_not_exist_on_all_targets(graph, dtype):
    class Odd(mg.Problem):
        field = mg.vertex_field(dtype)

    with pytest.raises(
        ProblemError, match="not one of int32, int64, float32, float64, bool, uint8, the dtypes of vertex"
    ):
        Odd(graph)


@pytest.mark.parametrize("dtype", [bool, np.uint8])
def test_scalar_fields_are_numbers_that_are_reduced(graph, dtype):
    class Odd(mg.Problem):
        total = mg.scalar_field(dtype)

    with pytest.raises(ProblemError, match="not one of int32, int64, float32, float64, the dtypes of scalar fields"):
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
    from minigr.program.executor import new_run

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
    from minigr.program import cpu

    known = set(cpu._programs)
    for kind in (Alone, AmongOthers, AmongOthersOfOtherDtypes):
        problem = kind(mg.generate.path(4, device="cpu"))
        mg.operators.compute(problem, mg.Frontier.all_vertices(), Number)
        assert values(problem, "level") == [0, 3, 6, 9]
    (loop, *others), fields, *_ = zip(*(made for key, made in cpu._programs.items() if key not in known), strict=True)
    assert all(other is loop for other in others)
    assert len(loop._compiled) == 1
    assert fields == (["level"],) * 3
