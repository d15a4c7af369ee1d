"""Rules for operators over parts: which data parts must exchange, and which operations can't be divided among parts.

A part runs an operator over the vertices of the frontier that it owns. So an operator may read the elements of which
the part has a copy: the elements at the ends of its arcs. It may write to vertices that the part owns. The parts may
also write to vertices of other parts, each part by itself. The merged result must be the same as if all writes had been
done in one place:

- ``atomic_min``, ``atomic_max``, ``atomic_or``: the owner applies the same operation to the result of each part.
- ``atomic_add``: parts start from zero, and the owner adds their results. So the current element can't be read.
- stores, ``atomic_exch``, ``atomic_cas``: one of the parts wins, with everything that it stored at the vertex.
- ``join``: each part joins sets in its own copy of all parents, and then tells the other parts; see
  `minigr.operators.partitioned.forest`. So a parent can't be read as an element, except by its owner.

The result of an atomic differs from part to part. A functor may use the result to let the first update through, or each
update that improves an element. Such a *claim* may hold in several parts, although only one of them would have held in
one place. Apart from the claim, a functor may only store at the vertex, where the claim holds, and the owner keeps the
values that the winner stored.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from minigr.errors import FunctorError, ProblemError
from minigr.jit.accesses import OTHER, Access, accesses
from minigr.jit.functor import Bound
from minigr.operators.neighbor_reduce import NeighborReduce
from minigr.program.node import Node

STORES = ("store", "atomic_exch", "atomic_cas")
_OF_SETS = ("find", "join")
_GATHER = "or run over graph.gather()"
_NOT_KNOWN = {  # names that an operator supplies, with the reason why parts can't
    "edge": "edges have no ids that all parts know",
    "idx": "positions among all items are not known in parts",
    "seg": "positions in the frontier are not known in parts",
}
_TAKEN = ("advance", "filter", "compute", "neighbor_reduce", "near_far", "combination", "reduce_by_key")


@dataclass
class Rules:
    """The data that parts exchange for one operator.

    Attributes
    ----------
    reads : set of str
        Fields that the operator reads at vertices of other parts.
    writes_own : set of str
        Fields that the operator changes at vertices of its frontier.
    writes : dict
        How fields are changed at destinations: ``"atomic_min"``, ``"atomic_max"``, ``"atomic_or"``, ``"atomic_add"``,
        or ``"store"``.
    claim : str
        The field by which destinations are claimed; empty if there is no claim.
    decides : tuple of str
        How an owner can decide from its own element alone whether a claim of another part holds: the atomic, and the
        number that an ``atomic_cas`` expects. Empty if the owner must also know the other part's copy.
    follows : set of str
        Fields that only `apply_advance` stores to, in each call, at a destination that `cond_advance` has claimed
        before.
    at_sources : set of str
        Fields that the operator reads or changes at the source of an edge.
    sets : set of str
        Fields with the parents of a union-find in which the operator looks for roots or joins sets.
    joins : set of str
        The fields of `sets` in which the operator joins sets.
    """

    reads: set[str] = field(default_factory=set)
    writes_own: set[str] = field(default_factory=set)
    writes: dict[str, str] = field(default_factory=dict)
    claim: str = ""
    decides: tuple[str, ...] = ()
    follows: set[str] = field(default_factory=set)
    at_sources: set[str] = field(default_factory=set)
    sets: set[str] = field(default_factory=set)
    joins: set[str] = field(default_factory=set)

    @property
    def improves(self) -> bool:
        """Whether a claim that an owner decides on holds each time that it improves an element, and not only once."""
        return self.decides[:1] != ("atomic_cas",)


def rules_of(nodes: Sequence[Node], problem: Any) -> list[Rules]:
    """The rules of each operator of a step.

    Raises
    ------
    ProblemError
        If an operator, or one of its options, is not supported over parts.
    FunctorError
        If an operation of a functor can't be divided among parts; the error names the line and the reason.
    """
    found = [_accesses_of(node, problem) for node in nodes]
    sets = {each.field for theirs in found for each in _all(theirs) if each.how in _OF_SETS}
    return [_rules_of(node, problem, theirs, sets) for node, theirs in zip(nodes, found, strict=True)]


def followed_of(rules: Sequence[Rules]) -> set[str]:
    """Fields of a step that are stored to exactly where a claim held.

    They are sent along with the claim, and no copy is read.
    """
    followed = set().union(*(each.follows for each in rules))
    for each in rules:
        followed -= (each.reads | each.writes.keys()) - each.follows
    return followed


def left_of(rules: Sequence[Rules]) -> set[str]:
    """Fields of a step whose copies at ghosts may be outdated, because owners refuse claims that only old copies allow.

    If claims lower an element, an old copy is greater than the element. If only the first claim holds, an old copy is
    the value that the claim expects. So an old copy allows each claim that the owner's element allows. No operator of
    the step may change the element in another way, and everything else that an operator stores must be sent with the
    claim.
    """
    followed, found = followed_of(rules), {each.claim for each in rules if each.decides}
    decided: dict[str, set[Any]] = {name: set() for name in found}
    for each in rules:
        for name in found & (each.reads | each.writes_own | each.writes.keys()):
            alone = each.claim == name and name not in each.writes_own and each.writes.keys() - followed == {name}
            decided[name].add(each.decides if alone else ())
    return {name for name, ways in decided.items() if len(ways) == 1 and () not in ways}


def may_pull(node: Any, rules: Rules, graph: Any) -> bool:
    """Whether a part's vertices may pull. Of the sources, the part only knows which are in the frontier."""
    asked = node.recorded[1].get("direction") == "auto" and "cond_target" in node.functions
    listed = node.output is not None and not node.input.everything
    return asked and listed and not rules.at_sources and not graph.directed


def pulls_all(node: Any) -> bool:
    """Whether the operator is an advance in which all vertices pull. Each part then handles its own vertices."""
    return node.name == "advance" and node.direction == "pull" and node.input.everything and node.output is None


def _accesses_of(node: Node, problem: Any) -> dict[str, list[Access]]:
    """The accesses of each function of an operator to elements of fields."""
    _check_operator(node)
    arrays = {name: each.kind for name, each in problem._fields.items() if each.is_array}
    by_function: dict[str, list[Access]] = {}
    for name, bound in node.functions.items():
        _check_names(bound)
        if not bound.method.positional:
            theirs = accesses(bound, arrays)
            by_function[name] = [
                _checked(each, arrays) for each in theirs if arrays[each.field] != "array" or each.writes
            ]
    return by_function


def _all(by_function: dict[str, list[Access]]) -> list[Access]:
    return [each for theirs in by_function.values() for each in theirs]


def _rules_of(node: Node, problem: Any, by_function: dict[str, list[Access]], sets: Collection[str]) -> Rules:
    """The rules of one operator of a step whose operators have union-find parents in the fields `sets`."""
    pulls = pulls_all(node)
    foreign = "src" if pulls or getattr(node, "direction", "out") == "in" else "dst"
    of_sets = [each for each in _all(by_function) if each.field in sets]
    by_function = {name: [each for each in theirs if each.field not in sets] for name, theirs in by_function.items()}
    found = _all(by_function)
    if node.name == "advance" and not pulls:
        rules = _of_advance(node, problem, found)
        _check_stores(rules, by_function)
        rules.follows = _follows(rules, by_function)
        rules.decides = _decides(node, problem, rules, by_function)
        rules.at_sources = {each.field for each in found if each.place == "src"}
    else:
        rules = _of_others(node, found, foreign, "dst" if pulls else "vertex")
    rules.sets = {each.field for each in of_sets if each.how in _OF_SETS}
    rules.joins = {each.field for each in of_sets if each.how == "join"}
    for each in of_sets:
        _check_sets(each, node, problem, foreign, rules)
    rules.writes_own |= {each.field for each in of_sets if each.writes} - rules.joins
    return rules


def _check_sets(access: Access, node: Node, problem: Any, foreign: str, rules: Rules) -> None:
    """Refuse accesses to the parents of a union-find that parts can't do, because each part has its own parents."""
    what, name = access.label, access.field
    if problem._columns[name] or problem._dtypes[name] not in ("int32", "int64"):
        raise FunctorError(f"{what} has sets in {name!r}: use a field of int32 or int64 without columns for parents")
    if access.how == "join":
        if node.name != "advance":
            raise FunctorError(
                f"{what} joins sets of {name!r} outside of an advance: over a graph in parts, join the ends of edges"
            )
        if access.used:
            raise FunctorError(
                f"{what} uses what join returns, which depends on what other parts do at the same time: look for the "
                f"root with find in a later operator, {_GATHER}"
            )
        if rules.claim:
            raise FunctorError(
                f"{what} joins sets of {name!r} besides a claim of {rules.claim!r}, which may hold in several parts: "
                f"join sets in another operator, {_GATHER}"
            )
    elif access.how != "find" and (name in rules.joins or access.place == foreign):
        raise FunctorError(
            f"{what} uses {name!r} as an element, but {name!r} has the parents of sets, and parts have other parents: "
            f"use mg.find(), or a field that has the roots, {_GATHER}"
        )


def _of_others(node: Node, found: list[Access], foreign: str, own: str) -> Rules:
    """The rules of an operator that changes only elements of `own` vertices, and may read `foreign` ones."""
    rules = Rules(writes_own={each.field for each in found if each.writes})
    if isinstance(node, NeighborReduce):
        rules.writes_own |= set(node.into)
    rules.reads = {each.field for each in found if each.place == foreign}
    for each in found:
        if each.writes and each.place != own:
            remedy = "in apply_reduce" if own == "vertex" else "at dst"
            raise FunctorError(
                f"{each.label} changes {each.field!r} at an edge's end, where it may only be read over a graph in "
                f"parts: change it {remedy}, {_GATHER}"
            )
    return rules


def check_until(until: Bound | None, problem: Any) -> None:
    """Refuse an ``until`` that reads elements of arrays, because parts may have different elements."""
    arrays = {name for name, each in problem._fields.items() if each.kind == "vertex"}
    for each in accesses(until, arrays) if until is not None else ():
        raise FunctorError(
            f"{each.label} looks at {each.field!r}, of which each part has other elements: have an operator reduce it "
            f"into a scalar field, {_GATHER}"
        )


def _check_operator(node: Node) -> None:
    what = node.name
    if what not in _TAKEN:
        if what == "bins":
            raise ProblemError("near_far with more than two bins is not done over a graph in parts: leave out bins=")
        raise ProblemError(f"{what} is not done over a graph in parts: use neighbor_reduce, {_GATHER}")
    for handle in node.inputs:
        if handle.kind != "vertices":
            raise ProblemError(f"{what} over a graph in parts takes vertices, got {handle.kind}: {_GATHER[3:]}")
    if getattr(node, "output_kind", None) == "edges":
        raise ProblemError(f"advance: output='edges', but {_NOT_KNOWN['edge']}: use 'vertices', {_GATHER}")
    if what == "advance" and not _goes_over_parts(node):
        raise ProblemError(
            "advance over a graph in parts pushes along out-edges, or pulls for the frontier of all vertices: use "
            f"direction='push', {_GATHER}"
        )
    if getattr(node, "by", "vertex") == "position":
        raise ProblemError(f"neighbor_reduce: by='position', but {_NOT_KNOWN['seg']}: use by='vertex', {_GATHER}")


def _goes_over_parts(advance: Any) -> bool:
    return not advance.reverse and (advance.direction == "push" or pulls_all(advance))


def _check_names(bound: Bound) -> None:
    for name, why in _NOT_KNOWN.items():
        if bound.uses(name):
            raise FunctorError(f"{bound.label} asks for {name!r}, but {why}: do without it, {_GATHER}")


def _checked(access: Access, arrays: dict[str, str]) -> Access:
    """Return an access if, by itself, it can be divided among parts."""
    what, name = access.label, access.field
    if arrays[name] == "array":
        raise FunctorError(
            f"{what} changes {name!r}, an array field, of which each part has a copy: use a vertex field"
        )
    if access.place == OTHER:
        raise FunctorError(
            f"{what} uses {name!r} at another index than src, dst or vertex, which may be a vertex that the part knows "
            f"nothing of: use neighbor_reduce or another step to bring the value to a neighbor, {_GATHER}"
        )
    return access


def _of_advance(node: Any, problem: Any, found: list[Access]) -> Rules:
    reads = {each.field for each in found if each.place == "dst" and each.how != "atomic_add"}
    rules = Rules(reads, {each.field for each in found if each.writes and each.place == "src"})
    there = [each for each in found if each.writes and each.place == "dst"]
    claims = [each for each in there if each.used]
    for each in there:
        if each.how == "change":
            raise FunctorError(
                f"{each.label} changes {each.field!r} from its old value, which many edges do at once: use atomic_add"
            )
        how = "store" if each.how in STORES else each.how
        if rules.writes.setdefault(each.field, how) != how:
            raise FunctorError(
                f"{each.label} changes {each.field!r} by {each.how}, and another line by {rules.writes[each.field]}: "
                f"parts can't tell which came first; use one of them, {_GATHER}"
            )
    for each in claims:
        if each.how == "atomic_add" or not each.claims:
            raise FunctorError(
                f"{each.label} uses what {each.how} returns, which depends on what other parts do at the same time: "
                "over a graph in parts it may be compared to let the first one or an improvement through, as in "
                f"'return atomic_cas(...) == expected' or 'return new < atomic_min(...)'; write it so, {_GATHER}"
            )
    if claims:
        _check_claims(node, problem, found, claims)
        rules.claim = claims[0].field
    added = {name for name, how in rules.writes.items() if how == "atomic_add"}
    for each in found:
        if each.place == "dst" and each.how == "read" and each.field in added:
            raise FunctorError(
                f"{each.label} reads {each.field!r} at a destination, to which others add in the same step: read it in "
                f"another step, {_GATHER}"
            )
    return rules


def _check_stores(rules: Rules, by_function: dict[str, list[Access]]) -> None:
    """Refuse stores beside a claim that also come where it doesn't hold: the owner keeps only those of a winner."""
    is_claimed_before = any(
        each.field == rules.claim and each.writes and each.needs_claim for each in by_function.get("cond_advance", ())
    )
    for name, found in by_function.items() if rules.claim else ():
        applies = name == "apply_advance"
        for each in found:
            stores = each.writes and each.place == "dst" and each.field != rules.claim
            if stores and not (each.is_behind_claim or (applies and is_claimed_before)):
                raise FunctorError(
                    f"{each.label} stores to {each.field!r} also where the claim of {rules.claim!r} does not hold, but "
                    f"parts keep only what a winner stored: store it {'only there' if applies else 'in apply_advance'} "
                    f"or in another operator, {_GATHER}"
                )


def _follows(rules: Rules, by_function: dict[str, list[Access]]) -> set[str]:
    """The fields that are stored to exactly where ``cond_advance`` has claimed the destination."""
    there = {name: {each.field for each in found if each.place == "dst"} for name, found in by_function.items()}
    if not rules.claim or any(rules.claim in fields for name, fields in there.items() if name == "apply_advance"):
        return set()
    others = set().union(*(fields for name, fields in there.items() if name != "apply_advance"))
    applied = [each for each in by_function.get("apply_advance", ()) if each.place == "dst"]
    stored = {each.field for each in applied if each.is_certain and each.how in ("store", "atomic_exch")}
    return stored - others - {each.field for each in applied if not each.writes}


def _decides(node: Any, problem: Any, rules: Rules, by_function: dict[str, list[Access]]) -> tuple[str, ...]:
    """See `Rules.decides`. Only ``cond_advance`` may claim, so that the output has all claimed vertices."""
    there = {name: [each for each in found if each.field == rules.claim and each.place == "dst"]
             for name, found in by_function.items()}  # fmt: skip
    writers = [name for name, found in there.items() if any(each.writes for each in found)]
    if node.output is None or writers != ["cond_advance"]:
        return ()
    ways = {each.decides for each in there["cond_advance"] if each.writes}
    how, *other = next(iter(ways)) or ("",)
    if len(ways) == 1 and how == "atomic_cas" and problem._dtypes[rules.claim].kind in "iu":
        return how, *other
    # All comparisons with the copy must belong to the claim. Otherwise an owner could accept a claim that it would
    # refuse.
    reads = {each.decides for found in there.values() for each in found}
    return (how,) if how in ("atomic_min", "atomic_max") and reads == ways and len(ways) == 1 else ()


def _check_claims(node: Any, problem: Any, found: list[Access], claims: list[Access]) -> None:
    """Refuse operations that parts would do for each claim that holds, and one device only for the winner."""
    claim = claims[0].field
    if problem._columns[claim]:
        raise FunctorError(
            f"{claims[0].label} claims a row's element of {claim!r}: over a graph in parts a claim is of a vertex; use "
            f"a field without columns, {_GATHER}"
        )
    for each in found:
        alone = each.place == "dst" and (each.field == claim or each.how in STORES)
        if each.writes and not alone:
            raise FunctorError(
                f"{each.label} changes {each.field!r} besides a claim of {claim!r} at the destination, which may hold "
                f"in several parts: do it in an operator over the vertices that were put out, {_GATHER}"
            )
        if each.used and each.field != claim:
            raise FunctorError(
                f"{each.label} claims by {each.field!r} besides {claim!r}: parts can't tell who came first in both; "
                f"use one of them, {_GATHER}"
            )
    if node.output is not None and node.duplicates == "keep":
        raise ProblemError(
            f"advance: duplicates='keep' with a claim of {claim!r}, which may hold in several parts: use "
            f"duplicates='remove', {_GATHER}"
        )
