"""Every paper there is; a new one is one file and one entry."""

from __future__ import annotations

from minigr.bench.papers import meerkat, mini_gunrock, slabgraph, swarmgraph
from minigr.bench.papers.exhibit import Paper

PAPERS: dict[str, Paper] = {
    mini_gunrock.PAPER.name: mini_gunrock.PAPER,
    slabgraph.PAPER.name: slabgraph.PAPER,
    swarmgraph.PAPER.name: swarmgraph.PAPER,
    meerkat.PAPER.name: meerkat.PAPER,
}
"""By name, in the order of their years."""
