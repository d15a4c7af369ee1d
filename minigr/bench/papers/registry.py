"""All papers. A new paper needs a file of its own and an entry here."""

from __future__ import annotations

from minigr.bench.papers import meerkat, mini_gunrock, slabgraph, swarmgraph
from minigr.bench.papers.exhibit import Paper

PAPERS: dict[str, Paper] = {
    mini_gunrock.PAPER.name: mini_gunrock.PAPER,
    slabgraph.PAPER.name: slabgraph.PAPER,
    swarmgraph.PAPER.name: swarmgraph.PAPER,
    meerkat.PAPER.name: meerkat.PAPER,
}
"""The papers by name, in the order of their years."""
