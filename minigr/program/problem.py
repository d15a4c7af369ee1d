"""Problem: the data of a graph program, declared as fields and allocated for one graph."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from minigr.device import Device, require_on
from minigr.dtypes import FIELDS, REAL
from minigr.errors import GraphError, ProblemError
from minigr.graphs.dynamic.values import EdgeValues
from minigr.graphs.given import require_graph
from minigr.graphs.partitioned.array import PartitionedArray
from minigr.memory import out_of_memory, require
from minigr.primitives import filled
from minigr.primitives.arguments import is_array
from minigr.primitives.reduce_ops import as_number, number_or_none
from minigr.program.fields import Field, by_edge
from minigr.program.given_arrays import as_values, misfit
from minigr.signatures import unknown

_DTYPES, _NUMBERS = tuple(map(np.dtype, FIELDS)), tuple(map(np.dtype, REAL))
_OWN = ("graph", "device")
_RESERVED = frozenset((*_OWN, "reset", "use", "memory_on", "on_part"))


_MOST_TOGETHER = 64  # number of combinations of shapes and fills for which a kind of problem keeps a `filled.Together`


@dataclass(eq=False)
class _Form:
    """Properties that all problems of one kind share: dtypes, columns, and fills if they are known.

    For small problems on a GPU, also the objects that make all arrays together, by the shapes and fills of the arrays.
    """

    dtypes: dict[str, np.dtype]
    columns: dict[str, int]
    row_bytes: dict[str, int]
    fills: dict[str, Any]
    together: dict[Any, filled.Together]


class ProblemType(type):
    """The type of problem classes. It refuses changes of fields, because data derived from them would be outdated."""

    def __setattr__(cls, name: str, value: Any) -> None:
        if isinstance(value, Field) or isinstance(getattr(cls, name, None), Field):
            raise ProblemError(
                f"{cls.__name__}.{name} can't be set after the class statement: make a subclass that has the field"
            )
        super().__setattr__(name, value)


class Problem(metaclass=ProblemType):
    """Base of all problems: subclasses declare fields, an instance holds their arrays for one graph.

    A subclass inherits fields as Python inherits attributes, also from several bases and from bases that are no
    problems. A name that a subclass sets to something else is no field any more. A field can't be set after the class
    statement: make a subclass.

    Parameters
    ----------
    graph : Graph, DynamicGraph or PartitionedGraph
    **values
        Values for the fields declared with `parameter`, and arrays for the fields declared with `array_field`. For any
        other field, an array that is used without a copy; the array must have the right dtype and length, and must be
        on the graph's device. A list, or another sequence of numbers, is copied to the device. Over a
        `PartitionedGraph`, vertex fields are arrays in parts. An array in parts from another run is used without a
        copy, and any other array is copied to each part.

    Attributes
    ----------
    graph : Graph, DynamicGraph or PartitionedGraph
    device : Device
        The device of the arrays of the fields.

    Raises
    ------
    ProblemError
        If a field is unknown, if a parameter or an array is missing, or if an array doesn't fit. If a field has an
        unsupported dtype, or a number of columns that is not an integer of at least 1. If an attribute is set that is
        neither a field nor declared in the class, unless its name begins with an underscore.
    GraphError
        If `graph` is not a graph of minigr, or if it is a `PartitionedGraph` and the problem has edge fields.
    OutOfMemoryError
        If the device has no room for the fields.

    Examples
    --------
    >>> import numpy as np
    >>> import minigr as mg
    >>> class Visits(mg.Problem):
    ...     depth = mg.vertex_field(np.int32, fill=-1)
    >>> Visits(mg.generate.path(3, device="cpu")).depth
    array([-1, -1, -1], dtype=int32)
    """

    _fields: ClassVar[dict[str, Field]] = {}
    _of_graph: ClassVar[list[Callable[[Any], Any]]] = []  # for dtypes and columns that depend on the graph
    _forms: ClassVar[dict[Any, _Form]] = {}  # by the results of these functions
    graph: Any
    device: Device
    _version: int  # version of the graph that the edge fields are for
    _values: dict[str, Any]
    _dtypes: dict[str, np.dtype]
    _columns: dict[str, int]  # number of elements in a row of a field; 0 for one dimension
    _form: _Form
    _lasting: dict[str, EdgeValues]  # values of the fields whose arrays the graph keeps

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        there = {name: value for base in reversed(cls.__mro__) for name, value in vars(base).items()}
        fields = {name: value for name, value in there.items() if isinstance(value, Field)}
        for name, field in fields.items():
            if name in _RESERVED:
                raise ProblemError(
                    f"{cls.__name__}.{name}: every Problem already has {name!r}, so give the field another name"
                )
            if field.name != name:
                raise ProblemError(
                    f"{cls.__name__}.{name} is a field that was not made under this name in a class statement: make a "
                    f"new field there, {name} = ..."
                )
        cls._fields, cls._forms = fields, {}
        dtypes = [field.dtype for field in cls._fields.values() if _is_function_of_graph(field.dtype)]
        cls._of_graph = [*dtypes, *(field.columns for field in cls._fields.values() if callable(field.columns))]

    @out_of_memory
    def __init__(self, graph: Any, **values: Any) -> None:
        require_graph(graph, type(self).__name__, parts=True)
        for name in values:
            if name not in self._fields:
                raise ProblemError(f"{type(self).__name__} has no field {name!r}; {unknown(name, self._fields)}")
        self._check_parts(graph)
        form = self._form_on(graph)
        self.__dict__.update(  # in one call, because `__setattr__` checks each name
            graph=graph, device=graph._device, _version=graph.version, _form=form, _dtypes=form.dtypes,
            _columns=form.columns, _values={}, _lasting={},
        )  # fmt: skip
        shapes, size = self._to_make(graph, form, values)
        self._require(size)
        if self._makes_together(size):
            made = self._made_together(shapes)
        else:
            made = {name: self._made(self._fields[name], shape) for name, shape in shapes.items()}
        for name, field in self._fields.items():
            if name in made:
                self._values[name] = made[name]
            elif field.kind == "parameter":
                given = name in values or field.fill is None
                self._values[name] = self._parameter_value(field, values.get(name)) if given else self._fill_of(field)
            elif name in values:
                self._values[name] = self._adopt(field, values[name])
            else:
                raise ProblemError(f"{type(self).__name__} needs an array for its field {name!r}: pass {name}=")
        for name, array in values.items():
            if name in self._lasting:
                setattr(self, name, array)

    def _require(self, size: int) -> None:
        """Raise `OutOfMemoryError` if there is no room for fields of `size` bytes."""
        what = f"the fields of {type(self).__name__}"
        if self.graph.layout != "parts":
            require(self.device, size, what)
            return
        devices = self.graph._team.devices
        for device in dict.fromkeys(devices):
            require(device, size * devices.count(device) // self.graph.num_parts, what)

    @classmethod
    def _check_parts(cls, graph: Any) -> None:
        """Refuse edge fields over a graph in parts."""
        for name, field in cls._fields.items() if graph.layout == "parts" else ():
            if field.kind == "edge":
                raise GraphError(
                    f"{cls.__name__}.{name} has an element for each edge, but edges have no ids that all parts of a "
                    "PartitionedGraph know: use vertex fields and weights, or graph.gather()"
                )

    def _is_in_parts(self, field: Field) -> bool:
        """Whether the array of a field is an array in parts."""
        return field.kind == "vertex" and self.graph.layout == "parts"

    def on_part(self, index: int, scalars: dict[str, Any] | None = None) -> Problem:
        """Return this problem on ``graph.parts[index]`` of a graph in parts: the part's arrays, and scalars of its own.

        The scalars are copies by default. Otherwise the scalars are `scalars`: arrays on the device of the part, which
        may receive their values later.
        """
        graph, values = self.graph.parts[index].graph, dict(self._values)
        for name, field in self._fields.items():
            if self._is_in_parts(field):
                values[name] = values[name].locals[index]
            elif field.kind == "scalar":
                values[name] = graph._device.asarray(values[name]).copy() if scalars is None else scalars[name]
            elif field.kind == "array":
                values[name] = graph._device.asarray(values[name])
        view: Problem = object.__new__(type(self))
        view.__dict__.update(self.__dict__)
        view.__dict__.update(graph=graph, device=graph._device, _values=values, _version=graph.version)
        return view

    @classmethod
    def _form_on(cls, graph: Any) -> _Form:
        """The dtypes and columns of the fields on `graph`. Graphs with the same dtypes and columns share one form."""
        asked = tuple([of_graph(graph) for of_graph in cls._of_graph])
        key: Any = (*asked, *map(type, asked))
        try:
            found = cls._forms.get(key)
        except TypeError:  # a result has no hash
            key = found = None
        if found is None:
            fields = cls._fields.items()
            dtypes = {name: cls._resolve_dtype(field, graph) for name, field in fields}
            columns = {name: cls._resolve_columns(field, graph) for name, field in fields}
            sizes = {name: dtype.itemsize * (columns[name] or 1) for name, dtype in dtypes.items()}
            found = _Form(dtypes, columns, sizes, {}, {})
            if key is not None:
                cls._forms[key] = found
        return found

    def _fill_of(self, field: Field) -> Any:
        """The initial value of a field, as a number of its dtype."""
        name, form = field.name, self._form
        fill = form.fills.get(name)
        if fill is None:
            initial, dtype = self._initial(field), form.dtypes[name]
            fill = number_or_none(initial, dtype)
            if fill is None:
                option = "default" if field.kind == "parameter" else "fill"
                fill = as_number(initial, dtype, f"{type(self).__name__}.{name}: {option}")  # which raises
            if not callable(field.fill):
                form.fills[name] = fill
        return fill

    def _makes_together(self, size: int) -> bool:
        """Whether arrays of `size` bytes are made together: small arrays on one GPU, all owned by the problem."""
        device, layout = self.device, self.graph.layout
        return device.is_cuda and 0 < size <= filled.TOGETHER and layout == "csr" and not device.is_rehearsed

    def _made_together(self, shapes: dict[str, tuple[int, ...]]) -> dict[str, Any]:
        """The arrays of fields with initial values, by name."""
        form = self._form
        fills = [self._fill_of(self._fields[name]) for name in shapes]
        key = (self.device.index, *shapes.items(), *[fill.tobytes() for fill in fills])
        found = form.together.get(key)
        if found is None:
            dtypes = [form.dtypes[name] for name in shapes]
            if len(form.together) >= _MOST_TOGETHER:
                self.device.synchronize()  # copies from their arrays may still be running
                form.together.clear()
            made = filled.Together(self.device, list(zip(shapes.values(), fills, dtypes, strict=True)))
            found = form.together[key] = made
        return dict(zip(shapes, found.made()))  # noqa: B905  # equal lengths; strict= slows small calls

    def _made(self, field: Field, shape: tuple[int, ...]) -> Any:
        """The array of a field with an initial value."""
        name, form = field.name, self._form
        dtype, fill = form.dtypes[name], self._fill_of(field)
        if self._is_in_parts(field):
            return PartitionedArray.full(self.graph, shape, fill, dtype)
        if not (field.lasting and _lasts(field, self.graph)):
            return filled.full(self.device, shape, fill, dtype)
        self._lasting[name] = EdgeValues(self.graph, dtype, fill, form.columns[name])
        return self._lasting[name].array

    def __setattr__(self, name: str, value: Any) -> None:
        field = self._fields.get(name)
        if field is not None:
            field.__set__(self, value)
            return
        if name[:1] != "_" and name not in _OWN and not hasattr(type(self), name):
            raise ProblemError(
                f"{type(self).__name__} has no field {name!r}; {unknown(name, self._fields)}. Declare the field in "
                f"the class, or use the name _{name} for an attribute that is no field"
            )
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        fields = [f"{name}: {self._described(field)}" for name, field in self._fields.items()]
        return f"{type(self).__name__}({', '.join([repr(self.graph), *fields])})"

    def _described(self, field: Field) -> str:
        columns = self._columns[field.name]
        with_columns = f" with {columns} column{'s' if columns > 1 else ''}" if columns else ""
        return f"{self._dtypes[field.name]} {field.kind}{with_columns}"

    @classmethod
    def memory_on(cls, graph: Any, *given: str) -> int:
        """Return the bytes that the fields take on `graph`, except for the fields in `given`, whose arrays exist.

        A lasting field of a dynamic graph counts even if its name is in `given`, because the graph copies its array.

        Examples
        --------
        >>> import minigr as mg
        >>> import numpy as np
        >>> class Visits(mg.Problem):
        ...     depth = mg.vertex_field(np.int32)
        ...     flow = mg.edge_field(np.float64)
        >>> Visits.memory_on(mg.generate.path(3, device="cpu"))
        44
        """
        return cls._to_make(graph, cls._form_on(graph), given)[1]

    @classmethod
    def _to_make(cls, graph: Any, form: _Form, given: Collection[str]) -> tuple[dict[str, tuple[int, ...]], int]:
        """The shapes of the arrays to make if the fields in `given` are given arrays, and the bytes that they take.

        In a graph in parts, each part has room for an element of each vertex.
        """
        shapes: dict[str, tuple[int, ...]] = {}
        size, lengths, copies = 0, _lengths(graph), graph.num_parts if graph.layout == "parts" else 1
        for name, field in cls._fields.items():
            length, lasts = lengths.get(field.kind), field.lasting and _lasts(field, graph)
            if length is None or (name in given and not lasts):
                continue
            columns = form.columns[name]
            shapes[name] = (length, columns) if columns else (length,)
            rows = graph.most_edge_ids if lasts else length * copies if field.kind == "vertex" else length
            size += form.row_bytes[name] * rows
        return shapes, size

    @out_of_memory
    def reset(self) -> None:
        """Set each vertex field, edge field and scalar field to its fill again.

        Array fields keep their elements, and parameters keep their values, also those that were assigned.

        If the graph has changed, the field gets as many elements as the graph needs.
        """
        self.follow_graph()
        lengths = _lengths(self.graph)
        for name, field in self._fields.items():
            if field.kind in lengths:
                length, columns = lengths[field.kind], self._columns[name]
                shape = (length, columns) if columns else (length,)
                initial = self._initial(field)
                if shape != self._values[name].shape:
                    self._values[name] = self._made(field, shape)
                elif self._is_in_parts(field):
                    self._values[name].fill(initial)
                else:
                    filled.fill(self.device, self._values[name], initial)
                if name in self._lasting:
                    self._lasting[name].fill = self._dtypes[name].type(initial)
        self._version = self.graph.version

    def use(self, **arrays: Any) -> None:
        """Use these arrays from now on, without a copy, in place of the current arrays of the fields.

        Raises
        ------
        ProblemError
            If a field does not exist or has no array, if an array doesn't fit its field, or if a field is a lasting
            field of a dynamic graph. Nothing is changed then.
        """
        for name in arrays:
            if name not in self._fields or self._fields[name].kind == "parameter":
                held = [known for known, field in self._fields.items() if field.kind != "parameter"]
                raise ProblemError(f"{type(self).__name__} has no field {name!r} with an array; {unknown(name, held)}")
            if name in self._lasting:
                raise ProblemError(
                    f"{type(self).__name__}.{name} is a lasting field, whose array belongs to the graph: assign to the "
                    "field, which copies the values"
                )
        self._values |= {name: self._adopt(self._fields[name], array) for name, array in arrays.items()}

    def follow_graph(self) -> None:
        """Update the lasting fields to their arrays in the current graph."""
        for name, values in self._lasting.items():
            self._values[name] = values.array

    def check_graph(self) -> None:
        """Raise `ProblemError` if the graph was changed such that the fields no longer fit it."""
        if self._version == self.graph.version:
            return
        self.follow_graph()
        needed = self.graph.num_vertices
        for name, field in self._fields.items():
            if field.kind == "vertex" and len(self._values[name]) != needed:
                what = "rows" if self._columns[name] else "elements"
                raise ProblemError(
                    f"{type(self).__name__}.{name} has {len(self._values[name])} {what}, but the graph has {needed} "
                    "vertices now: make the Problem again, or call its reset()"
                )
            if field.kind == "edge" and name not in self._lasting:
                raise ProblemError(
                    f"{type(self).__name__}.{name} has an element for each edge, but the graph was changed, and its "
                    "edges now have other ids: make the Problem again, call its reset(), or declare the field with "
                    "lasting=True"
                )

    def _initial(self, field: Field) -> Any:
        return field.fill(self.graph) if callable(field.fill) else field.fill

    def _parameter_value(self, field: Field, value: Any) -> Any:
        if value is None:
            raise ProblemError(
                f"{type(self).__name__} needs a value for its parameter {field.name!r}: pass {field.name}= when the "
                "Problem or the Enactor is made, or give the parameter a default, mg.parameter(dtype, default)"
            )
        number = number_or_none(value, self._dtypes[field.name])
        if number is None:
            return as_number(value, self._dtypes[field.name], f"{type(self).__name__}.{field.name}")  # which raises
        return number

    def _adopt(self, field: Field, given: Any) -> Any:
        name, dtype = f"{type(self).__name__}.{field.name}", self._dtypes[field.name]
        in_parts = self._is_in_parts(field) and isinstance(given, PartitionedArray)
        if in_parts:
            given.check_of(self.graph, name)
            array = given.locals[0]
        elif is_array(given) and self.graph.layout == "parts":
            array = self.device.asarray(given)  # each part then gets a copy on its device
        elif is_array(given):
            require_on(given, self.device, name)
            array = self.device.xp.asarray(given)
        else:
            array = as_values(self.device, given, dtype, name)
            array = array.astype(dtype)  # a copy that belongs to the field
        columns = self._columns[field.name]
        rows = _lengths(self.graph).get(field.kind)
        if complaint := misfit(given, array, dtype, rows, columns):
            raise ProblemError(
                f"{name} must be a contiguous, writeable array of {complaint}{by_edge(field, self.graph, array)}"
            )
        if self._is_in_parts(field):
            return given if in_parts else PartitionedArray.of(self.graph, array)
        return array

    @classmethod
    def _resolve_dtype(cls, field: Field, graph: Any) -> np.dtype:
        given = field.dtype(graph) if _is_function_of_graph(field.dtype) else field.dtype
        try:
            dtype = None if given is None else np.dtype(given)
        except (TypeError, ValueError):
            dtype = None
        allowed = _NUMBERS if field.kind == "scalar" else _DTYPES
        if dtype is None or dtype not in allowed:
            kind = "parameter" if field.kind == "parameter" else f"{field.kind} field"
            raise ProblemError(
                f"{cls.__name__}.{field.name}: dtype {given!r} is not one of {', '.join(map(str, allowed))}, the "
                f"dtypes of {kind}s"
            )
        return dtype

    @classmethod
    def _resolve_columns(cls, field: Field, graph: Any) -> int:
        """The number of elements in a row of a field; 0 if the field has one dimension."""
        if field.columns is None:
            return 0
        given = field.columns(graph) if callable(field.columns) else field.columns
        try:
            columns = 0 if isinstance(given, (bool, np.bool_)) else operator.index(given)
        except TypeError:
            columns = 0
        if columns < 1:
            raise ProblemError(
                f"{cls.__name__}.{field.name}: columns={given!r} must be a whole number of at least 1, or a function "
                "of the graph that returns one: leave out columns= for one dimension"
            )
        return columns


def _lasts(field: Field, graph: Any) -> bool:
    """Whether the graph keeps the values of a field through its updates."""
    return bool(field.lasting and graph.layout == "slabs")


def _lengths(graph: Any) -> dict[str, int]:
    """The number of elements, or rows, of the fields of each kind that has initial values."""
    return {"vertex": graph.num_vertices, "edge": graph.num_edge_ids, "scalar": 1}


def _is_function_of_graph(dtype: Any) -> bool:
    return callable(dtype) and not isinstance(dtype, type)
