"""A shortest path between two vertices, searched from both ends at the same time, and compared with NetworkX.

One step takes two frontiers: vertices that the source reaches, and vertices from which the target is reached. In each
step the forward search goes first. The first vertex that both searches have found is therefore on a shortest path.

    python examples/from_both_ends.py [GRAPH [SOURCE [TARGET]]]
"""

import sys

import networkx as nx
import numpy as np

import minigr as mg


class Ends(mg.Problem):
    before = mg.vertex_field(np.int32, fill=-1)  # the preceding vertex on a path from the source
    after = mg.vertex_field(np.int32, fill=-1)  # the next vertex on a path to the target
    met = mg.array_field(np.int32)  # the vertex where the searches met


class Forward(mg.Functor):
    def cond_advance(src, dst, before):
        return mg.atomic_cas(before, dst, -1, src) == -1

    def apply_advance(dst, after, met):
        if after[dst] >= 0:
            mg.atomic_cas(met, 0, -1, dst)

    def until(met):
        return met[0] >= 0


class Backward(mg.Functor):
    def cond_advance(src, dst, after):
        return mg.atomic_cas(after, dst, -1, src) == -1

    def apply_advance(dst, before, met):
        if before[dst] >= 0:
            mg.atomic_cas(met, 0, -1, dst)


class FromBothEnds(mg.Enactor, problem=Ends, functor=Forward):
    def start(self, source, target):
        self.problem.before[source], self.problem.after[target] = source, target
        return mg.Frontier.of(source), mg.Frontier.of(target)

    def step(self, forward, backward):
        return (
            self.advance(forward, duplicates="impossible"),
            self.advance(backward, Backward, reverse=True, duplicates="impossible"),
        )


def shortest_path(graph, source, target, **options):
    """Find a shortest path; return its vertices, or None if there is no path, and the enactor that found it."""
    search = FromBothEnds(graph, met=[source if source == target else -1], **options)
    search.run(source, target)
    before, after, met = map(mg.device.CPU.asarray, (search.problem.before, search.problem.after, search.problem.met))
    if met[0] < 0:
        return None, search
    path = [int(met[0])]
    while path[0] != source:
        path.insert(0, int(before[path[0]]))
    while path[-1] != target:
        path.append(int(after[path[-1]]))
    return path, search


def main(name="roads", source="0", target=None):
    graph = mg.read(name)
    source, target = int(source), graph.num_vertices - 1 if target is None else int(target)
    print(f"{graph}: from {source} to {target}")
    path, search = shortest_path(graph, source, target, trace=True)
    if path is None:
        print("there is no path")
        return
    looked_at = sum(row.edges for row in search.trace)
    print(f"{len(path) - 1:,} edges long, found in {search.iterations:,} steps that look at {looked_at:,} edges")
    whole = mg.bfs(graph, source, trace=True)
    print(f"from one end: {sum(row.edges for row in whole.trace):,} edges to all vertices")
    expected = nx.bidirectional_shortest_path(graph.to_networkx(), source, target)
    print("NetworkX finds as short a path" if len(expected) == len(path) else "NetworkX finds another length")


if __name__ == "__main__":
    main(*sys.argv[1:])
