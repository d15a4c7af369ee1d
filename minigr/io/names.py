"""Names of vertices, and edges between them, in the form in which a text file stores them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from minigr.errors import FormatError, GraphError
from minigr.graphs.convert import edge_arrays
from minigr.io.attributes import refuse_long

if TYPE_CHECKING:
    from minigr.graphs import Graph
    from minigr.labels import Labels

_CHUNK = 1 << 16


def names_of(graph: Graph, labels: Labels | None, path: Path) -> list[str]:
    """The label of each vertex as text, or its number without labels.

    Raises
    ------
    GraphError
        If the numbers of labels and vertices differ.
    FormatError
        If two labels are the same text, or if a label is too long to be read again.
    """
    if labels is None:
        return list(map(str, range(graph.num_vertices)))
    if len(labels) != graph.num_vertices:
        raise GraphError(f"there are {len(labels)} labels, but {graph.num_vertices} vertices: give each vertex one")
    names = list(map(str, labels))
    if len(set(names)) < len(names):
        twice = next(name for name, count in Counter(names).items() if count > 1)
        raise FormatError(path, f"two labels are {twice!r} as text: give vertices different names")
    refuse_long(names, path, "there is a label")
    return names


def edges_of(graph: Graph, infinite: str) -> Iterator[Iterator[tuple[int, int, str]]]:
    """Each edge once, in chunks: the ends, and the weight as text that reads back exactly; empty without weights.

    `infinite`: the text for infinity; a sign before it is replaced.
    """
    src, dst, weights = edge_arrays(graph)
    for begin in range(0, len(src), _CHUNK):
        part = slice(begin, begin + _CHUNK)
        texts: Any = [""] * len(src[part])
        if weights is not None:
            texts = [_text(weight, infinite) for weight in weights[part].tolist()]
        yield zip(src[part].tolist(), dst[part].tolist(), texts, strict=True)


def _text(weight: float, infinite: str) -> str:
    return repr(weight) if np.isfinite(weight) else infinite if weight > 0 else f"-{infinite.lstrip('+')}"
