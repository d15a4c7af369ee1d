"""Shortest paths from one vertex or several vertices, and a tree of these paths."""

from minigr.apps.sssp.app import (
    SSSPEnactor,
    SSSPFunctor,
    SSSPProblem,
    SSSPResult,
    check_delta,
    default_delta,
    distance_dtype,
    sssp,
)

__all__ = [
    "SSSPEnactor",
    "SSSPFunctor",
    "SSSPProblem",
    "SSSPResult",
    "check_delta",
    "default_delta",
    "distance_dtype",
    "sssp",
]
