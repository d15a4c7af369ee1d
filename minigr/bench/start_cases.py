"""First calls of a new process: the ready apps, a user's own programs, and calls that make or convert graphs.

A case is prepared before the clock starts. `CASES` has all cases that `minigr.bench.first_call` can time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import minigr as mg
from minigr import calls
from minigr.bench import start_programs

APPS, PROGRAMS, GRAPHS = "apps", "programs", "graphs"
EDGES_FILE, ARCHIVE_FILE = "graph.edges", "graph.npz"
_VERTICES = 4096
_DRAWN = 8 * _VERTICES

Call = Callable[[Any], Any]
"""A timed call, which gets the result of `Case.prepare`."""


@dataclass(frozen=True)
class Case:
    """The calls of one process: the first call, and calls after it.

    Attributes
    ----------
    name : str
    group : str
        `APPS`, `PROGRAMS` or `GRAPHS`.
    prepare : callable
        ``(device, folder) -> anything``, run before the clock starts. The folder has the files of `write_files`.
    calls : mapping of str to callable
        The timed calls in their order, by their names in rows.
    package : str
        A package that must be installed in addition to minigr's requirements; empty for none.
    """

    name: str
    group: str
    prepare: Callable[[str, Path], Any]
    calls: Mapping[str, Call]
    package: str = ""


def edges() -> tuple[Any, Any, Any]:
    """The ends and weights of the edges of a simple graph with hubs: 4096 vertices, about 30,000 edges.

    Examples
    --------
    >>> src, dst, weights = edges()
    >>> bool((src < dst).all()), weights.dtype
    (True, dtype('float32'))
    """
    random = np.random.default_rng(0)
    ends = (_VERTICES * random.random((2, _DRAWN)) ** 2).astype(np.int64)
    low, high = ends.min(axis=0), ends.max(axis=0)
    codes = np.unique(low[low != high] * _VERTICES + high[low != high])
    src, dst = (part.astype(np.int32) for part in divmod(codes, _VERTICES))
    return src, dst, (1 + np.arange(len(codes)) % 100).astype(np.float32)


def graph(device: str, *, weighted: bool = False, directed: bool = False) -> mg.Graph:
    """The graph of `edges`."""
    src, dst, weights = edges()
    chosen = weights if weighted else None
    return mg.Graph.from_edges(src, dst, chosen, num_vertices=_VERTICES, directed=directed, device=device)


def write_files(folder: Path) -> None:
    """Write the files that some cases read."""
    src, dst, weights = edges()
    lines = (f"{u} {v} {weight:g}\n" for u, v, weight in zip(src, dst, weights, strict=True))
    (folder / EDGES_FILE).write_text("".join(lines))
    mg.write(graph("cpu", weighted=True), folder / ARCHIVE_FILE)


def _app(name: str) -> Case:
    weighted = name in ("sssp", "spanning-forest")
    given = partial(graph, weighted=weighted, directed=bool(calls.APPS[name].directed))
    return Case(name, APPS, lambda device, _: given(device), {name: calls.APPS[name].calls[0]})


def _program(name: str, make: Callable[[bool], type[mg.Enactor]]) -> Case:
    def run(edited: bool) -> Call:
        return lambda graph: make(edited)(graph).run(0)

    timed = {name: run(False), f"{name}, edited": run(True)}
    return Case(name, PROGRAMS, lambda device, _: graph(device, weighted=True), timed)


def _making(name: str, prepare: Callable[[str, Path], Any], call: Call, package: str = "") -> Case:
    return Case(name, GRAPHS, prepare, {name: call}, package)


def _matrix(device: str, _: Path) -> tuple[Any, str]:
    from scipy.sparse import coo_array

    src, dst, weights = edges()
    return coo_array((weights, (src, dst)), shape=(_VERTICES, _VERTICES)).tocsr(), device


def _networkx_graph(device: str, _: Path) -> tuple[Any, str]:
    import networkx

    src, dst, weights = edges()
    found = networkx.Graph()
    found.add_weighted_edges_from(zip(src.tolist(), dst.tolist(), weights.tolist(), strict=True))
    return found, device


def _graph_beside(package: str) -> Callable[[str, Path], Any]:
    def prepare(device: str, _: Path) -> mg.Graph:
        __import__(package)
        return graph(device, weighted=True)

    return prepare


CASES = {
    case.name: case
    for case in (
        *(_app(name) for name in calls.APPS if " by " not in name),
        _program("one-operator", start_programs.one_operator),
        _program("three-operators", start_programs.three_operators),
        _program("six-operators", start_programs.six_operators),
        _making(
            "from-edges",
            lambda device, _: (edges(), device),
            lambda given: mg.Graph.from_edges(*given[0], directed=False, device=given[1]),
        ),
        _making("rmat", lambda device, _: device, lambda device: mg.generate.rmat(12, 8, device=device)),
        _making(
            "read-edges",
            lambda device, folder: (folder / EDGES_FILE, device),
            lambda given: mg.read(given[0], directed=False, device=given[1]),
        ),
        _making(
            "read-npz",
            lambda device, folder: (folder / ARCHIVE_FILE, device),
            lambda given: mg.read(given[0], device=given[1]),
        ),
        _making("from-scipy", _matrix, lambda given: mg.Graph.from_scipy(given[0], device=given[1]), "scipy"),
        _making("to-scipy", _graph_beside("scipy.sparse"), lambda graph: graph.to_scipy(), "scipy"),
        _making(
            "from-networkx",
            _networkx_graph,
            lambda given: mg.Graph.from_networkx(given[0], "weight", device=given[1]),
            "networkx",
        ),
        _making("to-networkx", _graph_beside("networkx"), lambda graph: graph.to_networkx(), "networkx"),
    )
}
