"""A loop that the GPUs of all parts run together, with no host between two steps."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from minigr.device import CPU, Device, _cupy
from minigr.errors import PartError
from minigr.graphs.partitioned.part import Part
from minigr.operators.partitioned.across import Across, across_of
from minigr.operators.partitioned.across_text import AcrossText
from minigr.operators.partitioned.part_plan import PartPlan, own_of
from minigr.operators.partitioned.refresh import refresh_stale
from minigr.operators.partitioned.rules import Rules
from minigr.program import cuda_program, loop
from minigr.program.control import STEERING_WORDS, SYNC_WORDS, Stop, Word, words
from minigr.program.cuda import CudaRun
from minigr.program.executor import put_first
from minigr.program.frontier import Frontier
from minigr.program.plan import UNLIMITED, Plan
from minigr.program.step_frontier import StepFrontier

PATIENCE = 30.0  # seconds that a GPU waits for the others of a step
_ENABLED = 704  # CUDA's cudaErrorPeerAccessAlreadyEnabled
_listed: WeakKeyDictionary[Any, list[_Lists]] = WeakKeyDictionary()


@dataclass(frozen=True)
class _Lists:
    """The ghosts and the mirrors of a part, those of one other part behind those of another, and where each begin."""

    ghosts: Any
    ghost_begins: Any
    mirrors: Any
    mirror_begins: Any
    begins: tuple[Any, Any]  # the same on the host
    made_of: list[Any]  # the ghosts of the part, which are others once in-edges are there

    @classmethod
    def of(cls, part: Part) -> _Lists:
        found, begins = [], []
        for lists in (part.ghosts, part.mirrors):
            begins.append(np.concatenate(([0], np.cumsum([len(each) for each in lists]))).astype(np.int64))
            found += [part.xp.concatenate(lists), part.device.asarray(begins[-1])]
        ghosts, ghost_begins, mirrors, mirror_begins = found
        return cls(ghosts, ghost_begins, mirrors, mirror_begins, (begins[0], begins[1]), part.ghosts)


def _lists_of(graph: Any) -> list[_Lists]:
    """The lists of all parts, made once as long as their ghosts stay the same."""
    found = _listed.get(graph)
    if found is None or any(own.made_of is not part.ghosts for own, part in zip(found, graph.parts, strict=True)):
        found = []
        for part in graph.parts:
            with part.device.as_current():
                found.append(_Lists.of(part))
                part.device.synchronize()
        _listed[graph] = found
    return found


class Setup:
    """What all runs of one step over a graph share: the plan of each part, and how these meet."""

    def __init__(self, plan: Plan, across: Across, views: Sequence[Any]) -> None:
        graph = plan.problem.graph
        self.across = across
        for part in graph.parts:  # kernels go by the longest row, and must be the same in all parts
            part.graph._assume_row(graph.longest_row(), inward=False)
            if plan.reads_in_edges:
                part.graph._assume_row(graph.longest_row(inward=True), inward=True)
        self.plans = [PartPlan(plan, across, view, part).made for view, part in zip(views, graph.parts, strict=True)]
        self.columns = AcrossText(self.plans[0]).columns

    @property
    def alike(self) -> bool:
        """Whether the parts' kernels are the same."""
        needs = [(plan.key(), tuple(map(tuple, plan.own_buffers))) for plan in self.plans]
        return needs.count(needs[0]) == len(needs)


def setup_of(plan: Plan, rules: Sequence[Rules]) -> Setup | str:
    """What runs of a step share, made once; or why the host has to run the loop."""
    found = plan.shared.get("across")
    if found is None:
        found = plan.shared["across"] = _made(plan, rules)
    return found


def _made(plan: Plan, rules: Sequence[Rules]) -> Setup | str:
    graph = plan.problem.graph
    if len(graph.parts) < graph.num_parts:
        return "the parts are in several processes"
    if any(not part.device.is_cuda for part in graph.parts):
        return "the parts are on the CPU"
    return _apart([part.device for part in graph.parts]) or setup_for(plan, rules)


def setup_for(plan: Plan, rules: Sequence[Rules]) -> Setup | str:
    """The same, wherever the parts are."""
    across = across_of(plan, rules)
    if isinstance(across, str):
        return across
    setup = Setup(plan, across, [plan.problem.on_part(index) for index in range(len(plan.problem.graph.parts))])
    return setup if setup.alike else "the parts differ so much that their kernels would"


def _apart(devices: Sequence[Device]) -> str | None:
    """Why GPUs can't write to each other's memory; None if they can, and then they may."""
    runtime = _cupy().cuda.runtime
    for one in set(devices):
        for other in set(devices) - {one}:
            if not runtime.deviceCanAccessPeer(one.index, other.index):
                return f"{one} has no access to the memory of {other}"
            with one.as_current():
                try:
                    runtime.deviceEnablePeerAccess(other.index)
                except runtime.CUDARuntimeError as error:
                    if error.status != _ENABLED:
                        raise
    return None


@cache
def _stream(device: Device, number: int) -> Any:
    """A stream of a part's own, so that the parts of one GPU run at the same time."""
    with device.as_current():
        return _cupy().cuda.Stream(non_blocking=True)


class AcrossRun:
    """One run of a step over all parts, as `minigr.program.executor.Executor` takes a run.

    Attributes
    ----------
    plan : Plan
        Of the whole step.
    control : memoryview of int64
        The control block of all parts together.
    """

    def __init__(self, plan: Plan, setup: Setup, first: Sequence[Frontier]) -> None:
        self.plan, self._setup = plan, setup
        problem = self._problem = plan.problem
        graph = self._graph = problem.graph
        if plan.reads_in_edges:
            graph.make_in_edges()
        self._size = words(plan.counters)
        self._parts = graph.parts
        self._streams = [_stream(part.device, part.index) for part in graph.parts]
        self._views = [problem.on_part(index) for index in range(len(graph.parts))]
        refresh_stale(problem, self._views, setup.across.refreshed)
        for device in {part.device for part in graph.parts}:
            device.synchronize()  # what other streams did before
        self._lists = _lists_of(graph)
        self._arrays = [self._made(index) for index in range(len(graph.parts))]
        self._runs = [self._begun(index, first) for index in range(len(graph.parts))]
        for index in range(len(graph.parts)):
            self._introduce(index)
        self.control = self._all().data
        self._has_begun = False

    def _on(self, index: int) -> ExitStack:
        """A context in which a part's GPU and stream are the current ones."""
        stack = ExitStack()
        stack.enter_context(self._parts[index].device.as_current())
        stack.enter_context(self._streams[index])
        return stack

    def _made(self, index: int) -> dict[str, Any]:
        """What a part needs to meet the others, by the names that it has in a program."""
        across, lists = self._setup.across, self._lists[index]
        part, values = self._parts[index], self._views[index]._values
        with self._on(index):
            count, empty = int(lists.begins[1][-1]), part.device.empty
            found = {"tails": part.device.full(across.num_parts, 0, np.uint32), "heads": empty(count, np.uint64)}
            found |= {name: getattr(lists, name) for name in ("ghosts", "ghost_begins", "mirrors", "mirror_begins")}
            found |= {f"mail_{name}": empty(count, values[name].dtype) for name in across.written}
            found |= {f"known_{name}": values[name].take(lists.ghosts) for name in across.known}
            found |= {f"sent_{name}": values[name].take(lists.mirrors) for name in across.refreshed}
            for name in across.added:
                values[name][lists.ghosts] = 0
        return found

    def _begun(self, index: int, first: Sequence[Frontier]) -> CudaRun:
        """The run of a part, with its share of the first frontiers."""
        part = self._parts[index]
        plan = self._setup.plans[index].over(self._views[index], None)
        with self._on(index):
            run = CudaRun(plan, "fused")
            put_first(plan, [own_of(part, each, self._graph) for each in first], run)
        return run

    def _introduce(self, index: int) -> None:
        """Have a part know where the others have what it needs of them."""
        run, part, deal = self._runs[index], self._parts[index], self._graph.deal
        columns = self._setup.columns
        table = np.zeros((len(self._parts), len(columns)), np.uint64)
        for other in range(len(self._parts)):
            known = self._addresses(other, index)
            table[other] = [known[column] for column in columns]
        bounds = (0, 0) if self._setup.across.hashed else deal.bounds[index : index + 2]
        with self._on(index):
            peers = part.device.asarray(table.ravel())
            self._arrays[index]["peers"] = peers
            numbers = {"part": index, "first_owned": bounds[0], "end_owned": bounds[1], "patience": int(PATIENCE * 1e9)}
            run._program.pack(run._room.arguments, self._arrays[index] | numbers)

    def _addresses(self, other: int, index: int) -> dict[str, int]:
        """By column, where part `other` has what is for part `index`."""
        run, arrays, lists = self._runs[other], self._arrays[other], self._lists[other]
        ghosts, mirrors = (int(begins[index]) for begins in lists.begins)
        begins = {"tails": index, "heads": mirrors}
        begins |= {name: mirrors for name in arrays if name.startswith("mail_")}
        begins |= {name: ghosts for name in arrays if name.startswith("known_")}
        found = {name: _address(arrays[name]) + at * arrays[name].itemsize for name, at in begins.items()}
        words = _address(run._room.words)
        found |= {"sync": words, "control": words + 8 * SYNC_WORDS}
        values = self._views[other]._values
        found |= {f"field_{name}": _address(values[name]) for name in self._setup.across.refreshed}
        shared = ("partials_", "bitmaps_")
        return found | {name: _address(array) for name, array in run.buffers.items() if name.startswith(shared)}

    # --- the control blocks ------------------------------------------------------------------------------------------

    def _all(self) -> Any:
        """The control block of all parts together, of what each of them begins with."""
        own = np.array([run.control[: self._size] for run in self._runs])
        found = own[0].copy()
        found[STEERING_WORDS:] = own[:, STEERING_WORDS:].sum(axis=0)
        for word in (Word.INPUT_LENGTH, Word.UNEXPLORED, Word.LEAST_WORK, Word.WORK):
            found[word] = min(sum(map(int, own[:, word])), UNLIMITED)
        found[Word.WORK_PER_ITEM] = 1 + (own[:, Word.WORK_PER_ITEM] - 1).sum()
        return found

    def launch(self) -> None:
        """Run until the loop stops or its budget of steps is used up."""
        loop.choose_tier(self.control, 0)
        with ExitStack() as locks:
            for run in self._runs:
                locks.enter_context(run._program.lock)
            try:
                self._launch()
            finally:
                for stream in self._streams:  # no copy may be under way when what it is of is used again
                    stream.synchronize()

    def _launch(self) -> None:
        turns = []
        for index, (run, stream) in enumerate(zip(self._runs, self._streams, strict=True)):
            block = run.control
            length = block[Word.INPUT_LENGTH]
            block[:STEERING_WORDS], block[-self._size :] = self.control[:STEERING_WORDS], self.control
            block[Word.INPUT_LENGTH] = length
            with self._on(index):
                run._upload(stream)
                turns.append(run._program.persistent_kernels(run._room.arguments, stream))
        if not self._has_begun:
            for stream in self._streams:  # a part that begins may tell others at once
                stream.synchronize()
            self._has_begun = True
        sharing = max(sum(other.device == part.device for other in self._parts) for part in self._parts)
        while self.control[Word.STOP] == Stop.RUNNING:
            for kernels in zip(*turns, strict=True):
                blocks = max(min(blocks for _, blocks, _ in kernels) // sharing, 1)
                launches = [
                    (part.device, stream, kernel)
                    for part, stream, (kernel, _, _) in zip(self._parts, self._streams, kernels, strict=True)
                ]
                cuda_program.launch_together(launches, blocks, kernels[0][2])
            for index, (run, stream) in enumerate(zip(self._runs, self._streams, strict=True)):
                with self._on(index):
                    run._download(stream)
            if any(run.control[Word.STOP] == Stop.LOST for run in self._runs):
                raise PartError(self._lost())
            self.control[:] = self._runs[0].control[-self._size :]

    def _lost(self) -> str:
        def progress(index: int) -> tuple[bool, int]:
            """Whether a part has told that another one is lost, and how many phases it has done."""
            control = self._runs[index].control
            return control[Word.STOP] == Stop.LOST, control[Word.EPOCH]

        part = self._parts[min(range(len(self._runs)), key=progress)]
        return (
            f"part {part.index} ({part.device}) did not come to the end of an operator within {PATIENCE:g} seconds of "
            "the others: look whether another program has its GPU, or use driver='host'"
        )

    # --- what is left ------------------------------------------------------------------------------------------------

    def output(self, frontier: StepFrontier) -> Any:
        """The vertices of one of the current frontiers, of all parts, in the order of these."""
        own = []
        for index, run in enumerate(self._runs):
            with self._on(index):
                own.append(CPU.asarray(run.output(run.plan.frontiers[frontier.number])))
        return np.concatenate(own)

    def settle(self) -> None:
        """Have the problem know what the run came to: its scalars, and which copies of others' vertices may be old."""
        values, refreshed = self._problem._values, self._setup.across.refreshed
        for rules in self._setup.across.rules:
            for name in rules.writes_own | rules.writes.keys():
                values[name].stale = name not in refreshed
        view = self._views[0]
        for node in self.plan.nodes:
            for scalar in node.scalar_results:
                values[scalar.name][0] = view.device.number(view._values[scalar.name])

    def retire(self) -> None:
        """Nothing more is wanted of it."""


def _address(array: Any) -> int:
    return int(array.data.ptr)
