"""What batches over parts are made of: how they are dealt out, done in all parts or in none, and answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigr.device import CPU, device_of
from minigr.errors import GraphError
from minigr.graphs import checks
from minigr.graphs.backend import scope
from minigr.graphs.dynamic import edge_batch, vertices
from minigr.graphs.dynamic.batches import Batches
from minigr.graphs.dynamic.transaction import Transaction
from minigr.graphs.graph import Graph
from minigr.graphs.guard import Guard
from minigr.graphs.partitioned.batch import Dealt, Letter, Received, check_batches
from minigr.graphs.partitioned.dynamic_part import DynamicPart, introduce
from minigr.graphs.partitioned.part import meet
from minigr.graphs.partitioned.queries import PartsQueries
from minigr.graphs.partitioned.share import Piece, both_ways
from minigr.signals import deferred


class PartsChanges(PartsQueries, Batches):
    """Parts that batches change; a batch that is under way is in ``_guard.batch``."""

    keeps_in_edges: bool

    def _start(self) -> None:
        self.version, self._guard = 0, Guard()
        self._batches = 0  # done in all parts

    def _batch(self, work: Callable[[list[Transaction]], Any], *, changes: bool = True) -> Any:
        """Do a batch in all parts, or in none; `work` is given a transaction for each part that is here.

        `changes`: whether it makes another version of the graph.

        Handlers of signals wait until all processes have agreed, because from there on no process can undo it alone.
        """
        transaction: Transaction = self._guard.batch
        with deferred():
            with self._exchange.together():  # which ends with the word of all that they are done
                transactions = [self._begun(part, transaction) for part in self.parts]
                if changes:
                    transaction.on_undo(self._have_new_version)
                    self._have_new_version()
                found = work(transactions)
            self._batches += 1
            if len(self.parts) < self.num_parts:
                transaction.keep()
            else:
                transaction.on_undo(self._undo_count)
        return found

    def _static_graphs(self) -> list[Graph]:
        return []

    def _check_alike(self) -> None:
        if len(self.parts) < self.num_parts:
            done = self._exchange.all_gather([self._batches] * len(self.parts))
            check_batches(self.parts[0].index, self._batches, done)

    def _begun(self, part: DynamicPart, batch: Transaction) -> Transaction:
        """A transaction for a part, which is undone with that of the whole batch."""
        own = Transaction(part.device)
        batch.on_undo(own.undo)
        batch.on_undo(part.__dict__.update, part.kept())
        return own

    def _undo_count(self) -> None:
        self._batches -= 1

    def _have_new_version(self) -> None:
        self.version += 1  # also when a batch is undone

    def _recount(self) -> None:
        """Know the counts of all parts, until the batch is undone."""
        counts = self._counted()
        self._guard.batch.on_undo(self._count, self.num_arcs, self.num_self_loops)
        self._count(*counts)

    def _counted(self) -> tuple[int, int]:
        """The arcs and self-loops of all parts."""
        own = [(part.graph.num_arcs, part.graph.num_self_loops) for part in self.parts]
        arcs, loops = zip(*self._exchange.all_gather(own), strict=True)
        return sum(arcs), sum(loops)

    # --- what a batch is given -----------------------------------------------------------------------------------

    def _home_of(self, src: Any) -> Any:
        """Where a batch is dealt out: on the GPU that it is on, if parts are on GPUs, and otherwise on the CPU."""
        return device_of(src) if self.parts[0].device.is_cuda else CPU

    def _ends(self, where: Any, src: Any, dst: Any) -> tuple[Any, Any]:
        """Checked ends on a device."""
        source = checks.as_ids(where, src, "src", self.num_vertices)
        target = checks.as_ids(where, dst, "dst", self.num_vertices)
        edge_batch.check_lengths(source, target)
        return source, target

    def _ends_with_new(self, where: Any, src: Any, dst: Any, new: int) -> tuple[Any, Any]:
        """Checked ends on a device, in which ``~j`` names vertex j of `new` ones."""
        if src is None or dst is None:
            raise GraphError("edges of new vertices need src and dst: give both, or neither and no weights")
        return edge_batch.as_pairs_with_new(where, src, dst, self.num_vertices, new)

    def _refuse_dead(self, src: Any, dst: Any) -> None:
        """Raise `GraphError` if an edge is to have an end that was deleted."""
        rows = self.parts[0].graph  # each part knows of all that are deleted
        with scope(rows._device):
            rows._refuse_dead(*map(rows._device.asarray, (src, dst)))

    def _to_insert(self, where: Any, ends: tuple[Any, Any], weights: Any) -> Piece:
        """Edges whose ends are checked, if they can be inserted."""
        where.synchronize()  # another GPU may copy from there
        self._refuse_dead(*ends)
        return *ends, edge_batch.as_batch_weights(where, weights, len(ends[0]), self.weight_dtype)

    # --- how it is dealt out -----------------------------------------------------------------------------------------

    def _dealt(self, where: Any, arcs: Piece) -> list[Dealt]:
        """Arcs on a device dealt out, for each direction that parts keep."""
        inward = (False, True) if self.directed and self.keeps_in_edges else (False,)
        return [Dealt.of(where, self.deal, self.num_parts, arcs, each) for each in inward]

    def _received(self, dealt: list[list[Dealt]]) -> list[Received]:
        """What each part that is here gets of the shares of all processes, or of parts.

        The share of a process counts as its first part's.
        """
        sent: list[list[Letter | None]] = [
            [Letter(self._batches, [each.pieces[part] for each in lots]) for part in range(self.num_parts)]
            for lots in dealt
        ]
        sent += [[None] * self.num_parts for _ in self.parts[len(dealt) :]]
        letters = self._exchange.all_to_all(sent)
        return self._team.each(lambda index: Received.of(self.parts[index], letters[index], self._batches))

    # --- batches and queries of edges --------------------------------------------------------------------------------

    def _insert(self, src: Any, dst: Any, weights: Any, return_mask: bool) -> Any:
        def insert(transactions: list[Transaction]) -> Any:
            where = self._home_of(src)
            with scope(where):
                edges = self._to_insert(where, self._ends(where, src, dst), weights)
            return self._change(transactions, where, edges, return_mask, insert=True)

        return self._batch(insert)

    def _delete(self, src: Any, dst: Any, return_mask: bool) -> Any:
        def delete(transactions: list[Transaction]) -> Any:
            where = self._home_of(src)
            with scope(where):
                ends = self._ends(where, src, dst)
            return self._change(transactions, where, (*ends, None), return_mask, insert=False)

        return self._batch(delete)

    def _change(
        self, transactions: list[Transaction], where: Any, edges: Piece, return_mask: bool, *, insert: bool
    ) -> Any:
        """Insert or delete this process's share of checked edges, which are on a device."""
        before = self.num_edges
        with scope(where):
            arcs, first = (edges, None) if self.directed else both_ways(where, *edges)
            dealt = self._dealt(where, arcs)
            where.synchronize()  # other GPUs copy from there
        received = self._received([dealt])

        def apply(index: int) -> tuple[Any, list[Any]]:
            rows, own = self.parts[index].graph, received[index]
            mask = rows.change(transactions[index], own.lots, insert, return_mask)
            ends = [lot[0 if one.reverse else 1] for lot, one in zip(own.lots, rows._directions, strict=True)]
            return (own.by_sender(mask) if return_mask else []), ends

        masks, ends = map(list, zip(*self._team.each(apply), strict=True))
        if insert:
            introduce(self.parts, ends, self._team, self._exchange)
        self._recount()
        count = abs(self.num_edges - before)
        if not return_mask:
            return count
        answers = self._exchange.all_to_all(masks)[0]
        with scope(where):
            mask = dealt[0].in_order(answers)
            return count, mask if first is None else mask[CPU.asarray(first)]

    def _asked(self, src: Any, dst: Any, ask: Callable[..., Any]) -> Any:
        """What the owners of sources answer, in the order of the pairs."""
        with self._exchange.together():
            where = self._home_of(src)
            with scope(where):
                dealt = Dealt.of(where, self.deal, self.num_parts, (*self._ends(where, src, dst), None))
                where.synchronize()
            received = self._received([[dealt]])

            def answer(index: int) -> list[Any]:
                (ends,) = received[index].lots
                return received[index].by_sender(ask(self.parts[index].graph, *ends[:2]))

            answers = self._exchange.all_to_all(self._team.each(answer))[0]
            with scope(where):
                return dealt.in_order(answers)

    # --- batches of vertices, and of the whole graph -----------------------------------------------------------------

    def _insert_vertices(self, k: int, src: Any, dst: Any, weights: Any) -> Any:
        def insert(transactions: list[Transaction]) -> Any:
            n, count, where = self.num_vertices, checks.as_vertex_count(k, "k"), self._home_of(src)
            edges = None
            with scope(where):
                if not src is dst is weights is None:
                    edges = self._to_insert(where, self._ends_with_new(where, src, dst, count), weights)
            counts, have_edges = zip(*self._exchange.of_processes((count, edges is not None)), strict=True)
            if len(set(counts)) > 1:
                told = ", ".join(map(str, sorted(set(counts))))
                raise GraphError(f"processes insert {told} vertices: give the same number in each")
            new = max(count - self.parts[0].graph._num_dead, 0)
            vertices.check_count(n, new)
            deal, with_edges = self.deal.grown(n + new), any(have_edges)

            def append(index: int) -> Any:
                return self.parts[index].append(transactions[index], count, deal, with_edges)

            ids = CPU.asarray(self._team.each(append)[0])
            self._guard.batch.on_undo(self.__dict__.update, {"deal": self.deal, "num_vertices": n})
            self.deal, self.num_vertices = deal, n + new
            if with_edges:
                with scope(where):
                    piece = self._none(where) if edges is None else edges
                    ends = [vertices.named(each, where.asarray(ids)) for each in piece[:2]]
                self._change(transactions, where, (*ends, piece[2]), False, insert=True)
            return ids

        return self._batch(insert)

    def _none(self, where: Any) -> Piece:
        """No edges, on a device."""
        ends, dtype = where.empty(0, np.int32), self.weight_dtype
        return ends, ends, None if dtype is None else where.empty(0, dtype)

    def _delete_vertices(self, ids: Any) -> int:
        def delete(transactions: list[Transaction]) -> int:
            before = self.num_live_vertices
            own = checks.as_ids(CPU, ids, "ids", self.num_vertices)
            gone = np.concatenate(self._exchange.of_processes(own))
            # A part knows the arcs from and to its own vertices. The arcs' other ends may be other parts'.
            dealt = self._team.each(lambda index: self._dealt(*self.parts[index].arcs_at(gone)))
            received = self._received(dealt)

            def bury(index: int) -> None:
                self.parts[index].bury(transactions[index], received[index].lots, gone)

            self._team.each(bury)
            self._recount()
            return before - self.num_live_vertices

        return self._batch(delete)

    def _mark(self) -> None:
        def mark(transactions: list[Transaction]) -> None:
            self._team.each(lambda index: self.parts[index].graph.mark(transactions[index]))

        self._batch(mark, changes=False)

    def _rehash(self, load_factor: float | None = None) -> None:
        def rehash(transactions: list[Transaction]) -> None:
            self._team.each(lambda index: self.parts[index].graph.rehash(transactions[index], load_factor))
            meet(self.parts, self._team, self._exchange)

        self._batch(rehash)
