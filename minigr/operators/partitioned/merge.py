"""What parts wrote to the vertices of others: found, sent to the owners, and put together there.

One `Merge` serves an operator in all its steps. Around each run of the operator on a part it looks at the elements that
the run may change: with a short frontier those at the ends of its edges, otherwise all that the part knows of.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.graphs.partitioned.part import Part, held_in
from minigr.operators.partitioned.rules import Rules

_BETTER = {"atomic_min": np.less, "atomic_max": np.greater}
_COMBINED = {"atomic_or": np.bitwise_or, "atomic_add": np.add}


class Merge:
    """What one operator writes on one part.

    Parameters
    ----------
    part : Part
    rules : Rules
    arrays : dict
        The part's copies of the fields that the operator writes to at destinations.
    """

    def __init__(self, part: Part, rules: Rules, arrays: dict[str, Any]) -> None:
        self._part, self._rules, self._arrays = part, rules, arrays
        self._ghosts = part.xp.concatenate(part.ghosts)
        self._taken = {
            name: part.device.full(array.shape, False, np.bool_)
            for name, array in arrays.items()
            if rules.writes[name] == "store"
        }

    def begin(self, frontier: Any) -> None:
        """Look at what an operator over these vertices may change, before it does."""
        part = self._part
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

    def sent(self) -> list[Any]:
        """By owner, the vertices of others that were changed, and how; the part then has what it had before."""
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

    def take(self, messages: list[Any]) -> Any:
        """Put together what this part and the others did to its vertices; the vertices that were changed."""
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
        """What one other part did, after this one and those before it."""
        xp, (won, lost) = self._part.xp, self._outcome(ids, fields)
        for name, (values, changed) in fields.items():
            array, how = self._arrays[name], self._rules.writes[name]
            held = array[ids]
            if how == "store":
                shape = (len(ids), *[1] * (held.ndim - 1))
                free = won.reshape(shape) | ~self._taken[name][ids]
                takes = changed & free & ~lost.reshape(shape)
                self._taken[name][ids] |= takes
                array[ids] = xp.where(takes, values, held)
            elif how in _BETTER:
                array[ids] = xp.where(changed & _BETTER[how](values, held), values, held)
            else:
                array[ids] = xp.where(changed, _COMBINED[how](held, values), held)

    def _outcome(self, ids: Any, fields: dict[str, Any]) -> tuple[Any, Any]:
        """At which vertices the other part's claim is the best so far, and at which it came too late."""
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


def refreshed(part: Part, changed: Any, arrays: dict[str, Any]) -> list[Any]:
    """By part, what `part` has of its `changed` vertices that are ghosts there: ids, and the elements of each field.

    Without ids, where they are most of them: all mirrors in their order.
    """
    if not len(changed):
        return [None] * len(part.mirrors)
    if changed is part.owned:
        return [_all_of(mirrors, arrays) if len(mirrors) else None for mirrors in part.mirrors]
    there = None
    if 8 * len(changed) > len(part.owned):
        there = part.device.full(part.graph.num_vertices, False, np.bool_)
        there[changed] = True
    messages: list[Any] = []
    for mirrors in part.mirrors:
        ids = changed[held_in(mirrors, changed, part.xp)] if there is None else mirrors[there[mirrors]]
        if 2 * len(ids) > len(mirrors):
            messages.append(_all_of(mirrors, arrays))
        else:
            messages.append((ids, {name: array[ids] for name, array in arrays.items()}) if len(ids) else None)
    return messages


def _all_of(mirrors: Any, arrays: dict[str, Any]) -> Any:
    return None, {name: array[mirrors] for name, array in arrays.items()}


def take_refreshed(part: Part, messages: list[Any], arrays: dict[str, Any]) -> None:
    """Store what owners have of this part's ghosts."""
    for ghosts, message in zip(part.ghosts, part.here(messages), strict=True):
        if message is not None:
            ids, values = message
            for name, array in arrays.items():
                array[ghosts if ids is None else ids] = values[name]
