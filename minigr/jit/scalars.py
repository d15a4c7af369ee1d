"""Checks that a functor only reads a scalar field. They run before compilation, so that the message is clear."""

from __future__ import annotations

from typing import Any

from minigr.errors import FunctorError
from minigr.jit.functor import Bound

_SUBSCRIPTS = ("getitem", "static_getitem")


def refuse_writes(bound: Bound) -> None:
    """Raise `FunctorError` if a function assigns to a scalar field, indexes it, or passes it to an atomic."""
    if not bound.scalars:
        return
    from minigr.jit.private import ir, run_frontend

    statements = [s for block in run_frontend(bound.function).blocks.values() for s in block.body]
    values = {s.target.name: s.value for s in statements if isinstance(s, ir.Assign)}
    for statement in statements:
        name = _used_as_array(statement, values, ir)
        if name in bound.scalars:
            raise FunctorError(
                f"{bound.label}: line {statement.loc.line} assigns to the scalar field {name!r}, or uses it as an "
                f"array, but {name} is only the field's value. To change the field, return a number from apply, "
                f"apply_count or apply_reduce, and name the field: into={name!r}, or scalar={name!r} in "
                f"neighbor_reduce. For a number that many places write, declare {name} = mg.array_field(dtype), make "
                f"the Problem with {name}=[0], and use mg.atomic_add({name}, 0, x)"
            )


def _used_as_array(statement: Any, values: dict[str, Any], ir: Any) -> str:
    """The name of the variable that a statement assigns to, indexes or passes to an atomic; empty if there is none."""
    if isinstance(statement, (ir.SetItem, ir.StaticSetItem)):
        return str(statement.target.name)
    if not isinstance(statement, ir.Assign) or isinstance(statement.value, ir.Arg):
        return ""
    value = statement.value
    if isinstance(value, ir.Expr) and value.op in _SUBSCRIPTS:
        return str(value.value.name)
    if isinstance(value, ir.Expr) and value.op == "call" and value.args and is_atomic(values.get(value.func.name)):
        return str(value.args[0].name)
    return str(statement.target.unversioned_name)


def is_atomic(called: Any) -> bool:
    """Whether the called function is an atomic, such as ``mg.atomic_add`` or ``atomic_add``."""
    name = getattr(called, "attr", None) or getattr(getattr(called, "value", None), "__name__", "")
    return str(name).startswith("atomic_")
