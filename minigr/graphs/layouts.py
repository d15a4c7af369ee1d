"""The layouts that graphs may have, and the kernels that walk each of them on a CPU.

On a GPU a layout is a view: `minigr.program.cuda_views`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from minigr.jit.capture import digest

KERNELS: dict[str, Callable[[], Any]] = {
    "csr": cache(lambda: import_module("minigr.graphs.adjacency_cpu")),
    "slabs": cache(lambda: import_module("minigr.graphs.dynamic.adjacency_cpu")),
}
"""The modules with the kernels of each `layout` of a graph, imported at first use. All modules use the names of
`minigr.graphs.adjacency_cpu`."""


def kernels_of(layout: str) -> Any:
    """The kernels of a layout. Those of minigr are imported at first use."""
    return KERNELS[layout]()


def digest_of(layout: str, rows: Any) -> str:
    """A digest of kernels outside of minigr, whose sources are in no program's key; "" for the kernels of minigr."""
    functions = [each for each in rows if callable(each)]
    return "" if _is_own(layout) else " ".join(map(digest, functions))


def _is_own(layout: str) -> bool:
    return bool(KERNELS[layout].__module__ == __name__)
