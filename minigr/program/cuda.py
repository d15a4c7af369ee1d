"""Runs a plan on a GPU: compiles it once, then launches it with the driver asked for."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from minigr.errors import DeviceError, GraphError
from minigr.jit.arguments import Argument
from minigr.jit.functor import GRAPH
from minigr.jit.index_checks import CheckedFields
from minigr.jit.link_cuda import CudaCode
from minigr.program import loop
from minigr.program.control import WORDS_PER_COUNTER, Stop, Tier, Word, words
from minigr.program.cuda_program import CudaProgram, most_blocks
from minigr.program.cuda_text import ARGUMENTS, CudaText
from minigr.program.cuda_views import view_of
from minigr.program.operator import Operator
from minigr.program.plan import Plan, bytes_of
from minigr.program.seen_graph import counted
from minigr.program.step_frontier import StepFrontier
from minigr.program.supplied import arguments_of

# Steps with less work than _SOLO edges are few threads', those with _WIDE or more get a kernel for each phase.
_SOLO, _WIDE = 1 << 14, 1 << 22
_NEVER = (1 << 63) - 1  # more work than any step has
_SYNC_WORDS = 32  # two counters to meet at, 128 bytes apart: Grid.sync in jit/grid.cuh
_ALIGNED = 256  # bytes, as CuPy aligns what it allocates
_MOST_POSITIONS = 2**31 - 2**12  # of a row: kernels count them from its beginning in 32 bits, some at a time
_LEAST_CUDA = 12040  # has WHILE nodes, whose condition a kernel of every program with a loop sets
_CONTROL, _STARTS, _REALS = (Argument(dtype, is_array=True) for dtype in ("int64", "int32", "float64"))
_NUMBER = Argument("int64")
STEERING: dict[str, tuple[Any, tuple[Argument, ...]]] = {
    "minigr_choose_direction": (loop.choose_direction, (_CONTROL, *[_NUMBER] * 6)),
    "minigr_begin_draw": (loop.begin_draw, (_CONTROL, _REALS, _NUMBER, _NUMBER)),
    "minigr_turn_piles": (loop.turn_piles, (_CONTROL,)),
    "minigr_begin_bin": (loop.begin_bin, (_CONTROL, *[_REALS] * 2, *[_NUMBER] * 3)),
    "minigr_empty_bin": (loop.empty_bin, (_CONTROL, _NUMBER)),
    "minigr_keep_level": (loop.keep_level, (_CONTROL, _STARTS)),
    "minigr_next_level": (loop.next_level, (_CONTROL, _STARTS, _NUMBER, _NUMBER)),
    "minigr_end_step": (loop.end_step, (_CONTROL, _NUMBER, _NUMBER)),
    "minigr_choose_tier": (loop.choose_tier, (_CONTROL, _NUMBER)),
}
_programs: dict[Hashable, tuple[CudaProgram, CheckedFields]] = {}


def text_of(plan: Plan) -> CudaText:
    """What the operators of a plan write."""
    text = CudaText(plan)
    for node in plan.nodes:
        assert isinstance(node, Operator)
        text.begin_operator(node)
        node.cuda(text)
    return text


def code_of(plan: Plan, architecture: int) -> tuple[CudaCode, CudaText]:
    """A plan's code for one architecture, which is linked when kernels are asked for, and the text it is made from."""
    plan.fuse()
    text = text_of(plan)
    source = text.program()
    signatures = {name: arguments_of(bound, plan.problem, plan.debug) for name, bound in text.users.items()}
    return CudaCode(source, text.users, signatures, STEERING, architecture, ARGUMENTS), text


def check_cuda_version() -> None:
    """Raise `DeviceError` where the driver can't load programs with a loop."""
    import cupy

    version = cupy.cuda.runtime.driverGetVersion()
    if version < _LEAST_CUDA:
        raise DeviceError(
            f"the NVIDIA driver is one for CUDA {version // 1000}.{version % 1000 // 10}, and loops on a GPU need CUDA "
            "12.4: install driver 550 or newer, or use device='cpu'"
        )


def _program(plan: Plan) -> tuple[CudaProgram, CheckedFields]:
    """The loaded program of a plan, and the fields that are checked."""
    import cupy

    device = cupy.cuda.Device(plan.problem.device.index)
    needs = tuple(map(tuple, plan.own_buffers))  # as hubs or wide rows do
    key = (plan.key(), needs, device.id)
    found = _programs.get(key)
    if found is None:
        if not plan.single:
            check_cuda_version()
        code, text = code_of(plan, int(device.compute_capability))
        found = _programs[key] = CudaProgram(code, text, device), text.checked
    return found


def _check_rows(plan: Plan) -> None:
    """Raise `GraphError` if a row is longer than kernels count, as parallel edges can make it."""
    graph = plan.problem.graph
    if graph.most_edge_ids <= _MOST_POSITIONS:
        return
    for inward in (False, True) if plan.reads_in_edges else (False,):
        if (longest := graph.longest_row(inward=inward)) > _MOST_POSITIONS:
            raise GraphError(
                f"the row of a vertex has {longest:,} positions, and programs on a GPU take {_MOST_POSITIONS:,} at "
                "most: join parallel edges to one, or run on the CPU, with graph.to('cpu')"
            )


def workers(plan: Plan) -> int:
    """Blocks that have room for what they leave each other: those of a grid, twice, as phases take turns."""
    import cupy

    plan.fuse()
    return 2 * most_blocks(cupy.cuda.Device(plan.problem.device.index))


class _Places:
    """What each run of a plan allocates.

    Attributes
    ----------
    size : int
        Bytes of all.
    arrays : list of (str, shape, dtype)
        Those that nothing is written to first.
    zeros : list of (str, shape, dtype, int)
        Those that begin with zeros, with the place that each has in one array of so many bytes, `zeros_size`.
    """

    def __init__(self, plan: Plan) -> None:
        arrays = plan.allocations(workers(plan))
        self.size = bytes_of(arrays)
        self.arrays = [(name, shape, dtype) for name, (shape, dtype, fill) in arrays.items() if fill is None]
        self.zeros, self.zeros_size = [], 0
        for name, (shape, dtype, fill) in arrays.items():
            if fill is not None:
                assert fill == 0, f"{name}: no operator asks for other values on a GPU"
                self.zeros.append((name, shape, dtype, self.zeros_size))
                self.zeros_size += -(-bytes_of({name: (shape, dtype, fill)}) // _ALIGNED) * _ALIGNED


class _Shared(_Places):
    """What the runs of a plan share: its program, what each of them allocates, and the words that they begin with."""

    def __init__(self, plan: Plan, driver: str) -> None:
        plan.fuse()
        _check_rows(plan)
        self.program, self.checked = _program(plan)
        super().__init__(plan)
        self.blank = _first_words(plan, driver, self.program.has_few)
        self.control = slice(_SYNC_WORDS, _SYNC_WORDS + words(plan.counters))


class CudaRun:
    """One run of a plan: its buffers and its control block, on the GPU.

    `driver` is ``"auto"``, ``"fused"``, ``"graph"`` or ``"host"``; see `minigr.program.cuda_program`.
    """

    def __init__(self, plan: Plan, driver: str) -> None:
        import cupy
        import cupyx

        self.plan, self._device = plan, plan.problem.device
        self._driver = "host" if plan.single else driver  # a single step has nothing to loop over
        with self._device.as_current():
            shared = plan.shared.get(self._driver)
            if shared is None:
                shared = plan.shared[self._driver] = _Shared(plan, self._driver)
            self._program, self._checked, self._blank = shared.program, shared.checked, shared.blank
            self._prepare()
            plan.require_memory(shared.size)
            self._zeros = cupy.empty(shared.zeros_size, np.uint8)
            self.buffers = plan.given() | {name: cupy.empty(shape, dtype) for name, shape, dtype in shared.arrays}
            for name, shape, dtype, place in shared.zeros:
                self.buffers[name] = cupy.ndarray(shape, dtype, self._zeros.data + place)
            self._words = cupy.empty(self._blank.size, np.int64)
            self._device_control = self._words[shared.control]
            # What the host has of these words, and of the arguments, is page-locked, or each copy would be made twice.
            host = cupyx.empty_pinned(self._blank.size + self._program.num_arguments, np.int64)
            self._host_words, self._host_at = host[: self._blank.size], host.ctypes.data
            self.control, self._control_at = self._host_words[shared.control], self._host_at + 8 * _SYNC_WORDS
            self._begin()
            own = {"sync": self._words, "control": self._device_control, "most_blocks": self._program.blocks}
            if plan.debug:
                self._checks = cupy.empty(self._checked.empty().size, np.int64)
                own["checks"] = self._checks
            own |= {f"capacity_{node.index}": node.capacity for node in plan.nodes}
            self._storage = plan.problem.graph.storage  # that the arguments are for
            values = {**own, **self.buffers, **self._rows(), **_as_arguments(plan.problem._values)}
            self._arguments = self._program.pack(
                values, host[self._blank.size :].view(np.uint64), self._host_at + 8 * self._blank.size
            )
            self._packed = dict(plan.problem._values)  # the fields that they are for
        self._is_again = False

    def _prepare(self) -> None:
        """Have the kernels on the device that the run will surely launch, or probably."""
        plan, driver = self.plan, self._driver
        if driver == "auto" and plan.is_of_all and not plan.final_slots:
            driver = "graph"  # because each step is wide throughout
        if driver != "auto" or plan.problem.graph.num_arcs >= _WIDE:
            self._program.prepare(driver)

    def renew(self) -> None:
        """Make it as it was before its first launch, over the graph and the fields as they are now."""
        problem, packed = self.plan.problem, self._packed
        graph = problem.graph
        changed = {name: value for name, value in problem._values.items() if value is not packed[name]}
        packed |= changed
        values, storage = _as_arguments(changed), graph.storage
        if all(now is before for now, before in zip(storage, self._storage, strict=True)):
            values["edge_ids"] = graph.num_edge_ids
        else:
            values |= self._rows()
            self._storage = storage
        self._program.repack(self._arguments, values)
        with self._device.as_current():
            self._begin()
        self._is_again = True

    def _begin(self) -> None:
        """Have a control block to start with, and what else the device is to have first."""
        self._host_words[:] = self._blank
        self.plan.first_words(self.control)
        self._has_begun = False  # the device has none of it yet
        if self._zeros.size:
            self._zeros.data.memset_async(0, self._zeros.nbytes)

    def _rows(self) -> dict[str, Any]:
        """The graph, as arguments of the program by name."""
        plan, graph = self.plan, self.plan.problem.graph
        out = graph.out_edges
        into = graph.in_edges(ids=plan.reads_in_ids) if plan.reads_in_edges else out
        values: dict[str, Any] = {"vertices": graph.num_vertices, "edge_ids": graph.num_edge_ids}
        return values | view_of(graph).values(out, into, plan.reads_in_ids)

    def put_items(self, buffer: str, items: Any) -> None:
        """Store what stands at the beginning of a buffer when the loop starts; items may be the host's."""
        if not items.size:
            return
        target = self.buffers[buffer]
        with self._device.as_current():
            if isinstance(items, np.ndarray):
                _copy_to(target, np.ascontiguousarray(items, target.dtype))
            else:
                items = self._device.asarray(items, target.dtype)  # from whichever GPU they are on
                target.data.copy_from_device_async(items.data, items.nbytes)

    def order(self) -> tuple[Any, Any]:
        """The vertices of all levels that were kept, and where each of them begins."""
        return self.buffers["first"], self.buffers["starts"]

    def output(self, frontier: StepFrontier) -> Any:
        """The items of one of the current frontiers."""
        second = self.control[Word.TOGGLE] and frontier.slot is not None and not self.plan.in_order
        begin, length = int(self.control[Word.INPUT_BEGIN]), int(self.control[self.plan.input_word(frontier)])
        with self._device.as_current():
            return self.buffers[frontier.name("second" if second else "first")][begin : begin + length].copy()

    def launch(self) -> None:
        """Run until the loop stops or its budget of steps is used up."""
        import cupy

        if self.plan.debug:
            self._begin_checks()
        loop.choose_tier(self.control, 0)
        # The graph without persistent kernels, where no step is for these.
        driver = "graph" if self._driver == "auto" and self._is_wide_throughout() else self._driver
        with self._device.as_current(), self._program.lock:
            stream = cupy.cuda.get_current_stream()
            try:
                self._launch(driver, stream)
            except BaseException:  # an interruption, too: no copy may be under way when what it is of is used again
                stream.synchronize()
                raise
        if self.plan.debug:
            problem = self.plan.problem
            self._checked.raise_first(self._checks.get(), problem._values, problem._fields)

    def _begin_checks(self) -> None:
        """Have the checked fields on the device, as the problem's arrays are now."""
        words = self._checked.empty()
        problem = self.plan.problem
        arrays = {**problem._values, GRAPH: counted(problem.graph)}
        self._checked.fill(words, self._checks.data.ptr, arrays)
        with self._device.as_current():
            self._checks.set(words)

    def _launch(self, driver: str, stream: Any) -> None:
        self._upload(stream)
        tier = Tier(int(self.control[Word.TIER]))
        if driver == "auto" and tier is not Tier.WIDE and (self._is_again or not self._program.has_graph(driver)):
            # What runs again is short as a rule, and done before a graph would have started. The kernels of a graph
            # that no run needed yet need not even be linked.
            self._program.launch_persistent(tier, self._arguments, stream)
            self._download(stream)
        while self.control[Word.STOP] == Stop.RUNNING:
            self._program.launch(driver, self._arguments, stream)
            self._download(stream)

    def _upload(self, stream: Any) -> None:
        """Have the control block on the device; at the first time with all that it starts with, in one copy."""
        if self._has_begun:
            self._device_control.data.copy_from_host_async(self._control_at, self.control.nbytes, stream)
        else:
            self._words.data.copy_from_host_async(self._host_at, self._host_words.nbytes, stream)
        self._has_begun = True

    def _download(self, stream: Any) -> None:
        """Have the control block as the device left it, which is waited for."""
        self._device_control.data.copy_to_host_async(self._control_at, self.control.nbytes, stream)
        stream.synchronize()

    def _is_wide_throughout(self) -> bool:
        """Whether every step has so much work that each phase gets its own kernel."""
        least = Word.LEAST_WORK if self.plan.final_slots else Word.WORK  # without an output it stays as it is
        return bool(self.control[least] >= _WIDE)


def _copy_to(target: Any, array: Any) -> None:
    """Copy an array of the host's to where one on the device begins; it may be changed as soon as this returns."""
    target.data.copy_from_host_async(array.ctypes.data, array.nbytes)


def _as_arguments(fields: dict[str, Any]) -> dict[str, Any]:
    """A problem's fields, as arguments of the program by name."""
    return {f"f_{name}": value for name, value in fields.items()}


def _count_words(plan: Plan) -> int:
    """How many words the device has first of a run."""
    size = words(plan.counters)
    return _SYNC_WORDS + size + 3 * (-(-size // WORDS_PER_COUNTER // 16) * 16)  # NEWS_STRIDE in jit/grid.cuh


def outlined(plan: Plan) -> dict[str, Any]:
    """Outlines of what a `CudaRun` allocates."""
    device, places = plan.problem.device, _Places(plan)
    made = {"words": device.empty(_count_words(plan), np.int64), "zeros": device.empty(places.zeros_size, np.uint8)}
    return made | {name: device.empty(shape, dtype) for name, shape, dtype in places.arrays}


def _first_words(plan: Plan, driver: str, has_few: bool) -> Any:
    """What the device has first: words to meet at, the control block, and three empty sets of news."""
    size, first = words(plan.counters), np.zeros(_count_words(plan), np.int64)
    control, sets = first[_SYNC_WORDS : _SYNC_WORDS + size], first[_SYNC_WORDS + size :].reshape(3, -1)
    control[Word.SOLO] = _SOLO if driver in ("auto", "fused") and has_few else 0
    control[Word.WIDE] = {"auto": _WIDE, "fused": _NEVER}.get(driver, 0)
    for node in plan.nodes:
        for word, value in node.control_words(plan.first_own_word(node)).items():
            control[word] = value
    sets[:, 1] = np.float64(np.inf).view(np.int64)  # NEWS_LEAST
    return first
