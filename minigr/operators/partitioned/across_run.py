"""A loop that the GPUs of all parts run together, without the host between two steps."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from minigr.device import CPU, Device, _cupy
from minigr.errors import PartError
from minigr.graphs.partitioned.array import Known
from minigr.locks import free_in_children
from minigr.operators.partitioned.across_room import AcrossRoom, AcrossRooms, Place
from minigr.operators.partitioned.across_setup import Setup
from minigr.operators.partitioned.part_plan import over_present_parts
from minigr.operators.partitioned.refresh import refresh_stale, spread_stale
from minigr.program import cuda_program, loop
from minigr.program.control import STEERING_WORDS, Stop, Tier, Word
from minigr.program.frontier import Frontier
from minigr.program.plan import UNLIMITED, Plan
from minigr.program.step_frontier import StepFrontier

PATIENCE = 30.0  # seconds that a GPU waits for other GPUs in a step
_ALL_TURNS = ("few", "whole")
# steering words that are sums over all parts
_SUMMED = (Word.INPUT_LENGTH, Word.UNEXPLORED, Word.LEAST_WORK, Word.WORK)
_launching = free_in_children(threading.Lock())  # GPUs that wait for each other must not also wait for another run


def _places(devices: Sequence[Device]) -> list[Place]:
    """For each part, its GPU. Parts that share a GPU get a stream each."""
    return [
        Place(device, _stream(device, number) if devices.count(device) > 1 else None)
        for number, device in enumerate(devices)
    ]


@cache
def _stream(device: Device, number: int) -> Any:
    with device.as_current():
        return _cupy().cuda.Stream(non_blocking=True)


class AcrossRun:
    """One run of a step over all parts, with the interface that `minigr.program.executor.Executor` uses.

    Attributes
    ----------
    plan : Plan
        The plan of the whole step.
    control : memoryview of int64
        The control block of all parts together.
    """

    def __init__(self, plan: Plan, setup: Setup, first: Sequence[Frontier]) -> None:
        self.plan, self._setup = plan, setup
        if plan.reads_in_edges:
            plan.problem.graph.make_in_edges()
        problem = self._problem = over_present_parts(plan.problem)
        graph = problem.graph
        self._parts, self._places = graph.parts, _places([part.device for part in graph.parts])
        self._rooms: AcrossRooms = graph._kept.get("rooms", graph.version, AcrossRooms)
        self._room = room = self._rooms.take(setup, graph.parts) or AcrossRoom(setup, problem, self._places)
        views = [problem.on_part(index, own.scalars_there) for index, own in enumerate(room.parts)]
        refresh_stale(problem, views, sorted(setup.across.left))
        spread_stale(problem, views, setup.across.sets)
        self._brought = {name for name in setup.across.refreshed if problem._values[name].known < Known.GHOSTS}
        for place in self._places:
            place.synchronize()  # fields may just have been made or refreshed
        room.begin(problem, views, first, int(PATIENCE * 1e9), self._brought, self._places)
        self._runs = [own.run for own in room.parts]
        self.control = self._all().data

    # --- the control blocks ------------------------------------------------------------------------------------------

    def _all(self) -> Any:
        """The control block of all parts together, made from the control blocks with which the parts begin."""
        first, *others = (part.own for part in self._room.parts)
        found = first.copy()
        for own in others:
            found[STEERING_WORDS:] += own[STEERING_WORDS:]
        control, controls = found.data, [run.control for run in self._runs]  # faster than NumPy for a few words
        for word in _SUMMED:
            control[word] = min(sum([own[word] for own in controls]), UNLIMITED)
        control[Word.WORK_PER_ITEM] = 1 + sum([own[Word.WORK_PER_ITEM] - 1 for own in controls])
        control[Word.ARRIVALS] = self._room.arrivals
        return found

    def launch(self) -> None:
        """Run until the loop stops or its budget of steps is used up."""
        loop.choose_tier(self.control, 0)
        turns = iter(self._runs[0]._turns(Tier(self.control[Word.TIER])))
        with _launching:
            try:
                kernels = self._upload()
                while self.control[Word.STOP] == Stop.RUNNING:
                    self._launch(kernels, next(turns, _ALL_TURNS))
            except BaseException:  # also an interruption: no copy may still be running when its memory is used again
                self._wait()
                raise

    def _upload(self) -> list[Any]:
        """Copy the control block of all parts to each part. Return the kernels of each part, by name."""
        kernels = []
        for own, place in zip(self._room.parts, self._places, strict=True):
            length = own.own[Word.INPUT_LENGTH]
            own.own[:STEERING_WORDS], own.of_all[:] = self.control[:STEERING_WORDS], self.control
            own.own[Word.INPUT_LENGTH] = length
            with place:
                own.run._upload(place.stream)
                kernels.append(own.run._program.persistent_kernels(own.run._room.arguments, place.stream))
        return kernels

    def _launch(self, kernels: list[Any], turns: Sequence[str]) -> None:
        """Launch kernels with these names on all GPUs, and wait for the result."""
        for name in turns:
            if name in kernels[0]:
                self._launch_together([each[name] for each in kernels])
        for run, place in zip(self._runs, self._places, strict=True):
            with place:
                run._ask(place.stream)
        self._wait()
        if any(run.control[Word.STOP] == Stop.LOST for run in self._runs):
            raise PartError(self._lost())
        for name in self._brought:
            self._problem._values[name].know(Known.GHOSTS, self._problem.graph)
        self.control[:] = self._room.parts[0].of_all.data
        self._room.arrivals = self.control[Word.ARRIVALS]

    def _wait(self) -> None:
        """Wait for the work of all GPUs."""
        for place in self._places:
            with place:
                place.stream.synchronize()

    def _launch_together(self, kernels: Sequence[tuple[Any, int, int]]) -> None:
        """Launch a kernel on all GPUs: for each part the kernel, the blocks that fit its GPU, and the threads."""
        devices = [place.device for place in self._places]
        blocks = max(min(blocks for _, blocks, _ in kernels) // max(map(devices.count, devices)), 1)
        launches = [(at.device, at.stream, kernel) for at, (kernel, _, _) in zip(self._places, kernels, strict=True)]
        cuda_program.launch_together(launches, blocks, kernels[0][2])

    def _lost(self) -> str:
        def progress(index: int) -> tuple[bool, int]:
            """Whether a part has reported that another part is lost, and how many phases it has done."""
            control = self._runs[index].control
            return control[Word.STOP] == Stop.LOST, control[Word.EPOCH]

        part = self._parts[min(range(len(self._runs)), key=progress)]
        return (
            f"part {part.index} ({part.device}) did not finish an operator within {PATIENCE:g} seconds of the other "
            "parts: check whether another program uses its GPU, or use driver='host'"
        )

    # --- the result --------------------------------------------------------------------------------------------------

    def output(self, frontier: StepFrontier) -> Any:
        """The vertices of one of the current frontiers, from all parts, in the order of parts."""
        own = []
        for run, place in zip(self._runs, self._places, strict=True):
            with place:
                own.append(CPU.asarray(run.output(run.plan.frontiers[frontier.number])))
        return np.concatenate(own)

    def settle(self) -> None:
        """Update the problem after the run: its scalars, and which copies of other parts' vertices may be outdated."""
        values, across = self._problem._values, self._setup.across
        fresh = {*across.refreshed} - self._room.may_be_stale
        for rules in across.rules:
            for name in rules.writes_own | rules.writes.keys():
                values[name].know(Known.GHOSTS if name in fresh else Known.OWN, self._problem.graph)
        for name, scalar in self._room.parts[0].scalars.items():
            values[name][0] = scalar[0]

    def retire(self) -> None:
        """End the use of this run, and let a later run of the step use its room."""
        self._room.let_go()
        self._rooms.put(self._setup, self._room)
