"""How many cliques of a given number of vertices there are."""

from minigr.apps.cliques.app import CliqueEnactor, CliqueResult, clique_count

__all__ = ["CliqueEnactor", "CliqueResult", "clique_count"]
