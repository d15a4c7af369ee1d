"""The operators without an enactor, one call at a time, on a word net.

python examples/operators_by_hand.py [GRAPH]
"""

import sys

import numpy as np

import minigr as mg


class Around(mg.Problem):
    degree = mg.vertex_field(np.int64)
    greatest = mg.vertex_field(np.int64)  # the greatest degree among a vertex's neighbors
    marked = mg.vertex_field(np.int32)
    total = mg.scalar_field(np.int64)


class Degrees(mg.Functor):
    def map(src):
        return 1


class GreatestNeighbor(mg.Functor):
    def map(dst, degree):
        return degree[dst]


class IsHub(mg.Functor):
    def cond_filter(vertex, degree, greatest):
        return degree[vertex] > 20 and degree[vertex] >= greatest[vertex]


class Mark(mg.Functor):
    def cond_advance(dst, marked):
        return mg.atomic_exch(marked, dst, 1) == 0


class Count(mg.Functor):
    def apply(vertex, marked):
        return marked[vertex]


def main(name="wordnet"):
    graph = mg.read(name)
    problem = Around(graph)
    everyone = mg.Frontier.all_vertices()

    # neighbor_reduce: one value for each vertex from its neighbors.
    mg.operators.neighbor_reduce(problem, everyone, Degrees, reduce="add", into="degree")
    mg.operators.neighbor_reduce(problem, everyone, GreatestNeighbor, reduce="max", into="greatest")

    # filter: the vertices for which a condition holds.
    hubs = mg.operators.filter(problem, everyone, IsHub)

    # advance: go twice along edges to vertices that are not marked yet, first from the hubs.
    first = mg.operators.advance(problem, hubs, Mark, duplicates="impossible")
    second = mg.operators.advance(problem, first, Mark, duplicates="impossible")

    # compute: visit every vertex, and add up the returned values.
    mg.operators.compute(problem, everyone, Count, into="total")

    print(graph)
    print(f"{len(hubs)} hubs: more than 20 neighbors, and none of them has more")
    print(
        f"{len(first):,} vertices one edge from a hub, {len(second):,} more within two: "
        f"{int(problem.total[0]):,} in all"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
