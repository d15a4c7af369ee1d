"""PACE and SteinLib graphs: ``SECTION Graph``, ``Nodes n``, ``Edges m``, then m lines ``E u v w`` and ``END``.

Ids count from 1. Other sections (terminals, tree decompositions) are skipped.
"""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import BinaryIO

import numpy as np

from minigr.errors import FormatError
from minigr.graphs.checks import MAX_VERTICES
from minigr.io.contents import Edges, Options, narrowed
from minigr.io.sizes import require_room
from minigr.io.source import next_line
from minigr.io.table import split
from minigr.io.tokens import id_fault, number, weight_fault, whole

_STEINLIB = "33d32945 stp file"
_ASK_EVERY = 1 << 20
_PER_EDGE = 64  # bytes
_SHAPES = {"nodes": 2, "edges": 2, "e": 4, "end": 1}


def begins_here(handle: BinaryIO) -> bool:
    """Whether the file is of this kind. Leaves the position of `handle` unchanged."""
    place = handle.tell()
    start = handle.readline(80).decode(errors="replace").strip().lower()
    handle.seek(place)
    return start.startswith(("section ", _STEINLIB))


def read_edges(handle: BinaryIO, path: Path, options: Options) -> Edges:
    """The edges in section Graph."""
    promised: dict[str, int] = {}
    ends = array("i")
    weights: list[int | float] = []
    section, ended, line = "", False, 0
    while raw := next_line(handle, path, line + 1):
        line += 1
        fields = split(raw.decode(errors="replace").strip(" \t\r\n"), " ")
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
            fault = id_fault(fields[1], 1, highest) or id_fault(fields[2], 1, highest)
            if options.weights:
                fault = fault or weight_fault(fields[3])
            if len(weights) == promised.get("edges", 0):
                fault = fault or f"section Graph promises {len(weights)} edges, but another one follows"
            if fault:
                raise FormatError(path, fault, line)
            ends.extend((whole(field) or 0) - 1 for field in fields[1:3])
            weights.append(number(fields[3]) if options.weights else 0)
            if len(weights) % _ASK_EVERY == 0:
                require_room(path, _ASK_EVERY * _PER_EDGE, "its edges")
        elif key == "end":
            ended = True
        else:
            if fault := id_fault(fields[1], 0, MAX_VERTICES, f"number of {key}"):
                raise FormatError(path, fault, line)
            promised[key] = whole(fields[1]) or 0
    if not ended or promised.get("edges") != len(weights) or "nodes" not in promised:
        raise FormatError(
            path,
            f"section Graph promises {promised.get('edges')} edges and an END, but has {len(weights)}; "
            "is the file cut short?",
        )
    pairs = np.frombuffer(ends, np.int32) if ends else np.empty(0, np.int32)
    values = np.array(weights) if weights else np.empty(0, np.int64)
    return Edges(
        pairs[::2], pairs[1::2], narrowed(values) if options.weights else None, promised["nodes"], directed=False
    )
