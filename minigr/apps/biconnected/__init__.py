"""Bridges, articulation points and biconnected components."""

from minigr.apps.biconnected.app import (
    ArticulationResult,
    BiconnectedResult,
    BridgesResult,
    articulation_points,
    biconnected_components,
    bridges,
)

__all__ = [
    "ArticulationResult",
    "BiconnectedResult",
    "BridgesResult",
    "articulation_points",
    "biconnected_components",
    "bridges",
]
