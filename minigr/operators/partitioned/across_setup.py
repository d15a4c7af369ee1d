"""Decides whether the GPUs of all parts can run a step's loop together, and keeps the data that all such runs share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from minigr.device import Device, _cupy
from minigr.operators.partitioned.across import Across, across_of
from minigr.operators.partitioned.across_text import AcrossText
from minigr.operators.partitioned.part_plan import PartPlan
from minigr.operators.partitioned.rules import Rules
from minigr.program.plan import Plan

_ENABLED = 704  # the value of CUDA's cudaErrorPeerAccessAlreadyEnabled


class Setup:
    """The data that all runs of one step over a graph share: the plan of each part, and the exchange between parts."""

    def __init__(self, plan: Plan, across: Across, views: Sequence[Any]) -> None:
        graph = plan.problem.graph
        self.across = across
        for part in graph.parts:  # kernels depend on the longest row, and must be the same in all parts
            part.graph._assume_row(graph.longest_row(), inward=False)
            if plan.reads_in_edges:
                part.graph._assume_row(graph.longest_row(inward=True), inward=True)
        self.plans = [PartPlan(plan, across, view, part).made for view, part in zip(views, graph.parts, strict=True)]
        self.columns = AcrossText(self.plans[0]).columns

    @property
    def alike(self) -> bool:
        """Whether the kernels of all parts are the same."""
        needs = [(plan.key(), tuple(map(tuple, plan.own_buffers))) for plan in self.plans]
        return needs.count(needs[0]) == len(needs)

    def let_go(self) -> None:
        """Drop all references to the problem."""
        self.plans = [plan.over(None, None) for plan in self.plans]


def setup_of(plan: Plan, rules: Sequence[Rules]) -> Setup | str:
    """The setup that runs of a step share, which is made once; or the reason why the host must run the loop."""
    found = plan.shared.get("across")
    if found is None:
        found = plan.shared["across"] = _made(plan, rules)
    return found


def _made(plan: Plan, rules: Sequence[Rules]) -> Setup | str:
    graph = plan.problem.graph
    if not graph._exchange.in_one_process:
        return "the parts are in several processes"
    if any(not part.device.is_cuda for part in graph.parts):
        return "the parts are on the CPU"
    setup = _apart([part.device for part in graph.parts]) or setup_for(plan, rules)
    if isinstance(setup, Setup):
        setup.let_go()  # otherwise the kept setup would also keep the arrays of the first problem
    return setup


def setup_for(plan: Plan, rules: Sequence[Rules]) -> Setup | str:
    """The setup of a step for parts on any devices; or the reason why the host must run the loop."""
    across = across_of(plan, rules)
    if isinstance(across, str):
        return across
    setup = Setup(plan, across, [plan.problem.on_part(index) for index in range(len(plan.problem.graph.parts))])
    return setup if setup.alike else "the parts differ so much that their kernels would"


def _apart(devices: Sequence[Device]) -> str | None:
    """Why GPUs can't write to each other's memory. Return None if they can, after access is enabled."""
    for one in set(devices):
        for other in set(devices) - {one}:
            if not _has_access(one, other):
                return f"{one} has no access to the memory of {other}"
    return None


@cache
def _has_access(one: Device, other: Device) -> bool:
    """Whether a GPU can write to the memory of another GPU. If so, access is enabled."""
    runtime = _cupy().cuda.runtime
    if not runtime.deviceCanAccessPeer(one.index, other.index):
        return False
    with one.as_current():
        try:
            runtime.deviceEnablePeerAccess(other.index)
        except runtime.CUDARuntimeError as error:  # CuPy may already have enabled access
            if error.status != _ENABLED:
                raise
    return True
