"""What batches over parts are made of: how they are dealt out, done in all parts or in none, and answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigr.device import CPU, device_of
from minigr.graphs import checks
from minigr.graphs.backend import scope
from minigr.graphs.dynamic import edge_batch
from minigr.graphs.dynamic.transaction import Transaction
from minigr.graphs.graph import Graph
from minigr.graphs.guard import Guard
from minigr.graphs.partitioned.batch import Dealt, Letter, Received, check_batches
from minigr.graphs.partitioned.dynamic_part import DynamicPart, introduce
from minigr.graphs.partitioned.queries import PartsQueries
from minigr.graphs.partitioned.share import Piece, both_ways
from minigr.signals import deferred


class PartsChanges(PartsQueries):
    """Parts that batches change; a batch that is under way is in ``_guard.batch``."""

    keeps_in_edges: bool

    def _start(self) -> None:
        self.version, self._guard = 0, Guard()
        self._batches = 0  # done in all parts

    def _batch(self, work: Callable[[list[Transaction]], Any]) -> Any:
        """Do a batch in all parts, or in none; `work` is given a transaction for each part that is here.

        Handlers of signals wait until all processes have agreed, because from there on no process can undo it alone.
        """
        transaction: Transaction = self._guard.batch
        with deferred():
            with self._exchange.together():  # which ends with the word of all that they are done
                transactions = [self._begun(part, transaction) for part in self.parts]
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

    def _arcs(self, where: Any, src: Any, dst: Any, weights: Any, weighted: bool) -> tuple[Piece, Any]:
        """The checked arcs of edges, in their order, on a device; and which are the edges' own, if some are not."""
        source, target = self._ends(where, src, dst)
        values = None
        if weighted:
            values = edge_batch.as_batch_weights(where, weights, len(source), self.weight_dtype)
        return ((source, target, values), None) if self.directed else both_ways(where, source, target, values)

    def _received(self, dealt: list[Dealt]) -> list[Received]:
        """What each part that is here gets of the shares of all processes."""
        own = [Letter(self._batches, [each.pieces[part] for each in dealt]) for part in range(self.num_parts)]
        others = [[None] * self.num_parts for _ in self.parts[1:]]  # the share counts as the first part's
        letters = self._exchange.all_to_all([own, *others])
        return self._team.each(lambda index: Received.of(self.parts[index], letters[index], self._batches))

    # --- batches and queries of edges --------------------------------------------------------------------------------

    def _change(self, src: Any, dst: Any, weights: Any, return_mask: bool, *, insert: bool) -> Any:
        def change(transactions: list[Transaction]) -> Any:
            before, where = self.num_edges, self._home_of(src)
            with scope(where):
                arcs, first = self._arcs(where, src, dst, weights, insert)
                inward = (False, True) if self.directed and self.keeps_in_edges else (False,)
                dealt = [Dealt.of(where, self.deal, self.num_parts, arcs, each) for each in inward]
                where.synchronize()  # other GPUs copy from there
            received = self._received(dealt)

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

        return self._batch(change)

    def _asked(self, src: Any, dst: Any, ask: Callable[..., Any]) -> Any:
        """What the owners of sources answer, in the order of the pairs."""
        with self._exchange.together():
            where = self._home_of(src)
            with scope(where):
                dealt = Dealt.of(where, self.deal, self.num_parts, (*self._ends(where, src, dst), None))
                where.synchronize()
            received = self._received([dealt])

            def answer(index: int) -> list[Any]:
                (ends,) = received[index].lots
                return received[index].by_sender(ask(self.parts[index].graph, *ends[:2]))

            answers = self._exchange.all_to_all(self._team.each(answer))[0]
            with scope(where):
                return dealt.in_order(answers)
