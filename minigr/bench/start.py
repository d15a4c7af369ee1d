"""Start-up: how long a fresh process takes for a first result, with empty caches and with full ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from minigr.bench.document import MINIGR, Row, row
from minigr.bench.measure import Tell, ignore
from minigr.errors import MeasurementError

_CACHES = {"MINIGR_CACHE_DIR": "minigr", "CUPY_CACHE_DIR": "cupy"}


def measure_start(name: str, arguments: Sequence[str], cold: int, warm: int, tell: Tell = ignore) -> list[Row]:
    """Time fresh processes of ``minigr run bfs``.

    Parameters
    ----------
    name : str
        The graph's, in the rows' keys.
    arguments : sequence of str
        What follows ``minigr run bfs``.
    cold : int
        Processes that each start with empty caches (minigr's and CuPy's).
    warm : int
        Processes that start with the caches that the last cold one left.

    Returns
    -------
    list of Row
        For ``"cold"`` and ``"warm"`` each: ``"process"`` (from its start to its end), ``"read"`` (the graph's file) and
        ``"first call"`` (compile or load, and run), as the process reports them.

    Raises
    ------
    MeasurementError
        If a process fails; has what it printed.
    """
    samples: dict[tuple[str, str], list[float]] = {}
    with tempfile.TemporaryDirectory(prefix="minigr-start-") as folder:
        caches: dict[str, str] = {}
        for turn in range(cold + warm):
            start = "cold" if turn < cold else "warm"
            tell(f"process {turn + 1} of {cold + warm}, {start} start")
            if start == "cold":
                caches = _empty_caches(Path(folder, str(turn)))
            for part, milliseconds in _process(arguments, caches).items():
                samples.setdefault((start, part), []).append(milliseconds)
    return [
        row({"graph": name, "start": start, "part": part, "by": MINIGR}, found)
        for (start, part), found in samples.items()
    ]


def _empty_caches(folder: Path) -> dict[str, str]:
    for name in _CACHES.values():
        (folder / name).mkdir(parents=True)
    return {variable: str(folder / name) for variable, name in _CACHES.items()}


def _process(arguments: Sequence[str], caches: Mapping[str, str]) -> dict[str, float]:
    """Milliseconds of one process, and of the parts it reports."""
    command = [sys.executable, "-m", "minigr", "run", "bfs", *arguments, "--json"]
    started = time.perf_counter()
    done = subprocess.run(command, env={**os.environ, **caches}, capture_output=True, text=True, check=False)
    whole = (time.perf_counter() - started) * 1e3
    if done.returncode != 0:
        raise MeasurementError(f"{' '.join(command)} failed:\n{done.stderr}")
    told = json.loads(done.stdout)
    return {"process": whole, "read": told["graph"]["read_ms"], "first call": told["results"][0]["first_ms"]}
