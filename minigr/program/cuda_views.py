"""How a CUDA program reads a graph: the view in device code, and the arguments that the view is made from.

There is one class for each layout of `minigr.graphs.adjacency`. Arguments are named ``out_...`` and ``in_...``, by
direction.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from minigr.errors import GraphError
from minigr.graphs.adjacency import Adjacency, SlabAdjacency
from minigr.graphs.dynamic.layout import cuda_constants

_SIDES = ("out", "in")


class View(ABC):
    """The view of one layout.

    Attributes
    ----------
    row_arrays : tuple of str
        The arguments that locate the out-edges of a vertex.
    """

    row_arrays: ClassVar[tuple[str, ...]]

    @abstractmethod
    def header(self) -> str:
        """The lines that include the view's type."""

    @abstractmethod
    def type(self, since: bool) -> str:
        """The type of the view; with `since`, the type of a view of the edges inserted since the mark."""

    @abstractmethod
    def name(self, inward: bool, since: bool) -> str:
        """The name of a view."""

    @abstractmethod
    def arguments(self) -> list[tuple[str, str]]:
        """C type and name of each argument."""

    @abstractmethod
    def declarations(self) -> list[str]:
        """The lines that declare all views."""

    @abstractmethod
    def neighbor(self) -> list[str]:
        """The lines of a function that find the ``neighbor`` at a ``position`` of the out-edges, or return."""

    @abstractmethod
    def values(self, out: Any, into: Any, ids: bool) -> dict[str, Any]:
        """The arguments by name, for a graph's out-edges and in-edges; `ids`: with the ids of in-edges."""


class CsrView(View):
    """View of compressed sparse rows: ``graphs/csr.cuh``."""

    row_arrays = ("out_offsets",)

    def __init__(self, arcs: str) -> None:
        self._distant = arcs == "host"
        self._type = f"Csr<W, {str(self._distant).lower()}>"

    def header(self) -> str:
        return '#include "graphs/csr.cuh"'

    def type(self, since: bool) -> str:
        assert not since
        return self._type

    def name(self, inward: bool, since: bool) -> str:
        return f"{_SIDES[inward]}_edges"

    def arguments(self) -> list[tuple[str, str]]:
        kinds = {"offsets": "const i64 *", "indices": "const i32 *", "weights": "const W *", "ids": "const i64 *"}
        if self._distant:
            kinds["firsts"] = "const i32 *"
        kinds |= {"nonempty": "const i32 *", "num_nonempty": "i64", "nonempty_offsets": "const i64 *"}
        return [(kind, f"{side}_{name}") for side in _SIDES for name, kind in kinds.items()]

    def declarations(self) -> list[str]:
        firsts = "{0}_firsts" if self._distant else "nullptr"
        members = "arguments.vertices, arguments.edge_ids, {0}_offsets, {0}_indices, {0}_weights, {0}_ids, " + firsts
        members += ", {0}_nonempty, {0}_num_nonempty, {0}_nonempty_offsets"
        return [
            f"const {self._type} {self.name(bool(i), False)}{{{members.format(f'arguments.{side}')}}};"
            for i, side in enumerate(_SIDES)
        ]

    def neighbor(self) -> list[str]:
        return ["const i32 neighbor = __ldg(arguments.out_indices + position);"]

    def values(self, out: Adjacency, into: Adjacency, ids: bool) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for side, rows in zip(_SIDES, (out, into), strict=True):
            arrays = {"offsets": rows.offsets, "indices": rows.indices, "weights": rows.weights, "ids": rows.edge_ids}
            if self._distant:
                arrays["firsts"] = rows.firsts
            arrays |= {"nonempty": rows.nonempty, "nonempty_offsets": rows.nonempty_offsets}
            found |= {f"{side}_{name}": pointer(array) for name, array in arrays.items()}
            found[f"{side}_num_nonempty"] = 0 if rows.nonempty is None else len(rows.nonempty)
        return found


class SlabView(View):
    """View of slabs: ``graphs/dynamic/adjacency.cuh``."""

    row_arrays = ("out_heads", "out_degrees")

    def header(self) -> str:
        return f'{cuda_constants(updates=False)}#include "graphs/dynamic/adjacency.cuh"'

    def type(self, since: bool) -> str:
        return f"SlabRows<W, {str(since).lower()}>"

    def name(self, inward: bool, since: bool) -> str:
        return f"{_SIDES[inward]}_{'since' if since else 'edges'}"

    def arguments(self) -> list[tuple[str, str]]:
        kinds = {
            "heads": "const int2 *",
            "degrees": "const i32 *",
            "pool": "const i32 *",
            "weights": "const W *",
            "marks": "const unsigned char *",
            "tidy": "i64",
        }
        ids = [("const int2 *", "id_heads"), ("const i32 *", "id_pool")]
        return [(kind, f"{side}_{name}") for side in _SIDES for name, kind in kinds.items()] + ids

    def declarations(self) -> list[str]:
        members = "{0}_heads, {0}_degrees, {0}_pool, {0}_weights, {0}_marks, {0}_tidy != 0"
        lines = []
        for since in (False, True):
            for inward, side in enumerate(_SIDES):
                ids = "arguments.id_heads, arguments.id_pool" if inward else "nullptr, nullptr"
                view = f"{self.type(since)} {self.name(bool(inward), since)}"
                arrays = members.format(f"arguments.{side}")
                lines.append(f"const {view}{{arguments.vertices, arguments.edge_ids, {arrays}, {ids}}};")
        return lines

    def neighbor(self) -> list[str]:
        return [
            "const i32 neighbor = __ldg(arguments.out_pool + position);",
            "if (neighbor < 0 || position % dynamic::LANES >= dynamic::KEYS) return;",
        ]

    def values(self, out: SlabAdjacency, into: SlabAdjacency, ids: bool) -> dict[str, Any]:
        found: dict[str, Any] = {"id_heads": pointer(out.heads if ids else None)}
        found["id_pool"] = pointer(out.pool if ids else None)
        for side, rows in zip(_SIDES, (out, into), strict=True):
            arrays = {name: getattr(rows, name) for name in ("heads", "degrees", "pool", "weights", "marks")}
            found |= {f"{side}_{name}": pointer(array) for name, array in arrays.items()}
            found[f"{side}_tidy"] = np.int64(rows.tidy)
        return found


VIEWS: dict[str, Callable[[Any], View]] = {
    "csr": lambda graph: CsrView(graph.arcs),
    "slabs": lambda graph: SlabView(),
}
"""Functions that make the view of a graph, by its `layout`."""


def view_of(graph: Any) -> View:
    """The view of a graph's layout.

    Raises
    ------
    GraphError
        If the layout has no view.
    """
    if graph.layout not in VIEWS:
        raise GraphError(
            f"graphs of the layout {graph.layout!r} have no view for a GPU: add one to VIEWS, or use a CPU"
        )
    return VIEWS[graph.layout](graph)


def pointer(array: Any) -> Any:
    """`array`, or a null pointer."""
    return np.uint64(0) if array is None else array
