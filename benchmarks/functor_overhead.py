"""The cost of a functor in Python on a GPU: the same kernels with functors in Python and in C++.

    python benchmarks/functor_overhead.py GRAPH.npz... [--repeat 20] [--json OUT]

Both variants are the program that minigr makes of a step; only the user's functions differ. In one variant they are
compiled from Python to LTO-IR. In the other they are C++ in the source of the kernel. Times are medians by CUDA events;
the two variants take turns.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path
from typing import Any
from unittest.mock import patch

import cupy
import numpy as np

import minigr as mg
from minigr.apps.bfs import BFSEnactor
from minigr.apps.pagerank.pull import PageRankEnactor, first_shares
from minigr.apps.pagerank.transition import chance_per_weight
from minigr.bench import document
from minigr.jit.index_checks import CheckedFields
from minigr.jit.link_cuda import CudaCode
from minigr.program import cuda
from minigr.program.control import Stop, Word
from minigr.program.cuda_program import CudaProgram
from minigr.program.cuda_text import ARGUMENTS
from minigr.program.executor import new_run, put_first


class Relaxed(mg.Problem):
    distance = mg.vertex_field(np.float32, fill=np.inf)


class Relax(mg.Functor):
    def cond_advance(src, dst, weight, distance):
        through = distance[src] + weight
        return through < distance[dst] and through < mg.atomic_min(distance, dst, through)


class RelaxEverything(mg.Enactor, problem=Relaxed, functor=Relax):
    """Three rounds of Bellman-Ford over all edges: an advance without an output."""

    def start(self) -> mg.Frontier:
        self.problem.distance[0] = 0
        return mg.Frontier.all_vertices()

    def step(self, frontier: Any) -> None:
        self.advance(frontier, output=None)


BY_HAND = {
    "bfs": """
__device__ __forceinline__ bool user_cond_advance_0(int dst, int iteration, int *depth) {
  return atomicCAS(depth + dst, -1, iteration) == -1;
}
__device__ __forceinline__ void user_apply_advance_0(int src, int dst, int *parent) { parent[dst] = src; }
__device__ __forceinline__ bool user_cond_target_0(int dst, int *depth) { return depth[dst] < 0; }
""",
    "relax all edges": """
__device__ __forceinline__ float lower(float *p, float x) {
  return x >= 0 ? __int_as_float(atomicMin((int *)p, __float_as_int(x)))
                : __uint_as_float(atomicMax((unsigned *)p, __float_as_uint(x)));
}
__device__ __forceinline__ bool user_cond_advance_0(int src, int dst, float weight, float *distance) {
  float through = distance[src] + weight;
  return through < distance[dst] && through < lower(distance + dst, through);
}
""",
    "pagerank": """
__device__ __forceinline__ double user_map_0(int src, int iteration, double *share, double *next_share) {
  return (iteration & 1 ? share : next_share)[src];
}
__device__ __forceinline__ void user_apply_reduce_0(int v, double value, int iteration, double *share,
                                                    double *next_share, double *per_weight, double *teleport,
                                                    double uniform, double damping, double dangling, double *change,
                                                    double *lost) {
  double jump = uniform > 0.0 ? uniform : teleport[v], given = per_weight[v], scale = given > 0.0 ? given : 1.0;
  double old = (iteration & 1 ? share : next_share)[v] / scale;
  double now = damping * (value + dangling * jump) + (1.0 - damping) * jump;
  (iteration & 1 ? next_share : share)[v] = now * scale;
  *change = fabs(now - old);
  *lost = given == 0.0 ? now : 0.0;
}
__device__ __forceinline__ bool user_until(double error, double tolerance) { return error < tolerance; }
""",
}


def programs(graph: Any) -> dict[str, tuple[Any, mg.Frontier]]:
    """The enactors to time, with their first frontiers."""
    plain = mg.Graph.from_csr(graph.offsets, graph.indices, device=graph.device, validate=False)
    bfs = BFSEnactor(plain)
    relax = RelaxEverything(graph, max_iterations=3)
    evenly = 1.0 / plain.num_vertices
    rates = {"uniform": evenly, "damping": 0.85, "tolerance": 0.0}
    pagerank = PageRankEnactor(plain, max_iterations=10, **rates)
    chance = chance_per_weight(plain)

    def start_pagerank() -> mg.Frontier:
        pagerank.problem.per_weight = chance
        pagerank.problem.share = first_shares(plain, chance, np.float64)
        return pagerank.start(int((chance == 0.0).sum()))

    return {
        "bfs": (bfs, lambda: bfs.start(0)),
        "relax all edges": (relax, relax.start),
        "pagerank": (pagerank, start_pagerank),
    }


def variants(plan: Any, name: str, device: Any) -> dict[str, CudaProgram]:
    """The program of the plan with the functor from Python, and with the functor written by hand."""
    architecture = int(device.compute_capability)
    python, text = cuda.code_of(plan, architecture)
    source = text.program().replace("DECLARATIONS", f"{BY_HAND[name]}\nDECLARATIONS")
    by_hand = CudaCode(source, {}, {}, cuda.STEERING, architecture, ARGUMENTS)
    return {functor: CudaProgram(code, text, device) for functor, code in (("python", python), ("by hand", by_hand))}


def run_time(enactor: Any, first: Any, program: CudaProgram) -> float:
    """Milliseconds of one run with `program`, from the copy of its arguments to the copy of its last control block."""
    enactor.problem.reset()
    frontier = first()
    plan = enactor.record(frontier)
    plan.shared = {}  # drop the cached program of the other variant
    with patch.object(cuda, "_program", lambda plan: (program, CheckedFields())):
        run = new_run(plan, enactor.driver)
    put_first(plan, [frontier], run)
    control = run.control
    control[Word.BUDGET], control[Word.STOP], control[Word.ITERATION] = enactor.max_iterations, Stop.RUNNING, 1
    cupy.cuda.Device().synchronize()
    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
    begin.record()
    run.launch()
    end.record()
    end.synchronize()
    return float(cupy.cuda.get_elapsed_time(begin, end))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graphs", nargs="+", type=Path)
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows, facts = [], []
    for path in options.graphs:
        graph = mg.read(path, device="cuda")
        facts.append(document.graph_facts(path.stem, graph))
        for name, (enactor, first) in programs(graph).items():
            made = variants(enactor.record(first()), name, cupy.cuda.Device())
            times: dict[str, list[float]] = {variant: [] for variant in made}
            for _ in range(options.repeat + 1):
                for variant, program in made.items():
                    times[variant].append(run_time(enactor, first, program))
            median = {variant: statistics.median(t[1:]) for variant, t in times.items()}
            ratio = median["python"] / median["by hand"]
            for variant, t in times.items():
                key = {"graph": path.stem, "program": name, "by": document.MINIGR, "functor": variant}
                rows.append(document.row(key, t[1:], ratio=ratio))
            print(
                f"{path.stem:>10} {name:<16} Python {median['python']:9.3f} ms   by hand {median['by hand']:9.3f} ms   "
                f"ratio {ratio:.3f}",
                flush=True,
            )
    if options.json:
        device, settings = mg.device.resolve("cuda"), {"repeat": options.repeat}
        document.write(options.json, document.document("functor_overhead", device, settings, facts, rows))


if __name__ == "__main__":
    main()
