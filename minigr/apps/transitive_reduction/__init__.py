"""The transitive reduction of a directed acyclic graph."""

from minigr.apps.transitive_reduction.app import TransitiveReductionResult, transitive_reduction

__all__ = ["TransitiveReductionResult", "transitive_reduction"]
