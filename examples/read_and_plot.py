"""Read a graph, look at it, and plot its degrees and how a search spreads.

python examples/read_and_plot.py [GRAPH [PICTURE.png]]        needs minigr[plot]
"""

import sys

import matplotlib
import numpy as np

import minigr as mg

matplotlib.use("Agg")
from matplotlib import pyplot as plt


def main(name="wordnet", picture="read_and_plot.png"):
    graph = mg.read(name)
    degree = mg.device.CPU.asarray(graph.degree())
    source = int(degree.argmax())
    result = mg.bfs(graph, source, trace=True)
    print(graph)
    print(f"degrees: mean {degree.mean():.2f}, greatest {degree.max()} (vertex {source})")
    print(result.trace)

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    degrees, counts = np.unique(degree[degree > 0], return_counts=True)
    left.loglog(degrees, counts, ".")
    left.set(xlabel="degree", ylabel="vertices", title=f"Degrees of {name}")
    right.bar([row.iteration for row in result.trace], [row.frontier for row in result.trace])
    right.set(xlabel="step", ylabel="vertices in the frontier", title=f"Breadth-first search from {source}")
    figure.savefig(picture, dpi=120)
    print(f"wrote {picture}")


if __name__ == "__main__":
    main(*sys.argv[1:])
