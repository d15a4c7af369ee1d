"""The phases of a CUDA program: the work of a team between two barriers, and the choice of the next phase.

The next phase is chosen when a phase ends, and is stored in the control block. So the same phases can run as a loop in
one kernel, or as a kernel for each phase. In the second case, only the kernel of the due phase does any work.
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
        Lines that all threads of the team run.
    when : str
        An expression of control words: the phase is skipped unless the expression holds. Empty: the phase always runs.
    again : bool
        Whether the phase runs again as long as `when` holds.
    first : bool
        Whether the phase is the first of its operator.
    fold : list of str
        Lines at the end of the phase. All threads run them: of every block in a persistent kernel, and of the last
        block in a wide kernel.
    complete : list of str
        Lines after `fold`. One thread of each of these blocks runs them, on the block's copy of the control block.
    end : list of str
        Lines that run in the same way when the operator is done: after this phase, if no later phase of the operator is
        due. The first phase of the operator stores them.
    """

    lines: list[str]
    when: str = ""
    again: bool = False
    first: bool = True
    fold: list[str] = field(default_factory=list)
    complete: list[str] = field(default_factory=list)
    end: list[str] = field(default_factory=list)


def steer(phases: list[Phase], number: int, end_of_step: list[str]) -> list[str]:
    """The lines that steer when phase `number` ends: its completion, and the choice of the next phase."""
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
    """The lines that run when the operator of phase `number` is done."""
    while not phases[number].first:
        number -= 1
    return phases[number].end
