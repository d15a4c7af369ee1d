"""Dynamic graphs as lists of arcs, as rows and as files."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.archive import opened
from minigr.device import CPU
from minigr.errors import FormatError, GraphError
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.backend import scope
from minigr.graphs.checks import as_ids
from minigr.graphs.dynamic.edge_batch import as_load_factor
from minigr.graphs.dynamic.storage import Slabs, starts
from minigr.graphs.graph import Graph
from minigr.paths import as_path
from minigr.replace import replacing


def rows_of(slabs: Slabs) -> Adjacency:
    """Sorted compressed sparse rows."""
    return Adjacency(*slabs.kernels.rows(slabs))


def arcs_of(slabs: Slabs, vertices: Any) -> tuple[Any, Any]:
    """Owners and keys of the arcs of some vertices."""
    if slabs.device.is_rehearsed:
        found: tuple[Any, Any] = slabs.kernels.arcs_of(slabs, vertices)
        return found
    return _read(slabs, vertices)[:2]


def rows_at(slabs: Slabs, vertices: Any) -> tuple[Any, Any]:
    """Keys and weights (or None) of some vertices, which must ascend: row by row, each row sorted."""
    owners, keys, weights = _read(slabs, vertices)
    order = slabs.device.xp.argsort((owners.astype(np.int64) << 32) | keys)
    return keys[order], None if weights is None else weights[order]


def _read(slabs: Slabs, vertices: Any) -> tuple[Any, Any, Any]:
    """Owners, keys and weights (or None) of the arcs of some vertices."""
    firsts, _ = slabs.chains(vertices)
    lives, _, _ = slabs.kernels.measure(slabs, firsts, False)
    found: tuple[Any, Any, Any] = slabs.kernels.read(slabs, firsts, *starts(slabs.device.xp, lives), False)
    return found


def added_since_mark(slabs: Slabs) -> tuple[Any, Any, Any]:
    """Owners, keys and weights (or None) of the arcs after the mark."""
    xp, kernels = slabs.device.xp, slabs.kernels
    firsts, _ = slabs.chains()
    lives, _, _ = kernels.measure(slabs, firsts, True)
    return kernels.read(slabs, firsts, *starts(xp, lives), True)


_ARRAYS = ("indptr", "indices", "deleted")
_OPTIONS = ("directed", "load_factor", "in_edges", "allow_self_loops")


def save(path: Any, rows: Adjacency, deleted: Any, graph: Any) -> None:
    """See `DynamicGraph.save`: write rows, the ids of `deleted` vertices, and the options of `graph` for `load`.

    Arrays have the names of `minigr.io.npz`, so that `minigr.read` can read the rows.
    """
    held = {"indptr": rows.offsets, "indices": rows.indices, "weights": rows.weights, "deleted": deleted}
    arrays: dict[str, Any] = {name: CPU.asarray(array) for name, array in held.items() if array is not None}
    options = {"directed": graph.directed, "load_factor": graph.load_factor}
    options |= {"in_edges": graph.directed and graph.keeps_in_edges, "allow_self_loops": graph.allow_self_loops}
    arrays |= {name: np.array(value) for name, value in options.items()}
    with replacing(as_path(path)) as handle:
        np.savez(handle, **arrays)


def _held(path: Any) -> tuple[dict[str, Any], bool]:
    """The arrays and options that `save` wrote, and whether the graph is directed. ``weights`` may be None."""
    path = as_path(path)
    with opened(path) as archive:
        missing = [name for name in (*_ARRAYS, *_OPTIONS) if name not in archive.files]
        if missing:
            raise FormatError(path, f"not a file that DynamicGraph.save wrote: the array {missing[0]} is missing")
        held: dict[str, Any] = {name: archive[name] for name in _ARRAYS}
        held["weights"] = archive["weights"] if "weights" in archive.files else None
        held |= {name: archive.flag(name) for name in _OPTIONS if name != "load_factor"}
        held["load_factor"] = archive.scalar("load_factor")
    if held["deleted"].ndim != 1:
        raise FormatError(path, f"deleted should be a list of vertices, but has shape {held['deleted'].shape}")
    if not isinstance(held["load_factor"], int | float):
        raise FormatError(path, f"load_factor should be a number, but is {held['load_factor']!r}")
    return held, bool(held.pop("directed"))


def load(path: Any, device: Any) -> tuple[Graph, dict[str, Any], Any]:
    """The rows and options that `save` wrote, and bool[n]: which vertices are deleted, or None if none is.

    Raises
    ------
    FormatError
        If `save` did not write the file, or the file holds values that no graph has.
    """
    held, directed = _held(path)
    arrays = [held.pop(name) for name in ("indptr", "indices", "weights", "deleted")]
    try:
        rows = Graph.from_csr(*arrays[:3], directed=directed, device=device)
        as_load_factor(held["load_factor"])
    except GraphError as error:
        raise FormatError(path, str(error)) from error
    with scope(rows._device):
        return rows, held, _deleted_of(path, arrays[3], rows) if len(arrays[3]) else None


def _deleted_of(path: Any, deleted: Any, rows: Graph) -> Any:
    """bool[n]: which vertices are in `deleted`, ids that a file holds in addition to these rows.

    Raises
    ------
    FormatError
        If an id is not a vertex, or occurs twice, or is a vertex with edges.
    """
    device, n = rows._device, rows.num_vertices
    xp = device.xp
    try:
        ids = as_ids(device, deleted, "deleted", n)
    except GraphError as error:
        raise FormatError(path, str(error)) from error
    dead = device.full(n, False, np.bool_)
    dead[ids] = True
    if int(xp.count_nonzero(dead)) != len(ids):
        twice = int(xp.argmax(xp.bincount(ids)))
        raise FormatError(path, f"deleted holds vertex {twice} more than once: list each vertex once")
    busy = dead & (xp.diff(rows.offsets) > 0)
    busy[rows.indices[dead[rows.indices]]] = True
    if bool(busy.any()):
        vertex = int(busy.argmax())
        raise FormatError(path, f"deleted holds vertex {vertex}, which has edges: deleted vertices have none")
    return dead
