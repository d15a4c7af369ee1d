"""Instructions that decide which threads run, and instructions at which threads wait for each other."""

from __future__ import annotations

import re

from tests.emulator.translation.context import Context, emits


@emits("bra")
def _bra(c: Context) -> str:
    label, is_before = c.inside.label(c.operands[0])
    return f"TURN({c.line}); goto {label};" if is_before else f"goto {label};"


@emits("ret", "exit")
def _ret(c: Context) -> str:
    return "leave(self);" if c.parts[0] == "exit" else "return;"


@emits("trap")
def _trap(c: Context) -> str:
    return f'fail(self, {c.line}, "trap");'


@emits("nanosleep")
def _nanosleep(c: Context) -> str:
    return f"preempt(self, {c.line});"


@emits("call")
def _call(c: Context) -> str:
    match = re.fullmatch(r"\s*(?:\(([^)]*)\)\s*,)?\s*([\w$]+)\s*(?:,\s*\(([^)]*)\))?\s*", c.i.rest, re.DOTALL)
    if match is None:
        raise NotImplementedError("a call of this kind")
    names = [name.strip() for group in (match[1], match[3]) for name in (group or "").split(",") if name.strip()]
    places = [c.inside.symbol(name) for name in names]
    if match[2] == "cudaGraphSetConditional":
        return f"set_conditional(*(u64 *)({places[0]}), *(u32 *)({places[1]}));"
    return f"{c.inside.function(match[2])}(self{''.join(f', (u8 *)({place})' for place in places)});"


def _meet(c: Context, kind: str, mask: str, a: str = "0", b: str = "0", more: str = "0") -> str:
    return f"warp_meet(self, {kind}, {c.value(mask, 'u32')}, {a}, {b}, {more}, {c.line})"


@emits("bar", "barrier")
def _bar(c: Context) -> str:
    if "warp" in c.parts:
        return _meet(c, "WARP_BAR", c.operands[0]) + ";"
    if "red" in c.parts:
        kind = "BAR_" + next(part for part in c.parts if part in ("popc", "and", "or")).upper()
        target, number, *rest = c.operands
        threads = c.value(rest[0], "u32") if len(rest) == 2 else "0"
        meet = f"block_meet(self, {kind}, {c.value(number, 'u32')}, {threads}, {c.value(rest[-1], 'pred')}, {c.line})"
        return c.put(target, meet, "u32" if kind == "BAR_POPC" else "pred")
    if "sync" not in c.parts:
        raise NotImplementedError("a barrier of this kind")
    number, *rest = c.operands
    threads = c.value(rest[0], "u32") if rest else "0"
    return f"block_meet(self, BAR_SYNC, {c.value(number, 'u32')}, {threads}, 0, {c.line});"


@emits("shfl")
def _shfl(c: Context) -> str:
    target, a, b, more, mask = c.operands
    kind = "SHFL_" + next(part for part in c.parts if part in ("up", "down", "bfly", "idx")).upper()
    value = _meet(c, kind, mask, c.value(a, "u32"), c.value(b, "u32"), c.value(more, "u32"))
    target, _, passed = target.partition("|")
    return c.put(target, value, "u32") + (" " + c.put(passed, "self->passed", "pred") if passed else "")


@emits("vote")
def _vote(c: Context) -> str:
    target, p, mask = c.operands
    kind = next(part for part in c.parts if part in ("all", "any", "uni", "ballot"))
    return c.put(
        target, _meet(c, f"VOTE_{kind.upper()}", mask, c.value(p, "pred")), "u32" if kind == "ballot" else "pred"
    )


@emits("match")
def _match(c: Context) -> str:
    target, a, mask = c.operands
    kind = "MATCH_ANY" if "any" in c.parts else "MATCH_ALL"
    target, _, passed = target.partition("|")
    put = c.put(target, _meet(c, kind, mask, c.value(a, c.type)), "u32")
    return put + (" " + c.put(passed, "self->passed", "pred") if passed else "")


@emits("redux")
def _redux(c: Context) -> str:
    target, a, mask = c.operands
    name = next(part for part in c.parts if part in ("add", "min", "max", "and", "or", "xor"))
    sign = f"_{c.type[0].upper()}" if name in ("min", "max") else ""
    return c.put(target, _meet(c, f"REDUX_{name.upper()}{sign}", mask, c.value(a, "u32")), c.type)


@emits("activemask")
def _activemask(c: Context) -> str:
    return c.put(c.operands[0], f"active_mask(self, {c.line})", "u32")
