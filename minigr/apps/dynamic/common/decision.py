"""Whether a batch is repaired into an answer, or has the answer computed again."""

from __future__ import annotations

from typing import Literal, get_args

from minigr.apps.dynamic.common.costs import Costs
from minigr.apps.dynamic.common.patience import Patience
from minigr.program.node import check_choice

Recompute = Literal["auto", "measured", "always", "never"]
_LARGE = 1 / 8  # of the graph's edges: a batch with more is not repaired


class Decision:
    """What one answer decides by; `minigr.apps.dynamic.common.maintained.Maintained` says how.

    Parameters
    ----------
    when : {"auto", "measured", "always", "never"}
    name : str
        Of the answer, for the error.

    Attributes
    ----------
    costs : Costs
        What repairs and recomputations have taken.

    Raises
    ------
    ProblemError
        For another `when`.
    """

    def __init__(self, when: Recompute, name: str) -> None:
        self._when: Recompute = check_choice(when, get_args(Recompute), f"{name}: recompute")
        self.costs = Costs()
        self._patience = {deleted: Patience() for deleted in (False, True)}

    @property
    def always_repairs(self) -> bool:
        return self._when == "never"

    def why_not_repaired(self, size: int, edges: int, work: int, deleted: bool) -> str | None:
        """Why a batch of `size` edges is not tried to be repaired; None if it is.

        `edges`: of the graph; `work`: what the repair begins with.
        """
        if self._when == "always":
            return "recompute='always'"
        if self.always_repairs:
            return None
        if size > _LARGE * max(edges, 1):
            return "the batch is large"
        if self._when == "measured":
            return self.costs.why_recompute(work, deleted)
        return None if self._patience[deleted].is_tried(work) else "batches like this one reached far"

    def note_repair(self, seconds: float, work: int, deleted: bool, done: bool) -> None:
        """A repair took so long. `done`: it was not given up; either way it is what trying takes."""
        self.costs.note_repair(seconds, work, deleted)
        self._patience[deleted].note(work, done)
