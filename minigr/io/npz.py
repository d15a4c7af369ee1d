"""NumPy archives (.npz) that hold a graph in one of these forms; arrays that aren't named here are read over.

- rows, as `write` makes them: ``indptr``, ``indices``, and if there are any ``weights``; ``directed`` (default false);
- edges: ``src``, ``dst``, and if there are any ``weight``, ``time``; ``n`` (default: what the ids need), ``directed``
  (false);
- what ``scipy.sparse.save_npz`` writes: a directed graph, its values as weights. Needs ``minigr[scipy]``.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from minigr.device import CPU
from minigr.errors import FormatError, MissingExtraError
from minigr.io.archive import Archive, opened
from minigr.io.contents import Edges, Options, Rows
from minigr.io.replace import replacing

if TYPE_CHECKING:
    from minigr.graphs import Graph


def read(path: Path, options: Options) -> Edges | Rows:
    """The rows or edges in an archive; see the module's description."""
    with opened(path) as archive:
        return contents(archive, path, options)


def contents(archive: Archive, path: Path, options: Options) -> Edges | Rows:
    """The same of an archive that is open."""
    held = set(archive.files)
    if {"format", "shape", "data"} <= held:
        return _scipy_matrix(path, options)
    directed = _scalar(archive, "directed", None)
    if {"indptr", "indices"} <= held:
        weights = archive["weights"] if options.weights and "weights" in held else None
        return Rows(archive["indptr"], archive["indices"], weights, bool(directed))
    if {"src", "dst"} <= held:
        weights = archive["weight"] if options.weights and "weight" in held else None
        times = archive["time"] if options.times and "time" in held else None
        return Edges(archive["src"], archive["dst"], weights, _scalar(archive, "n", None), directed, times=times)
    raise FormatError(
        path, f"expected arrays indptr and indices, or src and dst; there are {', '.join(sorted(held)) or 'none'}"
    )


def _scipy_matrix(path: Path, options: Options) -> Rows:
    try:
        import scipy.sparse
    except ImportError as error:
        raise MissingExtraError("a matrix that SciPy wrote needs SciPy: pip install 'minigr[scipy]'") from error
    from minigr.graphs.convert import csr_of_matrix

    return Rows(*csr_of_matrix(scipy.sparse.load_npz(path), options.weights), directed=True)


def _scalar(archive: Any, name: str, default: Any) -> Any:
    if name not in archive.files:
        return default
    if archive[name].size != 1:
        raise ValueError(f"{name} should be a single value, but has shape {archive[name].shape}")
    return archive[name].item()


def write(graph: Graph, path: Path) -> None:
    """Write the rows of `graph`; reading gives the same graph back, bit for bit."""
    arrays = {"indptr": graph.offsets, "indices": graph.indices, "weights": graph.weights}
    held = {name: CPU.asarray(array) for name, array in arrays.items() if array is not None}
    with replacing(path) as handle:
        np.savez(handle, **held, directed=np.array(graph.directed))
