"""Writes of an advance to vertices of other parts, on a GPU: they are found, sent to the owners, and merged there.

Before and after each run of the operator, the elements that the run may change are compared: for a short frontier the
elements at the ends of its edges, and otherwise all elements that the part knows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.graphs.partitioned.part import Part
from minigr.operators.partitioned.rules import Rules

_BETTER = {"atomic_min": np.less, "atomic_max": np.greater}
_COMBINED = {"atomic_or": np.bitwise_or, "atomic_add": np.add}


class GpuMerge:
    """The writes of one advance on one part, in all steps. The methods are those of `HostMerge`.

    Parameters
    ----------
    part : Part
    rules : Rules
    arrays : dict
        The part's copies of the fields that the operator writes to at destinations.
    once : bool
        Whether each vertex is in the output once.
    """

    def __init__(self, part: Part, rules: Rules, arrays: dict[str, Any], once: bool) -> None:
        self._part, self._rules, self._arrays, self._once = part, rules, arrays, once
        self._ghosts = part.xp.concatenate(part.ghosts)
        self._taken = {
            name: part.device.full(array.shape, False, np.bool_)
            for name, array in arrays.items()
            if rules.writes[name] == "store"
        }

    def begin(self, frontier: Any) -> None:
        """Before the operator runs, copy the elements that it may change if it runs over these vertices."""
        part = self._part
        if not self._arrays:
            return
        if int(part.graph.out_edges.degrees_of(frontier).sum()) < (len(part.owned) + len(self._ghosts)) // 4:
            ends = part.xp.unique(part.ends_of(frontier))
            own = part.deal.owners(ends) == part.index
            self._own, self._others = ends[own], ends[~own]
        else:
            self._own, self._others = part.owned, self._ghosts
        self._own_before = {name: array[self._own] for name, array in self._arrays.items()}
        self._others_before = {name: array[self._others] for name, array in self._arrays.items()}
        for name, array in self._arrays.items():
            if self._rules.writes[name] == "atomic_add":
                array[self._others] = 0

    def sent(self, put_out: Any, frontier: Any, edges: int, pulled: bool) -> Any:
        """By owner, the output and the changes to vertices of other parts. The part's copies are then restored."""
        written = self._written() if self._arrays else [None] * self._part.num_parts
        messages = list(zip(self._part.split(put_out), written, strict=True))
        return messages[self._part.index] if pulled else messages

    def _written(self) -> list[Any]:
        """By owner, the changed vertices of other parts, and their changes."""
        part, xp = self._part, self._part.xp
        found, touched = {}, part.device.full(len(self._others), False, np.bool_)
        for name, array in self._arrays.items():
            now, before = array[self._others], self._others_before[name]
            changed = _differ(now, xp.zeros_like(now) if self._rules.writes[name] == "atomic_add" else before)
            found[name] = now, changed
            touched |= changed if changed.ndim == 1 else changed.any(axis=1)
            array[self._others] = before
        at = xp.flatnonzero(touched)
        owners = part.deal.owners(self._others[at])
        messages = []
        for owner in range(part.num_parts):
            of = at[owners == owner]
            messages.append((self._others[of], {name: (now[of], by[of]) for name, (now, by) in found.items()}))
        return messages

    def take(self, messages: list[Any], also: Any) -> tuple[Any, Any]:
        """Merge the changes of all parts to this part's vertices.

        Return its share of the output, and its changed vertices.
        """
        part, xp = self._part, self._part.xp
        items, written = zip(*messages, strict=True)
        put_out = xp.concatenate(part.here(list(items)))
        changed = self._put_together(list(written)) if self._arrays else part.none()
        if also is not None:
            changed = part.owned if also is part.owned else xp.union1d(changed, also)
        return xp.unique(put_out) if self._once else put_out, changed

    def _put_together(self, messages: list[Any]) -> Any:
        """Merge the changes that this part and the other parts made to its vertices. Return the changed vertices."""
        xp, touched, taken = self._part.xp, [], []
        for name, array in self._arrays.items():
            changed = _differ(array[self._own], self._own_before[name])
            rows = changed if changed.ndim == 1 else changed.any(axis=1)
            touched.append(self._own[rows])
            if name in self._taken:
                self._taken[name][self._own] = changed
        for ids, fields in self._part.here(messages):
            if len(ids):
                self._put(ids, fields)
                taken.append(ids)
        for marks in self._taken.values():
            for ids in (self._own, *taken):
                marks[ids] = False
        return xp.unique(xp.concatenate([*touched, *taken]))

    def _put(self, ids: Any, fields: dict[str, Any]) -> None:
        """Apply the changes of one other part, after the changes of this part and of earlier parts."""
        xp, (won, lost) = self._part.xp, self._outcome(ids, fields)
        for name, (values, changed) in fields.items():
            array, how = self._arrays[name], self._rules.writes[name]
            held = array[ids]
            if how == "store":
                shape = (len(ids), *[1] * (held.ndim - 1))
                # What a winner stored counts also where it is what was there before, which looks like no change.
                takes = won.reshape(shape) | (changed & ~self._taken[name][ids] & ~lost.reshape(shape))
                self._taken[name][ids] |= takes
                array[ids] = xp.where(takes, values, held)
            elif how in _BETTER:
                array[ids] = xp.where(changed & _BETTER[how](values, held), values, held)
            else:
                array[ids] = xp.where(changed, _COMBINED[how](held, values), held)

    def _outcome(self, ids: Any, fields: dict[str, Any]) -> tuple[Any, Any]:
        """The vertices at which the other part's claim is the best so far, and those at which it came too late."""
        claim = self._rules.claim
        none = self._part.device.full(len(ids), False, np.bool_)
        if not claim:
            return none, none
        (values, changed), how = fields[claim], self._rules.writes[claim]
        if how == "store":
            return none, changed & self._taken[claim][ids]
        if how not in _BETTER:
            return none, none
        better = _BETTER[how](values, self._arrays[claim][ids])
        return changed & better, changed & ~better


def _differ(now: Any, before: Any) -> Any:
    """Which elements differ in their bits."""
    kind = f"u{now.dtype.itemsize}"
    return now.view(kind) != before.view(kind)
