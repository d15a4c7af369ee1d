"""The number of edges that each vertex of a layer draws, and the draws.

The draws of a vertex depend only on the key of its layer and on the vertex. Without replacement, the edge of each rank
is computed without memory of the draws before it: the shuffle of Fisher and Yates (1938) swaps, rank by rank, an edge
with an edge behind it, and going back through the swaps finds where an edge came from. By weight, each edge draws an
exponential number and divides it by its weight, and the edges with the least results are taken: Efraimidis, Spirakis,
Weighted random sampling with a reservoir (Information Processing Letters 97, 2006).
"""

from __future__ import annotations

import math

from minigr.apps.common.draws import bits_of, part_of, pick_by_sums, pick_evenly


def count_evenly(i, frontier, offsets, fanout, replace):
    """The number of edges that vertex i of the frontier draws."""
    degree = offsets[frontier[i] + 1] - offsets[frontier[i]]
    if replace != 0:
        return fanout if degree > 0 else 0
    return min(degree, fanout)


def count_by_weight(i, frontier, offsets, weights, fanout, replace):
    """As `count_evenly`, for draws by weight: edges of weight 0 are never drawn."""
    found, most = 0, 1 if replace != 0 else fanout
    for edge in range(offsets[frontier[i]], offsets[frontier[i] + 1]):
        if weights[edge] > 0:
            found += 1
            if found == most:
                break
    return found * fanout if replace != 0 else found


def place_of(key, vertex, rank, degree):
    """The position, among the edges of a vertex, of the edge with a rank in the shuffled order."""
    place = rank + pick_evenly(bits_of(key, vertex, rank), degree - rank)
    for before in range(rank - 1, -1, -1):
        if before + pick_evenly(bits_of(key, vertex, before), degree - before) == place:
            place = before
    return place


def draw_evenly(idx, seg, rank, frontier, offsets, fanout, replace, key, first, col, edge):
    """Draw the edge of a rank; all edges have the same probability."""
    vertex, place = frontier[seg], rank
    begin = offsets[vertex]
    degree = offsets[vertex + 1] - begin
    if replace != 0:
        place = pick_evenly(bits_of(key, vertex, rank), degree)
    elif degree > fanout:
        place = place_of(key, vertex, rank, degree)
    edge[idx], col[idx] = begin + place, first + seg


def draw_row(i, frontier, offsets, indices, fanout, replace, key, begins, first, col, edge, near):
    """Draw all edges of vertex i of the frontier, with the results of `draw_evenly`, and write their neighbors.

    The random places stay in `edge` until all of them are known, so each of them is computed once.
    """
    vertex, low, high = frontier[i], begins[i], begins[i + 1]
    begin = offsets[vertex]
    degree = offsets[vertex + 1] - begin
    for at in range(low, high):
        rank = at - low
        if replace != 0:
            edge[at] = pick_evenly(bits_of(key, vertex, rank), degree)
        elif degree > fanout:
            edge[at] = rank + pick_evenly(bits_of(key, vertex, rank), degree - rank)
        else:
            edge[at] = rank
    for at in range(high - 1, low - 1, -1):
        place = edge[at]
        if replace == 0 and degree > fanout:
            for before in range(at - 1, low - 1, -1):
                if edge[before] == place:
                    place = before - low
        edge[at], near[at], col[at] = begin + place, indices[begin + place], first + i


def draw_by_sums(idx, seg, rank, frontier, offsets, sums, key, first, col, edge):
    """Draw the edge of a rank by weight, with replacement."""
    vertex = frontier[seg]
    edge[idx] = pick_by_sums(bits_of(key, vertex, rank), offsets[vertex], offsets[vertex + 1] - 1, sums)
    col[idx] = first + seg


def draw_by_keys(i, frontier, offsets, weights, scale, key, begins, edge, drawn):
    """Draw the edges of vertex i of the frontier by weight, without replacement: the least numbers over weights."""
    begin, taken = offsets[frontier[i]], begins[i]
    first, last = taken, begins[i + 1]
    worst, heavy = first, 1.0  # the place of the taken edge that is replaced next, and its weight
    for position in range(begin, offsets[frontier[i] + 1] if first < last else begin):
        weight = weights[position] * scale
        part = part_of(bits_of(key, frontier[i], position - begin))
        if weights[position] > 0 and (taken < last or part * heavy < drawn[worst] * weight):
            number = -math.log(1.0 - part)  # at least `part`
            if taken < last or number * heavy < drawn[worst] * weight:
                place = taken if taken < last else worst
                edge[place], drawn[place] = position, number
                taken = min(taken + 1, last)
                if taken == last:
                    worst = first
                    for other in range(first + 1, last):
                        if drawn[other] * weights[edge[worst]] * scale > drawn[worst] * weights[edge[other]] * scale:
                            worst = other
                    heavy = weights[edge[worst]] * scale


def name_centers(idx, seg, first, col):
    """Write the number of the vertex that draws an edge."""
    col[idx] = first + seg


def follow(i, edge, indices, near):
    """Write the vertex to which an edge leads."""
    near[i] = indices[edge[i]]
