"""The text format of the TU Dortmund data sets: a folder of columns of numbers, with vertices numbered from 1."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from minigr.errors import FormatError
from minigr.io.batches import Contents
from minigr.io.contents import narrowed
from minigr.io.table import TableError, id_fault, read_table, weight_fault


def read(path: Path, directed: bool | None, weights: bool) -> Contents:
    """The batch in a folder, or beside a file ``NAME_A.txt``."""
    arcs = _arcs_file(path)
    stem = arcs.name.removesuffix("A.txt")
    indicator = _numbers(arcs.with_name(f"{stem}graph_indicator.txt"), whole=True)
    offsets = _offsets(arcs.with_name(f"{stem}graph_indicator.txt"), indicator)
    src, dst = _arcs(arcs, len(indicator))
    graph_labels = _optional(arcs.with_name(f"{stem}graph_labels.txt"), len(offsets) - 1, "graphs")
    vertex_labels = _optional(arcs.with_name(f"{stem}node_labels.txt"), len(indicator), "vertices")
    values = None
    if weights:
        attributes = arcs.with_name(f"{stem}edge_attributes.txt")
        if attributes.exists() and _columns(attributes) == 1:
            values = narrowed(_optional(attributes, len(src), "edges"))
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
    try:
        with path.open("rb") as handle:
            src, dst, _ = read_table(handle, ("src", "dst"), separator=",", comment="#")
    except TableError as error:
        raise _first_bad_line(path, str(error), count) from error
    ends = np.stack([src, dst]) if len(src) else np.empty((2, 0), np.int32)
    if ends.size and (ends.min() < 1 or ends.max() > count):
        raise _first_bad_line(path, "a vertex id is out of range", count)
    return ends[0] - 1, ends[1] - 1


def _first_bad_line(path: Path, what: str, count: int) -> FormatError:
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            fields = line.split("#")[0].strip().split(",")
            if fields == [""]:
                continue
            if len(fields) != 2:
                return FormatError(path, f"expected two vertex ids, got {len(fields)} fields", number)
            for field in fields:
                fault = id_fault(field.strip(), lowest=1, highest=count)
                if fault:
                    return FormatError(path, fault, number)
    return FormatError(path, what)


def _numbers(path: Path, *, whole: bool) -> Any:
    """A number to each line: int64 where all are whole, else float64."""
    values = []
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            text = line.strip().rstrip(",")
            if not text:
                continue
            fault = id_fault(text) if whole else weight_fault(text)
            if fault:
                raise FormatError(path, fault, number)
            values.append(text)
    try:
        return np.array(values, np.int64)
    except ValueError:
        return np.array(values, np.float64)


def _offsets(path: Path, indicator: Any) -> Any:
    """Where the vertices of each graph begin; a graph that no vertex is of has none."""
    if len(indicator) and indicator.min() < 1:
        raise FormatError(path, "graphs are numbered from 1", int((indicator < 1).argmax()) + 1)
    falls = indicator[1:] < indicator[:-1]
    if falls.any():
        line = int(falls.argmax()) + 2
        raise FormatError(
            path, f"graph {indicator[line - 1]} after graph {indicator[line - 2]}: they must not fall", line
        )
    return np.searchsorted(indicator, np.arange(1, (indicator[-1] if len(indicator) else 0) + 2)).astype(np.int64)


def _optional(path: Path, count: int, what: str) -> Any:
    """The numbers of a file with one for each of `count` things; None if there is no such file or it has columns."""
    if not path.exists() or _columns(path) != 1:
        return None
    values = _numbers(path, whole=False)
    if len(values) != count:
        raise FormatError(path, f"there are {len(values)} lines, but {count} {what}: each needs one")
    return values


def _columns(path: Path) -> int:
    with path.open(encoding="utf-8", errors="replace") as lines:
        return len(next(lines, "").strip().rstrip(",").split(","))
