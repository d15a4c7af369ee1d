"""Neighbors in fewer bytes than in CSR: the bytes, and the time in which threads of a CPU add up values of neighbors.

    python benchmarks/packed_rows.py GRAPH.npz... [--threads 1,2] [--repeat 9] [--json OUT]

Rows of in-edges are read as a pull reads them. A graph with few arcs is repeated, so that it is larger than all caches.
Bytes are those of `offsets`, of neighbors, and of heads. A head says where up to 32 neighbors are, and in which format.

- `plain`: CSR.
- `frames`: a head holds the least neighbor of 32 places in `indices`. For each of these places the difference to the
  least neighbor is stored in one to four bytes, as many as the largest difference needs. As in CSR, a neighbor is found
  by its place.
- `blocks`: a head holds the first of 32 neighbors of a row. For the others the gaps are stored, each in as many bytes
  as the largest gap needs.
- `varint`: gaps by LEB128, with 8 bytes for each row. Only the bytes are counted; nothing is timed.
"""

import argparse
import hashlib
from functools import partial
from pathlib import Path

import numpy as np

import minigr as mg
from minigr.bench import document
from minigr.bench.measure import take_turns
from minigr.device import CPU
from minigr.jit.kernel import kernel
from minigr.jit.native.code import Value
from minigr.jit.native.entry import Entry
from minigr.jit.native.memory import primitive, word_at
from minigr.jit.native.types import INT64
from minigr.jit.spmd import run_team

ENOUGH, CHUNK = 1 << 25, 2048  # arcs of the repeated graph; vertices that a thread takes at a time
_THIS = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()  # a key for the cache, which checks only minigr's files


@primitive
def word_from(code, data, place):
    """The int64 that begins at element `place` of a uint8 array, aligned or not."""
    return Value(INT64, (code.new(f"load i64, ptr {word_at(code, data, place)}, align 1"),))


@kernel
def head_of(head):
    """The fields of a head: the base of its numbers, the place of the numbers, bytes of a number, and a mask for it."""
    width = (head >> 31 & 3) + 1
    return head & 0x7FFFFFFF, head >> 33, width, (np.int64(1) << (8 * width)) - 1


@kernel
def plain(rows, v):
    offsets, indices, _ = rows
    for place in range(offsets[np.uint64(v)], offsets[np.uint64(v + 1)]):
        yield np.int64(indices[np.uint64(place)])


@kernel
def frames(rows, v):
    offsets, heads, data = rows
    place, end = offsets[np.uint64(v)], offsets[np.uint64(v + 1)]
    while place < end:
        least, at, width, bits = head_of(heads[np.uint64(place >> 5)])
        at, stop = at - (place & ~31) * width, min((place | 31) + 1, end)
        for i in range(place, stop):
            yield least + (word_from(data, at + i * width) & bits)
        place = stop


@kernel
def blocks(rows, v):
    offsets, heads, data = rows
    left, head = offsets[np.uint64(v + 1)] - offsets[np.uint64(v)], heads[np.uint64(v)]
    while left > 0:
        other, at, width, bits = head_of(head)
        for _ in range(min(left, 32)):
            yield other
            other += word_from(data, at) & bits
            at += width
        left -= 32
        head = word_from(data, at - width)  # the heads of later blocks are behind the gaps of the block before


def gather_of(walk):
    def gather(rank, size, sync, rows, values, sums):
        for first in range(rank * CHUNK, sums.size, size * CHUNK):
            for v in range(first, min(first + CHUNK, sums.size)):
                total = np.int64(0)
                for other in walk(rows, v):
                    total += values[np.uint64(other)]
                sums[v] = total

    return Entry(gather, f"{_THIS} {walk.__name__}")


def packed(offsets, indices, by_row):
    """The heads and numbers of blocks if `by_row`, otherwise of frames."""
    place, first = np.arange(len(indices)), np.repeat(offsets[:-1], np.diff(offsets))
    begins = np.flatnonzero((place - by_row * first) % 32 == 0)
    size = np.diff(begins, append=len(indices))
    base = np.minimum.reduceat(indices, begins)
    numbers = np.diff(indices, prepend=indices[:1]) if by_row else indices - np.repeat(base, size)
    numbers[begins] *= not by_row
    width = 1 + sum((np.maximum.reduceat(numbers, begins) >= 1 << bits).astype(np.int64) for bits in (8, 16, 24))
    inside = by_row & (begins != first[begins])  # blocks whose heads are among the gaps
    length = (size - by_row) * width
    at = np.cumsum(8 * inside + length) - length
    heads = (at << 2 | (width - 1)) << 31 | base
    data, widths = np.zeros(at[-1] + 32 * width[-1] + 8, np.uint8), np.repeat(width, size)
    to = np.repeat(at - begins * width, size) + (place - by_row) * widths
    stored = to >= np.repeat(at, size)  # false only for the first neighbor of a block, which is in the head
    for byte in range(4):
        chosen = np.flatnonzero(stored & (widths > byte))
        data[to[chosen] + byte] = numbers[chosen] >> (8 * byte) & 0xFF
    if not by_row:
        return heads, data
    data[at[inside, None] + np.arange(-8, 0)] = heads[inside, None].view(np.uint8)
    starts = np.zeros(len(offsets) - 1, np.int64)
    starts[np.diff(offsets) > 0] = heads[~inside]
    return starts, data


def varint_bytes(offsets, indices):
    rows, numbers = np.flatnonzero(np.diff(offsets)), np.diff(indices.astype(np.int64), prepend=0)
    away = indices[offsets[rows]] - rows  # the first neighbor is relative to the vertex of the row
    numbers[offsets[rows]] = np.where(away < 0, -2 * away - 1, 2 * away)
    return sum(int((numbers >= least).sum()) for least in (0, 1 << 7, 1 << 14, 1 << 21, 1 << 28)) + 8 * len(offsets)


def measure(name, offsets, indices, threads, repeat):
    """Measure a graph; return rows of a document, each printed as soon as it is measured."""
    n, m, copy = len(offsets) - 1, len(indices), np.arange(max(1, ENOUGH // len(indices)))[:, None]
    offsets, indices = np.append(offsets[:-1] + m * copy, m * len(copy)), (indices + n * copy).astype(np.int32).ravel()
    held = {plain: (indices, np.zeros(0, np.uint8))}
    held |= {walk: packed(offsets, indices, walk is blocks) for walk in (frames, blocks)}
    sizes = {walk.__name__: sum(array.nbytes for array in arrays) for walk, arrays in held.items()}
    sizes["varint"] = varint_bytes(offsets, indices)
    rows = []
    for which, size in sizes.items():
        key, per_arc = {"graph": name, "format": which, "call": "bytes"}, (size + offsets.nbytes) / len(indices)
        rows.append(document.row(key, [size + offsets.nbytes], "bytes", per_arc=per_arc))
        print(f"{name:>24} {which:>6} {per_arc:7.2f} bytes an arc", flush=True)
    values, sums = np.arange(len(offsets) - 1, dtype=np.int32) % 1000, np.zeros((len(held), len(offsets) - 1), np.int64)
    made = {walk.__name__: (gather_of(walk), (offsets, *held[walk]), sums[i]) for i, walk in enumerate(held)}
    for size in threads:
        calls = {name: partial(run_team, run, size, given, values, into) for name, (run, given, into) in made.items()}
        for which, timing in take_turns(calls, CPU, repeat).items():
            key = {"graph": name, "format": which, "call": "gather", "threads": size}
            rows.append(document.row(key, timing.samples))
            print(f"{name:>24} {which:>6} {timing.median:7.1f} ms by {size}", flush=True)
        if (sums != sums[0]).any():
            raise SystemExit(f"{name}: the sums of {', '.join(made)} differ")
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graphs", nargs="+", type=Path)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    threads, rows, facts = [int(size) for size in options.threads.split(",")], [], []
    for path in options.graphs:
        graph, name = mg.read(path, device="cpu"), path.stem
        facts.append(document.graph_facts(name, graph))
        into = graph.in_edges()
        rows += measure(name, into.offsets, into.indices, threads, options.repeat)
    if options.json:
        settings = {"threads": threads, "repeat": options.repeat, "arcs": ENOUGH}
        document.write(options.json, document.document("packed_rows", CPU, settings, facts, rows))


if __name__ == "__main__":
    main()
