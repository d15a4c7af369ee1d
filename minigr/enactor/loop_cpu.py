"""The steering of a loop, compiled for the CPU."""

from minigr.enactor import loop
from minigr.enactor.control import Word
from minigr.jit.kernel import kernel
from minigr.jit.ordered import load
from minigr.jit.spmd import LONG_WAITS
from minigr.jit.vertices import vertex_at

_SOLO, _WAITS, _LEAST_SOLO = int(Word.SOLO), int(Word.WAITS), int(Word.LEAST_SOLO)
_WORK, _INPUT_LENGTH = int(Word.WORK), int(Word.INPUT_LENGTH)
_MOST_SOLO = 1 << 16

choose_direction = kernel(loop.choose_direction)
begin_draw = kernel(loop.begin_draw)
turn_piles = kernel(loop.turn_piles)
end_step = kernel(loop.end_step)


def make_weigh_few(rows):
    """A kernel that weighs short frontiers; `rows` are those of out-edges."""
    degree = rows.degree

    @kernel
    def weigh_few(control, graph, items):
        """Count the edges of a frontier that is too short to be shared: with a hub in it, it is not."""
        if control[_WORK] < control[_SOLO]:
            edges = 0
            for i in range(control[_INPUT_LENGTH]):
                edges += degree(graph, vertex_at(items, i))
            control[_WORK] = max(control[_WORK], edges)

    return weigh_few


@kernel
def set_solo(control, sync):
    """Set how much work a step must have to be shared.

    Where a thread waits long at a barrier, the others don't all have a core of their own, and sharing a small step
    costs more than it saves: the bound doubles. It comes down slowly while nobody waits.
    """
    waits = load(sync, LONG_WAITS)
    if waits > control[_WAITS]:
        control[_SOLO] = min(control[_SOLO] * 2, _MOST_SOLO)
    else:
        control[_SOLO] = max(control[_SOLO] - control[_SOLO] // 64, control[_LEAST_SOLO])
    control[_WAITS] = waits
