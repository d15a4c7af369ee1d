"""PartitionedArray: a value for each vertex of a graph in parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from minigr.device import CPU, Device, device_of
from minigr.errors import ProblemError
from minigr.graphs.partitioned.exchange import Exchange


class Known(IntEnum):
    """The vertices for which a part's copy of an array is up to date."""

    OWN = 0  # only the part's own vertices
    GHOSTS = 1  # also its ghosts
    ALL = 2  # all vertices


@dataclass(frozen=True)
class Copies:
    """The copies of an array in parts without its graph, because a graph that keeps the array must not hold itself."""

    locals: tuple[Any, ...]
    known: Known
    times_met: int  # of the graph, when the copies were up to date

    def of(self, graph: Any) -> PartitionedArray:
        """The copies as an array of `graph`."""
        array = PartitionedArray(graph, list(self.locals), self.known)
        array._met = self.times_met
        return array


class PartitionedArray(np.lib.mixins.NDArrayOperatorsMixin):
    """An array with an element, or a row, for each vertex. Each part has a copy of the array.

    The copy of a part is right for the part's own vertices. The copy may be out of date for other vertices; a run
    refreshes the elements that it reads. Python operators and NumPy's elementwise functions return another array in
    parts. `gather` and ``numpy.asarray`` return the whole as one NumPy array.

    Attributes
    ----------
    graph : PartitionedGraph
    locals : list of arrays
        The copy of each part, of full length, on the part's device.

    Examples
    --------
    >>> import minigr as mg
    >>> graph = mg.PartitionedGraph.from_graph(mg.generate.star(3, device="cpu"), devices=["cpu"] * 2)
    >>> degree = graph.degree()
    >>> degree.gather(), int(degree.max()), (degree + 1)[[0, 2]]
    (array([2, 1, 1]), 2, array([3, 2]))
    """

    def __init__(self, graph: Any, locals: list[Any], known: Known = Known.ALL) -> None:
        self.graph, self.locals, self.known = graph, locals, known

    @property
    def known(self) -> Known:
        """The vertices for which copies are up to date. Vertices that became ghosts since then are not."""
        of_others = self._known == Known.GHOSTS and self._met != self.graph.times_met
        return Known.OWN if of_others else self._known

    @known.setter
    def known(self, known: Known) -> None:
        self.know(known, self.graph)

    def know(self, known: Known, graph: Any) -> None:
        """Set `known` for the ghosts of `graph`: the graph of the array, perhaps as it was earlier."""
        self._known, self._met = known, graph.times_met

    @classmethod
    def full(cls, graph: Any, shape: Any, value: Any, dtype: Any) -> PartitionedArray:
        """Return an array of shape `shape`, filled with `value`."""
        with graph._exchange.together():
            return cls(graph, [part.device.full(shape, value, dtype) for part in graph.parts])

    @classmethod
    def of(cls, graph: Any, array: Any) -> PartitionedArray:
        """Copy the elements of `array`, which may be on any device, to each part."""
        with graph._exchange.together():
            host = CPU.asarray(array)
            return cls(graph, graph._team.each(lambda index: graph.parts[index].device.asarray(host).copy()))

    @property
    def dtype(self) -> np.dtype:
        return self.locals[0].dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return self.locals[0].shape

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def _exchange(self) -> Exchange:
        exchange: Exchange = self.graph._exchange
        return exchange

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def copies(self) -> Copies:
        """The copies of all parts without the graph, for the graph to keep."""
        return Copies(tuple(self.locals), self._known, self._met)

    def gather(self) -> Any:
        """Return the whole as one NumPy array. O(vertices), and memory for all vertices here."""

        def own(index: int) -> tuple[Any, Any]:
            owned = self._owned(index)
            return CPU.asarray(owned), CPU.asarray(self.locals[index][owned])

        with self._exchange.together():
            found = np.empty(self.shape, self.dtype)
            for owned, values in self._exchange.all_gather(self.graph._team.each(own)):
                found[owned] = values
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if copy is False:
            raise ValueError("an array in parts can't become one array without a copy: leave out copy=False")
        return np.asarray(self.gather(), dtype)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.gather())  # once, and not for each element

    def __getitem__(self, key: Any) -> Any:
        return self.gather()[_whole(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        devices = [part.device for part in self.graph.parts]
        if isinstance(key, (int, np.integer)) and isinstance(value, (int, float, np.generic)):
            for device, local in zip(devices, self.locals, strict=True):  # no need to wait for anything
                device.put(local, key, value)
            return
        if isinstance(key, list):
            key = np.asarray(key, None if key else np.intp)
        if not self._is_by_vertex(key, value):
            key = tuple(map(_whole, key)) if isinstance(key, tuple) else _whole(key)
            value = _whole(value)

        def store(index: int) -> None:
            self.locals[index][_local(key, index, devices[index])] = _local(value, index, devices[index])

        self.graph._team.each(store)
        given = [each for each in (self, key, value) if isinstance(each, PartitionedArray)]
        self.known = min(each.known for each in given)

    def _is_by_vertex(self, key: Any, value: Any) -> bool:
        """Whether an element that is stored at a vertex depends only on the elements of key and value at this vertex.

        Then each part can use its own copies of them. Otherwise it would use elements that may be out of date.
        """
        if any(isinstance(each, PartitionedArray) and each.graph is not self.graph for each in (key, value)):
            return False
        if isinstance(key, PartitionedArray):
            return key.dtype == np.bool_ and key.ndim == 1 and np.ndim(value) == 0
        everywhere = key is Ellipsis or (isinstance(key, slice) and key == slice(None))
        return everywhere and isinstance(value, PartitionedArray) and value.shape == self.shape

    def fill(self, value: Any) -> None:
        """Set every element to `value`."""
        for part, local in zip(self.graph.parts, self.locals, strict=True):
            part.device.fill(local, value)
        self.known = Known.ALL

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, out: Any = (), **options: Any) -> Any:
        given = [each for each in inputs if isinstance(each, PartitionedArray)]
        for each in (*given, *out):
            if isinstance(each, PartitionedArray):
                each.check_of(self.graph, f"an array that numpy.{function.__name__} is given")
        others = [np.ndim(each) for each in inputs if not isinstance(each, PartitionedArray)]
        alike = {each.ndim for each in given} == {self.ndim} and max(others, default=0) <= self.ndim
        alike = alike and all(isinstance(each, PartitionedArray) and each.shape == self.shape for each in out)
        if method != "__call__" or options or function.signature is not None or not alike:
            raise self._not_by_vertex(function)
        devices = [part.device for part in self.graph.parts]

        def apply(index: int) -> Any:
            into = {"out": tuple(each.locals[index] for each in out)} if out else {}
            return function(*[_local(each, index, devices[index]) for each in inputs], **into)

        found = self.graph._team.each_launched(apply)
        if (found[0] if function.nout == 1 else found[0][0]).shape[0] != len(self):
            raise self._not_by_vertex(function)
        known = min(each.known for each in given)
        for each in out:
            each.known = known
        by_result = [found] if function.nout == 1 else zip(*found, strict=True)
        results = out or tuple(PartitionedArray(self.graph, list(each), known) for each in by_result)
        return results[0] if function.nout == 1 else results

    def _not_by_vertex(self, function: Any) -> ProblemError:
        return ProblemError(
            f"numpy.{function.__name__} does not go vertex by vertex over arrays in parts: use gather()"
        )

    def __bool__(self) -> bool:
        raise ValueError("an array in parts is neither true nor false: use any() or all()")

    def with_each(self, function: Callable[..., Any], *others: PartitionedArray) -> PartitionedArray:
        """Return the array that ``function(own, *theirs)`` makes, element by element, from each part's copies.

        `function` gets the copies of this array and of `others`.
        """
        arrays = (self, *others)
        found = self.graph._team.each_launched(lambda index: function(*[each.locals[index] for each in arrays]))
        return PartitionedArray(self.graph, found, min(each.known for each in arrays))

    def _owned(self, index: int) -> Any:
        """The vertices of a part that existed when the array was made. Some graphs get new vertices later."""
        owned = self.graph.parts[index].owned
        return owned if len(self) == self.graph.num_vertices else owned[owned < len(self)]

    def _reduced(self, function: Any) -> Any:
        def own(index: int) -> Any:
            values = self.locals[index][self._owned(index)]
            return _on_host(function(values)) if len(values) else None

        with self._exchange.together():
            found = self._exchange.all_gather(self.graph._team.each(own))
        values = [each for each in found if each is not None]
        # Without elements, min and max raise.
        return function(np.stack(values) if values else np.empty(0, self.dtype))

    def any(self, axis: None = None, out: None = None) -> Any:
        """Return whether any element is true."""
        _check_options(axis, out)
        return self._reduced(np.any)

    def all(self, axis: None = None, out: None = None) -> Any:
        """Return whether all elements are true."""
        _check_options(axis, out)
        return self._reduced(np.all)

    def sum(self, axis: None = None, out: None = None) -> Any:
        """Return the sum of all elements: first the sum over each part, then the sum of these sums."""
        _check_options(axis, out)
        return self._reduced(np.sum)

    def min(self, axis: None = None, out: None = None) -> Any:
        """Return the smallest element."""
        _check_options(axis, out)
        return self._reduced(np.min)

    def max(self, axis: None = None, out: None = None) -> Any:
        """Return the largest element."""
        _check_options(axis, out)
        return self._reduced(np.max)

    def argmax(self) -> int:
        """Return the position of the largest element. Of several equal elements, the first one."""

        def own(index: int) -> Any:
            owned = self._owned(index)
            values = self.locals[index][owned]
            if not len(values):
                return None
            at = int(values.argmax())
            value = _on_host(values[at])
            return bool(value != value), 0 if value != value else value, -int(owned[at])  # NaN is the largest

        with self._exchange.together():
            found = [each for each in self._exchange.all_gather(self.graph._team.each(own)) if each is not None]
        if not found:
            raise ValueError("an array without elements has no greatest element")
        return -int(max(found)[2])

    def __repr__(self) -> str:
        shape = " x ".join(f"{length:,}" for length in self.shape)
        return f"PartitionedArray({shape} {self.dtype} in {self.graph.num_parts} parts; gather() is the whole)"

    def _with_arrays(self, change: Callable[[Any], Any]) -> PartitionedArray:
        """See `minigr.held.with_arrays`."""
        return PartitionedArray(self.graph, [change(local) for local in self.locals], self.known)

    def check_of(self, graph: Any, name: str) -> None:
        """Raise `ProblemError` if the array belongs to another graph. The message calls the array `name`."""
        if self.graph is not graph:
            raise ProblemError(f"{name} is in the parts of another graph: use its gather()")


def _check_options(axis: Any, out: Any) -> None:
    """Refuse the options of a reduction that NumPy passes on, such as ``numpy.sum(array, axis=0)``."""
    if axis is not None or out is not None:
        raise ProblemError("an array in parts is reduced as a whole, without axis= and out=: use gather()")


def _whole(value: Any) -> Any:
    """An array in parts as one array; any other value as it is."""
    return value.gather() if isinstance(value, PartitionedArray) else value


def _local(value: Any, index: int, device: Device) -> Any:
    """A value for a part on `device`: the part's copy of an array in parts, or another array on this device."""
    if isinstance(value, PartitionedArray):
        return value.locals[index]
    return device.asarray(value) if device.is_cuda and isinstance(value, np.ndarray) else value


def _on_host(value: Any) -> Any:
    """A scalar of NumPy or CuPy as a scalar of NumPy."""
    return value.get()[()] if device_of(value).is_cuda else value
