// neighbor_reduce: the value of an edge, and the use of a vertex's result. Schedules assign the edges to lanes, and
// schedules/reduce.cuh reduces the values. The data that `apply` reads at a vertex is fetched while the vertex's edges
// are read.
#pragma once
#include "operators/results.cuh"
#include "operators/sink.cuh"
#include "schedules/reduce.cuh"

namespace minigr {

// Functor has value, reduce, apply and keep. T: the type in which values are reduced. INWARD: reduce over in-edges.
// COMMUTES_: the reduction may take edges in any order. STORE: 'v' stores results by vertex, 'p' by position in the
// frontier, 'n' nowhere. `done` is called with each result.
template <class Functor, class W, class Rows, class T, bool INWARD, bool COMMUTES_, char STORE, class Done, class SinkT>
struct NeighborReduce {
  static constexpr bool WEIGHT = Functor::WEIGHT, READS_ONLY = Functor::READS_ONLY, COMMUTES = COMMUTES_;
  Grid &grid;
  const Rows &rows;
  Functor functor;
  T start;
  Arrays<T> results;
  Done done;
  SinkT sink;
  i32 iteration;
  u64 edges = 0;

  struct Reduce {
    Functor functor;
    __device__ __forceinline__ T operator()(T a, T b) const { return (T)functor.reduce(a, b); }
  };
  __device__ __forceinline__ Reduce op() const { return {functor}; }

  __device__ __forceinline__ void begin() { sink.begin(); }
  __device__ __forceinline__ void end() {
    sink.end();
    grid.count(edges, 0);
  }
  __device__ __forceinline__ void meet(i32 vertex, i64 arcs) {
    functor.fetch_vertex(vertex);
    edges += arcs;
  }

  template <class Tiles>
  __device__ __forceinline__ void tiles(const Tiles &tiles) {
    TileReduction<Rows, W, T, NeighborReduce>{rows, *this}.each_of_warp(tiles, start);
  }
  template <int LANES, class Leave>
  __device__ __forceinline__ void group(const Tile &tile, i32 count, Leave leave) {
    T x = start;
    const bool any = TileReduction<Rows, W, T, NeighborReduce>{rows, *this}.template group<LANES>(tile, count, x);
    leave(lane_id() % LANES == 0, any, x);
  }

  // All lanes call this together; `has` is set for the lanes that have a vertex. `start` need not be an identity. So it
  // enters a reduction here, exactly once.
  __device__ __forceinline__ void finish(bool has, i32 vertex, i64 seg, bool any, T x) {
    bool keep = false;
    if (has) {
      x = any ? (T)functor.reduce(start, x) : start;
      if (STORE != 'n') results.put(STORE == 'v' ? vertex : seg, x);
      keep = functor.keep(vertex, x, seg, iteration);
      done(functor, vertex, x, seg, iteration);
    }
    sink.push(keep, vertex);
  }

  template <class Walk>
  __device__ __forceinline__ auto value(const Tile &tile, const Walk &walk, int j, i32 other, W weight) const {
    const i64 position = walk.position(j);
    const i32 src = INWARD ? other : tile.vertex, dst = INWARD ? tile.vertex : other;
    const i64 edge = Functor::EDGE && walk.has(j) ? rows.id(position, src, dst) : position;
    return functor.value(src, dst, edge, weight, tile.rank + walk.offset(j), tile.idx + walk.offset(j), tile.seg, iteration);
  }
};

}  // namespace minigr
