"""A minimum spanning forest."""

from minigr.apps.spanning_forest.app import SpanningForestResult, minimum_spanning_forest

__all__ = ["SpanningForestResult", "minimum_spanning_forest"]
