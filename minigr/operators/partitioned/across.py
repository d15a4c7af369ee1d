"""The exchange of data between parts in the operators of a step, if each part runs the whole loop on its GPU."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from minigr.jit.accesses import accesses
from minigr.operators.partitioned.rules import Rules, followed_of, left_of
from minigr.program.control import MOST_GRIDS
from minigr.program.node import Node
from minigr.program.plan import Plan

if TYPE_CHECKING:
    from minigr.operators.partitioned.across_text import AcrossText

_SIZES = (4, 8)  # sizes in bytes of elements that kernels can send
LONG = 1 << 17
"""Lists of more ghosts are long. Then parts note changes by page, and search for improving claims after all edges."""


@dataclass(frozen=True)
class Across:
    """The data that the loops of the parts exchange.

    Attributes
    ----------
    num_parts : int
    hashed : bool
        Whether a hash of its id determines the owner of a vertex, and not a range of ids.
    long : bool
        Whether the lists of ghosts are long.
    rules : sequence of Rules
        The rules of each operator.
    """

    num_parts: int
    hashed: bool
    long: bool
    rules: Sequence[Rules]

    @property
    def mails(self) -> int:
        """The number of phases whose mail a part has room for: 2, if a step may begin with the last step's mail."""
        return 1 if self.long else 2

    @cached_property
    def followed(self) -> set[str]:
        """Fields that are stored to exactly where a claim held.

        They are sent along with the claim, and no copy of them is read.
        """
        return followed_of(self.rules)

    @cached_property
    def left(self) -> set[str]:
        """Fields by which vertices are claimed, and whose copies at ghosts are not refreshed during a run.

        Changes by owners reach no copy, and a vertex that a part has claimed stays claimed in the part's own copy.
        """
        return left_of(self.rules)

    @cached_property
    def refreshed(self) -> list[str]:
        """Fields whose copies at ghosts are kept equal to the owners' elements."""
        return sorted(set().union(*(rules.reads for rules in self.rules)) - self.followed - self.left)

    def refreshed_by(self, rules: Rules) -> list[str]:
        """The refreshed fields that one operator changes."""
        return [name for name in self.refreshed if name in rules.writes_own | rules.writes.keys()]

    def sends(self, node: Node) -> bool:
        """Whether an operator changes vertices of other parts, or puts them out. Then owners get mail."""
        puts_out = getattr(node, "output_kind", None) is not None
        return node.name == "advance" and (puts_out or bool(self.rules[node.index].writes))

    def sent(self, rules: Rules) -> list[str]:
        """Fields whose changes at ghosts must be found after one operator."""
        return sorted(rules.writes.keys() - self.followed - self.left)

    def go_along(self, rules: Rules) -> list[str]:
        """Fields that one operator sends with each vertex that it has claimed."""
        return sorted(rules.follows & self.followed | {rules.claim} & self.left)

    @cached_property
    def written(self) -> list[str]:
        """Fields that are sent to owners."""
        return sorted(set().union(*(rules.writes.keys() for rules in self.rules)))

    @cached_property
    def added(self) -> set[str]:
        """Fields with additions at destinations. At ghosts, they are 0 between two operators."""
        return {name for rules in self.rules for name, how in rules.writes.items() if how == "atomic_add"}

    @cached_property
    def known(self) -> list[str]:
        """Fields for which a part keeps the elements that owners sent last.

        A ghost whose element differs has changed.
        """
        return sorted({name for rules in self.rules for name in self.sent(rules)} - self.added | {*self.refreshed})

    @cached_property
    def joined(self) -> list[str]:
        """Fields of parents in which an operator joins sets. The parts tell each other the roots."""
        return sorted(set().union(*(rules.joins for rules in self.rules)))

    @cached_property
    def sets(self) -> list[str]:
        """Fields of parents. When a run begins, a part must know the parents of all vertices."""
        return sorted(set().union(*(rules.sets for rules in self.rules)))

    def can_split_at_once(self, node: Node, split: Node) -> bool:
        """Whether an advance's vertices may be split by priority while parts still exchange its changes.

        A vertex is split again when its owner accepts a claim. So its priority may depend on the data that is sent with
        the claim, and on no other data that the advance changes.
        """
        rules, priority = self.rules[node.index], split.functions["priority"]
        if rules.claim not in self.left or self.sent(rules) or priority.method.positional:
            return False
        asked = {each.field for each in accesses(priority, sorted(rules.writes_own | rules.writes.keys()))}
        return asked.isdisjoint(rules.writes_own) and asked <= {*self.go_along(rules)}

    def sends_at_once(self, rules: Rules) -> bool:
        """Whether a part may send a vertex to its owner as soon as it has claimed the vertex.

        The owner then decides on the claim by the data that is sent with it, and no copies are updated. A claim that
        improves an element may hold several times in a step. The data sent with it must not depend on which claim is
        processed last.
        """
        if rules.claim not in self.left or self.sent(rules) or self.refreshed_by(rules):
            return False
        return not rules.improves or (not self.long and self.go_along(rules) == [rules.claim])

    def waiting(self, node: Node) -> set[str]:
        """Fields whose copies may wait until an operator that can pull pushes again.

        No other operator uses these fields.
        """
        if not getattr(node, "counts_degrees", False):
            return set()
        rules, *others = self.rules[node.index], *self.rules[: node.index], *self.rules[node.index + 1 :]
        elsewhere = set().union(*(each.reads | each.writes_own | each.writes.keys() for each in others))
        return ({*self.refreshed} & (rules.writes_own | rules.writes.keys())) - elsewhere

    def key(self) -> Hashable:
        """Everything that a program depends on."""
        rules = tuple((tuple(sorted(r.reads)), tuple(sorted(r.writes_own)), tuple(sorted(r.writes.items())), r.claim,
                       r.decides, tuple(sorted(r.follows)), tuple(sorted(r.joins))) for r in self.rules)  # fmt: skip
        return self.num_parts, self.hashed, self.long, rules

    def own_words(self, plan: Plan) -> int:
        """The number of words behind the control block of all parts: the part's scalars, and addresses in all parts."""
        return len(scalars_of(plan.problem)) + self.num_parts * len(self.text(plan).columns)

    def text(self, plan: Plan) -> AcrossText:
        """The text of a plan of one part."""
        from minigr.operators.partitioned.across_text import AcrossText

        return AcrossText(plan)


def ghosts_of(graph: Any) -> int:
    """The largest number of ghosts of a part."""
    return max(part.num_ghosts for part in graph.parts)


def scalars_of(problem: Any) -> list[str]:
    """The scalar fields of a problem, in the order in which a part has them."""
    return [name for name, field in problem._fields.items() if field.kind == "scalar"]


def across_of(plan: Plan, rules: Sequence[Rules]) -> Across | str:
    """The exchange between the parts' loops, or the reason why the host must run this loop on any devices."""
    problem, graph = plan.problem, plan.problem.graph
    across = Across(graph.num_parts, graph.deal.name == "hash", ghosts_of(graph) > LONG, rules)
    if plan.debug:
        return "indexes are checked"
    if not 1 < graph.num_parts <= MOST_GRIDS:
        return f"there are {graph.num_parts} parts, but only 2 to {MOST_GRIDS} GPUs can run together"
    for each in rules:
        if not {*across.sets}.isdisjoint(each.reads | each.writes_own | each.writes.keys()):
            return "an operator also uses the parents of a union-find as elements, which go to all parts"
    for node in plan.nodes:
        each = rules[node.index]
        if each.joins and (node.output is not None or each.writes or across.refreshed_by(each)):
            return f"{node.name} joins sets, and also sends something else to other parts"
        if node.name == "reduce_by_key" or (getattr(node, "duplicates", "remove") == "keep" and node.name == "advance"):
            return f"{node.name} needs results of parts that the host sorts by key or by place"
    for name in sorted({*across.refreshed, *across.written}):
        if problem._columns[name] or problem._dtypes[name].itemsize not in _SIZES:
            return f"{name!r} has elements of another size than 4 or 8 bytes, or several columns"
    for name in across.added:
        if name in across.refreshed or any(r.writes.get(name, "atomic_add") != "atomic_add" for r in rules):
            return f"{name!r} is added to at destinations, and read or written at destinations by another operator"
    return across
