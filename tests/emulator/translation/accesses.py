"""Instructions that access memory."""

from __future__ import annotations

from tests.emulator.translation.context import SPACES, Context, c_type, emits

_UNCHECKED = ("param", "local", "const")


def _place(c: Context, operand: str, kind: str, writes: bool) -> str:
    """Return a pointer to the memory that an operand names."""
    return _checked(c, c_type(kind), operand, int(kind[1:]) // 8, writes)


def _checked(c: Context, kind: str, operand: str, size: int, writes: bool) -> str:
    """Return a pointer to `size` bytes, which the runtime checks unless the memory is constant or the thread's own."""
    space = next((part for part in c.parts if part in SPACES), "")
    macro = "SHARED" if space == "shared" else "OWN" if space in _UNCHECKED else "GLOBAL"
    return f"{macro}({kind}, {c.address(operand)}, {size}, {int(writes)}, {c.line})"


def _vector(c: Context) -> int:
    """Return how many elements an access moves."""
    return next((int(part[1:]) for part in c.parts if part in ("v2", "v4", "v8")), 1)


def _turn(c: Context) -> str:
    """Return a point where another thread may run, if other threads may write the accessed memory."""
    return "" if {*_UNCHECKED, "nc"} & {*c.parts} else f"ACCESS({c.line}); "


@emits("ld", "ldu")
def _ld(c: Context) -> str:
    target, source = c.operands
    count = _vector(c)
    place = _place(c, source, c.type, False)
    if count == 1:
        return _turn(c) + c.put(target, f"*{place}", c.type)
    pieces = [piece.strip() for piece in target[1:-1].split(",")]
    check = _vector_check(c, source, c.bits // 8 * count, False)
    kind = c_type(c.type)
    text = f"{kind} *from = {place}; {check}{kind} whole[{count}]; memcpy(whole, from, sizeof whole); "
    return _turn(c) + text + " ".join(c.put(p, f"whole[{i}]", c.type) for i, p in enumerate(pieces))


@emits("st")
def _st(c: Context) -> str:
    target, source = c.operands
    count = _vector(c)
    place = _place(c, target, c.type, True)
    if count == 1:
        return _turn(c) + f"*{place} = {c.value(source, c.type)};"
    pieces = [piece.strip() for piece in source[1:-1].split(",")]
    check = _vector_check(c, target, c.bits // 8 * count, True)
    stores = " ".join(f"into[{i}] = {c.value(p, c.type)};" for i, p in enumerate(pieces))
    return _turn(c) + f"{c_type(c.type)} *into = {place}; {check}{stores}"


def _vector_check(c: Context, operand: str, size: int, writes: bool) -> str:
    """Return a statement that checks a whole vector."""
    return f"(void){_checked(c, 'u8', operand, size, writes)}; "


@emits("prefetch", "prefetchu", "membar", "fence", "discard", "applypriority")
def _nothing(c: Context) -> str:
    return ";"  # nothing is needed, because fibers of one thread see each store at once


_ATOMICS = {
    "add": "old + x", "and": "old & x", "or": "old | x", "xor": "old ^ x", "exch": "x",
    "inc": "old >= x ? 0 : old + 1", "dec": "old == 0 || old > x ? x : old - 1",
    "min": "old < x ? old : x", "max": "old > x ? old : x",
}  # fmt: skip


@emits("atom", "red")
def _atom(c: Context) -> str:
    if _vector(c) != 1:
        raise NotImplementedError("an atomic of a vector")
    operands = c.operands if c.parts[0] == "atom" else ["_", *c.operands]
    target, place, x, *more = operands
    kind = c_type(c.type)
    text = f"{kind} *place = {_place(c, place, c.type, True)}; {kind} old = *place, x = {c.value(x, c.type)}; "
    if "cas" in c.parts:
        text += f"if (old == x) *place = {c.value(more[0], c.type)}; "
    else:
        (operation,) = [part for part in c.parts if part in _ATOMICS]
        if c.type[0] == "f" and operation in ("min", "max"):
            raise NotImplementedError("an extreme of floats")
        text += f"*place = {_ATOMICS[operation]}; "
    return f"ACCESS({c.line}); " + text + c.put(target, "old", c.type)
