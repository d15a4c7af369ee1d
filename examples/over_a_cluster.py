"""Closeness of every graph in a folder of files, by the workers of a Dask cluster: one for each GPU, or on the CPU.

    python examples/over_a_cluster.py [FOLDER] [--output FOUND] [--workers 2] [--scheduler tcp://host:8786]

FOLDER has files that `mg.batch.read` takes. Without one, a thousand random graphs are made. Results go to a folder, an
archive for each file; then the mean closeness of each graph's most central vertex is printed, which needs nothing but
NumPy and the archives.

Without --scheduler the cluster is of this machine, and ends with the script. With it, the workers there must see both
folders under the same names. A worker that dies loses no result: its files are done by another. Needs minigr[dask].
"""

import argparse
import contextlib
import tempfile
from pathlib import Path

import numpy as np
from distributed import Client

import minigr as mg


@contextlib.contextmanager
def connected(scheduler, workers):
    """A client of the cluster at an address, or of one that is started here."""
    if scheduler is not None:
        with Client(scheduler) as client:
            yield client
        return
    with mg.batch.local_cluster(workers) as cluster, Client(cluster) as client:
        yield client


def closeness_of(files, output, client, device=None):
    """Where the results of each file are, in order, and how many graphs there were."""
    stream = mg.batch.map(files, mg.batch.closeness, output=output, client=client, device=device)
    written = [part.path for part in stream]
    for fault in stream.faults:  # graphs and files that were left out
        print(f"{fault.path}, graph {fault.position}: {fault.error}")
    return written, stream.done


def most_central(path):
    """The greatest closeness in each graph of an archive; 0 where there is no vertex."""
    with np.load(path) as found:
        scores, starts = found["score"], found["vertex_offsets"]
    greatest = np.zeros(len(starts) - 1)
    some = starts[1:] > starts[:-1]
    greatest[some] = np.maximum.reduceat(scores, starts[:-1][some]) if some.any() else 0
    return greatest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--output", type=Path, help="a folder  [default: one that vanishes]")
    parser.add_argument("--workers", type=int, help="[default: as many as GPUs, or 1]")
    parser.add_argument("--scheduler", metavar="ADDRESS")
    parser.add_argument("--device")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place, connected(options.scheduler, options.workers) as client:
        if options.folder is None:
            files = mg.generate.batch_files(Path(place, "graphs"), 1000, per_file=100, device="cpu")
        else:
            files = sorted(options.folder.iterdir())
        output = options.output or Path(place, "found")
        written, done = closeness_of(files, output, client, options.device)
        greatest = np.concatenate([most_central(path) for path in written])
        print(f"{done:,} graphs of {len(files)} files, by {len(client.nthreads())} workers")
        print(f"the most central vertex of a graph has a closeness of {greatest.mean():.4f} on average")


if __name__ == "__main__":
    main()
