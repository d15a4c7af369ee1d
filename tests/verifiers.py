"""Verify answers that are not unique by their properties. A check raises AssertionError with what is wrong.

The checks take arrays on any device, and share no code with the apps.
"""

import heapq
from collections import defaultdict
from fractions import Fraction
from itertools import pairwise

import networkx as nx
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from minigr.device import CPU


def arcs_of(graph):
    """src, dst and weight (or None) of each arc, on the host."""
    offsets = CPU.asarray(graph.offsets)
    weights = CPU.asarray(graph.weights) if graph.weighted else None
    return np.repeat(np.arange(graph.num_vertices), np.diff(offsets)), CPU.asarray(graph.indices), weights


def _require(condition, message, where=None):
    if not np.all(condition):
        place = "" if where is None else f" at {np.asarray(where)[~np.asarray(condition)][:5].tolist()}"
        raise AssertionError(f"{message}{place}")


def _check_shape(graph, array, dtypes, name):
    _require(array.shape == (graph.num_vertices,), f"{name} has shape {array.shape}, not one element for each vertex")
    _require(array.dtype in dtypes, f"{name} is {array.dtype}")


def _check_tree(graph, source, reached, parent, step):
    """Each reached vertex except sources has an arc from its parent for which ``step(child, arc)`` holds, and its
    parents lead to a source.
    """
    src, dst, _ = arcs_of(graph)
    vertices = np.arange(graph.num_vertices)
    _require(reached[source], "the source is not reached")
    _require(parent[source] == -1, "the source has a parent")
    _require(parent[~reached] == -1, "a vertex out of reach has a parent", vertices[~reached])
    children = vertices[reached & ~np.isin(vertices, source)]
    _require((parent[children] >= 0) & (parent[children] < graph.num_vertices), "a parent is no vertex", children)
    _require(reached[parent[children]], "a parent is out of reach", children)
    good = np.zeros(graph.num_vertices, bool)
    good[dst[(parent[dst] == src) & step(src, dst)]] = True
    _require(good[children], "no arc from the parent that could be the last of a shortest path", children)
    root = np.where(
        parent >= 0, parent, vertices
    )  # pointer jumping: every chain ends at the source, so none is a cycle
    for _ in range(max(graph.num_vertices, 1).bit_length()):
        root = root[root]
    _require(np.isin(root[children], source), "a chain of parents does not lead to the source", children)


def check_bfs(graph, source, depth, parent):
    """Depths are those of a breadth-first search from a source or several, and `parent` is a tree of such a search."""
    depth, parent = CPU.asarray(depth), CPU.asarray(parent)
    _check_shape(graph, depth, ("int32",), "depth")
    _check_shape(graph, parent, ("int32",), "parent")
    _check_levels(graph, source, depth)
    _check_tree(graph, source, depth >= 0, parent, lambda u, v: depth[u] + 1 == depth[v])


def _check_levels(graph, source, depth):
    """Only sources are at depth 0, and no arc leads to a vertex that is more than one level deeper."""
    src, dst, _ = arcs_of(graph)
    reached = depth >= 0
    _require(depth >= -1, "a depth below -1")
    _require(depth[source] == 0, "the source is not at depth 0")
    _require((depth == 0).sum() == np.size(source), "another vertex at depth 0")
    _require(reached[dst[reached[src]]], "an arc leads from a reached vertex to one that is not", dst[reached[src]])
    inner = reached[src]
    _require(depth[dst[inner]] <= depth[src[inner]] + 1, "an arc leads down more than one level", dst[inner])


def check_multi_source_bfs(graph, sources, depth):
    """Row i has the depths of a breadth-first search from ``sources[i]``."""
    depth = CPU.asarray(depth)
    _require(depth.shape == (len(sources), graph.num_vertices), f"depth has shape {depth.shape}")
    _require(depth.dtype == np.int32, f"depth is {depth.dtype}")
    src, dst, _ = arcs_of(graph)
    vertices = np.arange(graph.num_vertices)
    for source, row in zip(sources, depth, strict=True):
        _check_levels(graph, source, row)
        follows = (row <= 0) | np.isin(vertices, dst[row[src] + 1 == row[dst]])
        _require(follows, "no arc leads there from the level before", vertices)


def check_path(graph, path, source, target, length, weighted=False, rtol=0.0):
    """`path` goes along arcs from `source` to `target`, has no vertex twice, and has this `length`, up to `rtol`.

    The length of an arc is 1, or its weight; of parallel arcs the lightest counts.
    """
    path = CPU.asarray(path)
    _require(path.ndim == 1 and path.dtype == np.int32, f"path has shape {path.shape} and dtype {path.dtype}")
    _require(len(path) > 0 and (path[0], path[-1]) == (source, target), "the path doesn't lead from one to the other")
    _require(len(set(path.tolist())) == len(path), "the path meets a vertex twice")
    src, dst, weights = arcs_of(graph)
    least = {}
    for *ends, weight in zip(src.tolist(), dst.tolist(), weights.tolist() if weighted else [1] * len(src), strict=True):
        least[tuple(ends)] = min(weight, least.get(tuple(ends), np.inf))
    steps = list(pairwise(path.tolist()))
    _require(all(step in least for step in steps), "a step is not along an arc")
    total = sum(least[step] for step in steps)
    _require(abs(total - length) <= rtol * total, f"the path is {total} long, not {length}")


def check_random_walks(graph, starts, length, vertices, weighted=False):
    """Each walk begins at its start, goes along arcs, and ends early only where no arc leads on.

    If weighted, only arcs with a weight above 0 count.
    """
    vertices = CPU.asarray(vertices)
    _require(vertices.shape == (len(starts), length + 1), f"vertices has shape {vertices.shape}")
    _require(vertices.dtype == np.int32, f"vertices is {vertices.dtype}")
    _require((vertices >= -1) & (vertices < graph.num_vertices), "a walk is at no vertex")
    _require(vertices[:, 0] == starts, "a walk begins elsewhere")
    src, dst, weights = arcs_of(graph)
    if weighted:
        src, dst = src[weights > 0], dst[weights > 0]
    here, there = vertices[:, :-1].ravel(), vertices[:, 1:].ravel()
    _require(there[here < 0] < 0, "a walk goes on after its end")
    goes = there >= 0
    arcs = src.astype(np.int64) * graph.num_vertices + dst
    steps = here[goes].astype(np.int64) * graph.num_vertices + there[goes]
    _require(np.isin(steps, arcs), "a step is not along an arc", np.flatnonzero(goes))
    _require(~np.isin(here[(here >= 0) & ~goes], src), "a walk ends where it could go on")


def check_neighbor_sample(graph, seeds, fanouts, sample, replace=False, weighted=False, inward=True):
    """Each layer's edges are of the graph, each vertex has as many as it must draw, and vertices are numbered in order.

    If weighted, only edges with a weight above 0 count.
    """
    node, row, col, edge = (CPU.asarray(getattr(sample, name)) for name in ("node", "row", "col", "edge"))
    for name, array in (("node", node), ("row", row), ("col", col), ("edge", edge)):
        _require(array.dtype == np.int64, f"{name} is {array.dtype}")
    nodes, edges = sample.num_sampled_nodes, sample.num_sampled_edges
    _require((len(nodes), len(edges)) == (len(fanouts) + 1, len(fanouts)), "sizes are not those of the layers")
    _require((sum(nodes), sum(edges)) == (len(node), len(edge)), "sizes do not add up")
    _require(row.shape == col.shape == edge.shape, "row, col and edge are not of one length")
    _require(len(np.unique(node)) == len(node), "a vertex has two numbers")
    _require(node[: nodes[0]].tolist() == list(seeds), "the seeds do not come first")
    src, dst, weights = arcs_of(graph)
    if not graph.directed or not inward:
        src, dst = dst, src
    _require((edge >= 0) & (edge < len(src)), "an edge has no such id", edge)
    _require((src[edge] == node[row]) & (dst[edge] == node[col]), "an edge has other ends", edge)
    usable = weights > 0 if weighted else np.ones(len(src), bool)
    _require(usable[edge], "an edge of weight 0 is drawn", edge)
    degree = np.bincount(dst[usable], minlength=graph.num_vertices)
    first, begin = 0, 0
    for layer, fanout in enumerate(fanouts):
        last, end = first + nodes[layer], begin + edges[layer]
        wanted = degree[node[first:last]]
        if fanout > 0:
            wanted = np.where(wanted > 0, fanout, 0) if replace else np.minimum(wanted, fanout)
        _require(
            np.array_equal(col[begin:end], np.repeat(np.arange(first, last), wanted)), "others draw, or others many"
        )
        _require((replace and fanout > 0) or len(np.unique(edge[begin:end])) == end - begin, "an edge is drawn twice")
        met = row[begin:end][row[begin:end] >= last]
        _require(list(dict.fromkeys(met.tolist())) == list(range(last, last + nodes[layer + 1])), "out of turn")
        first, begin = last, end


def check_negative_samples(graph, src, dst):
    """No pair is an edge, or joins a vertex with itself."""
    src, dst = CPU.asarray(src), CPU.asarray(dst)
    _require((src.dtype, dst.dtype) == (np.int64, np.int64), f"pairs are {src.dtype} and {dst.dtype}")
    _require(src.shape == dst.shape, "there are more sources than destinations, or fewer")
    for ends in (src, dst):
        _require((ends >= 0) & (ends < graph.num_vertices), "a pair has no vertex", ends)
    _require(src != dst, "a pair is a vertex and itself", src)
    tails, heads, _ = arcs_of(graph)
    pairs, arcs = (u.astype(np.int64) * graph.num_vertices + v for u, v in ((src, dst), (tails, heads)))
    _require(~np.isin(pairs, arcs), "a pair is an edge", src)


def check_sssp(graph, source, distance, parent, rtol=0.0):
    """Distances are those of shortest paths, up to `rtol`, and `parent` is a tree of such paths.

    Sums are rounded to the dtype of `distance`, so that an answer of this dtype can be exact.
    """
    distance, parent = CPU.asarray(distance), CPU.asarray(parent)
    _check_shape(graph, distance, ("float32", "float64"), "distance")
    _check_shape(graph, parent, ("int32",), "parent")
    src, dst, weight = arcs_of(graph)
    weight = weight.astype(distance.dtype)
    reached = distance < np.inf
    _require(distance >= 0, "a distance is negative or NaN")
    _require(distance[source] == 0, "the source is not at distance 0")
    inner = reached[src]
    _require(reached[dst[inner]], "an arc leads from a reached vertex to one that is not", dst[inner])
    slack = (rtol * np.where(reached, distance, 0)).astype(distance.dtype)
    through = distance[src[inner]] + weight[inner]
    _require(distance[dst[inner]] <= through + slack[dst[inner]], "an arc relaxes", dst[inner])
    place = {}
    for u, v, w in zip(src.tolist(), dst.tolist(), weight.tolist(), strict=True):
        place[u, v] = min(w, place.get((u, v), np.inf))
    shortest = np.array([place[pair] for pair in zip(src.tolist(), dst.tolist(), strict=True)], distance.dtype)

    def tight(u, v):  # gets all arcs in their order
        return np.abs(np.where(reached[u], distance[u], 0) + shortest - distance[v]) <= slack[v]

    with np.errstate(invalid="ignore"):
        _check_tree(graph, source, reached, parent, tight)


def check_components(graph, label, count):
    """Labels are the least vertices of the components, by a union-find over the arcs. Every vertex has a label."""
    label = CPU.asarray(label)
    _check_shape(graph, label, ("int32",), "label")
    src, dst, _ = arcs_of(graph)
    vertices = np.arange(graph.num_vertices)
    _require((label >= 0) & (label <= vertices), "a label is no vertex up to the one that has it", vertices)
    _require(label[label] == label, "a label's vertex has another label", vertices)
    _require(label[src] == label[dst], "an arc joins two labels", src)
    least = vertices.tolist()
    for u, v in zip(src.tolist(), dst.tolist(), strict=True):
        while least[u] != u:
            u = least[u]
        while least[v] != v:
            v = least[v]
        least[max(u, v)] = min(u, v)
    for v in vertices.tolist():  # the vertex above v is less than v, so its value is final
        least[v] = least[least[v]]
    _require(label == least, "a label joins components that no path joins", vertices)
    _require(count == len(np.unique(label)), f"{count} components, but {len(np.unique(label))} labels")


def check_strong_components(graph, label, count):
    """Labels are the least vertices of the strongly connected components, by the two searches of Kosaraju."""
    label = CPU.asarray(label)
    _check_shape(graph, label, ("int32",), "label")
    src, dst, _ = arcs_of(graph)
    ahead, back = ([[] for _ in range(graph.num_vertices)] for _ in range(2))
    for u, v in zip(src.tolist(), dst.tolist(), strict=True):
        ahead[u].append(v)
        back[v].append(u)
    left, seen = [], set()  # vertices in the order in which a depth-first search leaves them
    for root in range(graph.num_vertices):
        stack = [] if root in seen else [(root, iter(ahead[root]))]
        seen.add(root)
        while stack:
            vertex, rest = stack[-1]
            for other in rest:
                if other not in seen:
                    seen.add(other)
                    stack.append((other, iter(ahead[other])))
                    break
            else:
                left.append(vertex)
                stack.pop()
    expected = np.full(graph.num_vertices, -1)
    for root in reversed(left):
        members = [] if expected[root] >= 0 else [root]
        expected[root] = max(expected[root], 0)
        for vertex in members:  # the loop appends to `members`
            for other in back[vertex]:
                if expected[other] < 0:
                    expected[other] = 0
                    members.append(other)
        if members:
            expected[members] = min(members)
    _require(label == expected, "not the least vertex of its component", np.arange(graph.num_vertices))
    _require(count == len(np.unique(expected)), f"{count} components, but there are {len(np.unique(expected))}")


def edges_of_forest(graph):
    """Ids of the edges of Kruskal's forest, by weight and then by id, from the lesser end to the greater."""
    src, dst, weight = arcs_of(graph)
    edges = np.flatnonzero(src < dst)
    order = edges if weight is None else edges[np.lexsort((edges, weight[edges]))]
    above, taken = list(range(graph.num_vertices)), []
    for edge, u, v in zip(order.tolist(), src[order].tolist(), dst[order].tolist(), strict=True):
        while above[u] != u:
            above[u] = u = above[above[u]]
        while above[v] != v:
            above[v] = v = above[above[v]]
        if u != v:
            above[u] = v
            taken.append(edge)
    return sorted(taken)


def check_spanning_forest(graph, src, dst, total, label, count):
    """The pairs are edges, each from the lesser end to the greater, and their least weights sum to `total`.

    Kruskal's forest has the same weight and number of edges, and connects the same vertices.
    """
    tail, head, weight = arcs_of(graph)
    weight = np.ones(len(tail), np.int64) if weight is None else weight
    lightest = {}
    for u, v, w in zip(tail.tolist(), head.tolist(), weight.tolist(), strict=True):
        lightest[u, v] = min(w, lightest.get((u, v), w))
    pairs = list(zip(src.tolist(), dst.tolist(), strict=True))
    _require(all(u < v for u, v in pairs), "an edge does not go from the lesser end to the greater")
    _require(all(pair in lightest for pair in pairs), "there is no such edge")
    least = np.arange(graph.num_vertices)
    for u, v in pairs:
        a, b = sorted((least[u], least[v]))
        _require(a != b, "edges close a cycle")
        least[least == b] = a
    expected = edges_of_forest(graph)
    _require(len(pairs) == len(expected), f"{len(pairs)} edges, but a forest has {len(expected)}")
    sums = np.sum([lightest[pair] for pair in pairs]), weight[expected].sum(dtype=np.result_type(weight, np.int64))
    with np.errstate(invalid="ignore"):
        close = np.isclose(np.array([sums[0], total], float), float(sums[1]), rtol=1e-12, equal_nan=True)
    _require(close, f"weights of {sums[0]}, said to be {total}, but {sums[1]} is the least")
    label = CPU.asarray(label)
    _check_shape(graph, label, ("int32",), "label")
    _require(label == least, "not the least vertex of its tree", np.arange(graph.num_vertices))
    _require(count == len(np.unique(least)), f"{count} trees, but there are {len(np.unique(least))}")


def check_biconnected(graph, label, count, bridges, member, size):
    """Compare with NetworkX's components, bridges and articulation points of a `Graph` that may have parallel edges.

    `label` has an element for each arc: arcs have the same label if and only if they are in one component, and
    self-loops have -1. `bridges` is a pair of arrays of ends.
    """
    src, dst, _ = arcs_of(graph)
    _require(label.shape == src.shape, f"label has shape {label.shape}, not one element for each arc")
    _require(label.dtype == np.int64, f"label is {label.dtype}")
    _require((label == -1) == (src == dst), "a label of a self-loop, or none of another edge", src)
    pairs = list(zip(src.tolist(), dst.tolist(), strict=True))
    other = nx.Graph([pair for pair in pairs if pair[0] != pair[1]])
    components = [{tuple(sorted(edge)) for edge in edges} for edges in nx.biconnected_component_edges(other)]
    _require(count == len(components), f"{count} components, but there are {len(components)}")
    found = defaultdict(set)
    for pair, name in zip(pairs, label.tolist(), strict=True):
        if name >= 0:
            found[name].add(tuple(sorted(pair)))
    _require(sorted(map(sorted, found.values())) == sorted(map(sorted, components)), "other components")
    lone = sorted(pair for pair in map(tuple, map(sorted, nx.bridges(other))) if pairs.count(pair) == 1)
    told = sorted(zip(*(end.tolist() for end in bridges), strict=True))
    _require(told == lone, f"bridges {told[:5]}, but there are {lone[:5]}")
    points = set(nx.articulation_points(other))
    _check_shape(graph, member, ("bool",), "member")
    _require(set(np.flatnonzero(member).tolist()) == points, f"articulation points, but they are {sorted(points)[:5]}")
    _require(size == len(points), f"{size} articulation points, but there are {len(points)}")


def check_bipartite(graph, side, bipartite, odd_edge):
    """Edges join different sides; or `odd_edge` is in an odd cycle, because a walk of even length joins its ends."""
    side = CPU.asarray(side)
    _check_shape(graph, side, ("int32",), "side")
    _require((side == 0) | (side == 1), "a side is not 0 or 1", np.arange(graph.num_vertices))
    src, dst, _ = arcs_of(graph)
    if bipartite:
        _require(odd_edge is None, "an odd edge of a bipartite graph")
        _require(side[src] != side[dst], "an edge within a side", src)
        return
    pairs = list(zip(src.tolist(), dst.tolist(), strict=True))
    _require(odd_edge in pairs or odd_edge[::-1] in pairs, f"{odd_edge} is no edge")
    doubled = nx.Graph(((u, even), (v, not even)) for u, v in pairs for even in (False, True))
    u, v = odd_edge
    _require(nx.has_path(doubled, (u, True), (v, True)), f"{odd_edge} is in no odd cycle")


def check_earliest_arrival(graph, source, start, duration, arrival, parent):
    """Weights are times. No edge that can be taken arrives earlier, and `parent` is a tree of earliest arrivals.

    `duration` is a number, or an array with an element for each arc.
    """
    arrival, parent = CPU.asarray(arrival), CPU.asarray(parent)
    _check_shape(graph, arrival, ("float64",), "arrival")
    _check_shape(graph, parent, ("int32",), "parent")
    src, dst, time = arcs_of(graph)
    there = time.astype(np.float64) + duration
    _require(arrival[source] == start, "the source is not left at the start")
    taken = time >= arrival[src]
    _require(arrival[dst[taken]] <= there[taken], "an edge arrives earlier", dst[taken])
    _check_tree(graph, source, arrival < np.inf, parent, lambda u, v: (time >= arrival[u]) & (there == arrival[v]))


def check_matching(graph, mate, size):
    """Mates are neighbors of each other, and there are `size` pairs of mates."""
    mate = CPU.asarray(mate)
    _check_shape(graph, mate, ("int32",), "mate")
    matched = np.flatnonzero(mate != -1)
    _require((mate[matched] >= 0) & (mate[matched] < graph.num_vertices), "no vertex for a mate", matched)
    _require(mate[mate[matched]] == matched, "a mate that has another one", matched)
    near = _neighbors(graph)
    _require([v != mate[v] and int(mate[v]) in near[v] for v in matched], "a mate that is no neighbor", matched)
    _require(2 * size == len(matched), f"{size} edges, but {len(matched)} matched vertices")


def check_maximal_matching(graph, mate, size):
    """The mates are a matching, and no edge joins two unmatched vertices."""
    check_matching(graph, mate, size)
    mate = CPU.asarray(mate)
    src, dst, _ = arcs_of(graph)
    _require((mate[src] >= 0) | (mate[dst] >= 0) | (src == dst), "an edge between unmatched vertices", src)


def check_bipartite_matching(graph, mate, size, cover):
    """A matching, and a vertex cover of the same size, which proves that there is no larger matching."""
    check_matching(graph, mate, size)
    cover = CPU.asarray(cover)
    _check_shape(graph, cover, ("bool",), "cover")
    src, dst, _ = arcs_of(graph)
    _require(cover[src] | cover[dst], "an edge that is not covered", src)
    _require(int(cover.sum()) == size, f"{int(cover.sum())} vertices cover the edges, not {size}")


def check_flow(graph, source, sink, value, flow, source_side, *, exact=True):
    """The flow is conserved and within capacities, and a cut has the same value, so there is no greater flow."""
    flow, source_side = CPU.asarray(flow), CPU.asarray(source_side)
    _check_shape(graph, source_side, ("bool",), "source_side")
    _require(source_side[source] and not source_side[sink], "source and sink are on wrong sides of the cut")
    rows = graph if graph.layout == "csr" else graph.to_graph()
    src, dst, *weights = map(CPU.asarray, rows.to_edges(both_ways=True))
    weights = weights[0].astype(np.float64) if rows.weighted else np.ones(len(src))
    _require(flow.shape == src.shape, f"flow has shape {flow.shape}, and there are {len(src)} arcs")
    _require((flow >= 0) & (flow <= weights), "more flows than fits", src)
    tolerance = 0 if exact else 1e-9 * abs(value)
    if not rows.directed:
        reverse = CPU.asarray(rows.in_edges(ids=True).edge_ids)
        _require((flow == 0) | (flow[reverse] == 0) | (src == dst), "flow in both directions of an edge", src)
    net = np.zeros(graph.num_vertices)
    np.add.at(net, src, flow)
    np.add.at(net, dst, -flow.astype(np.float64))
    expected = np.zeros(graph.num_vertices)
    expected[source], expected[sink] = value, -value
    _require(abs(net - expected) <= tolerance, "flow that is not conserved", np.arange(graph.num_vertices))
    through = weights[source_side[src] & ~source_side[dst]].sum()
    _require(abs(through - value) <= tolerance, f"the cut lets {through} through, and not {value}")


def check_cycle(graph, cycle):
    """An edge leads from each vertex of `cycle` to the next, and from the last to the first; no vertex occurs twice."""
    src, dst, _ = arcs_of(graph)
    pairs = set(zip(src.tolist(), dst.tolist(), strict=True))
    _require(len(cycle) > 0, "a cycle without vertices")
    _require(len(set(cycle)) == len(cycle), "a vertex is in the cycle twice")
    for u, v in zip(cycle, (*cycle[1:], cycle[0]), strict=True):
        _require((u, v) in pairs, f"there is no edge from {u} to {v}")


def check_pagerank(graph, rank, damping=0.85, tol=1e-6, personalization=None):
    """One more iteration changes the ranks by no more than the tolerance of the iteration that found them."""
    rank = CPU.asarray(rank)
    _check_shape(graph, rank, ("float64",), "rank")
    count = graph.num_vertices
    if count == 0:
        return
    src, dst, weight = arcs_of(graph)
    weight = np.ones(len(src)) if weight is None else weight.astype(np.float64)
    teleport = np.full(count, 1.0) if personalization is None else np.asarray(personalization, np.float64)
    teleport = teleport / teleport.sum()
    _require(np.isfinite(rank) & (rank >= 0), "a rank is negative or not finite")
    _require(abs(rank.sum() - 1) < 1e-9, f"ranks sum to {rank.sum()!r}")
    out = np.bincount(src, weight, minlength=count)
    share = np.divide(rank, out, out=np.zeros(count), where=out > 0)
    gathered = np.bincount(dst, share[src] * weight, minlength=count)
    again = damping * (gathered + rank[out == 0].sum() * teleport) + (1 - damping) * teleport
    residual = np.abs(again - rank).sum()
    _require(
        residual <= count * tol * max(damping, 1e-9) + 1e-12, f"residual {residual} with {count} vertices, tol {tol}"
    )


def check_personalized_pagerank(graph, sources, rank, missing, damping=0.85, epsilon=1e-6):
    """No rank is above the exact one; `missing` is the part that the ranks of a source lack, and is within bounds."""
    count = graph.num_vertices
    _require(rank.dtype == missing.dtype == np.float64, "not float64")
    _require(rank.shape == (len(sources), count), f"ranks have the shape {rank.shape}")
    src, dst, weight = arcs_of(graph)
    weight = np.ones(len(src)) if weight is None else weight.astype(np.float64)
    out = np.bincount(src, weight, minlength=count)
    walk = np.zeros((count, count))
    np.add.at(walk, (dst, src), np.divide(weight, out[src], out=np.zeros(len(src)), where=out[src] > 0))
    exact = np.linalg.solve(np.eye(count) - damping * walk, (1 - damping) * np.eye(count)[:, sources]).T
    goes_on = exact.sum(axis=1, keepdims=True)  # below 1 if a walk can end at a vertex without out-edges
    exact = exact / goes_on
    lacking = exact - rank
    _require(bool((lacking >= -1e-12).all()), "a rank is too large")
    _require(np.abs(lacking.sum(axis=1) - missing) < 1e-10, "what is missing is not what ranks lack", sources)
    degree = out / (weight.mean() if weight.any() else 1.0)
    _require(missing <= epsilon * degree.sum() / goes_on[:, 0] + 1e-12, "more is missing than may be", sources)
    if not graph.directed:
        _require(bool((lacking <= epsilon * degree + 1e-12).all()), "a rank lacks more than it may")


def check_coloring(graph, color, num_colors):
    """No arc except self-loops joins two vertices of one color, and the colors are 0 to ``num_colors - 1``."""
    color = CPU.asarray(color)
    _check_shape(graph, color, ("int32",), "color")
    src, dst, _ = arcs_of(graph)
    _require(color >= 0, "no color", np.arange(graph.num_vertices))
    _require((color[src] != color[dst]) | (src == dst), "neighbors have one color", src)
    _require(np.unique(color).tolist() == list(range(num_colors)), f"the colors are not 0 to {num_colors - 1}")


def check_independent_set(graph, member, size):
    """No arc except self-loops joins two members, and each other vertex has a member as a neighbor."""
    member = CPU.asarray(member)
    _check_shape(graph, member, ("bool",), "member")
    src, dst, _ = arcs_of(graph)
    _require(member.sum() == size, f"{member.sum()} members, not {size}")
    _require(~(member[src] & member[dst]) | (src == dst), "neighbors are members", src)
    beside = member.copy()
    beside[src[member[dst]]] = True
    beside[dst[member[src]]] = True
    _require(beside, "could be a member too", np.arange(graph.num_vertices))


def shortest_paths_from(graph, source, *, weighted=False, inward=False):
    """The reached vertices, nearest first; distance and number of shortest paths of each; and their predecessors.

    Numbers of paths are Python's integers, of any size. Parallel edges are different paths, so a predecessor is listed
    once for each edge. With `inward`, paths lead to `source`, and successors are listed.
    """
    src, dst, weight = (None if x is None else x.tolist() for x in arcs_of(graph))
    src, dst = (dst, src) if inward else (src, dst)
    rows = defaultdict(list)
    for arc, (u, v) in enumerate(zip(src, dst, strict=True)):
        rows[u].append((v, weight[arc] if weighted else 1))
    distance, paths, before, order, waiting = {source: 0}, defaultdict(int), defaultdict(list), [], [(0, source)]
    paths[source] = 1
    while waiting:
        length, u = heapq.heappop(waiting)
        if length > distance[u]:
            continue
        order.append(u)
        for v, w in rows[u]:
            through = length + w
            if v not in distance or through < distance[v]:
                distance[v], paths[v], before[v] = through, 0, []
                heapq.heappush(waiting, (through, v))
            if through == distance[v]:
                paths[v] += paths[u]
                before[v].append(u)
    return order, distance, paths, before


def check_betweenness(graph, score, sources=None, *, weighted=False, endpoints=False):
    """Scores without normalization are sums over all pairs of the fraction of shortest paths through a vertex.

    With `sources`, they are sums over the pairs that begin at a source, without an estimate for other pairs.
    """
    score = CPU.asarray(score)
    _check_shape(graph, score, ("float64",), "score")
    count = graph.num_vertices
    expected = np.zeros(count)
    for source in range(count) if sources is None else sources:
        order, _, paths, before = shortest_paths_from(graph, source, weighted=weighted)
        dependents = defaultdict(float)
        for v in reversed(order):
            for u in before[v]:
                dependents[u] += float(Fraction(paths[u], paths[v])) * (1 + dependents[v])
            if v != source:
                expected[v] += dependents[v] + endpoints
        expected[source] += endpoints * (len(order) - 1)
    if not graph.directed:
        expected /= 2
    near = np.abs(score - expected) <= 1e-9 * np.maximum(expected, 1)
    _require(near, f"scores are not sums of parts of shortest paths: {score[~near][:5]}, not {expected[~near][:5]}",
             np.arange(count))  # fmt: skip


def check_edge_betweenness(graph, src, dst, score, sources=None, *, weighted=False):
    """Scores without normalization are sums over all pairs of the fraction of shortest paths along an edge.

    Each edge is listed once, in the order of the graph's edges. `sources` is as for `check_betweenness`.
    """
    ends = [CPU.asarray(end) for end in graph.to_edges()[:2]]
    _require(np.array_equal(src, ends[0]) and np.array_equal(dst, ends[1]), "not the edges in their order")
    _require(score.dtype == np.float64 and len(score) == len(src), "not a float64 for each edge")
    pair = (lambda u, v: (u, v)) if graph.directed else (lambda u, v: (min(u, v), max(u, v)))
    expected = defaultdict(float)
    for source in range(graph.num_vertices) if sources is None else sources:
        order, _, paths, before = shortest_paths_from(graph, source, weighted=weighted)
        dependents = defaultdict(float)
        for v in reversed(order):
            for u in before[v]:
                along = float(Fraction(paths[u], paths[v])) * (1 + dependents[v])
                dependents[u] += along
                expected[pair(u, v)] += along if graph.directed else along / 2
    found = defaultdict(list)
    for u, v, value in zip(src.tolist(), dst.tolist(), score.tolist(), strict=True):
        found[u, v].append(value)
    _require(expected.keys() <= found.keys(), "shortest paths along what is no edge")
    for ends, values in found.items():
        wrong = abs(sum(values) - expected[ends]) > 1e-9 * max(expected[ends], 1)
        _require(not wrong, f"{ends} has {sum(values)}, and not {expected[ends]}")
        _require(weighted or max(values) - min(values) <= 1e-9 * max(values), f"parallel edges {ends} differ: {values}")


def check_core_number(graph, core, degeneracy):
    """Core numbers are those of NetworkX for the graph without directions, parallel edges and self-loops."""
    core = CPU.asarray(core)
    _check_shape(graph, core, ("int32",), "core")
    src, dst, _ = arcs_of(graph)
    simple = nx.Graph()
    simple.add_nodes_from(range(graph.num_vertices))
    simple.add_edges_from((u, v) for u, v in zip(src.tolist(), dst.tolist(), strict=True) if u != v)
    expected = nx.core_number(simple)
    vertices = np.arange(graph.num_vertices)
    _require(core == [expected[v] for v in vertices], "not the core number", vertices)
    _require(degeneracy == max(expected.values(), default=0), f"{degeneracy} is not the greatest core number")


def check_centrality(graph, score, sources, kind, *, weighted=False):
    """Closeness or harmonic centrality of `sources` follows from the distances to each; other vertices have NaN."""
    score = CPU.asarray(score)
    _check_shape(graph, score, ("float64",), "score")
    count, expected = graph.num_vertices, np.full(graph.num_vertices, np.nan)
    for source in sources:
        far = shortest_paths_from(graph, source, weighted=weighted, inward=True)[1].values()
        if kind == "harmonic":
            expected[source] = sum(1 / length for length in far if length > 0)
        else:
            expected[source] = (len(far) - 1) ** 2 / (sum(far) * (count - 1)) if sum(far) > 0 else 0
    near = np.isclose(score, expected, rtol=1e-9, atol=1e-12, equal_nan=True)
    _require(near, f"{kind} is not that of the distances: {score[~near][:5]}, not {expected[~near][:5]}",
             np.arange(count))  # fmt: skip


def check_label_propagation(graph, label, num_communities):
    """No label has more weight among the neighbors of a vertex than its own. Weights are whole, so sums are exact."""
    label = CPU.asarray(label)
    _check_shape(graph, label, ("int32",), "label")
    src, dst, weight = arcs_of(graph)
    count = graph.num_vertices
    vertices = np.arange(count)
    _require((label >= 0) & (label < count), "a label is no vertex", vertices)
    _require(len(np.unique(label)) == num_communities, f"not {num_communities} communities")
    if graph.directed:
        src, dst = np.concatenate([src, dst]), np.concatenate([dst, src])
        weight = None if weight is None else np.tile(weight, 2)
    weight = np.ones(len(src)) if weight is None else weight
    around = np.bincount(src * count + label[dst], weight * (src != dst), minlength=count**2).reshape(count, count)
    own = around[vertices, label]
    _require(own == around.max(axis=1, initial=0), "another label weighs more", vertices)


def check_communities(graph, result, resolution=1.0, *, nested=True, connected=False):
    """The facts of each level are correct, and no level has less modularity than the one before it.

    With `nested`, each level except the last consists of communities of the level before it.
    """
    src, dst, weight = arcs_of(graph)
    weight = np.ones(len(src)) if weight is None else weight.astype(np.float64)
    if graph.directed:
        src, dst, weight = np.concatenate([src, dst]), np.concatenate([dst, src]), np.tile(weight, 2)
        weight[src == dst] /= 2
    count = graph.num_vertices
    weight = weight * np.where(src == dst, 2, 1)
    before, finer = _modularity(src, dst, weight, np.arange(count), resolution), np.arange(count)
    _require(result.label is result.levels[-1], "label is not that of the last level")
    for level in result.levels:
        label = CPU.asarray(level)
        _check_shape(graph, label, ("int32",), "label")
        number = int(label.max(initial=-1)) + 1
        _require(np.unique(label).tolist() == list(range(number)), "labels are not numbered from 0")
        if nested and count and level is not result.label:
            where = np.full(finer.max() + 1, -1)
            where[finer] = label
            _require(
                where[finer] == label, "a level is not made of the communities of the one before", np.arange(count)
            )
        if connected:
            _require(connected_within(src, dst, label, count), "a community is not connected")
        modularity = _modularity(src, dst, weight, label, resolution)
        rounding = 1e-12 * max(resolution, 1.0)  # the terms that are subtracted sum to at most `resolution`
        _require(not modularity < before - rounding, "a level has less modularity than the one before")
        before, finer = modularity, label
    _require(result.num_communities == number, f"not {result.num_communities} communities")
    same = np.isclose(result.modularity, before, rtol=1e-9, atol=1e-9, equal_nan=True)
    _require(bool(same), f"modularity is {before}, not {result.modularity}")


def _modularity(src, dst, weight, label, resolution):
    """The modularity of labels. Arcs are in both directions, and self-loops count twice."""
    total, inside = weight.sum(), weight[label[src] == label[dst]].sum()
    strength = np.bincount(label[src], weight, minlength=1)
    return inside / total - resolution * ((strength / total) ** 2).sum() if total else np.nan


def connected_within(src, dst, label, count):
    """Whether the vertices of each label are connected by edges among them."""
    within = label[src] == label[dst]
    edges = csr_array((np.ones(within.sum()), (src[within], dst[within])), (count, count))
    return connected_components(edges, directed=False)[0] == len(np.unique(label))


def check_hits(graph, hub, authority, tol=1e-8):
    """Hubs and authorities follow from each other up to a factor, and sum to 1; one more iteration changes little."""
    hub, authority = CPU.asarray(hub), CPU.asarray(authority)
    for array, name in ((hub, "hub"), (authority, "authority")):
        _check_shape(graph, array, ("float64",), name)
        _require(np.isfinite(array) & (array >= 0), f"a {name} is negative or not finite")
    src, dst, weight = arcs_of(graph)
    weight = np.ones(len(src)) if weight is None else weight.astype(np.float64)
    count, some = graph.num_vertices, 1.0 if weight.any() else 0.0
    _require(abs(hub.sum() - some) < 1e-9, f"hubs sum to {hub.sum()!r}")
    _require(abs(authority.sum() - some) < 1e-9, f"authorities sum to {authority.sum()!r}")
    for one, other, ends in ((hub, authority, (src, dst)), (authority, hub, (dst, src))):
        again = np.bincount(ends[0], other[ends[1]] * weight, minlength=count)
        change = np.abs(again / (again.sum() or 1.0) - one).sum()
        _require(change <= tol + 1e-12, f"{change} of change with tol {tol}")


def check_eigenvector(graph, score, tol=1e-6):
    """One more iteration changes the scores little. The greatest weight is added as a self-loop of each vertex."""
    score = CPU.asarray(score)
    _check_shape(graph, score, ("float64",), "score")
    _require(np.isfinite(score) & (score >= 0), "a score is negative or not finite")
    count = graph.num_vertices
    _require(abs((score**2).sum() - bool(count)) < 1e-9, f"squares of scores sum to {(score**2).sum()!r}")
    src, dst, weight = arcs_of(graph)
    weight = np.ones(len(src)) if weight is None else weight.astype(np.float64)
    again = np.bincount(dst, score[src] * weight, minlength=count) + score * (weight.max(initial=0.0) or 1.0)
    change = np.abs(again / (np.linalg.norm(again) or 1.0) - score).sum()
    _require(change <= count * tol + 1e-12, f"{change} of change with {count} vertices, tol {tol}")


def check_katz(graph, score, alpha, beta=1.0, tol=1e-6):
    """The score of each vertex is `beta` plus `alpha` times the weighted scores over its in-edges, up to `tol`."""
    score = CPU.asarray(score)
    _check_shape(graph, score, ("float64",), "score")
    src, dst, weight = arcs_of(graph)
    weight = np.ones(len(src)) if weight is None else weight.astype(np.float64)
    again = alpha * np.bincount(dst, score[src] * weight, minlength=graph.num_vertices) + beta
    change = np.abs(again - score).sum()
    _require(bool(change <= graph.num_vertices * tol + 1e-12), f"{change} of change with tol {tol}")


def _neighbors(graph):
    """For each vertex the set of its neighbors, without the vertex itself."""
    src, dst, _ = arcs_of(graph)
    near = [set() for _ in range(graph.num_vertices)]
    for u, v in zip(src.tolist(), dst.tolist(), strict=True):
        if u != v:
            near[u].add(v)
            near[v].add(u)
    return near


def check_triangles(graph, total, per_vertex):
    """Each vertex has as many triangles as edges between its neighbors; the total is a third of the sum."""
    per_vertex = CPU.asarray(per_vertex)
    _check_shape(graph, per_vertex, ("int64",), "per_vertex")
    near = _neighbors(graph)
    expected = np.array([sum(len(near[v] & near[u]) for u in near[v]) // 2 for v in range(len(near))], np.int64)
    _require(per_vertex == expected, "another number of triangles", np.arange(len(near)))
    _require(total * 3 == expected.sum(), f"{total} triangles, but {expected.sum()} corners")


def check_truss(graph, k, src, dst, support):
    """The edges are those left when edges with too few triangles are removed one by one; `support` is correct."""
    near, found = _neighbors(graph), np.stack([CPU.asarray(end) for end in (src, dst)], axis=1).tolist()
    waiting = [(u, v) for u in range(len(near)) for v in near[u] if u < v]
    while waiting:
        u, v = waiting.pop()
        if v not in near[u] or len(near[u] & near[v]) >= k - 2:
            continue
        waiting += [(min(a, b), max(a, b)) for b in near[u] & near[v] for a in (u, v)]
        near[u].remove(v)
        near[v].remove(u)
    expected = [[u, v] for u in range(len(near)) for v in sorted(near[u]) if u < v]
    _require(found == expected, f"{len(found)} edges, not the {len(expected)} of the {k}-truss in their order")
    counts = np.array([len(near[u] & near[v]) for u, v in expected], np.int64)
    _require(CPU.asarray(support) == counts, "another number of triangles", [str(edge) for edge in expected])


COUNTED = ("jaccard", "overlap", "sorensen", "cosine", "common_neighbors", "preferential_attachment")
"""Measures of similarity that are computed from counts and are therefore exact."""


def _similar(graph, measure, weighted):
    """A function that computes the measure for two vertices, and the neighbors of each vertex."""
    near, weight = _neighbors(graph), {}
    if weighted:
        src, dst, weights = arcs_of(graph)
        weight = dict(zip(zip(src.tolist(), dst.tolist(), strict=True), weights.tolist(), strict=True))
    power = 2 if measure == "cosine" else 1
    size = [sum(weight[u, v] ** power if weighted else 1 for v in near[u]) for u in range(len(near))]
    add = {
        "adamic_adar": lambda _u, _v, w: 1 / np.log(len(near[w])) if len(near[w]) > 1 else np.inf,
        "resource_allocation": lambda _u, _v, w: 1 / len(near[w]),
    }.get(measure, lambda _u, _v, _w: 1)
    if weighted:
        both = np.prod if measure == "cosine" else min

        def add(u, v, w):
            return both((weight[u, w], weight[v, w]))

    def similarity(u, v):
        c, a, b = sum(add(u, v, w) for w in near[u] & near[v]), size[u], size[v]
        if measure in ("jaccard", "overlap", "sorensen", "cosine"):
            below = {"jaccard": a + b - c, "overlap": min(a, b), "sorensen": (a + b) / 2, "cosine": np.sqrt(a * b)}
            return c / below[measure] if below[measure] else 0.0
        return a * b if measure == "preferential_attachment" else c

    return similarity, near


def check_similarity(graph, measure, src, dst, score, weighted=False):
    """The score of each pair is the measure: exactly if it is computed from counts, otherwise nearly."""
    similarity, _ = _similar(graph, measure, weighted)
    pairs = list(zip(np.asarray(src).tolist(), np.asarray(dst).tolist(), strict=True))
    expected = np.array([similarity(*pair) for pair in pairs], np.float64)
    exact = measure in COUNTED and not weighted
    right = score == expected if exact else np.isclose(score, expected, rtol=1e-12, atol=0)
    _require(right, f"another {measure}", [str(pair) for pair in pairs])


def check_most_similar(graph, measure, k, src, dst, score, *, per_vertex=False, vertices=None, weighted=False):
    """The pairs are the `k` best, in all or for each vertex, best first; of equal scores, pairs of lesser vertices."""
    check_similarity(graph, measure, src, dst, score, weighted)
    similarity, near = _similar(graph, measure, weighted)
    chosen = set(range(len(near)) if vertices is None else vertices)
    best = []
    for u in sorted(chosen):
        others = {v for w in near[u] for v in near[w] if v != u and (per_vertex or v > u or v not in chosen)}
        scored = sorted((-similarity(u, v), u, v) for v in others)
        best += scored[:k] if per_vertex else scored
    best = best if per_vertex else sorted(best)[:k]
    found = list(zip(np.asarray(src).tolist(), np.asarray(dst).tolist(), strict=True))
    _require(len(set(found)) == len(found) == len(best), f"{len(found)} pairs, some of them repeated, not {len(best)}")
    near_enough = np.isclose(score, [-value for value, _, _ in best], rtol=1e-12, atol=0)
    _require(near_enough, "not the best scores in their order", [str(pair) for pair in found])
    if measure in COUNTED and not weighted:
        _require([pair == tuple(other) for pair, (_, *other) in zip(found, best, strict=True)], "other pairs", found)
    _require([u in chosen for u, _ in found], "a pair of other vertices")
