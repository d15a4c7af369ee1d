"""PTX instructions as statements of C."""

from __future__ import annotations

# These modules register emitters for their instructions in EMITTERS.
from tests.emulator.translation import accesses, comparisons, numbers, threads  # noqa: F401
from tests.emulator.translation.context import EMITTERS, Context, Instruction, Operands


def emit(instruction: Instruction, inside: Operands) -> str:
    """Return the statements for one instruction."""
    context = Context(instruction, inside)
    name = context.parts[0]
    if name not in EMITTERS:
        raise NotImplementedError(f"the opcode {instruction.opcode}")
    return EMITTERS[name](context)
