"""PageRank over a graph that is mapped from a disk, in a process with room for half of the graph's bytes.

    python benchmarks/mapped_rank.py FOLDER [--scale 22] [--iterations 3] [--repeat 3] [--json OUT]

A random graph of 2^scale vertices and 16 times as many edges is written to FOLDER as a .minigr folder. A process with
limited data maps the graph and ranks it. Before each sample of `cold`, which is one iteration, the files are removed
from the system's cache, so that the whole graph is read from the disk. For comparison, the script also times a plain
sequential read of the same files, and an iteration with the files in the cache. Linux only.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import minigr as mg
from minigr.bench import document
from minigr.bench.named import NEVER
from minigr.device import CPU

EDGES = 16
HELD = bytearray(1 << 22)  # the buffer of plain reads


def forget(folder: Path) -> None:
    """Remove a folder's files from the system's cache."""
    for path in folder.iterdir():
        with path.open("rb") as handle:
            os.fsync(handle.fileno())
            os.posix_fadvise(handle.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def read_through(folder: Path) -> None:
    for path in folder.iterdir():
        with path.open("rb", buffering=0) as handle:
            while handle.readinto(HELD):
                pass


def seconds(call, *arguments) -> float:
    begun = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - begun


def limit_data(room: int) -> None:
    """Let this process allocate `room` more bytes of data. Mapped files do not count as data."""
    with open("/proc/self/status") as status:
        used = next(int(line.split()[1]) for line in status if line.startswith("VmData")) << 10
    resource.setrlimit(resource.RLIMIT_DATA, (used + room, used + room))


def ranked(folder: Path, iterations: int) -> None:
    mg.pagerank(mg.read(folder, mmap=True), tol=NEVER, max_iter=iterations)


def child(folder: Path, small: Path, iterations: int, repeat: int) -> None:
    """Run the measurements, and print them as JSON."""
    ranked(small, 2)  # loads the program
    size = mg.read(folder, mmap=True).memory
    limit_data(size // 2)
    try:
        mg.read(folder, device="cpu")
        fits = True
    except MemoryError:
        fits = False
    found = {"plain read": [], "cold": [], "cached": []}
    for _ in range(repeat):
        forget(folder)
        found["plain read"].append(1e3 * seconds(read_through, folder))
        taken = 0.0
        for _ in range(iterations):
            forget(folder)
            taken += seconds(ranked, folder, 1)
        found["cold"].append(1e3 * taken / iterations)
        read_through(folder)
        found["cached"].append(1e3 * seconds(ranked, folder, 1))
    print(json.dumps({"bytes": size, "fits": fits, "samples": found}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scale", type=int, default=22)
    parser.add_argument("--iterations", type=int, default=3)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    graph, small = (options.folder / f"uniform-{scale}.minigr" for scale in (options.scale, 10))
    if os.environ.get("MINIGR_CHILD"):
        child(graph, small, options.iterations, options.repeat)
        return
    for scale, path in ((options.scale, graph), (10, small)):
        mg.write(mg.generate.uniform(1 << scale, EDGES << scale, simple=False, device="cpu"), path)
    run = subprocess.run(
        [sys.executable, __file__, *sys.argv[1:]],
        env={**os.environ, "MINIGR_CHILD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        sys.exit(run.stderr)
    found = json.loads(run.stdout)
    rows = []
    for name, samples in found["samples"].items():
        key = {"graph": graph.stem, "call": name, "by": document.MINIGR}
        rows.append(document.row(key, samples, graph_bytes=found["bytes"], limit_bytes=found["bytes"] // 2))
        rate = found["bytes"] / rows[-1]["median"] / 1e6
        rows[-1]["gbytes_per_s"] = rate
        print(f"{name}: {rows[-1]['median']:.0f} ms, {rate:.2f} GB/s")
    print(f"the graph takes {found['bytes']:,} bytes; it fits into the limit: {found['fits']}")
    if options.json:
        settings = {"iterations": options.iterations, "repeat": options.repeat}
        document.write(options.json, document.document("mapped rank", CPU, settings, [], rows))


if __name__ == "__main__":
    main()
