"""`read`: a graph from one file or several files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from minigr.device import CPU, Device, resolve
from minigr.errors import DeviceError, FormatError, GraphError
from minigr.graphs.backend import empty_arcs
from minigr.graphs.checks import check_arcs
from minigr.graphs.partitioned.deal import Rule
from minigr.graphs.partitioned.graph import Devices, PartitionedGraph, check_one_place
from minigr.io import in_parts, rehearsed
from minigr.io.build import Unusual, graph_of_parts
from minigr.io.contents import Options, Parts, as_weight_dtype, graph_of
from minigr.io.many import Files, contents_of, files_of
from minigr.io.ranks import ranked
from minigr.io.registry import as_asked, as_kept, format_of
from minigr.memory import out_of_memory

if TYPE_CHECKING:
    from minigr.graphs import Graph


@overload
def read(
    path: str | os.PathLike | Sequence[str | os.PathLike], *, format: str | None = ..., directed: bool | None = ...,
    weights: bool | str = ..., weight_dtype: Any = ..., columns: Sequence[str] | None = ..., relabel: bool = ...,
    num_vertices: int | None = ..., device: str | Device | None = ..., progress: bool | None = ..., mmap: bool = ...,
    arcs: Literal["device", "host"] = ..., devices: None = ..., deal: Rule = ...,
    keep: bool | Sequence[str] | None = ...,
) -> Graph: ...  # fmt: skip
@overload
def read(
    path: str | os.PathLike | Sequence[str | os.PathLike], *, format: str | None = ..., directed: bool | None = ...,
    weights: bool | str = ..., weight_dtype: Any = ..., columns: Sequence[str] | None = ..., relabel: bool = ...,
    num_vertices: int | None = ..., device: str | Device | None = ..., progress: bool | None = ..., mmap: bool = ...,
    arcs: Literal["device", "host"] = ..., devices: Devices, deal: Rule = ...,
    keep: bool | Sequence[str] | None = ...,
) -> PartitionedGraph: ...  # fmt: skip
@out_of_memory
def read(
    path: str | os.PathLike | Sequence[str | os.PathLike],
    *,
    format: str | None = None,
    directed: bool | None = None,
    weights: bool | str = True,
    weight_dtype: Any = None,
    columns: Sequence[str] | None = None,
    relabel: bool = False,
    num_vertices: int | None = None,
    device: str | Device | None = None,
    progress: bool | None = None,
    mmap: bool = False,
    arcs: Literal["device", "host"] = "device",
    devices: Devices | None = None,
    deal: Rule = "auto",
    keep: bool | Sequence[str] | None = None,
) -> Any:
    """Read the graph in one file or in several files.

    ======================================  ===========================================  ==========
    extension                               format                                       directed
    ======================================  ===========================================  ==========
    .mtx                                    Matrix Market; a square matrix               unless symmetric
    .txt .el .wel .edges .csv .tsv          edge list, with or without weights           no
    .gr                                     DIMACS shortest paths; PACE and SteinLib     yes; no
    .graph .metis                           METIS                                        no
    .graphml                                GraphML; see also `minigr.read_named`        as stored
    .gml                                    GML; see also `minigr.read_named`            as stored
    .npz                                    NumPy archive; see `minigr.io.npz`           as stored
    .parquet                                a row per edge (needs ``minigr[parquet]``)   no
    .minigr                                 a folder of arrays that can be mapped        as stored
    ======================================  ===========================================  ==========

    ``.gz`` may follow all extensions except the last three.

    Parameters
    ----------
    path : path-like, or sequence of these
        A file or, if no such file exists, the name of a graph that comes with minigr (see `shipped_names`). A folder
        stands for its files, in the order of their names. The edges of several files form one graph, and an id names
        the same vertex in all files.
    format : {'mtx', 'edges', 'gr', 'graph', 'graphml', 'gml', 'npz', 'parquet', 'minigr'}, optional
        By default, the format of the extension.
    directed : bool, optional
        Whether edges are directed, for a file that doesn't specify it. For a file that does, True makes two arcs of
        each edge, and False makes an edge of each arc. By default, as in the table.
    weights : bool or str
        Whether to read the weights in the file. For GraphML and GML, also the name of the edge attribute that holds the
        weights. By default, the attribute ``weight`` or, if no such attribute exists, an attribute with another name
        that tables use for weights, such as ``value``.
    weight_dtype : dtype, optional
        int32, int64, float32 or float64. By default, int32 for whole numbers that fit, int64 for other whole numbers,
        float64 for reals, and the dtype in the file for .npz and .parquet.
    columns : sequence of str, optional
        For edge lists and Parquet, the contents of each column: ``"src"``, ``"dst"``, ``"weight"``, or any other name
        for a column to leave out, e.g. ``("src", "dst", "time")``.
    relabel : bool
        If True, ids may be any whole numbers from 0, and the vertices that have edges are numbered by rank: vertex i of
        the graph is the i-th smallest id of the file.
    num_vertices : int, optional
        The number of vertices. By default, the number in the file, or else one more than the largest id. Without
        `num_vertices`, a graph that has more than 2^24 vertices and more than 64 vertices for each edge is refused.
    device : str, optional
        The device of the graph.
    progress : bool, optional
        Whether to show a progress bar for a text file. By default, for long files if standard error is a terminal.
    mmap : bool
        If True, map the arrays of a .minigr folder into memory instead of reading the arrays. The graph may then be
        larger than the memory, and the system reads the parts that an algorithm accesses. The arrays are read-only, on
        the CPU, and not checked.
    arcs : {'device', 'host'}
        ``"host"`` keeps the arcs of a graph on a GPU in host memory; see `Graph.to`. The CPU builds the graph.
    devices : sequence of str, or "mpi", optional
        Make a `PartitionedGraph` with a part on each of these devices, instead of `device` and `arcs`; see
        `PartitionedGraph.from_edges`. Edge lists and Parquet are read twice, some rows at a time. Each of several
        processes reads a share of the bytes (for Parquet, a share of the row groups). One process reads a compressed
        text file or a file in another format.
    deal : {"auto", "ranges", "hash"}
        The rule that assigns each vertex to a part, for `devices`; see `PartitionedGraph.from_edges`.
    keep : bool or sequence of str, optional
        The further columns that become `Graph.vertex_columns` and `Graph.edge_columns`: all (True), none (False), or
        the columns with these names. In edge lists and Parquet, these are the columns of edges other than ends and
        weights. In GraphML and GML, these are attributes. In an .npz file and a .minigr folder, these are the columns
        of the graph that was passed to `minigr.write`. By default, only columns of .npz and .minigr are kept.

    Returns
    -------
    Graph or PartitionedGraph

    Raises
    ------
    FormatError
        If the file is not in its format, is cut short, or holds no graph. The message names the line, if any.
    OutOfMemoryError
        If the file or its graph needs more memory than is free. The check precedes the allocation.
    MissingExtraError
        If a column was stored as Arrow and pyarrow is not installed.
    GraphError
        If `weight_dtype`, `columns` or `keep` has an invalid value, if `num_vertices` is combined with `relabel`, if
        `devices` is combined with `device`, `arcs` or `keep`, or if `arcs` has another value.
    DeviceError
        If the device can't be used, or if the device is a GPU and `mmap` is True.
    PartError
        If another process, which holds another part, failed.
    OSError

    Examples
    --------
    >>> read("wordnet", device="cpu")
    Graph(117,659 vertices, 183,789 edges, undirected, unweighted, cpu)
    """
    check_arcs(arcs)
    check_one_place(device, arcs, devices)
    num_vertices = as_asked(num_vertices, relabel)
    asked: dict[str, Any] = {"relabel": relabel, "progress": progress, "num_vertices": num_vertices}
    weight_dtype = as_weight_dtype(weight_dtype)
    options = Options.of(columns, weights, **asked, mmap=bool(mmap), keep=as_kept(keep), attributes=bool(keep))
    if devices is not None:
        if keep:
            raise GraphError(
                "keep= does not go with devices=, because a PartitionedGraph has no columns: leave out one of these"
            )
        how: dict[str, Any] = {"format": format, "directed": directed, "weights": weights, "weight_dtype": weight_dtype}
        whole = partial(read, path, **how, **asked, columns=columns, mmap=mmap, keep=False, device="cpu")
        return in_parts.read(path, format, options, directed, weight_dtype, devices, deal, whole)
    files = files_of(path, format)
    where = _where_to_map(files, format, device) if mmap else resolve(device)
    home = CPU if arcs == "host" else where
    if where.is_rehearsed:
        return rehearsed.read(files, format, options, directed, weight_dtype, where, arcs)
    contents = contents_of(files, format, options)
    if isinstance(contents, Parts) and contents.kept:  # edges that have columns
        contents = contents.whole()
    elif isinstance(contents, Parts):
        with suppress(Unusual):  # the CPU builds the rows, also for a GPU, so edges are never all in memory
            parts = ranked(contents) if relabel else contents
            empty = empty_arcs(where) if arcs == "host" else np.empty
            graph = graph_of_parts(parts, files.name, options, directed, weight_dtype, empty)
            return graph.to(where, arcs=arcs)
        contents = contents.whole()
    graph = graph_of(contents, files.name, options=options, directed=directed, weight_dtype=weight_dtype, device=home)
    return graph.to(where, arcs=arcs)


def _where_to_map(files: Files, format: str | None, device: str | Device | None) -> Device:
    """The CPU, or an error with the reason why a file can't be mapped."""
    path = files.name
    where = CPU if device is None else resolve(device)
    if where.is_cuda:
        raise DeviceError(
            f"mmap=True maps {path} into the memory of the host, not on {where}: pass device='cpu', or leave mmap=True "
            "out to copy the graph to the GPU"
        )
    if files.several:
        raise FormatError(path, "several files can't be mapped: make a .minigr folder of them by mg.convert")
    if (name := format_of(path, format)) != "minigr":
        raise FormatError(
            path,
            f"the format {name} can't be mapped, only a .minigr folder: write one with "
            f"mg.write(mg.read({path.name!r}), {_folder_name(path)!r}), or minigr convert, and read it with mmap=True",
        )
    return where


def _folder_name(path: Path) -> str:
    return path.name.removesuffix(".gz").rpartition(".")[0] + ".minigr"
