"""R-MAT graphs as large as a GPU holds: made, searched, ranked, and what each call takes at its peak.

    python benchmarks/large_graphs.py 26 28 [--apps bfs,pagerank] [--device cuda] [--repeat 3] [--json OUT]

A scale E makes 2^E vertices and draws 16 * 2^E edges, both ways and simple. Milliseconds are medians, after a first
call. The most memory is that of the graph and of the first call, with what it makes and keeps, over the bytes of the
graph. Billions of arcs a second of a search are those of all vertices that it reaches.
"""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import minigr as mg
from minigr.bench import document
from minigr.bench.measure import take_turns
from minigr.bench.memory import check_counted, peak_of
from minigr.bench.peers import ITERATIONS, NEVER
from minigr.device import resolve

APPS: dict[str, Callable[[Any], Any]] = {
    "bfs": lambda graph: mg.bfs(graph, int(graph.degree().argmax())),
    "pagerank": lambda graph: mg.pagerank(graph, tol=NEVER, max_iter=ITERATIONS),
    "components": mg.connected_components,
    "core_number": mg.core_number,
    "triangle_count": mg.triangle_count,
}


def measure(scale: int, apps: list[str], device: Any, repeat: int) -> list[dict[str, Any]]:
    name, rows = f"rmat{scale}", []

    def generate() -> Any:
        return mg.generate.rmat(scale, 16, device=device)

    def tell(what: str, samples: list[float], most: int, **found: Any) -> None:
        key, over = {"graph": name, "call": what, "by": document.MINIGR}, most / size
        rows.append(document.row(key, samples, peak_bytes=most, over_graph=over, graph_bytes=size, **found))
        print(f"{name} {what}: {rows[-1]['median']:.4g} ms, at most {over:.2f} times the graph", flush=True)

    peak, graph = peak_of(device, generate)
    size = graph.memory
    del graph
    made = take_turns({name: generate}, device, 1, after={name: lambda built: None})[name]
    tell("generate", made.samples, peak)
    rows_of = generate().out_edges
    for app in apps:
        graph = mg.Graph.from_csr(rows_of.offsets, rows_of.indices, directed=False, device=device, validate=False)
        call = partial(APPS[app], graph)
        peak, result = peak_of(device, call)
        timing = take_turns({app: call}, device, repeat, after={app: lambda again: None})[app]
        more: dict[str, Any] = {"arcs": graph.num_arcs, "iterations": getattr(result, "iterations", None)}
        if app == "bfs":
            more["reached"] = int(graph.degree()[result.depth >= 0].sum())
            more["gteps"] = more["reached"] / 1e6 / timing.median
        tell(app, timing.samples, size + peak, **more)
        del graph, call, result
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scales", type=int, nargs="+")
    parser.add_argument("--apps", default=",".join(APPS))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    device, rows = resolve(options.device), []
    check_counted(device)
    for scale in options.scales:
        rows += measure(scale, options.apps.split(","), device, options.repeat)
    if options.json:
        document.write(options.json, document.document("large graphs", device, {"repeat": options.repeat}, [], rows))


if __name__ == "__main__":
    main()
