"""Weights that are read some at a time: they get one dtype, which depends on all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.device import CPU
from minigr.graphs.checks import as_vector, as_weights
from minigr.io.contents import Parts, cast


@dataclass(frozen=True)
class Seen:
    """What the dtype depends on: that of some weights, None if there were none, and the range of whole ones."""

    base: Any = None
    least: int = 0
    most: int = 0

    def beside(self, other: Seen) -> Seen:
        """The same of these weights and others."""
        bases = [each.base for each in (self, other) if each.base is not None]
        base = np.result_type(*bases) if bases else None
        return Seen(base, min(self.least, other.least), max(self.most, other.most))


class Weighing:
    """How weights of parts are stored, once all of them were `see`-n.

    Parameters
    ----------
    parts : Parts
    asked : dtype, optional
        That they are to have.

    Attributes
    ----------
    seen : Seen
    """

    def __init__(self, parts: Parts, asked: Any) -> None:
        self._weighted, self._cast = parts.weighted, parts.cast
        self._asked = asked
        fixed = np.float64 if parts.real else np.int64 if parts.cast is None else None
        self.seen = Seen(None if fixed is None else np.dtype(fixed))

    def see(self, weights: Any) -> None:
        """Take note of some weights."""
        whole = weights.dtype.kind == "i" and len(weights) > 0
        least, most = (int(weights.min()), int(weights.max())) if whole else (0, 0)
        self.seen = self.seen.beside(Seen(weights.dtype, least, most))

    @property
    def dtype(self) -> Any:
        """The dtype in which they are stored; None if there are no weights."""
        return self.stored(np.empty(0, self.seen.base or np.int64)).dtype if self._weighted else None

    def stored(self, weights: Any, first: int = 0) -> Any:
        """Some weights as they are to be stored; `first` edges come before.

        Raises
        ------
        GraphError, FormatError
            If one can't be, or is NaN.
        """
        found = weights.astype(self.seen.base, copy=False)
        if self._cast is not None:
            found = self._cast(found)
        elif found.dtype.kind == "i" and self.seen.least >= -(2**31) and self.seen.most < 2**31:
            found = found.astype(np.int32)
        if self._asked is not None:
            found = cast(as_vector(CPU, found, "weights"), self._asked, ": choose another weight_dtype", first)
        return as_weights(CPU, found, len(found))
