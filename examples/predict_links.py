"""Which edges are missing? Link prediction: pairs without an edge, scored by the neighbors that they share.

Some edges of a graph are hidden. The candidates are the hidden edges and as many pairs that never had an edge. Each
candidate gets three scores by its common neighbors. In Adamic and Adar's index (Friends and neighbors on the Web,
Social Networks 25, 2003) and in the index of resource allocation (Zhou, Lü and Zhang, Predicting missing links via
local information, European Physical Journal B 71, 2009) a common neighbor counts more if it has fewer neighbors.
Jaccard's coefficient is the fraction of common neighbors among all neighbors. A good score is higher for hidden edges
than for other pairs.

    python examples/predict_links.py [GRAPH] [--hide 0.1] [--seed 1] [--no-check]
"""

import argparse

import numpy as np

import minigr as mg
from minigr.device import CPU

SCORES = {
    "adamic_adar": "adamic_adar_index",
    "resource_allocation": "resource_allocation_index",
    "jaccard": "jaccard_coefficient",
}
"""The measures of `mg.similarity`, and the functions of NetworkX that compute the same."""


def scores(graph, sources, destinations):
    """For each score its values for pairs of different vertices: arrays in the order of the pairs, on the host."""
    pairs = mg.Frontier.of_pairs(sources, destinations, graph.device)
    return {name: CPU.asarray(mg.similarity(graph, pairs, measure=name).score) for name in SCORES}


def hide(graph, share, seed):
    """Return a graph without a random share of its edges, these edges, and as many random pairs: (n, 2) arrays.

    Directions are dropped, and so are self-loops and parallel edges.
    """
    rng = np.random.default_rng(seed)
    edges = np.stack([CPU.asarray(ends) for ends in graph.to_edges()[:2]], 1)
    edges = np.unique(np.sort(edges[edges[:, 0] != edges[:, 1]], axis=1), axis=0)
    hidden, kept = np.split(rng.permutation(edges), [int(len(edges) * share)])
    known = mg.Frontier.of_pairs(np.concatenate([edges, edges[:, ::-1]]))
    others = mg.Frontier.of_pairs(rng.integers(0, graph.num_vertices, (3 * len(hidden), 2))) - known
    found = np.stack(others.pairs, 1)
    found = rng.permutation(found[found[:, 0] != found[:, 1]])[: len(hidden)]
    left = mg.Graph.from_edges(*kept.T, num_vertices=graph.num_vertices, device=graph.device)
    return left, hidden, found


def quality(high, low):
    """The area under the ROC curve: how often an element of `high` is above one of `low`; equal ones count half."""
    low = np.sort(low)
    return (np.searchsorted(low, high, "left") + np.searchsorted(low, high, "right")).mean() / (2 * len(low))


def expected(graph, pairs):
    """The scores of NetworkX for the same pairs."""
    import networkx as nx

    theirs = graph.to_networkx()
    return {name: np.array([score for *_, score in getattr(nx, by)(theirs, pairs)]) for name, by in SCORES.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph", nargs="?", help="by default points in a square, with edges between those nearby")
    parser.add_argument("--hide", type=float, default=0.1, help="the share of the edges that is hidden")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-check", action="store_true", help="leave out the comparison with NetworkX's scores")
    options = parser.parse_args()
    graph = mg.read(options.graph) if options.graph else mg.generate.random_geometric(5000, 8, seed=options.seed)
    left, hidden, others = hide(graph, options.hide, options.seed)
    print(f"{left}: {len(hidden):,} edges are hidden, among {len(others):,} other pairs")
    candidates = np.concatenate([hidden, others])
    found = scores(left, *candidates.T)
    for name, score in found.items():
        print(f"{name}: a hidden edge is above another pair in {quality(*np.split(score, [len(hidden)])):.1%}")
    if not options.no_check:
        theirs = expected(left, candidates.tolist())
        same = all(np.allclose(found[name], theirs[name], rtol=1e-12, atol=0) for name in SCORES)
        print(f"NetworkX {'agrees' if same else 'DISAGREES'}")
        raise SystemExit(0 if same else 1)


if __name__ == "__main__":
    main()
