"""Rates of a dynamic graph's updates through the public calls, on a uniform and an R-MAT graph of a million vertices.

    python benchmarks/dynamic_updates.py [--device cuda] [--scale 20] [--edge-factor 16] [--repeat 7] [--json OUT]

Directed, without weights; random batches with duplicates, on the device. Each round takes a copy of the graph,
inserts a batch, asks for its edges and deletes them; millions a second by the clock around the call and a synchronize,
median of the rounds. On the CPU NetworkX's add_edges_from is timed beside it: machines are noisy, look at the ratio.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import minigr as mg
from minigr import device as devices
from minigr.bench.machine import facts

BATCHES = (16, 20, 22)  # powers of two


def uniform(rng: Any, xp: Any, scale: int, count: int) -> tuple[Any, Any]:
    """Ends drawn uniformly."""
    return tuple(rng.integers(0, 1 << scale, count).astype(xp.int32) for _ in range(2))


def rmat(rng: Any, xp: Any, scale: int, count: int) -> tuple[Any, Any]:
    """R-MAT with the chances of Graph500, labels shuffled the same way in every batch."""
    src, dst = xp.zeros(count, xp.int32), xp.zeros(count, xp.int32)
    for _ in range(scale):
        r = rng.random(count, dtype=xp.float32)
        src = (src << 1) | (r >= 0.76)
        dst = (dst << 1) | (((r >= 0.57) & (r < 0.76)) | (r >= 0.95))
    label = xp.asarray(np.random.default_rng(9).permutation(1 << scale).astype(np.int32))
    return label[src], label[dst]


class Clock:
    """Seconds of calls, by name."""

    def __init__(self, device: devices.Device) -> None:
        self.device, self.times = device, {}

    def __call__(self, name: str, call: Callable[[], Any]) -> Any:
        """Call it, and keep the time."""
        self.device.synchronize()
        started = time.perf_counter()
        result = call()
        self.device.synchronize()
        self.times.setdefault(name, []).append(time.perf_counter() - started)
        return result

    def rate(self, name: str, count: int) -> float:
        """Millions a second, of the median."""
        return count / statistics.median(self.times[name]) / 1e6


def rates(make: Any, options: argparse.Namespace, device: devices.Device) -> dict[str, float]:
    """Everything that is measured on one kind of graph."""
    xp, rng, clock = device.xp, device.xp.random.default_rng(1), Clock(device)
    n, m = 1 << options.scale, options.edge_factor << options.scale
    src, dst = make(rng, xp, options.scale, m)
    new = {"num_vertices": n, "device": str(device)}
    warm = mg.DynamicGraph.from_edges(src[:1000], dst[:1000], **new)
    warm.insert_edges(src[:9], dst[:9]), warm.delete_edges(src[:9], dst[:9]), warm.to_graph()
    found: dict[str, float] = {}
    for _ in range(options.repeat):
        graph = clock("bulk", lambda: mg.DynamicGraph.from_edges(src, dst, **new))
    found["bulk build"] = clock.rate("bulk", m)
    memory = graph.memory()
    found |= {"bytes an edge": memory.bytes_per_arc, "mean chain": memory.mean_chain, "load": memory.load}
    for power in BATCHES:
        if 1 << power > m:
            continue
        for round_ in range(options.repeat + 1):
            work, (s, d) = graph.copy(), make(rng, xp, options.scale, 1 << power)
            names = [f"{what} 2^{power}" for what in ("insert", "query", "delete")]
            for name, call in zip(names, (work.insert_edges, work.has_edges, work.delete_edges), strict=True):
                clock(name if round_ else "warm-up", lambda call=call, s=s, d=d: call(s, d))
        found |= {name: clock.rate(name, 1 << power) for name in names}
    for _ in range(options.repeat):
        clock("rows", graph.to_graph)
        clock("rehash", graph.rehash)
    found |= {"to_graph ms": 1e3 * statistics.median(clock.times["rows"]), "rehash": clock.rate("rehash", m)}
    step = min(1 << 20, m)
    for _ in range(max(1, options.repeat // 3)):
        grown = mg.DynamicGraph(n, device=str(device))
        parts = [(src[at : at + step], dst[at : at + step]) for at in range(0, m, step)]
        clock("nothing", lambda g=grown, parts=parts: [g.insert_edges(*part) for part in parts])
    found["from nothing, 2^20 a batch"] = clock.rate("nothing", m)
    found["mean chain then"] = grown.memory().mean_chain
    if not device.is_cuda:
        found |= beside_networkx(graph, make(rng, xp, options.scale, 1 << 18))
    return found


def beside_networkx(graph: Any, batch: tuple[Any, Any]) -> dict[str, float]:
    """Inserting a batch, and NetworkX adding the same edges to a graph of as many vertices."""
    import networkx as nx

    clock, pairs = Clock(devices.CPU), list(zip(*(ids.tolist() for ids in batch), strict=True))
    for _ in range(3):
        work, theirs = graph.copy(), nx.DiGraph()
        theirs.add_nodes_from(range(graph.num_vertices))
        clock("minigr", lambda work=work: work.insert_edges(*batch))
        clock("networkx", lambda theirs=theirs: theirs.add_edges_from(pairs))
    return {"times add_edges_from, 2^18": clock.rate("minigr", 1) / clock.rate("networkx", 1)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device")
    parser.add_argument("--scale", type=int, default=20)
    parser.add_argument("--edge-factor", type=int, default=16)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    device = devices.resolve(options.device)
    rows = {make.__name__: rates(make, options, device) for make in (uniform, rmat)}
    print(f"{'millions a second, unless said otherwise':<42} {'uniform':>10} {'R-MAT':>10}")
    for name in rows["uniform"]:
        print(f"{name:<42} {rows['uniform'][name]:10.2f} {rows['rmat'][name]:10.2f}")
    if options.json:
        options.json.write_text(json.dumps({"machine": facts(device), "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
