"""The batches of a dynamic graph in parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.device import CPU
from minigr.errors import GraphError
from minigr.graphs import checks
from minigr.graphs.backend import scope
from minigr.graphs.dynamic import vertices
from minigr.graphs.dynamic.batches import Batches
from minigr.graphs.dynamic.transaction import Transaction
from minigr.graphs.partitioned.changes import PartsChanges
from minigr.graphs.partitioned.dynamic_part import introduce
from minigr.graphs.partitioned.part import meet
from minigr.graphs.partitioned.share import Piece, both_ways


class PartsBatches(PartsChanges, Batches):
    """Implements `Batches`: each part does what a `DynamicGraph` does."""

    # --- batches of edges --------------------------------------------------------------------------------

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
        """Insert or delete this process's share of edges, which are checked and on one device."""
        before = self.num_edges
        with scope(where):
            arcs, first = (edges, None) if self.directed else both_ways(where, *edges)
            dealt = self._dealt(where, arcs)
            where.synchronize()  # other GPUs copy these arrays
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
                raise GraphError(f"processes insert {told} vertices: give the same number in each process")
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
        """An empty list of edges, on a device."""
        ends, dtype = where.empty(0, np.int32), self.weight_dtype
        return ends, ends, None if dtype is None else where.empty(0, dtype)

    def _delete_vertices(self, ids: Any) -> int:
        def delete(transactions: list[Transaction]) -> int:
            before = self.num_live_vertices
            own = checks.as_ids(CPU, ids, "ids", self.num_vertices)
            gone = np.concatenate(self._exchange.of_processes(own))
            # A part knows the arcs from and to its own vertices. The other ends of these arcs may belong to other
            # parts.
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

    @property
    def _has_tombstones(self) -> bool:
        with self._exchange.together():
            return any(self._exchange.all_gather([part.graph._has_tombstones for part in self.parts]))

    def _rehash(self, load_factor: float | None = None) -> None:
        def rehash(transactions: list[Transaction]) -> None:
            self._team.each(lambda index: self.parts[index].graph.rehash(transactions[index], load_factor))
            meet(self.parts, self._team, self._exchange)

        self._batch(rehash)
