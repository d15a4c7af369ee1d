"""The control block: the few numbers that steer a running loop, in one layout for both targets.

The control block is an int64 array. The host fills it before a run and reads it after the run; during the run, only
device code uses it. On the CPU, the last thread to arrive at a barrier updates it while all others wait. On the GPU,
each block has a copy and updates its own copy; see ``jit/grid.cuh``. Only counters that many workers add to need
atomics.
"""

from enum import Enum, IntEnum
from typing import Literal, get_args

Driver = Literal["auto", "fused", "graph", "host"]  # who runs a loop; see minigr.enactor.enactor
DRIVERS: tuple[str, ...] = get_args(Driver)
WORDS_PER_COUNTER = 16  # counters that many workers add to are 128 bytes apart, each in its own cache line
STEERING_WORDS = 2 * WORDS_PER_COUNTER


class Word(IntEnum):
    """Positions in the control block. The first `STEERING_WORDS` are written at barriers only."""

    ITERATION = 0  # number of the current step; the first is 1
    BUDGET = 1  # steps left before the host takes over again
    STOP = 2  # a value of Stop
    OVERFLOW = 3  # 1 + a slot whose buffer was too small, 0 if none (GPU: also `CudaText.late_slot`)
    WORK = 4  # estimated edges of the coming step; on the CPU, one thread does a step with few edges
    INPUT_LENGTH = 5  # items in the step's input frontier
    TOGGLE = 6  # which of the two step buffers is the input
    PULL = 7  # 1: advances with a choice pull
    UNEXPLORED = 8  # edges of vertices that were not reached yet, for the direction rule
    PULLS = 9  # number of pulls so far; its parity selects the bitmap of the next pull
    FAR_TOGGLE = 10  # which of the two far piles is current
    DRAWS = 11  # 1 + number of splits of the far pile: its stamp
    DRAWING = 12  # while waiting vertices are split again: 1 for the far pile, or the number of the bin; otherwise 0
    SOLO = 13  # one thread (CPU) or a small team (GPU) does a step with less WORK than this
    PACE = 14  # time for a unit of WORK in steps of one thread (CPU)
    MAIL = PACE  # with several grids: 1 if the step begins with the mail that grids sent in the last step
    LEAST_SOLO = 15  # lower limit of SOLO (CPU)
    WIDE = 16  # a step with at least this much WORK runs in a kernel for each phase (GPU)
    TIER = 17  # the team of the coming phase, a value of Tier (GPU)
    ROUNDS = TIER  # how often a thread may continue in a step with its own vertices, without a barrier (CPU)
    PHASE = 18  # the coming phase (GPU)
    LEAST_WORK = 19  # of a step with an empty frontier: the work of operators over everything or fixed lists
    WORK_PER_ITEM = 20  # estimated edges of an item of the frontier, plus 1 for the item itself
    EPOCH = 21  # number of phases done so far (GPU)
    ARRIVALS = 22  # number of arrivals of blocks at barriers so far (GPU)
    INPUT_BEGIN = 23  # where the step's input begins in the sequence of levels that are kept or read again
    LEVELS = 24  # the bits of four float64 that steer a near-far split (GPU)
    LEVELS_LEFT = 28  # kept levels still to visit, including the input
    MARKED = 29  # 1: the last pull left a bitmap of the step's input (CPU)
    STALE = MARKED  # with several grids: which copies of other grids' vertices are due for an update, see `AcrossText`
    CLOCK = 30  # end of the last shared step, or of the last steps that one thread did (CPU)
    TELLS = CLOCK  # 1: the kernel that the host waits for writes these words to the host when it ends (GPU)
    SHARES_HUBS = 31  # 1: the graph has vertices that threads share (CPU)
    # counters that workers add to
    CURSOR = 2 * WORDS_PER_COUNTER  # 1: threads have claimed work (CPU); hubs that a neighbor_reduce has put off (GPU)
    TAKEN = CURSOR  # with several grids: vertices that the step has taken from its mail
    SENT = CURSOR + 1  # with several grids: mail already sent to each other grid, if this phase adds to the mail
    EDGES = 3 * WORDS_PER_COUNTER  # edges looked at so far; on the GPU, counted only by kernels for one phase
    CHANGED = EDGES  # with several grids, which count no edges: not 0 if other grids must know of a change
    NEXT_EDGES = 4 * WORDS_PER_COUNTER  # sum of the degrees of the vertices put out
    FAR_LENGTH = 5 * WORDS_PER_COUNTER  # length of the far pile number 0; FAR_TOGGLE selects the current far pile
    FAR_LENGTH_NEXT = 6 * WORDS_PER_COUNTER
    HUBS = 7 * WORDS_PER_COUNTER  # slices of hubs that were put off
    LENGTHS = 8 * WORDS_PER_COUNTER  # first of the slots' lengths; `line_up` uses the word after each (CPU)


class Tier(IntEnum):
    """The team that does a phase on the GPU, from the least work to the most. Kernels have a tier too."""

    FEW = 0  # a persistent kernel with few threads
    WHOLE = 1  # a persistent kernel with as many threads as fit
    WIDE = 2  # a kernel for only this phase


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
    BUDGET = 3  # in a loop that is launched again: the budget of steps is used up, and the loop can continue
    OVERFLOW = 4
    INDEX = 5
    LOST = 6

    __str__ = __repr__ = Enum.__str__

    def __format__(self, specification: str) -> str:
        return format(str(self), specification)


class Sync(IntEnum):
    """Positions in the words that the blocks of a GPU use for barriers. These words stand before the control block."""

    ARRIVED = 0  # number of blocks that arrived at barriers so far
    DONE = WORDS_PER_COUNTER  # number of blocks that are done, of a kernel for one phase
    FLAGS = 2 * WORDS_PER_COUNTER  # with several grids: for each grid, the arrivals that all its blocks have reached


SYNC_WORDS = len(Sync) * WORDS_PER_COUNTER
MOST_GRIDS = WORDS_PER_COUNTER  # the maximum number of grids that run at the same time


class News(IntEnum):
    """Positions of the words without a counter in a set of news, which a GPU's workers add to in a phase.

    A counter's position in the news is its position in the control block divided by `WORDS_PER_COUNTER`.
    """

    OVERFLOW = 0  # for Word.OVERFLOW
    LEAST = 1  # the bits of a float64: the least priority that waits in a far pile


NEWS_SETS = 3  # sets that take turns; they stand behind the control block


def news_words(counters: int) -> int:
    """The number of words of a set of news, for a control block with `counters` counters from `Word.LENGTHS` on."""
    return words(counters) // WORDS_PER_COUNTER


def news_stride(counters: int, grids: int) -> int:
    """The distance between two sets of news. With several grids, the news end with a word for each grid."""
    size = news_words(counters) + (grids if grids > 1 else 0)
    return -(-size // WORDS_PER_COUNTER) * WORDS_PER_COUNTER


def words(counters: int) -> int:
    """The length of the control block of a program with `counters` counters from `Word.LENGTHS` on."""
    return Word.LENGTHS + counters * WORDS_PER_COUNTER


def length_word(slot: int) -> int:
    """Position of the length of output slot `slot`. More counters may follow the lengths of all slots."""
    return Word.LENGTHS + slot * WORDS_PER_COUNTER
