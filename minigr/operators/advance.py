"""advance: from a frontier along its edges to a new frontier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from minigr.errors import FunctorError, ProblemError
from minigr.jit.functor import Functor
from minigr.operators import relax
from minigr.operators.far_pile import NearFar
from minigr.operators.options import DIRECTIONS, DUPLICATES, OUTPUTS
from minigr.program.frontier import Handle
from minigr.program.node import (
    HUB,
    Node,
    bind_functions,
    check_choice,
    check_flag,
    check_in_edges,
    check_input,
    check_since,
    refuse_positions,
)
from minigr.program.operator import Operator
from minigr.schedules import choice, starts
from minigr.schedules.edge_parallel import EdgeParallel
from minigr.schedules.schedule import Deal, Schedule, Walk

if TYPE_CHECKING:
    from minigr.program.cpu_text import CpuText
    from minigr.program.cuda_text import CudaText
    from minigr.program.plan import Plan
    from minigr.program.problem import Problem

_PIECE = 1024  # number of vertices for which a CPU's thread calls cond_target before they search

# Beamer, Asanovic, Patterson, Direction-Optimizing Breadth-First Search (SC 2012), section 5: pull as soon as the
# frontier has more than 1/ALPHA of the edges not yet explored, and push again as soon as it has fewer than 1/BETA of
# the vertices. But never pull for fewer edges than 1/GAMMA of the vertices, because a pull looks at all vertices.
ALPHA, BETA, GAMMA = 15, 18, 4
# If vertices are put out again, a pull seldom ends before the row ends, and costs as much as a push of all edges.
ALPHA_AGAIN = 2

ARRIVED = "arrived_bits"
"""The buffer in which the part of a graph gets the bits of other parts' frontiers before a pull."""


@dataclass
class Advance(Operator):
    """The recorded form of an advance; the options are those of `minigr.operators.advance`."""

    per_edge: ClassVar[bool] = True

    direction: str = "push"
    duplicates: str = "remove"
    output_kind: str | None = "vertices"
    split: NearFar | None = None  # the split that gets the vertices in place of an output slot
    schedule: Schedule | None = None  # how a push assigns edges on a GPU
    merges: bool = False  # whether a push cuts the edges of its frontier into equal shares
    since: bool = False  # visit only edges inserted since the mark
    again: bool = False  # a vertex may be put out in several steps
    reverse: bool = False  # a push goes along in-edges

    @property
    def direction_rule(self) -> tuple[int, int, int, int]:
        """The last arguments of `choose_direction`."""
        return ALPHA_AGAIN if self.again else ALPHA, BETA, GAMMA, int(not self.again)

    @property
    def counts_degrees(self) -> bool:
        return self.direction == "auto"

    @property
    def shares_hubs(self) -> bool:
        return self.direction != "pull"

    @property
    def lists_arcs(self) -> bool:
        return self.output is not None and (self.output.kind == "edges" or not self.output.distinct)

    def take_over(self, after: Node, plan: Plan) -> bool:
        """Put the output vertices straight into a near-far split."""
        if not (isinstance(after, NearFar) and self.direction == "push" and self.unique):
            return False
        if not plan.problem.device.is_cuda and (self.merges or not relax.keeps_no_order(self, after, plan)):
            return False
        if plan.across is not None and not plan.across.can_split_at_once(self, after):
            return False
        self.split, self.output, after.fused = after, None, True
        return True

    @property
    def unique(self) -> bool:
        """Whether stamps must keep a push from putting out a vertex twice."""
        return self.output_kind == "vertices" and self.duplicates == "remove"

    def options(self) -> tuple[Any, ...]:
        how = (self.schedule, self.merges, self.since, self.again, self.reverse)
        return (self.direction, self.duplicates, self.output_kind, self.split is not None, *how)

    def defers(self, graph: Any) -> bool:
        return self.schedule is not None and self.schedule.defers(graph, self.reverse)

    def cpu_buffers(self, graph: Any) -> dict[str, tuple[Any, Any, Any]]:
        sums = starts.sum_buffers(self.input, graph, lambda workers: workers) if self.merges else {}
        pulls = {} if self.direction == "push" else {"searching": (lambda workers: (workers, _PIECE), np.int32, None)}
        count = graph.most_edge_ids // HUB if graph.longest_row(inward=self.reverse) > HUB else 0
        hubs = {"hubs": (count, np.int64, None)} if self.shares_hubs and not self.merges else {}
        return sums | pulls | hubs | (relax.buffers() if self.split is not None else {})

    def gpu_buffers(self, graph: Any) -> dict[str, tuple[Any, Any, Any]]:
        return {} if self.schedule is None else self.schedule.buffers(self.input, graph, self.reverse, None)

    def cpu(self, text: CpuText) -> None:
        rows = text.rows(inward=self.reverse, ids=self.reverse and self.reads_in_ids, since=self.since)
        if self.split is not None:
            relax.cpu(text, self, self.split, rows, self.reverse)
            return
        k = self.index
        text.use("advance_cpu")
        cond, apply = text.adapter(self, "cond_advance", "yes"), text.adapter(self, "apply_advance", "nothing")
        target = text.adapter(self, "cond_target", "yes")
        source = "all" if self.input.everything else self.input.kind
        shared = (
            f"output={self.output_kind!r}, count_degrees={self.counts_degrees}, weight={self.uses('weight')}, "
            f"slot={k}, length_word={text.length_word(k)}"
        )
        items, length = text.items(self.input), text.length(self.input)
        out = text.output(self)
        stamps = text.buffer(self, "stamps") if self.unique else "no_items"
        shares = self.shares_hubs and not self.merges
        hubs = text.buffer(self, "hubs") if shares else "no_items"
        begins = starts.cpu(text, self, self.reverse) if self.merges else "no_items"
        arguments = f"{items}, {length}, {out}, stages, {stamps}, {begins}, {hubs}"
        call = f"push_{k}(rank, size, control, graph, fields, {arguments}"
        push = [*(starts.cpu_scan(text, self, rows) if self.merges else []), f"{call}, False)"]
        if shares:
            push = relax.with_hubs(lambda shares: f"{call}, {shares})", hubs)
        if self.direction != "pull":
            text.use("tiles_cpu", "schedules")
            text.define(
                f"tiles_{k} = tiles_cpu.make_tiles({rows}, source={source!r}, weight={self.uses('weight')}, "
                f"hub={HUB if shares else None}, deal={'edges' if self.merges else 'claimed'!r})"
            )
            text.define(
                f"push_{k} = advance_cpu.make_push({cond}, {apply}, {target}, {rows}, tiles_{k}, "
                f"unique={self.unique}, reverse={self.reverse}, {shared})"
            )
        if self.direction == "push":
            text.body(push)
        else:
            everyone = self.input.everything
            bitmaps = "no_bitmaps" if everyone else text.buffer(self, "bitmaps")
            asked = self.functions.get("cond_target")
            gathers = asked is None or not text.writes(asked)
            searching = text.buffer(self, "searching")
            tested = self.functions.get("cond_advance")
            reads = tested is not None and not text.writes(tested)
            grouped = everyone and reads and text.graph.layout == "csr"
            marks = not everyone and text.plan.feeds_itself(self)
            in_rows = text.rows(inward=True, ids=self.reads_in_ids, since=self.since)
            if self._changes_destinations(text.plan):
                cond, apply, target = (f"Alone({each})" for each in (cond, apply, target))
            text.define(
                f"pull_{k} = advance_cpu.make_pull({cond}, {apply}, {target}, {in_rows}, everyone={everyone}, "
                f"repeats={self.duplicates == 'keep'}, gathers={gathers}, marks={marks}, grouped={grouped}, {shared})"
            )
            pull = (
                []
                if everyone
                else [
                    "if control[MARKED] == 0:",
                    f"    advance_cpu.clear(rank, size, control, {bitmaps})",
                    "    barrier(sync, size)",
                    f"    advance_cpu.mark(rank, size, control, {items}, {length}, {bitmaps})",
                    "    barrier(sync, size)",
                ]
            )
            pull.append(f"pull_{k}(rank, size, control, graph, fields, {bitmaps}, {out}, stages, {searching})")
            text.body(pull if self.direction == "pull" else text.branch("control[PULL] != 0", pull, push))
            if marks:
                text.completion([f"control[MARKED] = {1 if self.direction == 'pull' else 'control[PULL]'}"])
            if self.direction == "auto":
                text.completion([text.steer("choose_direction", text.length_word(k), "vertices", *self.direction_rule)])
            else:
                text.completion(["control[PULLS] += 1"])
        if shares:
            text.completion(["control[HUBS] = 0"])

    def cuda(self, text: CudaText) -> None:
        k = self.index
        text.use("operators/advance.cuh" if self.direction == "push" else "operators/pulled.cuh")
        functor = text.functor(
            self,
            {
                "cond": ("cond_advance", "return true;"),
                "apply": ("apply_advance", "(void)0;"),
                "target": ("cond_target", "return true;"),
            },
        )
        output = (self.output_kind or "nothing")[0]
        unique = self.unique and self.split is None  # a split has its own stamps
        flags = ", ".join(str(x).lower() for x in (unique, self.counts_degrees, self.reverse))
        stamps = text.buffer(self, "stamps") if "stamps" in self.buffers else "nullptr"
        sink_type, sink = text.sink(self) if self.split is None else self.split.cuda_sink(text, stamps)
        directions = (self.reverse, not self.reverse)
        (rows, out), (_, into) = (text.rows(inward=inward, since=self.since) for inward in directions)

        def made(send: str = "") -> str:
            kind, given = (f", decltype({send})", f", {send}") if send else ("", "")
            return (
                f"Advance<{functor}, W, {rows}, '{output}', {flags}, {sink_type}{kind}> advance_{k}{{grid, {out}, "
                f"{functor}{{fields}}, {sink}, {stamps}, iteration{given}}};"
            )

        deals = self._deals(text, Walk(self, f"advance_{k}", (rows, out)))
        sends = text.sends(self)
        push = [*sends, made(f"send_{k}" if sends else "")]
        phases = [(deal.when, [*push, deal.line]) for deal in deals]
        if not (self.input.everything or self.reverse):
            for name in ("cond_target", "cond_advance"):
                if name in self.functions:
                    text.fetch_ahead(self.functions[name])
        pulled = f"Pulled<decltype(advance_{k}), {rows}, {str(self.duplicates == 'keep').lower()}> pulled_{k}"
        pulls = [
            made(),
            f"{pulled}{{advance_{k}, {into}, Bitmap{{{'nullptr' if self.input.everything else 'bits'}}}}};",
            f"by_search(grid, {into}, pulled_{k});",
        ]
        if self.direction == "push":
            text.body(phases[0][1], *phases[1:])
        elif self.input.everything:
            text.body(pulls)
        else:
            bits = [
                "const i64 words = vertices / 64 + 1, parity = grid.word(WORD_PULLS) & 1;",
                f"u64 *all_bits = (u64 *){text.buffer(self, 'bitmaps')};",
                "u64 *bits = all_bits + parity * words, *other = all_bits + (1 - parity) * words;",
            ]
            items, length = text.items(self.input), text.length(self.input)
            mark = [*bits, f"mark_frontier(grid, {items}, {length}, bits, other, words);"]
            pull = [*bits, *pulls]
            send, take = text.shared_bits(self)
            later = [[*bits, *send], [*bits, *take, *pulls]] if send else [pull]
            if self.direction == "pull":
                text.body(mark, *[("true", lines) for lines in later])
            else:
                pulling = [("control[WORD_PULL] != 0", lines) for lines in later]
                text.body(_either(mark, phases[0][1]), *pulling, *phases[1:])
        if self.direction == "auto":
            text.completion([text.steer("choose_direction", text.length_word(k), "vertices", *self.direction_rule)])
        elif self.direction == "pull":
            text.completion(["control[WORD_PULLS] += 1;"])
        if self.schedule is not None:
            text.clear(self.schedule.resets(text.graph, self.reverse))

    def _changes_destinations(self, plan: Plan) -> bool:
        """Whether the functions change only elements at destinations.

        In a pull, one thread handles each destination.
        """
        changes = plan.changes(self.functions.values())
        return changes is not None and all(access.place == "dst" for _, access in changes)

    def _deals(self, text: CudaText, walk: Walk) -> list[Deal]:
        """The phases of a push. If the direction is chosen in each step, they are due only in a push."""
        if self.schedule is None:
            return []
        deals = self.schedule.deals(text, walk, self.reverse)
        if self.direction == "auto":
            deals = [deal._replace(when="control[WORD_PULL] == 0") if deal.when == "true" else deal for deal in deals]
        return deals


def _either(pulling: list[str], pushing: list[str]) -> list[str]:
    """CUDA lines that run one of two sequences, by the chosen direction."""
    return [
        "if (grid.word(WORD_PULL)) {",
        *("  " + line for line in pulling),
        "} else {",
        *("  " + line for line in pushing),
        "}",
    ]


def record(
    index: int,
    problem: Problem,
    frontier: Handle,
    functor: type[Functor] | None,
    *,
    output: str | None = "vertices",
    direction: str = "push",
    duplicates: str = "remove",
    balance: str = "auto",
    since: str | None = None,
    again: bool = False,
    reverse: bool = False,
) -> Advance:
    """Record an advance; the options are those of `minigr.operators.advance`."""
    functions = bind_functions(
        functor,
        problem,
        ("cond_advance", "apply_advance", "cond_target"),
        ("cond_advance", "apply_advance", "cond_target"),
        "advance",
    )
    check_input(frontier, "advance")
    check_choice(output, OUTPUTS, "advance: output")
    check_choice(direction, DIRECTIONS, "advance: direction")
    check_choice(duplicates, DUPLICATES, "advance: duplicates")
    assert functor is not None
    if frontier.kind == "edges" and (frontier.everything or direction != "push"):
        raise ProblemError(
            "advance from edges needs a list of edges and direction='push'; to visit every edge once, "
            "advance from all vertices"
        )
    if direction == "auto" and ("cond_target" not in functions or frontier.everything or output != "vertices"):
        raise FunctorError(
            f"advance with direction='auto' needs a frontier of some vertices, output='vertices', and functor "
            f"{functor.__name__} to have cond_target, which says when a vertex no longer needs a source"
        )
    graph = problem.graph
    refuse_positions(functions.values(), problem, "advance")
    if direction == "pull":
        check_in_edges(problem, "advance with direction='pull'")
    elif direction == "auto" and not graph.has_room_for_in_edges:
        direction = "push"
    node = Advance(index, frontier, None, functions, direction=direction, duplicates=duplicates, output_kind=output)
    node.reverse = check_flag(reverse, "advance: reverse")
    if node.reverse:
        if direction != "push":
            raise ProblemError(
                f"advance: reverse=True pushes along in-edges, but direction is {direction!r}: use 'push'"
            )
        if frontier.kind == "edges":
            raise ProblemError("advance: reverse=True takes a frontier of vertices")
        check_in_edges(problem, "advance with reverse=True")
        node.reads_in_edges, node.reads_in_ids = True, node.uses("edge") or output == "edges"
    listed = not frontier.everything and direction != "pull"
    if node.uses("idx") and direction == "auto":
        raise FunctorError(
            f"functor {functor.__name__} asks advance for 'idx', the position among all edges visited, which means one "
            "thing in a push and another in a pull: use direction='push' or 'pull'"
        )
    if direction == "pull" and balance not in ("auto", "block"):
        raise ProblemError(f"advance: balance={balance!r} says how a push deals out edges, but direction is 'pull'")
    schedule = choice.choose(balance, "advance", listed and node.uses("idx"), functor.__name__, graph)
    node.merges = schedule.scans
    if direction != "pull":
        # the pool of slabs has another length than the rows
        sweeps = frontier.everything and graph.layout == "slabs" and not node.reverse
        node.schedule = EdgeParallel() if sweeps else schedule
    if node.merges:
        node.buffers |= starts.buffers(frontier, graph)
    node.since, node.again = check_since(since, problem, "advance"), check_flag(again, "advance: again")
    if output is not None:
        once_an_edge = frontier.distinct and frontier.kind == "vertices"
        distinct = duplicates != "keep" if output == "vertices" else once_an_edge
        node.capacity = graph.num_vertices if output == "vertices" and distinct else graph.num_arcs
        node.output = Handle(output, index, distinct=distinct, capacity=node.capacity)
    if node.unique and direction != "pull":
        node.buffers["stamps"] = (graph.num_vertices, np.int32, 0)
    if direction != "push":
        node.reads_in_edges, node.searches, node.sole = True, True, "advance that pulls"
        node.reads_in_ids = node.uses("edge") or output == "edges"
        if not frontier.everything:
            node.buffers["bitmaps"] = ((2, graph.num_vertices // 64 + 1), np.int64, 0)
    return node
