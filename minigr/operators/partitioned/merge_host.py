"""Writes of an advance to vertices of other parts, on a CPU: they are found, sent to the owners, and merged there."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.graphs.layouts import kernels_of
from minigr.graphs.partitioned.part import Part
from minigr.operators.partitioned import merge_cpu
from minigr.operators.partitioned.copies import Copies
from minigr.operators.partitioned.rules import Rules
from minigr.operators.partitioned.shadows import Shadow, Shadows

_NO_MARKS, _NO_VERTICES = np.empty(0, np.uint8), np.empty(0, np.int32)


class HostMerge:
    """The writes of one advance on one part, in all steps.

    Parameters
    ----------
    part : Part
    rules : Rules
    shadows : Shadows
        The shadows of the part.
    copies : Copies
    once : bool
        Whether each vertex is in the output once.
    """

    def __init__(self, part: Part, rules: Rules, shadows: Shadows, copies: Copies, once: bool) -> None:
        self._part, self._rules, self._shadows, self._once = part, rules, shadows, once
        self._follow = rules.follows & copies.followed
        # Fields that follow a claim come after the field of the claim.
        self._fields = {
            name: shadows.fields[name] for name in sorted(rules.writes, key=lambda n: (n in self._follow, n))
        }
        self._compared = [field for name, field in self._fields.items() if name not in self._follow]
        self._taken = {
            name: np.zeros(field.bits.size, np.uint8)
            for name, field in self._fields.items()
            if rules.writes[name] == "store"
        }
        ghosts = np.concatenate(part.ghosts)
        added = {name for name, how in rules.writes.items() if how == "atomic_add"}
        self._zeroed = [(self._fields[name], ghosts) for name in sorted(added & copies.read)]
        for name in added - copies.read:
            self._zero(self._fields[name], ghosts)  # they stay zero
        self._ends, self._bounds = np.empty(part.num_parts, np.int64), part.deal.first_vertices
        layout, rows = part.graph.layout, part.graph.out_edges
        self._graph, self._finder = kernels_of(layout).arrays(rows, rows, False), merge_cpu.finder_of_ends(layout)
        self._known, self._own, self._items = [part.owned, ghosts], _NO_VERTICES, _NO_VERTICES
        self._dense = (len(part.owned) + len(ghosts)) // 4

    @staticmethod
    def _zero(field: Shadow, vertices: Any) -> None:
        field.array[vertices] = 0
        field.shadow[vertices] = 0

    def begin(self, frontier: Any) -> None:
        """Before the operator runs, set the elements at other parts' vertices to zero if the operator adds to them."""
        self._before = [field.array[ghosts] for field, ghosts in self._zeroed]
        for field, ghosts in self._zeroed:
            self._zero(field, ghosts)

    def sent(self, put_out: Any, frontier: Any, edges: int, pulled: bool) -> list[Any] | None:
        """By owner, the output and the changes to vertices of other parts. The part's copies are then restored.

        A message has the output, the changed vertices, and for each field the elements and a mark for each change. A
        pull changes only the part's own vertices, so there is no message.
        """
        part, of_fields, claimed = self._part, [], _NO_MARKS
        ids, stops = self._grouped(self._changed(frontier, edges, pulled))
        begin, end = stops[part.index : part.index + 2]
        self._own, self._own_changes = ids[begin:end], {}
        for name, field in self._fields.items() if len(ids) else ():
            stores, columns = self._rules.writes[name] == "store", field.columns
            values = np.empty(len(ids) * columns, field.bits.dtype)
            if name in self._follow:
                changed = claimed
                merge_cpu.take_along(field.bits, field.shadow_bits, ids, begin, end, values)
            else:
                changed = np.empty(values.size, np.uint8) if stores or name == self._rules.claim else _NO_MARKS
                merge_cpu.take_away(field.bits, field.shadow_bits, columns, ids, begin, end, values, changed)
                claimed = changed if name == self._rules.claim else claimed
            if stores:
                self._own_changes[name] = changed[begin * columns : end * columns]
            of_fields.append((columns, values, changed))
        for before, (field, ghosts) in zip(self._before, self._zeroed, strict=True):
            field.array[ghosts] = field.shadow[ghosts] = before
        self._shadows.settle(self._rules.writes_own, frontier)
        if pulled:
            self._items = put_out
            return None
        items, splits = self._grouped(put_out)
        messages: list[Any] = []
        for owner in range(part.num_parts):
            (low, high), (first, last) = stops[owner : owner + 2], splits[owner : owner + 2]
            if owner == part.index:
                self._items = items[first:last]
            elif high > low or last > first:
                fields = [
                    (values[low * columns : high * columns], changed[low * columns : high * columns])
                    for columns, values, changed in of_fields
                ]
                messages.append((items[first:last], ids[low:high], fields))
                continue
            messages.append(None)
        return messages

    def _changed(self, frontier: Any, edges: int, pulled: bool) -> Any:
        """The changed vertices, which get marks.

        They are searched among the ends of edges, or among all known vertices.
        """
        marks, room, count = self._shadows.marks, self._shadows.room, 0
        if not len(frontier):
            return _NO_VERTICES
        for field in self._compared:
            how = field.bits, field.shadow_bits, field.columns, marks, room
            if edges < self._dense and not pulled:
                count = self._finder(self._graph, frontier, *how, count)
            else:
                for vertices in self._known[:1] if pulled else self._known:
                    count = merge_cpu.find_in_list(vertices, *how, count)
        return room[:count]

    def _grouped(self, vertices: Any) -> tuple[Any, list[int]]:
        """Vertices sorted by owner, with their marks cleared, and the bounds of each owner's vertices."""
        if not len(vertices):
            return _NO_VERTICES, [0] * (self._part.num_parts + 1)
        grouped = np.empty(len(vertices), np.int32)
        merge_cpu.group(vertices, self._bounds, self._part.num_parts, grouped, self._ends, self._shadows.marks)
        return grouped, [0, *self._ends.tolist()]

    def take(self, messages: list[Any], also: Any) -> tuple[Any, Any]:
        """Merge the changes that this part and the other parts made to its vertices.

        `also`: vertices that the operator changed as sources, or None.

        Returns
        -------
        items, changed : int32 arrays
            Its share of the output, and its changed vertices.
        """
        index, found = self._part.index, [each for each in messages if each is not None]
        items = self._items
        if found:
            lists = [items if q == index else each[0] for q, each in enumerate(messages) if q == index or each]
            items = self._shadows.listed(lists).copy() if self._once else np.concatenate(lists)
        came = [each for each in found if len(each[1])]
        if came:
            self._put_together(came)
        changed = self._own
        if also is self._part.owned:
            changed = also
        elif came or also is not None:
            changed = self._shadows.listed([changed, *(each[1] for each in came), *([] if also is None else [also])])
        return items, changed

    def _put_together(self, came: list[Any]) -> None:
        """Apply the changes that other parts made to this part's vertices, one part after the other."""
        for name, changed in self._own_changes.items():
            merge_cpu.note(self._taken[name], self._fields[name].columns, self._own, changed)
        for _, ids, fields in came:
            self._put(ids, fields)
        for name, taken in self._taken.items():
            for ids in (self._own, *(each[1] for each in came)):
                merge_cpu.clear(taken, self._fields[name].columns, ids)

    def _put(self, ids: Any, fields: list[Any]) -> None:
        """Apply the changes of one other part, after the changes of this part and of earlier parts."""
        rules, outcome = self._rules, np.zeros(len(ids), np.uint8)
        for (name, field), (values, changed) in zip(self._fields.items(), fields, strict=True):
            how = rules.writes[name]
            if name == rules.claim and how in ("store", "atomic_min", "atomic_max"):
                taken = self._taken.get(name, _NO_MARKS)
                typed = values.view(field.flat.dtype)
                merge_cpu.judge(how)(field.flat, ids, typed, changed, taken, outcome)
        for (name, field), (values, changed) in zip(self._fields.items(), fields, strict=True):
            how, taken = rules.writes[name], self._taken.get(name, _NO_MARKS)
            typed = values.view(field.flat.dtype)
            merge_cpu.putter(how)(field.flat, field.flat_shadow, field.columns, ids, typed, changed, taken, outcome)
