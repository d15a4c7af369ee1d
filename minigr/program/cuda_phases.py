"""The phases of a CUDA program: what a team does between two barriers, and which phase comes next.

Which phase comes next is decided when one ends and stands in the control block. So the same phases run as a loop inside
one kernel, and as a kernel for each phase, of which only the one that is due does anything.
"""

from __future__ import annotations

from dataclasses import dataclass, field

_INDENT = "  "


@dataclass
class Phase:
    """Lines of code between two barriers.

    Attributes
    ----------
    lines : list of str
        Run by all threads of the team.
    when : str
        The phase is passed over unless this expression of control words holds; empty: it always runs.
    again : bool
        It runs again as long as `when` holds.
    first : bool
        It is the first of its operator.
    fold : list of str
        Run at its end by all threads of every block of a persistent kernel, or of the last block of a wide one.
    complete : list of str
        Run after that by one thread of each of these blocks, on the block's copy of the control block.
    end : list of str
        Run in the same way when the operator is done: after this phase if no later one of the operator is due. Kept
        with the operator's first phase.
    """

    lines: list[str]
    when: str = ""
    again: bool = False
    first: bool = True
    fold: list[str] = field(default_factory=list)
    complete: list[str] = field(default_factory=list)
    end: list[str] = field(default_factory=list)


def steer(phases: list[Phase], number: int, end_of_step: list[str]) -> list[str]:
    """The lines that steer when phase `number` ends: its completion, then the choice of the next phase."""
    lines, closing = list(phases[number].complete), 0
    operator_end = _end_of_operator(phases, number)
    for later in range(number if phases[number].again else number + 1, len(phases)):
        phase = phases[later]
        if later != number and phase.first:
            lines += operator_end
        operator_end = _end_of_operator(phases, later)
        if not phase.when:
            return [*lines, f"control[WORD_PHASE] = {later};", *["}"] * closing]
        lines += [f"if ({phase.when}) {{", f"{_INDENT}control[WORD_PHASE] = {later};", "} else {"]
        closing += 1
    return [*lines, *operator_end, *end_of_step, "control[WORD_PHASE] = 0;", *["}"] * closing]


def _end_of_operator(phases: list[Phase], number: int) -> list[str]:
    """What is run when the operator that phase `number` belongs to is done."""
    while not phases[number].first:
        number -= 1
    return phases[number].end
