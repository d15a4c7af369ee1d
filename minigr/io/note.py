"""The comment that minigr writes at the head of a text file, with facts that the format can't store."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from minigr.errors import FormatError, GraphError
from minigr.graphs.checks import MAX_VERTICES
from minigr.io.contents import cast, narrowed
from minigr.io.tokens import id_fault, whole

if TYPE_CHECKING:
    from minigr.graphs import Graph
    from minigr.graphs.partitioned.queries import PartsQueries

_PATTERN = re.compile(
    r"[#%] minigr: ([0-9]+) vertices, (un)?directed, (un|int32 |int64 |float32 |float64 )weight(ed|s)"
)


@dataclass(frozen=True)
class Note:
    """The content of the comment, and its line.

    Examples
    --------
    >>> parse_note(b"# minigr: 5 vertices, directed, float32 weights", Path("a.txt"), 1)
    Note(num_vertices=5, directed=True, weight_dtype='float32', line=1)
    """

    num_vertices: int
    directed: bool
    weight_dtype: str | None
    line: int | None

    def check_weights(self, weighted: bool, path: Path) -> None:
        """Raise `FormatError` if the comment and the rows do not agree on whether there are weights."""
        if weighted != (self.weight_dtype is not None):
            said, found = ("no weights", "weights") if weighted else ("weights", "none")
            raise self.fault(path, f"{said}, but the rows have {found}")

    def cast(self, weights: Any, path: Path) -> Any:
        """Parsed weights in the dtype of the comment; `FormatError` if a weight does not fit this dtype."""
        if self.weight_dtype is None:
            return narrowed(weights)
        try:
            return cast(weights, np.dtype(self.weight_dtype), "")
        except GraphError as error:
            raise self.fault(path, f"{self.weight_dtype} weights, but {error}") from error

    def fault(self, path: Path, what: str) -> FormatError:
        """The error for a file that does not agree with the comment."""
        return FormatError(
            path, f"the comment that minigr wrote says {what}; correct the comment, or remove it", self.line
        )


def note_of(graph: Graph | PartsQueries) -> str:
    """The comment for a graph, without the comment character."""
    kind = "directed" if graph.directed else "undirected"
    weights = f"{graph.weight_dtype} weights" if graph.weighted else "unweighted"
    return f"minigr: {graph.num_vertices} vertices, {kind}, {weights}"


def parse_note(line: bytes, path: Path, number: int | None) -> Note | None:
    """The content of a line, if it is such a comment; `number` is its line number in a text file."""
    found = _PATTERN.fullmatch(line.decode(errors="replace").strip(" \t\r\n"))
    if found is None:
        return None
    if fault := id_fault(found[1], highest=MAX_VERTICES, what="number of vertices"):
        raise FormatError(path, fault, number)
    dtype = found[3].strip()
    return Note(whole(found[1]) or 0, found[2] is None, None if dtype == "un" else dtype, number)
