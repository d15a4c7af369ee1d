"""The results for a batch: one array for all graphs, and a view for each graph."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from minigr.device import CPU
from minigr.memory import out_of_memory

if TYPE_CHECKING:
    import pandas


def _position(graph: Any, count: int) -> int:
    """The position of a graph, which counts from the end if it is negative, among `count` graphs."""
    try:
        position = index(graph)
    except TypeError:
        raise TypeError(
            f"a result is indexed by the number of one graph, not {graph!r}: for some graphs, call the function with a "
            "part of the batch, such as batch[0:2]"
        ) from None
    if not -count <= position < count:
        raise IndexError(f"there is no graph {position}: the result has {count} graphs, numbered from 0")
    return position % count


@dataclass(frozen=True)
class Matrices:
    """A square matrix for each graph, with a row and a column for each of its vertices.

    Attributes
    ----------
    distance : array [sum of squared sizes]
        The matrices one after another, row by row, on the batch's device.
    pair_offsets : int64 array, one more than there are graphs
        Where each matrix begins, in host memory.
    sizes : int64 array, one for each graph
        The number of vertices of each graph, in host memory.
    """

    distance: Any
    pair_offsets: Any
    sizes: Any

    def __len__(self) -> int:
        return len(self.sizes)

    def __getitem__(self, graph: int) -> Any:
        """A view of the matrix of one graph: ``result[i][u, v]`` is the distance from u to v in graph i."""
        i = _position(graph, len(self))
        n = int(self.sizes[i])
        return self.distance[int(self.pair_offsets[i]) : int(self.pair_offsets[i + 1])].reshape(n, n)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))


class ByVertex:
    """One array with an element for each vertex; ``result[i]`` is a view of the part of graph i."""

    vertex_offsets: Any
    _values: ClassVar[str]

    def __len__(self) -> int:
        return len(self.vertex_offsets) - 1

    def __getitem__(self, graph: int) -> Any:
        i = _position(graph, len(self))
        return getattr(self, self._values)[int(self.vertex_offsets[i]) : int(self.vertex_offsets[i + 1])]

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    @out_of_memory
    def to_pandas(self) -> pandas.DataFrame:
        """A table with a row for each vertex of each graph; numbers of whole graphs are left out.

        Returns
        -------
        pandas.DataFrame
            In host memory. The index has the levels ``graph``, the number of the graph, and ``vertex``, the id within
            the graph. ``table.loc[i]`` is the table of graph i.

        Examples
        --------
        >>> import minigr as mg
        >>> batch = mg.GraphBatch.from_graphs([[(0, 1)], [(0, 1), (1, 2)]], device="cpu")
        >>> mg.batch.closeness(batch).to_pandas().reset_index()
           graph  vertex     score
        0      0       0  1.000000
        1      0       1  1.000000
        2      1       0  0.666667
        3      1       1  1.000000
        4      1       2  0.666667
        """
        import pandas as pd

        sizes = np.diff(self.vertex_offsets)
        graph = np.repeat(np.arange(len(self)), sizes)
        vertex = np.arange(len(graph)) - np.repeat(self.vertex_offsets[:-1], sizes)
        index = pd.MultiIndex.from_arrays([graph, vertex], names=["graph", "vertex"])
        return pd.DataFrame({self._values: CPU.asarray(getattr(self, self._values))}, index=index)


@dataclass(frozen=True)
class Scores(ByVertex):
    """A score for each vertex; ``result[i]`` has the scores of graph i.

    Attributes
    ----------
    score : float64 array, one for each vertex
        The scores of all graphs, one graph after another, on the batch's device.
    vertex_offsets : int64 array, one more than there are graphs
        Where the vertices of each graph begin, in host memory.
    """

    _values = "score"

    score: Any
    vertex_offsets: Any
