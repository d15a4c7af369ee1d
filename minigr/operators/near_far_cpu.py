"""CPU kernels of `near_far`: the split of a frontier by priority, and of the far pile once the near one is empty.

`levels` holds, as float64, the threshold, the band width, the threshold before it, and the least priority parked.
"""

import numpy as np
from numba import njit

from minigr.enactor.control import Word
from minigr.jit.atomics import atomic_min
from minigr.operators import common_cpu as common
from minigr.operators.common_cpu import claim, first_time, flush, piece_end

THRESHOLD, WIDTH, BEFORE, LEAST = range(4)
LEVELS = 4
_ITERATION, _FAR_LENGTH, _FAR_TOGGLE = int(Word.ITERATION), int(Word.FAR_LENGTH), int(Word.FAR_TOGGLE)
_FAR_STEP = int(Word.FAR_LENGTH_NEXT) - _FAR_LENGTH
_DRAWS, _DRAWING = int(Word.DRAWS), int(Word.DRAWING)


@njit(nogil=True)
def begin_draw(control, levels, length_word):
    """Where nothing is near and something far, open the next band, which starts at the least priority parked.

    Whether to draw is kept in the control block: a thread that looked at the lengths would see another already fill them.
    """
    waiting = control[_FAR_LENGTH + control[_FAR_TOGGLE] * _FAR_STEP]
    control[_DRAWING] = 1 if control[length_word] == 0 and waiting > 0 else 0
    if control[_DRAWING] != 0:
        levels[BEFORE] = levels[THRESHOLD]
        start = max(levels[THRESHOLD], levels[LEAST])
        levels[THRESHOLD] = max(start + levels[WIDTH], np.nextafter(start, np.inf))  # a width lost to rounding moves on
        levels[LEAST] = np.inf


@njit(nogil=True)
def turn_piles(control):
    """Make the pile that the split filled the current one."""
    toggle = control[_FAR_TOGGLE]
    control[_FAR_LENGTH + toggle * _FAR_STEP] = 0
    control[_FAR_TOGGLE] = 1 - toggle
    control[_DRAWS] += 1


def make_near_far(priority, *, slot, length_word):
    """Kernels ``park`` (frontier to near output and far pile) and ``draw`` (far pile to near output and new far pile)."""
    stage_size = common.STAGE // 2

    @njit(nogil=True, error_model="numpy")
    def deal(rank, size, control, fields, items, length, out, stages, far, far_stamps, stamp, levels, far_word, low):
        iteration = np.int32(control[_ITERATION])
        high = levels[THRESHOLD]
        near_stage, far_stage = stages[rank, :stage_size], stages[rank, stage_size:]
        near_count, far_count = 0, 0
        least = np.inf
        while True:
            first = claim(control, size, length, common.VERTEX_CHUNK)
            if first >= length:
                break
            for i in range(first, piece_end(first, size, length, common.VERTEX_CHUNK)):
                vertex = items[i]
                value = np.float64(priority(fields, vertex, iteration))
                if value < low or not value < np.inf:
                    continue  # settled in an earlier band, or never to be reached
                if value < high:
                    near_stage[near_count] = vertex
                    near_count += 1
                    if near_count == stage_size:
                        flush(control, size, near_stage, near_count, out, length_word, slot)
                        near_count = 0
                elif first_time(far_stamps, vertex, stamp, size):
                    least = min(least, value)
                    far_stage[far_count] = vertex
                    far_count += 1
                    if far_count == stage_size:
                        flush(control, size, far_stage, far_count, far, far_word, slot)
                        far_count = 0
        flush(control, size, near_stage, near_count, out, length_word, slot)
        flush(control, size, far_stage, far_count, far, far_word, slot)
        if least < np.inf:
            atomic_min(levels, LEAST, least)

    @njit(nogil=True)
    def park(rank, size, control, fields, items, length, out, stages, piles, far_stamps, levels):
        toggle = control[_FAR_TOGGLE]
        word, stamp = _FAR_LENGTH + toggle * _FAR_STEP, np.int32(control[_DRAWS])
        deal(rank, size, control, fields, items, length, out, stages, piles[toggle], far_stamps, stamp, levels, word, -np.inf)

    @njit(nogil=True)
    def draw(rank, size, control, fields, out, stages, piles, far_stamps, levels):
        toggle = control[_FAR_TOGGLE]
        items, length = piles[toggle], control[_FAR_LENGTH + toggle * _FAR_STEP]
        word, stamp = _FAR_LENGTH + (1 - toggle) * _FAR_STEP, np.int32(control[_DRAWS] + 1)
        other = piles[1 - toggle]
        deal(rank, size, control, fields, items, length, out, stages, other, far_stamps, stamp, levels, word, levels[BEFORE])

    return park, draw
