"""A recorded operator that writes its code for each target.

An operator module defines one subclass. A recording makes instances of it, and a plan of instances becomes one compiled
loop.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from minigr.program.node import Node


@dataclass
class Operator(Node, ABC):
    """A recorded operator with its code."""

    @abstractmethod
    def cpu(self, text: Any) -> None:
        """Write this operator's CPU code into a `CpuText`."""

    @abstractmethod
    def cuda(self, text: Any) -> None:
        """Write this operator's CUDA code into a `CudaText`."""
