"""Start-up: the time of first calls in new processes, with empty caches and with full caches."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from compileall import compile_dir
from pathlib import Path
from typing import Any

import minigr
from minigr.bench import first_call
from minigr.bench.document import MINIGR, Row, row
from minigr.bench.machine import installed
from minigr.bench.measure import Tell, ignore
from minigr.bench.start_cases import APPS, CASES, GRAPHS, PROGRAMS, write_files
from minigr.errors import MeasurementError

PROCESS = "process"
RUN_BFS = "run-bfs"
GROUPS = {
    **{group: [name for name, case in CASES.items() if case.group == group] for group in (APPS, PROGRAMS, GRAPHS)},
    PROCESS: [RUN_BFS],
}
"""All that can be measured: the cases of `minigr.bench.start_cases`, and processes of ``minigr run bfs``."""
COLD, WARM = "cold", "warm"
_CACHES = {"MINIGR_CACHE_DIR": "minigr", "CUPY_CACHE_DIR": "cupy", "CUDA_CACHE_PATH": "cuda"}

Found = dict[str, dict[str, Any]]
"""For the name of each call: ``ms`` and other figures of the call."""


def choose(names: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """The cases with these names or in these groups, by default all; and the cases left out, with the reason.

    Examples
    --------
    >>> choose(["programs", "rmat"])[0]
    ['one-operator', 'three-operators', 'six-operators', 'rmat']
    """
    wanted = dict.fromkeys(case for name in names or GROUPS for case in GROUPS.get(name, [name]))
    packages = {name: CASES[name].package for name in wanted if name in CASES}
    absent = {
        name: f"{needed} is not installed" for name, needed in packages.items() if needed and not installed(needed)
    }
    return [name for name in wanted if name not in absent], absent


def measure_start(
    names: Sequence[str], graph: str, device: str, cold: int, warm: int, rows: list[Row], tell: Tell = ignore
) -> None:
    """Time the first calls of fresh processes.

    Each process runs one case. The cases take turns, so that a drift of the machine affects all of them. The bytecode
    of the package is compiled first, if its folder is writable.

    Parameters
    ----------
    names : sequence of str
        Names of cases, as `choose` returns them.
    graph : str
        The graph for `RUN_BFS`: a file, or the name of a graph that comes with minigr.
    device : str
    cold : int
        Processes of each case that start with empty caches (minigr's, CuPy's and the CUDA driver's); at least 1.
    warm : int
        Processes of each case that start with the caches of its last cold process; at least 1.
    rows : list of Row
        Gets the rows at the end, also if an error or an interrupt ends the measurement early. There is a row for each
        call, cold and warm, with wall times of the call or, for `RUN_BFS`, of the whole process. Rows also have
        medians. All have ``cpu_ms``, the CPU time of all cores. A call has ``imports_ms``, the time of import
        statements within the call; ``before_ms``, the time from the start of the process's clock to the first call; and
        ``imports_before_ms``, the time of imports before the first call. A whole process has ``read_ms`` and
        ``first_ms``, its own figures for the reading of the graph and for the first call.

    Raises
    ------
    MeasurementError
        If a process fails. The message has the output of the process.
    """
    samples: dict[tuple[str, str, str], list[dict[str, float]]] = {}
    compile_dir(Path(minigr.__file__).parent, quiet=2)  # as pip does when it installs a package
    try:
        with tempfile.TemporaryDirectory(prefix="minigr-start-") as folder:
            write_files(Path(folder))
            caches: dict[str, dict[str, str]] = {}
            for turn in range(cold + warm):
                start = COLD if turn < cold else WARM
                for name in names:
                    tell(f"{name}, {start} start, process {turn + 1} of {cold + warm}")
                    if start == COLD:
                        caches[name] = _empty_caches(Path(folder, f"{name}-{turn}"))
                    request = {"case": name, "device": device, "folder": folder}
                    found = _whole(graph, device, caches[name]) if name == RUN_BFS else _calls(request, caches[name])
                    for call, figures in found.items():
                        samples.setdefault((name, call, start), []).append(figures)
    finally:
        calls = dict.fromkeys((name, call) for name, call, _ in samples)
        keys = [(*call, start) for call in calls for start in (COLD, WARM)]
        rows += [_row(*key, samples[key]) for key in keys if key in samples]


def _row(name: str, call: str, start: str, found: Sequence[Mapping[str, float]]) -> Row:
    group = PROCESS if name == RUN_BFS else CASES[name].group
    key = {"group": group, "call": call, "start": start, "by": MINIGR}
    samples = {figure: [figures[figure] for figures in found] for figure in found[0]}
    walls = samples.pop("ms")
    return row(key, walls) | {figure: statistics.median(values) for figure, values in samples.items()}


def _empty_caches(folder: Path) -> dict[str, str]:
    for name in _CACHES.values():
        (folder / name).mkdir(parents=True)
    return {variable: str(folder / name) for variable, name in _CACHES.items()}


def _calls(request: Mapping[str, str], caches: Mapping[str, str]) -> Found:
    """Time the calls of a case in a new process."""
    told, _ = _process([*first_call.COMMAND, json.dumps(request)], caches)
    before = {"before_ms": told["before"]["ms"], "imports_before_ms": told["before"]["imports_ms"]}
    return {call: {**figures, **before} for call, figures in told["calls"].items()}


def _whole(graph: str, device: str, caches: Mapping[str, str]) -> Found:
    """Time a process of ``minigr run bfs``."""
    command = [sys.executable, "-m", "minigr", "run", "bfs", graph, "--device", device, "--json"]
    told, process = _process(command, caches)
    parts = {"read_ms": told["graph"]["read_ms"], "first_ms": told["results"][0]["first_ms"]}
    return {f"minigr run bfs {Path(graph).name}": {**process, **parts}}


def _process(command: Sequence[str], caches: Mapping[str, str]) -> tuple[Any, dict[str, float]]:
    """The JSON that a process printed, and the times of the whole process."""
    before, started = os.times(), time.perf_counter()
    done = subprocess.run(command, env={**os.environ, **caches}, capture_output=True, text=True, check=False)
    whole, after = (time.perf_counter() - started) * 1e3, os.times()
    if done.returncode != 0:
        raise MeasurementError(f"{' '.join(command)} failed:\n{done.stderr}")
    busy = after.children_user + after.children_system - before.children_user - before.children_system
    return json.loads(done.stdout), {"ms": whole, "cpu_ms": busy * 1e3}
