// reduce_by_key: for each vertex of a frontier, groups the values of the vertex's edges by a key, reduces each group,
// and picks the best key.
//
// A warp takes consecutive vertices (`run`). Rows are handled by length:
// - Short rows are packed, so that their edges fill the warp. Lanes that have the same key of the same row find each
//   other by a match, and reduce their values together.
// - A longer row is taken by the whole warp. Lanes with the same key reduce their values in the same way. The first
//   of these lanes adds the result to the group's place in a hash table in shared memory, which no other warp uses.
// - A row that has more edges than a warp's table has room for is put off. A block takes one such row after the
//   other, and uses the tables of all its warps as one table (`run_rows`).
// - A hub, which has too many edges for the table of a block, is put off as slices. One warp groups the edges of each
//   slice in the warp's table (`run_slices`). A slice may have more keys than the table has places. The edges that find
//   no place, and at the end of the slice the contents of the table, go to a table in global memory that all slices of
//   the hub share. After a barrier, warps visit parts of these tables (`visit_tables`). After another barrier, the best
//   groups of each hub are compared (`pick`).
//
// So a key that most edges of a hub have costs each slice one atomic, although all slices add to the same place. All
// tables are left empty, as they were found. A row that is not put off is reduced in an order that depends only on the
// graph. The partial results of other rows come in any order, which makes a difference only for sums of floats.
#pragma once
#include "schedules/hubs.cuh"
#include "primitives/hash_table.cuh"

namespace minigr {

// The tables of the warps of a block.
template <int WORDS>
struct KeyTables {
  u64 words[MAX_WARPS][WORDS];
};

// Rows that are put off for blocks; hubs, as slices; and the tables that the slices of a hub share.
template <class K, class T, class S>
struct LateGroups {
  i32 *rows;
  i64 *row_segs;
  i64 most_rows;
  int row_count;  // control word that holds the number of rows
  Slices slices;
  i64 *tables;  // where a hub's table begins; set for the first slice of the hub
  K *keys;      // of all tables
  T *values;
  i64 places;  // in all tables together
  int length;  // control word that holds the number of places that are taken
  i32 *any;  // for each slice, whether its part of the hub's table has groups; the arrays below hold the best of these groups
  K *best_keys;
  T *best_values;
  S *best_scores;
};

// Functor has key, value, group and best. K, T, S: types of the keys, of the values that are reduced, and of the scores
// by which the best group is chosen. INWARD: over in-edges. EVERY: the input is all vertices. SCORES: `group` returns
// the score; otherwise the score is the value. PICKS: there is a `best`. WORDS: size of a warp's table. MOST: the most
// edges of a row that is not put off.
template <class Functor, class W, class Rows, class Op, class K, class T, class S, bool INWARD, bool EVERY, bool SCORES,
          bool PICKS, int WORDS, int MOST>
struct ReduceByKey {
  typedef typename Rows::Row Row;
  static constexpr int PLACES = WORDS * 8 / (sizeof(K) + sizeof(T)) - 1;
  Grid &grid;
  const Rows &rows;
  Functor functor;
  KeyTables<WORDS> *memory;
  LateGroups<K, T, S> late;
  i32 iteration;
  WarpTable<Op, K, T, PLACES> mine{memory->words[threadIdx.x / WARP]};

  template <class I>
  __device__ void run(const I *items, i64 length) {
    mine.clear();
    u64 edges = 0;
    const i64 warps = grid.warps();
    int per = 1;
    while (per < WARP && length > warps * per) per *= 2;
    for (i64 base = grid.warp() * per; base < length; base += warps * per) {
      const i64 seg = base + lane_id();
      const bool has = lane_id() < per && seg < length;
      const i32 vertex = !has ? 0 : EVERY ? (i32)seg : (i32)__ldcg(items + seg);
      const Row row = has ? rows.row(vertex) : Row();
      if (has) functor.fetch_vertex(vertex);
      edges += row.edges();
      const bool is_late = row.edges() > MOST || row.length() > SLICE, hub = row.edges() > MOST_OF_BLOCK;
      // A row is short only if each of its positions holds an edge. In slabs, this means that the row has no chain.
      const bool is_short = row.length() <= WARP && row.length() == row.edges();
      defer(is_late && !hub, vertex, seg);
      defer_hub(hub, vertex, row, seg);
      run_short(is_late || !is_short ? 0 : (i32)row.length(), vertex, row.begin(), base);
      for (u32 wide = __ballot_sync(ALL, !is_late && !is_short); wide; wide &= wide - 1) {
        const int owner = __ffs(wide) - 1;
        const i64 begin = __shfl_sync(ALL, row.begin(), owner);
        const i32 positions = __shfl_sync(ALL, (i32)row.length(), owner), edges = __shfl_sync(ALL, (i32)row.edges(), owner);
        run_wide(__shfl_sync(ALL, vertex, owner), begin, positions, edges, base + owner);
      }
    }
    grid.count(edges, 0);
  }

  // After a barrier: a block takes one row that was put off after the other, except hubs.
  __device__ void run_rows() {
    __shared__ Best bests[MAX_WARPS];
    const int warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    const TableMemory<K, T> room{memory->words[0], PLACES_OF_BLOCK};
    const Table<Op, K, T, false> whole{room.keys(), room.values()};
    whole.clear(threadIdx.x, blockDim.x);
    __syncthreads();
    const i64 count = grid.word(late.row_count);
    for (i64 k = blockIdx.x; k < count; k += gridDim.x) {
      const i32 vertex = __ldcg(late.rows + k);
      const i64 seg = __ldcg(late.row_segs + k);
      const Row row = rows.row(vertex);
      const i32 length = (i32)row.length(), each = (length / warps + WARP - 1) & -WARP, part = min(max(each, WARP), PART);
      const Table<Op, K, T, false> table = whole.of(row.edges());
      for (i32 first = warp * part; first < length; first += warps * part)
        for_edges(vertex, row.begin(), row.begin() + first, min(part, length - first), seg, [&](bool has, K key, T x) {
          if (warp_reduce_by_key<Op>(has, key, x)) table.put(key, x);
        });
      __syncthreads();
      Best best;
      table.template take<1>(warp, warps, [&](bool there, K key, T x) { visit(best, there, vertex, key, x, seg); });
      if (PICKS) {
        best = warp_best(best);
        if (lane_id() == 0) bests[warp] = best;
      }
      __syncthreads();
      if (PICKS && warp == 0) tell(warp_best(lane_id() < warps ? bests[lane_id()] : Best()), lane_id() == 0, vertex, seg);
    }
  }

  // After a barrier: a warp takes one slice after the other.
  __device__ void run_slices() {
    mine.clear();
    late.slices.each_in_turn(grid, rows, [&](i64 slice, const Row &row, const Tile &at) {
      const auto table = table_of(slice, at.begin, row);
      const i32 count = (i32)min((i64)SLICE, row.end() - at.begin);
      for_edges(at.vertex, row.begin(), at.begin, count, at.seg, [&](bool has, K key, T x) {
        const bool first = warp_reduce_by_key<Op>(has, key, x);
        if (!mine.put(first, key, x, TRIES) && first) table.put(key, x);
      });
      mine.take([&](K key, T x) { table.put(key, x); });
    });
  }

  // After another barrier: the table of each hub is visited in as many parts as the hub has slices, each part by one
  // warp.
  __device__ void visit_tables() {
    late.slices.each(grid, rows, [&](i64 slice, const Row &row, const Tile &at) {
      const auto table = table_of(slice, at.begin, row);
      Best best;
      table.template take<4>(at.rank / SLICE, slices(row),
                             [&](bool there, K key, T x) { visit(best, there, at.vertex, key, x, at.seg); });
      if (!PICKS) return;
      best = warp_best(best);
      if (lane_id() != 0) return;
      late.any[slice] = best.any;
      late.best_keys[slice] = best.key;
      late.best_values[slice] = best.value;
      late.best_scores[slice] = best.score;
    });
  }

  // After one more barrier: a warp finds the best group of each hub.
  __device__ void pick() {
    late.slices.each(grid, rows, [&](i64 first, const Row &row, const Tile &at) {
      if (at.rank != 0) return;  // not the first slice of a hub
      Best best;
      for (i64 slice = first + lane_id(); slice < first + slices(row); slice += WARP)
        best.meet(Best{load_fresh(late.any + slice) != 0, load_fresh(late.best_keys + slice),
                       load_fresh(late.best_values + slice), load_fresh(late.best_scores + slice)});
      tell(warp_best(best), lane_id() == 0, at.vertex, at.seg);
    });
  }

 private:
  static constexpr i32 TRIES = 8;  // the number of places at which a slice looks for a key
  static constexpr i32 PART = 4 * WARP;  // the most positions that a warp of a block takes at a time
  static constexpr int BUCKET = Keys<K>::BUCKET;
  static constexpr int PLACES_OF_BLOCK = MAX_WARPS * WORDS * 8 / (sizeof(K) + sizeof(T)) - 1;
  static constexpr int MOST_OF_BLOCK = PLACES_OF_BLOCK * 3 / 4;  // the most edges of a row that a block takes

  // A group, if `any`. The better of two groups has the greater score or, for equal scores, the lesser key. NaN comes
  // last.
  struct Best {
    bool any = false;
    K key = 0;
    T value = 0;
    S score = 0;

    __device__ __forceinline__ void meet(const Best &other) {
      if (other.any && (!any || other.is_before(*this))) *this = other;
    }
    __device__ __forceinline__ bool is_before(const Best &other) const {
      const bool is_nan = score != score, other_is = other.score != other.score;
      if (is_nan != other_is) return other_is;
      return is_nan || score == other.score ? key < other.key : score > other.score;
    }
    __device__ __forceinline__ Best from(int lane) const {
      return Best{(bool)__shfl_sync(ALL, (int)any, lane), __shfl_sync(ALL, key, lane), __shfl_sync(ALL, value, lane),
                  __shfl_sync(ALL, score, lane)};
    }
  };

  // ---- rows ---------------------------------------------------------------------------------------------------------

  // Each lane with a count has a row of at most WARP positions. As many rows as fit the warp are taken at a time.
  __device__ void run_short(i32 count, i32 vertex, i64 begin, i64 base) const {
    const i32 after = warp_prefix(count), before = after - count, total = __shfl_sync(ALL, after, WARP - 1);
    for (i32 first = 0; first < total;) {
      const i32 end = __shfl_sync(ALL, after, __popc(__ballot_sync(ALL, after <= first + WARP)) - 1);
      const i32 owner = warp_owner(before, first + lane_id());
      const bool has = first + lane_id() < end;
      const i32 start = __shfl_sync(ALL, before, owner) - first;  // the lane of the row's first edge
      const i32 all = __shfl_sync(ALL, count, owner), length = has ? all : 0;
      const i32 v = __shfl_sync(ALL, vertex, owner);
      const i64 row = __shfl_sync(ALL, begin, owner);
      const u32 lanes = has ? (ALL >> (WARP - length)) << start : 0;
      run_pack(has, lanes, lane_id() - start, length, v, row, base + owner);
      first = end;
    }
  }

  // Each lane with `has` has edge number `rank` of a row. `lanes` are the lanes that have edges of the same row.
  __device__ __forceinline__ void run_pack(bool has, u32 lanes, i32 rank, i32 length, i32 vertex, i64 row, i64 seg) const {
    const i32 entry = has ? rows.entry(row + rank) : -1;
    has = has && rows.is_edge(row + rank, entry);
    K key = 0;
    T x = 0;
    if (has) edge(vertex, entry, row + rank, rank, Functor::WEIGHT ? rows.weight(row + rank) : W(0), seg, true, key, x);
    const bool first = warp_reduce_by_key<Op>(has, key, x, lanes);
    Best best;
    if (first) visit(best, true, vertex, key, x, seg);
    if (!PICKS) return;
    __syncwarp();
    for (i32 step = 1; __any_sync(ALL, step < length); step *= 2) {
      const Best other = best.from((lane_id() + step) % WARP);
      if (rank + step < length) best.meet(other);
    }
    tell(best, length > 0 && rank == 0, vertex, seg);
  }

  // A row that has at most as many keys as the warp's table has places.
  __device__ void run_wide(i32 vertex, i64 begin, i32 positions, i32 edges, i64 seg) const {
    const auto table = mine.of(edges);
    for_edges(vertex, begin, begin, positions, seg, [&](bool has, K key, T x) {
      const bool first = warp_reduce_by_key<Op>(has, key, x);
      table.put(first, key, x, PLACES);
    });
    Best best;
    table.take([&](K key, T x) { visit(best, true, vertex, key, x, seg); });
    if (PICKS) tell(warp_best(best), lane_id() == 0, vertex, seg);
  }

  // Calls take(has, key, value) with all lanes of the warp for some positions of a row that begins at `row`.
  template <class Take>
  __device__ __forceinline__ void for_edges(i32 vertex, i64 row, i64 begin, i32 positions, i64 seg, Take take) const {
    typedef typename Rows::template Walk<WARP, Functor::WEIGHT> Walk;
#pragma unroll 1
    for (Walk walk(rows, begin, positions); __any_sync(ALL, walk.more());) {
      bool has[Walk::SIZE];
      K keys[Walk::SIZE] = {};
      T values[Walk::SIZE] = {};
      const bool more = walk.more();
#pragma unroll
      for (int j = 0; j < Walk::SIZE; j++) has[j] = more && walk.has(j);
      if (more) {
        // A function that only reads is called with another edge where there is no edge, as in neighbor_reduce.
        i32 others[Walk::SIZE];
        W weights[Walk::SIZE];
#pragma unroll
        for (int j = 0; j < Walk::SIZE; j++) {
          others[j] = walk.entry(j, vertex);
          weights[j] = Functor::WEIGHT ? walk.weight(j) : W(0);
        }
#pragma unroll
        for (int j = 0; j < Walk::SIZE; j++) {
          if (!Functor::READS_ONLY && !has[j]) continue;
          const i64 position = walk.position(j);
          edge(vertex, others[j], position, position - row, weights[j], seg, has[j], keys[j], values[j]);
        }
        walk.next();
      }
#pragma unroll
      for (int j = 0; j < Walk::SIZE; j++) take(has[j], keys[j], values[j]);
    }
  }

  // The key and the value of an edge, if `is`.
  __device__ __forceinline__ void edge(i32 vertex, i32 other, i64 position, i64 rank, W weight, i64 seg, bool is, K &key,
                                       T &x) const {
    const i32 src = INWARD ? other : vertex, dst = INWARD ? vertex : other;
    const i64 id = Functor::EDGE && is ? rows.id(position, src, dst) : position;
    key = (K)functor.key(src, dst, id, weight, rank, 0, seg, iteration);
    x = (T)functor.value(src, dst, id, weight, rank, 0, seg, iteration);
  }

  // ---- groups -------------------------------------------------------------------------------------------------------

  // Visits a group if `there`. Otherwise the arguments describe another group that exists, and the functor is called
  // for this group only if it only reads.
  __device__ __forceinline__ void visit(Best &best, bool there, i32 vertex, K key, T x, i64 seg) const {
    if (!Functor::GROUP_READS_ONLY && !there) return;
    S score = (S)x;
    if constexpr (SCORES)
      score = (S)functor.group(vertex, key, x, seg, iteration);
    else
      functor.group(vertex, key, x, seg, iteration);
    if (PICKS && there) best.meet(Best{true, key, x, score});
  }

  __device__ __forceinline__ void tell(const Best &best, bool mine, i32 vertex, i64 seg) const {
    if (mine && best.any) functor.best(vertex, best.key, best.value, best.score, seg, iteration);
  }

  __device__ __forceinline__ static Best warp_best(Best best) {
    __syncwarp();  // `best` reads what `group` wrote
#pragma unroll
    for (int step = WARP / 2; step; step /= 2) best.meet(best.from(lane_id() ^ step));
    return best;
  }

  // ---- tables -------------------------------------------------------------------------------------------------------

  // Returns a quarter more places than edges, in whole buckets. The caller adds another bucket for the place of the
  // least key.
  __device__ __forceinline__ static i64 places(const Row &row) {
    return (row.edges() + row.edges() / 4) / BUCKET * BUCKET + BUCKET;
  }
  __device__ __forceinline__ static i64 slices(const Row &row) { return (row.length() + SLICE - 1) / SLICE; }
  __device__ __forceinline__ Table<Op, K, T, true> table_of(i64 slice, i64 begin, const Row &row) const {
    const i64 first = __ldcg(late.tables + slice - (begin - row.begin()) / SLICE);
    return {{(typename Keys<K>::Word *)late.keys + first, places(row)}, late.values + first};
  }

  // All lanes of a warp call this together.
  __device__ __forceinline__ void defer(bool is_late, i32 vertex, i64 seg) const {
    const Kept kept(is_late);
    if (!kept.any()) return;
    const i64 base = warp_room([&] { return grid.add(late.row_count, kept.count()); }), at = base + kept.place();
    if (base + kept.count() > late.most_rows) return grid.overflow(late.slices.slot);
    if (is_late) late.rows[at] = vertex, late.row_segs[at] = seg;
  }
  __device__ __forceinline__ void defer_hub(bool hub, i32 vertex, const Row &row, i64 seg) const {
    const i64 slice = late.slices.defer(grid, hub, vertex, row.begin(), row.length(), seg);
    if (!__any_sync(ALL, slice >= 0)) return;
    const i64 mine = slice >= 0 ? places(row) + BUCKET : 0, after = warp_prefix(mine), all = __shfl_sync(ALL, after, WARP - 1);
    const i64 base = warp_room([&] { return grid.add(late.length, all); });
    if (base + all > late.places) return grid.overflow(late.slices.slot);
    if (slice >= 0) late.tables[slice] = base + after - mine;
  }
};

}  // namespace minigr
