"""The control block: the few numbers that steer a running loop, one layout for both targets.

An int64 array that the host fills before a run and reads after it; in between only device code touches it. On the CPU
the last thread to arrive at a barrier updates it while all others wait. On the GPU each block has a copy, which it
updates for itself; see ``jit/grid.cuh``. Only the counters that many workers add to need atomics.
"""

from enum import Enum, IntEnum
from typing import Literal, get_args

Driver = Literal["auto", "fused", "graph", "host"]  # who runs a loop; see minigr.enactor.enactor
DRIVERS: tuple[str, ...] = get_args(Driver)
WORDS_PER_COUNTER = 16  # counters that many workers add to stand 128 bytes apart, a cache line each
STEERING_WORDS = 2 * WORDS_PER_COUNTER


class Word(IntEnum):
    """Positions in the control block. The first `STEERING_WORDS` are written at barriers only."""

    ITERATION = 0  # the step that runs; the first is 1
    BUDGET = 1  # steps left before control goes back to the host
    STOP = 2  # a value of Stop
    OVERFLOW = 3  # 1 + the slot whose buffer was too small, 0 if none (GPU: one of them, or `CudaText.late_slot`)
    WORK = 4  # estimated edges of the coming step; few are left to one thread on the CPU
    INPUT_LENGTH = 5  # items in the step's input frontier
    TOGGLE = 6  # which of the two step buffers is the input
    PULL = 7  # 1: advances that may choose pull
    UNEXPLORED = 8  # edges of vertices not reached yet, for the direction rule
    PULLS = 9  # how many pulls so far: its parity says which bitmap is the next one's
    FAR_TOGGLE = 10  # which of the two far piles is current
    DRAWS = 11  # 1 + how often the far pile was split: its stamp
    DRAWING = 12  # while vertices that wait are split again: 1 for the far pile, or the number of the bin; otherwise 0
    SOLO = 13  # steps with less WORK than this are one thread's (CPU) or a small team's (GPU)
    PACE = 14  # time that a unit of WORK takes in steps of one thread (CPU)
    MAIL = PACE  # where several grids run: 1 if the step begins with what grids sent each other in the last one
    LEAST_SOLO = 15  # SOLO falls no lower (CPU)
    WIDE = 16  # steps with at least this much WORK are done by a kernel for each phase (GPU)
    TIER = 17  # who does the coming phase, a value of Tier (GPU)
    ROUNDS = TIER  # how often a thread may go on in a step with its own vertices, without a barrier (CPU)
    PHASE = 18  # the coming phase (GPU)
    LEAST_WORK = 19  # of a step with an empty frontier: that of its operators over everything
    WORK_PER_ITEM = 20  # estimated edges of an item of the frontier, and the item itself
    EPOCH = 21  # phases done so far (GPU)
    ARRIVALS = 22  # of blocks at barriers so far (GPU)
    INPUT_BEGIN = 23  # where the step's input begins in the order of levels that are kept, or gone through again
    LEVELS = 24  # four float64 that steer a near-far split, by their bits (GPU)
    LEVELS_LEFT = 28  # kept levels still to go through, with the one that is the input
    MARKED = 29  # 1: the last pull left a bitmap of the step's input (CPU)
    STALE = MARKED  # where several grids run: what copies of others' vertices are due, see `AcrossText`
    CLOCK = 30  # when the last step ended that was shared, or the last of those that one thread did (CPU)
    TELLS = CLOCK  # 1: the kernel that the host waits for hands these words to the host when it ends (GPU)
    SHARES_HUBS = 31  # 1: the graph has vertices that threads share (CPU)
    # counters that workers add to
    CURSOR = 2 * WORDS_PER_COUNTER  # 1: threads have claimed work (CPU); hubs put off by a neighbor_reduce (GPU)
    TAKEN = CURSOR  # where several grids run: vertices that the step has taken from its mail
    SENT = CURSOR + 1  # there, of each other grid: the mail that it was sent before, if this phase adds to the mail
    EDGES = 3 * WORDS_PER_COUNTER  # edges looked at so far; on the GPU counted by kernels for a phase only
    CHANGED = EDGES  # where several grids run, which count no edges: not 0 if one changed what others have to know
    NEXT_EDGES = 4 * WORDS_PER_COUNTER  # sum of the degrees of the vertices put out
    FAR_LENGTH = 5 * WORDS_PER_COUNTER  # far pile, by toggle: this and the next
    FAR_LENGTH_NEXT = 6 * WORDS_PER_COUNTER
    HUBS = 7 * WORDS_PER_COUNTER  # slices of deferred hubs
    LENGTHS = 8 * WORDS_PER_COUNTER  # first of the slots' lengths; the word after each is `line_up`'s (CPU)


class Tier(IntEnum):
    """Who does a phase on the GPU, from the least work to the most. Kernels have it, too."""

    FEW = 0  # a persistent kernel of few threads
    WHOLE = 1  # a persistent kernel of as many threads as fit
    WIDE = 2  # a kernel for this phase alone


class Stop(IntEnum):
    """Why a loop ended.

    Attributes
    ----------
    RUNNING
        The loop has not ended.
    EMPTY
        The frontier is empty.
    UNTIL
        The functor's ``until`` held.
    BUDGET
        The loop has run `max_iterations` steps.
    OVERFLOW
        A frontier was too large for its buffer; `run` raised `CapacityError`.
    INDEX
        In debug mode, on a GPU: an index was out of range; `run` raised `FieldIndexError`.
    LOST
        Over a graph in parts, on GPUs: a part did not answer in time. `run` raised `PartError`, and `stopped` is None.

    Examples
    --------
    >>> print(Stop.EMPTY)
    Stop.EMPTY
    """

    RUNNING = 0
    EMPTY = 1
    UNTIL = 2
    BUDGET = 3  # in a loop that is stopped in between: the budget of steps is used up, and the loop can go on
    OVERFLOW = 4
    INDEX = 5
    LOST = 6

    __str__ = __repr__ = Enum.__str__

    def __format__(self, specification: str) -> str:
        return format(str(self), specification)


class Sync(IntEnum):
    """Positions in the words that a GPU's blocks meet at, which stand before the control block."""

    ARRIVED = 0  # blocks, at barriers so far
    DONE = WORDS_PER_COUNTER  # blocks of a kernel for one phase
    FLAGS = 2 * WORDS_PER_COUNTER  # where several grids run: of each grid, arrivals that all its blocks have come to


SYNC_WORDS = len(Sync) * WORDS_PER_COUNTER
MOST_GRIDS = WORDS_PER_COUNTER  # that run at the same time


class News(IntEnum):
    """Positions in a set of what a GPU's workers add to the control block in a phase, where it has no counters.

    Otherwise a counter stands at its position in the control block divided by `WORDS_PER_COUNTER`.
    """

    OVERFLOW = 0  # for Word.OVERFLOW
    LEAST = 1  # the bits of a float64: the least priority that waits in a far pile


NEWS_SETS = 3  # that take turns; they stand behind the control block


def news_words(counters: int) -> int:
    """Words of a set of news, for a control block with so many counters from `Word.LENGTHS` on."""
    return words(counters) // WORDS_PER_COUNTER


def news_stride(counters: int, grids: int) -> int:
    """From one set of news to the next, where so many grids run: each has a word for each other one behind the news."""
    size = news_words(counters) + (grids if grids > 1 else 0)
    return -(-size // WORDS_PER_COUNTER) * WORDS_PER_COUNTER


def words(counters: int) -> int:
    """Length of the control block of a program with so many counters from `Word.LENGTHS` on."""
    return Word.LENGTHS + counters * WORDS_PER_COUNTER


def length_word(slot: int) -> int:
    """Position of the length of output slot `slot`; more counters may follow those of all slots."""
    return Word.LENGTHS + slot * WORDS_PER_COUNTER
