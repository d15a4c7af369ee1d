"""The copies that parts have of a problem's fields, and their refresh from the owners."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from minigr.graphs.partitioned.array import Known
from minigr.operators.partitioned.refresh import news_of, refresh, refresh_stale, spread, spread_stale
from minigr.operators.partitioned.rules import Rules, followed_of
from minigr.operators.partitioned.shadows import Shadows


class Copies:
    """The copies for one problem in one run of a loop.

    Parameters
    ----------
    problem : Problem
        The problem, over a graph in parts.
    rules : sequence of Rules
        The rules of all operators of the step.

    Attributes
    ----------
    views : list of Problem
        The problem on each local part.
    shadows : list of Shadows
        The shadows of the parts, on a CPU; empty on GPUs.
    followed : set of str
        Fields that are stored to exactly where a claim held. They are sent along with the claim, and no copy of them is
        read.
    read : set of str
        Fields whose copies are refreshed.
    """

    def __init__(self, problem: Any, rules: Sequence[Rules]) -> None:
        self._problem, graph = problem, problem.graph
        self.views: list[Any] = graph._team.each(problem.on_part)
        on_gpus = graph.parts[0].device.is_cuda
        followed = set() if on_gpus else followed_of(rules)
        self.followed = {name for name in followed if problem._values[name].ndim == 1}
        self.read = set().union(*(each.reads for each in rules)) - self.followed
        self._sets = set().union(*(each.sets for each in rules))
        refresh_stale(problem, self.views, sorted(self.read))
        spread_stale(problem, self.views, sorted(self._sets))
        written = sorted(set().union(*(each.writes for each in rules)))

        def shadows_of(index: int) -> Shadows:
            values = self.views[index]._values
            return Shadows(graph.parts[index], {name: values[name] for name in written})

        self.shadows: list[Shadows] = [] if on_gpus else graph._team.each(shadows_of)

    def settle(self, index: int, names: Collection[str], vertices: Any) -> None:
        """Count a local part's elements at its own vertices, after an operator, as unchanged."""
        if self.shadows:
            self.shadows[index].settle(names, vertices)

    def news(self, index: int, changed: Any, names: Sequence[str]) -> list[Any]:
        """By part, the news of a local part's changed vertices that are ghosts there."""
        shadows = self.shadows[index] if self.shadows else None
        return news_of(self._problem.graph.parts[index], self.views[index], changed, names, shadows)

    def refresh(
        self, news: list[Any], written: Collection[str], refreshed: Sequence[str], counts: list[Any], tells: bool
    ) -> list[Any]:
        """Refresh copies after an operator that wrote to the fields `written`, by the news of the fields `refreshed`.

        Local parts send their `counts` to the other parts in the same exchange or, if `tells`, in an exchange of their
        own. The counts of all parts are returned.
        """
        problem = self._problem
        if refreshed:
            counts = refresh(problem, self.views, news, refreshed, counts, self.shadows)
        elif tells:
            counts = problem.graph._exchange.all_gather(counts)
        for name in written:
            if name not in self.read:
                problem._values[name].known = Known.OWN
        if stored := sorted(self._sets.intersection(written)):
            spread(problem, self.views, stored)
        return counts
