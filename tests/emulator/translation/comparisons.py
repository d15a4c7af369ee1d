"""Instructions that compare, choose and convert numbers."""

from __future__ import annotations

from tests.emulator.translation.context import Context, emits

_COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_COMPARE |= {"lo": "<", "ls": "<=", "hi": ">", "hs": ">="}


@emits("setp", "set")
def _setp(c: Context) -> str:
    name = c.parts[1]
    target, a, b, *third = c.operands
    x, y = c.value(a, c.type), c.value(b, c.type)
    if c.type[0] == "f" and name in ("num", "nan"):
        text = f"({x} == {x} && {y} == {y})" if name == "num" else f"({x} != {x} || {y} != {y})"
    elif c.type[0] == "f" and name.endswith("u"):
        text = f"({x} != {x} || {y} != {y} || {x} {_COMPARE[name[:-1]]} {y})"
    elif c.type[0] == "f" and name == "ne":  # for NaN, `ne` of PTX is false and `!=` of C is true
        text = f"({x} < {y} || {x} > {y})"
    else:
        text = f"({x} {_COMPARE[name]} {y})"
    joined = ""
    if third:
        sign = {"and": "&", "or": "|", "xor": "^"}[c.parts[2]]
        joined = f" {sign} {c.value(third[0], 'pred')}"
    if c.parts[0] == "set":
        kind = c.types[0]
        yes = "1.0f" if kind == "f32" else "~0u"
        return c.put(target, f"({text}{joined}) ? {yes} : 0", kind)
    if "|" in target:
        yes, no = target.split("|")
        return f"u8 is = {text}; {c.put(yes, f'is{joined}', 'pred')} {c.put(no, f'(!is){joined}', 'pred')}"
    return c.put(target, f"{text}{joined}", "pred")


@emits("selp")
def _selp(c: Context) -> str:
    target, a, b, p = c.operands
    return c.put(target, f"{c.value(p, 'pred')} ? {c.value(a, c.type)} : {c.value(b, c.type)}", c.type)


_TO_WHOLE = {"rzi": "trunc", "rni": "rint", "rmi": "floor", "rpi": "ceil"}
_TO_NARROW = {"rz": "f32_zero", "rm": "f32_down", "rp": "f32_up"}


@emits("cvt")
def _cvt(c: Context) -> str:
    target, a = c.operands
    to, of = c.types
    x = c.value(a, of)
    if "sat" in c.parts:
        raise NotImplementedError("saturation")
    if of[0] == "f":
        x = _rounded(c, x, _TO_WHOLE)
        if to[0] != "f":
            x = f"to_{to}({x})"
        elif (to, of) == ("f32", "f64"):
            x = _rounded(c, x, _TO_NARROW)
    elif to[0] == "f" and "rn" not in c.parts:
        raise NotImplementedError("a mode of rounding")
    return c.put(target, x, to)


def _rounded(c: Context, x: str, modes: dict[str, str]) -> str:
    """Apply the function for the mode of the instruction, if the instruction has a mode of `modes`."""
    return next((f"{function}({x})" for mode, function in modes.items() if mode in c.parts), x)
