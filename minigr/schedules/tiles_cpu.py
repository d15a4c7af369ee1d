"""CPU kernels of schedules: how the edges of a frontier are assigned to the threads of a team.

There are three ways:

- Threads that are free claim chunks of vertices. In a list, each thread begins where it may have put out the vertices
  itself. Hubs are put off, and the threads share their edges evenly after a barrier. Programs for graphs without such
  vertices have no code for hubs.
- Each thread gets an equal share of vertices plus edges, by the merge path over the scanned frontier.
- A frontier is cut into pieces of whole rows, which threads claim. The number of pieces is the same for any number of
  threads. The pieces have the same number of vertices, or the same number of vertices plus edges (merge path).
"""

import numpy as np

from minigr.jit.kernel import kernel
from minigr.jit.prefetch import prefetch
from minigr.jit.seq_cst import fetch_add
from minigr.jit.vertices import vertex_at, vertex_of
from minigr.primitives.split_cpu import merge_place, split
from minigr.program.control import Word
from minigr.program.work_cpu import (
    CHUNK,
    VERTEX_CHUNK,
    first_piece,
    next_piece,
    numbers,
    pieces_for,
    pieces_of,
    place_in_line,
)

_HUBS = int(Word.HUBS)

# distances at which the place of a row, and the row itself, are fetched before the vertex's turn
OFFSETS_AHEAD, ROWS_AHEAD = 32, 16


def make_shares(deal):
    """A loop over the shares of a frontier that a thread gets: the number of each share, and the number of all shares.

    `deal` is the argument of `make_tiles`. The loop of `make_tiles` takes these two numbers in place of a thread's rank
    and the size of the team.
    """
    by_starts, in_pieces = deal == "rows", deal in ("rows", "even")

    @kernel
    def shares(rank, size, control, length, starts):
        if not in_pieces:
            yield rank, size
            return
        pieces = pieces_of(starts) if by_starts else pieces_for(length)
        for piece in numbers(control, rank, size, pieces):
            yield piece, pieces

    return shares


def make_tiles(rows, *, source, weight, hub=None, deal="claimed", rounds=False):
    """A loop over the rows, or parts of rows, that a thread gets.

    The loop yields the vertex's place in the frontier, the vertex, the beginning of its row, the beginning and the end
    of the part, and the difference between an edge's number in the frontier and its position in the graph.

    Parameters
    ----------
    rows : Rows
    source : str
        ``"vertices"``, ``"edges"`` or ``"all"``: the contents of the input.
    weight : bool
        Whether weights will be read.
    hub : int, optional
        In a team, leave vertices with more positions than this to a second call, in which threads share them.
    deal : {"claimed", "even", "rows", "edges"}
        How rows are assigned to threads, or to the shares of `make_shares`. ``"claimed"``: threads that are free claim
        chunks of rows. ``"even"``: each share has the same number of rows. ``"rows"`` and ``"edges"``: each share has
        the same number of rows plus edges, by the merge path over ``starts``, the starts of rows among all edges of the
        frontier. With ``"edges"``, a row may be cut. All assignments except ``"claimed"`` are always the same.
    rounds : bool
        Whether a list may belong to the thread alone. Then the thread gets the whole list.
    """
    from_edges, from_all, from_vertices = source == "edges", source == "all", source == "vertices"
    defers, by_starts, cuts, even = hub is not None, deal in ("rows", "edges"), deal == "edges", deal == "even"
    row_of, index_of, entry = rows.row, rows.index, rows.entry
    chunk = VERTEX_CHUNK if from_all else CHUNK

    @kernel
    def spans(rank, size, control, length, starts, hubs, shares, own):
        """The places of the frontier that a thread gets, and the first and last edge of a share."""
        if by_starts:
            first, low = merge_place(starts, rank, size)
            last, high = merge_place(starts, rank + 1, size)
            if cuts:
                yield first, min(last + 1, length), low, high
            else:
                yield first + np.int64(low > starts[first]), last + np.int64(high > starts[last]), low, high
            return
        if even:
            first, last = split(length, rank, size)
            yield first, last, 0, 0
            return
        place = place_in_line(control, rank, size) if from_vertices else rank
        owner = place
        if defers and shares:
            first, last = 0, min(control[_HUBS], hubs.size)
        elif rounds and own:
            first, last = 0, length
        else:
            first, last = first_piece(place, size, length, chunk)
        while first < last:
            yield first, last, 0, 0
            if (defers and shares) or (rounds and own):
                return
            first, last, owner = next_piece(control, place, size, length, chunk, owner)

    @kernel
    def tiles(rank, size, control, parts, items, length, starts, hubs, shares, own):
        for first, last, low_item, high_item in spans(rank, size, control, length, starts, hubs, shares, own):
            for place in range(first, last):
                seg = hubs[np.uint64(place)] if defers and shares else place
                if from_vertices and not (
                    defers and shares
                ):  # a list has no order, so only the list itself tells what is read next
                    prefetch(parts[0], index_of(items[min(seg + OFFSETS_AHEAD, last - 1)]))
                    ahead, _ = row_of(parts, items[min(seg + ROWS_AHEAD, last - 1)])
                    prefetch(parts[1], ahead)
                    if weight:
                        prefetch(parts[2], ahead)
                if from_all:
                    src = vertex_of(seg)
                elif from_edges:
                    src = entry(parts, items[seg])
                else:
                    src = vertex_at(items, seg)
                row, end = row_of(parts, src)
                begin, shift = row, 0
                if by_starts:
                    shift = starts[np.uint64(seg)] - row
                    if cuts:
                        begin, end = max(row, low_item - shift), min(end, high_item - shift)
                elif defers and shares:
                    low, high = split(end - row, rank, size)
                    begin, end = row + low, row + high
                elif defers and size > 1 and end - row > hub:
                    put_off = fetch_add(control, _HUBS, 1)
                    if put_off < hubs.size:
                        hubs[put_off] = seg
                        continue
                yield seg, src, row, begin, end, shift

    return tiles
