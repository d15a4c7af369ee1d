"""How the threads of a team write items to an output, on a CPU.

A thread gathers items in its own stage, and moves them to the shared buffer in blocks. So threads access the shared
length only once for each `STAGE` items.
"""

from minigr.jit.atomics import atomic_exch
from minigr.jit.kernel import inlined, kernel
from minigr.jit.seq_cst import fetch_add
from minigr.program.control import Word

STAGE = 1024  # items of a thread's stage

_OVERFLOW = int(Word.OVERFLOW)


@inlined
def put(control, size, stage, room, count, item, output, length_word, slot):
    """Stage an item after `count` others, and flush the stage if it has `room` items.

    Return the new number of items.
    """
    stage[count] = item
    count += 1
    if count == room:
        flush(control, size, stage, count, output, length_word, slot)
        count = 0
    return count


@kernel
def flush(control, size, stage, count, output, length_word, slot):
    """Move `count` staged items to the end of `output`. If the buffer is too small, note that and write nothing."""
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
