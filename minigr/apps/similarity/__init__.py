"""The similarity of pairs of vertices by their common neighbors."""

from minigr.apps.similarity.app import SimilarityResult, most_similar, similarity

__all__ = ["SimilarityResult", "most_similar", "similarity"]
