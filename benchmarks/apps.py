"""Time the ready apps through their public calls, on graphs given as files.

    python benchmarks/apps.py GRAPH.npz... [--device cuda] [--repeat 10] [--source 0] [--json OUT]

Each call is timed with the host's clock around the call and a synchronize, with the graph resident and programs
compiled; the median and the spread (least and most) are printed and, with --json, written. PageRank is timed for twenty
iterations and divided by them.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import minigr as mg
from minigr import device as devices

PAGERANK_ITERATIONS = 20


def machine(device: devices.Device) -> dict[str, str]:
    """What a measurement depends on besides the code."""
    facts = {"python": platform.python_version(), "processor": platform.processor() or platform.machine()}
    for package in ("numpy", "numba", "numba-cuda", "cupy-cuda13x", "cuda-core"):
        try:
            facts[package] = version(package)
        except PackageNotFoundError:
            continue
    if device.is_cuda:
        runtime = device.xp.cuda.runtime
        facts["gpu"] = runtime.getDeviceProperties(device.index)["name"].decode()
        facts["driver"] = str(runtime.driverGetVersion())
    return facts


def measure(call: Any, device: devices.Device, repeat: int) -> dict[str, Any]:
    """Milliseconds of `call`: first, median, least, most."""
    times, result = [], None
    for _ in range(repeat + 1):
        device.synchronize()
        started = time.perf_counter()
        result = call()
        device.synchronize()
        times.append((time.perf_counter() - started) * 1e3)
    rest = times[1:]
    return {
        "first": times[0],
        "median": statistics.median(rest),
        "least": min(rest),
        "most": max(rest),
        "result": result,
    }


def apps_on(graph: Any, source: int) -> dict[str, Any]:
    """The calls to time, by name, each with the number of iterations to divide by."""
    calls = {"bfs": (lambda: mg.bfs(graph, source), 1)}
    if graph.weighted:
        calls["sssp"] = (lambda: mg.sssp(graph, source), 1)
    plain = mg.Graph.from_csr(
        graph.offsets, graph.indices, directed=graph.directed, device=graph.device, validate=False
    )
    steps = PAGERANK_ITERATIONS
    calls["pagerank (one iteration)"] = (lambda: mg.pagerank(plain, tol=1e-300, max_iter=steps), steps)
    return calls


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graphs", nargs="+", type=Path)
    parser.add_argument("--device")
    parser.add_argument("--repeat", type=int, default=10)
    parser.add_argument("--source", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    device = devices.resolve(options.device)
    rows = []
    for path in options.graphs:
        graph = mg.read(path, device=str(device))
        for name, (call, divide) in apps_on(graph, options.source).items():
            found = measure(call, device, options.repeat)
            iterations = found.pop("result").iterations
            row = {"graph": path.stem, "vertices": graph.num_vertices, "arcs": graph.num_arcs, "app": name}
            row |= {key: value / divide for key, value in found.items()} | {"steps": iterations}
            rows.append(row)
            print(
                f"{row['graph']:>10} {name:<26} {row['median']:10.3f} ms  ({row['least']:.3f} to {row['most']:.3f}; "
                f"first {row['first'] * divide:.0f}; {iterations} steps)",
                flush=True,
            )
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(device), "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
