"""What a library offers to be timed in turn with minigr."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class PeerCall:
    """One call of a peer.

    Attributes
    ----------
    what : str
        The call of the library, and how its results differ from those of minigr.
    call : callable
    divide : int
        The number of iterations of the call, where the time of one iteration is reported; otherwise 1.
    found : callable or None
        Gets the result of the call and returns the number that `App.found` returns for minigr's result, such as how
        many vertices a search reached. Both numbers are compared.
    labels : callable or None
        Gets the result of the call and returns the label of each vertex, where communities are found.
    """

    what: str
    call: Callable[[], Any]
    divide: int = 1
    found: Callable[[Any], float] | None = None
    labels: Callable[[Any], Any] | None = None


@dataclass(frozen=True)
class Peer:
    """A library that may be installed.

    Attributes
    ----------
    name : str
        The name for ``--peers``.
    module : str
        The module to import.
    package : str
        The package to install.
    device : str
        ``"cpu"`` or ``"cuda"``.
    calls : callable
        ``(graph, source) -> {app: PeerCall}``; imports the library. The graph has weights only if SSSP is wanted.
        PageRank must ignore them.
    spins : bool
        Whether the library's threads keep spinning on the cores for a while after a call, as threads of OpenMP do.
    most_arcs : int or None
        Larger graphs leave the peer out by default, because its own form of the graph takes minutes and gigabytes.
    how : str
        How to install the package, if pip doesn't find it.
    """

    name: str
    module: str
    package: str
    device: str
    calls: Callable[[Any, int], dict[str, PeerCall]]
    spins: bool = False
    most_arcs: int | None = None
    how: str = ""

    @property
    def is_installed(self) -> bool:
        return importlib.util.find_spec(self.module) is not None


def is_the_same_to_all(graph: Any) -> bool:
    """Whether all libraries agree on cores and neighbors: some count directions, loops and parallel edges."""
    return not graph.directed and bool(graph.is_simple)
