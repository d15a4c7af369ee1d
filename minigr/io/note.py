"""The comment that minigr puts at the head of a text file: what the format itself has no place for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from minigr.graphs import Graph

_PATTERN = re.compile(r"[#%] minigr: (\d+) vertices, (un)?directed, (un|int32 |int64 |float32 |float64 )weight(ed|s)")


@dataclass(frozen=True)
class Note:
    """What the comment says.

    Examples
    --------
    >>> parse_note("# minigr: 5 vertices, directed, float32 weights")
    Note(num_vertices=5, directed=True, weight_dtype='float32')
    """

    num_vertices: int
    directed: bool
    weight_dtype: str | None


def note_of(graph: Graph) -> str:
    """The comment for a graph, without the comment character."""
    kind = "directed" if graph.directed else "undirected"
    weights = f"{graph.weights.dtype} weights" if graph.weighted else "unweighted"
    return f"minigr: {graph.num_vertices} vertices, {kind}, {weights}"


def parse_note(line: str) -> Note | None:
    """What a line says, if it is such a comment."""
    found = _PATTERN.fullmatch(line.strip())
    if found is None:
        return None
    dtype = found[3].strip()
    return Note(int(found[1]), found[2] is None, None if dtype == "un" else dtype)


def with_noted_dtype(weights: Any, note: Note | None) -> Any:
    """Parsed weights in the dtype that they had, or None for no weights."""
    return (
        weights if weights is None or note is None or note.weight_dtype is None else weights.astype(note.weight_dtype)
    )
