"""CPU kernels of `near_far`: they split a frontier by priority, and the far pile when no vertex is near.

`levels` holds, as float64, the threshold, the width of bands, the threshold before it, and the least waiting priority.
"""

import numpy as np

from minigr.jit.atomics import atomic_min
from minigr.jit.kernel import kernel
from minigr.jit.vertices import vertex_at
from minigr.program.control import Word
from minigr.program.loop import BEFORE, DRAWS, FAR_LENGTH, FAR_STEP, FAR_TOGGLE, LEAST, THRESHOLD
from minigr.program.output_cpu import STAGE, first_time, flush, put
from minigr.program.work_cpu import claims

_ITERATION = int(Word.ITERATION)
_PIECE = 512  # vertices claimed at a time; one vertex takes two loads, and a claim takes as long as many vertices


def make_near_far(priority, *, slot, length_word):
    """Kernels ``park`` (frontier to near output and far pile) and ``draw`` (far pile to near output and new pile)."""
    stage_size = STAGE // 2

    @kernel
    def deal(
        rank, size, control, fields, items, length, out, stages, piles, into, far_stamps, stamp, levels, low, waiting
    ):
        """Put items with priorities from `low` on near, or into far pile number `into`, each once for a stamp.

        `waiting`: the items are a far pile, which holds each vertex once. So no other thread stamps a vertex at the
        same time, and a store is used instead of an exchange.
        """
        iteration = np.int32(control[_ITERATION])
        far, far_word = piles[into], FAR_LENGTH + into * FAR_STEP
        high = levels[THRESHOLD]
        stage = stages[rank]
        near_stage, far_stage = stage[:stage_size], stage[stage_size:]
        near_count, far_count = 0, 0
        least = np.inf
        for first, last in claims(control, rank, size, length, _PIECE):
            for i in range(first, last):
                vertex = vertex_at(items, i)
                value = np.float64(priority(fields, vertex, iteration))
                if value < low or not value < np.inf:
                    continue  # done in an earlier band, or can't be reached
                if value < high:
                    near_count = put(control, size, near_stage, stage_size, near_count, vertex, out, length_word, slot)
                    continue
                least = min(least, value)  # also if the vertex waits already: its priority may have fallen
                if waiting:
                    far_stamps[vertex] = stamp
                elif not first_time(far_stamps, vertex, stamp, size):
                    continue
                far_count = put(control, size, far_stage, stage_size, far_count, vertex, far, far_word, slot)
        flush(control, size, near_stage, near_count, out, length_word, slot)
        flush(control, size, far_stage, far_count, far, far_word, slot)
        if least < np.inf:
            atomic_min(levels, LEAST, least)

    @kernel
    def park(rank, size, control, fields, items, length, out, stages, piles, far_stamps, levels):
        into, stamp = control[FAR_TOGGLE], np.int32(control[DRAWS])
        deal(
            rank, size, control, fields, items, length, out, stages, piles, into, far_stamps, stamp, levels, -np.inf,
            False,
        )  # fmt: skip

    @kernel
    def draw(rank, size, control, fields, out, stages, piles, far_stamps, levels):
        toggle = control[FAR_TOGGLE]
        items, length = piles[toggle], control[FAR_LENGTH + toggle * FAR_STEP]
        into, stamp, low = 1 - toggle, np.int32(control[DRAWS] + 1), levels[BEFORE]
        deal(rank, size, control, fields, items, length, out, stages, piles, into, far_stamps, stamp, levels, low, True)

    return park, draw
