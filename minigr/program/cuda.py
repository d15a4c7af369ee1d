"""Runs a plan on a GPU: compiles the plan once, then launches it with the chosen driver."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from operator import is_
from typing import Any
from weakref import ref

import numpy as np

from minigr.device import LOOKS
from minigr.errors import DeviceError, GraphError
from minigr.jit.arguments import Argument
from minigr.jit.functor import GRAPH
from minigr.jit.index_checks import CheckedFields
from minigr.jit.link_cuda import CudaCode
from minigr.jit.union_find import hear_root, tell_root
from minigr.program import loop
from minigr.program.control import NEWS_SETS, SYNC_WORDS, News, Stop, Tier, Word, news_stride, words
from minigr.program.cuda_program import Arguments, CudaProgram, most_blocks
from minigr.program.cuda_text import ARGUMENTS, CudaText
from minigr.program.cuda_views import view_of
from minigr.program.plan import MOST_LEFT, Plan, bytes_of
from minigr.program.seen_graph import counted
from minigr.program.step_frontier import StepFrontier
from minigr.program.supplied import arguments_of

# Few threads do a step with less work than _SOLO edges. A step with _WIDE edges or more gets a kernel for each phase.
_SOLO, _WIDE = 1 << 14, 1 << 22
_NEVER = (1 << 63) - 1  # more work than any step has
_ALIGNED = 256  # bytes, as in CuPy's allocations
_DEFAULT_STREAM = 0
_SHORT = 16  # words of a first frontier that the host keeps
_FEW_ZEROS = 1 << 12  # bytes that take no longer to copy with the words than to clear
_MOST_POSITIONS = 2**31 - 2**12  # of a row: kernels count positions from its beginning in 32 bits, several at a time
_LEAST_CUDA = 12040  # first version with WHILE nodes; a kernel of every program with a loop sets their condition
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
_PARENTS = {dtype: Argument(dtype, is_array=True) for dtype in ("int32", "int64")}
SETS: dict[str, tuple[Any, tuple[Argument, ...]]] = {
    f"minigr_{function.__name__}_{dtype}": (function, (*[parents] * arrays, *[_NUMBER] * 2))
    for dtype, parents in _PARENTS.items()
    for function, arrays in ((tell_root, 2), (hear_root, 1))
}
_programs: dict[Hashable, tuple[CudaProgram, CheckedFields]] = {}


def text_of(plan: Plan) -> CudaText:
    """The text that the operators of a plan write."""
    text = CudaText(plan) if plan.across is None else plan.across.text(plan)
    for node in plan.nodes:
        text.write(node)
    return text


def code_of(plan: Plan, architecture: int) -> tuple[CudaCode, CudaText]:
    """The code of a plan for one architecture, which is linked when kernels are needed, and its text."""
    plan.fuse()
    text = text_of(plan)
    source = text.program()
    signatures = {name: arguments_of(bound, plan.problem, plan.debug) for name, bound in text.users.items()}
    return CudaCode(source, text.users, signatures, STEERING | SETS, architecture, ARGUMENTS), text


def check_cuda_version() -> None:
    """Raise `DeviceError` if the driver can't load programs with a loop."""
    import cupy

    version = cupy.cuda.runtime.driverGetVersion()
    if version < _LEAST_CUDA:
        raise DeviceError(
            f"the NVIDIA driver is for CUDA {version // 1000}.{version % 1000 // 10}, but loops on a GPU need CUDA "
            "12.4: install driver 550 or newer, or use device='cpu'"
        )


def _program(plan: Plan) -> tuple[CudaProgram, CheckedFields]:
    """The loaded program of a plan, and the fields that are checked."""
    import cupy

    device = cupy.cuda.Device(plan.problem.device.index)
    needs = tuple(map(tuple, plan.own_buffers))  # buffers for hubs or wide rows change the program
    key = (plan.key(), needs, device.id, plan.part)
    found = _programs.get(key)
    if found is None:
        if not plan.single:
            check_cuda_version()
        code, text = code_of(plan, int(device.compute_capability))
        found = _programs[key] = CudaProgram(code, text, device), text.checked
    return found


def _check_rows(plan: Plan) -> None:
    """Raise `GraphError` if a row is longer than kernels can count; parallel edges can make such a row."""
    graph = plan.problem.graph
    if graph.most_edge_ids <= _MOST_POSITIONS:
        return
    for inward in (False, True) if plan.reads_in_edges else (False,):
        if (longest := graph.longest_row(inward=inward)) > _MOST_POSITIONS:
            raise GraphError(
                f"the row of a vertex has {longest:,} positions, but programs on a GPU take {_MOST_POSITIONS:,} at "
                "most: merge parallel edges, or run on the CPU, with graph.to('cpu')"
            )


def workers(plan: Plan) -> int:
    """The number of blocks with room for their results: the blocks of a grid, twice, because phases take turns."""
    import cupy

    plan.fuse()
    return 2 * most_blocks(cupy.cuda.Device(plan.problem.device.index))


class _Places:
    """The arrays that each run of a plan allocates.

    Attributes
    ----------
    size : int
        Bytes of all arrays.
    arrays : list of (str, shape, dtype)
        The arrays that are not initialised.
    zeros : list of (str, shape, dtype, int)
        The arrays that begin with zeros, with their positions in one array of `zeros_size` bytes.
    first_size : int
        Bytes of the first frontier.
    """

    def __init__(self, plan: Plan) -> None:
        arrays = plan.allocations(workers(plan))
        self.size = bytes_of(arrays)
        self.arrays = [(name, shape, dtype) for name, (shape, dtype, fill) in arrays.items() if fill is None]
        self.first_size = bytes_of({name: array for name, array in arrays.items() if name == "first"})
        self.zeros, self.zeros_size = [], 0
        for name, (shape, dtype, fill) in arrays.items():
            if fill is not None:
                assert fill == 0, f"{name}: no operator asks for other values on a GPU"
                self.zeros.append((name, shape, dtype, self.zeros_size))
                self.zeros_size += -(-bytes_of({name: (shape, dtype, fill)}) // _ALIGNED) * _ALIGNED


class _Shared(_Places):
    """The data that all runs of a plan share: its program, the arrays that each run allocates, and its first words.

    Attributes
    ----------
    rooms : list of _Room
        Rooms of small runs that are done, for later runs.
    copies_zeros : bool
        Whether arrays of zeros are copied with the words: if they are small, and no operator stores to them before.
    """

    def __init__(self, plan: Plan, driver: str) -> None:
        plan.fuse()
        _check_rows(plan)
        self.program, self.checked = _program(plan)
        super().__init__(plan)
        self.rooms: list[_Room] = []
        stores = any(node.first_items(plan.problem.graph) for node in plan.nodes)
        self.copies_zeros = self.zeros_size <= _FEW_ZEROS and not stores
        size = words(plan.counters) if plan.across is None else _count_words(plan) - SYNC_WORDS
        self.control = slice(SYNC_WORDS, SYNC_WORDS + size)
        self._words = _first_words(plan, driver, self.program.has_few)
        self._blank = -1, self._words  # a version of the graph, and the words with which runs over this version begin

    def blank(self, plan: Plan) -> Any:
        """The words with which a run over the current graph begins."""
        version, blank = self._blank
        if version != plan.problem.graph.version:
            blank = self._words.copy()
            plan.first_words(blank[self.control])
            self._blank = plan.problem.graph.version, blank
        return blank

    def room(self) -> _Room | None:
        """A room for one run; None if no room is free."""
        try:
            return self.rooms.pop()
        except IndexError:
            return None

    def shares(self, plan: Plan) -> bool:
        """Whether a run that begins now shares rooms with other runs: a small run whose buffers are not handed out.

        A launch on the default stream runs after all earlier launches on it, by any thread.
        """
        import cupy

        small = self.size <= MOST_LEFT and not (plan.keeps_levels or plan.debug)
        return small and cupy.cuda.get_current_stream().ptr == _DEFAULT_STREAM


class _Room:
    """The memory of a run: its buffers, the words that it shares with the host, and its arguments.

    Arrays of zeros stand behind the words if they are small, and the first frontier follows. If the first frontier is
    short, the host keeps all of this, and one copy brings it to the device.

    Attributes
    ----------
    begun_size : int
        Bytes that a run copies to the device before its first frontier.
    zeros : array
        The arrays that begin with zeros.
    rows : tuple
        Weak references to the out-edges and in-edges in the arguments, for a graph that doesn't change.
    """

    def __init__(self, shared: _Shared, plan: Plan) -> None:
        import cupy
        import cupyx

        plan.require_memory(shared.size)
        program, count = shared.program, shared.blank(plan).size
        few_zeros = shared.zeros_size if shared.copies_zeros else 0
        self.begun_size = 8 * count + few_zeros
        self.start = cupy.empty(self.begun_size + shared.first_size, np.uint8)
        behind = self.start.data + 8 * count if few_zeros else None
        self.zeros = cupy.ndarray(shared.zeros_size, np.uint8, behind)
        self.begin = 0  # first byte that a run copies to the device
        if plan.across is not None:  # other grids may have written to these words before a run begins here
            self.begin = 8 * SYNC_WORDS
            self.start.data.memset_async(0, self.begin)
        places = {"first": self.start.data + self.begun_size}
        places |= {name: self.zeros.data + place for name, _, _, place in shared.zeros}
        arrays = (*shared.arrays, *[array[:3] for array in shared.zeros])
        self.buffers = {name: cupy.ndarray(shape, dtype, places.get(name)) for name, shape, dtype in arrays}
        self.words = cupy.ndarray(count, np.int64, self.start.data)
        self.device_control = self.words[shared.control]
        # The host's memory for these words and for the arguments is page-locked. Otherwise each copy would be made
        # twice.
        first, arguments = self.begun_size // 8, self.begun_size // 8 + _SHORT
        host = cupyx.empty_pinned(arguments + program.num_arguments, np.int64)
        host[:] = 0
        self.host_words, self.host_at, self.host_first = host[:count], host.ctypes.data, host[first:arguments]
        self.control, self.control_at = self.host_words[shared.control].data, self.host_at + 8 * SYNC_WORDS
        self.arguments = Arguments(host[arguments:].view(np.uint64), self.host_at + 8 * arguments)
        own = {"sync": self.words, "control": self.device_control, "most_blocks": program.blocks}
        own["told"] = self.control_at
        own |= {f"capacity_{node.index}": node.capacity for node in plan.nodes}
        program.pack(self.arguments, own | self.buffers)
        self.rows: tuple[Any, ...] = ()


class CudaRun:
    """One run of a plan: its buffers and its control block, on the GPU.

    `driver` is ``"auto"``, ``"fused"``, ``"graph"`` or ``"host"``; see `minigr.program.cuda_program`.
    """

    def __init__(self, plan: Plan, driver: str) -> None:
        self.plan, self._device = plan, plan.problem.device
        self._driver = "host" if plan.single else driver  # a single step has no loop
        with self._device.as_current():
            shared = plan.shared.get(self._driver)
            if shared is None:
                shared = plan.shared[self._driver] = _Shared(plan, self._driver)
            self._shared, self._program = shared, shared.program
            self._prepare()
            self._shares = shared.shares(plan)
            found = shared.room() if self._shares else None
            self._is_again = found is not None  # whether the room or the run is used again
            self._room = room = found or _Room(shared, plan)
            self.control, given = room.control, plan.given()
            self.buffers = given | room.buffers
            if plan.debug:
                given["checks"] = self._checks = self._device.empty(shared.checked.empty().size, np.int64)
            if given:
                self._program.pack(room.arguments, given)
            self._storage: tuple[Any, ...] = ()  # the graph's arrays for which the arguments are packed
            self._packed: dict[str, Any] = {}
            self._begin()

    def _prepare(self) -> None:
        """Load the kernels that the run will launch, or will probably launch."""
        plan, driver = self.plan, self._driver
        graph = plan.problem.graph
        is_wide = graph.num_vertices + graph.num_arcs >= _WIDE
        if driver == "auto" and is_wide and plan.is_of_all:
            driver = "graph"  # because every step is wide
        if driver != "auto" or is_wide:
            self._program.prepare(driver)

    def renew(self) -> None:
        """Reset the run to its state before the first launch, over the current graph and fields."""
        with self._device.as_current():
            self._begin()
        self._is_again = True

    def go_on(self) -> None:
        """Prepare the run for a later step of the loop that it is a part of.

        One copy brings all that it begins with.
        """
        self.renew()

    def take(self, problem: Any) -> None:
        """Use the run for another problem of the same kind."""
        self.plan = self.plan.over(problem, None)
        self.renew()

    def let_go(self) -> None:
        """Drop all references to the problem, until the run is used for another problem."""
        self.plan = self.plan.over(None, None)
        self._packed.clear()

    def retire(self) -> None:
        """End the use of this run, and let a later run of the plan use its room, if possible."""
        if self._shares:
            self._shared.rooms.append(self._room)

    def _begin(self) -> None:
        """Set the words to their first state, and the arguments to the current graph and fields."""
        problem, packed, room = self.plan.problem, self._packed, self._room
        changed = {name: value for name, value in problem._values.items() if value is not packed.get(name)}
        packed |= changed
        self._program.pack(room.arguments, self._rows() | _as_arguments(changed))
        room.host_words[:] = self._shared.blank(self.plan)
        self._has_begun, self._first_size = False, 0  # nothing was copied to the device yet
        if room.zeros.size and not self._shared.copies_zeros:
            room.zeros.data.memset_async(0, room.zeros.nbytes)

    def _rows(self) -> dict[str, Any]:
        """The arguments for the graph, by name, as far as they have changed."""
        plan, graph, room = self.plan, self.plan.problem.graph, self._room
        storage = graph.storage
        if storage and len(storage) == len(self._storage) and all(map(is_, storage, self._storage)):
            return {"edge_ids": graph.num_edge_ids}
        self._storage, out = storage, graph.out_edges
        into = plan.in_rows() if plan.reads_in_edges else out
        if not storage:
            if room.rows and room.rows[0]() is out and room.rows[1]() is into:
                return {}
            room.rows = ref(out), ref(into)
        values: dict[str, Any] = {"vertices": graph.num_vertices, "edge_ids": graph.num_edge_ids}
        return values | view_of(graph).values(out, into, plan.reads_in_ids)

    def put_items(self, buffer: str, items: Any) -> None:
        """Store the first items of a buffer before the loop starts. Items may be on the host."""
        if not items.size:
            return
        target = self.buffers[buffer]
        if buffer == "first" and type(items) is np.ndarray and items.size * target.itemsize <= 8 * _SHORT:
            self._room.host_first.view(target.dtype)[: items.size] = items
            self._first_size = items.size * target.itemsize
            return
        with self._device.as_current():
            if isinstance(items, np.ndarray):
                _copy_to(target, np.ascontiguousarray(items, target.dtype))
            else:
                items = self._device.asarray(items, target.dtype)  # from any GPU
                target.data.copy_from_device_async(items.data, items.nbytes)

    def order(self) -> tuple[Any, Any]:
        """The vertices of all levels that were kept, and the beginnings of the levels."""
        self._bring()
        return self.buffers["first"], self.buffers["starts"]

    def output(self, frontier: StepFrontier) -> Any:
        """The items of one of the current frontiers."""
        self._bring()
        second = self.control[Word.TOGGLE] and frontier.slot is not None and not self.plan.in_order
        begin, length = self.control[Word.INPUT_BEGIN], self.control[self.plan.input_word(frontier)]
        with self._device.as_current():
            return self.buffers[frontier.name("second" if second else "first")][begin : begin + length].copy()

    def launch(self) -> None:
        """Run until the loop stops or its budget of steps is used up."""
        import cupy

        if self.plan.debug:
            self._begin_checks()
        loop.choose_tier(self.control, 0)
        # If no step is for persistent kernels, the graph without them is used.
        driver = "graph" if self._driver == "auto" and self._is_wide_throughout() else self._driver
        with self._device.as_current(), self._program.lock:
            stream = cupy.cuda.get_current_stream()
            try:
                self._launch(driver, stream)
            except BaseException:  # also an interruption: no copy may still be running when its memory is used again
                stream.synchronize()
                raise
        if self.plan.debug:
            problem = self.plan.problem
            self._shared.checked.raise_first(self._checks.get(), problem._values, problem._fields)

    def _begin_checks(self) -> None:
        """Copy the table of checked fields to the device, for the problem's current arrays."""
        words = self._shared.checked.empty()
        problem = self.plan.problem
        arrays = {**problem._values, GRAPH: counted(problem.graph)}
        self._shared.checked.fill(words, self._checks.data.ptr, arrays)
        with self._device.as_current():
            self._checks.set(words)

    def _launch(self, driver: str, stream: Any) -> None:
        import cupy

        tier, program = Tier(self.control[Word.TIER]), self._program
        # A run that is used again is short in general, and done before a graph would have started. If no run needed a
        # graph yet, its kernels need not even be linked.
        persists = driver == "auto" and tier is not Tier.WIDE and (self._is_again or not program.has_graph(driver))
        turns, is_default = self._turns(tier) if persists else (), stream.ptr == _DEFAULT_STREAM
        if program.ends_late and not is_default:
            cupy.cuda.Stream.null.synchronize()  # otherwise the arguments would change before the last block has ended
        program.ends_late = False
        is_one = len(turns[0]) == 1 if persists else driver == "host" and self.plan.single
        self.control[Word.TELLS] = is_default and is_one
        self._upload(stream)
        for names in turns:
            program.launch_persistent(names, self._room.arguments, stream)
            self._wait(is_one, stream)
            if self.control[Word.STOP] != Stop.RUNNING:
                return
            is_one = False
        while self.control[Word.STOP] == Stop.RUNNING:
            program.launch(driver, self._room.arguments, stream)
            self._wait(is_one, stream)

    def _turns(self, tier: Tier) -> Sequence[Sequence[str]]:
        """The persistent kernels to launch from a step of `tier` on. The host reads the result after each sequence.

        If no step is expected to be too large for the first kernel, it is faster to read the result than to launch the
        other kernels for nothing.
        """
        graph = self.plan.problem.graph
        if not self._program.has_few:
            return (("whole",),)
        if tier is Tier.WHOLE:
            return (("whole", "few"),)
        if graph.num_vertices + graph.num_arcs < _SOLO:
            return ("few",), ("whole", "few")
        return (("few", "whole", "few"),)

    def _wait(self, is_told: bool, stream: Any) -> None:
        """Get the control block from the device. If `is_told`, a kernel may write it to the host itself.

        The driver reports the end of a kernel later than the kernel's last store reaches the host.
        """
        control = self.control
        looks = LOOKS if is_told and control[Word.TELLS] else 0
        self._program.ends_late = any(not control[Word.TELLS] for _ in range(looks))
        if not self._program.ends_late:
            self._ask(stream)
            stream.synchronize()

    def _bring(self) -> None:
        """Copy the data with which the run begins to the device, even if no step was done."""
        import cupy

        if not self._has_begun:
            with self._device.as_current():
                stream = cupy.cuda.get_current_stream()
                self._upload(stream)
                stream.synchronize()  # a later run overwrites the memory that is copied here

    def _upload(self, stream: Any) -> None:
        """Copy the control block to the device. The first copy has all data with which the run begins."""
        room = self._room
        if self._has_begun:
            room.device_control.data.copy_from_host_async(room.control_at, room.control.nbytes, stream)
        else:
            begin, size = room.begin, room.begun_size + self._first_size
            (room.start.data + begin).copy_from_host_async(room.host_at + begin, size - begin, stream)
        self._has_begun = True

    def _ask(self, stream: Any) -> None:
        """Start to copy the control block to the host. It is there when the stream has been waited for."""
        room = self._room
        room.device_control.data.copy_to_host_async(room.control_at, room.control.nbytes, stream)

    def _is_wide_throughout(self) -> bool:
        """Whether every step has so much work that each phase gets its own kernel."""
        least = Word.LEAST_WORK if self.plan.final_slots else Word.WORK  # without an output, WORK does not change
        return self.control[least] >= self.control[Word.WIDE]


def _copy_to(target: Any, array: Any) -> None:
    """Copy an array from the host to the beginning of a device array. The host array may change after the return."""
    target.data.copy_from_host_async(array.ctypes.data, array.nbytes)


def _as_arguments(fields: dict[str, Any]) -> dict[str, Any]:
    """A problem's fields, as arguments of the program by name."""
    return {f"f_{name}": value for name, value in fields.items()}


def _count_words(plan: Plan) -> int:
    """The number of words in the device memory of a run, before its arrays."""
    # Behind the news stand the control block of all grids together, and the words that a grid has about other grids.
    behind = 0 if plan.across is None else words(plan.counters) + plan.across.own_words(plan)
    return SYNC_WORDS + words(plan.counters) + NEWS_SETS * news_stride(plan.counters, plan.grids) + behind


def outlined(plan: Plan) -> dict[str, Any]:
    """Outlines of the arrays that a `CudaRun` allocates."""
    device, places = plan.problem.device, _Places(plan)
    made = {"words": device.empty(_count_words(plan), np.int64), "zeros": device.empty(places.zeros_size, np.uint8)}
    return made | {name: device.empty(shape, dtype) for name, shape, dtype in places.arrays}


def _first_words(plan: Plan, driver: str, has_few: bool) -> Any:
    """The first words in device memory: words for barriers, the control block, and empty sets of news."""
    size, first = words(plan.counters), np.zeros(_count_words(plan), np.int64)
    stride = news_stride(plan.counters, plan.grids)
    control, sets = first[SYNC_WORDS : SYNC_WORDS + size], first[SYNC_WORDS + size :][: NEWS_SETS * stride]
    control[Word.SOLO] = _SOLO if driver in ("auto", "fused") and has_few else 0
    control[Word.WIDE] = {"auto": _WIDE, "fused": _NEVER}.get(driver, 0)
    for node in plan.nodes:
        for word, value in node.control_words(plan.first_own_word(node)).items():
            control[word] = value
    sets[News.LEAST :: stride] = np.float64(np.inf).view(np.int64)
    return first
