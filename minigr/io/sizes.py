"""Plausibility checks of sizes in files. Every reader makes them before it allocates memory for such a size.

Three rules apply to all formats:

- The promised contents must fit into the bytes of the file, if the format gives a minimum size.
- There may be 64 vertices for each edge, or 2^24 vertices in total, whichever is more. A single large id or a large
  number of vertices in a header is usually a mistake, and takes memory in any case.
- Allocations must fit into the free memory. For compressed data, this is checked while the data is read.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from minigr import memory
from minigr.device import CPU, Device
from minigr.errors import FormatError

ALWAYS_ALLOWED = 1 << 24
"""The number of vertices that is allowed without edges."""
PER_EDGE = 64


def require_room(path: Path, needed: int, what: str, device: Device = CPU) -> None:
    """Raise `OutOfMemoryError`, naming the file, if a device is known to lack `needed` bytes for `what`."""
    memory.require(device, needed, f"{path}: {what}")


def require_rows(path: Path, vertices: int, arcs: int, weights: Any, device: Device) -> None:
    """Check, as `require_room` does, for the rows of a graph to be built from edges; `weights`: an array or None."""
    memory.require_rows(device, vertices, arcs, weights, f"{path}: a graph of {vertices:,} vertices and {arcs:,} arcs")


def refuse_sparse(
    path: Path, vertices: int, edges: int, remedy: str, what: str = "vertices", per: str = "edges"
) -> None:
    """Raise `FormatError` if there are more vertices than the edges of a file make plausible.

    Examples
    --------
    >>> refuse_sparse(Path("a"), 1 << 24, 0, "relabel")
    >>> refuse_sparse(Path("a"), 1 << 25, 1, "relabel")
    Traceback (most recent call last):
    ...
    minigr.errors.FormatError: a: 33,554,432 vertices are too many for 1 edges (64 for each, or 2^24 in all); relabel
    """
    if vertices > max(ALWAYS_ALLOWED, PER_EDGE * edges):
        raise FormatError(
            path, f"{vertices:,} {what} are too many for {edges:,} {per} (64 for each, or 2^24 in all); {remedy}"
        )
