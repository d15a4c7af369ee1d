"""R-MAT graphs over several GPUs, compared with the same graphs on one of the GPUs.

    python benchmarks/large_parts.py 26 28:bfs,pagerank-step 30:bfs --devices 0,1 [--repeat 3] [--seconds S]
                                     [--json OUT]

A scale E makes 2^E vertices and draws 16 * 2^E edges, both ways and simple, in parts on the GPUs and on the first GPU
alone. The calls follow the scale; by default all are measured. If one GPU has no room for the graph, only the parts are
measured. Milliseconds are medians of the calls after the first; `pagerank-step` is one iteration of twenty. `speedup`
is the time on one GPU over the time in parts. Billions of arcs per second of a search count the arcs of all vertices
that it reaches. The devices may be parts on a CPU, for example `cpu,cpu`.

OUT is written after each call, so that the rows are kept if the script is ended. No call begins after S seconds.
"""

import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from scales import Clock, calls_of, parser_of

import minigr as mg
from minigr.bench import document
from minigr.bench.named import ITERATIONS, NEVER
from minigr.device import Device, resolve
from minigr.errors import OutOfMemoryError

IN_PARTS = f"{document.MINIGR}, in parts"
WARM = 18  # the scale of a graph that everything runs on first, so that no sample has to load a program
APPS: dict[str, Callable[[Any, int], Any]] = {
    "bfs": mg.bfs,
    "pagerank-step": lambda graph, source: mg.pagerank(graph, tol=NEVER, max_iter=ITERATIONS),
    "components": lambda graph, source: mg.connected_components(graph),
    "triangles": lambda graph, source: mg.triangle_count(graph),
}


def hub_of(graph: Any) -> int:
    """The vertex with the most out-arcs, where searches start."""
    return int(graph.out_degree().argmax())


def reached_arcs(graph: Any, depth: Any) -> int:
    """The number of arcs that leave the vertices that a search reached."""
    return int((graph.out_degree() * (depth >= 0)).sum())


class Measured:
    """The rows, and the file that they are written to."""

    def __init__(self, devices: list[Device], repeat: int, clock: Clock, path: Path | None) -> None:
        self.devices, self.repeat, self.clock, self.path = devices, repeat, clock, path
        self.rows: list[dict[str, Any]] = []

    def scale(self, scale: int, apps: list[str]) -> None:
        """Measure a graph on one device and in parts: how long making it takes, and some calls on it."""
        alone: dict[str, float] = {}
        for by, where in (
            (document.MINIGR, {"device": str(self.devices[0])}),
            (IN_PARTS, {"devices": list(map(str, self.devices))}),
        ):
            if self.clock.is_over(f"rmat{scale} {by}"):
                return
            try:
                samples, graph = self._timed(partial(mg.generate.rmat, scale, 16, **where), 1)
            except OutOfMemoryError as error:
                if by == IN_PARTS:
                    raise
                print(f"rmat{scale} on one device: {error}", flush=True)
                continue
            self._tell(scale, "generate", by, samples, alone, memory=graph.memory, arcs=graph.num_arcs)
            for app in apps:
                if not self.clock.is_over(f"rmat{scale} {app} {by}"):
                    self._app(scale, app, by, graph, alone)
                    graph.drop()
            del graph

    def _app(self, scale: int, app: str, by: str, graph: Any, alone: dict[str, float]) -> None:
        call, per = partial(APPS[app], graph, hub_of(graph)), ITERATIONS if app == "pagerank-step" else 1
        self._timed(call, 1)
        samples, result = self._timed(call, self.repeat)
        found: dict[str, Any] = {}
        if app == "bfs":
            found["gteps"] = reached_arcs(graph, result.depth) / 1e6 / statistics.median(samples)
        self._tell(scale, app, by, [sample / per for sample in samples], alone, **found)

    def _timed(self, call: Callable[[], Any], repeat: int) -> tuple[list[float], Any]:
        samples, result = [], None
        for _ in range(repeat):
            result = None  # free the memory of the last result before the next call
            begun = time.perf_counter()
            result = call()
            for device in self.devices:
                device.synchronize()
            samples.append(1e3 * (time.perf_counter() - begun))
        return samples, result

    def _tell(
        self, scale: int, what: str, by: str, samples: list[float], alone: dict[str, float], **found: Any
    ) -> None:
        """Add a row, and print it."""
        row = document.row({"graph": f"rmat{scale}", "call": what, "by": by}, samples, **found)
        if by == document.MINIGR:
            alone[what] = row["median"]
        elif what in alone:
            row["speedup"] = alone[what] / row["median"]
        self.rows.append(row)
        said = "".join(f", {name} {row[name]:,.4g}" for name in ("arcs", "gteps", "speedup") if name in row)
        print(f"rmat{scale} {what}, {by}: {row['median']:.4g} ms{said}", flush=True)
        if self.path:
            settings = {"repeat": self.repeat, "devices": list(map(str, self.devices))}
            document.write(
                self.path, document.document("large graphs in parts", self.devices[0], settings, [], self.rows)
            )


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--devices", required=True, help="as of minigr run: 0,1 or cpu,cpu")
    options = parser.parse_args()
    clock = Clock(options.seconds)
    names = [f"cuda:{name}" if name.isdigit() else name for name in options.devices.split(",")]
    measured = Measured([resolve(name) for name in names], options.repeat, clock, options.json)
    wanted = calls_of(options.scales, list(APPS))
    for graph in (mg.generate.rmat(WARM, 16, device=names[0]), mg.generate.rmat(WARM, 16, devices=names)):
        for app in dict.fromkeys(app for _, apps in wanted for app in apps):
            APPS[app](graph, hub_of(graph))
    print(f"programs loaded after {clock.seconds:.1f} s", flush=True)
    for scale, apps in wanted:
        measured.scale(scale, apps)
    print(f"{clock.seconds:.1f} s in all")


if __name__ == "__main__":
    main()
