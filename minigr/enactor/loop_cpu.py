"""What one CPU thread does at the end of a step, while the others wait at the barrier."""

from numba import njit

from minigr.enactor.control import Stop, Word

_INPUT_LENGTH, _TOGGLE, _WORK, _BUDGET = (int(w) for w in (Word.INPUT_LENGTH, Word.TOGGLE, Word.WORK, Word.BUDGET))
_STOP, _OVERFLOW, _PULL, _UNEXPLORED = (int(w) for w in (Word.STOP, Word.OVERFLOW, Word.PULL, Word.UNEXPLORED))
_NEXT_EDGES = int(Word.NEXT_EDGES)
_EMPTY, _BUDGET_USED, _OVERFLOWED = int(Stop.EMPTY), int(Stop.BUDGET), int(Stop.OVERFLOW)


@njit(nogil=True)
def choose_direction(control, length_word, vertices, alpha, beta):
    """Beamer's rule: pull while the frontier has many of the unexplored edges, then until it has few vertices."""
    control[_UNEXPLORED] -= control[_NEXT_EDGES]
    if control[_PULL] == 0:
        if control[_NEXT_EDGES] * alpha > max(control[_UNEXPLORED], 0):
            control[_PULL] = 1
    elif control[length_word] * beta < vertices:
        control[_PULL] = 0
    control[_WORK] = control[_NEXT_EDGES]
    control[_NEXT_EDGES] = 0


@njit(nogil=True)
def end_step(control, length_word, graph):
    """Make the last output the next input, and see whether to stop. `length_word` is -1 where nothing is put out."""
    vertices, arcs = graph[0].size - 1, graph[1].size
    if length_word >= 0:
        length = control[length_word]
        control[_INPUT_LENGTH] = length
        control[_TOGGLE] = 1 - control[_TOGGLE]
        control[_WORK] = length + length * arcs // max(vertices, 1)
    control[_BUDGET] -= 1
    if control[_OVERFLOW] != 0:
        control[_STOP] = _OVERFLOWED
    elif length_word >= 0 and control[_INPUT_LENGTH] == 0:
        control[_STOP] = _EMPTY
    elif control[_BUDGET] <= 0:
        control[_STOP] = _BUDGET_USED
