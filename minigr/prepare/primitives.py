"""The programs of the primitives: each with every dtype and reduction, and its flags with one of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from minigr.graphs.checks import WEIGHT_DTYPES
from minigr.jit.atomics import atomic_add
from minigr.jit.warps import warp_add, warp_all, warp_any, warp_elect, warp_max, warp_min, warp_or
from minigr.prepare.program import Program, of_primitive
from minigr.primitives import arguments, programs, reduction


def primitive_programs() -> Iterator[tuple[str, Program]]:
    """Every primitive with every dtype, reduction and flag."""

    def kernel(name: str, *options: Any) -> Program:
        return partial(of_primitive, getattr(programs, name)(*options))

    def larger(a, b):
        return max(a, b)

    def count_signs(i, x, counts):
        atomic_add(counts, 1 if x[i] > 0 else 0, 1)

    for name in (*WEIGHT_DTYPES, "bool"):
        x = arguments.as_fields({"x": np.zeros(1, name), "k": 2})
        yield f"transform {name}", kernel("transform", lambda i, x, k: x[i] * k, x, np.dtype(name))

    def by_warps(i, x, counts):
        if warp_elect(x[i] > 0) or (warp_any(x[i] > 1) and not warp_all(counts[0])):
            warp_or(counts, warp_min(counts, 0, i), warp_max(counts, 1, i))
        warp_add(x, counts[1], warp_add(counts, 1, 1))

    signs = arguments.as_fields({"x": np.zeros(1), "counts": np.zeros(2, np.int32)})
    yield "transform for effects", kernel("transform", count_signs, signs, None)
    for name in ("int64", "float32"):
        cells = arguments.as_fields({"x": np.zeros(1, name), "counts": np.zeros(2, np.int32)})
        yield f"transform by warps {name}", kernel("transform", by_warps, cells, None)
    checked = replace(programs.transform(count_signs, signs, None), debug=True)
    yield "transform in debug mode", partial(of_primitive, checked)

    reductions = [
        (d, op) for d in WEIGHT_DTYPES for op in ("add", "min", "max", "or", larger) if op != "or" or d[0] == "i"
    ]
    for name, op in reductions:
        label = f"{name} {op if isinstance(op, str) else 'function'}"
        x = arguments.as_fields({"x": np.zeros(1, name)})
        resolve = partial(reduction.resolve, element=None, fields=x, op=op, initial=0, dtype=name, out=None)
        scan = resolve("scan", lambda i, x: x[i], supplied=("i",))
        for inclusive, total in ((True, False), (False, True), (False, False))[: 3 if op == "add" else 1]:
            options = f"{'inclusive' if inclusive else 'exclusive'}{' with total' if total else ''}"
            yield f"scan {label} {options}", kernel("scan", x, scan, inclusive, total)
        segments = resolve("segreduce", lambda idx, seg, rank, x: x[idx] + rank * seg, supplied=("idx", "seg", "rank"))
        for offsets in ("int64", "int32")[: 2 if op == "add" else 1]:
            yield f"segreduce {label} {offsets} offsets", kernel("segreduce", x, segments, np.dtype(offsets))

    marks = arguments.as_fields({"counts": np.zeros(1, np.int64)})
    for offsets in ("int32", "int64"):
        stored = kernel("lbs", lambda seg, rank, idx: seg + rank + idx, {}, np.dtype(offsets), np.dtype(np.int64))
        yield f"lbs {offsets} offsets", stored
        effects = kernel("lbs", lambda seg, counts: _add(counts, seg), marks, np.dtype(offsets), None)
        yield f"lbs for effects {offsets} offsets", effects
    mask = arguments.as_fields({"mask": np.zeros(1, bool)})
    for name in ("int32", "int64"):
        yield f"compact {name} indices", kernel("compact", lambda i, mask: mask[i], mask, np.dtype(name))
    for name in WEIGHT_DTYPES:
        values = {**mask, **arguments.as_fields({"values": np.zeros(1, name)})}
        yield f"compact {name} values", kernel("compact", lambda i, mask: mask[i], values, np.dtype(name))


def _add(counts, seg):
    from_now_on = counts[seg]
    counts[seg] = from_now_on + 1
