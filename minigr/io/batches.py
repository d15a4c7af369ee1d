"""Files with many graphs: `read_batch` and `write_batch`, and the module for each format."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from minigr import memory
from minigr.device import Device, resolve
from minigr.errors import FormatError, GraphError, OutOfMemoryError
from minigr.graphs.batch import GraphBatch
from minigr.graphs.graph import Graph
from minigr.io.sizes import refuse_sparse
from minigr.memory import out_of_memory
from minigr.paths import as_path

MODULES = {"npz": "batch_npz", "parquet": "batch_parquet", "tu": "batch_tu"}
"""The name of each format, and the module that reads it."""


@dataclass(frozen=True)
class Contents:
    """The contents of a file, as a reader returns them.

    Attributes
    ----------
    src, dst : integer array [m]
        The ends of the edges. Vertices of all graphs are numbered consecutively, or from 0 in each graph with
        `edge_offsets`.
    weights : array [m] or None
    vertex_offsets : int64[number of graphs + 1]
    edge_offsets : int64[number of graphs + 1] or None
        The positions where the edges of each graph begin.
    directed : bool
    both_ways : bool
        Whether the file lists each undirected edge in both directions.
    graph_labels, vertex_labels : array or None
    """

    src: Any
    dst: Any
    weights: Any
    vertex_offsets: Any
    edge_offsets: Any = None
    directed: bool = False
    both_ways: bool = False
    graph_labels: Any = None
    vertex_labels: Any = None


@out_of_memory
def read_batch(
    path: str | os.PathLike,
    *,
    format: str | None = None,
    directed: bool | None = None,
    weights: bool = True,
    device: str | Device | None = None,
) -> GraphBatch:
    """Read the graphs in a file.

    Parameters
    ----------
    path : path-like
        .npz
            Edges ``src`` and ``dst``, with the vertices of all graphs numbered consecutively, and ``graph_ptr``, which
            marks where the vertices of each graph begin. Optional arrays are ``weight``, ``graph_label``,
            ``vertex_label``, and ``directed`` (default false). With ``edge_ptr``, which marks where the edges of each
            graph begin, the vertices of each graph are numbered from 0; `write_batch` writes this form. Rows
            ``indptr``, ``indices`` and ``weights`` may take the place of edges.
        .parquet
            One row per graph: lists ``src`` and ``dst`` of vertex ids from 0. Optional columns are ``num_vertices`` (by
            default one more than the largest id), ``weight``, ``graph_label`` and ``vertex_label``. Needs
            ``minigr[parquet]``.
        a folder, or a file ``NAME_A.txt`` in it
            The text format of the TU Dortmund data sets: ``NAME_A.txt`` and ``NAME_graph_indicator.txt``. The files
            ``NAME_graph_labels.txt``, ``NAME_node_labels.txt`` and ``NAME_edge_attributes.txt`` (the weights) are read
            if they exist and have one number per line. Other files are not read.
    format : {'npz', 'parquet', 'tu'}, optional
        By default, the format of the name.
    directed : bool, optional
        Whether edges are directed, for a file that doesn't specify it. By default, edges are undirected. TU files list
        both directions of an undirected edge.
    weights : bool
        Whether to read weights.
    device : str, optional

    Raises
    ------
    FormatError
        If the file is not in its format or holds no batch. The message names the line, if any.
    OutOfMemoryError
        If the file or its batch needs more memory than is free. The check precedes the allocation.
    OSError, DeviceError

    Notes
    -----
    Morris, Kriege, Bause, Kersting, Mutzel, Neumann, TUDataset (GRL+ workshop, 2020) describes the text format.

    Examples
    --------
    >>> import tempfile
    >>> import minigr as mg
    >>> batch = mg.GraphBatch.from_graphs([[(0, 1), (1, 2)], [(0, 1)]], device="cpu")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mg.batch.write(batch, folder + "/set.npz")
    ...     mg.batch.read(folder + "/set.npz", device="cpu").sizes
    array([3, 2])
    """
    file, where = as_path(path), resolve(device)
    contents = read_contents(file, format=format, directed=directed, weights=weights)
    try:
        return batch_of(contents, where)
    except OutOfMemoryError as error:
        raise OutOfMemoryError(f"{file}: {error}") from error
    except GraphError as error:
        raise FormatError(file, str(error)) from error


def refuse_sparse_batch(path: Path, offsets: Any, edges: int) -> None:
    """Refuse a batch, as `refuse_sparse` does, with more vertices without edges than its edges and graphs allow."""
    remedy = "number the vertices of each graph from 0 without gaps"
    refuse_sparse(path, int(offsets[-1]), edges + len(offsets) - 1, remedy)


def read_contents(path: Path, *, format: str | None = None, directed: bool | None, weights: bool) -> Contents:
    """The contents of a file, from which `batch_of` makes a batch; see `read_batch`."""
    return _module(path, format).read(path, directed, weights)


def batch_of(contents: Contents, device: Device) -> GraphBatch:
    """The batch with these contents.

    Raises
    ------
    GraphError
        If the contents are no batch.
    """
    offsets = contents.vertex_offsets
    count = len(contents.src) * (1 if contents.both_ways or contents.directed else 2)
    what = f"a batch of {offsets[-1]:,} vertices and {count:,} arcs"
    memory.require_rows(device, int(offsets[-1]), count, contents.weights, what)
    labels: dict[str, Any] = {"graph_labels": contents.graph_labels, "vertex_labels": contents.vertex_labels}
    columns = contents.src, contents.dst, offsets, contents.weights
    if not contents.both_ways or contents.directed:
        ways = contents.directed
        return GraphBatch.from_edges(
            *columns, edge_offsets=contents.edge_offsets, directed=ways, **labels, device=device
        )
    arcs = GraphBatch.from_edges(*columns, directed=True, device=device).graph
    graph = Graph.from_csr(arcs.offsets, arcs.indices, arcs.weights, device=device)  # raises if an arc has no partner
    return GraphBatch.from_graph(graph, offsets, **labels)


@out_of_memory
def write_batch(batch: GraphBatch, path: str | os.PathLike, *, format: str | None = None) -> None:
    """Write a batch to a file, which gets the complete new contents or keeps the old contents.

    Parameters
    ----------
    batch : GraphBatch
    path : path-like
        .npz or .parquet. Reading the file returns an equal batch.
    format : {'npz', 'parquet'}, optional
        By default, the format of the extension.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> batch = GraphBatch.from_graphs([[(0, 1)], [(0, 1), (1, 2)]], device="cpu")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_batch(batch, pathlib.Path(folder, "two.npz"))
    ...     print(read_batch(pathlib.Path(folder, "two.npz"), device="cpu"))
    GraphBatch(2 graphs, 5 vertices, 3 edges, undirected, unweighted, cpu)
    """
    if not isinstance(batch, GraphBatch):
        raise GraphError(f"expected a GraphBatch, got {type(batch).__name__}; minigr.write writes one graph")
    file = as_path(path)
    writer(file, format)(batch, file)


def writer(path: Path, format: str | None = None) -> Callable[[GraphBatch, Path], None]:
    """The function that writes batches to such a file; raises `FormatError` if there is none."""
    module = _module(path, format)
    if not hasattr(module, "write"):
        raise FormatError(path, "there is no writer for this format; the formats that can be written are npz, parquet")
    return module.write


def _module(path: Path, format: str | None) -> ModuleType:
    if format is None:
        tu = path.is_dir() or path.name.endswith("_A.txt")
        format = "tu" if tu else path.suffix[1:].lower()
        if format not in MODULES:
            raise FormatError(path, f"the extension {path.suffix!r} is unknown; pass format= (npz, parquet or tu)")
    if format not in MODULES:
        raise FormatError(path, f"unknown format {format!r}: use one of {', '.join(MODULES)}")
    return importlib.import_module(f"minigr.io.{MODULES[format]}")
