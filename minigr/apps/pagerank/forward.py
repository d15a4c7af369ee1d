"""Personalized PageRank from several sources at a time by forward push: vertices with large residuals push them.

Andersen, Chung, Lang, Local Graph Partitioning using PageRank Vectors (FOCS 2006). As in searches from many sources,
each vertex has a bit for each source, and a step reads an edge once for all sources that push along it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.common.bits import marks_of
from minigr.apps.pagerank.residuals import ForwardProblem, PassOn, Rest, Take, WeightedPassOn
from minigr.enactor.enactor import Enactor
from minigr.operators.calls import compute
from minigr.operators.options import Balance
from minigr.program.frontier import Frontier, Handle


class ForwardEnactor(Enactor, problem=ForwardProblem, looks_at=("balance",)):
    balance: Balance = "auto"

    def start(self, sources: Any) -> Frontier:
        """Start at `sources`, at most 64 vertices, on the host."""
        ids, bits = marks_of(sources)
        device, problem = self.graph._device, self.problem
        where = device.asarray(ids)
        problem.many[where] = device.asarray(bits)
        problem.residual[device.asarray(sources * np.int64(len(sources)) + np.arange(len(sources)))] = 1.0
        return Frontier("vertices", ids=where, distinct=True)

    def step(self, frontier: Handle) -> Handle:
        self.compute(frontier, Take)
        pass_on = WeightedPassOn if self.graph.weighted else PassOn
        return self.advance(frontier, pass_on, duplicates="impossible", balance=self.balance)

    def finish(self) -> list[float]:
        """Compute the ranks after the loop; return by how much the ranks of each source fall short of a sum of 1."""
        problem, count = self.problem, self.graph.num_vertices
        problem.share[:] = 0.0
        compute(problem, Frontier.all_vertices(), Rest)
        missing = []
        for first in range(0, len(problem.rank), count):
            row = problem.rank[first : first + count]
            left = float(problem.share[first : first + count].sum())
            total = float(row.sum()) + left
            row /= total
            missing.append(left / total)
        return missing
