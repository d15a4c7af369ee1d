"""Scalar fields that results of an operator are reduced into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Scalar:
    """A scalar field that results are reduced into."""

    name: str
    reduce: str
    initial: Any  # where the reduction starts

    @property
    def dtype(self) -> np.dtype:
        """What it is reduced in."""
        return self.initial.dtype

    @property
    def partials(self) -> str:
        """Name of the buffer for the workers' partial results."""
        return f"partials_{self.name}"

    @property
    def held(self) -> str:
        """Name of the GPU's buffer for the result so far, while some rows are still to be finished."""
        return f"held_{self.name}"
