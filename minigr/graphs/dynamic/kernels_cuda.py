"""Launches of the slab kernels (`kernels.cuh`) on a GPU. Functions and results are those of `kernels_cpu`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import cupy
import cupyx
import numpy as np

from minigr.graphs.dynamic.layout import (
    NIL,
    NOT_BAD,
    REPORT_WORDS,
    WORD_BAD,
    WORD_CHANGED,
    WORD_LONG_CHAIN,
    WORD_LOOPS,
    WORD_RETURNED,
    WORD_TAKEN,
    WORD_WITHOUT_SLAB,
)
from minigr.graphs.dynamic.program import THREADS, compile_kernels
from minigr.graphs.dynamic.storage import Report, spread

if TYPE_CHECKING:
    from minigr.graphs.dynamic.allocator import Allocator
    from minigr.graphs.dynamic.storage import Slabs

_GROUP = 8  # lanes that work on an arc or a slab together
_BLOCKS_PER_PROCESSOR = 16
_SHORT_ROW, _MIDDLE_ROW = 32, 1024  # as in chains.cuh
_PARTS = 128  # as in deal_out.cuh
_LARGE_BATCH = 1 << 21  # arcs from which on dealing them out pays
_NULL = np.uintp(0)


@dataclass
class Arcs:
    """A batch of pairs and the arcs that it stands for: those of the pairs, then, if mirrored, those back.

    Attributes
    ----------
    src, dst : int32[pairs]
    mirror, reverse, loops : bool
        As for `arcs`.
    states : uint8[arcs]
    slots : int64[arcs] or None
    first, last : int32[cells] or None
        Tables that tell of equal pairs the first and the last; None if that does not matter.
    changed : bool[pairs] or None
        Room for the mask.
    resumed : bool
        Whether `states` tells which arcs are settled.
    shift : int or None
        A large batch of which nothing is asked that depends on its order is dealt out by ``owner >> shift``.
    """

    src: Any
    dst: Any
    mirror: bool
    reverse: bool
    loops: bool
    states: Any = None
    slots: Any = None
    first: Any = None
    last: Any = None
    changed: Any = None
    resumed: bool = False
    shift: int | None = None

    @property
    def count(self) -> int:
        """How many arcs there are, those counted that are left out."""
        return len(self.src) * (2 if self.mirror else 1)

    @property
    def with_slots(self) -> bool:
        """Whether insertions note where arcs stand."""
        return self.slots is not None

    def arguments(self) -> tuple:
        """What kernels are given of a batch."""
        flags = (np.bool_(self.mirror), np.bool_(self.reverse), np.bool_(self.loops))
        return (self.src, self.dst, np.int64(len(self.src)), *flags)


def arcs(
    allocator: Allocator, src: Any, dst: Any, n: int, *, mirror: bool = False, reverse: bool = False,
    loops: bool = True, with_slots: bool = False, with_mask: bool = False, distinct: bool = False,
    in_order: bool = False,
) -> Arcs:  # fmt: skip
    """See `kernels_cpu.arcs`."""
    batch = Arcs(src, dst, mirror, reverse, loops)
    batch.states = allocator.empty(batch.count, np.uint8)
    cells = max(16, 1 << (2 * len(src) - 1).bit_length()) if len(src) else 16
    if with_slots:
        batch.slots = allocator.empty(batch.count, np.int64)
        batch.last = None if distinct else allocator.full(cells, NIL, np.int32)
    if with_mask:
        batch.first = allocator.full(cells, NIL, np.int32)
        batch.changed = allocator.full(len(src), False, np.bool_)
    if batch.count >= _LARGE_BATCH and not (in_order or distinct or with_slots or with_mask):
        batch.shift = max(0, (n - 1).bit_length() - (_PARTS - 1).bit_length())
    return batch


def degrees(allocator: Allocator, src: Any, dst: Any, n: int, *, mirror: bool, in_edges: bool) -> tuple[Any, Any, int]:
    """See `kernels_cpu.degrees`."""
    words, pairs = _words_of_device(_current()), np.int64(len(src))
    out = allocator.full(n, 0, np.int32)
    into = out if mirror else allocator.full(n, 0, np.int32) if in_edges else None
    blocks = _blocks(len(src))
    _launch("check_pairs", blocks, *Arcs(src, dst, mirror, False, True).arguments(), np.int64(n), words.device)
    _launch("count_ids", blocks, src, pairs, out, words.device)
    if into is not None:
        _launch("count_ids", blocks, dst, pairs, into, words.device)
    return out, into, words.read()[0].bad


def insert(slabs: Slabs, batch: Arcs, limit: int) -> Report:
    """See `kernels_cpu.insert`."""
    if batch.count == 0:
        return Report()
    words = _words(slabs)
    if batch.shift is not None:
        _deal_out(slabs, batch, batch.shift, words)
    elif not batch.resumed:
        _keep_pairs(batch)
    blocks = _blocks(batch.count * _GROUP)
    supply = (slabs.free, *map(np.int64, (slabs.free_count, slabs.bump, slabs.capacity)), words.returned, words.device)
    slots = _NULL if batch.slots is None else batch.slots
    options = (np.int32(limit), np.bool_(batch.resumed), batch.states, slots)
    _launch("insert_arcs", blocks, *batch.arguments(), *_graph(slabs), *supply, *options)
    batch.resumed = True
    report, count = words.read()
    report.returned = words.returned[:count] if count else None
    return report


def remove(slabs: Slabs, batch: Arcs) -> Report:
    """See `kernels_cpu.remove`."""
    return _remove(slabs, batch, False)


def undo(slabs: Slabs, batch: Arcs) -> Report:
    """See `kernels_cpu.undo`."""
    return _remove(slabs, batch, True) if batch.resumed else Report()


def _remove(slabs: Slabs, batch: Arcs, only_changed: bool) -> Report:
    if batch.count == 0:
        return Report()
    words = _words(slabs)
    if not only_changed:
        _check(slabs, batch, words)
        _keep_pairs(batch)
    options = (np.bool_(only_changed), batch.states, words.device)
    blocks = _blocks(batch.count * _GROUP)
    _launch("remove_arcs", blocks, *batch.arguments(), *_graph(slabs), *options)
    return words.read()[0]


def prepare(slabs: Slabs) -> None:
    """See `kernels_cpu.prepare`: the words, so that no update finds out later that there is no room for them."""
    _words(slabs)


def slack(count: int) -> int:
    """See `kernels_cpu.slack`: each group may hold one slab."""
    return min(count, _most_blocks() * THREADS // _GROUP)


def locate(slabs: Slabs, batch: Arcs) -> None:
    """See `kernels_cpu.locate`."""
    words = _words(slabs)
    blocks = _blocks(batch.count * _GROUP)
    _launch("find_arcs", blocks, *batch.arguments(), *_graph(slabs), _NULL, batch.slots, words.device)


def owners_in_state(batch: Arcs, state: int) -> Any:
    """See `kernels_cpu.owners_in_state`."""
    which = cupy.flatnonzero(batch.states == state)
    pairs = len(batch.src)
    turned = (which >= pairs) != batch.reverse
    which %= pairs
    return cupy.where(turned, batch.dst[which], batch.src[which])


def mask(batch: Arcs) -> Any:
    """See `kernels_cpu.mask`."""
    table = (batch.first, np.uint32(len(batch.first) - 1))
    _launch("mask_changed", _blocks(batch.count), *batch.arguments(), *table, batch.states, batch.changed)
    return batch.changed


def put_weights(slabs: Slabs, batch: Arcs, weights: Any) -> None:
    """See `kernels_cpu.put_weights`."""
    if batch.count == 0:
        return
    table = (_NULL, np.uint32(0)) if batch.last is None else (batch.last, np.uint32(len(batch.last) - 1))
    kernel = f"put_weights_{8 * weights.itemsize}"
    rest = (batch.slots, weights, slabs.weights)
    _launch(kernel, _blocks(batch.count), *batch.arguments(), *table, *rest)


def find(slabs: Slabs, src: Any, dst: Any, with_slots: bool) -> tuple[Any, Any, int]:
    """See `kernels_cpu.find`."""
    found = cupy.empty(len(src), np.bool_)
    slots = cupy.empty(len(src) if with_slots else 0, np.int64)
    if len(src) == 0:
        return found, slots, -1
    batch = Arcs(src, dst, False, False, True)
    words = _words(slabs)
    outputs = (found, slots if with_slots else _NULL, words.device)
    _launch("find_arcs", _blocks(len(src) * _GROUP), *batch.arguments(), *_graph(slabs), *outputs)
    return found, slots, words.read()[0].bad


def clear(slabs: Slabs, which: Any, owners: Any) -> None:
    """See `kernels_cpu.clear`."""
    count = len(which)
    _launch("clear_slabs", _blocks(count * _GROUP), which, np.int64(count), owners, slabs.pool)


def measure(slabs: Slabs, firsts: Any, since: bool) -> tuple[Any, Any, Any]:
    """See `kernels_cpu.measure`."""
    lives, used, lengths = (cupy.empty(len(firsts), np.int64) for _ in range(3))
    chains = (firsts, np.int64(len(firsts)), np.bool_(since))
    blocks = _blocks(len(firsts) * _GROUP)
    _launch("measure_chains", blocks, *_graph(slabs), *chains, lives, used, lengths)
    return lives, used, lengths


def read(slabs: Slabs, firsts: Any, offsets: Any, total: int, since: bool, with_fresh: bool = False) -> tuple:
    """See `kernels_cpu.read`."""
    empty = slabs.allocator.empty
    owners, keys = empty(total, np.int32), empty(total, np.int32)
    weights = None if slabs.weights is None else empty(total, slabs.weights.dtype)
    fresh = empty(total if with_fresh else 0, np.bool_)
    if total:
        kernel = "read_chains_32" if weights is None else f"read_chains_{8 * weights.itemsize}"
        inputs = (firsts, np.int64(len(firsts)), offsets, np.bool_(since))
        pairs = (_NULL if weights is None else slabs.weights, owners, keys, _NULL if weights is None else weights)
        flags = fresh if with_fresh else _NULL
        _launch(kernel, _blocks(len(firsts) * _GROUP), *_graph(slabs), *inputs, *pairs, flags)
    return owners, keys, weights, fresh


def list_slabs(slabs: Slabs, firsts: Any, offsets: Any, total: int) -> Any:
    """See `kernels_cpu.list_slabs`."""
    found = slabs.allocator.empty(total, np.int32)
    chains = (firsts, np.int64(len(firsts)), offsets)
    _launch("list_slabs", _blocks(len(firsts)), *chains, slabs.pool, found)
    return found


def note_fill(slabs: Slabs, firsts: Any) -> None:
    """See `kernels_cpu.note_fill`."""
    chains = (firsts, np.int64(len(firsts)))
    _launch("note_fills", _blocks(len(firsts) * _GROUP), *_graph(slabs), *chains, slabs.marks)


def sweep(slabs: Slabs, dead: Any) -> Report:
    """See `kernels_cpu.sweep`."""
    words = _words(slabs)
    _launch("sweep_slabs", _blocks(slabs.bump * _GROUP), *_graph(slabs), dead, words.device)
    return words.read()[0]


def sort_rows(offsets: Any, keys: Any, weights: Any) -> tuple[Any, Any]:
    """See `kernels_cpu.sort_rows`: warps sort the short rows, blocks those of middle length, CuPy all longer ones."""
    rows = len(offsets) - 1
    if len(keys) == 0:
        return keys, weights
    width = 32 if weights is None else 8 * weights.itemsize
    target = (offsets, keys, _NULL if weights is None else weights)
    _launch(f"sort_short_rows_{width}", _blocks(32 * rows), np.int64(rows), *target)
    lengths = offsets[1:] - offsets[:-1]
    middle = cupy.flatnonzero((lengths > _SHORT_ROW) & (lengths <= _MIDDLE_ROW))
    count = len(middle)
    _launch(f"sort_middle_rows_{width}", _blocks(THREADS * count), middle, np.int64(count), *target)
    long = cupy.flatnonzero(lengths > _MIDDLE_ROW)
    if len(long):
        which, rank = spread(cupy, lengths[long])
        at = offsets[long][which] + rank
        order = cupy.argsort(which.astype(np.int64) << 32 | keys[at])
        keys[at] = keys[at][order]
        if weights is not None:
            weights[at] = weights[at][order]
    return keys, weights


class _Words:
    """The words in which kernels report, and a page-locked copy of them; clean whenever no kernel is under way.

    Also room for the slabs that groups give back.
    """

    def __init__(self) -> None:
        self.host = cupyx.empty_pinned(REPORT_WORDS, np.int64)
        initial = np.zeros(REPORT_WORDS, np.int64)
        initial[WORD_BAD] = NOT_BAD
        self._initial = cupy.asarray(initial)
        self.device = self._initial.copy()
        self.returned = cupy.empty(_most_blocks() * THREADS // _GROUP, np.int32)

    def read(self) -> tuple[Report, int]:
        """Wait for the kernels; what they reported, and how many slabs came back. The words are clean after that."""
        stream = cupy.cuda.get_current_stream()
        self.device.data.copy_to_host_async(self.host.ctypes.data, self.host.nbytes, stream)
        stream.synchronize()
        words = self.host.tolist()
        self.device.data.copy_from_device_async(self._initial.data, self.host.nbytes, stream)
        bad = -1 if words[WORD_BAD] == NOT_BAD else words[WORD_BAD]
        report = Report(
            changed=words[WORD_CHANGED],
            loops=words[WORD_LOOPS],
            without_slab=words[WORD_WITHOUT_SLAB],
            long_chain=words[WORD_LONG_CHAIN],
            taken=words[WORD_TAKEN],
            bad=bad,
        )
        return report, words[WORD_RETURNED]


_words_of: WeakKeyDictionary[Slabs, _Words] = WeakKeyDictionary()


def _words(slabs: Slabs) -> _Words:
    words = _words_of.get(slabs)
    if words is None:
        words = _words_of[slabs] = _Words()
    return words


@cache
def _words_of_device(device: int) -> _Words:
    return _Words()


def _keep_pairs(batch: Arcs) -> None:
    """Find out which of equal pairs counts, where that matters."""
    for cells, last in ((batch.first, False), (batch.last, True)):
        if cells is not None:
            table = (cells, np.uint32(len(cells) - 1), np.bool_(last))
            _launch("keep_pairs", _blocks(len(batch.src)), *batch.arguments(), *table)


def _check(slabs: Slabs, batch: Arcs, words: _Words) -> None:
    """Look for pairs that name no vertex; the kernels that follow leave if there is one, so nobody waits for that."""
    vertices = np.int64(slabs.num_vertices)
    _launch("check_pairs", _blocks(len(batch.src)), *batch.arguments(), vertices, words.device)


def _deal_out(slabs: Slabs, batch: Arcs, shift: int, words: _Words) -> None:
    """Replace the pairs of a batch by its arcs, those of vertices near one another together; by none if one is bad."""
    _check(slabs, batch, words)
    counts = cupy.zeros(_PARTS, np.uint64)
    arcs_and_shift = (*batch.arguments(), np.int32(shift))
    _launch("count_arcs_of_parts", _blocks(batch.count), *arcs_and_shift, counts, words.device)
    ends = cupy.cumsum(counts)
    total = int(ends[-1])
    owners, keys = (slabs.allocator.empty(total, np.int32) for _ in range(2))
    cursors = ends - counts
    _launch("deal_out_arcs", _blocks(batch.count), *arcs_and_shift, cursors, owners, keys, words.device)
    batch.src, batch.dst = owners, keys
    batch.mirror, batch.reverse, batch.loops, batch.shift = False, False, True, None


def _graph(slabs: Slabs) -> tuple:
    marks = _NULL if slabs.marks is None else slabs.marks
    sizes = (np.int64(slabs.num_vertices), np.int64(slabs.bump))
    return (*sizes, slabs.heads, slabs.degrees, slabs.pool, marks)


def _launch(kernel: str, blocks: int, *arguments: Any) -> None:
    if blocks:
        _kernel(_current(), kernel)((blocks,), (THREADS,), arguments)


def _blocks(threads: int) -> int:
    """Blocks for so many threads, or as many as keep the GPU busy; 0 for nothing to do."""
    return min(-(-threads // THREADS), _most_blocks())


def _most_blocks() -> int:
    return _processors(_current()) * _BLOCKS_PER_PROCESSOR


def _current() -> int:
    return cupy.cuda.runtime.getDevice()


@cache
def _processors(device: int) -> int:
    return int(cupy.cuda.Device(device).attributes["MultiProcessorCount"])


@cache
def _kernel(device: int, name: str) -> Any:
    return _module(device).get_function(name)


@cache
def _module(device: int) -> Any:
    return cupy.RawModule(path=str(compile_kernels(int(cupy.cuda.Device(device).compute_capability))))
