"""The steering of a loop, compiled for the CPU."""

import numpy as np

from minigr.jit.clock import ticks
from minigr.jit.kernel import kernel
from minigr.jit.vertices import vertex_at
from minigr.program import loop
from minigr.program.control import Word

_SOLO, _LEAST_SOLO, _PACE, _CLOCK = int(Word.SOLO), int(Word.LEAST_SOLO), int(Word.PACE), int(Word.CLOCK)
_WORK, _INPUT_LENGTH, _SHARES_HUBS = int(Word.WORK), int(Word.INPUT_LENGTH), int(Word.SHARES_HUBS)
_MOST_SOLO = 1 << 16
_EDGES, _PER_ITEM = int(Word.EDGES), int(Word.WORK_PER_ITEM)
# Further positions in `levels`: edges that all earlier steps have looked at, edges before this band, least width.
_EDGES_BEFORE, _EDGES_AT_DRAW, _LEAST_WIDTH = 4, 5, 6
_WIDER, _NARROWER = 1, 8  # edges of a band per waiting vertex: with fewer, bands get wider; with more, narrower
_WIDTH, _FAR, _TOGGLE, _FAR_STEP = loop.WIDTH, loop.FAR_LENGTH, loop.FAR_TOGGLE, loop.FAR_STEP
_PARTS = 1024  # PACE counts in parts of a tick
_MOST_WORK = 1 << 36  # larger amounts of work count as this amount
_REMEMBERED = 4096  # amount of earlier work that has the same weight as the latest work

choose_direction = kernel(loop.choose_direction)
begin_draw = kernel(loop.begin_draw)
turn_piles = kernel(loop.turn_piles)
begin_bin = kernel(loop.begin_bin)
empty_bin = kernel(loop.empty_bin)
keep_level = kernel(loop.keep_level)
next_level = kernel(loop.next_level)
end_step = kernel(loop.end_step)


@kernel
def weigh_rounds(control, levels, length_word):
    """Find how many edges an item of the frontier led to, after a step in which threads may have gone on by themselves.

    At the end of a band, if steps aren't counted, also set the width of the next band. A draw looks at all waiting
    vertices, even if only few of them come near, so the draw should not take longer than the band.
    """
    edges, length = control[_EDGES], control[_INPUT_LENGTH]
    if length > 0:
        control[_PER_ITEM] = (control[_PER_ITEM] + (edges - np.int64(levels[_EDGES_BEFORE])) // length) // 2
    levels[_EDGES_BEFORE] = edges
    if control[length_word] == 0 and control[loop.ROUNDS] > 0:
        in_band, waiting = edges - np.int64(levels[_EDGES_AT_DRAW]), control[_FAR + control[_TOGGLE] * _FAR_STEP]
        levels[_EDGES_AT_DRAW] = edges
        if in_band < _WIDER * waiting:
            levels[_WIDTH] *= 2.0
        elif in_band > _NARROWER * waiting:
            levels[_WIDTH] = max(levels[_WIDTH] / 2.0, levels[_LEAST_WIDTH])


def make_weigh_few(rows, length_word=_INPUT_LENGTH):
    """Make a kernel that weighs short frontiers; `rows` are the rows of out-edges."""
    degree = rows.degree

    @kernel
    def weigh_few(control, graph, items):
        """Count the edges of a frontier that is too short to be shared. With a hub in it, the frontier is shared."""
        if control[_SHARES_HUBS] != 0 and control[_WORK] < control[_SOLO]:
            edges = 0
            for i in range(control[length_word]):
                edges += degree(graph, vertex_at(items, i))
            control[_WORK] = max(control[_WORK], edges)

    return weigh_few


@kernel
def start_clock(control):
    """Start the clock of the first step of a launch. The time since the last launch must not count."""
    control[_CLOCK] = ticks()


@kernel
def set_pace(control, work):
    """After steps that one thread did while others waited: update the time that a unit of their work takes."""
    now = ticks()
    pace = (now - control[_CLOCK]) * _PARTS // max(work, 1)
    control[_CLOCK] = now
    remembered = _REMEMBERED if control[_PACE] > 0 else 0
    control[_PACE] += (pace - control[_PACE]) * work // max(work + remembered, 1)


@kernel
def set_solo(control, work):
    """After a step that was shared: update the least amount of work for which a step is shared.

    A barrier costs almost nothing if each thread has a core of its own, and more than the step if a thread must wait
    for a core. So the time of the step is compared with the time that one thread would have taken, at the pace of the
    last steps that one thread did alone. If sharing was faster, the bound falls a little; if it was slower, the bound
    rises by more. If it was much slower, a thread had no core: after one or two more such steps, steps with as much
    work are no longer shared.
    """
    now = ticks()
    elapsed, alone = (now - control[_CLOCK]) * _PARTS, min(work, _MOST_WORK) * control[_PACE]
    control[_CLOCK] = now
    solo = control[_SOLO]
    if alone == 0:
        return
    if elapsed > 4 * alone:
        control[_SOLO] = min(max(2 * solo, (solo + work) // 2), _MOST_SOLO)
    elif elapsed > alone:
        control[_SOLO] = min(solo + solo // 8, _MOST_SOLO)
    else:
        control[_SOLO] = max(solo - solo // 64, control[_LEAST_SOLO])
