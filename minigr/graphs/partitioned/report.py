"""What a graph in parts says of how it is dealt out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Partition:
    """How a graph is dealt out to its parts.

    Attributes
    ----------
    deal : str
        ``"ranges"`` or ``"hash"``.
    vertices, arcs, ghosts, memory : tuples of int
        Of each part: the vertices that it owns, their arcs, the vertices of others that it has copies of, and bytes.
    cut : float
        The share of arcs whose ends have different owners.
    balance : float
        The most arcs of a part over the mean; 1 is best.
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
