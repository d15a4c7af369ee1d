"""How similar pairs of vertices are by the neighbors that they share."""

from minigr.apps.similarity.app import SimilarityResult, most_similar, similarity

__all__ = ["SimilarityResult", "most_similar", "similarity"]
