"""Whether an advance over parts pushes or pulls. The host decides, by the rule of one device on sums over parts."""

from __future__ import annotations

from typing import Any

from minigr.graphs.partitioned.part import Part
from minigr.operators.advance import Advance
from minigr.program.control import Word
from minigr.program.loop import choose_direction

_LENGTH = -1  # an index that no word of the control block has


class Steering:
    """The direction of one advance, from step to step.

    Parameters
    ----------
    node : Advance
    graph : PartitionedGraph

    Attributes
    ----------
    pulls : bool
        Whether the next step pulls.
    """

    def __init__(self, node: Advance, graph: Any) -> None:
        self._rule, self._vertices = node.direction_rule, graph.num_vertices
        self._words = {Word.PULL: 0, Word.PULLS: 0, Word.UNEXPLORED: graph.num_arcs, Word.NEXT_EDGES: 0, _LENGTH: 0}
        self.pulls = False

    def note(self, put_out: int, edges: int) -> None:
        """Decide on the next step by the length of the output of all parts, and by the number of its edges."""
        self._words[_LENGTH], self._words[Word.NEXT_EDGES] = put_out, edges
        choose_direction(self._words, _LENGTH, self._vertices, *self._rule)
        self.pulls = bool(self._words[Word.PULL])


def bits_of(part: Part, frontier: Any) -> list[Any]:
    """For each other part, a bit for each vertex of `part` that is a ghost there: whether it is in the frontier."""
    there = part.device.full(part.graph.num_vertices, False, bool)
    there[frontier] = True
    return [part.xp.packbits(there[mirrors]) if len(mirrors) else None for mirrors in part.mirrors]


def with_ghosts(part: Part, frontier: Any, bits: list[Any]) -> Any:
    """The vertices of a frontier that a part knows: its own vertices, and the ghosts whose owners sent a set bit."""
    lists = [frontier]
    for ghosts, theirs in zip(part.ghosts, bits, strict=True):
        if theirs is not None:
            lists.append(ghosts[part.xp.unpackbits(part.here(theirs))[: len(ghosts)].astype(bool)])
    return part.xp.concatenate(lists)
