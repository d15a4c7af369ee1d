"""The text format of the TU Dortmund data sets: a folder of files with columns of numbers; vertices count from 1."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from minigr.errors import FormatError
from minigr.io.batches import Contents
from minigr.io.contents import narrowed
from minigr.io.parser import read_table
from minigr.io.sizes import refuse_sparse
from minigr.io.source import next_line, open_source
from minigr.io.table import Table


def read(path: Path, directed: bool | None, weights: bool) -> Contents:
    """The batch in a folder, or in the folder of a file ``NAME_A.txt``."""
    arcs = _arcs_file(path)
    stem = arcs.name.removesuffix("A.txt")
    graphs = arcs.with_name(f"{stem}graph_indicator.txt")
    indicator = _table(graphs, Table(("id",), lowest=1, fields="the number of a graph"))["id"]
    offsets = _offsets(graphs, indicator)
    src, dst = _arcs(arcs, len(indicator))
    graph_labels = _optional(arcs.with_name(f"{stem}graph_labels.txt"), len(offsets) - 1, "graphs")
    vertex_labels = _optional(arcs.with_name(f"{stem}node_labels.txt"), len(indicator), "vertices")
    values = None
    if weights:
        values = narrowed(_optional(arcs.with_name(f"{stem}edge_attributes.txt"), len(src), "edges"))
    one_way = bool(directed)
    return Contents(src, dst, values, offsets, None, one_way, not one_way, graph_labels, vertex_labels)


def _arcs_file(path: Path) -> Path:
    if not path.is_dir():
        if not path.name.endswith("_A.txt"):
            raise FormatError(path, "expected a folder with a file NAME_A.txt, or that file")
        return path
    found = sorted(path.glob("*_A.txt"))
    if len(found) != 1:
        names = ", ".join(file.name for file in found) or "none"
        raise FormatError(
            path, f"expected one file NAME_A.txt in this folder, found {names}; give the path of the file"
        )
    return found[0]


def _arcs(path: Path, count: int) -> tuple[Any, Any]:
    columns = _table(path, Table(("src", "dst"), ",", lowest=1, highest=count, fields="two vertex ids"))
    return columns["src"] - 1, columns["dst"] - 1


def _table(path: Path, table: Table) -> dict[str, Any]:
    with open_source(path) as handle:
        return read_table(handle, path, table, 1)


def _offsets(path: Path, indicator: Any) -> Any:
    """The positions where the vertices of each graph begin. A graph without vertices is empty."""
    falls = indicator[1:] < indicator[:-1]
    if falls.any():
        vertex = int(falls.argmax()) + 1
        raise FormatError(
            path,
            f"vertex {vertex + 1} is of graph {indicator[vertex]}, but vertex {vertex} is of graph "
            f"{indicator[vertex - 1]}: the numbers of graphs must not decrease",
        )
    graphs = int(indicator[-1]) if len(indicator) else 0
    refuse_sparse(path, graphs, len(indicator), "number the graphs from 1 without gaps", "graphs", "vertices")
    return np.searchsorted(indicator, np.arange(1, graphs + 2)).astype(np.int64)


def _optional(path: Path, count: int, what: str) -> Any:
    """The numbers in a file, one for each of `count` items; None if the file doesn't exist or has several columns."""
    if not path.exists():
        return None
    with open_source(path) as handle:
        if b"," in next_line(handle, path, 1).strip().rstrip(b","):
            return None
    values = _table(path, Table(("label",)))["label"]
    if len(values) != count:
        raise FormatError(path, f"there are {len(values)} lines, but {count} {what}: each needs one line")
    return values
