"""A graph whose arcs a GPU reads from the host's memory, compared with the same graph in the GPU's memory.

    python benchmarks/arcs_on_host.py [SCALE] [--edge-factor 16] [--device DEVICE] [--repeat 5] [--json OUT]

The graph is an R-MAT graph with 2^SCALE vertices (24), both ways and simple. The rate of the link is that of
`graph.to("cuda")`, which copies the neighbors from page-locked memory. `link_share` of PageRank is the rate at which an
iteration reads neighbors over the rate of the link. `over_device` of a call is its time over that of the same call with
the GPU's own memory; both take turns. On a CPU both graphs are alike, and the link is a copy within memory. An error or
Ctrl-C keeps the rows that were measured before it.
"""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import minigr as mg
from minigr.bench import document
from minigr.bench.measure import take_turns
from minigr.bench.named import ITERATIONS, NEVER
from minigr.device import Device, resolve

CALLS: dict[str, Callable[[Any], Any]] = {
    "bfs": lambda graph: mg.bfs(graph, int(graph.degree().argmax())),
    "components": mg.connected_components,
    "pagerank-step": lambda graph: mg.pagerank(graph, tol=NEVER, max_iter=ITERATIONS),
}
WHERE = ("device", "host")


def measure(scale: int, edge_factor: int, device: Device, repeat: int, rows: list[Any], facts: list[Any]) -> None:
    """Add each row to `rows` as soon as it is measured, and the facts about the graphs for a document to `facts`."""
    name = f"rmat{scale}"
    make = {arcs: partial(mg.generate.rmat, scale, edge_factor, device=device, arcs=arcs) for arcs in WHERE}

    def tell(call: str, arcs: str, samples: list[float], **found: Any) -> None:
        rows.append(document.row({"graph": name, "call": call, "arcs": arcs, "by": document.MINIGR}, samples, **found))
        said = "".join(f", {what} {value:.3g}" for what, value in found.items())
        print(f"{call}, arcs on the {arcs}: {rows[-1]['median']:.4g} ms{said}", flush=True)

    drop = dict.fromkeys(WHERE, lambda made: None)
    for arcs, timing in take_turns(make, device, repeat, after=drop).items():
        tell("generate", arcs, timing.samples)
    graphs = {arcs: call() for arcs, call in make.items()}
    facts += [{**document.graph_facts(name, graph), "arcs_on": graph.arcs} for graph in graphs.values()]
    held = graphs["host"]
    bytes_read = int(held.indices.nbytes)
    copy = partial(held.to, device) if device.is_cuda else held.indices.copy
    timing = take_turns({"": copy}, device, repeat, after={"": lambda copied: None})[""]
    link = bytes_read / timing.median / 1e6
    tell("copy to the device", "host", timing.samples, gbytes_per_s=link)
    for call_name, call in CALLS.items():
        per = ITERATIONS if call_name == "pagerank-step" else 1
        timings = take_turns({arcs: partial(call, graph) for arcs, graph in graphs.items()}, device, repeat)
        own = timings["device"].median
        for arcs, timing in timings.items():
            found = {"over_device": timing.median / own}
            if per > 1:
                found["gbytes_per_s"] = bytes_read * per / timing.median / 1e6
                if arcs == "host":
                    found["link_share"] = found["gbytes_per_s"] / link
            tell(call_name, arcs, [sample / per for sample in timing.samples], **found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scale", nargs="?", type=int, default=24)
    parser.add_argument("--edge-factor", type=int, default=16)
    parser.add_argument("--device")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    device = resolve(options.device)
    settings = {"repeat": options.repeat, "scale": options.scale, "edge_factor": options.edge_factor}
    rows: list[Any] = []
    facts: list[Any] = []
    try:
        measure(options.scale, options.edge_factor, device, options.repeat, rows, facts)
    finally:
        if options.json and rows:
            document.write(options.json, document.document("arcs on the host", device, settings, facts, rows))


if __name__ == "__main__":
    main()
