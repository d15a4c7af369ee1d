"""Replay a stream of timed edges through a window that slides: an edge stays for as long as it was seen lately.

python examples/sliding_window.py [STREAM [PICTURE.png]]        needs minigr[plot]

STREAM is an .npz with arrays src, dst and time, or a text file with these three columns, such as CollegeMsg of SNAP.
Without one a stream is made up. The weight of an edge is the time when it was last seen, so an edge that is seen again
is inserted again, and what leaves the window is what was seen for the last time before it.
"""

import sys

import matplotlib
import numpy as np
from rich.progress import track
from scipy.sparse.csgraph import connected_components

import minigr as mg

matplotlib.use("Agg")
from matplotlib import pyplot as plt

STEPS, WINDOW = 120, 12  # steps of the whole stream, and of the window


def made_up(people=400, messages=40_000, seed=0):
    """Messages between people of whom some write far more than others, and who come and go."""
    rng = np.random.default_rng(seed)
    time = np.sort(rng.integers(0, 1_000_000, messages))
    newest = people * (time + 200_000) // 1_200_000 + 1
    src, dst = ((newest * rng.random(messages) ** power).astype(np.int64) for power in (3, 1))
    return src, dst, time


def read(path):
    """The columns of a stream, in the order of time."""
    if path.endswith(".npz"):
        with np.load(path) as held:
            src, dst, time = (held[name].astype(np.int64) for name in ("src", "dst", "time"))
    else:
        src, dst, time = np.loadtxt(path, dtype=np.int64, usecols=(0, 1, 2)).T
    order = np.argsort(time, kind="stable")
    return src[order], dst[order], time[order]


def replay(src, dst, time):
    """Edges and components of the graph at each step."""
    graph = mg.DynamicGraph(int(max(src.max(), dst.max())) + 1, directed=False, weighted=np.int64)
    ends = np.linspace(time[0], time[-1] + 1, STEPS + 1)[1:].astype(np.int64)
    width = (time[-1] + 1 - time[0]) * WINDOW // STEPS
    counts, done, gone = [], 0, 0
    for end in track(ends, "sliding"):
        now, past = np.searchsorted(time, [end, end - width])
        graph.insert_edges(src[done:now], dst[done:now], time[done:now])
        leaving = slice(gone, past)
        seen = mg.device.CPU.asarray(graph.edge_weights(src[leaving], dst[leaving], default=end))
        late = seen < end - width
        graph.delete_edges(src[leaving][late], dst[leaving][late])
        done, gone = now, past
        number, label = connected_components(graph.to_graph().to_scipy(), directed=False)
        counts.append((graph.num_edges, number, np.bincount(label).max()))
    low, high = np.minimum(src[gone:done], dst[gone:done]), np.maximum(src[gone:done], dst[gone:done])
    proper = low != high
    assert graph.num_edges == len(np.unique(low[proper] * graph.num_vertices + high[proper]))
    return graph, np.array(counts)


def main(stream=None, picture="sliding_window.png"):
    src, dst, time = made_up() if stream is None else read(stream)
    graph, counts = replay(src, dst, time)
    print(f"{len(time):,} timed edges; at the end {graph}")
    print(f"most edges {counts[:, 0].max():,}; largest component {counts[:, 2].max():,} of {graph.num_vertices:,}")
    figure, (above, below) = plt.subplots(2, 1, figsize=(8, 6), sharex=True, layout="constrained")
    above.plot(counts[:, 0])
    above.set(ylabel="edges in the window", title="A sliding window")
    below.plot(counts[:, 1], label="components")
    below.plot(counts[:, 2], label="vertices of the largest")
    below.set(xlabel="step")
    below.legend()
    figure.savefig(picture, dpi=120)
    print(f"wrote {picture}")


if __name__ == "__main__":
    main(*sys.argv[1:])
