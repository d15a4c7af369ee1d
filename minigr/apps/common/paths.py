"""Paths that are read from an array with the previous vertex of each vertex."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from minigr.apps.common.checks import as_vertex
from minigr.cached import cached_property
from minigr.device import device_of
from minigr.errors import GraphError
from minigr.memory import out_of_memory


def follow(before: Any, vertex: int) -> list[int]:
    """The path from `vertex` back to the first vertex v for which ``before[v]`` is -1; `before` is on the host."""
    path = [vertex]
    for _ in device_of(before).rounds(range(len(before))):
        vertex = int(before[vertex])
        if vertex < 0:
            break
        path.append(vertex)
    return path


class HasPaths:
    """A result of a search that has `parent`.

    `_length` names the field with lengths of paths, and `_never` is the length of vertices that were not reached.
    """

    parent: Any
    _length: ClassVar[str]
    _never: ClassVar[float]

    @cached_property
    def _parent_on_host(self) -> Any:
        return device_of(self.parent).host.asarray(self.parent)

    @out_of_memory
    def path_to(self, vertex: int) -> Any:
        """The vertices of a shortest path from the source, or from the nearest of several sources, to `vertex`.

        The first call copies the parents to the host, from a GPU or from the parts of a graph. Later calls take time
        proportional to the length of the path.

        Parameters
        ----------
        vertex : int

        Returns
        -------
        int32 array
            On the device of the parents; for a `PartitionedGraph`, on the host.

        Raises
        ------
        GraphError
            If `vertex` is not a vertex of the graph, or was not reached.

        Examples
        --------
        >>> import minigr as mg
        >>> mg.bfs(mg.generate.path(5, device="cpu"), 1).path_to(4)
        array([1, 2, 3, 4], dtype=int32)
        >>> g = mg.Graph.from_edges([0, 1, 0], [1, 2, 2], [1.0, 1.0, 5.0], device="cpu")
        >>> mg.sssp(g, 0).path_to(2)
        array([0, 1, 2], dtype=int32)
        """
        parent = self._parent_on_host
        place = as_vertex(vertex, len(parent), "path_to: vertex")
        if parent[place] < 0:
            length = getattr(self, self._length)[place]
            if length == self._never:
                raise GraphError(
                    f"path_to: there is no path to vertex {place}, whose {self._length} is {length}: "
                    f"look at {self._length} first, and ask for a vertex that was reached"
                )
        return device_of(self.parent).asarray(np.array(follow(parent, place)[::-1], np.int32))
