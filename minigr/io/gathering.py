"""Vertices and edges in the order in which a file names them, from which a graph is made."""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import Any

import numpy as np

from minigr.errors import FormatError
from minigr.graphs.checks import MAX_VERTICES
from minigr.io.attributes import LONGEST_VALUE, columns_of
from minigr.io.contents import Edges, Options, narrowed
from minigr.io.note import Note, parse_note
from minigr.io.sizes import require_room
from minigr.io.tokens import number, weight_fault

_A_NAME, _AN_EDGE = 150, 16  # bytes of a string and its entries; of two ends and a weight
_A_VALUE = 150  # bytes of an attribute that is kept


class Gathering:
    """Collects the nodes and edges that a reader finds in a file, in the order of the file.

    A vertex gets its number when the file first names it, which may be at an end of an edge.

    Parameters
    ----------
    path : Path
    options : Options

    Attributes
    ----------
    note : Note or None
        The comment of minigr, once it is read.
    """

    def __init__(self, path: Path, options: Options) -> None:
        self._path, self._options = path, options
        self._numbers: dict[Any, int] = {}
        self._labels: list[Any] = []
        self._awaited: dict[Any, int] = {}  # names of edges that are no vertices yet, and their lines
        self._src, self._dst = array("i"), array("i")
        self._weights: Any = array("q")  # array of "d" from the first weight that is no whole number
        self._weighted: bool | None = None  # as in the first edge, whose line is `_first`
        self._first = 0
        self._of_vertices: dict[int, dict[str, Any]] = {}  # kept attributes
        self._of_edges: dict[int, dict[str, Any]] = {}
        self._kept = 0  # the number of kept attributes
        self.note: Note | None = None

    def see_comment(self, text: str, line: int) -> None:
        """Process a comment, which may be the comment of minigr."""
        if self.note is None and len(text) <= LONGEST_VALUE:
            self.note = parse_note(f"# {text.strip()}".encode(errors="replace"), self._path, line)

    def add_vertex(self, name: Any, label: Any, line: int, values: dict[str, Any]) -> None:
        """Add a vertex; `label`: its label, or None if the file only has the name.

        `values` are attributes to keep.
        """
        asked = self._options.label
        if label is None and asked not in (None, "id"):
            raise FormatError(self._path, f"the node {name!r} has no {asked!r}; pass another label=, or 'id'", line)
        label = label if self._options.named else None
        if name in self._awaited:
            del self._awaited[name]
            self._labels[self._numbers[name]] = label
        elif name in self._numbers:
            raise FormatError(self._path, f"the node {name!r} is there twice: give each node an id of its own", line)
        else:
            self._number(name, label, line)
        if values:
            self._of_vertices[self._numbers[name]] = values
            self._kept += len(values)

    def add_edge(self, source: Any, target: Any, weight: str | None, line: int, values: dict[str, Any]) -> None:
        """Add an edge, with attributes to keep and its weight as text; None if it has no weight or none is read."""
        if values:
            self._of_edges[len(self._src)] = values
            self._kept += len(values)
        for ends, name in ((self._src, source), (self._dst, target)):
            number_of_end = self._numbers.get(name)
            if number_of_end is None:
                self._awaited[name] = line
                number_of_end = self._number(name, None, line)
            ends.append(number_of_end)
        if weight is None and self._options.attribute is not None:
            raise FormatError(self._path, f"this edge has no {self._options.attribute!r}, its weight", line)
        if self._weighted is None:
            self._weighted, self._first = weight is not None, line
        if self._weighted != (weight is not None):
            what = f"this edge has {'no' if weight is None else 'a'} weight, unlike the edge in line {self._first}"
            raise FormatError(self._path, f"{what}: give every edge a weight, or pass weights=False", line)
        if weight is None:
            return
        if fault := weight_fault(weight):
            raise FormatError(self._path, fault, line)
        value = number(weight)
        if isinstance(value, float) and self._weights.typecode == "q":
            self._weights = array("d", self._weights)
        self._weights.append(value)

    def _number(self, name: Any, label: Any, line: int) -> int:
        if len(self._labels) == MAX_VERTICES:
            raise FormatError(self._path, f"there are more than {MAX_VERTICES} nodes", line)
        self._numbers[name] = len(self._labels)
        self._labels.append(label)
        return len(self._labels) - 1

    def check_room(self) -> None:
        """Raise `OutOfMemoryError` before the collected data outgrows the free memory."""
        needed = _A_NAME * len(self._labels) + _AN_EDGE * len(self._src) + _A_VALUE * self._kept
        require_room(self._path, needed, "its nodes and edges")

    def finish(self, directed: bool, *, weighted: bool = False, real: bool = False) -> Edges:
        """All edges. `weighted`: whether a graph without edges has weights; `real`: whether weights are float64."""
        for name, line in self._awaited.items():
            raise FormatError(self._path, f"an edge ends at {name!r}, which is no node of the file", line)
        weights: Any = None
        if self._weighted or (self._weighted is None and weighted):
            weights = _as_array(self._weights, np.int64 if self._weights.typecode == "q" else np.float64)
            weights = weights.astype(np.float64, copy=False) if real else weights
        weights = narrowed(weights) if self.note is None else self._as_noted(self.note, weights, directed)
        src, dst = _as_array(self._src, np.int32), _as_array(self._dst, np.int32)
        names = self._names() if self._options.named else None
        columns: dict[str, Any] = {}
        if self._options.attributes:
            found = {
                "vertex_columns": columns_of(self._of_vertices, len(self._labels)),
                "edge_columns": columns_of(self._of_edges, len(src)),
            }
            kept = self._options.kept([name for each in found.values() for name in each], self._path, unasked=True)
            columns = {what: {name: each[name] for name in each if name in kept} for what, each in found.items()}
        return Edges(src, dst, weights, len(self._labels), directed, names=names, **columns)

    def _as_noted(self, note: Note, weights: Any, directed: bool) -> Any:
        """The weights in the dtype in the note, if the note agrees with the file."""
        if note.num_vertices != len(self._labels):
            raise note.fault(self._path, f"{note.num_vertices} vertices, but there are {len(self._labels)}")
        if note.directed != directed:
            raise note.fault(self._path, f"that edges are {'' if note.directed else 'un'}directed, but they are not")
        if weights is None and self._weighted is None and note.weight_dtype is not None and self._options.weights:
            weights = np.empty(0, np.int64)  # no edge shows that there are weights
        if self._options.weights and self._options.attribute is None:
            note.check_weights(weights is not None, self._path)
        return None if weights is None else note.cast(weights, self._path)

    def _names(self) -> list[Any]:
        """The name of each vertex: its label, or if there are no labels, the name that edges use."""
        missing = next((name for name, number in self._numbers.items() if self._labels[number] is None), None)
        if missing is None:
            return self._labels
        if any(label is not None for label in self._labels):
            raise FormatError(self._path, f"the node {missing!r} has no label, unlike other nodes: pass label='id'")
        return list(self._numbers)


def _as_array(values: array, dtype: Any) -> Any:
    return np.frombuffer(values, dtype) if len(values) else np.empty(0, dtype)
