"""The report of a graph in parts on how it is dealt out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Partition:
    """The division of a graph into parts.

    Attributes
    ----------
    deal : str
        ``"ranges"`` or ``"hash"``.
    vertices, arcs, ghosts, memory : tuples of int
        For each part: the number of vertices that the part owns, the number of their arcs, the number of copies of
        vertices of other parts, and bytes.
    cut : float
        The fraction of arcs whose ends have different owners.
    balance : float
        The largest number of arcs of a part divided by the mean. 1 is best.
    """

    deal: str
    vertices: tuple[int, ...]
    arcs: tuple[int, ...]
    ghosts: tuple[int, ...]
    memory: tuple[int, ...]
    cut: float
    balance: float

    def __str__(self) -> str:
        lines = [f"{len(self.arcs)} parts by {self.deal}: cut {self.cut:.1%}, balance {self.balance:.2f}"]
        lines.append(f"{'part':>5} {'vertices':>14} {'arcs':>16} {'ghosts':>14} {'bytes':>18}")
        rows = zip(self.vertices, self.arcs, self.ghosts, self.memory, strict=True)
        for index, (vertices, arcs, ghosts, size) in enumerate(rows):
            lines.append(f"{index:>5} {vertices:>14,} {arcs:>16,} {ghosts:>14,} {size:>18,}")
        return "\n".join(lines)
