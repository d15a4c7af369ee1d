"""CPU kernels of schedules: how the edges of a frontier are dealt out to the threads of a team.

Threads claim chunks of vertices as they come free. Of a list each begins where it may have put the vertices itself.
Hubs are put off, and their edges dealt out evenly after a barrier; graphs without such vertices have no code for them.
Or each thread gets an equal share of vertices and edges together, by the merge path over the scanned frontier. Or a
frontier is cut into pieces of whole rows, which threads claim, and there are as many pieces for any number of threads:
pieces of as many vertices, or by the merge path.
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

OFFSETS_AHEAD, ROWS_AHEAD = 32, 16  # vertices of a list whose row is fetched before its turn: where it is, then itself


def make_shares(deal):
    """A loop over the shares of a frontier that a thread deals with: the number of each, and how many shares there are.

    `deal` is that of `make_tiles`, whose loop takes both numbers in the place of a thread's rank and the team's size.
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

    It yields the vertex's place in the frontier, the vertex, where its row begins, where the part begins and ends, and
    what leads from a position in the graph to one among the frontier's edges.

    Parameters
    ----------
    rows : Rows
    source : str
        ``"vertices"``, ``"edges"`` or ``"all"``: what the input holds.
    weight : bool
        Whether weights will be read.
    hub : int, optional
        Leave vertices of more positions than this, where there is a team, to a second call that shares them out.
    deal : {"claimed", "even", "rows", "edges"}
        How rows get to threads, or to the shares of `make_shares`. Threads claim chunks of rows as they come free; or
        each share has the same number of rows; or of rows and edges together, by the merge path over ``starts``, where
        the rows of the frontier begin among all its edges. With ``"edges"`` a row may be cut. What is not claimed here
        is always dealt out the same way.
    rounds : bool
        Whether a list may be the thread's own. Then the thread gets the whole list.
    """
    from_edges, from_all, from_vertices = source == "edges", source == "all", source == "vertices"
    defers, by_starts, cuts, even = hub is not None, deal in ("rows", "edges"), deal == "edges", deal == "even"
    row_of, index_of, entry = rows.row, rows.index, rows.entry
    chunk = VERTEX_CHUNK if from_all else CHUNK

    @kernel
    def spans(rank, size, control, length, starts, hubs, shares, own):
        """The places of the frontier that a thread gets, and the edges where a share begins and ends."""
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
                ):  # in no order, so nothing but the list foretells what is read next
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
