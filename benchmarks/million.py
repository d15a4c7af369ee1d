"""A million small graphs, from files on disk to results on disk: closeness, on each number of GPUs.

    python benchmarks/million.py FOLDER [--graphs 1000000] [--per-file 1000] [--clusters 1x1,2x1] [--json OUT]

The files are made first, untimed, unless FOLDER/graphs has them: `mg.generate.batch_files` makes the same graphs
everywhere. The timed call is `mg.batch.map(files, mg.batch.closeness, output=...)`, until the last file of results is
written:

- `in one process`, on one device;
- `cluster, NxM`: with `client=`, for a cluster with M workers for each of N GPUs, or N * M workers on a CPU. Workers
  are started, and have compiled and loaded everything, before the time begins.

The runs follow each other, each over all files. The files are in the page cache, because they were just written or
read. Only runs called `dropped` begin with empty caches (--drop-caches; needs root). Results are written to the page
cache; the time in which the system then brings them to the disk is recorded separately. Afterwards some files of
results are compared with the CPU's. For a few files, the time of one thread for each stage is measured.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import minigr as mg
from minigr import device as devices
from minigr.batch.output import on_host, save
from minigr.bench import document
from minigr.io.batches import batch_of, read_contents

LIMITS: dict[str, int] = {"max_vertices": 1 << 24, "max_pairs": 1 << 40}
"""The limits of a batch. A file is one batch, and closeness keeps no pairs."""
_DROP = Path("/proc/sys/vm/drop_caches")
_WARM_UP, _STAGED, _CHECKED = 64, 20, 5  # numbers of files


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--graphs", type=int, default=1_000_000)
    parser.add_argument("--per-file", type=int, default=1000)
    parser.add_argument("--clusters", default="", metavar="NxM,...", help="GPUs, and workers for each of them")
    parser.add_argument("--readers", type=int, default=4, help="threads that read, of each process")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--drop-caches", action="store_true", help="also run with the files out of the page cache")
    parser.add_argument("--device")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    device = devices.resolve(options.device)

    files, made = prepare(options.folder / "graphs", options.graphs, options.per_file)
    size = sum(file.stat().st_size for file in files)
    tell(f"{len(files)} files, {size / 1e9:.2f} GB, made in {made:.1f} s")
    rows: list[dict[str, Any]] = stages(files, options.folder / "staged", device)
    runs = Runs(files, options.graphs, options.folder / "found", options.repeat, rows)
    settings = {name: value for name, value in vars(options).items() if name not in ("folder", "json")}
    facts = {"name": "synthetic", "graphs": options.graphs, "files": len(files), "bytes": size, "making_s": made}

    def keep() -> None:  # runs after each run, so that an error loses no earlier measurement
        if options.json is not None:
            document.write(options.json, document.document("million", device, settings, [facts], rows))

    here = partial(stream, readers=options.readers, device=str(device))
    runs.warm_up(here)
    runs.time("in one process", here)
    keep()
    if options.drop_caches and drop_caches():
        runs.time("in one process, dropped", here)
        keep()
    for name in filter(None, options.clusters.split(",")):
        from distributed import Client

        gpus, each = map(int, name.split("x"))
        used = {"gpus": gpus} if device.is_cuda else {}
        with mg.batch.local_cluster(gpus * each, **used) as cluster, Client(cluster) as client:
            client.wait_for_workers(gpus * each)
            there = partial(stream, readers=options.readers, client=client, device=None if device.is_cuda else "cpu")
            runs.warm_up(there)
            runs.time(f"cluster, {name}", there)
            if options.drop_caches and drop_caches():
                runs.time(f"cluster, {name}, dropped", there)
        keep()
    runs.check()
    facts["result_bytes"] = runs.result_bytes
    keep()
    report(rows)


def prepare(folder: Path, graphs: int, per_file: int) -> tuple[list[Path], float]:
    """The files, and the seconds that it took to make them."""
    found = sorted(folder.glob("*.npz")) if folder.is_dir() else []
    if len(found) == -(-graphs // per_file):
        return found, 0.0
    start = time.perf_counter()
    return mg.generate.batch_files(folder, graphs, per_file=per_file, device="cpu"), time.perf_counter() - start


def stream(files: list[Path], output: Path, **options: Any) -> Any:
    """The timed call, which returns an iterator."""
    return mg.batch.map(files, mg.batch.closeness, output=output, **LIMITS, **options)


class Runs:
    """Runs over all files, and their rows."""

    def __init__(self, files: list[Path], graphs: int, output: Path, repeat: int, rows: list[dict[str, Any]]):
        self.files, self.graphs, self.output, self.repeat, self.rows = files, graphs, output, repeat, rows
        self.result_bytes = 0

    def warm_up(self, run: Any) -> None:
        """Do a run over a few files, so that everything is compiled, loaded and started."""
        with timed() as clock:
            self._once(run, self.files[:_WARM_UP])
        tell(f"  warmed up in {clock.seconds:.1f} s")

    def time(self, name: str, run: Any) -> None:
        """Time a run and add its row."""
        samples, syncs, busy = [], [], []
        for _ in range(1 if "dropped" in name else self.repeat):
            begun = time.process_time()
            with timed() as clock:
                done = self._once(run, self.files)
            busy.append(time.process_time() - begun)
            with timed() as sync:
                os.sync()
            if done != self.graphs:
                sys.exit(f"{name}: {done} graphs, and not {self.graphs}")
            samples.append(clock.seconds * 1e3)
            syncs.append(sync.seconds * 1e3)
            rate = f"{clock.seconds:.2f} s, {done / clock.seconds:,.0f} graphs/s"
            tell(f"{name}: {rate}; this process's cores {busy[-1]:.1f} s; sync {sync.seconds:.1f} s")
        self.rows.append(document.row({"run": name}, samples, sync_ms=syncs, cpu_ms=[1e3 * taken for taken in busy]))

    def _once(self, run: Any, files: list[Path]) -> int:
        shutil.rmtree(self.output, ignore_errors=True)
        found = run(files, self.output)
        done = sum(len(part.positions) for part in found)
        if found.faults:
            sys.exit(f"{len(found.faults)} faults, of which the first is {found.faults[0]}")
        return done

    def check(self) -> None:
        """Compare some results of the last run with those of the CPU."""
        self.result_bytes = sum(file.stat().st_size for file in self.output.iterdir())
        for file in self.files[:: max(len(self.files) // _CHECKED, 1)]:
            expected = mg.batch.closeness(mg.batch.read(file, device="cpu")).score
            with np.load(self.output / f"{file.stem}-0.npz") as found:
                np.testing.assert_allclose(found["score"], expected, rtol=1e-12)
        tell(f"results agree with the CPU's; {self.result_bytes / 1e9:.2f} GB")


def stages(files: list[Path], output: Path, device: Any) -> list[dict[str, Any]]:
    """The time of one thread for each stage of a file."""
    output.mkdir(exist_ok=True)
    taken: dict[str, list[float]] = {}

    def stage(name: str, call: Any, *arguments: Any) -> Any:
        device.synchronize()
        with timed() as clock:
            result = call(*arguments)
            device.synchronize()
        taken.setdefault(name, []).append(clock.seconds * 1e3)
        return result

    for file in files[:_STAGED]:
        stage("read as bytes", file.read_bytes)
        contents = stage("read", partial(read_contents, directed=None, weights=True), file)
        columns = stage("copy to device", lambda held: [device.asarray(held.src), device.asarray(held.dst)], contents)
        del columns
        batch = stage("copy and build", batch_of, contents, device)
        result = stage("compute", mg.batch.closeness, batch)
        stage("compute again", mg.batch.closeness, batch)
        result = stage("copy to host", on_host, result)
        stage("write", save, output / "staged.npz", np.arange(len(batch)), result)
    rows = [document.row({"stage": name}, samples[1:] or samples) for name, samples in taken.items()]
    for row in rows:
        tell(f"  one thread, a file: {row['key']['stage']} {row['median']:.2f} ms")
    return rows


def drop_caches() -> bool:
    """Empty the system's caches; return whether the system allowed it."""
    os.sync()
    try:
        _DROP.write_text("3\n")
    except OSError as error:
        tell(f"the caches can't be dropped: {error}")
        return False
    return True


class Clock:
    """The seconds that a block took."""

    seconds = 0.0


@contextmanager
def timed() -> Iterator[Clock]:
    clock, start = Clock(), time.perf_counter()
    yield clock
    clock.seconds = time.perf_counter() - start


def tell(line: str) -> None:
    print(f"[{time.perf_counter() - _BEGUN:6.1f} s] {line}", flush=True)


def report(rows: list[dict[str, Any]]) -> None:
    runs = {row["key"]["run"]: row["median"] for row in rows if "run" in row["key"]}
    one = runs["in one process"]
    for name, median in runs.items():
        tell(f"{name}: {median / 1e3:.2f} s, {one / median:.2f} times as fast as in one process")


_BEGUN = time.perf_counter()

if __name__ == "__main__":
    main()
