"""The Louvain and Leiden methods in plain Python, with its own whole numbers, to be equalled label by label."""

from collections import Counter, defaultdict
from fractions import Fraction
from math import frexp, ldexp

import numpy as np

from minigr.device import CPU
from minigr.generate.keys import stream_key

LEAST_TURNS, MOST_TURNS, AT_A_HUB, MOST_AT_HUBS = 8, 32, 2048, 128
ROUNDS, MIX, LABEL, BITS31 = 4, 0x2C1B3C6D, 2**31 - 1, 0x7FFFFFFF
ROUNDS_OF_MANY, FEW_TURNS, FEW, LAST_ROUNDS, LAST_FEW = 8, 4, 12, 2, 48
REFINEMENTS = 12


def edges_of(graph):
    """Each edge once as (u, v, whole weight), directions left out; and the number of vertices."""
    src, dst, weight = (None if a is None else CPU.asarray(a) for a in graph.to_edges(both_ways=graph.directed))
    if weight is None:
        weight = np.ones(len(src), np.int64)
    elif weight.dtype.kind == "f" or weight.max(initial=0) > 2**30:
        arcs = 2 * len(src) - int((src == dst).sum())
        both = np.concatenate([weight, weight[src != dst]])
        exponent = frexp(both.mean(dtype=np.float64) if arcs else 0.0)[1] + arcs.bit_length()
        weight = np.floor(weight.astype(np.float64) * ldexp(1.0, min(47 - exponent, 1023)) + 0.5).astype(np.int64)
    return list(zip(src.tolist(), dst.tolist(), weight.tolist(), strict=True)), graph.num_vertices


def modularity(edges, label, resolution=1.0):
    """Exactly, as a fraction; None if the weights sum to 0."""
    total, strength, inside = sum(w for _, _, w in edges), defaultdict(int), 0
    for u, v, w in edges:
        strength[label[u]] += w
        strength[label[v]] += w
        inside += w * (label[u] == label[v])
    if not total:
        return None
    squares = sum(k * k for k in strength.values())
    return Fraction(inside, total) - Fraction(resolution) * Fraction(squares, 4 * total * total)


def louvain(edges, count, resolution=1.0, seed=0, tol=1e-7):
    """The labels of each level, and at last those after moves down the levels."""
    finer, found, best, label = [], [], modularity(edges, range(count), resolution), list(range(count))
    alone, with_edges, ids = label, ends_of(edges), ends_of(edges)
    while True:
        how = edges, resolution, stream_key(seed, len(finer)) & BITS31
        community, _, _ = moved(alone, *how, rounds=ROUNDS, few=FEW)
        groups, count = _numbered(community, ids)
        if count == len(ids):
            break
        edges, ids = _contracted(edges, groups), range(count)
        reached = modularity(edges, range(count), resolution)
        if not float(reached) - float(best) > tol:
            break
        finer.append((how, groups))
        best, label, alone = reached, [groups[c] for c in label], list(range(count))
        found.append(_labels(label, with_edges))
    community = settled(alone, *how)
    for how, groups in reversed(finer):
        community = settled([community[c] for c in groups], *how)
    first = finer[0][0][0] if finer else how[0]
    if best is not None and modularity(first, community, resolution) > best:
        found.append(_labels(community, with_edges))
    return found or [_labels(label, with_edges)]


def leiden(edges, count, resolution=1.0, seed=0, runs=1):
    """The labels of each level that is better than all before, and of those after moves down the levels."""
    first, found, best, label = edges, [], modularity(edges, range(count), resolution), list(range(count))
    with_edges = ends_of(edges)
    for run in range(runs):
        finer, before, community, vertex, ids = [], best, label, list(range(count)), with_edges
        while True:
            how = edges, resolution, stream_key(stream_key(seed, run), len(finer)) & BITS31
            community, _, _ = moved(community, *how, rounds=ROUNDS)
            parts = connected(edges, community)
            reached = modularity(edges, parts, resolution)
            if best is None or reached > best:
                best, label = reached, [parts[v] for v in vertex]
                found.append(_labels(label, with_edges))
            groups, some = _numbered(refined(edges, community, resolution, how[2]), ids)
            if some == len(ids):
                break
            finer.append((how, groups))
            numbers, _ = _numbered(community, ids)
            of_groups = {groups[v]: numbers[v] for v in ids}
            edges, ids = _contracted(edges, groups), range(some)
            community = [of_groups[group] for group in ids]
            vertex = [groups[v] for v in vertex]
        community = settled(community, *how)
        for how, groups in reversed(finer):
            community = settled([community[group] for group in groups], *how)
        edges, parts = first, connected(first, community)
        if best is not None and modularity(first, parts, resolution) > best:
            best, label = modularity(first, parts, resolution), parts
            found.append(_labels(parts, with_edges))
        if best is not None and best <= before:
            break
    return found or [_labels(label, with_edges)]


def connected(edges, community):
    """For each vertex the least vertex of its connected part of its community."""
    part = list(range(len(community)))

    def least(v):
        while part[v] != v:
            v = part[v]
        return v

    for u, v, _ in edges:
        if community[u] == community[v]:
            u, v = least(u), least(v)
            part[max(u, v)] = min(u, v)
    return [least(v) for v in part]


def ends_of(edges):
    """The vertices that have edges."""
    return sorted({end for u, v, _ in edges for end in (u, v)})


def _numbered(labels, ids):
    """The labels of the vertices `ids`, numbered from 0, and their number. Other vertices get any of these numbers."""
    place = {old: new for new, old in enumerate(sorted({labels[v] for v in ids}))}
    return [place.get(label, 0) for label in labels], len(place)


def _labels(labels, ids):
    """The labels of the vertices `ids`, numbered from 0; then come the other vertices, each with its own label."""
    found, count = _numbered(labels, ids)
    for number, v in enumerate(sorted(set(range(len(labels))) - set(ids))):
        found[v] = count + number
    return found


def _contracted(edges, groups):
    sums = defaultdict(int)
    for u, v, w in edges:
        sums[min(groups[u], groups[v]), max(groups[u], groups[v])] += w
    return [(u, v, w) for (u, v), w in sums.items()]


def settled(community, *how):
    """The community of each vertex when few gain any more; after some rounds few turns move them."""
    community, _, is_done = moved(community, *how, rounds=ROUNDS_OF_MANY, least=LAST_ROUNDS, few=LAST_FEW)
    return community if is_done else moved(community, *how, most_turns=FEW_TURNS, few=LAST_FEW)[0]


def moved(community, edges, resolution, seed, rounds=None, most_turns=MOST_AT_HUBS, least=1, few=0):
    """The community of each vertex after some rounds of turns, from those there are; the steps; if few gain more.

    After `least` rounds a turn is the last one if less than one of `few` of its vertices moves, where all turns have
    equal shares of the vertices that have edges.
    """
    count, community = len(community), list(community)
    around, strength, price, shift = _prepared(edges, count, resolution)
    total = [0] * count
    for v in range(count):
        total[community[v]] += strength[v]
    degree = Counter(end for u, v, _ in edges for end in {u, v})
    most = max(MOST_TURNS, min(max(degree.values(), default=0) // AT_A_HUB, MOST_AT_HUBS))
    turns = max(min(degree.total() // 1024, most), LEAST_TURNS)
    turns = min(turns, most_turns)
    movers = sum(s > 0 for s in strength) // (turns * few) if few else 0
    block = min(max(count.bit_length() - 11, 0), 8)
    turn = [turn_of(v, 0, seed, turns, block) for v in range(count)]
    waiting, step = set(range(count)), 1  # the first step finds who is next
    while waiting and step != (rounds and rounds * turns):
        now = min(turn[v] for v in waiting)
        due = {v for v in waiting if turn[v] == now}
        best = {}
        for v in due:
            mine = community[v]
            sums = defaultdict(int)
            for u, w in around[v]:
                sums[community[u]] += w

            def gain(c, v=v, mine=mine, sums=sums):
                return (sums[c] << shift) - lost(strength[v], price, total[c] - (strength[v] if c == mine else 0))

            key = max(sums, key=lambda c: (gain(c), -(-1 if c == mine else c * MIX & LABEL)), default=mine)
            if key != mine and gain(key) > gain(mine):
                best[v] = key
        for v, key in best.items():
            total[community[v]] -= strength[v]
            total[key] += strength[v]
            community[v] = key
        waiting -= due
        woken = {u for v in best for u, _ in around[v] if u not in waiting and community[u] != community[v]}
        for u in woken:
            turn[u] = now + 1 + turn_of(u, now, seed, turns, block)
        waiting, step = waiting | woken, step + 1
        if step > least * turns and len(best) < movers:
            return community, step, True
    return community, step, not waiting


def refined(edges, community, resolution, seed):
    """The part of each vertex of its community, named by a vertex of the part, as the Leiden method merges them."""
    count = len(community)
    around, strength, price, shift = _prepared(edges, count, resolution)
    part, members = list(range(count)), [{v} for v in range(count)]
    total = Counter()
    for v in range(count):
        total[community[v]] += strength[v]

    def holds(p):
        cut = sum(w for v in members[p] for u, w in around[v] if community[u] == community[p] and part[u] != p)
        size = sum(strength[v] for v in members[p])
        return cut << shift >= lost(size, price, total[community[p]] - size)

    for step in range(1, REFINEMENTS + 1):
        alone = [v for v in range(count) if members[v] == {v}]
        may = {v for v in alone if drawn(v, step, seed) % 2 == 0}
        well, best = {p for p in range(count) if members[p] and holds(p)}, {}
        for v in may & well:
            sums = defaultdict(int)
            for u, w in around[v]:
                if community[u] == community[v] and part[u] in well - may:
                    sums[part[u]] += w
            gains = {
                p: (w << shift) - lost(strength[v], price, sum(strength[u] for u in members[p]))
                for p, w in sums.items()
            }
            key = max(gains, key=lambda p: (gains[p], -p), default=None)
            if key is not None and gains[key] > 0:
                best[v] = key
        for v, p in best.items():
            part[v], members[v] = p, set()
            members[p].add(v)
    return part


def _prepared(edges, count, resolution):
    """The neighbors of each vertex, with weights; the strengths; the price and the shift of gains."""
    around, strength = [[] for _ in range(count)], [0] * count
    for u, v, w in edges:
        strength[u] += w
        strength[v] += w
        if u != v:
            around[u].append((v, w))
            around[v].append((u, w))
    weight = sum(strength)
    shift = 62 - weight.bit_length()
    return around, strength, (ldexp(1.0, shift) / weight if weight else 0.0) * resolution, shift


def lost(strength, price, others):
    """What a vertex or a part loses among others whose strengths sum to `others`."""
    return int(min(strength * price * others, 2.0**62))


def turn_of(vertex, step, seed, turns, block):
    """Vertices of a block, which have all but the last `block` bits of their ids in common, share four turns."""
    return (drawn(vertex >> block, step, seed) * 4 + drawn(vertex, step, seed) % 4) % turns


def drawn(vertex, step, seed):
    bits = (vertex * 0x19E3779B + step * 0x5EBCA6B7 + seed * 0x27D4EB2F) & BITS31
    bits = ((bits ^ bits >> 15) * 0x2C1B3C6D) & BITS31
    return (bits ^ bits >> 12) & 0xFFFF
