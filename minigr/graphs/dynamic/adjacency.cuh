// The adjacency contract over slabs: what `Csr` in graphs/csr.cuh is to a static graph.
//
// A position is a lane of the pool. The positions of a row are the lanes of the vertex's base slabs, which follow one
// another, so that work on rows is dealt out as it is in CSR; lanes without an arc are passed over. Overflow slabs are
// reached through the last lane of the slab before them. Where there are no tombstones, the row of a vertex with one slab
// ends with its last arc.
#pragma once
#include "graphs/csr.cuh"
#include "graphs/dynamic/slabs.cuh"

namespace minigr {

// Rows of one direction. SINCE: only arcs that came after the mark.
template <class W, bool SINCE>
struct SlabRows {
  static constexpr bool GAPS = true;
  static constexpr int SHORT_LANES = dynamic::GROUP;

  i64 vertices;
  i64 edge_ids;  // lanes of the pool
  const int2 *heads;
  const i32 *degrees;
  const i32 *pool;
  const W *weights;
  const unsigned char *marks;
  bool tidy;              // no tombstones
  const int2 *out_heads;  // where the id of an in-edge is searched for; null: the position is the id
  const i32 *out_pool;

  struct Row {
    i64 begin = 0, end = 0;
    i32 arcs = 0, buckets = 0;
    __device__ __forceinline__ i64 length() const { return end - begin; }
    __device__ __forceinline__ i64 edges() const { return arcs; }
    __device__ __forceinline__ bool is_short() const { return buckets <= 1; }
  };

  __device__ __forceinline__ Row row(i32 v) const {
    const int2 head = __ldg(heads + v);
    const i32 arcs = __ldg(degrees + v);
    const i64 begin = (i64)head.x * LANES;
    const bool exact = arcs == 0 || (tidy && head.y == 1 && arcs <= KEYS);
    return Row{begin, begin + (exact ? arcs : (i64)head.y * LANES), arcs, head.y};
  }

  __device__ __forceinline__ i32 entry(i64 position) const { return __ldg(pool + position); }
  __device__ __forceinline__ bool is_edge(i64 position, i32 entry) const {
    return entry >= 0 && lane(position) < KEYS && (!SINCE || lane(position) >= __ldg(marks + position / LANES));
  }
  // After an unused lane comes no arc in the same chain.
  __device__ __forceinline__ i64 after(i64 position, i32 entry, i64 end) const {
    return entry == dynamic::EMPTY ? min((position | (LANES - 1)) + 1, end) : position + 1;
  }
  __device__ __forceinline__ i32 follower(i64 position, i32 entry) const {
    return lane(position) == dynamic::NEXT ? entry : dynamic::NIL;
  }

  __device__ __forceinline__ W weight(i64 position) const { return __ldg(weights + position); }
  __device__ __forceinline__ i64 id(i64 position, i32 src, i32 dst) const {
    return out_pool ? find(src, dst) : position;
  }
  __device__ __forceinline__ bool has_id(i64 id) const { return is_edge(id, entry(id)); }
  __device__ __forceinline__ i32 source(i64 position) const { return entry(position / LANES * LANES + dynamic::OWNER); }

  template <bool WEIGHTS>
  __device__ __forceinline__ void fetch_row(const Row &row) const {
    if (row.end == row.begin) return;
    fetch(pool + row.begin);
    if (WEIGHTS) fetch(weights + row.begin);
  }

  // A lane's way through `count` positions from `begin` on, whole base slabs or the one that there is, and the chains
  // behind them, which a group of LANES goes through together. Eight lanes take a slab, a sector of it at a time, so that
  // nothing is read of sectors that hold no arc.
  template <int LANES_>
  struct Walk {
    static_assert(LANES_ % dynamic::GROUP == 0, "a slab is eight lanes'");
    const SlabRows *rows;
    i64 home, end;  // the first lane of the base slab whose chain is walked; one past the last position
    i64 at;         // this lane's first position in the slab that is looked at
    i32 words[BATCH];

    __device__ __forceinline__ Walk(const SlabRows &rows, i64 begin, i32 count)
        : rows(&rows), home(begin + lane_id() % LANES_ / dynamic::GROUP * LANES), end(begin + count) {
      load(home, end);
    }
    __device__ __forceinline__ bool more() const { return home < end; }

    __device__ __forceinline__ void next() {
      const bool chained = home + LANES <= end;  // else the row ends in its only slab
      const i32 follower = chained ? dynamic::from_lane(words[BATCH - 1], dynamic::GROUP - 1) : dynamic::NIL;
      if (follower == dynamic::NIL) {
        home += LANES_ / dynamic::GROUP * LANES;
        load(home, end);
      } else {
        load((i64)follower * LANES, (i64)(follower + 1) * LANES);
      }
    }

    __device__ __forceinline__ bool has(int j) const { return rows->is_edge(position(j), words[j]); }
    __device__ __forceinline__ i32 offset(int j) const { return 0; }  // rows have no order that a functor could ask for
    __device__ __forceinline__ i64 position(int j) const { return at + j * dynamic::GROUP; }
    // Where there is no edge, `vertex` stands for the other end.
    __device__ __forceinline__ i32 entry(int j, i32 vertex) const { return has(j) ? words[j] : vertex; }

   private:
    __device__ __forceinline__ void load(i64 slab, i64 until) {
      at = slab + lane_id() % dynamic::GROUP;
#pragma unroll
      for (int j = 0; j < BATCH; j++)
        words[j] = position(j) < until ? load_once(rows->pool + position(j)) : dynamic::EMPTY;
    }
  };

 private:
  static constexpr int LANES = dynamic::LANES, KEYS = dynamic::KEYS;

  __device__ __forceinline__ static int lane(i64 position) { return (int)position & (LANES - 1); }

  // The position of an arc that is there, among the out-edges.
  __device__ i64 find(i32 src, i32 dst) const {
    const int2 head = __ldg(out_heads + src);
    i32 slab = head.x + (i32)dynamic::bucket_of(dst, (u32)head.y);
    while (true) {
      for (int first = 0; first < LANES; first += BATCH) {
        const i64 at = (i64)slab * LANES + first;
        const int4 quad = __ldg((const int4 *)(out_pool + at));
        if (quad.x == dst) return at;
        if (quad.y == dst) return at + 1;
        if (quad.z == dst && first < KEYS - 2) return at + 2;
        if (quad.w == dst && first < KEYS - 2) return at + 3;
        slab = quad.w;  // after the last quad: what follows
      }
    }
  }
};

}  // namespace minigr
