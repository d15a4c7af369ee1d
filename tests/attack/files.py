"""Mutate files of every format: each is read correctly or refused by an error with the file's name, in little memory.

Files of each format are changed at random: bits, bytes, lines, fields, numbers, array headers. Results are validated;
results from text are also compared with a simple parser that shares no code with minigr. Any exception except
`FormatError` and `OutOfMemoryError` is a fault. So is a file of a few hundred bytes that takes seconds or hundreds of
megabytes. ``--seed S`` and the number of a trial reproduce it.
"""

from __future__ import annotations

import resource
import shutil
import signal
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import minigr as mg
from minigr import memory
from minigr.errors import FormatError, OutOfMemoryError
from minigr.io import table
from tests.attack.mutations import mutated
from tests.attack.plain_parsers import normal
from tests.attack.report import Report
from tests.attack.seed_files import Kind, kinds

FREE_MEMORY = 64 << 20
"""The free memory that minigr sees during the attack, so that even graphs of some million vertices are refused."""
MOST_MEMORY = 512 << 20
"""The most bytes that the process may take in addition to those at the beginning of the attack."""
ADDRESS_SPACE = 4 << 30
MOST_SECONDS = 2.0


def attack(count: int, seed: int, report: Report) -> None:
    """Read `count` mutated files."""
    in_memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(dir=in_memory if in_memory.is_dir() else None, prefix="minigr-attack-"))
    restored = memory._free_on_host, table.SHORT, resource.getrlimit(resource.RLIMIT_AS)
    try:
        files = kinds(folder)
        memory._free_on_host = lambda: FREE_MEMORY
        for kind in files:  # read each kind once, because imports and compilation are not costs of a file
            for data in kind.seeds:
                _trial(kind, data.content, Random(0), report, "as it was" if data.right else "odd as it was")
        with resource_limits():
            for number in range(count):
                random = Random(f"{seed} {number}")
                kind = files[number % len(files)]
                data = random.choice(kind.seeds)
                table.SHORT = 0 if random.random() < kind.long else restored[1]
                _trial(kind, mutated(data, random, kind.seeds), random, report, f"seed {seed}, trial {number}")
                report.tried()
            _check_memory(report)
    finally:
        memory._free_on_host, table.SHORT = restored[:2]
        resource.setrlimit(resource.RLIMIT_AS, restored[2])
        shutil.rmtree(folder)


class resource_limits:
    """A limit of the address space, for files in addition to what the process has."""

    def __enter__(self) -> None:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        now = pages * resource.getpagesize()
        self._peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (now + ADDRESS_SPACE, hard))
        signal.signal(signal.SIGALRM, _too_slow)
        global _started_at
        _started_at = self._peak

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


_started_at = 0


class TooSlowError(BaseException):
    """Reading a file took longer than is allowed."""


def _too_slow(*_: object) -> None:
    raise TooSlowError


def _check_memory(report: Report) -> None:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    if peak > _started_at + MOST_MEMORY:
        report.fault(f"the peak of memory rose from {_started_at >> 20} MB to {peak >> 20} MB")


def _trial(kind: Kind, content: bytes, random: Random, report: Report, where: str) -> None:
    kind.path.write_bytes(content)  # the file is still there after a crash
    options = kind.options(random)
    signal.setitimer(signal.ITIMER_REAL, 10 * MOST_SECONDS)
    begun = time.process_time()
    error: BaseException | None = None
    found: Any = None
    try:
        found = kind.read(kind.path, **options)
    except (FormatError, OutOfMemoryError) as refused:
        if str(kind.folder) not in str(refused):
            error = refused
    except KeyboardInterrupt:
        raise
    except BaseException as raised:
        error = raised
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    seconds = time.process_time() - begun
    what = None
    if error is not None:
        what = f"{type(error).__name__}: {str(error)[:300]}"
    elif seconds > MOST_SECONDS and "as it was" not in where:
        what = f"took {seconds:.1f} s"
    elif found is not None:
        what = _wrong(found) or _differs(found, kind, content, options)
    elif where == "as it was":
        what = "is refused though nothing was changed"
    if what:
        report.fault(f"{kind.name}, {where}, options {options}: {what}; file: {content[:1500]!r}")


def _wrong(found: Any) -> str | None:
    """A description of what is wrong with a result by itself, or None."""
    if isinstance(found, mg.io.TimedEdges):
        ids = np.concatenate([found.src, found.dst])
        if ids.dtype != np.int32 or (len(ids) and (ids.min() < 0 or ids.max() >= found.num_vertices)):
            return "a vertex is out of range"
        if found.time.dtype.kind == "f" and not np.isfinite(found.time).all():
            return "a time is not finite"
        return "the times fall" if (np.diff(found.time.astype(np.float64)) < 0).any() else None
    if isinstance(found, mg.DynamicGraph):
        found = found.to_graph()
    graph = found.graph if isinstance(found, mg.GraphBatch) else found
    if isinstance(found, mg.GraphBatch) and found.host_offsets[-1] != graph.num_vertices:
        return "the graphs of the batch do not cover its vertices"
    offsets, indices = graph.offsets, graph.indices
    if offsets[0] != 0 or offsets[-1] != len(indices) or (np.diff(offsets) < 0).any():
        return "the offsets are no offsets"
    if len(indices) and (indices.min() < 0 or indices.max() >= graph.num_vertices):
        return "a vertex is out of range"
    if graph.weights is not None and (len(graph.weights) != len(indices) or np.isnan(graph.weights).any()):
        return "the weights are wrong"
    lengths = {len(column) for column in graph.vertex_columns.values()} - {graph.num_vertices}
    lengths |= {len(column) for column in graph.edge_columns.values()} - {graph.num_edges}
    return f"there are columns of the lengths {lengths}" if lengths else None


def _differs(found: Any, kind: Kind, content: bytes, options: dict[str, Any]) -> str | None:
    """How a result differs from that of the plain parser, or None."""
    if kind.parse is None or options.get("relabel") or options.get("weights") is False:
        return None
    expected = kind.parse(content)
    if expected is None:
        return f"accepted, though the plain parser refuses it: {normal(found)}"
    if "num_vertices" in options:
        expected = (options["num_vertices"], *expected[1:])
    ours = normal(found)
    return None if ours == expected else f"reads as {ours}, but holds {expected}"
