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
    __device__ __forceinline__ bool is_short() const { return buckets <= 1 && arcs < WARP; }
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
  // behind them; a group of LANES goes through them together. One lane alone takes quads of lanes one after the other;
  // otherwise eight lanes take a slab.
  template <int LANES_>
  struct Walk {
    static_assert(LANES_ == 1 || LANES_ % dynamic::GROUP == 0, "a slab is one lane's or eight lanes'");
    const SlabRows &rows;
    i64 home, end;  // the first lane of the base slab whose chain is walked; one past the last position
    i64 at;         // of this lane's quad
    int4 quad;

    __device__ __forceinline__ Walk(const SlabRows &rows, i64 begin, i32 count) : rows(rows), home(begin), end(begin + count) {
      if (LANES_ > 1) home += lane_id() % LANES_ / dynamic::GROUP * LANES;
      go_to(home);
    }
    __device__ __forceinline__ bool more() const { return home < end; }

    __device__ __forceinline__ void next() {
      i32 follower;
      if (LANES_ == 1) {
        if (lane(at) < LANES - BATCH && quad.w != dynamic::EMPTY) {
          at += BATCH;
          if (at >= end && at < home + LANES) home = end;  // the row ends in its only slab
          load();
          return;
        }
        follower = lane(at) < LANES - BATCH ? dynamic::NIL : quad.w;
      } else {
        follower = home + LANES <= end ? dynamic::from_lane(quad.w, dynamic::GROUP - 1) : dynamic::NIL;
      }
      if (follower == dynamic::NIL) home += LANES_ == 1 ? LANES : LANES_ / dynamic::GROUP * LANES;
      go_to(follower == dynamic::NIL ? home : (i64)follower * LANES);
    }

    __device__ __forceinline__ bool has(int j) const { return rows.is_edge(at + j, word(j)); }
    __device__ __forceinline__ i32 offset(int j) const { return 0; }  // rows have no order that a functor could ask for
    __device__ __forceinline__ i64 position(int j) const { return at + j; }
    // Where there is no edge, `vertex` stands for the other end.
    __device__ __forceinline__ i32 entry(int j, i32 vertex) const { return has(j) ? word(j) : vertex; }

   private:
    __device__ __forceinline__ i32 word(int j) const { return j == 0 ? quad.x : j == 1 ? quad.y : j == 2 ? quad.z : quad.w; }
    __device__ __forceinline__ void go_to(i64 slab) {
      at = slab + (LANES_ == 1 ? 0 : lane_id() % dynamic::GROUP * BATCH);
      load();
    }
    __device__ __forceinline__ void load() {
      if (more()) quad = __ldg((const int4 *)(rows.pool + at));
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
