"""How the threads of a team put items into an output, on a CPU.

Items gather in the thread's own stage and move to the shared buffer in blocks, so that threads meet at the shared
length once in `STAGE` items.
"""

from minigr.jit.atomics import atomic_exch
from minigr.jit.kernel import inlined, kernel
from minigr.jit.seq_cst import fetch_add
from minigr.program.control import Word

STAGE = 1024  # items of a thread's stage

_OVERFLOW = int(Word.OVERFLOW)


@inlined
def put(control, size, stage, room, count, item, output, length_word, slot):
    """Stage an item after `count` others, and flush a stage of `room` items that is full; how many are staged then."""
    stage[count] = item
    count += 1
    if count == room:
        flush(control, size, stage, count, output, length_word, slot)
        count = 0
    return count


@kernel
def flush(control, size, stage, count, output, length_word, slot):
    """Move `count` staged items to the end of `output`; too small a buffer is noted, and nothing is written."""
    if count == 0:
        return
    if size == 1:
        first = control[length_word]
        control[length_word] = first + count
    else:
        first = fetch_add(control, length_word, count)
    if first + count > output.size:
        control[_OVERFLOW] = slot + 1
        return
    for i in range(count):
        output[first + i] = stage[i]


@kernel
def first_time(stamps, vertex, stamp, size):
    """True for one caller for each vertex and stamp: exact de-duplication."""
    if stamps[vertex] == stamp:
        return False
    if size == 1:
        stamps[vertex] = stamp
        return True
    return atomic_exch(stamps, vertex, stamp) != stamp
