"""Longest paths of a directed acyclic graph."""

from minigr.apps.longest_path.app import LongestPathResult, dag_longest_path

__all__ = ["LongestPathResult", "dag_longest_path"]
