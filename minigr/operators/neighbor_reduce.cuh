// neighbor_reduce: for each vertex of a frontier, the values of its edges reduced to one.
//
// A warp takes a run of vertices and deals out their edges to its lanes; lanes that work on one vertex reduce among
// themselves, and the vertex's result gathers in shared memory, in the order of its edges. Hubs are put off as slices:
// each slice is reduced by one warp, and after a barrier one warp reduces each hub's slices in their order. So the order
// of a reduction never depends on which warp came first.
#pragma once
#include "primitives/fold.cuh"
#include "operators/hubs.cuh"

namespace minigr {

struct Hubs {
  i64 *count;      // control word
  i32 *vertices;
  i64 *segs;
  i64 *first_slice;
};

// Functor has value, reduce and apply. T: the type reduced in. INWARD: over in-edges. EVERY: all vertices. COMMUTES: the
// reduction may take a slice's edges in any order. STORE: 'v' results at the vertex, 'p' at its position, 'n' nowhere.
template <class Functor, class W, class T, bool INWARD, bool EVERY, bool COMMUTES, char STORE>
struct NeighborReduce {
  const Grid &grid;
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
    __shared__ T totals[32][WARP];
    T *mine = totals[threadIdx.x / WARP];
    const i64 warps = grid.warps();
    int per = 1;
    while (per < WARP && length > warps * per) per *= 2;
    for (i64 base = grid.warp() * per; base < length; base += warps * per) {
      i64 seg = base + lane_id();
      bool has = lane_id() < per && seg < length;
      i32 vertex = has ? (EVERY ? (i32)seg : (i32)__ldcg(items + seg)) : 0;
      i64 begin = has ? rows.begin(vertex) : 0;
      i64 degree = has ? rows.end(vertex) - begin : 0;
      edges += degree;
      bool hub = degree > SLICE;
      if (hub) {
        i64 at = slices.defer(vertex, begin, degree, seg);
        i64 number = (i64)atomicAdd((u64 *)hubs.count, 1ull);
        if (at >= 0) {
          hubs.vertices[number] = vertex;
          hubs.segs[number] = seg;
          hubs.first_slice[number] = at;
        }
        degree = 0;
      }
      mine[lane_id()] = start;
      __syncwarp();
      i32 after = warp_scan((i32)degree), before = after - (i32)degree;
      i32 total = __shfl_sync(ALL, after, WARP - 1);
      for (i32 first = 0; first < total; first += WARP) {
        i32 k = first + lane_id();
        int owner = k < total ? 0 : WARP;
        int found = warp_search(before, k);
        if (k < total) owner = found;
        i32 v = __shfl_sync(ALL, vertex, found);
        i64 row = __shfl_sync(ALL, begin, found);
        i32 rank = k - __shfl_sync(ALL, before, found);
        T x = k < total ? value(v, row + rank, rank, base + found) : start;
        // Reduce each run of lanes with one owner into the run's first lane.
        u32 same = __match_any_sync(ALL, owner);
        int run_end = WARP - __clz(same);
#pragma unroll
        for (int o = 1; o < WARP; o <<= 1) {
          T y = __shfl_down_sync(ALL, x, o);
          if (lane_id() + o < run_end) x = (T)functor.reduce(x, y);
        }
        bool leads = lane_id() == __ffs(same) - 1 && owner < WARP;
        if (leads) mine[owner] = (T)functor.reduce(mine[owner], x);
        __syncwarp();
      }
      if (has && !hub) finish(vertex, seg, mine[lane_id()], done);
      __syncwarp();
    }
    grid.count(edges, 0);
  }

  // After a barrier: each slice by one warp.
  __device__ void run_slices() {
    i64 count = min(load_fresh(slices.count), slices.capacity);
    for (i64 slice = grid.warp(); slice < count; slice += grid.warps()) {
      i32 vertex = __ldcg(slices.vertices + slice);
      i64 begin = __ldcg(slices.begins + slice), seg = __ldcg(slices.segs + slice);
      i64 row = rows.begin(vertex), end = min(begin + SLICE, rows.end(vertex));
      T x = start;
      if (COMMUTES) {
        for (i64 position = begin + lane_id(); position < end; position += WARP)
          x = (T)functor.reduce(x, value(vertex, position, position - row, seg));
        x = warp_reduce(x, Reduce{functor});
      } else {
        for (i64 first = begin; first < end; first += WARP) {
          i64 position = first + lane_id();
          T y = position < end ? value(vertex, position, position - row, seg) : start;
          x = (T)functor.reduce(x, warp_reduce(y, Reduce{functor}));
        }
      }
      if (lane_id() == 0) slice_values[slice] = x;
    }
  }

  // After another barrier: each hub's slices by one warp.
  template <class Done>
  __device__ void finish_hubs(Done done) {
    i64 count = load_fresh(hubs.count);
    for (i64 hub = grid.warp(); hub < count; hub += grid.warps()) {
      i32 vertex = __ldcg(hubs.vertices + hub);
      i64 seg = __ldcg(hubs.segs + hub), first = __ldcg(hubs.first_slice + hub);
      i64 n = (rows.degree(vertex) + SLICE - 1) / SLICE;
      i64 share = (n + WARP - 1) / WARP, low = min(n, share * lane_id()), high = min(n, low + share);
      T x = start;
      for (i64 i = low; i < high; i++) x = (T)functor.reduce(x, load_fresh(slice_values + first + i));
      x = warp_reduce(x, Reduce{functor});
      if (lane_id() == 0) finish(vertex, seg, x, done);
    }
  }

 private:
  struct Reduce {
    Functor functor;
    __device__ __forceinline__ T operator()(T a, T b) const { return (T)functor.reduce(a, b); }
  };

  __device__ __forceinline__ T value(i32 vertex, i64 position, i64 rank, i64 seg) const {
    i32 other = rows.neighbor(position);
    W weight = Functor::WEIGHT ? rows.weight(position) : W(0);
    i64 edge = Functor::EDGE ? rows.id(position) : position;
    return INWARD ? (T)functor.value(other, vertex, edge, weight, rank, position, seg, iteration)
                  : (T)functor.value(vertex, other, edge, weight, rank, position, seg, iteration);
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

template <class S, class Op>
struct Collect {
  S *total;
  Op op;
  template <class Functor, class T>
  __device__ __forceinline__ void operator()(const Functor &f, i32 vertex, T x, i64 seg, i32 iteration) {
    *total = op(*total, (S)f.apply(vertex, x, seg, iteration));
  }
};

}  // namespace minigr
