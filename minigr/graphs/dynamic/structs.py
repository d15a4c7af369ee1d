"""The structs that the host and the kernels of slabs share. The CUDA C++ of the structs is generated from here."""

from __future__ import annotations

from collections.abc import Mapping

#: The fields of the struct that a launch over a batch gets: names and C types. Each field has eight bytes.
UPDATE = {
    "src": "const i32 *",
    "dst": "const i32 *",
    "pairs": "i64",
    "options": "i64",
    "limit": "i64",
    "states": "u8 *",
    "slots": "i64 *",
    "last": "i32 *",
    "first": "i32 *",
    "cells": "i64",
    "weights": "const void *",
    "held": "void *",
    "found": "bool *",
    "bits": "u32 *",
    "only": "const bool *",
    "vertices": "i64",
    "slabs": "i64",
    "heads": "const int2 *",
    "degrees": "i32 *",
    "pool": "i32 *",
    "pool_weights": "void *",
    "marks": "const u8 *",
    "free": "i32 *",
    "free_count": "i64",
    "capacity": "i64",
    "number": "i64",
    "words": "i64 *",
    "host": "i64 *",
}
#: What to do with a vertex: `buckets` is the number of its new buckets, or 0 if it keeps its old ones. `run` names the
#: first slab of the new run, counted from the first slab that was never used. A negative `run` is one slab, counted
#: from the end of the free slabs. `old_base` and `old_buckets` are the run that is replaced.
PLAN = {"run": "i32", "buckets": "i32", "old_base": "i32", "old_buckets": "i32"}
# Which keys a launch moves.
EVERYTHING, BEFORE_MARK, SINCE_MARK = range(3)


def cuda_structs() -> str:
    """The structs above as CUDA C++."""
    parts = f"enum Part {{ EVERYTHING = {EVERYTHING}, BEFORE_MARK = {BEFORE_MARK}, SINCE_MARK = {SINCE_MARK} }};"
    lines = (parts, _struct("UpdateFields", UPDATE), _struct("Plan", PLAN))
    return "\n".join(["namespace minigr {", "namespace dynamic {", *lines, "}", "}", ""])


def _struct(name: str, fields: Mapping[str, str]) -> str:
    return f"struct {name} {{ {' '.join(f'{kind} {field};' for field, kind in fields.items())} }};"
