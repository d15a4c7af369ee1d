"""The CPU kernel of an advance whose vertices go straight into a near-far split, and continue from there.

A thread that is done with its part of the frontier continues with the vertices that it has put near, in rounds, without
a wait for other threads: bucket fusion, as in Zhang, Brahmakshatriya, Chen, Dhulipala, Kamil, Amarasinghe, Shun,
Optimizing Ordered Graph Algorithms with GraphIt (CGO 2020). A thread stops when it has so many vertices that other
threads should share them. If half of the threads wait, it also stops when it has enough vertices to share. Hubs, whose
edges all threads share, go to the next step.
"""

import numpy as np

from minigr.jit.atomics import atomic_min
from minigr.jit.kernel import kernel
from minigr.jit.prefetch import prefetch_to_write
from minigr.jit.seq_cst import exchange, fetch_add
from minigr.jit.spmd import half_wait
from minigr.jit.vertices import vertex_at
from minigr.program.absent_cpu import element, zero
from minigr.program.control import Word
from minigr.program.loop import DRAWS, FAR_LENGTH, FAR_STEP, FAR_TOGGLE, LEAST, ROUNDS, THRESHOLD
from minigr.program.output_cpu import STAGE, first_time, flush, put
from minigr.program.work_cpu import CHUNK

_ITERATION, _EDGES = int(Word.ITERATION), int(Word.EDGES)
OWN = 1024  # near vertices that a thread keeps for itself; with more, it puts out all of them for other threads
_LOWERED = 32  # lowered vertices that a thread puts out together
OWN_ITEMS = 2 * OWN + 1 + _LOWERED  # size of a thread's own list


def make_relax(cond, target, priority, rows, tiles, *, hub, weight, reverse, slot, length_word):
    """The kernel for one functor; the arguments are those of `advance_cpu.make_push` and `near_far_cpu.make_near_far`.

    A vertex that was put near has the stamp of this step until a thread continues with it. The thread removes the stamp
    before it reads the vertex's elements. A thread that lowers the vertex sets the stamp after the store. So either the
    first thread sees the stored element, or the other thread sees no stamp and puts the vertex near again.

    If another core has the cache line of a stamp, an exchange waits for the line, and so do all loads after the
    exchange. So a thread gathers the vertices that it has lowered, fetches their stamps, and puts out the vertices
    together.
    """
    weight_of = element if weight else zero
    parts_of, arcs, edge_id, degree = rows.parts, rows.arcs, rows.edge_id, rows.degree

    @kernel
    def put_out(
        rank, size, control, graph, fields, lowered, count, own_list, out, stages, stamps, hubs, waiting, counts, least
    ):
        """Put out vertices that were lowered.

        Return the counts of near and far vertices, the rounds left, and the least.
        """
        piles, far_stamps, levels = waiting
        near_count, far_count, rounds = counts
        iteration, stamp = np.int32(control[_ITERATION]), np.int32(control[DRAWS])
        toggle, high = control[FAR_TOGGLE], levels[THRESHOLD]
        far, far_word = piles[toggle], FAR_LENGTH + toggle * FAR_STEP
        near, one = own_list[:OWN], own_list[2 * OWN :]
        for i in range(count):
            dst = vertex_at(lowered, i)
            at = np.float64(priority(fields, dst, iteration))
            if at < high:
                if exchange(stamps, dst, iteration) == iteration:
                    continue
                if size > 1 and hubs.size > 0 and degree(graph, dst) > hub:
                    one[0] = dst
                    flush(control, size, one, 1, out, length_word, slot)
                else:
                    near_count = put(control, size, near, OWN, near_count, dst, out, length_word, slot)
                    if near_count == 0:
                        rounds = 0  # this is enough work for several threads, which get it in the next step
            elif at < np.inf:
                least = min(least, at)  # also if the vertex waits already: its priority fell
                if first_time(far_stamps, dst, stamp, size):
                    far_count = put(control, size, stages[rank], STAGE, far_count, dst, far, far_word, slot)
        return (near_count, far_count, rounds), least

    @kernel
    def relax(
        rank, size, sync, control, graph, fields, items, length, out, stages, own_lists, stamps, hubs, shares, waiting
    ):
        piles, far_stamps, levels = waiting
        parts = parts_of(graph)
        weights = parts[2]
        iteration, high = np.int32(control[_ITERATION]), levels[THRESHOLD]
        own_list = own_lists[rank]
        near, own_items, lowered = own_list[:OWN], own_list[OWN : 2 * OWN], own_list[2 * OWN + 1 :]
        counts, least, looked_at, own = (0, 0, control[ROUNDS]), np.inf, 0, False
        while True:
            of_hubs, count = shares and not own, 0
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
                    if np.float64(priority(fields, dst, iteration)) < high:
                        prefetch_to_write(stamps, dst)
                    else:
                        prefetch_to_write(far_stamps, dst)
                    lowered[count] = dst
                    count += 1
                    if count == _LOWERED:
                        counts, least = put_out(
                            rank, size, control, graph, fields, lowered, count, own_list, out, stages, stamps, hubs,
                            waiting, counts, least,
                        )  # fmt: skip
                        count = 0
            counts, least = put_out(
                rank, size, control, graph, fields, lowered, count, own_list, out, stages, stamps, hubs,
                waiting, counts, least,
            )  # fmt: skip
            near_count, far_count, rounds = counts
            if near_count == 0 or rounds == 0:
                break
            if near_count > CHUNK and half_wait(sync, size):
                break
            for i in range(near_count):
                own_items[i] = near[i]
            items, length, own, counts = own_items, near_count, True, (0, far_count, rounds - 1)
        toggle = control[FAR_TOGGLE]
        flush(control, size, near, near_count, out, length_word, slot)
        flush(control, size, stages[rank], far_count, piles[toggle], FAR_LENGTH + toggle * FAR_STEP, slot)
        if least < np.inf:
            atomic_min(levels, LEAST, least)
        fetch_add(control, _EDGES, looked_at)

    return relax
