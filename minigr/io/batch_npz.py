"""NumPy archives that hold a batch: archives as in `minigr.io.npz`, with an additional array ``graph_ptr``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from minigr.archive import opened
from minigr.device import CPU
from minigr.errors import FormatError
from minigr.graphs.convert import edge_arrays
from minigr.io import npz
from minigr.io.batches import Contents, refuse_sparse_batch
from minigr.io.contents import Options, Rows
from minigr.replace import replacing

if TYPE_CHECKING:
    from minigr.graphs.batch import GraphBatch


_MOST = 1 << 48


def read(path: Path, directed: bool | None, weights: bool) -> Contents:
    """The batch in an archive."""
    with opened(path) as archive:
        edges = npz.contents(archive, path, Options(weights=weights))
        if "graph_ptr" not in archive.files:
            raise FormatError(
                path,
                "there is no array graph_ptr, which says where the vertices of each graph begin: is it a single graph?",
            )
        offsets = _offsets(path, archive["graph_ptr"])
        labels: dict[str, Any] = {
            name: archive[key] if key in archive.files else None
            for name, key in (("graph_labels", "graph_label"), ("vertex_labels", "vertex_label"))
        }
        edge_ptr = _offsets(path, archive["edge_ptr"], "edge_ptr") if "edge_ptr" in archive.files else None
    said = edges.directed
    if said is not None and directed is not None and bool(said) != directed:
        raise FormatError(path, f"the file says directed={bool(said)}, but directed={directed} was asked for")
    way = bool(directed if said is None else said)
    if isinstance(edges, Rows):
        rows = _offsets(path, edges.offsets, "indptr")
        if edges.indices.ndim != 1 or len(rows) - 1 != offsets[-1] or rows[-1] != len(edges.indices):
            raise FormatError(path, "indptr does not fit indices and graph_ptr; is the archive put together wrongly?")
        refuse_sparse_batch(path, offsets, len(edges.indices))
        src = np.repeat(np.arange(len(rows) - 1, dtype=np.int32), np.diff(rows))
        return Contents(src, edges.indices, edges.weights, offsets, directed=way, both_ways=True, **labels)
    if edges.src.ndim != 1:
        raise FormatError(path, f"src must have one dimension, but has shape {edges.src.shape}")
    refuse_sparse_batch(path, offsets, len(edges.src))
    return Contents(edges.src, edges.dst, edges.weights, offsets, edge_ptr, way, **labels)


def write(batch: GraphBatch, path: Path) -> None:
    """Write the edges of all graphs, each once and with the narrowest ids; reading the file returns an equal batch."""
    src, dst, weights = edge_arrays(batch.graph)
    vertices = batch.host_offsets
    edges = np.searchsorted(src, vertices)  # rows are in order, so edges are, too
    shift = np.repeat(vertices[:-1], np.diff(edges)).astype(np.int32)
    narrow = np.min_scalar_type(int(batch.sizes.max(initial=1)) - 1)
    ends = {"src": (src - shift).astype(narrow), "dst": (dst - shift).astype(narrow)}
    arrays: dict[str, Any] = {**ends, "weight": weights}
    arrays |= {"graph_ptr": vertices, "edge_ptr": edges, "directed": np.array(batch.directed)}
    arrays |= {"graph_label": batch.graph_labels, "vertex_label": batch.vertex_labels}
    arrays = {name: _plain(path, name, CPU.asarray(array)) for name, array in arrays.items() if array is not None}
    with replacing(path) as handle:
        np.savez(handle, **arrays)


def _plain(path: Path, name: str, array: Any) -> Any:
    """`array` without objects, because an archive would pickle objects, and readers refuse pickles."""
    if array.dtype.kind != "O":
        return array
    if not all(isinstance(each, str) for each in array):
        raise FormatError(
            path, f"{name} holds objects, and an archive takes numbers and texts: convert them, or write Parquet"
        )
    return array.astype(str)


def _offsets(path: Path, ptr: Any, name: str = "graph_ptr") -> Any:
    if ptr.ndim != 1 or ptr.dtype.kind not in "iu" or len(ptr) == 0 or ptr[0] != 0 or (ptr[1:] < ptr[:-1]).any():
        raise FormatError(path, f"{name} must be integers that begin with 0 and do not fall")
    if ptr[-1] > _MOST:
        raise FormatError(path, f"{name} ends with {ptr[-1]}, which is more than any file holds")
    return ptr.astype(np.int64)
