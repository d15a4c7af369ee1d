"""The CPU kernel of an advance whose vertices go straight into a near-far split, and on from there.

A thread that has no more of the frontier goes on with what it put near itself, in rounds, without waiting for others:
bucket fusion, as in Zhang, Brahmakshatriya, Chen, Dhulipala, Kamil, Amarasinghe, Shun, Optimizing Ordered Graph
Algorithms with GraphIt (CGO 2020). It stops where it has so much that others should share it. Hubs, whose edges all
threads share, go to the next step.
"""

import numpy as np

from minigr.jit.atomics import atomic_min
from minigr.jit.kernel import kernel
from minigr.jit.seq_cst import exchange, fetch_add
from minigr.program.absent_cpu import element, zero
from minigr.program.control import Word
from minigr.program.loop import DRAWS, FAR_LENGTH, FAR_STEP, FAR_TOGGLE, LEAST, ROUNDS, THRESHOLD
from minigr.program.output_cpu import STAGE, first_time, flush, put

_ITERATION, _EDGES = int(Word.ITERATION), int(Word.EDGES)
OWN = 1024  # vertices near that a thread keeps for itself; with more it puts all out for others


def make_relax(cond, target, priority, rows, tiles, *, hub, weight, reverse, slot, length_word):
    """The kernel for one functor; the arguments are those of `advance_cpu.make_push` and `near_far_cpu.make_near_far`.

    A vertex that was put near has this step's stamp, until a thread goes on with it. The thread takes the stamp off
    before it reads what the vertex has. A thread that lowers the vertex sets the stamp afterwards. So either the first
    thread sees what the other one stored, or the other one sees no stamp and puts the vertex near again.
    """
    weight_of = element if weight else zero
    parts_of, arcs, edge_id, degree = rows.parts, rows.arcs, rows.edge_id, rows.degree

    @kernel
    def relax(rank, size, control, graph, fields, items, length, out, stages, own_lists, stamps, hubs, shares, waiting):
        piles, far_stamps, levels = waiting
        parts = parts_of(graph)
        weights = parts[2]
        iteration, stamp = np.int32(control[_ITERATION]), np.int32(control[DRAWS])
        toggle, high = control[FAR_TOGGLE], levels[THRESHOLD]
        far, far_word = piles[toggle], FAR_LENGTH + toggle * FAR_STEP
        stage, own_list = stages[rank], own_lists[rank]
        near, own_items, one = own_list[:OWN], own_list[OWN : 2 * OWN], own_list[2 * OWN :]
        near_count, far_count, looked_at, least = 0, 0, 0, np.inf
        rounds, own, shares_hubs = control[ROUNDS], False, size > 1 and hubs.size > 0
        while True:
            of_hubs = shares and not own
            for seg, src, row, begin, end, shift in tiles(
                rank, size, control, parts, items, length, hubs, hubs, of_hubs, own
            ):
                if own:
                    exchange(stamps, src, 0)
                for place, dst in arcs(parts, begin, end):
                    looked_at += 1
                    if not target(fields, dst, iteration):
                        continue
                    value = weight_of(weights, np.uint64(place))
                    edge = edge_id(graph, place, dst, src) if reverse else place
                    if not cond(fields, src, dst, edge, value, place - row, place + shift, seg, iteration):
                        continue
                    at = np.float64(priority(fields, dst, iteration))
                    if at < high:
                        if exchange(stamps, dst, iteration) == iteration:
                            continue
                        if shares_hubs and degree(graph, dst) > hub:
                            one[0] = dst
                            flush(control, size, one, 1, out, length_word, slot)
                        else:
                            near_count = put(control, size, near, OWN, near_count, dst, out, length_word, slot)
                            if near_count == 0:
                                rounds = 0  # it is work for several threads, who get it in the next step
                    elif at < np.inf:
                        least = min(least, at)  # also of one that waits already: its priority fell
                        if first_time(far_stamps, dst, stamp, size):
                            far_count = put(control, size, stage, STAGE, far_count, dst, far, far_word, slot)
            if near_count == 0 or rounds == 0:
                break
            rounds -= 1
            for i in range(near_count):
                own_items[i] = near[i]
            items, length, own, near_count = own_items, near_count, True, 0
        flush(control, size, near, near_count, out, length_word, slot)
        flush(control, size, stage, far_count, far, far_word, slot)
        if least < np.inf:
            atomic_min(levels, LEAST, least)
        fetch_add(control, _EDGES, looked_at)

    return relax
