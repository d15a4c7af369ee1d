"""Predict the class of a molecule: features of many small graphs from a few calls, and a classifier by scikit-learn.

    python examples/classify_molecules.py [NCI1/ | NCI1.npz] [--atoms] [--folds 10] [--device cuda]

The path is a set of labelled graphs that `mg.batch.read` takes: a folder in the text format of the TU Dortmund data
sets (https://chrsmrrs.github.io/datasets), an .npz archive or a Parquet file. Without a path, the two classes are R-MAT
graphs and uniform graphs. Needs scikit-learn (pip install 'minigr[examples]').

Each vertex gets its degree, harmonic closeness, betweenness and triangles. The features of a graph are the mean,
deviation, least and most of each of these over its vertices, a histogram of each, and a histogram of the distances
between its vertices. With --atoms the labels of the vertices are counted, too; without it, only the structure is used.
The script prints the mean accuracy of a random forest over stratified folds, each predicted by a forest that was
trained on the other folds, and the accuracy of always choosing the most frequent class. The bounds of the histograms
are computed from the whole set. They use no labels.
"""

import argparse
import time

import numpy as np

import minigr as mg

BINS = 12
DISTANCES = 16  # the last bin has all longer distances, too


def by_vertex(batch):
    """The quantities that describe each vertex, in host memory."""
    simple = {
        "degree": batch.graph.degree(),
        "closeness": mg.batch.closeness(batch, harmonic=True).score,
        "betweenness": mg.batch.betweenness(batch).score,
        "triangles": mg.batch.triangles(batch).per_vertex,
    }
    return {name: mg.device.CPU.asarray(values).astype(float) for name, values in simple.items()}


def moments(batch, values):
    """[graphs, 4]: mean, deviation, least and most of the values of each graph's vertices."""
    count = np.maximum(batch.sizes, 1)
    mean = batch.reduce(values) / count
    spread = batch.reduce((values - np.repeat(mean, batch.sizes)) ** 2) / count
    least, most = (np.where(batch.sizes > 0, batch.reduce(values, op), 0) for op in ("min", "max"))
    return np.stack([mean, np.sqrt(spread), least, most], axis=1)


def histograms(owner, bins, num_graphs, num_bins):
    """[graphs, bins]: the fraction of a graph's items in each bin."""
    counts = np.bincount(owner * num_bins + bins, minlength=num_graphs * num_bins).reshape(num_graphs, num_bins)
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)


def distances(batch):
    """[graphs, DISTANCES + 1]: the fraction of a graph's pairs at each distance; column 0 has pairs without a path."""
    found = mg.batch.shortest_paths(batch)
    owner = np.repeat(np.arange(len(batch)), batch.sizes**2)
    hops = mg.device.CPU.asarray(found.distance)
    bins = np.where(hops < 0, 0, np.minimum(hops, DISTANCES))
    return histograms(owner[hops != 0], bins[hops != 0], len(batch), DISTANCES + 1)


def features(batch, atoms=False):
    """[graphs, features]: the features of each graph."""
    host = batch.to("cpu")
    owner = host.graph_of_vertex().astype(np.int64)
    columns = [np.stack([host.sizes, host.reduce(host.graph.degree())], axis=1), distances(batch)]
    for values in by_vertex(batch).values():
        edges = np.unique(np.quantile(values, np.linspace(0, 1, BINS + 1)[1:-1])) if len(values) else np.empty(0)
        columns += [moments(host, values), histograms(owner, np.searchsorted(edges, values), len(batch), BINS)]
    if atoms:
        if batch.vertex_labels is None:
            raise SystemExit("the set has no labels of vertices: leave --atoms out")
        kinds, labels = np.unique(batch.vertex_labels, return_inverse=True)
        columns.append(
            np.bincount(owner * len(kinds) + labels, minlength=len(batch) * len(kinds)).reshape(len(batch), -1)
        )
    return np.concatenate(columns, axis=1)


def accuracy(table, labels, folds, seed=0):
    """The accuracy in each fold."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    forest = RandomForestClassifier(300, random_state=seed)
    return cross_val_score(forest, table, labels, cv=StratifiedKFold(folds, shuffle=True, random_state=seed))


def two_kinds(device):
    """R-MAT graphs and uniform graphs, with labels."""
    batch = mg.generate.batch(400, sizes=(16, 32, 64), chances=(0.3, 0.4, 0.3), edge_factors=(1, 4), device=device)
    return mg.GraphBatch.from_graph(batch.graph, batch.host_offsets, graph_labels=np.arange(len(batch)) % 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", nargs="?")
    parser.add_argument("--atoms", action="store_true", help="count the labels of vertices too")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--device")
    options = parser.parse_args()
    if options.path is None:
        batch = two_kinds(options.device)
    else:
        batch = mg.batch.read(options.path, weights=False, device=options.device)
    if batch.graph_labels is None:
        raise SystemExit(f"{options.path} has no labels of graphs: give a set that has")
    print(batch)
    start = time.perf_counter()
    table = features(batch, options.atoms)
    print(f"{table.shape[1]} features of {table.shape[0]:,} graphs in {time.perf_counter() - start:.2f} s")
    found = accuracy(table, batch.graph_labels, options.folds)
    _, counts = np.unique(batch.graph_labels, return_counts=True)
    print(f"accuracy {found.mean():.3f}, deviation {found.std():.3f} over {options.folds} folds")
    print(f"always the most frequent of {len(counts)} classes: {counts.max() / len(batch):.3f}")


if __name__ == "__main__":
    main()
