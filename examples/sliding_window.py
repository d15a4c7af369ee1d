"""Replay a stream of timed edges through a sliding window: an edge is in the graph while it was seen within the window.

    python examples/sliding_window.py [STREAM] [--steps 120] [--window 12] [--device cuda] [--picture FILE]

STREAM is a file that `minigr.io.read_timed` takes: a text file of lines "src dst time", also gzipped, such as
CollegeMsg, email-Eu-core-temporal or sx-mathoverflow of SNAP (https://snap.stanford.edu/data), or an .npz with the
arrays src, dst and time. Without it the script makes a stream up. The time of the stream is divided into steps, and the
window is as wide as the given number of steps.

`minigr.stream` moves the window, and the connected components follow it. Needs minigr[plot].
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import minigr as mg


def made_up(people=400, messages=40_000, seed=0):
    """Messages between people. Some people write far more than others, and people come and go."""
    rng = np.random.default_rng(seed)
    time = np.sort(rng.integers(0, 1_000_000, messages))
    newest = people * (time + 200_000) // 1_200_000 + 1
    src, dst = ((newest * rng.random(messages) ** power).astype(np.int64) for power in (3, 1))
    return src, dst, time


def read(path):
    """The columns of a stream, sorted by time."""
    edges = mg.io.read_timed(path)
    if len(edges) == 0:
        sys.exit(f"{path}: no edges, so there is nothing to replay")
    return edges.src, edges.dst, edges.time


def replay(src, dst, time, steps=120, window=12, device=None):
    """The end of each step, and counts at that time: edges, components with edges, vertices of the largest component.

    The window at `end` has the edges that were seen in ``end - width <= time < end``.
    """
    vertices = int(max(src.max(), dst.max())) + 1
    graph = mg.DynamicGraph(vertices, directed=False, device=device)
    components = mg.dynamic.ConnectedComponents(graph)
    duration = int(time[-1]) + 1 - int(time[0])
    ends = time[0] - (-duration * np.arange(1, steps + 1) // steps)  # rounded up
    width = max(duration * window // steps, 1)
    counts = []

    def count(_):
        sizes = np.bincount(mg.device.CPU.asarray(components.label))
        counts.append((graph.num_edges, (sizes > 1).sum(), sizes.max() if graph.num_edges else 0))

    mg.stream(graph, src, dst, time, window=width, batch=ends, answers=[components], callback=count, progress=True)
    return graph, ends, np.array(counts)


def draw(since, counts, picture):
    """Draw the counts over the time since the first edge."""
    figure = Figure(figsize=(8, 7), layout="constrained")
    panels = figure.subplots(3, 1, sharex=True)
    for axes, values, label in zip(panels, counts.T, ("edges", "components", "vertices of the largest"), strict=True):
        axes.plot(since, values)
        axes.set(ylabel=label, ylim=(0, None))
        axes.grid(alpha=0.3)
    panels[0].set_title("The graph in a sliding window")
    panels[-1].set_xlabel("time since the first edge")
    figure.savefig(picture, dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stream", nargs="?", type=Path)
    parser.add_argument("--steps", type=int, default=120)
    parser.add_argument("--window", type=int, default=12)
    parser.add_argument("--device")
    parser.add_argument("--picture", type=Path, default=Path("sliding_window.png"))
    options = parser.parse_args()
    if min(options.steps, options.window) < 1:
        parser.error("--steps and --window must be at least 1")
    src, dst, time = made_up() if options.stream is None else read(options.stream)
    graph, ends, counts = replay(src, dst, time, options.steps, options.window, options.device)
    print(f"{len(time):,} timed edges; at the end {graph}")
    most, largest = counts[:, 0].max(), counts[:, 2].max()
    print(f"most edges {most:,}; largest component {largest:,} of {graph.num_vertices:,} vertices")
    draw(ends - time[0], counts, options.picture)
    print(f"wrote {options.picture}")


if __name__ == "__main__":
    main()
