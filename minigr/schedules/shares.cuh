// Schedule "merge": equal shares of all edges of a frontier, along the merge path of its rows and their edges.
//
// `starts` is the result of row_starts.cuh, or the offsets of CSR. Every warp finds where its shares begin, for rows of
// any length and any number of empty rows. So no hubs need to be put off. Rows are cut at multiples of UNIT positions.
// A row that continues beyond a share is cut into pieces. If the operator reduces, the pieces of such rows are reduced
// in their order after a barrier. So the order of a reduction depends only on the graph and the frontier.
#pragma once
#include "primitives/merge_path.cuh"
#include "schedules/tiles.cuh"

namespace minigr {

// A part of the path: from item `item`, in row `segment` or at its end, up to but not including (last_segment,
// last_item). The rows from `segment` to before `last_segment` end in the share.
struct Share {
  i64 number;
  i64 segment, item;
  i64 last_segment, last_item;
};

// How the path over `segments` rows is cut into shares of equal size: at most `most` shares, of at least `least` places
// each.
struct Shares {
  i64 places, size, count;

  __device__ Shares(const i64 *starts, i64 segments, i64 most, i64 least) {
    places = segments == 0 ? 0 : segments + starts[segments];
    size = max((places + most - 1) / most, least);
    count = (places + size - 1) / size;
  }
};

// For an operator that doesn't reduce: a share for each warp.
struct NoPieces {
  __device__ __forceinline__ Shares shares(const Grid &grid, const i64 *starts, i64 segments) const {
    return Shares(starts, segments, grid.warps(), WARP);
  }
  __device__ __forceinline__ void begin(const Share &, bool) const {}
};

// The partial results that shares leave for rows that are cut: at most one head and one tail for each share.
template <class T>
struct Pieces {
  T *heads;  // of the row that ends in the share but begins in an earlier one
  i64 *rows;  // the number of this row; -1 if there is none
  T *tails;  // of the row that continues in the next share
  i32 *any;  // bit 0: there is a head, bit 1: there is a tail; null if every piece has a value
  i64 most;  // the maximum number of shares

  // Shares are so long that most lanes have a row, if rows are short. The shares don't depend on the team.
  __device__ __forceinline__ Shares shares(const Grid &, const i64 *starts, i64 segments) const {
    return Shares(starts, segments, most, 8 * WARP);
  }
  __device__ __forceinline__ void begin(const Share &share, bool began_before) const {
    if (lane_id() != 0) return;
    rows[share.number] = began_before ? share.segment : -1;
    if (any) any[share.number] = 0;
  }
  __device__ __forceinline__ void leave_head(i64 share, bool has, T x) const {
    heads[share] = x;
    if (any && has) atomicOr(any + share, 1);
  }
  __device__ __forceinline__ void leave_tail(i64 share, bool has, T x) const {
    tails[share] = x;
    if (any && has) atomicOr(any + share, 2);
  }
  __device__ __forceinline__ bool has(i64 share, int bit) const { return !any || load_fresh(any + share) & bit; }
};

// Tiles: the part of a row that is in a share, for each lane of a warp. Lane i has the row at place base + i.
template <class PiecesT, int UNIT>
struct SharedRows {
  const Share &share;
  const PiecesT &pieces;
  i32 vertex;
  i32 count;  // positions
  i64 first;  // position where the vertex's row begins
  i64 start;  // where this row begins among all rows of the frontier, in units
  i64 low;  // where the lane's part begins, counted in the same way
  i64 base;
  bool has;

  __device__ __forceinline__ bool is_short() const { return count < WARP; }
  __device__ __forceinline__ Tile mine() const {
    const i64 rank = (low - start) * UNIT;
    return {vertex, first + rank, rank, low, base + lane_id()};
  }
  __device__ __forceinline__ Tile of(int lane) const {
    const Tile tile = mine();
    return {__shfl_sync(ALL, tile.vertex, lane), __shfl_sync(ALL, tile.begin, lane), __shfl_sync(ALL, tile.rank, lane),
            __shfl_sync(ALL, tile.idx, lane), base + lane};
  }

  // As in `WholeRows`, except that the lengths before a lane's part are already known here.
  template <class Each>
  __device__ __forceinline__ void each(Each each) const {
    const i64 item = __shfl_sync(ALL, low, 0);
    const i32 before = (i32)(low - item) * UNIT, total = __shfl_sync(ALL, before + count, WARP - 1);
    warp_lbs(before, total, [&](bool has, i32 k, int owner) {
      const i64 rank = item * UNIT + k - __shfl_sync(ALL, start, owner) * UNIT;
      const i64 position = __shfl_sync(ALL, first, owner) + rank;
      each(has, Tile{__shfl_sync(ALL, vertex, owner), position, rank, item + k, base + owner});
    });
  }

  template <class Work, class T>
  __device__ __forceinline__ void leave(Work &work, bool any, T x) const {
    const i64 seg = base + lane_id();
    const bool ends = has && seg < share.last_segment, whole = ends && start >= share.item;
    work.finish(whole, vertex, seg, any, x);
    if (whole || count == 0) return;
    if (ends)
      pieces.leave_head(share.number, any, x);
    else
      pieces.leave_tail(share.number, any, x);
  }
};

// A warp takes consecutive shares.
template <class Rows, class Vertices, class PiecesT, class Work>
__device__ void by_shares(Grid &grid, const Rows &rows, const Vertices &vertices, const i64 *starts,
                          const PiecesT &pieces, Work &work) {
  const i64 length = vertices.length;
  const Shares shares = pieces.shares(grid, starts, length);
  const i64 first = shares.count * grid.warp() / grid.warps(), last = shares.count * (grid.warp() + 1) / grid.warps();
  work.begin();
  i64 segment = first < last ? ends_before(starts, 0, length, first * shares.size) : 0;
  for (i64 number = first; number < last; number++) {
    const i64 end = min((number + 1) * shares.size, shares.places);
    const i64 next = ends_before(starts, segment, min(length, segment + shares.size), end);
    const Share share{number, segment, number * shares.size - segment, next, end - next};
    pieces.begin(share, next > segment && starts[segment] < share.item);
    const i64 last_row = min(next, length - 1);
    for (i64 base = segment; base <= last_row; base += WARP) {
      const i64 seg = base + lane_id();
      const bool has = seg <= last_row;
      const i64 start = has ? starts[seg] : share.last_item, low = max(start, share.item);
      const i32 count = has ? (i32)max(min(starts[seg + 1], share.last_item) - low, (i64)0) : 0;
      const i32 vertex = has ? vertices.vertex(seg) : 0;
      const typename Rows::Row row = has ? rows.row(vertex) : typename Rows::Row();
      if (has) work.meet(vertex, Rows::UNIT == 1 ? count : low == start ? row.edges() : 0);
      work.tiles(SharedRows<PiecesT, Rows::UNIT>{share, pieces, vertex, count * Rows::UNIT, row.begin(), start, low, base,
                                                 has});
    }
    segment = next;
  }
  work.end();
}

// After a barrier, if the operator reduces: a warp reduces the pieces of each row that several shares have.
template <class Vertices, class T, class Work>
__device__ void finish_pieces(Grid &grid, const Vertices &vertices, const i64 *starts, const Pieces<T> &pieces, Work &work) {
  const Shares shares = pieces.shares(grid, starts, vertices.length);
  work.begin();
  for (i64 base = grid.warp() * WARP; base < shares.count; base += grid.warps() * WARP) {
    const i64 mine = base + lane_id() < shares.count ? load_fresh(pieces.rows + base + lane_id()) : -1;
    for (u32 left = __ballot_sync(ALL, mine >= 0); left; left &= left - 1) {
      const int owner = __ffs(left) - 1;
      const i64 seg = __shfl_sync(ALL, mine, owner), last = base + owner;
      // The row has the tails of the shares before the last one, and the head of the last one, unless only the row's
      // end is there.
      const i64 first = (starts[seg] + seg) / shares.size;
      const bool more = last * shares.size - seg < starts[seg + 1];
      T x{};
      const bool any = warp_reduce_pieces(
          last - first + more,
          [&](i64 i) { return load_fresh(first + i < last ? pieces.tails + first + i : pieces.heads + last); },
          [&](i64 i) { return pieces.has(first + i, first + i < last ? 2 : 1); }, x, work.op());
      work.finish(lane_id() == 0, vertices.vertex(seg), seg, any, x);
    }
  }
  work.end();
}

}  // namespace minigr
