// The adjacency contract over slabs: the counterpart of `Csr` in graphs/csr.cuh for dynamic graphs.
//
// A position is a lane of the pool. The positions of a row are the lanes of the base slabs of the vertex. These slabs are
// contiguous, so that operators can divide the work on rows as they do in CSR. Operators skip lanes without an arc. The
// last lane of a slab leads to the overflow slab that follows it. If there are no tombstones, the row of a vertex with one
// slab ends with its last arc.
#pragma once
#include "graphs/csr.cuh"
#include "graphs/dynamic/slabs.cuh"

namespace minigr {

// The rows of one direction. SINCE: only the arcs that were inserted after the mark.
template <class W, bool SINCE>
struct SlabRows {
  static constexpr int LANES = dynamic::LANES, KEYS = dynamic::KEYS;
  static constexpr bool GAPS = true;
  static constexpr bool BY_LINES = false;  // a slab is a cache line
  static constexpr int UNIT = LANES;
  static constexpr const i32 *nonempty = nullptr;  // not known
  static constexpr i64 num_nonempty = 0;

  i64 vertices;
  i64 edge_ids;  // lanes of the pool
  const int2 *heads;
  const i32 *degrees;
  const i32 *pool;
  const W *weights;
  const unsigned char *marks;
  bool tidy;              // no tombstones
  const int2 *out_heads;  // where to search for the id of an in-edge; null: the position is the id
  const i32 *out_pool;

  struct Row {
    i32 slab = 0;  // the first base slab
    u32 positions = 0;
    i32 arcs = 0;
    __device__ __forceinline__ i64 begin() const { return (i64)slab * LANES; }
    __device__ __forceinline__ i64 end() const { return begin() + positions; }
    __device__ __forceinline__ i64 length() const { return positions; }
    __device__ __forceinline__ i64 edges() const { return arcs; }
    __device__ __forceinline__ bool is_short() const { return positions <= LANES && arcs < WARP; }
  };

  __device__ __forceinline__ Row row(i32 v) const {
    const int2 head = __ldg(heads + v);
    const i32 arcs = __ldg(degrees + v);
    const bool exact = arcs == 0 || (tidy && head.y == 1 && arcs <= KEYS);
    return Row{head.x, exact ? (u32)arcs : (u32)head.y * LANES, arcs};
  }

  __device__ __forceinline__ Row listed_row(i64 k) const { return Row(); }  // no row is listed

  __device__ __forceinline__ i32 entry(i64 position) const { return __ldg(pool + position); }
  __device__ __forceinline__ i32 first_entry(i32 v, i64 position) const { return entry(position); }
  __device__ __forceinline__ bool is_edge(i64 position, i32 entry) const {
    return entry >= 0 && lane_of(position) < KEYS && (!SINCE || lane_of(position) >= __ldg(marks + position / LANES));
  }
  // No arc follows an unused lane in the same chain.
  __device__ __forceinline__ i64 after(i64 position, i32 entry, i64 end) const {
    return entry == dynamic::EMPTY ? min((position | (LANES - 1)) + 1, end) : position + 1;
  }
  __device__ __forceinline__ i32 follower(i64 position, i32 entry) const {
    return lane_of(position) == dynamic::NEXT ? entry : dynamic::NIL;
  }

  __device__ __forceinline__ W weight(i64 position) const { return __ldg(weights + position); }
  __device__ __forceinline__ i64 id(i64 position, i32 src, i32 dst) const {
    return out_pool ? find(src, dst) : position;
  }
  __device__ __forceinline__ bool has_id(i64 id) const { return is_edge(id, entry(id)); }
  __device__ __forceinline__ i32 source(i64 position) const { return entry(position / LANES * LANES + dynamic::OWNER); }

  // The position of `key` in a row, or -1.
  __device__ __forceinline__ i64 find(const Row &row, i32 key) const {
    static_assert(!SINCE, "looks at all arcs");
    const u32 buckets = max(row.positions / LANES, 1u);  // a row of fewer positions has one bucket
    return search(pool, row.slab + (i32)dynamic::bucket_of(key, buckets), key);
  }
  // The bounds of the neighbors of a row. The row has no order, so no closer bounds are known.
  __device__ __forceinline__ i32 least(const Row &row) const { return 0; }
  __device__ __forceinline__ i32 greatest(const Row &row) const { return 0x7fffffff; }

  template <bool WEIGHTS>
  __device__ __forceinline__ void fetch_row(const Row &row) const {
    if (row.positions == 0) return;
    fetch(pool + row.begin());
    if (WEIGHTS) fetch(weights + row.begin());
  }

  // The path of one lane through the `count` positions from `begin` on, and through the chains behind them. These
  // positions are whole base slabs, or the lanes of the only slab. A group of LANES_ lanes shares them. A single lane
  // reads a whole sector of a slab at once, because no other lane reads the sector and the L1 cache would not keep it. In
  // a larger group, eight lanes share a slab.
  template <int LANES_, bool WEIGHTS>
  struct Walk {
    static_assert(LANES_ == 1 || LANES_ % dynamic::GROUP == 0, "a slab is one lane's or eight lanes'");
    static constexpr bool ALONE = LANES_ == 1;
    static constexpr int QUADS = ALONE && !WEIGHTS ? 2 : 1, SIZE = 4 * QUADS, STRIDE = ALONE ? 1 : LANES_ / dynamic::GROUP;
    const SlabRows *rows;
    i32 slab, home;  // the current slab, and the base slab of its chain
    i32 left;        // positions from `home` on
    i32 lane;        // the first lane of the slab that this lane reads
    int4 quads[QUADS];
    struct alignas(16) Weights {
      W of[4];
    };
    Weights weights[WEIGHTS ? QUADS : 1];

    __device__ __forceinline__ Walk(const SlabRows &rows, i64 begin, i32 count) : rows(&rows) {
      const i32 first = ALONE ? 0 : lane_id() % LANES_ / dynamic::GROUP;
      slab = home = (i32)(begin / LANES) + first;
      left = count - first * LANES;
      lane = ALONE ? 0 : lane_id() % dynamic::GROUP * SIZE;
      load();
    }
    __device__ __forceinline__ bool more() const { return left > 0; }

    __device__ __forceinline__ void next() {
      i32 follower = dynamic::NIL;
      if (ALONE) {
        const bool is_last = lane == LANES - SIZE;
        if (!is_last && quads[QUADS - 1].w != dynamic::EMPTY && (slab != home || lane + SIZE < left)) {
          lane += SIZE;
          load();
          return;
        }
        if (is_last) follower = quads[QUADS - 1].w;
        lane = 0;
      } else if (left >= LANES) {
        follower = dynamic::from_lane(quads[0].w, dynamic::GROUP - 1);
      }
      slab = follower;
      if (follower == dynamic::NIL) {
        slab = home += STRIDE;
        left -= STRIDE * LANES;
      }
      load();
    }

    __device__ __forceinline__ bool has(int j) const { return rows->is_edge(position(j), word(j)); }
    __device__ __forceinline__ i32 offset(int j) const { return 0; }  // without an order, it has no use
    __device__ __forceinline__ i64 position(int j) const { return (i64)slab * LANES + lane + j; }
    __device__ __forceinline__ W weight(int j) const { return weights[j / 4].of[j % 4]; }
    // `vertex` is the entry where there is no edge.
    __device__ __forceinline__ i32 entry(int j, i32 vertex) const { return has(j) ? word(j) : vertex; }

   private:
    __device__ __forceinline__ i32 word(int j) const {
      const int4 &q = quads[j / 4];
      return j % 4 == 0 ? q.x : j % 4 == 1 ? q.y : j % 4 == 2 ? q.z : q.w;
    }
    __device__ __forceinline__ void load() {
      if (!more()) return;
#pragma unroll
      for (int q = 0; q < QUADS; q++) {
        quads[q] = load_once((const int4 *)(rows->pool + position(4 * q)));
        if (WEIGHTS) weights[q] = *(const Weights *)(rows->weights + position(4 * q));
      }
    }
  };

 private:
  __device__ __forceinline__ static int lane_of(i64 position) { return (int)position & (LANES - 1); }

  // The position of an existing arc among the out-edges.
  __device__ i64 find(i32 src, i32 dst) const {
    const int2 head = __ldg(out_heads + src);
    return search(out_pool, head.x + (i32)dynamic::bucket_of(dst, (u32)head.y), dst);
  }

  // The position of a key in a chain of slabs, or -1. A single lane searches.
  __device__ static i64 search(const i32 *pool, i32 slab, i32 key) {
    while (true) {
      i32 last = dynamic::NIL;
      for (int first = 0; first < LANES; first += 4) {
        const i64 at = (i64)slab * LANES + first;
        const int4 quad = __ldg((const int4 *)(pool + at));
        if (quad.x == key) return at;
        if (quad.y == key) return at + 1;
        if (quad.z == key && first < KEYS - 2) return at + 2;
        if (quad.w == key && first < KEYS - 2) return at + 3;
        if (quad.w == dynamic::EMPTY) return -1;  // in the last four lanes `w` is the next slab, or NIL, which equals EMPTY
        last = quad.w;
      }
      slab = last;
    }
  }
};

}  // namespace minigr
