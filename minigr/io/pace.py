"""PACE and SteinLib graphs: ``SECTION Graph``, ``Nodes n``, ``Edges m``, then m lines ``E u v w`` and ``END``.

Ids count from 1. Other sections (terminals, tree decompositions) are read over.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np

from minigr.errors import FormatError
from minigr.graphs.checks import MAX_VERTICES
from minigr.io.contents import Edges, Options, narrowed
from minigr.io.table import id_fault, weight_fault

_STEINLIB = "33d32945 stp file"
_SHAPES = {"nodes": 2, "edges": 2, "e": 4, "end": 1}


def begins_here(handle: BinaryIO) -> bool:
    """Whether the file is of this kind; leaves `handle` at its beginning."""
    start = handle.readline(80).decode(errors="replace").strip().lower()
    handle.seek(0)
    return start.startswith(("section ", _STEINLIB))


def read_edges(handle: BinaryIO, path: Path, options: Options) -> Edges:
    """The edges of section Graph."""
    promised: dict[str, int] = {}
    pairs: list[int] = []
    weights: list[float] = []
    section, ended = "", False
    for line, raw in enumerate(handle, 1):
        fields = raw.decode(errors="replace").split()
        if not fields:
            continue
        key = fields[0].lower()
        if key == "section":
            section = " ".join(fields[1:]).lower()
            continue
        if section != "graph" or ended:
            continue
        if key not in _SHAPES or len(fields) != _SHAPES[key]:
            raise FormatError(path, f"expected 'E FROM TO WEIGHT' or 'END', got {' '.join(fields)[:60]!r}", line)
        if key == "e":
            highest = promised.get("nodes", 0)
            fault = id_fault(fields[1], lowest=1, highest=highest) or id_fault(fields[2], lowest=1, highest=highest)
            if fault := fault or weight_fault(fields[3]):
                raise FormatError(path, fault, line)
            pairs += (int(fields[1]) - 1, int(fields[2]) - 1)
            weights.append(int(fields[3]) if fields[3].lstrip("+-").isdecimal() else float(fields[3]))
        elif key == "end":
            ended = True
        else:
            if fault := id_fault(fields[1], highest=MAX_VERTICES):
                raise FormatError(path, fault.replace("vertex id", f"number of {key}"), line)
            promised[key] = int(fields[1])
    if not ended or promised.get("edges") != len(weights) or "nodes" not in promised:
        raise FormatError(
            path,
            f"section Graph promises {promised.get('edges')} edges and an END, but has {len(weights)}; cut short?",
        )
    ends = np.array(pairs, np.int32)
    values = np.array(weights) if weights else np.empty(0, np.int64)
    return Edges(
        ends[::2], ends[1::2], narrowed(values) if options.weights else None, promised["nodes"], directed=False
    )
