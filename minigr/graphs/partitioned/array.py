"""PartitionedArray: a value for each vertex of a graph in parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.errors import ProblemError


class PartitionedArray(np.lib.mixins.NDArrayOperatorsMixin):
    """An array with an element, or a row, for each vertex, of which each part has a copy.

    A part's copy is right for its own vertices. For the ghosts of the part it may be out of date; a run refreshes what
    it reads. Operators of Python and NumPy's functions for elements give another array in parts. `gather` and
    ``numpy.asarray`` give the whole as one array of NumPy's.

    Attributes
    ----------
    graph : PartitionedGraph
    locals : list of arrays
        The copy of each part, of full length.
    stale : bool
        Whether copies of ghosts may differ from what their owners have.

    Examples
    --------
    >>> import minigr as mg
    >>> graph = mg.PartitionedGraph.from_graph(mg.generate.star(3, device="cpu"), devices=["cpu"] * 2)
    >>> degree = graph.degree()
    >>> degree.gather(), int(degree.max()), (degree + 1)[[0, 2]]
    (array([2, 1, 1]), 2, array([3, 2]))
    """

    def __init__(self, graph: Any, locals: list[Any], stale: bool = False) -> None:
        self.graph, self.locals, self.stale = graph, locals, stale

    @classmethod
    def full(cls, graph: Any, shape: Any, value: Any, dtype: Any) -> PartitionedArray:
        """An array of this shape, filled with a value."""
        return cls(graph, [part.graph._device.full(shape, value, dtype) for part in graph.parts])

    @classmethod
    def of(cls, graph: Any, array: Any) -> PartitionedArray:
        """The elements of an array of the host's, copied to each part."""
        return cls(graph, [part.graph._device.asarray(array).copy() for part in graph.parts])

    @property
    def dtype(self) -> np.dtype:
        return self.locals[0].dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return self.locals[0].shape

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def gather(self) -> Any:
        """The whole as one array of NumPy's: O(vertices), and memory for all of them here."""
        found = np.empty(self.shape, self.dtype)
        parts, exchange = self.graph.parts, self.graph._exchange
        own = [(part.owned, local[part.owned]) for part, local in zip(parts, self.locals, strict=True)]
        for owned, values in exchange.all_gather(own):
            found[owned] = values
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if copy is False:
            raise ValueError("an array in parts can't be had as one array without a copy")
        return np.asarray(self.gather(), dtype)

    def __getitem__(self, key: Any) -> Any:
        return self.gather()[np.asarray(key) if isinstance(key, PartitionedArray) else key]

    def __setitem__(self, key: Any, value: Any) -> None:
        for index, local in enumerate(self.locals):
            local[_local(key, index)] = _local(value, index)

    def fill(self, value: Any) -> None:
        """Set every element."""
        for local in self.locals:
            local.fill(value)
        self.stale = False

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> Any:
        given = [each for each in inputs if isinstance(each, PartitionedArray)]
        if method != "__call__" or options or any(each.graph is not self.graph for each in given):
            return NotImplemented
        found = [function(*[_local(each, index) for each in inputs]) for index in range(len(self.locals))]
        stale = any(each.stale for each in given)
        if function.nout == 1:
            return PartitionedArray(self.graph, found, stale)
        return tuple(PartitionedArray(self.graph, list(each), stale) for each in zip(*found, strict=True))

    def _reduced(self, function: Any) -> Any:
        parts, exchange = self.graph.parts, self.graph._exchange
        own = [local[part.owned] for part, local in zip(parts, self.locals, strict=True)]
        found = exchange.all_gather([function(each) if len(each) else None for each in own])
        return function(np.stack([each for each in found if each is not None]))

    def any(self) -> Any:
        """Whether any element is true."""
        return bool(len(self)) and self._reduced(np.any)

    def all(self) -> Any:
        """Whether all elements are true."""
        return not len(self) or self._reduced(np.all)

    def sum(self) -> Any:
        """The sum of all elements: of those of each part, and then of these."""
        return self._reduced(np.sum) if len(self) else self.dtype.type(0)

    def min(self) -> Any:
        """The least element."""
        return self._reduced(np.min)

    def max(self) -> Any:
        """The greatest element."""
        return self._reduced(np.max)

    def argmax(self) -> int:
        """Where the greatest element is, the first one of several."""
        own = zip(self.graph.parts, self.locals, strict=True)
        found = []
        for part, local in own:
            values = local[part.owned]
            at = int(values.argmax()) if len(values) else -1
            found.append(None if at < 0 else (values[at], -int(part.owned[at])))
        return -max(each for each in self.graph._exchange.all_gather(found) if each is not None)[1]

    def __repr__(self) -> str:
        shape = " x ".join(f"{length:,}" for length in self.shape)
        return f"PartitionedArray({shape} {self.dtype} in {self.graph.num_parts} parts; gather() is the whole)"

    def check_of(self, graph: Any, name: str) -> None:
        """Raise `ProblemError` if it is of another graph; calls it by `name`."""
        if self.graph is not graph:
            raise ProblemError(f"{name} is in the parts of another graph: use its gather()")


def _local(value: Any, index: int) -> Any:
    return value.locals[index] if isinstance(value, PartitionedArray) else value
