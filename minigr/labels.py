"""Vertices that are called by names: labels of any hashable type, and the ids 0, 1, ... that stand for them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from minigr.device import CPU
from minigr.errors import GraphError
from minigr.memory import out_of_memory
from minigr.missing import refuse_masked

if TYPE_CHECKING:
    import pandas


class Labels:
    """The label of each vertex.

    ``labels[ids]`` returns the labels of ids, and the method `ids` returns the ids of labels.

    Parameters
    ----------
    values : iterable of hashables, or array
        The label of vertex 0, 1, .... All labels must be different.

    Raises
    ------
    GraphError
        If a label occurs twice, is missing (None, NaN or masked), or is not hashable.

    Examples
    --------
    >>> import minigr as mg
    >>> labels, (src, dst) = Labels.number(["ann", "bob"], ["bob", "cleo"])
    >>> graph = mg.Graph.from_edges(src, dst, device="cpu")
    >>> labels.series(mg.bfs(graph, labels.id("ann")).depth).to_dict()
    {'ann': 0, 'bob': 1, 'cleo': 2}
    """

    @out_of_memory
    def __init__(self, values: Iterable[Hashable]) -> None:
        import pandas as pd

        flat = isinstance(values, pd.Index) and not isinstance(values, pd.MultiIndex)
        index: Any = values if flat else _index(_column(values, "labels"))
        if not _hashed(lambda: index.is_unique):
            raise GraphError(
                f"the label {index[index.duplicated()][0]!r} is there twice: each vertex needs its own label"
            )
        if index.hasnans:
            raise GraphError(f"vertex {int(np.flatnonzero(index.isna())[0])} has no label: give it one")
        self._index = index

    @classmethod
    @out_of_memory
    def number(cls, *columns: Any) -> tuple[Labels, tuple[Any, ...]]:
        """Number the labels in `columns` in the order of their first appearance, scanning one column after another.

        O(length of the columns).

        Returns
        -------
        labels : Labels
        ids : tuple of int32 arrays
            One array for each column.

        Raises
        ------
        GraphError
            If a label is missing (None, NaN or masked) or is not hashable.
        """
        import pandas as pd

        arrays = [_column(column, f"column {number}") for number, column in enumerate(columns)]
        for number, array in enumerate(arrays):
            missing = np.flatnonzero(pd.isna(array))
            if missing.size:
                raise GraphError(f"row {missing[0]} of column {number} has no label: every edge needs two ends")
        kinds = {array.dtype for array in arrays}
        together: Any = np.concatenate([a if len(kinds) == 1 else a.astype(object) for a in arrays]) if arrays else []
        codes, found = _hashed(lambda: _by_table(together) if _is_dense(together) else pd.factorize(together))
        ends = np.cumsum([len(array) for array in arrays])[:-1]
        ids = np.split(codes.astype(np.int32, copy=False), ends)
        return cls(_index(found)), tuple(ids)

    @out_of_memory
    def ids(self, labels: Iterable[Hashable]) -> Any:
        """The ids of `labels`, int32.

        Raises
        ------
        GraphError
            If a label does not belong to a vertex, is masked, or is not hashable.
        """
        wanted = _column(labels, "labels")
        index, others = self._index, _index(wanted)
        kinds = {index.dtype.kind, others.dtype.kind}
        if kinds in ({"i", "f"}, {"u", "f"}):
            index, others = index.astype(object), others.astype(object)  # pandas would round whole numbers to float64
        found = _hashed(lambda: index.get_indexer(others)).astype(np.int32)
        unknown = np.flatnonzero(found < 0)
        if unknown.size:
            raise GraphError(f"no vertex is called {wanted[unknown[0]]!r} ({unknown.size} of {found.size} are unknown)")
        return found

    def id(self, label: Hashable) -> int:
        """The id of one label. Raises GraphError if no vertex has this label."""
        return int(self.ids([label])[0])

    @out_of_memory
    def __getitem__(self, ids: Any) -> Any:
        """The label of an id, or an array of the labels of ids.

        Raises
        ------
        GraphError
            If the ids are not integers, or have more than one dimension.
        IndexError
            If an id does not belong to a vertex.
        """
        places = CPU.asarray(ids)
        if places.ndim > 1 or (places.size and places.dtype.kind not in "iu"):
            raise GraphError(f"labels[...] takes one id or an array of them, got {places.shape} of {places.dtype}")
        if places.size and (int(places.min()) < 0 or int(places.max()) >= len(self)):
            wrong = int(places.min()) if int(places.min()) < 0 else int(places.max())
            raise IndexError(
                f"no vertex has the id {wrong}: there are {len(self)} labels, for vertices numbered from 0"
            )
        found = self._index[places.astype(np.intp)]
        return found[0] if np.ndim(ids) == 0 else found.to_numpy()

    def __len__(self) -> int:
        return len(self._index)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._index)

    def __repr__(self) -> str:
        shown = ", ".join(repr(label) for label in self._index[:4])
        return f"Labels({len(self)}: {shown}{', ...' if len(self) > 4 else ''})"

    @out_of_memory
    def series(self, values: Any, name: str | None = None) -> pandas.Series:
        """`values`, one for each vertex, as a pandas Series that is indexed by label and named `name`.

        Raises
        ------
        GraphError
            If the number of values differs from the number of labels, or if the values have another shape.
        """
        import pandas as pd

        array = CPU.asarray(values)
        if array.ndim != 1:
            what = f"values has shape {array.shape}, but a Series has one value for each vertex"
            raise GraphError(f"{what}: make a Series of each row")
        if len(array) != len(self):
            raise GraphError(f"got {len(array)} values for {len(self)} labels: give one value for each vertex")
        return pd.Series(array, index=self._index, name=name)


def as_numpy(column: Any) -> Any:
    """A column of pandas, polars or Arrow as a NumPy array."""
    return np.asarray(column) if hasattr(column, "to_pylist") else column.to_numpy()  # Arrow has it for few types


def _index(array: Any) -> Any:
    """A pandas index with the elements of an array. A tuple among the elements stays one label."""
    import pandas as pd

    try:
        return pd.Index(array, tupleize_cols=False)
    except UnicodeEncodeError:  # pandas strings can't hold a text with half of a surrogate pair
        return pd.Index(array, dtype=object, tupleize_cols=False)


def _hashed(look: Callable[[], Any]) -> Any:
    """The result of `look`, which hashes labels."""
    try:
        return look()
    except TypeError as error:
        raise GraphError(f"labels must be hashable: {error}") from error


def _column(values: Any, what: str) -> Any:
    """A one-dimensional array of `values`. Tuples and mixed types become objects, not matrix rows or strings."""
    refuse_masked(values, what)
    if hasattr(values, "to_numpy"):  # pandas, polars, Arrow
        return as_numpy(values)
    if hasattr(values, "__array_interface__") or hasattr(values, "__cuda_array_interface__"):
        if np.ndim(values) != 1:
            raise GraphError(f"labels must be a sequence or an array of one dimension, got shape {np.shape(values)}")
        array = CPU.asarray(values)
        return array.astype(np.float32) if array.dtype == np.float16 else array  # pandas has no smaller floats
    try:
        listed = list(values)
    except TypeError:
        raise GraphError(f"labels must be a sequence or an array of one dimension, got {values!r}") from None
    kinds = set(map(type, listed))
    if len(kinds) == 1 and kinds <= {int, float, bool}:
        array = np.array(listed)
        if (array.dtype.kind == "f") == (kinds == {float}):  # NumPy makes floats of 2**63 and -1 together
            return array
    array = np.empty(len(listed), object)
    array[:] = listed
    return array


def _is_dense(values: Any) -> bool:
    """Whether the values are integers whose range is small enough for a table of all integers in the range."""
    if len(values) == 0 or values.dtype.kind not in "iu":
        return False
    return int(values.max()) - int(values.min()) < 8 * len(values)


def _by_table(numbers: Any) -> tuple[Any, Any]:
    """The result of `pandas.factorize`, found with a table instead of a hash in less than half of the time."""
    wide = numbers if numbers.dtype.kind == "u" else numbers.astype(np.int64, copy=False)  # no difference overflows
    place = (wide - wide.min()).astype(np.intp)
    first = np.full(int(place.max()) + 1, len(numbers))
    first[place[::-1]] = np.arange(len(numbers))[::-1]  # of equal numbers, the first one is written last and stays
    positions = np.sort(first[first < len(numbers)])
    codes = np.empty(len(first), np.int32)
    codes[place[positions]] = np.arange(len(positions))
    return codes[place], numbers[positions]
