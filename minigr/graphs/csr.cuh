// The adjacency contract over compressed sparse rows. `Csr` is the view of a graph that device code holds by value.
//
// Operators use only the members that this view shares with the view of a dynamic graph, SlabRows in
// graphs/dynamic/adjacency.cuh. A row is a range of positions. In slabs, some positions hold no arc (GAPS).
#pragma once
#include "jit/grid.cuh"

namespace minigr {

// The rows of one direction. `weights` and `ids` may be null if no functor asks for them. DISTANT: the arcs are in the
// memory of the host. The link to the host is slower than all other memory, and is fastest for whole cache lines.
template <class W, bool DISTANT>
struct Csr {
  static constexpr bool GAPS = false;
  static constexpr bool BY_LINES = DISTANT;  // whether lanes that share a row begin at the start of a cache line
  static constexpr int UNIT = 1;  // rows are cut at multiples of this number of positions

  i64 vertices;
  i64 edge_ids;
  const i64 *offsets;
  const i32 *indices;
  const W *weights;
  const i64 *ids;  // id of each arc; null: its position
  const i32 *firsts;  // the first entry of each row of distant arcs, in the memory of the GPU; null: not known
  const i32 *nonempty;  // the vertices that have arcs, in ascending order; null: not known, or most vertices have arcs
  i64 num_nonempty;
  const i64 *nonempty_offsets;  // where the rows of `nonempty` begin, and where the last of these rows ends

  struct Row {
    i64 first = 0, last = 0;
    __device__ __forceinline__ i64 begin() const { return first; }
    __device__ __forceinline__ i64 end() const { return last; }
    __device__ __forceinline__ i64 length() const { return last - first; }  // positions
    __device__ __forceinline__ i64 edges() const { return last - first; }
    // Too short for a warp. A single lane reads a sector of 8 arcs at a time, which is slow over the link to the host.
    __device__ __forceinline__ bool is_short() const { return length() < (DISTANT ? 8 : WARP); }
  };

  __device__ __forceinline__ Row row(i32 v) const { return Row{load_constant(offsets + v), load_constant(offsets + v + 1)}; }
  // The k-th of the rows that are not empty.
  __device__ __forceinline__ Row listed_row(i64 k) const {
    return Row{load_constant(nonempty_offsets + k), load_constant(nonempty_offsets + k + 1)};
  }

  // The entry at a position: the vertex at the other end.
  __device__ __forceinline__ i32 entry(i64 position) const { return __ldg(indices + position); }
  __device__ __forceinline__ bool is_edge(i64 position, i32 entry) const { return true; }
  // The entry at `position`, where the row of `v` begins.
  __device__ __forceinline__ i32 first_entry(i32 v, i64 position) const {
    return DISTANT && firsts ? __ldg(firsts + v) : entry(position);
  }
  // The next position for a lane that reads the row alone.
  __device__ __forceinline__ i64 after(i64 position, i32 entry, i64 end) const { return position + 1; }
  // The slab that follows the slab of a position in its chain, or -1 if there is none.
  __device__ __forceinline__ i32 follower(i64 position, i32 entry) const { return -1; }

  __device__ __forceinline__ W weight(i64 position) const { return __ldg(weights + position); }
  __device__ __forceinline__ i64 id(i64 position, i32 src, i32 dst) const { return ids ? __ldg(ids + position) : position; }
  // Whether an arc has this id. Here every id belongs to an arc.
  __device__ __forceinline__ bool has_id(i64 id) const { return true; }

  // The vertex whose row holds `position`, by binary search.
  __device__ i32 source(i64 position) const {
    i64 low = 0, high = vertices;
    while (high - low > 1) {
      i64 middle = (low + high) / 2;
      if (__ldg(offsets + middle) <= position)
        low = middle;
      else
        high = middle;
    }
    return (i32)low;
  }

  // The first position of `key` in a row, or -1.
  __device__ __forceinline__ i64 find(const Row &row, i32 key) const {
    const i32 *keys = indices + row.begin();
    i32 low = 0, left = (i32)row.length();
    while (left > 0) {
      const i32 half = left / 2;
      const bool below = __ldg(keys + low + half) < key;
      low += below ? half + 1 : 0;
      left = below ? left - half - 1 : half;
    }
    return low < row.length() && __ldg(keys + low) == key ? row.begin() + low : -1;
  }
  // The bounds of the neighbors of a row that is not empty.
  __device__ __forceinline__ i32 least(const Row &row) const { return entry(row.begin()); }
  __device__ __forceinline__ i32 greatest(const Row &row) const { return entry(row.end() - 1); }

  // Prefetch the beginning of a row.
  template <bool WEIGHTS>
  __device__ __forceinline__ void fetch_row(const Row &row) const {
    if (row.length() == 0) return;
    fetch(indices + row.begin());
    if (WEIGHTS) fetch(weights + row.begin());
  }

  // The path of one lane through the `count` positions from `begin` on. A group of LANES lanes shares these positions, and
  // each lane takes SIZE of them at a time. Offsets from `begin` of 32 bits save registers. This leaves room for more
  // warps, which gathers need.
  template <int LANES, bool WEIGHTS>
  struct Walk {
    static constexpr int SIZE = 4;
    const Csr *rows;
    i64 begin;
    i32 count, i;
    i32 last;  // the largest offset from `begin` that the lane reads

    __device__ __forceinline__ Walk(const Csr &rows, i64 begin, i32 count)
        : rows(&rows), begin(begin), count(count), i(lane_id() % LANES), last(count - 1) {}
    // Begin at the cache line of `begin`, and read whole lines. The entries that lanes find before and after the row are
    // no edges of it. The lanes that read the next row find its first line in the L1 cache.
    __device__ __forceinline__ void align() {
      if (count <= 0) return;
      const i32 before = (i32)(begin % LANES);
      last = (before + count - 1) / LANES * LANES - before + i;
      i -= before;
    }
    __device__ __forceinline__ bool more() const { return DISTANT ? i <= last : i < count; }
    __device__ __forceinline__ void next() { i += SIZE * LANES; }

    // Whether the current batch has a j-th edge, and its offset from `begin`. Without a j-th edge, the offset is that of
    // another position, which may be read.
    __device__ __forceinline__ bool has(int j) const {
      return DISTANT ? (u32)(i + j * LANES) < (u32)count : j == 0 || i + j * LANES < count;
    }
    __device__ __forceinline__ i32 offset(int j) const { return min(i + j * LANES, DISTANT ? last : count - 1); }
    __device__ __forceinline__ i64 position(int j) const {
      return DISTANT ? min(begin + offset(j), rows->edge_ids - 1) : begin + offset(j);
    }
    __device__ __forceinline__ W weight(int j) const { return rows->weight(position(j)); }
    // A lane that walks alone finds its next positions in a sector that it, or a lane beside it, has already read. A line
    // of distant arcs that two rows share must be read once. Both need the L1 cache.
    __device__ __forceinline__ i32 entry(int j, i32 vertex) const {
      return LANES == 1 || DISTANT ? rows->entry(position(j)) : load_once(rows->indices + position(j));
    }
  };
};

}  // namespace minigr
