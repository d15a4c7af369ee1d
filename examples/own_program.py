"""A graph program of your own in thirty lines: the widest path from one vertex to every other vertex.

The width of a path is that of its narrowest edge (such as the lowest bridge on the way of a lorry); the widest path has
the greatest width. The program has a field for the best width so far, a functor for edges, a start, and one step.

    python examples/own_program.py [GRAPH [SOURCE]]
"""

import sys

import numpy as np

import minigr as mg


class Widths(mg.Problem):
    width = mg.vertex_field(np.float64, fill=0)


class Widen(mg.Functor):
    def cond_advance(src, dst, weight, width):
        through = min(width[src], float(weight))
        return through > width[dst] and through > mg.atomic_max(width, dst, through)


class WidestPaths(mg.Enactor, problem=Widths, functor=Widen):
    def start(self, source):
        self.problem.width[source] = np.inf
        return mg.Frontier.of(source)

    def step(self, frontier):
        return self.advance(frontier)


def main(name="roads", source="0"):
    graph = mg.read(name)
    program = WidestPaths(graph, trace=True)
    program.run(int(source))
    width = mg.device.CPU.asarray(program.problem.width)
    finite = width[np.isfinite(width) & (width > 0)]
    print(f"{graph}: {program.iterations} steps")
    print(
        f"widest path from {source}: to {finite.size:,} vertices, "
        f"narrowest {finite.min():g}, median {np.median(finite):g}"
    )
    print("the busiest steps:")
    for row in sorted(program.trace, key=lambda row: -row.frontier)[:3]:
        print(f"  step {row.iteration}: {row.frontier:,} vertices, {row.edges:,} edges, {row.milliseconds:.2f} ms")


if __name__ == "__main__":
    main(*sys.argv[1:])
