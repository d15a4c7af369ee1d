// neighbor_reduce: for each vertex of a frontier, the values of its edges reduced to one.
//
// A warp takes a run of vertices. Rows shorter than a warp are reduced by one lane each; longer ones by the whole warp,
// one after the other; hubs are put off as slices, each of which one warp reduces, and after a barrier one warp reduces
// each hub's slices in their order. So the order of a reduction never depends on which warp came first.
//
// Edges are taken four at a time: the loads of four are under way before the first is reduced.
#pragma once
#include "primitives/fold.cuh"
#include "operators/hubs.cuh"

namespace minigr {

struct Hubs {
  i32 *vertices;
  i64 *segs;
  i64 *first_slice;
};

// Functor has value, reduce and apply. T: the type reduced in. INWARD: over in-edges. EVERY: all vertices. COMMUTES: the
// reduction may take a slice's edges in any order. STORE: 'v' results at the vertex, 'p' at its position, 'n' nowhere.
template <class Functor, class W, class T, bool INWARD, bool EVERY, bool COMMUTES, char STORE>
struct NeighborReduce {
  Grid &grid;
  const Csr<W> &rows;
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
    for (i64 base = grid.warp() * per; base < length; base += warps * per) {
      i64 seg = base + lane_id();
      bool has = lane_id() < per && seg < length;
      i32 vertex = has ? (EVERY ? (i32)seg : (i32)__ldcg(items + seg)) : 0;
      i64 begin = has ? rows.begin(vertex) : 0, all = has ? rows.end(vertex) - begin : 0;
      edges += all;
      bool hub = all > SLICE;
      if (hub) defer(vertex, begin, all, seg);
      i32 degree = hub ? 0 : (i32)all;
      u32 wide = __ballot_sync(ALL, degree >= WARP);
      T total = start;
      if (degree > 0 && degree < WARP)
        total = (T)functor.reduce(start, accumulate<1>(vertex, begin, 0, degree, 0, seg));
      while (wide) {
        int owner = __ffs(wide) - 1;
        wide &= wide - 1;
        i32 v = __shfl_sync(ALL, vertex, owner);
        T x = by_warp(v, __shfl_sync(ALL, begin, owner), __shfl_sync(ALL, degree, owner), 0, base + owner);
        x = __shfl_sync(ALL, x, 0);
        if (lane_id() == owner) total = (T)functor.reduce(start, x);
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
      i32 count = (i32)min((i64)SLICE, rows.end(vertex) - begin);
      T x = by_warp(vertex, begin, count, begin - rows.begin(vertex), seg);
      if (lane_id() == 0) slice_values[slice] = x;
    }
  }

  // After another barrier: each hub's slices by one warp.
  template <class Done>
  __device__ void finish_hubs(Done done) {
    i64 count = grid.word(WORD_CURSOR);
    for (i64 hub = grid.warp(); hub < count; hub += grid.warps()) {
      i32 vertex = __ldcg(hubs.vertices + hub);
      i64 seg = __ldcg(hubs.segs + hub), first = __ldcg(hubs.first_slice + hub);
      i64 n = (rows.degree(vertex) + SLICE - 1) / SLICE;
      i64 share = (n + WARP - 1) / WARP, low = share * lane_id(), high = min(n, low + share);
      T x = low < n ? load_fresh(slice_values + first + low) : start;
      for (i64 i = low + 1; i < high; i++) x = (T)functor.reduce(x, load_fresh(slice_values + first + i));
      x = warp_reduce(x, Reduce{functor}, (int)((n + share - 1) / share));
      if (lane_id() == 0) finish(vertex, seg, (T)functor.reduce(start, x), done);
    }
  }

 private:
  static constexpr int BATCH = 4;

  struct Reduce {
    Functor functor;
    __device__ __forceinline__ T operator()(T a, T b) const { return (T)functor.reduce(a, b); }
  };

  // Of edge i after `begin`, where the row's edge number `rank` is. Counting from there in 32 bits saves registers, and so
  // leaves room for more warps, which is what gathers need.
  __device__ __forceinline__ T value(i32 vertex, i64 begin, i32 i, i64 rank, i64 seg) const {
    i64 position = begin + i;
    i32 other = rows.neighbor(position);
    W weight = Functor::WEIGHT ? rows.weight(position) : W(0);
    i64 edge = Functor::EDGE ? rows.id(position) : position;
    return INWARD ? (T)functor.value(other, vertex, edge, weight, rank + i, position, seg, iteration)
                  : (T)functor.value(vertex, other, edge, weight, rank + i, position, seg, iteration);
  }

  // Reduce every STRIDE-th edge from number i on, of which there is at least one, up to number `count`.
  template <int STRIDE>
  __device__ __forceinline__ T accumulate(i32 vertex, i64 begin, i32 i, i32 count, i64 rank, i64 seg) const {
    T x = value(vertex, begin, i, rank, seg);
#pragma unroll 1
    for (i += STRIDE; i < count; i += BATCH * STRIDE) {
      T batch[BATCH];
#pragma unroll
      for (int j = 0; j < BATCH; j++)
        if (i + j * STRIDE < count) batch[j] = value(vertex, begin, i + j * STRIDE, rank, seg);
#pragma unroll
      for (int j = 0; j < BATCH; j++)
        if (i + j * STRIDE < count) x = (T)functor.reduce(x, batch[j]);
    }
    return x;
  }

  // Reduce a run of edges, not empty, by the whole warp; the result is lane 0's, and `start` has no part in it: it need not
  // be an identity, so it may enter a vertex's reduction once only.
  __device__ __forceinline__ T by_warp(i32 vertex, i64 begin, i32 count, i64 rank, i64 seg) const {
    if (COMMUTES) {
      T x = lane_id() < count ? accumulate<WARP>(vertex, begin, lane_id(), count, rank, seg) : start;
      return warp_reduce(x, Reduce{functor}, min(count, WARP));
    }
    T x = start;
    for (i32 first = 0; first < count; first += WARP) {
      i32 i = first + lane_id();
      T y = i < count ? value(vertex, begin, i, rank, seg) : start;
      y = warp_reduce(y, Reduce{functor}, min(count - first, WARP));
      x = first == 0 ? y : (T)functor.reduce(x, y);
    }
    return x;
  }

  __device__ __forceinline__ void defer(i32 vertex, i64 begin, i64 degree, i64 seg) const {
    i64 at = slices.defer(grid, vertex, begin, degree, seg);
    i64 number = grid.add(WORD_CURSOR, 1);
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
