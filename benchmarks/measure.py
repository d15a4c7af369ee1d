"""Measure the files of benchmarks/results/ again on this machine: each by a command, its graphs, and its seconds.

    python benchmarks/measure.py --list
    python benchmarks/measure.py NAME... --out DIR --date YYYY-MM-DD --machine h200
                                 [--budget SECONDS] [--graphs FOLDER] [--device DEVICE]

writes DIR/YYYY-MM-DD-h200-NAME.json for each NAME, in the given order. Each command runs in a process of its own. If a
command fails, the others still run, and the end of the output names the failures. A graph that is not in FOLDER
(build/graphs) is made there first; a graph that is there is used as it is.

The seconds are approximate, for an H200 with empty caches; compilation takes most of them. With a budget, a command
that would take longer than the remaining time is left out, and a command that still runs when the budget is over is
interrupted. The benches then write what they have measured so far.
"""

from __future__ import annotations

import argparse
import datetime
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Formatter

ROOT = Path(__file__).resolve().parents[1]
GRACE = 30.0
"""Seconds in which an interrupted process may write its rows."""
SPACE = "space"
"""A placeholder in commands: a folder for files, next to the graphs."""


@dataclass(frozen=True)
class Recipe:
    """A graph: the arguments of ``minigr generate`` that make it, with {out} for the file, and approximate seconds."""

    command: str
    seconds: int


@dataclass(frozen=True)
class Measurement:
    """A file of results: the command that makes it, with graphs by their names in {}, and approximate seconds."""

    command: str
    seconds: int

    @property
    def graphs(self) -> list[str]:
        """The names of the graphs, in order."""
        fields = (field for _, field, _, _ in Formatter().parse(self.command) if field)
        return [field for field in dict.fromkeys(fields) if field != SPACE]


GRAPHS = {
    "kron21": Recipe("rmat 21 {out} --edge-factor 48 --weights 1 255", 15),
    "rgg22": Recipe("random-geometric 4194304 {out} --weights 1 255", 10),
    "road24m": Recipe("lattice 4896 4896 {out} --keep 0.6 --weights 1 255", 10),
    "urand22": Recipe("uniform 4194304 67108864 {out} --weights 1 255", 12),
    "kron18": Recipe("rmat 18 {out} --weights 1 255", 5),
    "kron16": Recipe("rmat 16 {out} --weights 1 255", 5),
    "uniform100": Recipe("uniform 100 800 {out} --weights 1 255", 5),
}
"""The graphs of the commands, by their names there. All weights are whole numbers."""

MEASUREMENTS = {
    "apps": Measurement(
        "minigr bench apps {kron21} {rgg22} {road24m} {urand22} {kron16} --source 0 --floor --peers none --limit 4", 240
    ),
    "apps-dynamic": Measurement(
        "minigr bench apps {kron21} {rgg22} --source 0 --dynamic --peers none --limit 1.5", 150
    ),
    "paper-mini-gunrock": Measurement("minigr bench paper mini-gunrock --graph {kron21} --graph {rgg22}", 400),
    "paper-slabgraph": Measurement("minigr bench paper slabgraph --repeat 9", 90),
    "paper-swarmgraph": Measurement("minigr bench paper swarmgraph", 150),
    "paper-meerkat": Measurement("minigr bench paper meerkat --graph {kron18} --graph {urand22} --repeat 10", 300),
    "maintained-kron21": Measurement("minigr bench maintained {kron21}", 120),
    "maintained-urand22": Measurement("minigr bench maintained {urand22}", 90),
    "maintained-road24m": Measurement("minigr bench maintained {road24m}", 120),
    "dynamic": Measurement("minigr bench dynamic --repeat 9", 90),
    "dynamic-65536": Measurement(
        "minigr bench dynamic updates --from 16 --to 16 --values none,int32 --peers none --repeat 25", 30
    ),
    "small-calls": Measurement("minigr bench apps {uniform100} --source 0 --peers none --repeat 100 --limit 2", 60),
    "start": Measurement(
        "minigr bench start bfs sssp pagerank components betweenness triangles truss programs from-edges rmat read-npz "
        "process --cold 3 --repeat 3",
        420,
    ),
    "build": Measurement("minigr bench build edges copies generators", 60),
    "large-graphs": Measurement("python benchmarks/large_graphs.py 28:bfs,pagerank,components 26", 150),
    "arcs-on-host": Measurement("python benchmarks/arcs_on_host.py 24", 60),
    "batch": Measurement("minigr bench batch synthetic --peers none --repeat 9", 30),
    "batch-weighted": Measurement(
        "minigr bench batch synthetic --calls distances,weighted-harmonic,weighted-betweenness --peers none --repeat 9",
        40,
    ),
    "primitives": Measurement("minigr bench primitives", 40),
    "operators-kron21": Measurement("minigr bench operators {kron21} --source 0", 40),
    "own-program": Measurement("python benchmarks/own_program.py {kron21} {rgg22} --source 0", 60),
    "functor-overhead": Measurement("python benchmarks/functor_overhead.py {kron21} {rgg22} {road24m} --repeat 10", 90),
    "million": Measurement("python benchmarks/million.py {space} --clusters 1x1,1x2 --readers 3", 180),
}
"""All files, by the last part of their names."""


class Interrupted(Exception):
    """A command still ran when the budget was over."""


class Machine:
    """Runs commands on this machine, one after the other, until the budget is over."""

    def __init__(self, graphs: Path, device: str | None, budget: float) -> None:
        self.graphs, self.until = graphs.resolve(), time.monotonic() + budget
        self.environment = os.environ | ({} if device is None else {"MINIGR_DEVICE": device})

    @property
    def left(self) -> float:
        """The remaining seconds of the budget."""
        return self.until - time.monotonic()

    def file_of(self, graph: str) -> Path:
        return self.graphs / f"{graph}.npz"

    def missing(self, graphs: Sequence[str]) -> list[str]:
        """The graphs that must be made first."""
        return [graph for graph in graphs if not self.file_of(graph).exists()]

    def seconds(self, wanted: Measurement) -> int:
        """Approximate seconds of a measurement, including those of missing graphs."""
        return wanted.seconds + sum(GRAPHS[graph].seconds for graph in self.missing(wanted.graphs))

    def measure(self, wanted: Measurement, out: Path) -> None:
        """Make the missing graphs, and run the command."""
        for graph in self.missing(wanted.graphs):
            self.graphs.mkdir(parents=True, exist_ok=True)
            words = shlex.split(GRAPHS[graph].command)
            self.run([*words_of("minigr generate"), *(word.format(out=self.file_of(graph)) for word in words)])
        files = {graph: self.file_of(graph) for graph in wanted.graphs} | {SPACE: self.graphs / SPACE}
        self.run([*(word.format(**files) for word in words_of(wanted.command)), "--json", str(out)])

    def run(self, words: Sequence[str]) -> None:
        """Run a command until it or the budget ends.

        Raises
        ------
        Interrupted
        subprocess.CalledProcessError
        """
        print(f"$ {shlex.join(words)}", flush=True)
        with subprocess.Popen(words, env=self.environment) as process:
            try:
                process.wait(max(self.left, 0))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGINT)
                _await_end(process)
                raise Interrupted from None
            except KeyboardInterrupt:  # the process got the signal, too
                _await_end(process)
                raise
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, words)


def _await_end(process: subprocess.Popen) -> None:
    try:
        process.wait(GRACE)
    except subprocess.TimeoutExpired:
        process.kill()


def words_of(command: str) -> list[str]:
    """The words of a command, with this Python and the scripts of this folder."""
    program, *words = shlex.split(command)
    if program == "minigr":
        return [sys.executable, "-m", "minigr", *words]
    return [sys.executable, str(ROOT / words[0]), *words[1:]]


def measure_all(names: Sequence[str], machine: Machine, out: Path, prefix: str) -> dict[str, str]:
    """Measure the named files; for each file that is not complete, return what happened."""
    out.mkdir(parents=True, exist_ok=True)
    became: dict[str, str] = {}
    for name in names:
        wanted, file = MEASUREMENTS[name], out.resolve() / f"{prefix}-{name}.json"
        if (needed := machine.seconds(wanted)) > machine.left:
            became[name] = f"left out: about {needed} s, and {max(machine.left, 0):.0f} s of the budget were left"
            continue
        file.unlink(missing_ok=True)  # so that a file of an earlier run is not taken for a result of this run
        begun = time.monotonic()
        try:
            machine.measure(wanted, file)
        except Interrupted:
            became[name] = f"cut short by the budget; {'some of it is in' if file.exists() else 'there is no'} {file}"
        except subprocess.CalledProcessError as error:
            some = f"; some of it is in {file}" if file.exists() else ""
            became[name] = f"failed with exit code {error.returncode}{some}: {shlex.join(error.cmd)}"
        print(f"{name}: {time.monotonic() - begun:.0f} s, about {needed} expected\n", flush=True)
    return became


def listed() -> str:
    """All files, each with its command and its graphs."""
    lines = []
    for name, wanted in MEASUREMENTS.items():
        graphs = ", ".join(wanted.graphs)
        command = wanted.command.format(**{graph: f"{graph}.npz" for graph in wanted.graphs}, space="FOLDER")
        lines.append(f"{name}: {wanted.seconds} s{f', on {graphs}' if graphs else ''}\n    {command}")
    lines.append("\ngraphs:")
    for name, recipe in GRAPHS.items():
        lines.append(f"{name}: {recipe.seconds} s\n    minigr generate {recipe.command.format(out=f'{name}.npz')}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--list", action="store_true", help="print the names, commands, graphs and seconds, and stop")
    parser.add_argument("--out", type=Path, metavar="DIR")
    parser.add_argument("--date", type=datetime.date.fromisoformat, metavar="YYYY-MM-DD", help="for the files' names")
    parser.add_argument("--machine", help="for the files' names, as in h200")
    parser.add_argument("--budget", type=float, default=float("inf"), metavar="SECONDS")
    parser.add_argument("--graphs", type=Path, default=ROOT / "build" / "graphs", metavar="FOLDER")
    parser.add_argument("--device", help="by default a GPU where there is one")
    options = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # processes ignore SIGINT if this process ignores it
    if options.list:
        print(listed())
        return
    unknown = [name for name in options.names if name not in MEASUREMENTS]
    if unknown or not options.names:
        parser.error(f"{', '.join(unknown) or 'nothing'} is not among what can be measured: see --list")
    if not (options.out and options.date and options.machine):
        parser.error("give --out, --date and --machine")
    machine = Machine(options.graphs, options.device, options.budget)
    became = measure_all(options.names, machine, options.out, f"{options.date}-{options.machine}")
    for name, what in became.items():
        print(f"{name}: {what}")
    print(f"{len(options.names) - len(became)} of {len(options.names)} measured")
    sys.exit(bool(became))


if __name__ == "__main__":
    main()
