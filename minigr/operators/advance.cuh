// advance: all threads of the grid walk the edges of a frontier (push), or of the vertices that may still be reached
// (pull). Written against rows of either layout: graphs/csr.cuh.
#pragma once
#include "operators/hubs.cuh"
#include "operators/merge.cuh"
#include "operators/sink.cuh"

namespace minigr {

enum class Source { VERTICES, EDGES, ALL };
enum class Output { NONE, VERTICES, EDGES };

// What a program says of an advance. Functor has cond, apply and target, and says whether it asks for weights.
template <class Functor_, class W_, Source SOURCE_, Output OUTPUT_, bool UNIQUE_, bool REPEATS_, bool COUNTS_>
struct AdvanceTraits {
  typedef Functor_ Functor;
  typedef W_ W;
  static constexpr Source SOURCE = SOURCE_;
  static constexpr Output OUTPUT = OUTPUT_;
  static constexpr bool UNIQUE = UNIQUE_;    // by stamps
  static constexpr bool REPEATS = REPEATS_;  // a pull puts out a vertex once for each edge, instead of once in all
  static constexpr bool COUNTS = COUNTS_;    // sum the degrees of what is put out
};

template <class Traits, class Rows, class SinkT>
struct Advance {
  typedef typename Traits::Functor Functor;
  typedef typename Traits::W W;
  typedef typename Rows::Row Row;
  Grid &grid;
  const Rows &out;
  const Rows &in;
  Functor functor;
  SinkT sink;
  i32 *stamps;
  Slices slices;
  i32 iteration;
  u64 edges = 0, next_edges = 0;
  Row last;  // of the vertex put out last

  // ---- push, by one of several ways to deal out edges ---------------------------------------------------------------

  // A warp takes a run of vertices, and its lanes find the owners of positions by a search over the scanned lengths.
  template <class T>
  __device__ void push(const T *items, i64 length) {
    sink.begin();
    const i64 warps = grid.warps();
    // Vertices for each warp at a time: few enough that every warp has some.
    int per = 1;
    while (per < WARP && length > warps * per) per *= 2;
    for (i64 base = grid.warp() * per; base < length; base += warps * per) {
      i64 seg = base + lane_id();
      bool mine = lane_id() < per && seg < length;
      i32 src = mine ? source(items, seg) : 0;
      const Row row = mine ? out.row(src) : Row();
      const bool hub = row.length() > SLICE;
      edges += row.edges();
      slices.defer(grid, hub, src, row.begin(), row.length(), seg);
      const i32 positions = hub ? 0 : (i32)row.length();
      i32 after = warp_scan(positions), before = after - positions;
      i32 total = __shfl_sync(ALL, after, WARP - 1);
      for (i32 first = 0; first < total; first += WARP) {
        i32 k = first + lane_id();
        int owner = warp_search(before, k);
        i32 owner_src = __shfl_sync(ALL, src, owner);
        i64 owner_begin = __shfl_sync(ALL, row.begin(), owner);
        i32 rank = k - __shfl_sync(ALL, before, owner);
        visit(k < total, owner_src, owner_begin + rank, rank, owner_begin + rank, base + owner);
      }
    }
    sink.end();
    report();
  }

  // A group of lanes takes a vertex, with no search: for degrees that are much alike.
  template <int LANES, class T>
  __device__ void push_groups(const T *items, i64 length) {
    constexpr int PER = WARP / LANES;
    const int first = lane_id() % LANES;
    sink.begin();
    for (i64 base = grid.warp() * PER; base < length; base += grid.warps() * PER) {
      i64 seg = base + lane_id() / LANES;
      bool has = seg < length;
      i32 src = has ? source(items, seg) : 0;
      const Row row = has ? out.row(src) : Row();
      const bool hub = row.length() > SLICE;
      if (first == 0) edges += row.edges();
      slices.defer(grid, first == 0 && hub, src, row.begin(), row.length(), seg);
      const i32 positions = hub ? 0 : (i32)row.length();
      for (i32 rank = first; __any_sync(ALL, rank < positions); rank += LANES)
        visit(rank < positions, src, row.begin() + rank, rank, row.begin() + rank, seg);
    }
    sink.end();
    report();
  }

  // A warp takes an equal share of all positions; `starts` as in merge.cuh. The share's rows are looked at as in `push`, but
  // what they have of the scan is known, and there are no hubs.
  template <class T>
  __device__ void push_merged(const T *items, i64 length, const i64 *starts) {
    sink.begin();
    for_shares(grid, starts, length, Shares(starts, length, grid.warps(), WARP), [&](const Share &share) {
      i64 item = share.item;
      for (i64 base = share.segment; item < share.last_item; base += WARP) {
        const i64 seg = base + lane_id(), next = min(starts[min(base + WARP, length)], share.last_item);
        const i64 start = seg < length ? starts[seg] : share.last_item;
        const i32 before = (i32)(min(max(start, item), next) - item), total = (i32)(next - item);
        const i32 src = start < next ? source(items, seg) : 0;
        const i64 begin = start < next ? out.row(src).begin() : 0;
        if (lane_id() == 0) edges += total;
        for (i32 first = 0; first < total; first += WARP) {
          const i32 k = first + lane_id();
          const int owner = warp_search(before, k);
          const i64 rank = item + k - __shfl_sync(ALL, start, owner);
          const i64 edge = __shfl_sync(ALL, begin, owner) + rank;
          visit(k < total, __shfl_sync(ALL, src, owner), edge, rank, item + k, base + owner);
        }
        item = next;
      }
    });
    sink.end();
    report();
  }

  // The scan that `push_merged` needs where the frontier is a list.
  template <int CHUNKS, class T>
  __device__ void scan_lengths(const T *items, const RowStarts<CHUNKS> &starts) const {
    starts.scan([&](i64 i) { return out.row(source(items, i)).length(); });
  }

  // Every edge of a dynamic graph: a warp takes a slab of the pool, which knows whose it is.
  __device__ void push_stream() {
    sink.begin();
    for (i64 first = grid.warp() * WARP; first < out.edge_ids; first += grid.threads()) {
      const i64 position = first + lane_id();
      const i32 dst = out.entry(position), src = out.source(position);
      const bool has = out.is_edge(position, dst);
      edges += has;
      put_out(has && pass(src, dst, position, 0, 0, src), dst, position);
    }
    sink.end();
    report();
  }

  // The slices of the hubs that a push put off; after a barrier.
  __device__ void push_hubs() {
    i64 count = min(grid.word(WORD_HUBS), slices.capacity);
    sink.begin();
    edges = 0;
    for (i64 slice = grid.warp(); slice < count; slice += grid.warps()) {
      i32 src = __ldcg(slices.vertices + slice);
      i64 begin = __ldcg(slices.begins + slice), seg = __ldcg(slices.segs + slice);
      const Row row = out.row(src);
      const i64 end = min(begin + SLICE, row.end());
      for (i64 first = begin; first < end; first += WARP) {
        i64 edge = first + lane_id();
        visit(edge < end, src, edge, edge - row.begin(), edge, seg);
      }
    }
    sink.end();
    report();
  }

  // ---- pull -------------------------------------------------------------------------------------------------------

  // Set the frontier's bits in the bitmap that is clear, and clear the other one for the next pull.
  __device__ void mark(const i32 *items, i64 length, u64 *bits, u64 *other, i64 words) {
    for (i64 i = grid.thread(); i < length; i += grid.threads()) {
      i32 v = __ldcg(items + i);
      atomicOr(bits + v / 64, 1ull << (v % 64));
    }
    for (i64 i = grid.thread(); i < words; i += grid.threads()) other[i] = 0;
  }

  // Each lane takes a vertex and looks at its first in-edges alone; the warp then shares the rest of those rows that
  // found nothing yet. A search ends where `target` no longer holds. Without `bits` every vertex is in the frontier.
  __device__ void pull(const u64 *bits) {
    constexpr int ALONE = 8;
    constexpr bool EACH = Traits::OUTPUT == Output::EDGES || (Traits::OUTPUT == Output::VERTICES && Traits::REPEATS);
    sink.begin();
    const i64 stride = grid.warps() * WARP;
    for (i64 base = grid.warp() * WARP; base < in.vertices; base += stride) {
      i32 dst = (i32)(base + lane_id());
      bool open = base + lane_id() < in.vertices && functor.target(dst, iteration);
      const Row row = open ? in.row(dst) : Row();
      i64 begin = row.begin(), end = row.end(), position = begin;
      bool found = false;
#pragma unroll 1
      for (int i = 0; i < ALONE; i++) {
        const bool has = open && position < end;
        const i32 src = has ? in.entry(position) : 0;
        const bool edge = has && in.is_edge(position, src);
        const bool hit = edge && look(bits, src, dst, position, begin);
        if (EACH) put(hit, dst, hit ? in.id(position, src, dst) : 0);
        found |= hit;
        edges += edge;
        if (has) position = in.after(position, src, end);
        if (hit && !functor.target(dst, iteration)) open = false;
      }
      u32 rest = __ballot_sync(ALL, open && position < end);
      while (rest) {
        int owner = __ffs(rest) - 1;
        rest &= rest - 1;
        i32 target = __shfl_sync(ALL, dst, owner);
        i64 first = __shfl_sync(ALL, begin, owner), last = __shfl_sync(ALL, end, owner);
        i64 at = __shfl_sync(ALL, position, owner);
        i32 chained = -1;  // a slab that follows what was looked at
        bool any = false;
        while (chained >= 0 || at < last) {
          const i64 mine = chained >= 0 ? (i64)chained * WARP + lane_id() : at + lane_id();
          const bool has = chained >= 0 || mine < last;
          if (chained < 0) at += WARP;
          const i32 src = has ? in.entry(mine) : 0;
          const bool edge = has && in.is_edge(mine, src);
          const bool hit = edge && look(bits, src, target, mine, first);
          if (EACH) put(hit, target, hit ? in.id(mine, src, target) : 0);
          edges += edge;
          if (__any_sync(ALL, hit)) {
            any = true;
            if (__any_sync(ALL, !functor.target(target, iteration))) break;
          }
          if (Rows::GAPS) {  // of WARP positions one is the last of a slab
            const i32 next = has ? in.follower(mine, src) : -1;
            const u32 follows = __ballot_sync(ALL, next >= 0);
            chained = follows ? __shfl_sync(ALL, next, __ffs(follows) - 1) : -1;
          }
        }
        if (any && lane_id() == owner) found = true;
      }
      if (Traits::COUNTS && found) next_edges += row.edges();
      if (Traits::OUTPUT == Output::VERTICES && !Traits::REPEATS) put(found, dst, 0);
    }
    sink.end();
    report();
  }

 private:
  __device__ __forceinline__ void report() {
    // The next step begins with these rows. In a short one every load is waited for, so they are fetched meanwhile.
    if (last.length() > 0) grid.look_ahead(last.begin(), last.end());
    out.template fetch_row<Functor::WEIGHT>(last);
    grid.count(edges, Traits::COUNTS ? next_edges + last.edges() : 0);
    edges = next_edges = 0;
    last = Row();
  }

  template <class T>
  __device__ __forceinline__ i32 source(const T *items, i64 seg) const {
    if (Traits::SOURCE == Source::ALL) return (i32)seg;
    if (Traits::SOURCE == Source::EDGES) return out.entry(__ldcg(items + seg));
    return (i32)__ldcg(items + seg);
  }

  // All lanes together: one position each, for those that have one.
  __device__ __forceinline__ void visit(bool has, i32 src, i64 edge, i64 rank, i64 idx, i64 seg) {
    bool keep = false;
    i32 dst = 0, next = -1;
    if (has) {  // one branch around all of it: small steps take longer where the lanes meet in between
      dst = out.entry(edge);
      keep = out.is_edge(edge, dst) && pass(src, dst, edge, rank, idx, seg);
      next = out.follower(edge, dst);
    }
    put_out(keep, dst, edge);
    if (!Rows::GAPS) return;
    for (u32 left = __ballot_sync(ALL, next >= 0); left; left &= left - 1) {
      const int owner = __ffs(left) - 1;
      const i32 from = __shfl_sync(ALL, src, owner);
      const i64 place = __shfl_sync(ALL, seg, owner);
      for (i32 slab = __shfl_sync(ALL, next, owner); slab >= 0;) {
        const i64 position = (i64)slab * WARP + lane_id();
        const i32 to = out.entry(position);
        put_out(out.is_edge(position, to) && pass(from, to, position, 0, 0, place), to, position);
        slab = __shfl_sync(ALL, out.follower(position, to), WARP - 1);
      }
    }
  }

  // Whether an edge is let through; what the functor does then is done.
  __device__ __forceinline__ bool pass(i32 src, i32 dst, i64 edge, i64 rank, i64 idx, i64 seg) {
    if (!functor.target(dst, iteration)) return false;
    W weight = Functor::WEIGHT ? out.weight(edge) : W(0);
    if (!functor.cond(src, dst, edge, weight, rank, idx, seg, iteration)) return false;
    functor.apply(src, dst, edge, weight, rank, idx, seg, iteration);
    return true;
  }

  // All lanes together: the edges that were let through.
  __device__ __forceinline__ void put_out(bool keep, i32 dst, i64 edge) {
    if (Traits::OUTPUT == Output::NONE) return;
    if (Traits::UNIQUE && keep) keep = first_time(grid, stamps, dst, iteration);
    if (Traits::OUTPUT == Output::VERTICES && keep) {
      // The loads are used one vertex later, so that nothing waits for them.
      if (Traits::COUNTS) next_edges += last.edges();
      last = out.row(dst);
    }
    put(keep, dst, edge);
  }

  __device__ __forceinline__ void put(bool keep, i32 dst, i64 edge) {
    if (Traits::OUTPUT == Output::EDGES)
      sink.push(keep, edge);
    else
      sink.push(keep, dst);
  }

  __device__ __forceinline__ bool look(const u64 *bits, i32 src, i32 dst, i64 position, i64 row) {
    if (bits && !(bits[src / 64] >> (src % 64) & 1)) return false;
    W weight = Functor::WEIGHT ? in.weight(position) : W(0);
    i64 edge = in.id(position, src, dst), rank = position - row;
    bool keep = functor.cond(src, dst, edge, weight, rank, position, (i64)dst, iteration);
    if (keep) functor.apply(src, dst, edge, weight, rank, position, (i64)dst, iteration);
    return keep;
  }
};

}  // namespace minigr
