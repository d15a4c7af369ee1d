"""The apps on a CPU beside SciPy and NetworkX, all in one run: machines are noisy, so look at the ratios.

    python benchmarks/on_a_cpu.py GRAPH.npz... [--repeat 9] [--json OUT]

Source: the vertex of highest degree. BFS is held against `scipy.sparse.csgraph.breadth_first_order`, SSSP against
`dijkstra`, PageRank (to convergence at the default tolerance) against `networkx.pagerank`, which works through SciPy.
Calls take turns. Also the peak memory that a BFS adds to a process that holds the graph, over the size of the graph.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from apps import machine
from scipy.sparse import csgraph

import minigr as mg

# A process of its own, so that nothing else is counted. Linux resets the peak when 5 is written to clear_refs.
_MEMORY = """
import re, sys
from pathlib import Path
import numpy as np
import minigr as mg
data = np.load(sys.argv[1])
graph = mg.Graph.from_csr(data["indptr"], data["indices"], device="cpu", validate=False)
source = int(np.argmax(np.diff(data["indptr"])))
mg.bfs(mg.generate.star(4, device="cpu"), 0)  # loads Numba and the compiled program
Path("/proc/self/clear_refs").write_text("5")
kilobytes = lambda name: int(re.search(name + r":\\s*(\\d+)", Path("/proc/self/status").read_text()).group(1))
before = kilobytes("VmRSS")
mg.bfs(graph, source)
print(1 + (kilobytes("VmHWM") - before) * 1024 / graph.memory)
"""


def take_turns(calls: dict[str, Any], repeat: int) -> dict[str, dict[str, float]]:
    """Milliseconds of each call, called in turn; the first round is thrown away."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(repeat + 1):
        for name, call in calls.items():
            started = time.perf_counter()
            call()
            times[name].append((time.perf_counter() - started) * 1e3)
    return {
        name: {"median": statistics.median(t[1:]), "least": min(t[1:]), "most": max(t[1:])} for name, t in times.items()
    }


def rivals(graph: Any, source: int) -> dict[str, dict[str, Any]]:
    """For each app: minigr's call and the rival's."""
    matrix = graph.to_scipy()
    plain = mg.Graph.from_csr(graph.offsets, graph.indices, device="cpu", validate=False)
    networkx_graph = plain.to_networkx()
    return {
        "bfs": {
            "minigr": lambda: mg.bfs(graph, source),
            "scipy": lambda: csgraph.breadth_first_order(matrix, source),
        },
        "sssp": {"minigr": lambda: mg.sssp(graph, source), "scipy": lambda: csgraph.dijkstra(matrix, indices=source)},
        "pagerank": {"minigr": lambda: mg.pagerank(plain), "networkx": lambda: nx.pagerank(networkx_graph)},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graphs", nargs="+", type=Path)
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    for path in options.graphs:
        graph = mg.read(path, device="cpu")
        source = int(np.argmax(graph.degree()))
        for app, calls in rivals(graph, source).items():
            found = take_turns(calls, options.repeat if app != "pagerank" else 2)
            rival = next(name for name in calls if name != "minigr")
            ratio = found[rival]["median"] / found["minigr"]["median"]
            rows.append({"graph": path.stem, "app": app, "ratio": ratio, **found})
            print(
                f"{path.stem:>8} {app:<9} minigr {found['minigr']['median']:9.2f} ms   {rival} "
                f"{found[rival]['median']:9.2f} ms   ratio {ratio:.2f}",
                flush=True,
            )
        memory = subprocess.run([sys.executable, "-c", _MEMORY, str(path)], capture_output=True, text=True, check=True)
        rows.append({"graph": path.stem, "app": "bfs peak memory over the graph's", "ratio": float(memory.stdout)})
        print(f"{path.stem:>8} peak memory of a BFS over the graph's own: {float(memory.stdout):.2f}", flush=True)
    if options.json:
        facts = machine(mg.device.CPU) | {"cores": str(os.cpu_count())}
        options.json.write_text(json.dumps({"machine": facts, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
