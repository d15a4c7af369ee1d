"""CPU kernels of `near_far` with more than two bins: the split of a frontier by priority, and of a bin that is due.

`levels` is as in `near_far_cpu`. `ends` has the ends of the bands, beginning with the near band: ``ends[b]`` is the end
of the band of pile ``b + 1``. Vertices beyond the last end wait in the far pile, which is pile 0 or 1.
"""

import numpy as np

from minigr.jit.atomics import atomic_min
from minigr.jit.kernel import kernel
from minigr.jit.vertices import vertex_at
from minigr.program.control import WORDS_PER_COUNTER, Word
from minigr.program.loop import BEFORE, DRAWING, FAR_LENGTH, FAR_STEP, FAR_TOGGLE, LEAST, THRESHOLD
from minigr.program.output_cpu import STAGE, flush, put
from minigr.program.work_cpu import CHUNK, claims

_ITERATION = int(Word.ITERATION)


@kernel
def count_passed(ends, value):
    """The number of ends that are at most `value`."""
    low, high = 0, ends.size
    while low < high:
        middle = (low + high) // 2
        if ends[middle] <= value:
            low = middle + 1
        else:
            high = middle
    return low


def make_bins(priority, *, bins, slot, length_word, first_own):
    """Kernels ``park`` (frontier to near output and bins) and ``draw`` (one bin or the far pile to the same)."""
    part = STAGE // bins  # part of a thread's stage: for the near output, for the far pile, and for each bin

    @kernel
    def word_of(pile):
        return FAR_LENGTH + pile * FAR_STEP if pile < 2 else first_own + (pile - 2) * WORDS_PER_COUNTER

    @kernel
    def deal(rank, size, control, fields, items, length, out, stages, piles, far, drawn, waits, levels, ends, counts):
        """Put items near or into bins; `far` is the pile beyond the bins; `drawn` is the items' pile, or -1.

        Only one thread at a time handles a vertex, because neither a frontier nor a pile holds a vertex twice.
        """
        iteration = np.int32(control[_ITERATION])
        stage, count = stages[rank], counts[rank]
        near_stage, far_stage, near_count, far_count = stage[:part], stage[part : 2 * part], 0, 0
        for pile in range(2, bins):
            count[pile] = 0
        low, high, beyond = -np.inf, levels[THRESHOLD], ends[bins - 2]
        into, into_word = piles[far], word_of(far)
        taken = 0
        if drawn >= 0:
            low, taken = levels[BEFORE], 1 << drawn
        least = np.inf
        for first, last in claims(control, rank, size, length, CHUNK):
            for i in range(first, last):
                vertex = vertex_at(items, i)
                if taken != 0:
                    waits[vertex] = np.int32(waits[vertex] & ~taken)
                value = np.float64(priority(fields, vertex, iteration))
                if value < low or not value < np.inf:
                    continue  # done in an earlier band, or can't be reached
                if value < high:
                    near_count = put(control, size, near_stage, part, near_count, vertex, out, length_word, slot)
                    continue
                if value >= beyond:
                    least = min(least, value)  # also if the vertex waits already: its priority may have fallen
                    if waits[vertex] & (1 << far) == 0:
                        waits[vertex] = np.int32(waits[vertex] | 1 << far)
                        far_count = put(control, size, far_stage, part, far_count, vertex, into, into_word, slot)
                    continue
                pile = count_passed(ends, value) + 1
                if waits[vertex] & (1 << pile) == 0:
                    waits[vertex] = np.int32(waits[vertex] | 1 << pile)
                    staged = stage[pile * part : (pile + 1) * part]
                    count[pile] = put(
                        control, size, staged, part, count[pile], vertex, piles[pile], word_of(pile), slot
                    )
        flush(control, size, near_stage, near_count, out, length_word, slot)
        flush(control, size, far_stage, far_count, into, into_word, slot)
        for pile in range(2, bins):
            staged = stage[pile * part : (pile + 1) * part]
            flush(control, size, staged, count[pile], piles[pile], word_of(pile), slot)
        if least < np.inf:
            atomic_min(levels, LEAST, least)

    @kernel
    def park(rank, size, control, fields, items, length, out, stages, piles, waits, levels, ends, counts):
        far = control[FAR_TOGGLE]
        deal(rank, size, control, fields, items, length, out, stages, piles, far, -1, waits, levels, ends, counts)

    @kernel
    def draw(rank, size, control, fields, out, stages, piles, waits, levels, ends, counts):
        far, drawn = control[FAR_TOGGLE], control[DRAWING]
        if drawn == 1:
            drawn, far = far, 1 - far
        items, length = piles[drawn], control[word_of(drawn)]
        deal(rank, size, control, fields, items, length, out, stages, piles, far, drawn, waits, levels, ends, counts)

    return park, draw
