// intersect: finds the common neighbors of the two ends of each edge of a frontier. A list may hold pairs of vertices
// in place of edges: an i64 is an edge, and a u64 is a pair, source << 32 | destination.
//
// A warp takes 32 edges, or fewer if 32 would leave other warps without edges (`run`). If one of the two rows is short,
// one lane does the edge alone: by a merge if the rows are sorted and similar in length. Otherwise the whole warp does
// its edges one after the other. It goes through the shorter row, and looks up each entry in the longer row: by a
// binary search in CSR, by its hash in slabs.
//
// Over all edges, rows with many edges are put off, and after a barrier a block takes one such row at a time
// (`run_wide`). The block marks the row's neighbors in a bitmap in shared memory. Then each warp takes one neighbor
// after the other, and looks up the neighbor's entries in the bitmap: a coalesced load and one access to shared memory
// take the place of a search. The bitmap has room for a window of ids only. Ids beyond the window are searched for. So
// vertices are best numbered by falling degree, as in Graph.by_degree.
//
// For the first vertices, the hubs, there may be bits for the beginnings of their rows, with the neighbors that are
// hubs too (`set_bits`). Then a lane compares 128 ids (a part) with the bitmap by two loads. For each part, the place
// of its first neighbor in the row is stored. So the place of a common neighbor in each of the two rows follows from
// the number of bits of the part that are set before its own bit.
//
// For a list that is not long, the edges between two long rows are put off too, as slices of the shorter row. After a
// barrier, each warp claims a slice whenever it is done with the slice before (`run_slices`). Otherwise all warps would
// wait for the warp that has the longest rows.
#pragma once
#include "operators/sink.cuh"
#include "primitives/collectives.cuh"
#include "schedules/frontier.cuh"
#include "schedules/rows.cuh"

namespace minigr {

// What happens to the return value of `count`: it is dropped, or this thread reduces it, and later the block does.
struct NoTotal {
  template <class Functor, class... A>
  __device__ __forceinline__ void add(const Functor &f, A... a) { f.count(a...); }
};

template <class Op, class S>
struct Total {
  S x;
  template <class Functor, class... A>
  __device__ __forceinline__ void add(const Functor &f, A... a) { x = Op()(x, (S)f.count(a...)); }
  __device__ void leave(S start, S *partials) {
    x = block_reduce(x, Op(), start);
    if (threadIdx.x == 0) partials[blockIdx.x] = x;
  }
};

// For each pair of the first vertices, a bit that says whether they are neighbors. `ends`: where in the rows of the
// first vertices the other neighbors begin. `firsts`: for each part, where in the row its first neighbor stands; only
// if neighbors are visited.
struct RowBits {
  static constexpr i32 PART = 128;  // ids of a part, whose bits a lane reads at once
  u32 *words;
  i64 *ends;
  i32 *firsts;
  i64 vertices;

  __device__ __forceinline__ i64 parts() const { return (vertices + PART - 1) / PART; }  // of one row
  __device__ __forceinline__ const uint4 *row(i32 vertex) const { return (const uint4 *)words + vertex * parts(); }
  __device__ __forceinline__ void set(i32 vertex, i32 id) const {
    atomicOr(words + vertex * parts() * (PART / 32) + id / 32, 1u << id % 32);
  }
};

// A bit for each id that a block has room for. PLACED: also, for each part, where its first neighbor stands in the row
// that is marked.
template <bool PLACED>
struct BlockMarks {
  static constexpr u32 WINDOW = 1u << 17;
  u32 words[WINDOW / 32];
  i32 firsts[PLACED ? WINDOW / RowBits::PART : 1];
};

// Edges that are put off, in the order of their slices. The arrays hold the place of each edge in the list, its ends,
// its first slice, and its counts: the number of slices still to come and, in the lower bits, the number of common
// neighbors found so far.
struct LongEdges {
  i64 *places;
  u64 *ends;
  i64 *firsts;
  u64 *counts;
};

// Functor has cond, apply, count and keep. `edges` are the rows whose edges are visited if the input is all edges:
// either `rows`, or the part of `rows` that was inserted since a mark. EVERY: the input is all edges, with no list.
// VISITS: `apply` must be called for each common neighbor. REPEATS: rows may hold a neighbor twice. SIMPLE: rows hold
// no neighbor twice, and there are no self-loops. BITS: there are `row_bits`. WIDE: a row, or the shorter row of an
// edge, is put off if it has at least so many positions; 0: nothing is put off. PART: positions in a slice.
// LISTED_EDGES: edges of a list are put off only if the list has at most so many edges.
template <class Functor, class Rows, class Edges, class Sum, class SinkT, bool EVERY, bool VISITS, bool REPEATS, bool SIMPLE, bool BITS, int WIDE,
          int PART, int LISTED_EDGES>
struct Intersect {
  typedef typename Rows::Row Row;
  static constexpr bool PLACED = VISITS && !REPEATS && !Rows::GAPS;  // rows are sorted, and the places of neighbors are needed
  typedef BlockMarks<PLACED> Marks;
  Grid &grid;
  const Rows &rows;
  const Edges &edges;
  Functor functor;
  Sum &total;
  SinkT sink;
  i32 *wide_rows;
  LongEdges later;
  RowBits row_bits;
  i32 iteration;
  u64 looked_at = 0;
  bool shares = false;  // edges of the list are put off
  i32 least_shared = ALONE;

  template <class T>
  __device__ void run(const T *items, i64 length) {
    if constexpr (EVERY) {
      if constexpr (BITS && WIDE > 0) set_bits();
      by_rows<TURNS>(grid, edges, Everyone{rows.vertices}, WideRows{wide_rows}, *this);
    } else {
      begin();
      run_list(items, length);
      end();
    }
  }

  // Prepares `row_bits`, which are needed after the barrier.
  __device__ void set_bits() const {
    for (i64 v = grid.warp(); v < row_bits.vertices; v += grid.warps()) {
      const Row row = rows.row((i32)v);
      i64 end = row.begin();
      for (i64 first = row.begin(); first < row.end() && first == end; first += WARP) {
        const i64 at = first + lane_id();
        const i32 entry = at < row.end() ? rows.entry(at) : 0;
        const bool has = at < row.end() && entry < row_bits.vertices;
        if (has) row_bits.set((i32)v, entry);
        if (VISITS && has && begins_part(row, at, entry))
          row_bits.firsts[v * row_bits.parts() + entry / RowBits::PART] = (i32)(at - row.begin());
        end += __popc(__ballot_sync(ALL, has));
      }
      if (lane_id() == 0) row_bits.ends[v] = end;
    }
  }

  // The functions that by_rows calls, over all edges.
  __device__ __forceinline__ void begin() { sink.begin(); }
  __device__ __forceinline__ void meet(i32 vertex, i64 arcs) const {}
  template <class Tiles>
  __device__ __forceinline__ void tiles(const Tiles &tiles) {
    tiles.each([&](bool has, const Tile &at) {
      arcs(edges, has, at.vertex, at.begin,
           [&](bool has, i32 src, i32 dst, i64 edge) { pairs(has, src, dst, edge, edge); });
    });
  }
  __device__ __forceinline__ void end() {
    sink.end();
    grid.count(looked_at, 0);
  }

  // After a barrier: the edges of a list that were put off. A warp claims one slice after the other.
  template <class T>
  __device__ void run_slices(const T *items) {
    const i64 put_off = grid.word(WORD_CURSOR), listed = put_off >> SLICE_BITS, slices = put_off & MOST_SLICES;
    begin();
    for (i64 slice = grid.warp(); slice < slices;) {
      const i64 next = lane_id() == 0 ? grid.warps() + grid.add(WORD_CURSOR, 1) - put_off : 0;  // claimed early, to hide the wait
      const i64 k = edge_of(slice, listed), idx = __ldcg(later.places + k), edge = (i64)__ldcg(items + idx);
      const i64 skip = (slice - __ldcg(later.firsts + k)) * PART;
      const u64 ends = __ldcg(later.ends + k);
      const i32 src = (i32)(ends >> 32), dst = (i32)ends;
      const u64 found = (u64)sum(search<WARP>(src, dst, edge, idx, rows.row(src), rows.row(dst), skip, PART));
      const u64 before = lane_id() == 0 ? atomicAdd(later.counts + k, found - (1ull << COUNT_BITS)) : 0;
      finish(before >> COUNT_BITS == 1, src, dst, edge, idx, (i64)((before & MOST_COUNT) + found));
      slice = __shfl_sync(ALL, next, 0);
    }
    end();
  }

  // After a barrier: the rows that were put off.
  __device__ void run_wide(Marks *marks) {
    __shared__ i32 claimed;
    __shared__ i32 next;
    for (int i = threadIdx.x; i < WINDOW / 32; i += blockDim.x) marks->words[i] = 0;
    const i64 count = grid.word(WORD_HUBS);
    begin();
    while (true) {
      __syncthreads();
      if (threadIdx.x == 0) {
        claimed = (i32)min(grid.add(WORD_CURSOR, 1), count);
        next = 0;
      }
      __syncthreads();
      if (claimed == count) break;
      const i32 src = __ldcg(wide_rows + claimed);
      const Marked here(rows, rows.row(src), marks, BITS && row_bits.vertices > 0);
      go_through(rows, src, nullptr, [&](bool has, i32 other, i64 at) {
        here.set(has, other, true);
        if constexpr (PLACED)
          if (has && begins_part(here.row, at, other, here.least)) here.place(other, at);
      });
      __syncthreads();
      go_through(edges, src, &next, [&](bool has, i32 dst, i64 edge) { pairs_with(here, has, src, dst, edge); });
      __syncthreads();
      go_through(rows, src, nullptr, [&](bool has, i32 other, i64) { here.set(has, other, false); });
    }
    end();
  }

 private:
  static constexpr i32 ALONE = 16;  // a row with at least so many entries is not searched by one lane alone
  static constexpr int FEW = 8;  // if a warp has fewer edges than this, most of its lanes would be idle
  static constexpr i32 ALIKE = 4;  // two rows are merged if neither is more than so many times as long as the other
  static constexpr i32 SEARCH = 16;  // entries of a row that are looked up in the time of one search
  static constexpr i32 WORDS = Functor::SRC_EDGE ? 8 : 2;  // words of bits that are compared in the time of one entry
  static constexpr int TURNS = 8;  // the least number of turns of a warp, where a warp takes fewer than 32 vertices at a time
  static constexpr u32 WINDOW = Marks::WINDOW;
  static constexpr i32 IDS = RowBits::PART;
  // A word counts the edges of a list that are put off and, in its lower bits, the slices of these edges.
  static constexpr int SLICE_BITS = 40;
  static constexpr i64 MOST_SLICES = (1ll << SLICE_BITS) - 1;
  // A word counts the slices of an edge that are still to come and, in its lower bits, the common neighbors found.
  static constexpr int COUNT_BITS = 32;
  static constexpr u64 MOST_COUNT = (1ull << COUNT_BITS) - 1;

  // Whether a neighbor is the first one of its row in a part, where parts count ids from `least` on and rows are
  // sorted.
  __device__ __forceinline__ bool begins_part(const Row &row, i64 position, i32 entry, i32 least = 0) const {
    return position == row.begin() || (rows.entry(position - 1) - least) / IDS != (entry - least) / IDS;
  }

  // A row whose neighbors are marked, from the least neighbor on, as many as fit the window.
  struct Marked {
    const Rows &rows;
    Row row;
    Marks *marks;
    i32 least, greatest;
    __device__ __forceinline__ Marked(const Rows &rows, const Row &row, Marks *marks, bool by_bits)  // by_bits: ids from 0
        : rows(rows), row(row), marks(marks), least(by_bits ? 0 : rows.least(row)), greatest(rows.greatest(row)) {}

    __device__ __forceinline__ void set(bool has, i32 other, bool there) const {
      const u32 id = (u32)other - (u32)least;
      if (!has || id >= WINDOW) return;
      if (there)
        atomicOr(marks->words + id / 32, 1u << id % 32);
      else
        marks->words[id / 32] = 0;
    }
    __device__ __forceinline__ bool has(i32 other) const {
      const u32 id = (u32)other - (u32)least;  // an id below `least` wraps around to a value beyond the window
      if (id < WINDOW) return marks->words[id / 32] >> id % 32 & 1;
      return other > least && other <= greatest && rows.find(row, other) >= 0;
    }
    // Stores where the first neighbor of a part stands.
    __device__ __forceinline__ void place(i32 other, i64 position) const {
      const u32 id = (u32)other - (u32)least;
      if (id < WINDOW) marks->firsts[id / IDS] = (i32)(position - row.begin());
    }
    // Returns where a neighbor stands.
    __device__ __forceinline__ i64 place_of(i32 other) const {
      if constexpr (PLACED) {
        const u32 id = (u32)other - (u32)least, first = id / IDS * (IDS / 32);
        if (id < WINDOW) {
          i32 before = marks->firsts[id / IDS] + __popc(marks->words[id / 32] & ((1u << id % 32) - 1));
          for (u32 word = first; word < id / 32; word++) before += __popc(marks->words[word]);
          return row.begin() + before;
        }
      }
      return rows.find(row, other);
    }
  };

  // ---- 32 edges to a warp -----------------------------------------------------------------------------------------

  template <class T>
  __device__ __forceinline__ void run_list(const T *items, i64 length) {
    const int per = (int)min((length + grid.warps() - 1) / grid.warps(), (i64)WARP);
    shares = WIDE && length <= LISTED_EDGES;
    if (per < FEW) least_shared = 1;
    for (i64 base = grid.warp() * per; base < length; base += grid.warps() * per) {
      const i64 idx = base + lane_id();
      const bool has = lane_id() < per && idx < length;
      const T item = has ? __ldcg(items + idx) : 0;
      pairs(has, has ? source(item) : 0, has ? destination(item) : 0, (i64)item, idx);
    }
  }

  __device__ __forceinline__ i32 source(i64 edge) const { return rows.source(edge); }
  __device__ __forceinline__ i32 source(u64 pair) const { return (i32)(pair >> 32); }
  __device__ __forceinline__ i32 destination(i64 edge) const { return rows.entry(edge); }
  __device__ __forceinline__ i32 destination(u64 pair) const { return (i32)pair; }

  // All lanes call this together. Each lane with `has` has an edge of a list, which is put off as `slices` slices.
  __device__ __forceinline__ void put_off_edges(bool has, i32 src, i32 dst, i64 idx, i32 slices) const {
    const Kept kept(has);
    if (!kept.any()) return;
    const i32 n = has ? slices : 0, after = warp_prefix(n);
    const i32 all = __shfl_sync(ALL, after, WARP - 1);
    const i64 base = warp_room([&] {
      grid.add(WORD_HUBS, all);
      return grid.add(WORD_CURSOR, (i64)kept.count() << SLICE_BITS | all);  // at once, so that both are in one order
    });
    if (!has) return;
    const i64 at = (base >> SLICE_BITS) + kept.place();
    later.places[at] = idx;
    later.ends[at] = (u64)(u32)src << 32 | (u32)dst;
    later.firsts[at] = (base & MOST_SLICES) + after - n;
    later.counts[at] = (u64)n << COUNT_BITS;
  }

  // The number, among the edges that were put off, of the edge that a slice belongs to. All lanes of a warp call this
  // together.
  __device__ __forceinline__ i64 edge_of(i64 slice, i64 edges) const {
    i64 low = 0;
    while (edges > 1) {
      const i64 step = (edges + WARP - 1) / WARP, part = step * lane_id();
      const bool begins = part < edges && __ldcg(later.firsts + low + part) <= slice;
      const i64 before = step * (__popc(__ballot_sync(ALL, begins)) - 1);
      low += before;
      edges = min(step, edges - before);
    }
    return low;
  }

  // Collects rows that are put off, in place of hubs.
  struct WideRows {
    i32 *vertices;
    __device__ __forceinline__ bool holds(i64 length) const { return WIDE && length >= WIDE; }
    __device__ __forceinline__ void defer(const Grid &grid, bool wide, i32 vertex, i64, i64, i64) const {
      if (WIDE == 0) return;
      const Kept kept(wide);
      if (!kept.any()) return;
      const i64 at = warp_room([&] { return grid.add(WORD_HUBS, kept.count()); }) + kept.place();
      if (wide) vertices[at] = vertex;
    }
  };

  // All lanes call this together. Calls each(has, src, dst, edge) for the arc at each lane's position, and for the arcs
  // in the chain behind this position.
  template <class View, class Each>
  __device__ __forceinline__ static void arcs(const View &view, bool has, i32 src, i64 position, Each each) {
    arcs_at(view, has, src, position, 0, [](i32, i32, i64, i64, bool) { return true; }, each);
  }

  // All lanes call this together; each lane with `has` has an edge.
  __device__ __forceinline__ void pairs(bool has, i32 src, i32 dst, i64 edge, i64 idx) {
    has = has && functor.cond(src, dst, edge, idx, iteration);
    const Row here = has ? rows.row(src) : Row();
    const Row there = has && may_share(here) ? rows.row(dst) : Row();
    const i64 least = min(here.edges(), there.edges());
    bool is_late = false;
    if (!EVERY && least > 0) {
      rows.template fetch_row<false>(here);
      rows.template fetch_row<false>(there);
    }
    if constexpr (!EVERY && WIDE > 0) {
      const i64 positions = here.edges() <= there.edges() ? here.length() : there.length();
      is_late = shares && least > 0 && positions >= WIDE;
      put_off_edges(is_late, src, dst, idx, (i32)((positions + PART - 1) / PART));
    }
    i64 count = 0;
    if (least > 0 && least < least_shared) count = alone(src, dst, edge, idx, here, there);
    for (u32 left = __ballot_sync(ALL, least >= least_shared && !is_late); left; left &= left - 1) {
      const int owner = __ffs(left) - 1;
      const i32 u = __shfl_sync(ALL, src, owner), v = __shfl_sync(ALL, dst, owner);
      const i64 n = search<WARP>(u, v, __shfl_sync(ALL, edge, owner), __shfl_sync(ALL, idx, owner), rows.row(u), rows.row(v));
      const i64 found = sum(n);
      if (lane_id() == owner) count = found;
    }
    finish(has && !is_late, src, dst, edge, idx, count);
  }

  // All lanes call this together. Each lane with `has` has an edge whose common neighbors have been counted.
  __device__ __forceinline__ void finish(bool has, i32 src, i32 dst, i64 edge, i64 idx, i64 count) {
    const bool keep = has && functor.keep(src, dst, edge, idx, iteration, count);
    if (has) total.add(functor, src, dst, edge, idx, iteration, count);
    sink.push(keep, edge);
  }

  // In a simple graph, a row with one edge shares nothing: the only neighbor of `src` is `dst`, which is not its own
  // neighbor.
  __device__ __forceinline__ static bool may_share(const Row &here) { return !SIMPLE || here.edges() > 1; }

  __device__ __forceinline__ i64 alone(i32 src, i32 dst, i64 edge, i64 idx, const Row &here, const Row &there) {
    if constexpr (!Rows::GAPS)
      if (max(here.length(), there.length()) <= ALIKE * min(here.length(), there.length()))
        return merge(src, dst, edge, idx, here, there);
    return search<1>(src, dst, edge, idx, here, there);
  }

  // Merges two sorted rows, by one lane. Each turn reads an entry of both rows, whether needed or not, because lanes
  // that took different branches would run one after the other.
  __device__ __forceinline__ i32 merge(i32 src, i32 dst, i64 edge, i64 idx, const Row &here, const Row &there) {
    const i32 m = (i32)here.length(), n = (i32)there.length();
    i32 count = 0, last = -1, i = 0, j = 0;
    while (i < m && j < n) {
      const i32 a = rows.entry(here.begin() + i), b = rows.entry(there.begin() + j);
      const bool hit = a == b && (!REPEATS || a != last);
      if (hit) {
        count++;
        last = a;
        if (VISITS) functor.apply(src, dst, edge, idx, iteration, a, here.begin() + i, there.begin() + j);
      }
      i += a <= b;
      j += b <= a;
    }
    looked_at += i + j;
    return count;
  }

  // Called by one lane, or by all lanes of a warp. Looks up each entry of the shorter row in the longer one, or only
  // the entries at `most` positions after the first `skip`. Returns the number of entries that this lane found.
  template <int LANES>
  __device__ __forceinline__ i32 search(i32 src, i32 dst, i64 edge, i64 idx, const Row &here, const Row &there,
                                        i64 skip = 0, i64 most = 0x7fffffff) {
    const bool turned = there.edges() < here.edges();
    const Row near = turned ? there : here, far = turned ? here : there;
    i32 count = 0;
    if (skip == 0 && (LANES == 1 || lane_id() == 0)) looked_at += near.edges();
    const i32 positions = (i32)min(near.length() - skip, most);
    typename Rows::template Walk<LANES, false> walk(rows, near.begin() + skip, positions);
    for (; walk.more(); walk.next()) {
#pragma unroll
      for (int j = 0; j < walk.SIZE; j++) {
        if (!walk.has(j)) continue;
        const i32 common = walk.entry(j, dst);
        if (is_repeat(near, walk.position(j), common)) continue;
        const i64 at = rows.find(far, common);
        if (at < 0) continue;
        count++;
        if (VISITS) {
          const i64 from_src = turned ? at : walk.position(j), from_dst = turned ? walk.position(j) : at;
          functor.apply(src, dst, edge, idx, iteration, common, from_src, from_dst);
        }
      }
    }
    return count;
  }

  __device__ __forceinline__ bool is_repeat(const Row &row, i64 position, i32 entry) const {
    return REPEATS && position > row.begin() && rows.entry(position - 1) == entry;
  }

  __device__ __forceinline__ static i64 sum(i64 n) { return warp_sum((u32)n); }

  // ---- a row to a block -------------------------------------------------------------------------------------------

  // All warps of a block call this together. Calls each(has, dst, edge) for all arcs of a row. If `next` is a counter,
  // a warp claims `per` arcs whenever it is free; otherwise the warps take turns.
  template <class View, class Each>
  __device__ __forceinline__ void go_through(const View &view, i32 src, i32 *next, Each each) const {
    const typename View::Row row = view.row(src);
    const int warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    const i32 length = (i32)row.length(), per = next ? min(max(length / (4 * warps), 1), WARP) : WARP;
    for (i32 first = warp * per;; first += warps * per) {
      if (next) {
        if (lane_id() == 0) first = add_shared(next, per);
        first = __shfl_sync(ALL, first, 0);
      }
      if (first >= length) break;
      const i32 i = first + lane_id();
      arcs(view, lane_id() < per && i < length, src, row.begin() + i,
           [&](bool has, i32, i32 dst, i64 at) { each(has, dst, at); });
    }
  }

  // All lanes call this together. Each lane with `has` has an edge from the row that is marked.
  __device__ __forceinline__ void pairs_with(const Marked &here, bool has, i32 src, i32 dst, i64 edge) {
    has = has && functor.cond(src, dst, edge, edge, iteration);
    Row there = has ? rows.row(dst) : Row();
    i64 count = 0;
    if constexpr (BITS) {
      const i32 parts = parts_of(here, dst, there);
      count = look_up_bits(here, src, dst, edge, there, parts);
      if (parts > 0) there.first = __ldcg(row_bits.ends + dst);
    }
    for (u32 left = __ballot_sync(ALL, there.edges() > 0); left; left &= left - 1) {
      const int owner = __ffs(left) - 1;
      const i32 v = __shfl_sync(ALL, dst, owner);
      const i64 at = __shfl_sync(ALL, edge, owner);
      Row row = rows.row(v);
      if constexpr (BITS) row.first = __shfl_sync(ALL, there.first, owner);
      const bool longer = row.edges() > SEARCH * here.row.edges();
      const i64 found = sum(longer ? search<WARP>(src, v, at, at, here.row, row) : look_up(here, src, v, at, row));
      if (lane_id() == owner) count += found;
    }
    finish(has, src, dst, edge, edge, count);
  }

  // Returns how many parts of bits hold the ids that a row may share with the marked row: 0 if there are none, or too
  // many.
  __device__ __forceinline__ i32 parts_of(const Marked &here, i32 vertex, const Row &row) const {
    if (vertex >= row_bits.vertices || row.edges() == 0) return 0;
    const i64 end = __ldcg(row_bits.ends + vertex), entries = min(end - row.begin(), SEARCH * here.row.edges());
    if (entries == 0) return 0;
    const i32 parts = min(rows.entry(end - 1), here.greatest) / RowBits::PART + 1;
    return parts * (RowBits::PART / 32) <= WORDS * entries ? parts : 0;
  }

  // All lanes call this together, each with an edge. Counts the common neighbors in the first `parts` parts of the
  // edge's rows. First, the warp takes 32 parts of one edge at a time. Then the remaining parts of all edges are spread
  // over the lanes.
  __device__ __forceinline__ i64 look_up_bits(const Marked &here, i32 src, i32 dst, i64 edge, const Row &row, i32 parts) {
    i64 count = 0;
    looked_at += parts;
    for (u32 left = __ballot_sync(ALL, parts >= WARP); left; left &= left - 1) {
      const int owner = __ffs(left) - 1;
      const i32 v = __shfl_sync(ALL, dst, owner), whole = __shfl_sync(ALL, parts, owner) & -WARP;
      const i64 at = __shfl_sync(ALL, edge, owner), begin = __shfl_sync(ALL, row.begin(), owner);
      i32 n = 0;
      for (i32 part = lane_id(); part < whole; part += WARP) n += compare(here, src, v, at, begin, part);
      const i64 found = sum(n);
      if (lane_id() == owner) count = found;
    }
    const i32 rest = parts & (WARP - 1), after = warp_prefix(rest), before = after - rest;
    const i32 skip = parts - rest - before, all = __shfl_sync(ALL, after, WARP - 1);
    for (i32 first = 0; first < all; first += WARP) {
      const int owner = warp_owner(before, first + lane_id());
      const i32 v = __shfl_sync(ALL, dst, owner), part = first + lane_id() + __shfl_sync(ALL, skip, owner);
      const i64 at = __shfl_sync(ALL, edge, owner), begin = __shfl_sync(ALL, row.begin(), owner);
      const i32 n = first + lane_id() < all ? compare(here, src, v, at, begin, part) : 0;
      // The parts of this lane's edge were compared by the lanes from `from` up to `to`.
      const i32 up_to = warp_prefix(n), from = max(before - first, 0), to = min(after - first, WARP);
      const i32 with = __shfl_sync(ALL, up_to, (to - 1) & (WARP - 1)), without = __shfl_sync(ALL, up_to, (from - 1) & (WARP - 1));
      if (from < to) count += with - (from > 0 ? without : 0);
    }
    return count;
  }

  // Called by one lane. Counts the common neighbors in a part of the bits of both rows.
  __device__ __forceinline__ i32 compare(const Marked &here, i32 src, i32 dst, i64 edge, i64 begin, i32 part) {
    const uint4 near = ((const uint4 *)here.marks->words)[part], far = __ldcg(row_bits.row(dst) + part);
    if constexpr (VISITS) return visit_bits(here, src, dst, edge, begin, part, near, far);
    return __popc(near.x & far.x) + __popc(near.y & far.y) + __popc(near.z & far.z) + __popc(near.w & far.w);
  }

  // Called by one lane. Visits the common neighbors in a part of the bits of both rows.
  __device__ __forceinline__ i32 visit_bits(const Marked &here, i32 src, i32 dst, i64 edge, i64 begin, i32 part,
                                            const uint4 &near, const uint4 &far) {
    const u64 ours = (u64)near.y << 32 | near.x, theirs = (u64)far.y << 32 | far.x;
    const u64 more_ours = (u64)near.w << 32 | near.z, more_theirs = (u64)far.w << 32 | far.z;
    u64 common = ours & theirs, more = more_ours & more_theirs;
    i32 count = 0;
    if ((common | more) == 0) return 0;
    const i64 at_src = here.row.begin() + here.marks->firsts[part];
    const i64 at_dst = begin + __ldcg(row_bits.firsts + dst * row_bits.parts() + part);
    for (; common | more; count++) {  // one loop for both halves, so that more lanes of a warp run together
      const bool is_low = common != 0;
      const int bit = __ffsll(is_low ? common : more) - 1;
      const u64 below = (1ull << bit) - 1;
      const i32 from_src = __popcll((is_low ? ours : more_ours) & below) + (is_low ? 0 : __popcll(ours));
      const i32 from_dst = __popcll((is_low ? theirs : more_theirs) & below) + (is_low ? 0 : __popcll(theirs));
      functor.apply(src, dst, edge, edge, iteration, part * IDS + (is_low ? 0 : 64) + bit, at_src + from_src,
                    at_dst + from_dst);
      if (is_low)
        common &= common - 1;
      else
        more &= more - 1;
    }
    return count;
  }

  // Called by a whole warp. Looks up each entry of a row among the marked ids. Returns the number that this lane found.
  __device__ __forceinline__ i32 look_up(const Marked &here, i32 src, i32 dst, i64 edge, const Row &row) {
    i32 count = 0;
    if (lane_id() == 0) looked_at += row.edges();
    typename Rows::template Walk<WARP, false> walk(rows, row.begin(), (i32)row.length());
    for (; walk.more(); walk.next()) {
      i32 others[walk.SIZE];
#pragma unroll
      for (int j = 0; j < walk.SIZE; j++) others[j] = walk.entry(j, dst);
#pragma unroll
      for (int j = 0; j < walk.SIZE; j++) {
        const bool has = walk.has(j);
        if (!has || !here.has(others[j]) || is_repeat(row, walk.position(j), others[j])) continue;
        count++;
        if (VISITS) {
          const i64 first = Functor::SRC_EDGE ? here.place_of(others[j]) : 0;
          functor.apply(src, dst, edge, edge, iteration, others[j], first, walk.position(j));
        }
      }
    }
    return count;
  }
};

}  // namespace minigr
