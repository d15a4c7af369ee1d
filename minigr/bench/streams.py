"""Many small graphs in files: files read while others are computed, compared with one file after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import minigr as mg
from minigr.bench.batch import CASES, Case, require_same
from minigr.bench.document import Row, row
from minigr.bench.measure import Tell, about, ignore, take_turns
from minigr.device import Device, gpu_count
from minigr.errors import MeasurementError, MissingExtraError

STREAM, FILES = "minigr, stream", "minigr, file by file"
"""`minigr.batch.map`, which reads files while it computes others; and a loop that reads and computes file by file."""


def measure_streams(
    name: str,
    batch: Any,
    cases: Sequence[str],
    files: int,
    repeat: int,
    *,
    workers: Sequence[int] = (),
    limit: float = float("inf"),
    tell: Tell = ignore,
) -> list[Row]:
    """Time `cases` over the graphs of a batch, in files with the same number of graphs each; calls take turns.

    The results of a file are added up and dropped, so that only the sum is kept.

    Parameters
    ----------
    name : str
        The name of the set in the rows' keys.
    batch : GraphBatch
    cases : sequence of str
    files : int
        The number of files; no more than there are graphs. The files are written to a temporary folder, and are then in
        the page cache of the system.
    repeat : int
    workers : sequence of int
        Also time with Dask clusters on this machine, with these numbers of workers, one for each GPU; see
        `minigr.batch.map`.
    limit : float
        Seconds for each call in all rounds together.
    tell : callable

    Returns
    -------
    list of Row
        With ``first_ms``, ``ratio`` (the row's median over that of the stream in one process), ``bytes`` of the files,
        and ``gpus``, the number of GPUs that computed.

    Raises
    ------
    MeasurementError
        If a graph is left out, or if a sum differs from that of the whole batch.
    MissingExtraError
        If `workers` is not empty and Dask is not installed.
    """
    device = batch.graph._device
    files = min(files, len(batch))
    counts = {f"{STREAM}, {count} worker{'s' if count > 1 else ''}": count for count in workers}
    with TemporaryDirectory() as folder, _clusters(counts, tell) as clients:
        tell(f"{name}: writing {files} files")
        paths = _written(batch, files, Path(folder))
        size = sum(path.stat().st_size for path in paths)
        rows = []
        for case_name in cases:
            case = CASES[case_name]
            calls: dict[str, Callable[[], float]] = {
                STREAM: partial(_streamed, case, paths, device=device),
                FILES: partial(_one_by_one, case, paths, device),
            }
            for by, client in clients.items():
                calls[by] = partial(_streamed, case, paths, client=client, device=None if device.is_cuda else "cpu")
            what = f"{case_name} on {name} in files"
            timings = take_turns(calls, device, repeat, limit=limit, tell=about(what, tell))
            expected = case.total(case.call(batch))
            for by, timing in timings.items():
                require_same(what, by, timing.result, expected)
                more: dict[str, Any] = {
                    "first_ms": timing.first,
                    "ratio": timing.median / timings[STREAM].median,
                    "bytes": size,
                    "gpus": min(counts.get(by, 1), gpu_count()) if device.is_cuda else 0,
                }
                key = {"set": name, "call": case_name, "files": files, "by": by}
                rows.append(row(key, timing.samples, **more))
    return rows


def _written(batch: Any, files: int, folder: Path) -> list[Path]:
    paths = []
    for number in range(files):
        begin, end = (len(batch) * at // files for at in (number, number + 1))
        paths.append(folder / f"{number}.npz")
        mg.batch.write(batch[begin:end], paths[-1])
    return paths


def _streamed(case: Case, paths: Sequence[Path], **where: Any) -> float:
    stream = mg.batch.map(paths, case.call, **where)
    total = sum(case.total(part.result) for part in stream)
    if stream.faults:
        raise MeasurementError(
            f"{len(stream.faults)} graphs were left out, the first one because {stream.faults[0].error}"
        )
    return total


def _one_by_one(case: Case, paths: Sequence[Path], device: Device) -> float:
    return sum(case.total(case.call(mg.batch.read(path, device=device))) for path in paths)


@contextmanager
def _clusters(counts: Mapping[str, int], tell: Tell) -> Iterator[dict[str, Any]]:
    """A client for a cluster of each number of workers, by the keys of `counts`."""
    clients: dict[str, Any] = {}
    if not counts:
        yield clients
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingExtraError("a stream over several workers needs Dask: pip install 'minigr[dask]'") from error
    with ExitStack() as stack:
        for by, count in counts.items():
            tell(f"starting {count} workers")
            cluster = stack.enter_context(mg.batch.local_cluster(count))
            clients[by] = stack.enter_context(Client(cluster))
            clients[by].wait_for_workers(count)
        yield clients
