"""The primitives without operators: functions from arrays to arrays, and a graph program that consists of them.

The program is a breadth-first search and a reduction over the neighbors of each vertex, with only `transform`, `scan`,
`lbs`, `segreduce` and `compact`. The names of a function's parameters select what it gets: values of the primitive
(``i``; ``idx``, ``seg`` and ``rank``), and arrays that are passed by keyword. With CuPy arrays the same lines run on a
GPU.

    python examples/primitives_by_hand.py
"""

import minigr as mg
from minigr import primitives


def degree(i, frontier, offsets):
    """Neighbors of vertex i of the frontier."""
    return offsets[frontier[i] + 1] - offsets[frontier[i]]


def visit(seg, rank, frontier, offsets, indices, depth, level):
    """Neighbor number `rank` of vertex number `seg` of the frontier, if it was not visited before; otherwise -1."""
    neighbor = indices[offsets[frontier[seg]] + rank]
    return neighbor if mg.atomic_cas(depth, neighbor, -1, level) == -1 else -1


def neighbor_degree(idx, degrees, indices):
    """Degree of the neighbor that arc `idx` leads to."""
    return degrees[indices[idx]]


def main() -> None:
    graph = mg.generate.rmat(14, 16, seed=1)
    xp, n = graph._device.xp, graph.num_vertices
    offsets, indices = graph.offsets, graph.indices
    print(f"{n} vertices, {graph.num_edges} edges on {graph.device}")

    degrees = primitives.transform(lambda i, offsets: offsets[i + 1] - offsets[i], offsets=offsets, count=n)
    source = int(degrees.argmax())

    # The degrees of a frontier are scanned to offsets, the offsets give its edges, the edges give the next frontier.
    depth = xp.full(n, -1, xp.int32)
    depth[source] = 0
    frontier = xp.full(1, source, xp.int64)
    level = 0
    while frontier.size:
        print(f"level {level}: {frontier.size} vertices")
        level += 1
        arrays = {"frontier": frontier, "offsets": offsets}
        sums = primitives.scan(degree, count=frontier.size, with_total=True, **arrays)
        found = primitives.lbs(sums, visit, indices=indices, depth=depth, level=level, dtype=xp.int64, **arrays)
        frontier = primitives.compact(lambda i, values: values[i] >= 0, values=found)

    # A reduction over each list of neighbors, and the vertices that have more neighbors than each of their neighbors.
    arrays = {"degrees": degrees, "indices": indices}
    most = primitives.segreduce(neighbor_degree, offsets, op="max", initial=0, **arrays)
    peaks = primitives.compact(lambda i, degrees, most: degrees[i] > most[i] > 0, degrees=degrees, most=most)
    print(f"{int((depth >= 0).sum())} vertices reached; {peaks.size} have more neighbors than any of their neighbors")


if __name__ == "__main__":
    main()
