"""Whether a batch is repaired into an answer, or has the answer computed again."""

from __future__ import annotations

from typing import Any, Literal, get_args

from minigr.apps.dynamic.common.patience import Patience
from minigr.program.node import check_choice

Recompute = Literal["auto", "always", "never"]
_LARGE = 1 / 8  # of the graph's edges: a batch with more is not repaired

# In the time that starting a loop takes, a loop looks at so many arcs: on a CPU of two cores 0.1 ms and 13 ns for each;
# on an H200, as far as times of whole updates tell, 0.06 ms and 0.25 ns. These are constants, not measured times, so
# decisions are the same in every run.
_ARCS_PER_START = {"cpu": 2**13, "cuda": 2**18}
# A step of a few operators, however few vertices it is about. On a GPU it takes about as long as a start.
_ARCS_PER_STEP = {"cpu": 2**9, "cuda": 2**18}


def arcs_per_start(device: Any) -> int:
    """How many arcs a loop looks at in the time that it takes to start one."""
    return _ARCS_PER_START["cuda" if device.is_cuda else "cpu"]


def arcs_per_step(device: Any) -> int:
    """How many arcs a loop looks at in the time that one of its steps takes at least."""
    return _ARCS_PER_STEP["cuda" if device.is_cuda else "cpu"]


class Decision:
    """What one answer decides by; `minigr.apps.dynamic.common.maintained.Maintained` says how.

    Parameters
    ----------
    when : {"auto", "always", "never"}
    name : str
        Of the answer, for the error.

    Raises
    ------
    ProblemError
        For another `when`.
    """

    def __init__(self, when: Recompute, name: str) -> None:
        self._when: Recompute = check_choice(when, get_args(Recompute), f"{name}: recompute")
        self._patience = {deleted: Patience() for deleted in (False, True)}

    @property
    def always_repairs(self) -> bool:
        return self._when == "never"

    def why_not_repaired(self, size: int, edges: int) -> str | None:
        """Why a batch of `size` edges is not repaired into an answer for a graph with `edges`; None if it may be."""
        if self._when == "always":
            return "recompute='always'"
        if not self.always_repairs and size > _LARGE * max(edges, 1):
            return "the batch is large"
        return None

    def why_not_tried(self, work: float, deleted: bool) -> str | None:
        """Why a batch that begins with so much work is not tried; None if it is. To be asked once for each batch."""
        if self.always_repairs or self._patience[deleted].is_tried(work):
            return None
        return "batches like this one reached far"

    def note_repair(self, work: float, deleted: bool, share: float | None) -> None:
        """A batch was tried. `share`: of what it may look at, how much it looked at; None if it was given up."""
        self._patience[deleted].note(work, share)
