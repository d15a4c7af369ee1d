"""Follow a stream of timed edges: its triangles, its components, and a tree of shortest paths.

    python examples/follow_a_stream.py [STREAM] [--steps 120] [--window 12] [--source V] [--device cuda]
                                       [--picture FILE]

STREAM is a file as for examples/sliding_window.py; without it the script makes a stream up. An edge stays in the graph
while it was seen within the window. In each step three answers follow the edges that come and go, instead of being
computed again. The root of the tree is the source of the first edge, unless --source names another vertex. Needs
minigr[plot].
"""

import argparse
from collections import Counter
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sliding_window import made_up, read

import minigr as mg


def watch(src, dst, time, source, steps=120, window=12, device=None):
    """The end of each step, the counts at that time (a column each), and how often answers were repaired or computed.

    The counts are edges, triangles, components with more than one vertex, vertices in the tree, and its depth.
    """
    graph = mg.DynamicGraph(int(max(src.max(), dst.max())) + 1, directed=False, device=device)
    triangles, components = mg.dynamic.TriangleCount(graph), mg.dynamic.ConnectedComponents(graph)
    tree = mg.dynamic.BFS(graph, source)
    answers = {"triangles": triangles, "components": components, "tree": tree}
    duration = int(time[-1]) + 1 - int(time[0])
    ends = time[0] - (-duration * np.arange(1, steps + 1) // steps)  # rounded up
    counts, updates = [], Counter()

    def note(_):
        alone = int((graph.degree() == 0).sum())
        depth = tree.depth
        found = components.num_components - alone, int((depth >= 0).sum()), int(depth.max())
        counts.append((graph.num_edges, triangles.total, *found))
        updates.update((name, answer.last_update.kind) for name, answer in answers.items())

    width = max(duration * window // steps, 1)
    options = {"window": width, "batch": ends, "answers": list(answers.values()), "callback": note, "progress": True}
    mg.stream(graph, src, dst, time, **options)
    return ends, np.array(counts), updates


def draw(since, counts, picture):
    """Draw the counts over the time since the first edge."""
    figure = Figure(figsize=(8, 10), layout="constrained")
    labels = ("edges", "triangles", "components", "vertices in the tree", "depth of the tree")
    panels = figure.subplots(len(labels), 1, sharex=True)
    for axes, values, label in zip(panels, counts.T, labels, strict=True):
        axes.plot(since, values)
        axes.set(ylabel=label, ylim=(0, None))
        axes.grid(alpha=0.3)
    panels[0].set_title("A stream of edges, watched")
    panels[-1].set_xlabel("time since the first edge")
    figure.savefig(picture, dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stream", nargs="?", type=Path)
    parser.add_argument("--steps", type=int, default=120)
    parser.add_argument("--window", type=int, default=12, help="steps that an edge stays")
    parser.add_argument("--source", type=int, help="the root of the tree")
    parser.add_argument("--device")
    parser.add_argument("--picture", type=Path, default=Path("follow_a_stream.png"))
    given = parser.parse_args()
    if min(given.steps, given.window) < 1:
        parser.error("--steps and --window must be at least 1")
    src, dst, time = made_up() if given.stream is None else read(given.stream)
    source = int(src[0]) if given.source is None else given.source
    ends, counts, updates = watch(src, dst, time, source, given.steps, given.window, given.device)
    edges, triangles, components, reached, depth = counts[-1]
    print(f"at the end {edges:,} edges, {triangles:,} triangles, components: {components}; ", end="")
    print(f"the tree has {reached} vertices and is {depth} deep")
    for (name, kind), times in sorted(updates.items()):
        print(f"{name}: {kind} in {times} of {len(ends)} steps")
    draw(ends - time[0], counts, given.picture)
    print(f"wrote {given.picture}")


if __name__ == "__main__":
    main()
