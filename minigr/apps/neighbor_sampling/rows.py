"""The rows from which edges are drawn, and the draws of a layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.neighbor_sampling import draws
from minigr.primitives.lbs import lbs
from minigr.primitives.scan import scan
from minigr.primitives.transform import transform

ALL = 2**62  # a fan-out greater than any degree: all edges of a vertex


@dataclass(frozen=True)
class Rows:
    """The rows from which edges are drawn.

    Attributes
    ----------
    device : Device
    offsets, indices : arrays
    weights : array or None
        None if all edges have the same probability.
    sums : float64 array, or None
        See `kept_sums`; for draws by weight with replacement.
    scale : float
        See `scale_of`.
    """

    device: Any
    offsets: Any
    indices: Any
    weights: Any = None
    sums: Any = None
    scale: float = 1.0

    def begins(self, frontier: Any, fanout: int, replace: bool) -> Any:
        """int64: the position of the first edge of each vertex of the frontier, and last the number of all edges."""
        asked = {"frontier": frontier, "offsets": self.offsets, "fanout": fanout, "replace": replace}
        asked |= {} if self.weights is None else {"weights": self.weights}
        count = draws.count_evenly if self.weights is None else draws.count_by_weight
        return scan(count, count=len(frontier), with_total=True, dtype=np.int64, **asked)

    def draw(
        self, begins: Any, frontier: Any, first: int, fanout: int, replace: bool, key: Any, col: Any, edge: Any
    ) -> Any:
        """Draw edges, write them to `edge`, and return the vertices that they lead to.

        The numbers of the vertices that draw the edges, from `first` on, are written to `col`.
        """
        near = self.device.empty(len(edge), np.int32)
        asked = {"frontier": frontier, "offsets": self.offsets, "key": key, "edge": edge}
        named = {"first": first, "col": col}
        if self.weights is None:
            asked |= {"fanout": fanout, "replace": replace}
            if not self.device.is_cuda and fanout < ALL:  # a thread of a CPU can draw whole rows
                whole = {"indices": self.indices, "begins": begins, "near": near}
                transform(draws.draw_row, count=len(frontier), **asked, **named, **whole)
                return near
            lbs(begins, draws.draw_evenly, validate=False, **asked, **named)
        elif replace:
            lbs(begins, draws.draw_by_sums, validate=False, sums=self.sums, **asked, **named)
        else:
            drawn = self.device.empty(len(edge), np.float64)
            weighing = {"weights": self.weights, "scale": self.scale, "begins": begins, "drawn": drawn}
            transform(draws.draw_by_keys, count=len(frontier), **asked, **weighing)
            lbs(begins, draws.name_centers, validate=False, **named)
        transform(draws.follow, count=len(edge), edge=edge, indices=self.indices, near=near)
        return near
