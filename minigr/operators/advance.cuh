// advance: what is done with an edge of a frontier, and what comes out. Schedules deal out the edges.
#pragma once
#include "operators/sink.cuh"
#include "schedules/pull.cuh"
#include "schedules/tiles.cuh"

namespace minigr {

enum class Output { NONE, VERTICES, EDGES };

// What a program says of an advance. Functor has cond, apply and target, and says whether it asks for weights.
template <class Functor_, class W_, Output OUTPUT_, bool UNIQUE_, bool REPEATS_, bool COUNTS_, bool REVERSED_>
struct AdvanceTraits {
  typedef Functor_ Functor;
  typedef W_ W;
  static constexpr Output OUTPUT = OUTPUT_;
  static constexpr bool UNIQUE = UNIQUE_;    // by stamps
  static constexpr bool REPEATS = REPEATS_;  // a pull puts out a vertex once for each edge, instead of once in all
  static constexpr bool COUNTS = COUNTS_;    // sum the degrees of what is put out
  static constexpr bool REVERSED = REVERSED_;  // a push goes along in-edges
};

template <class Traits, class Rows, class SinkT>
struct Advance {
  static constexpr bool VERTICES = Traits::OUTPUT == Output::VERTICES, EDGES = Traits::OUTPUT == Output::EDGES;
  static constexpr bool EACH = EDGES || (VERTICES && Traits::REPEATS);
  typedef typename Traits::W W;
  typedef typename Rows::Row Row;
  Grid &grid;
  const Rows &out, &in;
  typename Traits::Functor functor;
  SinkT sink;
  i32 *stamps;
  Bitmap frontier;  // of a pull
  i32 iteration;
  u64 edges = 0, next_edges = 0;
  Row last{};  // of the vertex put out last

  __device__ __forceinline__ void begin() { sink.begin(); }
  __device__ __forceinline__ void meet(i32 vertex, i64 arcs) { edges += arcs; }

  // ---- push: a schedule's tiles ------------------------------------------------------------------------------------

  template <class Tiles>
  __device__ __forceinline__ void tiles(const Tiles &tiles) {
    tiles.each([&](bool has, const Tile &at) { visit(has, at); });
  }
  template <int LANES, class Leave>
  __device__ __forceinline__ void group(const Tile &tile, i32 count, Leave) {
    each_of_group<LANES>(tile, count, [&](bool has, const Tile &at) { visit(has, at); });
  }
  __device__ __forceinline__ void edge(bool has, i32 src, i32 dst, i64 position) {
    edges += has;
    take(has && pass(src, dst, position, 0, 0, src), src, dst, position);
  }

  // ---- pull: a schedule's searches ---------------------------------------------------------------------------------

  __device__ __forceinline__ bool target(i32 dst) const { return functor.target(dst, iteration); }
  __device__ __forceinline__ bool look(i32 src, i32 dst, i64 position, i64 begin) {
    return frontier.has(src) && let(in, src, dst, position, in.id(position, src, dst), position - begin, position, dst);
  }
  __device__ __forceinline__ void count(bool edge) { edges += edge; }
  __device__ __forceinline__ void found(bool hit, i32 dst, const Row &row) {
    if (Traits::COUNTS && hit) next_edges += row.edges();
    if (VERTICES && !Traits::REPEATS) put(hit, dst, 0);
  }
  __device__ __forceinline__ void put(bool keep, i32 dst, i64 edge) {
    if constexpr (EDGES)
      sink.push(keep, edge);
    else
      sink.push(keep, dst);
  }

  __device__ __forceinline__ void end() {
    sink.end();
    // The next step begins with these rows. In a short one every load is waited for, so they are fetched meanwhile.
    if (!Traits::REVERSED && last.length() > 0) grid.look_ahead(last.begin(), last.end());
    out.template fetch_row<Traits::Functor::WEIGHT>(last);
    grid.count(edges, Traits::COUNTS ? next_edges + last.edges() : 0);
  }

 private:
  __device__ __forceinline__ void visit(bool has, const Tile &at) {
    arcs_at(
        out, has, at.vertex, at.begin, at.seg,
        [&](i32 src, i32 dst, i64 edge, i64 seg, bool first) { return pass(src, dst, edge, first ? at.rank : 0, first ? at.idx : 0, seg); },
        [&](bool keep, i32 src, i32 dst, i64 edge) { take(keep, src, dst, edge); });
  }

  // Of an arc that a push goes along.
  __device__ __forceinline__ i64 id(i32 src, i32 dst, i64 position) const {
    return Traits::REVERSED ? out.id(position, dst, src) : position;
  }

  // Whether an edge is let through; what the functor does then is done.
  __device__ __forceinline__ bool pass(i32 src, i32 dst, i64 edge, i64 rank, i64 idx, i64 seg) {
    return functor.target(dst, iteration) && let(out, src, dst, edge, id(src, dst, edge), rank, idx, seg);
  }
  __device__ __forceinline__ bool let(const Rows &rows, i32 src, i32 dst, i64 position, i64 edge, i64 rank, i64 idx, i64 seg) {
    const W weight = Traits::Functor::WEIGHT ? rows.weight(position) : W(0);
    if (!functor.cond(src, dst, edge, weight, rank, idx, seg, iteration)) return false;
    functor.apply(src, dst, edge, weight, rank, idx, seg, iteration);
    return true;
  }

  // All lanes together: the edges that were let through.
  __device__ __forceinline__ void take(bool keep, i32 src, i32 dst, i64 position) {
    if (Traits::OUTPUT == Output::NONE) return;
    if (Traits::UNIQUE && keep) keep = first_time(grid, stamps, dst, iteration);
    if (VERTICES && keep) {
      // The loads are used one vertex later, so that nothing waits for them.
      if (Traits::COUNTS) next_edges += last.edges();
      last = out.row(dst);
    }
    put(keep, dst, EDGES && keep ? id(src, dst, position) : position);
  }
};

}  // namespace minigr
