"""The module of kernels for a device, and the check of the argument of all functions of a batch."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from minigr.errors import GraphError
from minigr.graphs.batch import GraphBatch


def kernels(batch: GraphBatch) -> ModuleType:
    """Return `kernels_cpu` or `kernels_cuda`, which have the same functions."""
    if batch.graph._device.is_cuda:
        from minigr.batch import kernels_cuda

        return kernels_cuda
    from minigr.batch import kernels_cpu

    return kernels_cpu


def require_batch(batch: Any, algorithm: str) -> None:
    """Raise `GraphError` if the argument is not a batch."""
    if not isinstance(batch, GraphBatch):
        raise GraphError(
            f"{algorithm} expects a GraphBatch, got {type(batch).__name__}: make one with GraphBatch.from_graphs"
        )
