"""Start-up: what fresh processes take for a first call, with empty caches and with full ones."""

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
"""What can be measured: the cases of `minigr.bench.start_cases`, and whole processes of ``minigr run bfs``."""
COLD, WARM = "cold", "warm"
_CACHES = {"MINIGR_CACHE_DIR": "minigr", "CUPY_CACHE_DIR": "cupy", "CUDA_CACHE_PATH": "cuda"}

Found = dict[str, dict[str, Any]]
"""By the name of a call: ``ms`` and other figures of it."""


def choose(names: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """The cases of these names and groups, by default all; and those left out, with the reason.

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

    Each process is of one case. The cases take turns, so that a drift of the machine meets all of them. Python's own
    bytecode of the package is made first, where its folder can be written.

    Parameters
    ----------
    names : sequence of str
        Of the cases, as `choose` returns them.
    graph : str
        What `RUN_BFS` runs on: a file, or the name of a graph that comes with minigr.
    device : str
    cold : int
        Processes of each case that start with empty caches (minigr's, CuPy's and the CUDA driver's); 1 at least.
    warm : int
        Processes of each case that start with the caches that its last cold one left; 1 at least.
    rows : list of Row
        Gets the rows in the end, also where an error or an interrupt ends it before. For each call, cold and warm: wall
        times of the call or, for `RUN_BFS`, of the whole process. Beside them are medians: ``cpu_ms``, of all cores; of
        a call ``imports_ms``, what import statements within the call took, ``before_ms``, from the start of the
        process's clock to the first call, and ``imports_before_ms`` of that; of a whole process ``read_ms`` and
        ``first_ms``, what it reports of reading the graph and of the first call.

    Raises
    ------
    MeasurementError
        If a process fails; has what it printed.
    """
    samples: dict[tuple[str, str, str], list[dict[str, float]]] = {}
    compile_dir(Path(minigr.__file__).parent, quiet=2)  # as pip does when it installs
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
    """The calls of a case, in a process of its own."""
    told, _ = _process([*first_call.COMMAND, json.dumps(request)], caches)
    before = {"before_ms": told["before"]["ms"], "imports_before_ms": told["before"]["imports_ms"]}
    return {call: {**figures, **before} for call, figures in told["calls"].items()}


def _whole(graph: str, device: str, caches: Mapping[str, str]) -> Found:
    """A process of ``minigr run bfs``."""
    command = [sys.executable, "-m", "minigr", "run", "bfs", graph, "--device", device, "--json"]
    told, process = _process(command, caches)
    parts = {"read_ms": told["graph"]["read_ms"], "first_ms": told["results"][0]["first_ms"]}
    return {f"minigr run bfs {Path(graph).name}": {**process, **parts}}


def _process(command: Sequence[str], caches: Mapping[str, str]) -> tuple[Any, dict[str, float]]:
    """What a process printed, as JSON, and the times of the process as a whole."""
    before, started = os.times(), time.perf_counter()
    done = subprocess.run(command, env={**os.environ, **caches}, capture_output=True, text=True, check=False)
    whole, after = (time.perf_counter() - started) * 1e3, os.times()
    if done.returncode != 0:
        raise MeasurementError(f"{' '.join(command)} failed:\n{done.stderr}")
    busy = after.children_user + after.children_system - before.children_user - before.children_system
    return json.loads(done.stdout), {"ms": whole, "cpu_ms": busy * 1e3}
