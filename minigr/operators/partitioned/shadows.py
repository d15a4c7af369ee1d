"""The elements of fields before an operator, by which a part on a CPU finds the changes of the operator."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from minigr.graphs.partitioned.part import Part
from minigr.operators.partitioned.merge_cpu import clear, collect, marked, shared

# For at least _FEW vertices that are at least 1/_FEWER of the mirrors, a pass over all mirrors takes less time.
_FEW, _FEWER = 64, 16


class Shadow:
    """One field.

    Attributes
    ----------
    array, shadow : arrays
        The part's elements of the field, and the elements before the operator.
    flat, flat_shadow, bits, shadow_bits : one-dimensional arrays
        The same memory in the forms that kernels take: with numbers for bools, and as unsigned integers.
    columns : int
    """

    def __init__(self, array: Any) -> None:
        self.array, self.shadow = array, array.copy()
        self.columns = 1 if array.ndim == 1 else int(array.shape[1])
        self.bits, self.shadow_bits = (each.reshape(-1).view(f"u{each.itemsize}") for each in (array, self.shadow))
        kind = np.uint8 if array.dtype == np.bool_ else array.dtype
        self.flat, self.flat_shadow = self.bits.view(kind), self.shadow_bits.view(kind)

    def settle(self, vertices: Any) -> None:
        """Count the elements at some vertices as unchanged."""
        self.shadow[vertices] = self.array[vertices]


class Shadows:
    """The shadows of all fields that operators write to at destinations, and memory for lists of vertices.

    Attributes
    ----------
    fields : dict of Shadow
    marks : uint8 array
        Zero for each vertex of the graph, except while a method or a kernel uses the marks.
    room : int32 array
        Memory for a list of distinct vertices that the part knows.
    """

    def __init__(self, part: Part, arrays: dict[str, Any]) -> None:
        self.fields = {name: Shadow(array) for name, array in arrays.items()}
        self.marks = np.zeros(part.graph.num_vertices, np.uint8)
        self.room = np.empty(len(part.owned) + part.num_ghosts, np.int32)

    def settle(self, names: Collection[str], vertices: Any) -> None:
        """Count the elements of these fields, if they have shadows, as unchanged at some vertices."""
        for name in names:
            if name in self.fields:
                self.fields[name].settle(vertices)

    def listed(self, lists: list[Any]) -> Any:
        """The vertices in some lists, each once. The next call overwrites the array."""
        count = 0
        for vertices in lists:
            count = collect(vertices, self.marks, self.room, count)
        found = self.room[:count]
        clear(self.marks, 1, found)
        return found

    def in_each(self, mirrors: list[Any], vertices: Any) -> list[Any]:
        """For each of several ascending lists, the vertices that are in the list."""
        count = len(vertices)
        few = [not len(each) or count < _FEW or _FEWER * count < len(each) for each in mirrors]
        if not all(few):
            collect(vertices, self.marks, np.empty(count, np.int32), 0)
        lists = []
        for each, is_looked_up in zip(mirrors, few, strict=True):
            if not len(each):
                lists.append(each)
                continue
            found = np.empty(count if is_looked_up else len(each) + 1, np.int32)
            lists.append(found[: shared(each, vertices, found) if is_looked_up else marked(each, self.marks, found)])
        if not all(few):
            clear(self.marks, 1, vertices)
        return lists
