"""What a function reads of arrays, whatever path it takes: to have that brought near before the function is called."""

from __future__ import annotations

from types import FunctionType

from numba.core import ir
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.compiler import run_frontend


def elements_read(function: FunctionType, index: str) -> set[str]:
    """Names of the parameters of which `function` reads the element at its parameter `index` on every path.

    Reads in functions that it calls are not found, and neither are those by another name for the parameter or the
    index.

    Examples
    --------
    >>> def half(vertex, x, y):
    ...     return x[vertex] if x[vertex] > 0 else y[vertex]
    >>> elements_read(half, "vertex")
    {'x'}
    """
    blocks = run_frontend(function).blocks
    graph = compute_cfg_from_blocks(blocks)
    always = graph.post_dominators()[graph.entry_point()]
    assigned = [s for block in blocks.values() for s in block.body if isinstance(s, ir.Assign)]
    constant = {s.target.name for s in assigned if isinstance(s.value, ir.Arg)}
    constant -= {s.target.name for s in assigned if not isinstance(s.value, ir.Arg)}
    reads = [
        s.value
        for label in always
        for s in blocks[label].body
        if isinstance(s, ir.Assign) and isinstance(s.value, ir.Expr) and s.value.op == "getitem"
    ]
    return {read.value.name for read in reads if read.index.name == index} & constant if index in constant else set()
