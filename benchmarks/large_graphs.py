"""R-MAT graphs that fill the memory of a GPU: time to make, search and rank them, and the peak memory of each call.

    python benchmarks/large_graphs.py 29:bfs,pagerank,components 26 [--repeat 3] [--seconds S] [--json OUT]

A scale E makes 2^E vertices and draws 16 * 2^E edges, both ways and simple. The calls follow the scale; by default all
are measured. The peak memory of a row is that of the graph and of the first call, including what the call makes and
keeps, over the bytes of the graph. `estimated_bytes` is the estimate of `mg.memory.estimate` before the call.
Milliseconds are medians of the calls after the first. Billions of arcs per second of a search count the arcs of all
vertices that it reaches. `pagerank in little` runs with a limit of CuPy's pool, so that all of it has 1.3 times the
bytes of the graph, and a copy of the rows by degree has no room.

OUT is written after each call, so that the rows are kept if the script is ended. No call begins after S seconds.
"""

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from scales import Clock, calls_of, parser_of

import minigr as mg
from minigr.bench import document
from minigr.bench.memory import check_counted, peak_of
from minigr.bench.named import ITERATIONS, NEVER
from minigr.device import resolve

LITTLE = 1.3  # the limit of memory, as a multiple of the graph's bytes
LONG = 5.0  # seconds of samples after which a call is not sampled again
WARM = 18  # the scale of a graph that everything runs on first, so that no sample has to load a program


def rank(graph: Any) -> Any:
    return mg.pagerank(graph, tol=NEVER, max_iter=ITERATIONS)


APPS: dict[str, Callable[[Any], Any]] = {
    "bfs": lambda graph: mg.bfs(graph, int(graph.degree().argmax())),
    "pagerank": rank,
    "pagerank in little": rank,
    "components": mg.connected_components,
    "core_number": mg.core_number,
    "triangle_count": mg.triangle_count,
}


@contextmanager
def room_for(app: str, graph: Any) -> Iterator[None]:
    """Limit the memory for the run of an app, if the app has a limit."""
    if not app.endswith("in little"):
        yield
        return
    import cupy

    pool = cupy.get_default_memory_pool()
    pool.free_all_blocks()
    pool.set_limit(size=int(LITTLE * graph.memory))
    try:
        yield
    finally:
        pool.set_limit(size=0)


class Measured:
    """The rows, and the file that they are written to."""

    def __init__(self, device: Any, repeat: int, clock: Clock, path: Path | None) -> None:
        self.device, self.repeat, self.clock, self.path = device, repeat, clock, path
        self.rows: list[dict[str, Any]] = []

    def scale(self, scale: int, apps: list[str]) -> None:
        """Measure a graph, and some calls on it."""
        if self.clock.is_over(f"rmat{scale}"):
            return
        begun = time.perf_counter()
        peak, graph = peak_of(self.device, partial(mg.generate.rmat, scale, 16, device=self.device))
        self.tell(scale, "generate", [1e3 * (time.perf_counter() - begun)], peak, graph)
        for app in apps:
            if not self.clock.is_over(f"rmat{scale} {app}"):
                with room_for(app, graph):
                    self.app(scale, app, graph)
                graph.drop()

    def app(self, scale: int, app: str, graph: Any) -> None:
        """Measure a call on a graph."""
        call, samples, own = partial(APPS[app], graph), [], graph.memory
        estimated = mg.memory.estimate(APPS[app], graph)
        peak, result = peak_of(self.device, call)
        more: dict[str, Any] = {"arcs": graph.num_arcs, "iterations": getattr(result, "iterations", None)}
        if app == "bfs":
            more["reached"] = int(graph.degree()[result.depth >= 0].sum())
        while not samples or (len(samples) < self.repeat and sum(samples) < 1e3 * LONG):
            del result
            begun = time.perf_counter()
            result = call()
            self.device.synchronize()
            samples.append(1e3 * (time.perf_counter() - begun))
        if app == "bfs":
            more["gteps"] = more["reached"] / 1e6 / statistics.median(samples)
        taken = estimated.device if self.device.is_cuda else estimated.host
        self.tell(scale, app, samples, own + peak, graph, estimated_bytes=own + taken, **more)

    def tell(self, scale: int, what: str, samples: list[float], most: int, graph: Any, **found: Any) -> None:
        """Add a row, and print it."""
        own = sum(int(array.nbytes) for array in (graph.offsets, graph.indices))
        found |= {"peak_bytes": most, "over_graph": most / own, "graph_bytes": own}
        key = {"graph": f"rmat{scale}", "call": what, "by": document.MINIGR}
        self.rows.append(document.row(key, samples, **found))
        said = "".join(f", {name} {found[name]:,.4g}" for name in ("estimated_bytes", "gteps") if name in found)
        time_taken = f"{self.rows[-1]['median']:.4g} ms"
        print(f"rmat{scale} {what}: {time_taken}, {most:,} bytes, {most / own:.2f} times the graph{said}", flush=True)
        if self.path:
            settings = {"repeat": self.repeat}
            document.write(self.path, document.document("large graphs", self.device, settings, [], self.rows))


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--device")
    options = parser.parse_args()
    clock = Clock(options.seconds)
    device = resolve(options.device)
    check_counted(device)
    every = [app for app in APPS if device.is_cuda or not app.endswith("in little")]
    wanted = calls_of(options.scales, every)
    graph = mg.generate.rmat(WARM, 16, device=device)
    for app in dict.fromkeys(app for _, apps in wanted for app in apps):
        APPS[app](graph)
    del graph
    print(f"programs loaded after {clock.seconds:.1f} s", flush=True)
    measured = Measured(device, options.repeat, clock, options.json)
    for scale, apps in wanted:
        measured.scale(scale, apps)
    print(f"{clock.seconds:.1f} s in all")


if __name__ == "__main__":
    main()
