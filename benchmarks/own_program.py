"""Programs outside the package compared with built-in ones of the same pattern: `apps/` has no special access to speed.

    python benchmarks/own_program.py GRAPH.npz... [--device cuda] [--repeat 10] [--source V] [--json OUT]

There are three pairs. The two programs of a pair take turns:

- `hops`, a breadth-first search written again below, and the enactor of `mg.bfs`;
- `budget, near-far`, the least weight to each vertex within a budget that never limits, and the enactor of `mg.sssp`;
- `budget and hops`, the program of `examples/within_budget.py` without limits, and the enactor of `mg.sssp` with one
  band, which is then the same loop over all vertices that became cheaper. The enactor of `mg.sssp` sees values that
  were written in the same step, so it takes fewer steps and looks at fewer edges. Compare the time for an edge.

A time is that of making the enactor and running it, by the host's clock, as a median. `minigr bench compare` reads the
JSON, too.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import minigr as mg
from minigr import device as devices
from minigr.apps.bfs import BFSEnactor
from minigr.apps.sssp import SSSPEnactor
from minigr.bench import document
from minigr.bench.measure import take_turns

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
from within_budget import WithinBudget, cost_dtype

ONE_BAND = 1e30


class Hops(mg.Problem):
    hops = mg.vertex_field(np.int32, fill=-1)
    came_from = mg.vertex_field(np.int32, fill=-1)


class Claim(mg.Functor):
    def cond_target(dst, hops):
        return hops[dst] < 0

    def cond_advance(dst, iteration, hops):
        return mg.atomic_cas(hops, dst, -1, iteration) == -1

    def apply_advance(src, dst, came_from):
        came_from[dst] = src


class HopsEnactor(mg.Enactor, problem=Hops, functor=Claim):
    def start(self, source):
        self.problem.hops[source] = 0
        return mg.Frontier.of(source)

    def step(self, frontier):
        return self.advance(frontier, direction="auto", duplicates="impossible")


class Purse(mg.Problem):
    spent = mg.vertex_field(cost_dtype, fill=np.inf)
    limit = mg.parameter(cost_dtype, default=np.inf)


class Spend(mg.Functor):
    def cond_advance(src, dst, weight, spent, limit):
        cost = spent[src] + weight
        return cost <= limit and cost < spent[dst] and cost < mg.atomic_min(spent, dst, cost)

    def priority(vertex, spent):
        return spent[vertex]


class NearFirst(mg.Enactor, problem=Purse, functor=Spend):
    def start(self, source, width):
        self.width = width
        self.problem.spent[source] = 0
        return mg.Frontier.of(source)

    def step(self, frontier):
        return self.near_far(self.advance(frontier), width=self.width)


Program = Callable[[bool], tuple[Any, Any]]


def pairs(graph: Any, source: int) -> dict[str, tuple[Program, Program]]:
    """For each pattern the own program and the built-in one: ``(trace) -> (enactor, answer)``."""

    def program(enactor: type, answer: str, *arguments: Any) -> Program:
        def run(trace: bool) -> tuple[Any, Any]:
            made = enactor(graph, trace=trace)
            made.run(*arguments)
            return made, getattr(made.problem, answer)

        return run

    found = {"hops": (program(HopsEnactor, "hops", source), program(BFSEnactor, "depth", source))}
    if graph.weighted:
        width = 16 * graph.weight_summary()[1] * graph.num_vertices / max(graph.num_arcs, 1)
        found["budget, near-far"] = (
            program(NearFirst, "spent", source, width),
            program(SSSPEnactor, "distance", source, width),
        )
        found["budget and hops"] = (
            program(WithinBudget, "spent", source),
            program(SSSPEnactor, "distance", source, ONE_BAND),
        )
    return found


def measure(name: str, graph: Any, source: int, repeat: int) -> list[document.Row]:
    """Rows of own and built-in programs on a graph, each printed as soon as it is measured."""
    rows = []
    for pattern, programs in pairs(graph, source).items():
        by = {"own": programs[0], "built-in": programs[1]}
        timings = take_turns({who: lambda p=p: p(False) for who, p in by.items()}, graph._device, repeat)
        answers = [devices.CPU.asarray(timings[who].result[1]) for who in by]
        if not np.allclose(*answers, rtol=1e-5):
            raise SystemExit(f"{pattern} on {name}: the two programs disagree")
        edges = {who: sum(row.edges for row in run(True)[0].trace) for who, run in by.items()}
        milliseconds = {who: timing.median for who, timing in timings.items()}
        for who, timing in timings.items():
            per_edge = milliseconds[who] * 1e6 / max(edges[who], 1)
            key = {"graph": name, "pattern": pattern, "by": document.MINIGR, "program": who}
            steps = timing.result[0].iterations
            rows.append(document.row(key, timing.samples, edges=edges[who], steps=steps, ns_per_edge=per_edge))
        own, built_in = rows[-2:]
        print(
            f"{name:>10} {pattern:<17} own {own['median']:9.3f} ms   built-in {built_in['median']:9.3f} ms   "
            f"ratio {own['median'] / built_in['median']:.2f}   for an edge {own['ns_per_edge']:.2f} and "
            f"{built_in['ns_per_edge']:.2f} ns, ratio {own['ns_per_edge'] / built_in['ns_per_edge']:.2f}",
            flush=True,
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graphs", nargs="+", type=Path)
    parser.add_argument("--device")
    parser.add_argument("--repeat", type=int, default=10)
    parser.add_argument("--source", type=int, help="by default the vertex of highest degree")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    device = devices.resolve(options.device)
    rows, facts = [], []
    for path in options.graphs:
        graph = mg.read(path, device=str(device))
        source = int(graph.degree().argmax()) if options.source is None else options.source
        name = path.name.partition(".")[0]
        facts.append({**document.graph_facts(name, graph), "source": source})
        rows += measure(name, graph, source, options.repeat)
    if options.json:
        settings = {"repeat": options.repeat}
        document.write(options.json, document.document("own_program", device, settings, facts, rows))


if __name__ == "__main__":
    main()
