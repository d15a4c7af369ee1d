"""The number of cliques with a given number of vertices."""

from minigr.apps.cliques.app import CliqueEnactor, CliqueResult, clique_count

__all__ = ["CliqueEnactor", "CliqueResult", "clique_count"]
