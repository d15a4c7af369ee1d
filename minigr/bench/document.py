"""The JSON document that ``minigr bench`` writes: one document for a run, one row for each measurement.

A document has ``schema``, ``bench``, ``minigr``, ``machine``, ``device``, ``settings``, ``graphs`` and ``rows``. A row
has ``key`` (names and numbers that say what was measured; rows with equal keys can be compared), ``unit`` (``"ms"`` or
``"bytes"``; less is better), ``samples``, their ``median``, ``least`` and ``most``, and further results of the bench.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from minigr.bench import machine
from minigr.device import Device
from minigr.errors import FormatError
from minigr.replace import replacing

SCHEMA = 1
MINIGR = "minigr"
_REMEDY = "give a file that minigr bench wrote with --json"
Row = dict[str, Any]
_PARTS = {"device": str, "machine": dict, "settings": dict, "rows": list}


def row(key: Mapping[str, Any], samples: Sequence[float], unit: str = "ms", **found: Any) -> Row:
    """A row of a document.

    Examples
    --------
    >>> row({"app": "bfs"}, [3.0, 1.0, 2.0])["median"]
    2.0
    """
    samples = [float(sample) for sample in samples]
    summary = {"median": statistics.median(samples), "least": min(samples), "most": max(samples)}
    return {"key": dict(key), "unit": unit, **summary, "samples": samples, **found}


def document(
    bench: str,
    device: Device,
    settings: Mapping[str, Any],
    graphs: Sequence[Mapping[str, Any]],
    rows: Sequence[Row],
    **others: Any,
) -> dict[str, Any]:
    """Make a document of values for JSON."""
    return {
        "schema": SCHEMA,
        "bench": bench,
        "minigr": machine.this_minigr(),
        "machine": machine.facts(device),
        "device": str(device),
        "settings": dict(settings),
        "graphs": [dict(graph) for graph in graphs],
        **others,
        "rows": list(rows),
    }


def graph_facts(name: str, graph: Any) -> dict[str, Any]:
    """The facts about a graph for a document."""
    return {
        "name": name,
        "vertices": graph.num_vertices,
        "arcs": graph.num_arcs,
        "directed": graph.directed,
        "weights": str(graph.weights.dtype) if graph.weighted else None,
        "bytes": graph.memory,
    }


def as_text(content: Mapping[str, Any]) -> str:
    """A document as JSON. NaN and infinities raise an error, because they are a defect."""
    return json.dumps(content, indent=1, allow_nan=False, default=lambda scalar: scalar.item()) + "\n"


def write(path: Path, content: Mapping[str, Any]) -> None:
    """Write the text of `as_text` to a file. The file is replaced as a whole or not at all."""
    with replacing(path) as handle:
        handle.write(as_text(content).encode())


def check_rows(content: Mapping[str, Any], path: Path | str) -> None:
    """Raise `FormatError` unless the rows of a document, if it has any, have keys and samples with their summary."""
    rows = content.get("rows", ())
    if not isinstance(rows, list | tuple):
        raise FormatError(path, f"has rows of type {type(rows).__name__}: {_REMEDY}")
    for number, found in enumerate(rows):
        if not (isinstance(found, dict) and isinstance(found.get("key"), dict) and _is_summed_up(found)):
            raise FormatError(path, f"row {number} has no key, no samples or no median, least and most: {_REMEDY}")


def read(path: Path) -> dict[str, Any]:
    """Read a document that `write` wrote.

    Raises
    ------
    FormatError
        If the file is no document, or has a schema that this version does not know.
    """
    try:
        content = json.loads(path.read_text())
    except (ValueError, RecursionError) as error:
        raise FormatError(path, f"is not JSON ({error}): {_REMEDY}") from error
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema is None:
        raise FormatError(path, f"is no document of minigr bench: {_REMEDY}")
    if schema != SCHEMA:
        raise FormatError(
            path, f"has schema {schema}, and this minigr reads {SCHEMA}: compare with the minigr it is of"
        )
    if content.get("bench") == "compare":  # which has no rows
        return content
    absent = [name for name, kind in _PARTS.items() if not isinstance(content.get(name), kind)]
    if absent:
        raise FormatError(path, f"has no {', '.join(absent)}: {_REMEDY}")
    check_rows(content, path)
    return content


def _is_summed_up(found: Mapping[str, Any]) -> bool:
    """Whether a row has samples and their summary, all finite."""
    samples = found.get("samples")
    if not isinstance(samples, list) or not samples:
        return False
    summary = [found.get(name) for name in ("median", "least", "most")]
    return all(isinstance(value, int | float) and math.isfinite(value) for value in [*samples, *summary])
