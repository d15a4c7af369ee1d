"""Compute the closeness of every graph in a folder of files with a Dask cluster: a worker for each GPU, or on the CPU.

    python examples/over_a_cluster.py [FOLDER] [--output FOUND] [--workers 2] [--scheduler tcp://host:8786]

FOLDER has files that `mg.batch.read` takes. Without it, the script makes a thousand random graphs. Results are written
to a folder, an archive for each file. The script then prints the mean closeness of the most central vertices of all
graphs, for which it needs only NumPy and the archives.

Without --scheduler the cluster runs on this machine, and ends with the script. With it, the workers must see both
folders under the same names. If a worker dies, no result is lost, because another worker takes its files. Needs
minigr[dask].
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
    """A client of the cluster at an address, or of a cluster that is started on this machine."""
    if scheduler is not None:
        with Client(scheduler) as client:
            yield client
        return
    with mg.batch.local_cluster(workers) as cluster, Client(cluster) as client:
        yield client


def closeness_of(files, output, client, device=None):
    """Compute closeness; return the file of each result, in order, and the number of graphs."""
    stream = mg.batch.map(files, mg.batch.closeness, output=output, client=client, device=device)
    written = [part.path for part in stream]
    for fault in stream.faults:  # graphs and files that were left out
        print(f"{fault.path}, graph {fault.position}: {fault.error}")
    return written, stream.done


def most_central(path):
    """The greatest closeness in each graph of an archive; 0 for a graph without vertices."""
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
