"""Information for the compiler about vertices in kernels and functors: they exist.

A negative index counts from the end of an array. An access such as ``distance[dst]`` in a functor therefore takes four
more instructions, unless the compiler knows that `dst` can't be negative.
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
    """The vertex with the number `place`, as an int32, for kernels that count vertices. `place` must be at least 0."""
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
    """`vertex`, which the caller states to be at least 0 and less than the number of vertices.

    In debug mode, `limit` is a checked field with one element per vertex, and the function ends if the statement is
    false. Otherwise `limit` is the number of vertices, and nothing is checked.
    """
    if not 0 <= vertex < limit:
        raise IndexError(f"the vertex {vertex} is out of range: the graph has {limit} vertices")
    return vertex


@translates(within)
def _within(code: Elements, arguments: list[Any]) -> Value:
    limit, vertex = arguments
    if isinstance(vertex, Known) or not isinstance(vertex.type, Number) or not vertex.type.is_whole:
        raise Unknown(f"a vertex of type {vertex}")
    if isinstance(limit.type, Checked):
        code.check(limit, [code.word(vertex)])
    return Value(vertex.type, vertex.parts, vertex.known, True)
