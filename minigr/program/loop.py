"""The steering of a loop: the work that one thread does at a barrier while other threads wait.

On a CPU, this is one thread of the team; on a GPU, one thread of each block. The functions are plain Python and are
compiled for both targets: by Numba on the CPU, and to LTO-IR on the GPU. `control` is the control block, and `levels`
has the thresholds of a near-far split. ``WORD`` constants are positions in the control block.
"""

import math

from minigr.program.control import WORDS_PER_COUNTER, Stop, Word

INPUT_LENGTH, TOGGLE, WORK, BUDGET = int(Word.INPUT_LENGTH), int(Word.TOGGLE), int(Word.WORK), int(Word.BUDGET)
STOP, OVERFLOW, PULL, UNEXPLORED = int(Word.STOP), int(Word.OVERFLOW), int(Word.PULL), int(Word.UNEXPLORED)
NEXT_EDGES, PULLS, ITERATION = int(Word.NEXT_EDGES), int(Word.PULLS), int(Word.ITERATION)
FAR_LENGTH, FAR_TOGGLE = int(Word.FAR_LENGTH), int(Word.FAR_TOGGLE)
FAR_STEP = int(Word.FAR_LENGTH_NEXT) - FAR_LENGTH
DRAWS, DRAWING = int(Word.DRAWS), int(Word.DRAWING)
SOLO, WIDE, TIER = int(Word.SOLO), int(Word.WIDE), int(Word.TIER)
ROUNDS = int(Word.ROUNDS)
LEAST_WORK, WORK_PER_ITEM = int(Word.LEAST_WORK), int(Word.WORK_PER_ITEM)
INPUT_BEGIN, LEVELS_LEFT = int(Word.INPUT_BEGIN), int(Word.LEVELS_LEFT)
RUNNING, EMPTY, BUDGET_USED, OVERFLOWED = int(Stop.RUNNING), int(Stop.EMPTY), int(Stop.BUDGET), int(Stop.OVERFLOW)
INFINITY = math.inf
THRESHOLD, WIDTH, BEFORE, LEAST = range(4)  # positions in `levels`


def choose_direction(control, length_word, vertices, alpha, beta, gamma, explores):
    """Pull while the frontier has many of the unexplored edges, and then until it has few vertices.

    Beamer, Asanovic, Patterson, Direction-Optimizing Breadth-First Search (SC 2012), section 5. One condition is not in
    the paper. A pull looks at every vertex, so it does not begin if a push has less than 1/gamma as many edges to look
    at. At the end of a search, almost no edges are unexplored, and the paper's rule would pull for a few vertices.

    `explores` is 0 if a vertex may be put out again: then all edges stay unexplored.
    """
    control[PULLS] += control[PULL]
    control[UNEXPLORED] -= control[NEXT_EDGES] * explores
    if control[PULL] == 0:
        edges = control[NEXT_EDGES]
        if edges * alpha > max(control[UNEXPLORED], 0) and edges * gamma > vertices:
            control[PULL] = 1
    elif control[length_word] * beta < vertices:
        control[PULL] = 0
    control[NEXT_EDGES] = 0


def begin_draw(control, levels, length_word, falling):
    """If no vertex is near and some are far, open the next band, which starts at the least waiting priority.

    If priorities are `falling` while their vertices wait, the known least priority holds only until the next step.
    After a step, the next band follows at the end of the last band, and the draw finds the least priority again.

    The decision to draw is stored in the control block, because other threads may already have changed the lengths when
    a thread reads them.
    """
    waiting = control[FAR_LENGTH + control[FAR_TOGGLE] * FAR_STEP]
    drawing = control[length_word] == 0 and waiting > 0 and control[OVERFLOW] == 0
    control[DRAWING] = 1 if drawing else 0
    if drawing:
        control[WORK] = waiting
        start = max(levels[THRESHOLD], levels[LEAST])
        if levels[THRESHOLD] == -INFINITY:  # vertices waited from the start: the first band ends at the width
            start = 0.0
        raised = start + levels[WIDTH]
        if not raised > start:  # the width was lost to rounding: use the narrowest band that still moves on
            raised = start + abs(start) * 4.0e-16
        levels[BEFORE] = levels[THRESHOLD]
        levels[THRESHOLD] = raised
        levels[LEAST] = INFINITY
    elif falling:
        levels[LEAST] = levels[THRESHOLD]


def turn_piles(control):
    """Make the pile that the split has filled the current pile."""
    toggle = control[FAR_TOGGLE]
    control[FAR_LENGTH + toggle * FAR_STEP] = 0
    control[FAR_TOGGLE] = 1 - toggle
    control[DRAWS] += 1


def begin_bin(control, levels, ends, length_word, bin_words, bins):
    """If no vertex is near and some wait, open the next bin that holds a vertex, or the next band of the far pile.

    Bins 2, 3 and so on hold the bands of priority that follow the near band; `ends` has the ends of the bands, from the
    near band on. Vertices beyond these bands wait in the far pile. When all bins are empty, `begin_draw` splits the far
    pile, and the bins follow the band that it opens. The ends are stored, because an end that was computed twice might
    be rounded in two ways, and a vertex between the two values would be lost.
    """
    control[DRAWING] = 0
    if control[length_word] != 0 or control[OVERFLOW] != 0:
        return
    for number in range(2, bins):
        waiting = control[bin_words + (number - 2) * WORDS_PER_COUNTER]
        if waiting > 0:
            control[DRAWING] = number
            control[WORK] = waiting
            levels[BEFORE] = levels[THRESHOLD]
            levels[THRESHOLD] = ends[number - 1]
            return
    begin_draw(control, levels, length_word, 0)
    if control[DRAWING] != 0:
        for band in range(bins - 1):
            ends[band] = levels[THRESHOLD] + band * levels[WIDTH]


def empty_bin(control, bin_words):
    """Note that the bin that was split is empty. If it was the far pile, turn the piles."""
    if control[DRAWING] == 1:
        turn_piles(control)
    else:
        control[bin_words + (control[DRAWING] - 2) * WORDS_PER_COUNTER] = 0


def keep_level(control, starts):
    """If levels are kept one after the other, make the next level begin where the step's input ends."""
    if control[ITERATION] == 1:
        starts[0] = 0
    control[INPUT_BEGIN] += control[INPUT_LENGTH]
    starts[control[ITERATION]] = control[INPUT_BEGIN]


def next_level(control, starts, levels, reverse):
    """If kept levels are read again, make the next level the step's input. After the last level, the input is empty."""
    left = control[LEVELS_LEFT] - 1
    control[LEVELS_LEFT] = left
    level = left - 1 if reverse else levels - left
    control[INPUT_LENGTH] = 0
    if left > 0:
        control[INPUT_BEGIN] = starts[level]
        control[INPUT_LENGTH] = starts[level + 1] - starts[level]
    control[WORK] = max(control[INPUT_LENGTH] * control[WORK_PER_ITEM], control[LEAST_WORK])


def end_step(control, length_word, vertices):
    """Make the last output the next input, and decide whether to stop. `length_word` is -1 if there is no output."""
    if length_word >= 0:
        length = control[length_word]
        control[INPUT_LENGTH] = length
        control[TOGGLE] = 1 - control[TOGGLE]
        control[WORK] = max(length * control[WORK_PER_ITEM], control[LEAST_WORK], control[PULL] * vertices)
    control[BUDGET] -= 1
    if control[OVERFLOW] != 0:
        control[STOP] = OVERFLOWED
    elif control[INPUT_LENGTH] == 0:
        control[STOP] = EMPTY
    elif control[BUDGET] <= 0:
        control[STOP] = BUDGET_USED


def choose_tier(control, deferred):
    """Choose the team of the next phase (GPU). The only work may be the `deferred` edges of hubs."""
    work = max(control[WORK], deferred)
    control[TIER] = 0 if work < control[SOLO] else 1 if work < control[WIDE] else 2
