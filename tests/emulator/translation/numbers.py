"""Instructions that move numbers and compute with them."""

from __future__ import annotations

from tests.emulator.translation.context import Context, emits

_SIMPLE = {"and": "{a} & {b}", "or": "{a} | {b}", "xor": "{a} ^ {b}", "sub": "{a} - {b}", "add": "{a} + {b}"}


@emits(*_SIMPLE)
def _simple(c: Context) -> str:
    if "sat" in c.parts:
        raise NotImplementedError("saturation")
    if "cc" in c.parts:
        return _with_carry(c)
    return c.binary(_SIMPLE[c.parts[0]])


@emits("addc", "subc", "madc")
def _with_carry(c: Context) -> str:
    """Emit an instruction that sets (``.cc``) or adds the carry of the thread."""
    target, a, b, *plus = c.operands
    kind, name = f"u{c.bits}", c.parts[0]
    x, y, sign = c.value(a, kind), c.value(b, kind), "-" if name.startswith("sub") else "+"
    if plus:
        shift = c.bits if "hi" in c.parts else 0
        x, y = f"({kind})((u{2 * c.bits}){x} * {y} >> {shift})", c.value(plus[0], kind)
    carried = f" {sign} carry" if name.endswith("c") else ""
    sets = f" carry = whole >> {c.bits} & 1;" if "cc" in c.parts else ""
    return f"u{2 * c.bits} whole = (u{2 * c.bits}){x} {sign} {y}{carried}; {c.put(target, 'whole', kind)}{sets}"


@emits("mov", "cvta")
def _mov(c: Context) -> str:
    target, source = c.operands
    if c.parts[0] == "cvta" and "shared" in c.parts:
        base = "- (u64)self->shared" if "to" in c.parts else "+ (u64)self->shared"
        return c.put(target, f"{c.value(source, c.type)} {base}", c.type)
    if target.startswith("{"):
        pieces = [piece.strip() for piece in target[1:-1].split(",")]
        each = c.bits // len(pieces)
        puts = [c.put(p, f"whole >> {i * each}", f"u{each}") for i, p in enumerate(pieces) if p != "_"]
        return f"u{c.bits} whole = {c.value(source, c.type)}; " + " ".join(puts)
    if source.startswith("{"):
        pieces = [piece.strip() for piece in source[1:-1].split(",")]
        each = c.bits // len(pieces)
        parts = [f"(u{c.bits}){c.value(piece, f'u{each}')} << {i * each}" for i, piece in enumerate(pieces)]
        return c.put(target, " | ".join(parts), c.type)
    return c.put(target, c.value(source, c.type), c.type)


@emits("mul", "mad")
def _mul(c: Context) -> str:
    if "cc" in c.parts:
        return _with_carry(c)
    target, a, b, *plus = c.operands
    kind, wide = c.type, c.type
    x, y = c.value(a, kind), c.value(b, kind)
    if kind[0] == "f":
        if plus:
            raise NotImplementedError("mad of floats")
        return c.put(target, f"{x} * {y}", kind)
    double = f"{kind[0]}{2 * c.bits}"
    product = f"({double}){x} * ({double}){y}"
    if "wide" in c.parts:
        wide = double
    elif "hi" in c.parts:
        product = f"({kind})(({product}) >> {c.bits})"
    else:
        product = f"{x} * {y}"
    return c.put(target, product + (f" + {c.value(plus[0], wide)}" if plus else ""), wide)


@emits("div", "rem")
def _div(c: Context) -> str:
    target, a, b = c.operands
    x, y = c.value(a, c.type), c.value(b, c.type)
    if c.type[0] == "f":
        return c.put(target, f"{x} / {y}", c.type)
    is_div = c.parts[0] == "div"
    by_zero = "~0ull" if is_div else x  # undefined in PTX; this is the result of GPUs
    special = f"{y} == 0 ? ({c.type}){by_zero} : "
    if c.type[0] == "s":
        special += f"{y} == -1 ? ({c.type}){'0 - (u64)' + x if is_div else '0'} : "
    return c.put(target, f"{special}{x} {'/' if is_div else '%'} {y}", c.type)


@emits("neg", "not", "abs", "sqrt", "rcp", "rsqrt", "popc", "clz", "brev", "bfind", "ex2", "lg2", "sin", "cos")
def _unary(c: Context) -> str:
    target, a = c.operands
    x, bits = c.value(a, c.type), 0 if c.type == "pred" else c.bits
    f = "f" if c.type == "f32" else ""
    name, result = c.parts[0], c.type
    if name == "neg":
        text = f"-{x}" if c.type[0] == "f" else f"0 - {x}"
    elif name == "not":
        text = f"!{x}" if c.type == "pred" else f"~{x}"
    elif name == "abs":
        text = f"__builtin_fabs{f}({x})" if c.type[0] == "f" else f"{x} < 0 ? 0 - {x} : {x}"
    elif name in ("sqrt", "ex2", "lg2", "sin", "cos"):
        text = f"{ {'ex2': 'exp2', 'lg2': 'log2'}.get(name, name) }{f}({x})"
    elif name in ("rcp", "rsqrt"):
        text = f"1 / {x}" if name == "rcp" else f"1 / sqrt{f}({x})"
    elif name == "brev":
        text = f"brev{bits}({x})"
    elif name == "bfind":
        result = "u32"
        negative = f"{x} < 0 ? ~(u{bits}){x} : (u{bits}){x}" if c.type[0] == "s" else x
        text = f"bfind_u({negative})"
        if "shiftamt" in c.parts:
            return f"u32 found = {text}; " + c.put(target, f"found == ~0u ? found : {bits - 1} - found", result)
    else:
        result = "u32"
        text = f"__builtin_popcountll({x})" if name == "popc" else f"clz{bits}({x})"
    return c.put(target, text, result)


@emits("min", "max")
def _extreme(c: Context) -> str:
    name = c.parts[0]
    if c.type[0] == "f":
        return c.binary(f"{name}_{c.type}({{a}}, {{b}})")
    sign = "<" if name == "min" else ">"
    return c.binary(f"{{a}} {sign} {{b}} ? {{a}} : {{b}}")


@emits("fma")
def _fma(c: Context) -> str:
    target, *three = c.operands
    f = "f" if c.type == "f32" else ""
    return c.put(target, f"fma{f}({', '.join(c.value(x, c.type) for x in three)})", c.type)


@emits("copysign")
def _copysign(c: Context) -> str:
    return c.binary(f"__builtin_copysign{'f' if c.type == 'f32' else ''}({{b}}, {{a}})")


@emits("shl", "shr")
def _shift(c: Context) -> str:
    target, a, n = c.operands
    helper = "shl_" if c.parts[0] == "shl" else "shr_s" if c.type[0] == "s" else "shr_u"
    return c.put(target, f"{helper}({c.value(a, c.type)}, {c.value(n, 'u32')}, {c.bits})", c.type)


@emits("shf")
def _funnel(c: Context) -> str:
    target, a, b, n = c.operands
    count = c.value(n, "u32")
    count = f"({count} > 32 ? 32 : {count})" if "clamp" in c.parts else f"({count} & 31)"
    return c.put(
        target, f"shf_{'l' if 'l' in c.parts else 'r'}({c.value(a, 'u32')}, {c.value(b, 'u32')}, {count})", "u32"
    )


@emits("bfe")
def _bfe(c: Context) -> str:
    target, a, position, length = c.operands
    sign, wide = "s" if c.type[0] == "s" else "u", f"u{c.bits}"
    return c.put(
        target,
        f"bfe_{sign}({c.value(a, wide)}, {c.value(position, 'u32')}, {c.value(length, 'u32')}, {c.bits})",
        c.type,
    )


@emits("bfi")
def _bfi(c: Context) -> str:
    target, a, b, position, length = c.operands
    numbers = [c.value(a, c.type), c.value(b, c.type), c.value(position, "u32"), c.value(length, "u32")]
    return c.put(target, f"bfi_({', '.join(numbers)}, {c.bits})", c.type)


@emits("prmt")
def _prmt(c: Context) -> str:
    if len(c.parts) > 2:
        raise NotImplementedError("modes of prmt")
    target, *three = c.operands
    return c.put(target, f"prmt_({', '.join(c.value(x, 'u32') for x in three)})", "u32")


@emits("lop3")
def _lop3(c: Context) -> str:
    target, *four = c.operands
    return c.put(target, f"lop3_({', '.join(c.value(x, 'u32') for x in four)})", "u32")
