"""Topological levels of a directed acyclic graph."""

from minigr.apps.topological.app import LevelsResult, topological_levels
from minigr.apps.topological.levels import (
    Levels,
    LevelsEnactor,
    LevelsProblem,
    in_words,
    require_acyclic,
    require_directed,
)

__all__ = [
    "Levels",
    "LevelsEnactor",
    "LevelsProblem",
    "LevelsResult",
    "in_words",
    "require_acyclic",
    "require_directed",
    "topological_levels",
]
