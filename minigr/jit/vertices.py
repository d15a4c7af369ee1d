"""What kernels and functors tell a compiler about vertices: that they are there.

A negative index counts from the end of an array. Where a functor writes ``distance[dst]`` that takes four instructions
more for each access, unless it is known that `dst` can't be negative.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.jit.intrinsic import Intrinsic
from minigr.jit.native.calls import translates
from minigr.jit.native.code import Known, Value
from minigr.jit.native.elements import Elements
from minigr.jit.native.memory import word_at
from minigr.jit.native.types import INT32, Checked, Number, Unknown


@Intrinsic
def vertex_at(vertices: Any, position: Any) -> Any:
    """``vertices[position]``, an int32 of at least 0, from a list of vertices or the columns of a graph."""
    return vertices[position]


@translates(vertex_at)
def _vertex_at(code: Elements, arguments: list[Any]) -> Value:
    text = code.new(f"load i32, ptr {word_at(code, *arguments)}, !range !0")
    return Value(INT32, (text,), None, True)


@Intrinsic
def vertex_of(place: Any) -> Any:
    """The vertex of this number as an int32, where a kernel counts vertices; `place` is said to be at least 0."""
    return np.int32(place)


@translates(vertex_of)
def _vertex_of(code: Elements, arguments: list[Any]) -> Value:
    (place,) = arguments
    (text,) = code.cast(place, INT32).parts
    code.module.declare("declare void @llvm.assume(i1)")
    code.do(f"call void @llvm.assume(i1 {code.new(f'icmp sgt i32 {text}, -1')})")
    return Value(INT32, (text,), None, True)


@Intrinsic
def within(limit: Any, vertex: Any) -> Any:
    """`vertex`, which is said to be at least 0 and less than the number of vertices.

    In debug mode `limit` is a checked field of so many elements, and the function ends where that is not true.
    Otherwise it is that number, and nothing is looked at.
    """
    if not 0 <= vertex < limit:
        raise IndexError(f"the vertex {vertex} is not there: there are {limit}")
    return vertex


@translates(within)
def _within(code: Elements, arguments: list[Any]) -> Value:
    limit, vertex = arguments
    if isinstance(vertex, Known) or not isinstance(vertex.type, Number) or not vertex.type.is_whole:
        raise Unknown(f"a vertex of type {vertex}")
    if isinstance(limit.type, Checked):
        code.check(limit, [code.word(vertex)])
    return Value(vertex.type, vertex.parts, vertex.known, True)
