// advance: what happens to an edge of a frontier, and what is put out. Schedules assign the edges to lanes.
#pragma once
#include "operators/next_rows.cuh"
#include "operators/sink.cuh"
#include "schedules/tiles.cuh"

namespace minigr {

// Sends nothing. A graph that is not in parts needs no mail. A pull needs no mail either, because a pull puts out no
// vertex of another part.
struct SendNothing {
  __device__ __forceinline__ void operator()(bool, i32) const {}
};

// Functor has cond, apply and target, and states whether it asks for weights. OUTPUT: 'v' for vertices, 'e' for edges,
// 'n' for nothing. UNIQUE: put out a vertex once, by stamps. COUNTS: sum the degrees of the vertices that are put out.
// REVERSED: a push goes along in-edges. `Send` is called for vertices that are let through and that belong to another
// part. This file has the push; pulled.cuh has the pull.
template <class Functor, class W, class Rows, char OUTPUT, bool UNIQUE, bool COUNTS, bool REVERSED, class SinkT,
          class Send = SendNothing>
struct Advance {
  static constexpr bool VERTICES = OUTPUT == 'v', EDGES = OUTPUT == 'e';
  Grid &grid;
  const Rows &out;
  Functor functor;
  SinkT sink;
  i32 *stamps;
  i32 iteration;
  Send send{};
  u64 edges = 0;
  NextRows<Rows, COUNTS> next{out};

  __device__ __forceinline__ void begin() { sink.begin(); }
  __device__ __forceinline__ void meet(i32 vertex, i64 arcs) { edges += arcs; }

  template <class Tiles>
  __device__ __forceinline__ void tiles(const Tiles &tiles) {
    tiles.each([&](bool has, const Tile &at) { visit(has, at); });
  }
  template <int LANES, class Leave>
  __device__ __forceinline__ void group(const Tile &tile, i32 count, Leave) {
    each_of_group<LANES, Rows::BY_LINES>(tile, count, [&](bool has, const Tile &at) { visit(has, at); });
  }
  __device__ __forceinline__ void edge(bool has, i32 src, i32 dst, i64 position) {
    edges += has;
    take(has && pass(src, dst, position, 0, 0, src), src, dst, position);
  }
  __device__ __forceinline__ void end() {
    sink.end();
    grid.count(edges, next.template end<Functor::WEIGHT, !REVERSED>(grid));
  }

  // Whether an edge is let through. If it is, this calls the functor's `apply`.
  __device__ __forceinline__ bool let(const Rows &rows, i32 src, i32 dst, i64 position, i64 edge, i64 rank, i64 idx, i64 seg) {
    const W weight = Functor::WEIGHT ? rows.weight(position) : W(0);
    if (!functor.cond(src, dst, edge, weight, rank, idx, seg, iteration)) return false;
    functor.apply(src, dst, edge, weight, rank, idx, seg, iteration);
    return true;
  }

 private:
  __device__ __forceinline__ void visit(bool has, const Tile &at) {
    arcs_at(
        out, has, at.vertex, at.begin, at.seg,
        [&](i32 src, i32 dst, i64 edge, i64 seg, bool first) { return pass(src, dst, edge, first ? at.rank : 0, first ? at.idx : 0, seg); },
        [&](bool keep, i32 src, i32 dst, i64 edge) { take(keep, src, dst, edge); });
  }
  __device__ __forceinline__ bool pass(i32 src, i32 dst, i64 position, i64 rank, i64 idx, i64 seg) {
    if (!functor.target(dst, iteration)) return false;
    grid.across.look_at(dst, iteration);
    return let(out, src, dst, position, id(src, dst, position), rank, idx, seg);
  }
  __device__ __forceinline__ i64 id(i32 src, i32 dst, i64 position) const {
    return REVERSED ? out.id(position, dst, src) : position;
  }

  // All lanes call this together. `keep` is set for the edges that were let through.
  __device__ __forceinline__ void take(bool keep, i32 src, i32 dst, i64 position) {
    const bool away = VERTICES && keep && !grid.across.owns(dst);
    send(away, dst);
    keep &= !away;
    if (UNIQUE && keep) keep = first_time(grid, stamps, dst, iteration);
    if (VERTICES && keep) next.put(dst);
    sink.push(keep, !EDGES ? dst : keep ? id(src, dst, position) : position);
  }
};

}  // namespace minigr
