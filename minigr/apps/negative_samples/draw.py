"""Draws of pairs, each by a thread of its own. A pair with an edge is drawn again.

After many draws for a given source, the thread looks through all vertices instead.
"""

from __future__ import annotations

import numpy as np

from minigr.apps.common.draws import bits_of, first_above, part_of, pick_evenly
from minigr.jit.functor import Functor
from minigr.program.fields import array_field, parameter
from minigr.program.problem import Problem

PAIRS, HEADS = 1024, 64  # the most draws of a pair, and of a head for a given source


class NegativeProblem(Problem):
    tail = array_field(np.int64)
    head = array_field(np.int64)  # -1 if none was found
    ids = array_field(np.int32)  # the vertices for even draws; empty for draws by degree
    tails = array_field(np.int64)  # prefix sums of the chances of vertices by degree
    heads = array_field(np.int64)
    tail_guide = array_field(np.int32)  # the range of searches in `tails` for each bucket: see `chances_of`
    head_guide = array_field(np.int32)
    buckets = parameter(np.int64)
    many = parameter(np.int64)  # the number of vertices to draw from
    evenly = parameter(np.int64)
    given = parameter(np.int64)  # whether the tails are given
    key = parameter(np.int64)


class Draw(Functor):
    def apply(idx, graph, tail, head, ids, tails, heads, tail_guide, head_guide, buckets, many, evenly, given, key):
        u, found = tail[idx], np.int64(-1)
        for attempt in range(HEADS if given else PAIRS):
            if not given:
                u = drawn(bits_of(key, idx, 2 * attempt), ids, tails, tail_guide, buckets, many, evenly)
            v = drawn(bits_of(key, idx, 2 * attempt + 1), ids, heads, head_guide, buckets, many, evenly)
            if u != v and not graph.has_edge(u, v):
                found = v
                break
        tail[idx], head[idx] = u, found
        if given and found < 0:
            head[idx] = looked_through(graph, u, part_of(bits_of(key, idx, 2 * HEADS)), ids, heads, many, evenly)


def drawn(bits, ids, sums, guide, buckets, many, evenly):
    """Draw a vertex."""
    if evenly:
        return np.int64(ids[pick_evenly(bits, many)])
    part = part_of(bits)
    bucket = np.int64(part * buckets)
    found = first_above(part * sums[many - 1], np.int64(guide[bucket]), np.int64(guide[bucket + 1]), sums)
    return np.int64(found)


def looked_through(graph, u, part, ids, sums, many, evenly):
    """Draw among all vertices to which u has no edge; -1 if there is none."""
    total, found = 0, np.int64(-1)
    for place in range(many):
        total += counts_for(graph, u, place, ids, sums, evenly)
    wanted, passed = np.int64(part * total), 0
    for place in range(many):
        passed += counts_for(graph, u, place, ids, sums, evenly)
        if passed > wanted:
            found = np.int64(ids[place]) if evenly else np.int64(place)
            break
    return found


def counts_for(graph, u, place, ids, sums, evenly):
    """The chance of a vertex, as an integer; 0 if the vertex is u, or u has an edge to it."""
    v = np.int64(ids[place]) if evenly else np.int64(place)
    if u == v or graph.has_edge(u, v):
        return 0
    if evenly:
        return 1
    return sums[place] - sums[place - 1] if place > 0 else sums[place]
