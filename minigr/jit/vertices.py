"""What CPU kernels tell the compiler about what they read.

A negative index counts from the end of an array. Where a functor writes ``distance[dst]`` that takes four instructions
more for each access, unless it is known that `dst` can't be negative.
"""

from minigr.jit.native.code import Value
from minigr.jit.native.memory import primitive, word_at
from minigr.jit.native.types import INT32


@primitive
def vertex_at(code, vertices, position):
    """``vertices[position]``, an int32 of at least 0, from a list of vertices or the columns of a graph."""
    text = code.new(f"load i32, ptr {word_at(code, vertices, position)}, !range !0")
    return Value(INT32, (text,), None, True)
