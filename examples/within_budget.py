"""Find the vertices that can be reached within a hop limit and a weight budget.

A vertex counts as reached if some path from the source to it has at most `hops` edges and a total weight of at most
`budget`. The field `spent` has the least weight at which a vertex was reached so far, and is lowered by `atomic_min`.
The frontier has the vertices that the last step made cheaper, and the hop limit is the number of steps.

A step must not see values that were written in the same step, because a path could then have more edges than the number
of steps. So a step first copies `spent` of its frontier to `before`, and advances with the copies.

    python examples/within_budget.py [GRAPH] [--source 0] [--hops 60] [--budget 300000] [--no-check]
"""

import argparse
import math

import numpy as np

import minigr as mg


def cost_dtype(graph):
    """float32 for weights of float32; otherwise float64, which holds sums of all other weights."""
    return np.float32 if graph.weights.dtype == np.float32 else np.float64


class Budget(mg.Problem):
    spent = mg.vertex_field(cost_dtype, fill=np.inf)
    before = mg.vertex_field(cost_dtype)
    limit = mg.parameter(cost_dtype, default=math.inf)


class Note(mg.Functor):
    def apply(vertex, spent, before):
        before[vertex] = spent[vertex]


class Pay(mg.Functor):
    def cond_advance(src, dst, weight, spent, before, limit):
        cost = before[src] + weight
        return cost <= limit and cost < spent[dst] and cost < mg.atomic_min(spent, dst, cost)


class WithinBudget(mg.Enactor, problem=Budget, functor=Pay):
    """`max_iterations` is the hop limit, and the parameter `limit` is the budget."""

    def start(self, source):
        self.problem.spent[source] = 0
        return mg.Frontier.of(source)

    def step(self, frontier):
        self.compute(frontier, Note)
        return self.advance(frontier)


def within_budget(graph, source, hops, budget):
    """The least weight of a path to each vertex among the paths within both limits; inf if there is none."""
    program = WithinBudget(graph, max_iterations=hops, limit=budget)
    program.run(source)
    return program.problem.spent


def expected(graph, source, hops, budget):
    """The same by SciPy's matrices and NumPy: `hops` rounds over all edges."""
    edges = graph.to_scipy().tocoo()
    spent = np.full(graph.num_vertices, np.inf, cost_dtype(graph))
    spent[source] = 0
    for _ in range(hops):
        cost = spent[edges.row] + edges.data
        cost[cost > budget] = np.inf
        before = spent.copy()
        np.minimum.at(spent, edges.col, cost)
        if (spent == before).all():
            break
    return spent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph", nargs="?", default="roads")
    parser.add_argument("--source", type=int, default=0)
    parser.add_argument("--hops", type=int, default=60)
    parser.add_argument("--budget", type=float, default=300_000)
    parser.add_argument("--no-check", action="store_true", help="leave out the comparison with NumPy's answer")
    options = parser.parse_args()
    graph = mg.read(options.graph)
    print(graph)
    limits = {"no limit": (graph.num_vertices, math.inf), "the hops": (options.hops, math.inf)}
    limits |= {"the budget": (graph.num_vertices, options.budget), "both": (options.hops, options.budget)}
    for name, (hops, budget) in limits.items():
        spent = mg.device.CPU.asarray(within_budget(graph, options.source, hops, budget))
        reached = np.isfinite(spent)
        print(f"with {name}: {reached.sum():,} vertices, the dearest at {spent[reached].max():g}")
    if not options.no_check:  # `spent` is that of the last line, with both limits
        same = np.allclose(spent, expected(graph, options.source, options.hops, options.budget), rtol=1e-9)
        print(f"NumPy {'agrees' if same else 'DISAGREES'}")
        raise SystemExit(0 if same else 1)


if __name__ == "__main__":
    main()
