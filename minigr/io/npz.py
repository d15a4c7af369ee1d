"""NumPy archives (.npz) that hold a graph in one of these forms; other arrays are ignored.

- rows, as `write` makes them: ``indptr``, ``indices`` and optionally ``weights``; ``directed`` (default false);
  ``minigr_columns``, which specifies in JSON how columns of vertices and edges are stored (`minigr.io.stored`);
- edges: ``src``, ``dst`` and optionally ``weight`` and ``time``; ``n`` (by default one more than the largest id);
  ``directed`` (default false);
- a matrix that ``scipy.sparse.save_npz`` wrote: a directed graph with the values as weights. Needs ``minigr[scipy]``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from minigr.archive import Archive, opened
from minigr.device import CPU
from minigr.errors import FormatError, GraphError, MissingExtraError
from minigr.graphs.checks import MAX_VERTICES
from minigr.io.contents import Edges, Options, Rows
from minigr.io.sizes import refuse_sparse
from minigr.io.stored import checked, columns_of, names_of_arrays, stored
from minigr.replace import replacing

if TYPE_CHECKING:
    from minigr.graphs import Graph


_SCIPY = {
    **dict.fromkeys(("csr", "csc", "bsr"), ("indices", "indptr")),
    "coo": ("row", "col"),
    "dia": ("offsets",),
}
"""The arrays other than ``data`` in each format in which SciPy saves matrices."""
_RECORDS = "minigr_columns"
_DIMENSIONS = {"bsr": 3, "dia": 2}


def read(path: Path, options: Options) -> Edges | Rows:
    """The rows or edges in an archive; see the module's description."""
    with opened(path) as archive:
        return contents(archive, path, options)


def contents(archive: Archive, path: Path, options: Options) -> Edges | Rows:
    """The rows or edges in an open archive."""
    held = set(archive.files)
    if {"format", "shape", "data"} <= held:
        return _scipy_matrix(archive, path, options)
    directed = archive.flag("directed")
    if {"indptr", "indices"} <= held:
        weights = archive["weights"] if options.weights and "weights" in held else None
        rows = archive["indptr"], archive["indices"], weights, bool(directed)
        columns: dict[str, Any] = columns_of(records_of(archive, path), archive.__getitem__, path, options)
        return Rows(*rows, **columns)
    if {"src", "dst"} <= held:
        weights = archive["weight"] if options.weights and "weight" in held else None
        times = archive["time"] if options.times and "time" in held else None
        return Edges(archive["src"], archive["dst"], weights, archive.scalar("n"), directed, times=times)
    raise FormatError(
        path, f"expected arrays indptr and indices, or src and dst; there are {', '.join(sorted(held)) or 'none'}"
    )


def records_of(archive: Archive, path: Path) -> dict[str, Any]:
    """The records of columns in the archive, whose arrays are checked to exist."""
    text = archive.scalar(_RECORDS)
    if text is None:
        return {}
    try:
        told = json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise FormatError(path, f"its array {_RECORDS} is no JSON: {error}; write the graph again") from error
    records = checked(told, path)
    missing = [name for name in names_of_arrays(records) if name not in archive.files]
    if missing:
        raise FormatError(path, f"the array {missing[0]!r} of a column is missing; write the graph again")
    return records


def _scipy_matrix(archive: Archive, path: Path, options: Options) -> Rows:
    try:
        import scipy.sparse
    except ImportError as error:
        raise MissingExtraError("a matrix that SciPy wrote needs SciPy: pip install 'minigr[scipy]'") from error
    from minigr.graphs.convert import csr_of_matrix

    kind = archive.scalar("format")
    kind = kind.decode("ascii", "replace") if isinstance(kind, bytes) else str(kind)
    if kind not in _SCIPY:
        raise FormatError(path, f"a SciPy matrix in format {kind!r} can't be read; save its tocsr()")
    missing = [name for name in _SCIPY[kind] if name not in archive.files]
    if missing:
        raise FormatError(path, f"a SciPy matrix in format {kind!r} needs an array {missing[0]!r}")
    data, *places = (archive[name] for name in ("data", *_SCIPY[kind]))
    size = archive["shape"]
    for name, array in zip(("shape", *_SCIPY[kind]), (size, *places), strict=True):
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise FormatError(path, f"{name} of a SciPy matrix holds {array.dtype} of shape {array.shape}")
    if data.ndim != _DIMENSIONS.get(kind, 1) or data.dtype.kind not in "biuf":
        raise FormatError(path, f"data of a SciPy matrix holds {data.dtype} of shape {data.shape}")
    shape = tuple(size.tolist())
    if len(shape) != 2 or not 0 <= shape[0] == shape[1] <= MAX_VERTICES:
        raise FormatError(path, f"the matrix has shape {shape}, but the adjacency matrix of a graph is square")
    if 0 in data.shape[1:] and kind == "bsr":
        raise FormatError(path, f"data of a SciPy matrix holds blocks of shape {data.shape[1:]}")
    if kind == "dia" and bool((abs(places[0].astype(float)) > shape[0]).any()):
        raise FormatError(path, f"offsets of a SciPy matrix hold a diagonal outside of the shape {shape}")
    if kind in ("coo", "dia"):  # other formats have the start of each row, so they are as long as the matrix
        refuse_sparse(path, shape[0], data.size, "save it as CSR, with tocsr()", "rows")
    given = (data, tuple(places)) if kind == "coo" else (data, *places)
    try:
        matrix = getattr(scipy.sparse, f"{kind}_array")(given, shape=shape)
        if kind not in ("coo", "dia"):
            matrix.check_format(full_check=True)
        return Rows(*csr_of_matrix(matrix, options.weights), directed=True)
    except (
        ValueError,
        IndexError,
        TypeError,
        GraphError,
    ) as error:  # SciPy's errors for arrays that do not fit together
        raise FormatError(path, f"not a SciPy matrix: {error}") from error


def write(graph: Graph, path: Path) -> None:
    """Write the rows and the columns of `graph`; reading the file returns the same graph, bit for bit."""
    arrays = {"indptr": graph.offsets, "indices": graph.indices, "weights": graph.weights}
    held = {name: CPU.asarray(array) for name, array in arrays.items() if array is not None}
    records, of_columns = stored(graph, path)
    if records:
        held |= of_columns | {_RECORDS: np.array(json.dumps(records))}
    with replacing(path) as handle:
        np.savez(handle, **held, directed=np.array(graph.directed))
