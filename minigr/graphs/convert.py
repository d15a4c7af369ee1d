"""Conversions between arrays of edges or rows, sparse matrices of SciPy and CuPy, and graphs of NetworkX."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from minigr.device import CPU, device_of
from minigr.errors import GraphError, MissingExtraError
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.columns import Columns
from minigr.graphs.networkx_attributes import attributes_of
from minigr.graphs.networkx_rows import NetworkXRows, edge_data, rows_of_networkx


class Listed(Protocol):
    """The attributes and methods of a `Graph` that these functions use."""

    directed: bool
    num_vertices: int

    @property
    def has_parallel_edges(self) -> bool: ...

    @property
    def vertex_columns(self) -> Columns: ...

    @property
    def edge_columns(self) -> Columns: ...

    def to_edges(self) -> tuple[Any, Any, Any]: ...


def csr_of_matrix(matrix: Any, with_values: bool) -> tuple[Any, Any, Any]:
    """Offsets, indices with sorted rows, and values (or None) of a square sparse matrix; a copy only if needed."""
    if not (hasattr(matrix, "tocsr") and hasattr(matrix, "shape")):
        raise GraphError(f"expected a SciPy or CuPy sparse matrix, got {type(matrix).__name__}; wrap it in csr_array")
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise GraphError(f"the matrix has shape {matrix.shape}, but the adjacency matrix of a graph is square")
    _check_rows(matrix)
    csr = matrix.tocsr()
    if not csr.has_sorted_indices:
        if csr is matrix:
            csr = csr.copy()  # sort_indices works in place, and must not change the caller's matrix
        csr.sort_indices()
    return csr.indptr, csr.indices, csr.data if with_values else None


def _check_rows(matrix: Any) -> None:
    """Raise `GraphError` for rows beyond the ends of arrays, which SciPy would read if the last end is 0."""
    rows = getattr(matrix, "indptr", None)
    if rows is None:
        return
    falls = len(rows) == 0 or bool((rows[1:] < rows[:-1]).any())
    if falls or int(rows[0]) != 0 or int(rows[-1]) > len(matrix.indices):
        raise GraphError("indptr of the matrix must begin with 0, never fall, and end within its indices")
    if matrix.format != "csr" and hasattr(matrix, "check_format"):
        try:
            matrix.check_format(full_check=True)
        except ValueError as error:
            raise GraphError(f"the matrix is not valid: {error}") from error


def matrix_of(rows: Adjacency) -> Any:
    """A ``scipy.sparse.csr_array`` in host memory. For rows on the CPU, it shares the indices and weights."""
    try:
        from scipy.sparse import csr_array
    except ImportError as error:
        raise MissingExtraError("a SciPy matrix needs SciPy: pip install 'minigr[scipy]'") from error

    offsets, indices = CPU.asarray(rows.offsets), CPU.asarray(rows.indices)
    if rows.num_arcs <= np.iinfo(np.int32).max:
        offsets = offsets.astype(np.int32)  # SciPy needs one dtype for both, and would copy the indices to int64
    host = device_of(indices)
    values = host.xp.ones(len(indices), np.int32) if rows.weights is None else CPU.asarray(rows.weights)
    if host.is_rehearsed:  # SciPy checks the values, and allocates nothing more
        return values, indices, offsets
    return csr_array((values, indices, offsets), shape=(rows.num_vertices, rows.num_vertices))


def edges_of_networkx(graph: Any, weight: str | None) -> tuple[Any, Any, Any, int]:
    """Sources, targets, weights (or None), and the number of nodes. The order of the graph gives the node numbers."""
    if not hasattr(type(graph), "adjacency"):
        raise GraphError(f"from_networkx takes a NetworkX graph, got {type(graph).__name__}")
    rows = rows_of_networkx(graph)
    weights = None if weight is None else _attribute(graph, rows, weight)
    return *rows.ends(), weights, len(rows.nodes)


def _attribute(graph: Any, rows: NetworkXRows, name: str) -> list[Any]:
    """The attribute of each edge."""
    try:
        return [data[name] for data in edge_data(graph, rows)]
    except KeyError:
        u, v = next((u, v) for u, v, data in graph.edges(data=True) if name not in data)
        raise GraphError(f"edge ({u!r}, {v!r}) has no attribute {name!r}: set it, or pass weight=None") from None


def networkx_of(graph: Listed, columns: bool) -> Any:
    """A NetworkX graph with nodes 0, 1, ...; a multigraph if edges repeat. `columns` become attributes if asked for."""
    import networkx as nx

    kinds = {(False, False): nx.Graph, (False, True): nx.MultiGraph}
    kinds |= {(True, False): nx.DiGraph, (True, True): nx.MultiDiGraph}
    result = kinds[graph.directed, graph.has_parallel_edges]()
    src, dst, weights = edge_arrays(graph)
    if columns:
        of_edges: dict[str, Any] = dict(graph.edge_columns)
        if weights is not None and "weight" in of_edges:
            raise GraphError("to_networkx: the graph has weights and a column 'weight' of edges: rename the column")
        of_edges |= {} if weights is None else {"weight": weights}
        of_vertices = attributes_of(graph.vertex_columns, graph.num_vertices)
        result.add_nodes_from(zip(range(graph.num_vertices), of_vertices, strict=True))
        result.add_edges_from(zip(src.tolist(), dst.tolist(), attributes_of(of_edges, len(src)), strict=True))
        return result
    result.add_nodes_from(range(graph.num_vertices))
    if weights is None:
        result.add_edges_from(zip(src.tolist(), dst.tolist(), strict=True))
    else:
        result.add_weighted_edges_from(zip(src.tolist(), dst.tolist(), weights.tolist(), strict=True))
    return result


def edge_arrays(graph: Listed) -> tuple[Any, Any, Any]:
    """Each edge once, as NumPy arrays: sources, targets, weights (or None). source <= target if undirected."""
    src, dst, weights = graph.to_edges()
    return CPU.asarray(src), CPU.asarray(dst), None if weights is None else CPU.asarray(weights)
