"""The decision whether a batch leads to a repair or to a recomputation of an answer."""

from __future__ import annotations

from typing import Any, Literal, get_args

from minigr.apps.dynamic.common.patience import Patience
from minigr.program.node import check_choice

Recompute = Literal["auto", "always", "never"]
_LARGE = 1 / 8  # of the graph's edges: larger batches lead to recomputation

# The number of arcs that a loop reads in the time that starting a loop takes. On a CPU with two cores, a start takes
# 0.1 ms and an arc 13 ns. On an H200, a start takes 0.06 ms and an arc 0.25 ns, estimated from the times of whole
# updates. These are constants and not measured in each run, so that decisions are the same in every run.
_ARCS_PER_START = {"cpu": 2**13, "cuda": 2**18}
# The same for a step of a few operators over few vertices. On a GPU, such a step takes about as long as a start.
_ARCS_PER_STEP = {"cpu": 2**9, "cuda": 2**18}


def arcs_per_start(device: Any) -> int:
    """The number of arcs that a loop reads in the time that starting a loop takes."""
    return _ARCS_PER_START["cuda" if device.is_cuda else "cpu"]


def arcs_per_step(device: Any) -> int:
    """The number of arcs that a loop reads in the least time that a step takes."""
    return _ARCS_PER_STEP["cuda" if device.is_cuda else "cpu"]


class Decision:
    """The state of the decisions for one answer; see `minigr.apps.dynamic.common.maintained.Maintained`.

    Parameters
    ----------
    when : {"auto", "always", "never"}
    name : str
        The name of the answer, for the error message.

    Raises
    ------
    ProblemError
        For another value of `when`.
    """

    def __init__(self, when: Recompute, name: str) -> None:
        self._when: Recompute = check_choice(when, get_args(Recompute), f"{name}: recompute")
        self._patience = {deleted: Patience() for deleted in (False, True)}

    @property
    def always_repairs(self) -> bool:
        return self._when == "never"

    def why_not_repaired(self, size: int, edges: int) -> str | None:
        """Why a batch of `size` edges, in a graph of `edges` edges, is not repaired; None if it may be."""
        if self._when == "always":
            return "recompute='always'"
        if not self.always_repairs and size > _LARGE * max(edges, 1):
            return "the batch is large"
        return None

    def why_not_tried(self, work: float, deleted: bool) -> str | None:
        """Why the repair of a batch with this work is not tried; None if it is. Must be called once for each batch."""
        if self.always_repairs or self._patience[deleted].is_tried(work):
            return None
        return "batches like this one reached far"

    def note_repair(self, work: float, deleted: bool, share: float | None) -> None:
        """Record a repair. `share`: the share of the allowed work that it used; None if it was given up."""
        self._patience[deleted].note(work, share)
