// Reductions of tiles: a group of lanes reduces the values of the edges of a row, or of a part of a row, to one value.
//
// Several edges are taken at a time: the loads of all of them are in flight before the first one is reduced.
#pragma once
#include "primitives/fold.cuh"
#include "schedules/tiles.cuh"

namespace minigr {

// `Values` belongs to one operator. It has
// - value(tile, walk, j, other, weight): the value of the j-th of the edges that a walk holds at once, to the vertex
//   `other`;
// - op(): the reduction, which combines two values of type T;
// - WEIGHT: whether `value` asks for the weight;
// - READS_ONLY: whether `value` may be called where there is no edge. Then the loads depend on no condition, and are
//   in flight together;
// - COMMUTES: whether `op` takes values in any order.
template <class Rows, class W, class T, class Values>
struct TileReduction {
  static constexpr bool COMMUTES = Values::COMMUTES || Rows::GAPS;  // rows with gaps have no order
  const Rows &rows;
  Values &values;

  template <int LANES>
  using Walk = typename Rows::template Walk<LANES, Values::WEIGHT>;

  // Called by one lane. Returns false, and leaves x unchanged, if there are no edges.
  __device__ __forceinline__ bool alone(const Tile &tile, i32 count, T &x) const {
    return accumulate(tile, Walk<1>(rows, tile.begin, count), x);
  }

  // Called by groups of LANES lanes, by all groups of the warp together, each with its own tile. The first lane of the
  // group gets the result in x, and returns whether there is a result.
  template <int LANES>
  __device__ __forceinline__ bool group(const Tile &tile, i32 count, T &x) const {
    const i32 lane = lane_id() % LANES;
    if (COMMUTES || LANES == 1) {
      Walk<LANES> walk(rows, tile.begin, count);
      if constexpr (Rows::BY_LINES) walk.align();
      const bool any = accumulate(tile, walk, x);
      if (Rows::GAPS || Rows::BY_LINES) return warp_reduce_some<LANES>(any, x, values.op());
      x = warp_reduce<LANES>(x, values.op(), min(count, LANES));
      return any;
    }
    for (i32 first = 0; LANES == WARP ? first < count : __any_sync(ALL, first < count); first += LANES) {
      const i32 here = min(count - first, LANES);
      const Tile part{tile.vertex, tile.begin + first, tile.rank + first, tile.idx + first, tile.seg};
      T y{};
      if (lane < here) {
        const Walk<LANES> walk(rows, part.begin, here);
        y = (T)values.value(part, walk, 0, walk.entry(0, tile.vertex), weight(walk, 0));
      }
      y = warp_reduce<LANES>(y, values.op(), here);
      if (first < count) x = first == 0 ? y : values.op()(x, y);
    }
    return count > 0;
  }

  // All lanes of a warp call this together. Each lane has a tile, and its result goes to tiles.leave. Each short tile
  // is reduced by its lane. The warp reduces the other tiles one after the other. A tile without edges has the result
  // `x`.
  template <class Tiles>
  __device__ __forceinline__ void each_of_warp(const Tiles &tiles, T x) const {
    bool any = false;
    if (tiles.count > 0 && tiles.is_short()) any = alone(tiles.mine(), tiles.count, x);
    for (u32 wide = __ballot_sync(ALL, tiles.count > 0 && !tiles.is_short()); wide; wide &= wide - 1) {
      const int owner = __ffs(wide) - 1;
      T y{};
      const bool some = group<WARP>(tiles.of(owner), __shfl_sync(ALL, tiles.count, owner), y);
      y = shuffle(y, 0);
      const bool here = !Rows::GAPS || __shfl_sync(ALL, (int)some, 0);
      if (lane_id() == owner) {
        any = here;
        x = y;
      }
    }
    tiles.leave(values, any, x);
  }

 private:
  typedef decltype(((const Values *)nullptr)->value(Tile{}, *(const Walk<1> *)nullptr, 0, 0, W(0))) Value;

  template <class Walk>
  __device__ __forceinline__ W weight(const Walk &walk, int j) const {
    return Values::WEIGHT ? walk.weight(j) : W(0);
  }

  template <class Walk>
  __device__ __forceinline__ bool accumulate(const Tile &tile, Walk walk, T &x) const {
    bool any = false;
#pragma unroll 1
    for (; walk.more(); walk.next()) {
      i32 others[Walk::SIZE];
      W weights[Walk::SIZE];
      Value batch[Walk::SIZE];
#pragma unroll
      for (int j = 0; j < Walk::SIZE; j++) {
        others[j] = walk.entry(j, tile.vertex);
        weights[j] = weight(walk, j);
      }
#pragma unroll
      for (int j = 0; j < Walk::SIZE; j++)
        if ((Values::READS_ONLY && !Rows::BY_LINES) || walk.has(j)) batch[j] = values.value(tile, walk, j, others[j], weights[j]);
#pragma unroll
      for (int j = 0; j < Walk::SIZE; j++) {
        if (!walk.has(j)) continue;
        x = any ? values.op()(x, (T)batch[j]) : (T)batch[j];
        any = true;
      }
    }
    return any;
  }
};

}  // namespace minigr
