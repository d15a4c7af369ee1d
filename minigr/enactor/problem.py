"""Problem: the data of a graph program, declared as fields and allocated for one graph."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from minigr.device import require_on
from minigr.errors import ProblemError
from minigr.memory import require

DTYPES = (np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.float32), np.dtype(np.float64))
_RESERVED = frozenset(("graph", "device", "reset", "use", "memory_on"))


class Field:
    """One field of a Problem; made by `vertex_field`, `edge_field`, `array_field`, `scalar_field` and `parameter`.

    Reading it from a Problem gives its array (a scalar field: an array of one; a parameter: its value). Assigning
    copies the values in.
    """

    def __init__(self, kind: str, dtype: Any, fill: Any) -> None:
        self.kind, self.dtype, self.fill = kind, dtype, fill
        self.name = ""

    @property
    def is_array(self) -> bool:
        """Whether functors index it."""
        return self.kind in ("vertex", "edge", "array")

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, problem: Problem | None, owner: type) -> Any:
        return self if problem is None else problem._values[self.name]

    def __set__(self, problem: Problem, value: Any) -> None:
        if self.kind == "parameter":
            problem._values[self.name] = problem._parameter_value(self, value)
            return
        array, values = problem._values[self.name], problem.device.asarray(value)
        if values.size != 1 and values.shape != array.shape:
            raise ProblemError(
                f"{type(problem).__name__}.{self.name} takes one value or {len(array)}, got shape {values.shape}"
            )
        array[...] = values.reshape(()) if values.size == 1 else values


def vertex_field(dtype: Any, fill: Any = 0) -> Any:
    """A field with one element for each vertex.

    Parameters
    ----------
    dtype : dtype or callable
        int32, int64, float32 or float64; or a function of the graph that returns one of them.
    fill : scalar or callable
        Initial value of each element; or a function of the graph that returns it.
    """
    return Field("vertex", dtype, fill)


def edge_field(dtype: Any, fill: Any = 0) -> Any:
    """A field with one element for each id of an arc, indexed by ``edge``; see `vertex_field`.

    In a `Graph` these are the arcs. In a `DynamicGraph` they are the lanes of its slabs, of which some hold no arc, and
    which arc an element belongs to changes with each update.
    """
    return Field("edge", dtype, fill)


def array_field(dtype: Any) -> Any:
    """A field of any length, whose array is given when the Problem is made; a functor says itself what it looks up.

    It is used as it is, without a copy; `Problem.reset` leaves it alone.
    """
    return Field("array", dtype, None)


def scalar_field(dtype: Any, fill: Any = 0) -> Any:
    """One number on the device that operators reduce into; a functor that asks for it gets its value."""
    return Field("scalar", dtype, fill)


def parameter(dtype: Any, default: Any = None) -> Any:
    """One number set from the host when the Problem is made; the same for the whole run."""
    return Field("parameter", dtype, default)


_WITHOUT_FILL = ("array", "parameter")  # what a Problem is given


class Problem:
    """Base of all problems: subclasses declare fields, an instance holds their arrays for one graph.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    **values
        Values for the fields declared with `parameter`, and arrays for those declared with `array_field`; and for any
        other field an array to use as it is, without a copy, of the right dtype and length and on the graph's device.

    Raises
    ------
    ProblemError
        For an unknown field, a parameter or an array that is missing, an array that doesn't fit, or a dtype other than
        int32, int64, float32, float64.
    OutOfMemoryError
        If the device has no room for its fields.

    Examples
    --------
    >>> import numpy as np
    >>> import minigr as mg
    >>> class Visits(Problem):
    ...     depth = vertex_field(np.int32, fill=-1)
    >>> Visits(mg.generate.path(3, device="cpu")).depth
    array([-1, -1, -1], dtype=int32)
    """

    _fields: ClassVar[dict[str, Field]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = {name: value for name, value in vars(cls).items() if isinstance(value, Field)}
        for name in _RESERVED.intersection(own):
            raise ProblemError(
                f"{cls.__name__}.{name}: every Problem has a {name} of its own, give the field another name"
            )
        cls._fields = {**cls._fields, **own}

    def __init__(self, graph: Any, **values: Any) -> None:
        self.graph = graph
        self.device = graph._device
        self._version = graph.version  # of the graph that the edge fields are for
        self._values: dict[str, Any] = {}
        self._dtypes: dict[str, np.dtype] = {}
        for name in values:
            if name not in self._fields:
                raise ProblemError(
                    f"{type(self).__name__} has no field {name!r}; it has {', '.join(self._fields) or 'none'}"
                )
        for name, field in self._fields.items():
            self._dtypes[name] = self._resolve_dtype(field, graph)
        require(self.device, self.memory_on(graph, *values), f"the fields of {type(self).__name__}")
        for name, field in self._fields.items():
            if field.kind == "parameter":
                self._values[name] = self._parameter_value(field, values.get(name, field.fill))
            elif name in values:
                self._values[name] = self._adopt(field, values[name])
            elif field.kind == "array":
                raise ProblemError(f"{type(self).__name__} needs an array for its field {name!r}: pass {name}=")
            else:
                self._values[name] = self.device.full(self._size(field), self._initial(field), self._dtypes[name])

    @classmethod
    def memory_on(cls, graph: Any, *given: str) -> int:
        """Bytes that the fields take on `graph`, but for those whose names are `given`, for which there are arrays.

        Examples
        --------
        >>> import minigr as mg
        >>> class Visits(Problem):
        ...     depth = vertex_field(np.int32)
        ...     flow = edge_field(np.float64)
        >>> Visits.memory_on(mg.generate.path(3, device="cpu"))
        44
        """
        made = [f for name, f in cls._fields.items() if f.kind not in _WITHOUT_FILL and name not in given]
        return sum(_size(field, graph) * cls._resolve_dtype(field, graph).itemsize for field in made)

    def reset(self) -> None:
        """Give each field that has an initial value this again; as many elements as a changed graph needs."""
        for name, field in self._fields.items():
            if field.kind not in _WITHOUT_FILL:
                if self._size(field) != len(self._values[name]):
                    self._values[name] = self.device.empty(self._size(field), self._dtypes[name])
                self.device.fill(self._values[name], self._initial(field))
        self._version = self.graph.version

    def use(self, **arrays: Any) -> None:
        """Work on these arrays from now on, as they are, in the place of those that the fields have.

        Raises
        ------
        ProblemError
            For a field that there is not, or that has no array, or an array that doesn't fit it; nothing is changed.
        """
        for name in arrays:
            if name not in self._fields or self._fields[name].kind == "parameter":
                raise ProblemError(f"{type(self).__name__} has no field {name!r} with an array")
        self._values |= {name: self._adopt(self._fields[name], array) for name, array in arrays.items()}

    def check_graph(self) -> None:
        """Raise `ProblemError` if the graph was changed such that the fields no longer fit it."""
        needed, is_changed = self.graph.num_vertices, self._version != self.graph.version
        for name, field in self._fields.items():
            if field.kind == "vertex" and len(self._values[name]) != needed:
                raise ProblemError(
                    f"{type(self).__name__}.{name} has {len(self._values[name])} elements, but the graph has {needed} "
                    "vertices now: make the Problem anew, or call its reset()"
                )
            if is_changed and field.kind == "edge":
                raise ProblemError(
                    f"{type(self).__name__}.{name} has an element for each edge, but the graph was changed since, and "
                    "its edges have other ids: make the Problem anew, or call its reset()"
                )

    def _initial(self, field: Field) -> Any:
        return field.fill(self.graph) if callable(field.fill) else field.fill

    def _parameter_value(self, field: Field, value: Any) -> Any:
        if value is None:
            raise ProblemError(f"{type(self).__name__} needs a value for its parameter {field.name!r}")
        dtype = self._dtypes[field.name]
        try:
            number = dtype.type(value)
        except (TypeError, ValueError, OverflowError) as error:
            raise ProblemError(f"{type(self).__name__}.{field.name} is one {dtype}, got {value!r}: {error}") from error
        if not isinstance(number, np.generic) or (dtype.kind == "i" and number != value):
            raise ProblemError(f"{type(self).__name__}.{field.name} is one {dtype}, which {value!r} is not")
        return number

    def _adopt(self, field: Field, array: Any) -> Any:
        require_on(array, self.device, f"{type(self).__name__}.{field.name}")
        dtype = self._dtypes[field.name]
        size = np.size(array) if field.kind == "array" else self._size(field)
        fits = getattr(array, "dtype", None) == dtype and array.shape == (size,) and array.flags.c_contiguous
        if not fits or not getattr(array.flags, "writeable", True):
            raise ProblemError(
                f"{type(self).__name__}.{field.name} must be a contiguous, writeable array of {size} {dtype}, "
                f"got {getattr(array, 'shape', type(array).__name__)} of {getattr(array, 'dtype', 'no dtype')}"
            )
        return array

    @classmethod
    def _resolve_dtype(cls, field: Field, graph: Any) -> np.dtype:
        given = field.dtype(graph) if _is_function_of_graph(field.dtype) else field.dtype
        dtype = np.dtype(given)
        if dtype not in DTYPES:
            raise ProblemError(
                f"{cls.__name__}.{field.name}: dtype {dtype} is not one of {', '.join(map(str, DTYPES))}"
            )
        return dtype

    def _size(self, field: Field) -> int:
        return _size(field, self.graph)


def _size(field: Field, graph: Any) -> int:
    if field.kind in ("scalar", "parameter"):
        return 1
    return int(graph.num_vertices if field.kind == "vertex" else graph.num_edge_ids)


def _is_function_of_graph(dtype: Any) -> bool:
    return callable(dtype) and not isinstance(dtype, type)
