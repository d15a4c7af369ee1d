"""Problems whose fields have columns, or a byte for each element: what goes into them, and what is refused."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import ProblemError


class Rows(mg.Problem):
    feature = mg.vertex_field(np.float32, fill=0.5, columns=3)
    weight = mg.edge_field(np.int64, columns=1)
    near = mg.vertex_field(bool, fill=lambda graph: graph.directed, columns=lambda graph: graph.num_vertices)
    table = mg.array_field(np.uint8, columns=2)
    depth = mg.vertex_field(np.int32)


@pytest.fixture
def graph(device):
    return mg.generate.path(4, device=device)


def values(array):
    return CPU.asarray(array).tolist()


def test_shapes_and_fills(graph, device):
    problem = Rows(graph, table=[[1, 2], [3, 4], [5, 255]])
    assert [each.shape for each in (problem.feature, problem.weight, problem.near, problem.table)] == [
        (4, 3), (6, 1), (4, 4), (3, 2)
    ]  # fmt: skip
    assert all(each.flags.c_contiguous for each in (problem.feature, problem.near, problem.table))
    assert (problem.near.dtype, problem.table.dtype) == (bool, np.uint8)
    assert values(problem.feature) == [[0.5] * 3] * 4
    assert values(problem.table) == [[1, 2], [3, 4], [5, 255]]
    assert Rows.memory_on(graph) == 4 * 3 * 4 + 6 * 8 + 4 * 4 + 4 * 4
    for described in (
        "feature: float32 vertex with 3 columns, weight: int64 edge with 1 column, near: bool vertex with 4 columns",
        "table: uint8 array with 2 columns, depth: int32 vertex)",
    ):
        assert described in repr(problem)


def test_what_is_assigned(graph):
    problem = Rows(graph, table=[[1, 2]])
    feature = problem.feature
    problem.feature = np.arange(24.0).reshape(4, 6)[:, ::2]
    assert values(feature) == np.arange(0, 24, 2).reshape(4, 3).tolist()
    problem.feature = 2
    assert values(feature) == [[2.0] * 3] * 4
    problem.feature = [[1.5]]
    assert values(feature) == [[1.5] * 3] * 4
    problem.near, problem.table = 1, [[7, 8]]
    assert values(problem.near) == [[True] * 4] * 4
    assert values(problem.table) == [[7, 8]]
    for wrong in ([1, 2, 3], np.zeros(12), np.zeros((3, 4)), np.zeros((4, 1)), np.zeros((1, 3)), np.zeros((4, 3, 1))):
        with pytest.raises(ProblemError, match=r"feature takes one value or an array of shape \(4, 3\), got shape"):
            problem.feature = wrong
    for wrong, complaint in ((256, "is no uint8"), (-1, "is no uint8"), (2.5, "is no uint8"), ("x", "takes numbers")):
        with pytest.raises(ProblemError, match=rf"Rows\.table.*{complaint}"):
            problem.table = wrong
        with pytest.raises(ProblemError, match=r"Rows\.near: 2 is no bool"):
            problem.near = 2
    assert problem.feature is feature
    assert values(problem.table) == [[7, 8]]


def test_arrays_are_adopted(graph, device):
    xp = resolve(device).xp
    given, table = xp.ones((4, 3), np.float32), xp.zeros((5, 2), np.uint8)
    problem = Rows(graph, feature=given, table=table)
    assert problem.feature is given
    assert problem.table is table
    other = xp.zeros((9, 2), np.uint8)
    problem.use(table=other)
    assert problem.table is other
    for wrong, got in (
        (xp.ones((3, 4), np.float32).T, "one that is not contiguous: use .copy()"),
        (xp.ones(12, np.float32), "(12,) of float32: use .reshape(-1, 3)"),
        (xp.ones((4, 3)), "(4, 3) of float64: use .astype('float32'), or declare another dtype"),
        (xp.ones((4, 2), np.float32), "(4, 2) of float32"),
    ):
        complaint = f"feature must be a contiguous, writeable array of float32 of shape (4, 3), got {got}"
        with pytest.raises(ProblemError, match=f"{re.escape(complaint)}$"):
            problem.use(feature=wrong)
    for wrong, got in (
        (xp.zeros((2, 3), np.uint8), "(2, 3) of uint8"),
        (xp.zeros(7, np.uint8), "(7,) of uint8"),
        (xp.zeros(6, np.uint8), "(6,) of uint8: use .reshape(-1, 2)"),
        (xp.zeros((), np.uint8), "() of uint8"),
    ):
        with pytest.raises(ProblemError, match=rf"table must be .* uint8 of shape \(n, 2\), got {re.escape(got)}$"):
            problem.use(table=wrong)
    assert problem.feature is given


def test_changed_graphs(device):
    graph = mg.DynamicGraph(4, device=device)
    problem = Rows(graph, table=[[1, 2]])
    graph.insert_vertices(2)
    with pytest.raises(ProblemError, match="feature has 4 rows, but the graph has 6 vertices now"):
        problem.check_graph()
    problem.reset()
    assert problem.feature.shape == (6, 3)
    assert problem.near.shape == (6, 4)  # as many columns as when the problem was made
    assert problem.table.shape == (1, 2)
    problem.check_graph()


@pytest.mark.parametrize("columns", [0, -1, 2.5, True, "3", lambda graph: 0, lambda graph: None])
@pytest.mark.parametrize("field", [mg.vertex_field, mg.edge_field, mg.array_field])
def test_numbers_of_columns_that_are_none(columns, field):
    class Odd(mg.Problem):
        rows = field(np.int32, columns=columns)

    with pytest.raises(ProblemError, match=r"Odd\.rows: columns=.* must be a whole number of at least 1"):
        Odd(mg.generate.path(3, device="cpu"))
    if field is not mg.array_field:
        with pytest.raises(ProblemError, match=r"Odd\.rows: columns="):
            Odd.memory_on(mg.generate.path(3, device="cpu"))


def test_only_fields_with_arrays_have_columns():
    for make in (mg.scalar_field, mg.parameter):
        with pytest.raises(TypeError, match="no option 'columns'"):
            make(np.int32, columns=2)


class Flags(mg.Problem):
    step = mg.parameter(np.uint8)
    on = mg.parameter(bool, default=True)


def test_parameters_of_a_byte():
    graph = mg.generate.path(3, device="cpu")
    problem = Flags(graph, step=200)
    assert (problem.step, problem.on) == (200, True)
    assert (type(problem.step), type(problem.on)) == (np.uint8, np.bool_)
    for wrong in (256, -1, 1.5, np.nan, None, [1]):
        with pytest.raises(ProblemError, match="step"):
            problem.step = wrong
    for wrong in (2, 0.5, -1, np.nan):
        with pytest.raises(ProblemError, match=r"on=.* is no number of dtype bool"):
            problem.on = wrong


DTYPES = ["int32", "int64", "float32", "float64", "bool", "uint8"]
SHAPES = [(4, 3), (4,), (3,), (1,), (1, 1), (), (3, 4), (12,), (4, 3, 1), (0, 3)]
_GIVEN = st.sampled_from(SHAPES).flatmap(
    lambda shape: st.sampled_from(["int8", "int64", "uint16", "float32", "float64", "bool"]).flatmap(
        lambda dtype: arrays.arrays(dtype, shape)
    )
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.sampled_from(DTYPES), st.booleans(), _GIVEN)
def test_whatever_is_assigned_or_adopted(dtype, has_columns, array):
    class Any(mg.Problem):
        field = mg.vertex_field(dtype, columns=3 if has_columns else None)

    graph = mg.generate.path(4, device="cpu")
    problem, shape = Any(graph), (4, 3) if has_columns else (4,)
    with np.errstate(all="ignore"):
        held = array.astype(dtype)
        if np.dtype(dtype).kind == "f":  # a single number that becomes infinite is refused
            fits = bool(np.all(np.isinf(held) == np.isinf(array))) or array.ndim > 0
        else:
            fits = bool((held == array).all())
    if fits and (array.shape == shape or array.size == 1):
        problem.field = array
        np.testing.assert_array_equal(
            problem.field, np.broadcast_to(held.reshape(-1)[0], shape) if array.size == 1 else held
        )
    else:
        with pytest.raises(ProblemError, match=r"Any\.field"):
            problem.field = array
        assert not problem.field.any()
    if array.shape == shape and array.dtype == dtype:
        assert Any(graph, field=array).field is array
    else:
        with pytest.raises(ProblemError, match=r"Any\.field must be a contiguous, writeable array of"):
            Any(graph, field=array)
