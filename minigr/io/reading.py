"""`read`: a graph of a file, or of several."""

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
from minigr.io.contents import Options, Parts, graph_of
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
    """The graph in a file, or in several.

    ======================================  ===========================================  ==========
    extension (``.gz`` may follow)          format                                       directed
    ======================================  ===========================================  ==========
    .mtx                                    Matrix Market; a square matrix               unless symmetric
    .txt .el .wel .edges .csv .tsv          edge list, with or without weights           no
    .gr                                     DIMACS shortest paths; PACE and SteinLib     yes; no
    .graph .metis                           METIS                                        no
    .graphml                                GraphML; see also `minigr.read_named`        as it says
    .gml                                    GML; see also `minigr.read_named`            as it says
    .npz                                    NumPy archive, see `minigr.io.npz`           as it says
    .parquet                                a row an edge (needs ``minigr[parquet]``)    no
    .minigr                                 a folder of arrays, which can be mapped      as it says
    ======================================  ===========================================  ==========

    Parameters
    ----------
    path : path-like, or sequence of these
        A file, or the name of a graph that comes with minigr (see `shipped_names`) where there is no such file. A
        folder stands for its files, in the order of their names. The edges of several files are one graph, and an id is
        the same vertex in all of them.
    format : {'mtx', 'edges', 'gr', 'graph', 'graphml', 'gml', 'npz', 'parquet', 'minigr'}, optional
        By default what the extension stands for.
    directed : bool, optional
        For a file that doesn't say, whether its edges are directed. For one that does, True makes two arcs of each
        edge, and False an edge of each arc. By default as in the table.
    weights : bool or str
        Whether to read the weights that the file has; or, of GraphML and GML, which attribute of edges they are. By
        default they are the attribute ``weight`` or, if there is none, one that tables call so, such as ``value``.
    weight_dtype : dtype, optional
        int32, int64, float32 or float64. By default int32 for whole numbers that fit and otherwise int64, float64 for
        reals, and in .npz and .parquet what the file holds.
    columns : sequence of str, optional
        For edge lists and Parquet: what each column holds, ``"src"``, ``"dst"``, ``"weight"``, or any other name for
        one to be left out, e.g. ``("src", "dst", "time")``.
    relabel : bool
        Let ids be any whole numbers from 0, and number the vertices that have edges by rank: vertex i of the graph is
        the i-th smallest id of the file.
    num_vertices : int, optional
        How many vertices there are. By default what the file says, or else one more than the largest id. Also lets
        there be more than 64 vertices for each edge, or 2^24 in all, which are refused by default.
    device : str, optional
        Where the graph is to live.
    progress : bool, optional
        Whether to show a progress bar for a text file. By default for long ones, if standard error is a terminal.
    mmap : bool
        Map the arrays of a .minigr folder into memory instead of reading them: then the graph may be larger than the
        memory, and the system reads what an algorithm looks at. The arrays are read-only, on the CPU, and not checked.
    arcs : {'device', 'host'}
        ``"host"`` keeps the arcs of a graph on a GPU in the host's memory: see `Graph.to`. The CPU builds the graph.
    devices : sequence of str, or "mpi", optional
        Make a `PartitionedGraph` with a part on each of these, instead of `device` and `arcs`: see its `from_edges`.
        Edge lists and Parquet are read some rows at a time, twice; of several processes each reads a share of the bytes
        (of Parquet, of the groups of rows). A compressed text, and a file in another format, is read by one process.
    deal : {"auto", "ranges", "hash"}
        Who owns a vertex, with `devices`: see `PartitionedGraph.from_edges`.
    keep : bool or sequence of str, optional
        Which further columns become `Graph.vertex_columns` and `Graph.edge_columns`: all, none, or those of some names.
        Edge lists and Parquet have columns of edges beside those that `columns` tells of. GraphML and GML have
        attributes. A .npz and a .minigr folder have the columns of the graph that `minigr.write` was given. By default
        these are kept, and no others.

    Returns
    -------
    Graph or PartitionedGraph

    Raises
    ------
    FormatError
        If the file is not in its format, cut short, or holds no graph; the message names the line where there is one.
    OutOfMemoryError
        If the file or its graph needs more memory than is free; asked before it is allocated.
    MissingExtraError
        If a column was stored as Arrow, and pyarrow is not there.
    GraphError
        For `num_vertices` beside `relabel`, `devices` beside `device`, `arcs` or `keep`, and another value of `arcs`.
    DeviceError
        If the device can't be used, or is a GPU and `mmap` is true.
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
    options = Options.of(columns, weights, **asked, mmap=bool(mmap), keep=as_kept(keep), attributes=bool(keep))
    if devices is not None:
        if keep:
            raise GraphError("keep= is for a Graph, because a PartitionedGraph has no columns: leave one of them out")
        how: dict[str, Any] = {"format": format, "directed": directed, "weights": weights, "weight_dtype": weight_dtype}
        whole = partial(read, path, **how, **asked, columns=columns, mmap=mmap, keep=False, device="cpu")
        return in_parts.read(path, format, options, directed, weight_dtype, devices, deal, whole)
    files = files_of(path, format)
    where = _where_to_map(files, format, device) if mmap else resolve(device)
    home = CPU if arcs == "host" else where
    if where.is_rehearsed:
        return rehearsed.read(files, format, options, directed, weight_dtype, where, arcs)
    contents = contents_of(files, format, options)
    if isinstance(contents, Parts) and contents.kept:  # of edges that go along with their columns
        contents = contents.whole()
    elif isinstance(contents, Parts):
        with suppress(Unusual):  # the CPU makes the rows: for a GPU, too, edges are never all in memory
            parts = ranked(contents) if relabel else contents
            empty = empty_arcs(where) if arcs == "host" else np.empty
            graph = graph_of_parts(parts, files.name, options, directed, weight_dtype, empty)
            return graph.to(where, arcs=arcs)
        contents = contents.whole()
    graph = graph_of(contents, files.name, options=options, directed=directed, weight_dtype=weight_dtype, device=home)
    return graph.to(where, arcs=arcs)


def _where_to_map(files: Files, format: str | None, device: str | Device | None) -> Device:
    """The CPU, or an error that says why a file can't be mapped."""
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
