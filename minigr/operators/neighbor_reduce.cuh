// neighbor_reduce: for each vertex of a frontier, the values of its edges reduced to one.
//
// A warp takes a run of vertices (`run`). Rows shorter than a warp are reduced by one lane each; longer ones by the whole
// warp, one after the other; hubs are put off as slices, each of which one warp reduces, and after a barrier one warp
// reduces each hub's slices in their order. Or a group of lanes takes each vertex (`run_groups`), with hubs put off too.
// Or the edges are cut into equal shares (`run_merged`), each treated as a run of vertices; what a share has of a row that
// goes on beyond it is left as a piece, and after a barrier the pieces of such rows are reduced in their order. So the
// order of a reduction never depends on which warp came first, nor on how many there are.
//
// Edges are taken some at a time: the loads of all of them are under way before the first is reduced. What `apply` reads
// at a vertex is fetched while its edges are walked.
//
// Rows are those of either layout (graphs/csr.cuh). In slabs they have no order, and parts of them may hold no edge; they
// are not cut into shares, because no chain is long.
#pragma once
#include "primitives/fold.cuh"
#include "operators/hubs.cuh"
#include "operators/merge.cuh"

namespace minigr {

struct Hubs {
  i32 *vertices;
  i64 *segs;
  i64 *first_slice;
};

// What shares leave of rows that they have a part of: one of each for a share.
template <class T>
struct Pieces {
  T *heads;   // of the row that ends in it but begins in an earlier one
  i64 *rows;  // that row, -1 if there is none
  T *tails;   // of the row that goes on in the next share
  i64 most;   // shares
};

// Functor has value, reduce and apply. T: the type reduced in. INWARD: over in-edges. EVERY: all vertices. COMMUTES_: the
// reduction may take a slice's edges in any order. STORE: 'v' results at the vertex, 'p' at its position, 'n' nowhere.
template <class Functor, class W, class Rows, class T, bool INWARD, bool EVERY, bool COMMUTES_, char STORE>
struct NeighborReduce {
  typedef typename Rows::Row Row;
  static constexpr bool COMMUTES = COMMUTES_ || Rows::GAPS;
  Grid &grid;
  const Rows &rows;
  Functor functor;
  T start;
  T *results;
  Slices slices;
  T *slice_values;
  Hubs hubs;
  i32 iteration;
  u64 edges = 0;

  template <class I, class Done>
  __device__ void run(const I *items, i64 length, Done done) {
    const i64 warps = grid.warps();
    int per = 1;
    while (per < WARP && length > warps * per) per *= 2;
    const i64 stride = warps * per;
    Row next = EVERY ? row_at(grid.warp() * per + lane_id(), length, per) : Row();
    for (i64 base = grid.warp() * per; base < length; base += stride) {
      i64 seg = base + lane_id();
      bool has = lane_id() < per && seg < length;
      i32 vertex = has ? item(items, seg) : 0;
      // Of all vertices it is known which row comes next, so it is asked for while this one is walked.
      const Row row = EVERY ? next : has ? rows.row(vertex) : Row();
      if (EVERY) next = row_at(seg + stride, length, per);
      if (has) functor.fetch_vertex(vertex);
      edges += row.edges();
      const bool hub = row.length() > SLICE, any = row.length() > 0 && !hub;
      defer(hub, vertex, row.begin(), row.length(), seg);
      const i32 positions = (i32)row.length();
      u32 wide = __ballot_sync(ALL, any && !row.is_short());
      T total = start;
      if (any && row.is_short()) {
        T x = start;
        const Run run{vertex, row.begin(), 0, row.begin(), seg};
        if (accumulate(run, Walk<1>(rows, row.begin(), positions), x)) total = (T)functor.reduce(start, x);
      }
      while (wide) {
        int owner = __ffs(wide) - 1;
        wide &= wide - 1;
        i32 v = __shfl_sync(ALL, vertex, owner);
        i64 low = __shfl_sync(ALL, row.begin(), owner);
        T x = start;
        const bool some = by_group<WARP>(Run{v, low, 0, low, base + owner}, __shfl_sync(ALL, positions, owner), x);
        x = __shfl_sync(ALL, x, 0);
        if (__shfl_sync(ALL, (int)some, 0) && lane_id() == owner) total = (T)functor.reduce(start, x);
      }
      if (has && !hub) finish(vertex, seg, total, done);
    }
    grid.count(edges, 0);
  }

  // After a barrier: each slice by one warp.
  __device__ void run_slices() {
    i64 count = min(grid.word(WORD_HUBS), slices.capacity);
    for (i64 slice = grid.warp(); slice < count; slice += grid.warps()) {
      i32 vertex = __ldcg(slices.vertices + slice);
      i64 begin = __ldcg(slices.begins + slice), seg = __ldcg(slices.segs + slice);
      const Row row = rows.row(vertex);
      i32 count = (i32)min((i64)SLICE, row.end() - begin);
      T x = start;
      const bool some = by_group<WARP>(Run{vertex, begin, begin - row.begin(), begin, seg}, count, x);
      if (lane_id() != 0) continue;
      slice_values[slice] = x;
      if (Rows::GAPS && !some) slices.vertices[slice] = NO_VALUE;
    }
  }

  // After another barrier: each hub's slices by one warp.
  template <class Done>
  __device__ void finish_hubs(Done done) {
    i64 count = grid.word(WORD_CURSOR);
    for (i64 hub = grid.warp(); hub < count; hub += grid.warps()) {
      i32 vertex = __ldcg(hubs.vertices + hub);
      i64 seg = __ldcg(hubs.segs + hub), first = __ldcg(hubs.first_slice + hub);
      i64 n = (rows.row(vertex).length() + SLICE - 1) / SLICE;
      T x = start;
      const bool some = in_order(
          n, [&](i64 i) { return load_fresh(slice_values + first + i); },
          [&](i64 i) { return !Rows::GAPS || load_fresh(slices.vertices + first + i) != NO_VALUE; }, x);
      if (lane_id() == 0) finish(vertex, seg, some ? (T)functor.reduce(start, x) : start, done);
    }
  }

  // A group of lanes takes a vertex.
  template <int LANES, class I, class Done>
  __device__ void run_groups(const I *items, i64 length, Done done) {
    constexpr int PER = WARP / LANES;
    for (i64 base = grid.warp() * PER; base < length; base += grid.warps() * PER) {
      i64 seg = base + lane_id() / LANES;
      bool has = seg < length, first = lane_id() % LANES == 0;
      i32 vertex = has ? item(items, seg) : 0;
      const Row row = has ? rows.row(vertex) : Row();
      bool hub = row.length() > SLICE;
      if (first) edges += row.edges();
      if (first && has) functor.fetch_vertex(vertex);
      defer(first && hub, vertex, row.begin(), row.length(), seg);
      T x = start;
      const bool some = by_group<LANES>(Run{vertex, row.begin(), 0, row.begin(), seg}, hub ? 0 : (i32)row.length(), x);
      if (first && has && !hub) finish(vertex, seg, some ? (T)functor.reduce(start, x) : start, done);
    }
    grid.count(edges, 0);
  }

  // A warp takes equal shares of all edges; `starts` as in merge.cuh.
  template <class I, class Done>
  __device__ void run_merged(const I *items, i64 length, const i64 *starts, Pieces<T> pieces, Done done) {
    for_shares(grid, starts, length, shares(starts, length, pieces), [&](const Share &share) {
      if (lane_id() == 0) {
        edges += share.last_item - share.item;
        bool began_before = share.last_segment > share.segment && starts[share.segment] < share.item;
        pieces.rows[share.number] = began_before ? share.segment : -1;
      }
      const i64 last = min(share.last_segment, length - 1);
      for (i64 base = share.segment; base <= last; base += WARP) {
        i64 seg = base + lane_id();
        bool has = seg <= last;
        i64 row = has ? starts[seg] : 0;
        i64 low = max(row, share.item), high = has ? min(starts[seg + 1], share.last_item) : low;
        i32 n = (i32)max(high - low, (i64)0);
        i32 vertex = has ? item(items, seg) : 0;
        if (has) functor.fetch_vertex(vertex);
        i64 rank = low - row, begin = (has ? rows.row(vertex).begin() : 0) + rank;
        T x = start;
        if (n > 0 && n < WARP) accumulate(Run{vertex, begin, rank, low, seg}, Walk<1>(rows, begin, n), x);
        u32 wide = __ballot_sync(ALL, n >= WARP);
        while (wide) {
          int owner = __ffs(wide) - 1;
          wide &= wide - 1;
          Run run{__shfl_sync(ALL, vertex, owner), __shfl_sync(ALL, begin, owner), __shfl_sync(ALL, rank, owner),
                  __shfl_sync(ALL, low, owner), base + owner};
          T y = start;
          by_group<WARP>(run, __shfl_sync(ALL, n, owner), y);
          y = __shfl_sync(ALL, y, 0);
          if (lane_id() == owner) x = y;
        }
        if (has && seg < share.last_segment) {
          if (row >= share.item)
            finish(vertex, seg, n > 0 ? (T)functor.reduce(start, x) : start, done);
          else if (n > 0)
            pieces.heads[share.number] = x;
        } else if (n > 0) {
          pieces.tails[share.number] = x;
        }
      }
    });
    grid.count(edges, 0);
  }

  // After a barrier: each row that several shares have a part of by one warp.
  template <class I, class Done>
  __device__ void finish_shared(const I *items, i64 length, const i64 *starts, Pieces<T> pieces, Done done) {
    const Shares shares = this->shares(starts, length, pieces);
    for (i64 base = grid.warp() * WARP; base < shares.count; base += grid.warps() * WARP) {
      i64 mine = base + lane_id() < shares.count ? load_fresh(pieces.rows + base + lane_id()) : -1;
      for (u32 left = __ballot_sync(ALL, mine >= 0); left; left &= left - 1) {
        int owner = __ffs(left) - 1;
        i64 seg = __shfl_sync(ALL, mine, owner), last = base + owner;
        // It has the ends of the shares before the last, and of that one the beginning, if more than its end is there.
        i64 first = (starts[seg] + seg) / shares.size;
        bool more = last * shares.size - seg < starts[seg + 1];
        T x = start;
        in_order(
            last - first + more,
            [&](i64 i) { return load_fresh(first + i < last ? pieces.tails + first + i : pieces.heads + last); },
            [](i64) { return true; }, x);
        if (lane_id() == 0) finish(item(items, seg), seg, (T)functor.reduce(start, x), done);
      }
    }
  }

  // The scan that `run_merged` needs where the frontier is a list.
  template <int CHUNKS, class I>
  __device__ void scan_lengths(const I *items, const RowStarts<CHUNKS> &list) const {
    list.scan([&](i64 i) { return rows.row(item(items, i)).length(); });
  }

 private:
  static constexpr i32 NO_VALUE = -1;  // in the place of a slice's vertex

  // A run of positions of one row: from `begin` in the graph on, which is the row's number `rank` and the frontier's number
  // `idx`.
  struct Run {
    i32 vertex;
    i64 begin, rank, idx, seg;
  };

  __device__ __forceinline__ Row row_at(i64 vertex, i64 length, int per) const {
    if (lane_id() >= per || vertex >= length) return Row();
    return rows.row((i32)vertex);
  }

  // So long that most lanes have a row where rows are short.
  __device__ __forceinline__ Shares shares(const i64 *starts, i64 length, const Pieces<T> &pieces) const {
    return Shares(starts, length, pieces.most, 8 * WARP);
  }

  template <class I>
  __device__ __forceinline__ i32 item(const I *items, i64 seg) const {
    return EVERY ? (i32)seg : (i32)__ldcg(items + seg);
  }

  struct Reduce {
    Functor functor;
    __device__ __forceinline__ T operator()(T a, T b) const { return (T)functor.reduce(a, b); }
  };

  typedef decltype(((const Functor *)nullptr)->value(0, 0, 0, W(0), 0, 0, 0, 0)) Value;  // of an edge

  template <class Walk>
  __device__ __forceinline__ Value value(const Run &run, const Walk &walk, int j, i32 other, W weight) const {
    const i64 position = walk.position(j);
    const i32 src = INWARD ? other : run.vertex, dst = INWARD ? run.vertex : other;
    i64 edge = Functor::EDGE && walk.has(j) ? rows.id(position, src, dst) : position;
    i64 rank = run.rank + walk.offset(j), idx = run.idx + walk.offset(j);
    return functor.value(src, dst, edge, weight, rank, idx, run.seg, iteration);
  }

  template <class Walk>
  __device__ __forceinline__ W weight(const Walk &walk, int j) const {
    return Functor::WEIGHT ? walk.weight(j) : W(0);
  }

  template <int LANES>
  using Walk = typename Rows::template Walk<LANES, Functor::WEIGHT>;

  // Reduce what a lane of a group is to walk of a run; false, and x unchanged, if there is nothing.
  template <class Walk>
  __device__ __forceinline__ bool accumulate(const Run &run, Walk walk, T &x) const {
    bool any = false;
#pragma unroll 1
    for (; walk.more(); walk.next()) {
      // A function that only reads is given another edge where there is none: loads that depend on no condition are under
      // way together.
      i32 others[Walk::SIZE];
      W weights[Walk::SIZE];
      Value batch[Walk::SIZE];
#pragma unroll
      for (int j = 0; j < Walk::SIZE; j++) {
        others[j] = walk.entry(j, run.vertex);
        weights[j] = weight(walk, j);
      }
#pragma unroll
      for (int j = 0; j < Walk::SIZE; j++)
        if (Functor::READS_ONLY || walk.has(j)) batch[j] = value(run, walk, j, others[j], weights[j]);
#pragma unroll
      for (int j = 0; j < Walk::SIZE; j++) {
        if (!walk.has(j)) continue;
        x = any ? (T)functor.reduce(x, (T)batch[j]) : (T)batch[j];
        any = true;
      }
    }
    return any;
  }

  // Reduce a run of positions by a group of LANES, all groups of the warp together, each its own run; the result, and
  // whether there is any, are those of the group's first lane. `start` has no part in it: it need not be an identity, so
  // it may enter a vertex's reduction once only.
  template <int LANES>
  __device__ __forceinline__ bool by_group(const Run &run, i32 count, T &x) const {
    const i32 lane = lane_id() % LANES;
    if (COMMUTES || LANES == 1) {
      bool any = accumulate(run, Walk<LANES>(rows, run.begin, count), x);
      if (Rows::GAPS) return reduce_some<LANES>(any, x);
      x = warp_reduce<LANES>(x, Reduce{functor}, min(count, LANES));
      return any;
    }
    for (i32 first = 0; LANES == WARP ? first < count : __any_sync(ALL, first < count); first += LANES) {
      const i32 here = min(count - first, LANES);
      const Run part{run.vertex, run.begin + first, run.rank + first, run.idx + first, run.seg};
      T y = start;
      if (lane < here) {
        const Walk<LANES> walk(rows, part.begin, here);
        y = (T)value(part, walk, 0, walk.entry(0, run.vertex), weight(walk, 0));
      }
      y = warp_reduce<LANES>(y, Reduce{functor}, here);
      if (first < count) x = first == 0 ? y : (T)functor.reduce(x, y);
    }
    return count > 0;
  }

  // Over those lanes of each group of LANES that have a value, in their order.
  template <int LANES>
  __device__ __forceinline__ bool reduce_some(bool any, T &x) const {
#pragma unroll
    for (int o = 1; o < LANES; o <<= 1) {
      const T y = __shfl_down_sync(ALL, x, o, LANES);
      const bool other = __shfl_down_sync(ALL, (int)any, o, LANES) && lane_id() % LANES + o < LANES;
      if (other) x = any ? (T)functor.reduce(x, y) : y;
      any |= other;
    }
    return any;
  }

  // Reduce those of piece(0) to piece(n - 1) that there are, in their order, by the whole warp; the result, and whether
  // there is any, are lane 0's.
  template <class Piece, class Has>
  __device__ __forceinline__ bool in_order(i64 n, Piece piece, Has has, T &x) const {
    i64 share = (n + WARP - 1) / WARP, low = share * lane_id(), high = min(n, low + share);
    bool any = false;
    for (i64 i = low; i < high; i++) {
      if (!has(i)) continue;
      x = any ? (T)functor.reduce(x, piece(i)) : piece(i);
      any = true;
    }
    return reduce_some<WARP>(any, x);
  }

  // All lanes of a warp together.
  __device__ __forceinline__ void defer(bool hub, i32 vertex, i64 begin, i64 length, i64 seg) const {
    i64 at = slices.defer(grid, hub, vertex, begin, length, seg);
    u32 mask = __ballot_sync(ALL, at >= 0);
    if (mask == 0) return;
    i64 number = lane_id() == 0 ? grid.add(WORD_CURSOR, __popc(mask)) : 0;
    number = __shfl_sync(ALL, number, 0) + __popc(mask & lanes_below());
    if (at < 0) return;
    hubs.vertices[number] = vertex;
    hubs.segs[number] = seg;
    hubs.first_slice[number] = at;
  }

  template <class Done>
  __device__ __forceinline__ void finish(i32 vertex, i64 seg, T x, Done &done) {
    if (STORE == 'v') results[vertex] = x;
    if (STORE == 'p') results[seg] = x;
    done(functor, vertex, x, seg, iteration);
  }
};

// What is done with apply's result: nothing, or a reduction by this thread, later by its block.
struct Discard {
  template <class Functor, class T>
  __device__ __forceinline__ void operator()(const Functor &f, i32 vertex, T x, i64 seg, i32 iteration) {
    f.apply(vertex, x, seg, iteration);
  }
};

template <class Results>
struct Collect {
  Results *total;
  template <class Functor, class T>
  __device__ __forceinline__ void operator()(const Functor &f, i32 vertex, T x, i64 seg, i32 iteration) {
    total->add(f.apply(vertex, x, seg, iteration));
  }
};

}  // namespace minigr
