"""Fields that a Problem declares."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.errors import ProblemError
from minigr.memory import out_of_memory
from minigr.primitives.reduce_ops import number_or_none
from minigr.program.given_arrays import as_values
from minigr.signatures import names_options


class Field:
    """One field of a Problem; made by `vertex_field`, `edge_field`, `array_field`, `scalar_field` and `parameter`.

    Reading the field from a Problem returns its array. A scalar field returns an array with one element, and a
    parameter returns its value. An assignment copies the values into the field.
    """

    def __init__(self, kind: str, dtype: Any, fill: Any, columns: Any = None, lasting: bool = False) -> None:
        self.kind, self.dtype, self.fill, self.columns, self.lasting = kind, dtype, fill, columns, lasting
        self.name = ""

    @property
    def is_array(self) -> bool:
        """Whether functors index the field."""
        return self.kind in ("vertex", "edge", "array")

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.name or name  # a name from another class or attribute stays, and `Problem` refuses the field

    def __get__(self, problem: Any, owner: type) -> Any:
        if problem is None:
            return self
        if self.lasting:
            problem.follow_graph()
        return problem._values[self.name]

    @out_of_memory
    def __set__(self, problem: Any, value: Any) -> None:
        if self.kind == "parameter":
            problem._values[self.name] = problem._parameter_value(self, value)
            return
        array = self.__get__(problem, type(problem))
        if type(value) is type(array) is np.ndarray and value.dtype == array.dtype and value.shape == array.shape:
            array[...] = value
            return
        number = number_or_none(value, array.dtype)
        if number is not None:
            problem.device.fill(array, number)
            return
        name = f"{type(problem).__name__}.{self.name}"
        values = as_values(problem.device, value, array.dtype, name)
        if values.size != 1 and values.shape != array.shape:
            wanted = f"an array of shape {array.shape}" if array.ndim > 1 else f"{len(array)} values"
            raise ProblemError(
                f"{name} takes one value or {wanted}, got shape {values.shape}{by_edge(self, problem.graph, values)}"
            )
        array[...] = values.reshape(()) if values.size == 1 else values


def by_edge(field: Field, graph: Any, values: Any) -> str:
    """The remedy for an edge field of a graph that is given a value for each undirected edge, or no text."""
    two_arcs = graph.layout == "csr" and graph.num_edges < graph.num_arcs
    if field.kind != "edge" or not two_arcs or values.shape != (graph.num_edges,):
        return ""
    return (
        ": an edge field has an element for each arc, and an undirected edge has two arcs. "
        "graph.with_weights(values).weights has the values by arc"
    )


@names_options
def vertex_field(dtype: Any, fill: Any = 0, columns: Any = None) -> Any:
    """A field with one element, or one row of elements, for each vertex.

    Parameters
    ----------
    dtype : dtype or callable
        int32, int64, float32, float64, bool or uint8; or a function of the graph that returns one of these dtypes.
    fill : scalar or callable
        Initial value of each element; or a function of the graph that returns this value.
    columns : int or callable, optional
        Number of elements of a row, at least 1; or a function of the graph that returns this number. The array then has
        the shape (number of vertices, columns), and a functor reads and writes ``field[vertex, k]``. The number is
        compiled in, so each number of columns makes a separate program. By default, the array has one dimension.

    Notes
    -----
    A functor computes with 64-bit integers. A value stored in a field of uint8 is cut to 8 bits, so that 256 becomes 0.
    A value stored in a field of bool becomes True unless the value is zero. Atomics support neither uint8 nor bool.

    Examples
    --------
    >>> import minigr as mg
    >>> class Depths(mg.Problem):
    ...     depth = mg.vertex_field("int32", fill=-1)
    ...     feature = mg.vertex_field("float32", columns=2)
    >>> depths = Depths(mg.generate.path(3, device="cpu"))
    >>> depths.depth
    array([-1, -1, -1], dtype=int32)
    >>> depths.feature.shape
    (3, 2)
    """
    return Field("vertex", dtype, fill, columns)


@names_options
def edge_field(dtype: Any, fill: Any = 0, columns: Any = None, *, lasting: bool = False) -> Any:
    """A field with one element, or one row, for each id of an arc, indexed by ``edge``; see `vertex_field`.

    In a `Graph` the ids are the positions of the arcs in ``graph.indices``, the order of
    ``graph.to_edges(both_ways=True)``. In a `DynamicGraph` the ids are the lanes of its slabs. Some lanes hold no arc,
    and each update may move an arc to another lane. A `lasting` field survives updates.

    Parameters
    ----------
    dtype : dtype or callable
        As for `vertex_field`.
    fill : scalar or callable
        As for `vertex_field`.
    columns : int or callable, optional
        As for `vertex_field`: the functor reads and writes ``field[edge, k]``.
    lasting : bool
        Over a `DynamicGraph`: whether the field survives updates of the graph. If True, an edge keeps its value, and a
        new edge gets `fill`. After an update, the field is another array. An edge of an undirected graph has one value
        for each of its two arcs. Updates that move edges take longer.

    Examples
    --------
    >>> import minigr as mg
    >>> class Supports(mg.Problem):
    ...     support = mg.edge_field("int32")
    >>> Supports(mg.generate.path(3, device="cpu")).support
    array([0, 0, 0, 0], dtype=int32)

    How many rounds each edge has been there for:

    >>> class Ages(mg.Problem):
    ...     age = mg.edge_field("int64", lasting=True)
    ...     total = mg.scalar_field("int64")
    >>> class Grow(mg.Functor):
    ...     def apply(edge, age):
    ...         age[edge] += 1
    ...         return age[edge]
    >>> graph = mg.DynamicGraph.from_edges([0, 1], [1, 2], device="cpu")
    >>> ages = Ages(graph)
    >>> for _ in range(3):
    ...     mg.operators.compute(ages, mg.Frontier.all_edges(), Grow, into="total")
    ...     inserted = graph.insert_edges([2], [0])
    >>> ages.total  # 3 and 3 rounds, and 2 rounds for the new edge
    array([8])
    """
    return Field("edge", dtype, fill, columns, lasting)


@names_options
def array_field(dtype: Any, columns: Any = None) -> Any:
    """A field of any length, whose array is passed to the Problem; a functor chooses the index that it looks up.

    An array is used without a copy; a list is copied. `Problem.reset` does not change the array.

    Parameters
    ----------
    dtype : dtype or callable
        As for `vertex_field`.
    columns : int or callable, optional
        As for `vertex_field`: the array has this number of columns, and any number of rows.

    Examples
    --------
    >>> import minigr as mg
    >>> class Table(mg.Problem):
    ...     table = mg.array_field("int64")
    ...     pairs = mg.array_field("int64", columns=2)
    >>> tables = Table(mg.generate.path(3, device="cpu"), table=[3, 1], pairs=[[1, 2], [3, 4], [5, 6]])
    >>> tables.table
    array([3, 1])
    >>> tables.pairs.shape
    (3, 2)
    """
    return Field("array", dtype, None, columns)


@names_options
def scalar_field(dtype: Any, fill: Any = 0) -> Any:
    """One number on the device that operators reduce into; a functor that asks for the field gets its value.

    Functors can't write the number. Return the number from ``apply``, ``apply_count`` or ``apply_reduce``, and name the
    field in the option ``into=`` or ``scalar=`` of the operator.

    Parameters
    ----------
    dtype : dtype or callable
        int32, int64, float32 or float64; or a function of the graph that returns one of these dtypes.
    fill : scalar or callable
        Value of the field before the first reduction. No reduction includes this value.

    Examples
    --------
    >>> import minigr as mg
    >>> class Total(mg.Problem):
    ...     total = mg.scalar_field("int64")
    >>> Total(mg.generate.path(3, device="cpu")).total
    array([0])
    """
    return Field("scalar", dtype, fill)


@names_options
def parameter(dtype: Any, default: Any = None) -> Any:
    """One number that the host sets when the Problem is made; the number is the same for the whole run.

    Parameters
    ----------
    dtype : dtype or callable
        As for `vertex_field`.
    default : scalar, optional
        Value of the parameter if none is passed. Without a default, a value is required.

    Examples
    --------
    >>> import minigr as mg
    >>> class Damped(mg.Problem):
    ...     damping = mg.parameter("float64", default=0.85)
    >>> float(Damped(mg.generate.path(3, device="cpu"), damping=0.5).damping)
    0.5
    """
    return Field("parameter", dtype, default)
