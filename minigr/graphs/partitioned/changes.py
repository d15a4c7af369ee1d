"""The steps of batches over parts: checks, dealing out, changing all parts or none, and answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigr.device import CPU, device_of
from minigr.errors import GraphError
from minigr.graphs import checks
from minigr.graphs.backend import scope
from minigr.graphs.dynamic import edge_batch
from minigr.graphs.dynamic.transaction import Transaction
from minigr.graphs.graph import Graph
from minigr.graphs.guard import Guard
from minigr.graphs.partitioned.batch import Dealt, Letter, Received, check_batches
from minigr.graphs.partitioned.dynamic_part import DynamicPart
from minigr.graphs.partitioned.queries import PartsQueries
from minigr.graphs.partitioned.share import Piece
from minigr.signals import deferred


class PartsChanges(PartsQueries):
    """Parts that are changed by batches. The current batch is ``_guard.batch``."""

    keeps_in_edges: bool

    def _start(self) -> None:
        self.version, self._guard = 0, Guard()
        self._batches = 0  # if other processes have parts: the number of batches that this process has done

    def _batch(self, work: Callable[[list[Transaction]], Any], *, changes: bool = True) -> Any:
        """Do a batch in all parts or in none. `work` gets a transaction for each part of this process.

        `changes`: whether the batch makes a new version of the graph.

        Signal handlers wait until all processes have agreed, because afterwards no process can undo the batch alone.
        """
        transaction: Transaction = self._guard.batch
        with deferred():
            with self._exchange.together():  # at its end, all processes confirm that they are done
                transactions = [self._begun(part, transaction) for part in self.parts]
                if changes:
                    transaction.on_undo(self._have_new_version)
                    self._have_new_version()
                found = work(transactions)
            if len(self.parts) < self.num_parts:
                self._batches += 1
                transaction.keep()
        return found

    def _static_graphs(self) -> list[Graph]:
        return []

    def _check_alike(self) -> None:
        if len(self.parts) < self.num_parts:
            done = self._exchange.all_gather([self._batches] * len(self.parts))
            check_batches(self.parts[0].index, self._batches, done)

    def _begun(self, part: DynamicPart, batch: Transaction) -> Transaction:
        """A transaction for a part. It is undone together with the transaction of the whole batch."""
        own = Transaction(part.device)
        batch.on_undo(own.undo)
        batch.on_undo(part.__dict__.update, part.kept())
        return own

    def _have_new_version(self) -> None:
        self.version += 1  # also when a batch is undone

    def _recount(self) -> None:
        """Set the counts of all parts, until the batch is undone."""
        counts = self._counted()
        self._guard.batch.on_undo(self._count, self.num_arcs, self.num_self_loops)
        self._count(*counts)

    def _counted(self) -> tuple[int, int]:
        """The number of arcs and self-loops of all parts."""
        own = [(part.graph.num_arcs, part.graph.num_self_loops) for part in self.parts]
        arcs, loops = zip(*self._exchange.all_gather(own), strict=True)
        return sum(arcs), sum(loops)

    # --- what a batch is given -----------------------------------------------------------------------------------

    def _home_of(self, src: Any) -> Any:
        """The device on which a batch is dealt out: the GPU of `src` if parts are on GPUs, otherwise the CPU."""
        return device_of(src) if self.parts[0].device.is_cuda else CPU

    def _ends(self, where: Any, src: Any, dst: Any) -> tuple[Any, Any]:
        """Check ends, and move them to a device."""
        source = checks.as_ids(where, src, "src", self.num_vertices)
        target = checks.as_ids(where, dst, "dst", self.num_vertices)
        edge_batch.check_lengths(source, target)
        return source, target

    def _ends_with_new(self, where: Any, src: Any, dst: Any, new: int) -> tuple[Any, Any]:
        """Check ends, and move them to a device. ``~j`` is vertex j of the `new` vertices."""
        if src is None or dst is None:
            raise GraphError("edges of new vertices need src and dst: give both, or leave out src, dst and weights")
        return edge_batch.as_pairs_with_new(where, src, dst, self.num_vertices, new)

    def _refuse_dead(self, src: Any, dst: Any) -> None:
        """Raise `GraphError` if an edge has an end that was deleted."""
        rows = self.parts[0].graph  # each part knows all deleted vertices
        if rows._num_dead:
            with scope(rows._device):
                rows._refuse_dead(*map(rows._device.asarray, (src, dst)))

    def _to_insert(self, where: Any, ends: tuple[Any, Any], weights: Any) -> Piece:
        """Check that edges with valid ends can be inserted."""
        where.synchronize()  # another GPU may copy these arrays
        self._refuse_dead(*ends)
        return *ends, edge_batch.as_batch_weights(where, weights, len(ends[0]), self.weight_dtype)

    # --- how it is dealt out -----------------------------------------------------------------------------------------

    def _dealt(self, where: Any, arcs: Piece) -> list[Dealt]:
        """Deal arcs on a device out, for each direction that parts keep."""
        inward = (False, True) if self.directed and self.keeps_in_edges else (False,)
        return [Dealt.of(where, self.deal, self.num_parts, arcs, each) for each in inward]

    def _received(self, dealt: list[list[Dealt]]) -> list[Received]:
        """The arcs that each part of this process gets from the shares of all processes, or of all parts.

        The share of a process counts as the share of its first part.
        """
        sent: list[list[Letter | None]] = [
            [Letter(self._batches, [each.pieces[part] for each in lots]) for part in range(self.num_parts)]
            for lots in dealt
        ]
        sent += [[None] * self.num_parts for _ in self.parts[len(dealt) :]]
        letters = self._exchange.all_to_all(sent)
        return self._team.each(lambda index: Received.of(self.parts[index], letters[index], self._batches))

    def _asked(self, src: Any, dst: Any, ask: Callable[..., Any]) -> Any:
        """The answers of the owners of the sources, in the order of the pairs."""
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
