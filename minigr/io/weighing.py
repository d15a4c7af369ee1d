"""Weights that are read in parts. They get one dtype, which depends on all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.device import CPU
from minigr.graphs.checks import as_vector, as_weights
from minigr.io.contents import Parts, cast


@dataclass(frozen=True)
class Seen:
    """The facts that decide the dtype: the dtype of the weights, None without weights, and their integer range."""

    base: Any = None
    least: int = 0
    most: int = 0

    def beside(self, other: Seen) -> Seen:
        """The facts about these weights and other weights together."""
        bases = [each.base for each in (self, other) if each.base is not None]
        base = np.result_type(*bases) if bases else None
        return Seen(base, min(self.least, other.least), max(self.most, other.most))


class Weighing:
    """Decides how the weights of parts are stored, after `see` was called for all of them.

    Parameters
    ----------
    parts : Parts
    asked : dtype, optional
        The requested dtype.

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
        """Note the facts about some weights."""
        whole = weights.dtype.kind == "i" and len(weights) > 0
        least, most = (int(weights.min()), int(weights.max())) if whole else (0, 0)
        self.seen = self.seen.beside(Seen(weights.dtype, least, most))

    @property
    def dtype(self) -> Any:
        """The dtype in which weights are stored; None if there are no weights."""
        return self.stored(np.empty(0, self.seen.base or np.int64)).dtype if self._weighted else None

    def stored(self, weights: Any, first: int = 0) -> Any:
        """Some weights as they are stored; `first` is the number of earlier edges.

        Raises
        ------
        GraphError, FormatError
            If a weight can't be stored, or is NaN.
        """
        found = weights.astype(self.seen.base, copy=False)
        if self._cast is not None:
            found = self._cast(found)
        elif found.dtype.kind == "i" and self.seen.least >= -(2**31) and self.seen.most < 2**31:
            found = found.astype(np.int32)
        if self._asked is not None:
            found = cast(as_vector(CPU, found, "weights"), self._asked, ": choose another weight_dtype", first)
        return as_weights(CPU, found, len(found))
