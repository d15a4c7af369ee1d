"""Apps on the CPU compared with the executables of the GAP benchmark suite, with several numbers of threads.

    python benchmarks/gap_suite.py FOLDER GRAPH... [--apps A,B,...] [--threads 2,4,16] [--source V] [--repeat 5]
                                   [--json OUT]

FOLDER has the executables bfs, sssp, pr, cc, tc and bc, as `make` builds them from github.com/sbeamer/gapbs. GRAPH is
an undirected graph with weights that are whole numbers. Searches start at the vertex of highest degree. Milliseconds of
the suite are by its own timer; those of minigr are of the public call. For each number of threads the trials of the
suite come first, then those of minigr. `suite_over_minigr` is the suite's median over minigr's. For `sssp` the suite
has the best of several widths of buckets, and finds no parents; minigr finds parents in `sssp`, and none in
`sssp-distances`. PageRank runs 20 iterations. OUT is written after each app, so that the rows are kept if the script is
ended.
"""

import argparse
import os
import re
import subprocess
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import minigr as mg
from minigr.bench import document
from minigr.bench.apps import APPS
from minigr.bench.measure import take_turns
from minigr.bench.named import ITERATIONS, without_weights
from minigr.device import CPU

SSSP = "sssp", ("-r", "{source}", "-d", "{width}")
SUITE: dict[str, tuple[str, tuple[str, ...]]] = {
    "bfs": ("bfs", ("-r", "{source}")),
    "sssp": SSSP,
    "sssp-distances": SSSP,
    "pagerank-step": ("pr", ("-i", str(ITERATIONS), "-t", "0")),
    "pagerank-step-single": ("pr", ("-i", str(ITERATIONS), "-t", "0")),
    "components": ("cc", ()),
    "triangles": ("tc", ()),
    "betweenness": ("bc", ("-r", "{source}", "-i", "1")),
}
"""For each app, the suite's executable and its arguments. The suite has PageRank only in single precision."""
OURS = APPS | {"sssp-distances": replace(APPS["sssp"], call=mg.sssp)}
WIDTHS = (8, 32, 128, 512)
SUITE_NAME = "gapbs"


def write_for_suite(graph: Any, path: Path, weighted: bool) -> None:
    """Write a file of the suite: whether directed, number of arcs and vertices, offsets, and the columns of arcs."""
    columns = [graph.indices, graph.weights] if weighted else [graph.indices]
    with path.open("wb") as file:
        np.array([graph.directed], np.bool_).tofile(file)
        np.array([graph.num_arcs, graph.num_vertices], np.int64).tofile(file)
        graph.offsets.astype(np.int64).tofile(file)
        np.stack([column.astype(np.int32) for column in columns], axis=1).tofile(file)


def suite_samples(program: Path, file: Path, told: list[str], threads: int, repeat: int) -> list[float]:
    """Milliseconds of the trials of one run of the suite."""
    done = subprocess.run(
        [program, "-f", file, "-n", str(repeat), *told],
        env=os.environ | {"OMP_NUM_THREADS": str(threads)},
        capture_output=True,
        text=True,
        check=True,
    )
    return [1e3 * float(seconds) for seconds in re.findall(r"Trial Time:\s*([0-9.]+)", done.stdout)]


def best_of_suite(folder: Path, app: str, files: tuple[Path, Path], source: int, threads: int, repeat: int) -> Any:
    """The samples of the suite's fastest run, and its width of buckets if it has one."""
    name, told = SUITE[app]
    weighted = SUITE[app] is SSSP
    file = files[weighted]
    runs = {
        width: suite_samples(
            folder / name, file, [each.format(source=source, width=width) for each in told], threads, repeat
        )
        for width in (WIDTHS if weighted else (None,))
    }
    width = min(runs, key=lambda each: float(np.median(runs[each])))
    return runs[width], width


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("graphs", nargs="+", type=Path)
    parser.add_argument("--apps", default=",".join(SUITE))
    parser.add_argument("--threads", default="2,4,16")
    parser.add_argument("--source", type=int)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    apps, counts = options.apps.split(","), [int(count) for count in options.threads.split(",")]
    settings = {"threads": counts, "repeat": options.repeat, "widths": list(WIDTHS)}
    rows: list[Any] = []
    facts: list[Any] = []
    for path in options.graphs:
        graph = mg.read(path, device="cpu")
        facts.append(document.graph_facts(path.stem, graph))
        plain = without_weights(graph)
        source = int(graph.degree().argmax()) if options.source is None else options.source
        with tempfile.TemporaryDirectory() as space:
            files = Path(space, "graph.sg"), Path(space, "graph.wsg")
            for file, weighted in zip(files, (False, True), strict=True):
                write_for_suite(graph, file, weighted)
            for name in apps:
                app = OURS[name]
                subject = graph if app.keeps_weights else plain
                for threads in counts:
                    theirs, width = best_of_suite(options.folder, name, files, source, threads, options.repeat)
                    mg.set_num_threads(threads)
                    call = {name: partial(app.call, subject, source)}
                    ours = take_turns(call, CPU, options.repeat)[name].samples
                    key = {"graph": path.stem, "call": name, "threads": threads}
                    rows.append(document.row(key | {"by": SUITE_NAME}, theirs, width=width))
                    over = float(np.median(theirs) / np.median(ours))
                    rows.append(document.row(key | {"by": document.MINIGR}, ours, suite_over_minigr=over))
                    medians = f"{np.median(ours):.4g} ms, {SUITE_NAME} {np.median(theirs):.4g}"
                    print(f"{name} on {path.stem}, {threads} threads: {medians}, {over:.2f}", flush=True)
                if options.json:
                    document.write(options.json, document.document("gap suite", CPU, settings, facts, rows))


if __name__ == "__main__":
    main()
