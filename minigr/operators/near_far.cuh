// near_far: splits a frontier by priority, and later the far pile.
#pragma once
#include "operators/sink.cuh"

namespace minigr {

// A sink that splits: vertices below the threshold go near, and other vertices go onto the far pile. UNIQUE: the caller
// may push a vertex twice, so stamps must let each vertex go near only once in a step.
template <class Functor, class NearSink, class FarSink, bool UNIQUE>
struct Split {
  Functor functor;
  NearSink near;
  FarSink far;
  i32 *stamps;
  i32 *far_stamps;
  i32 far_stamp;
  i32 iteration;
  double low;  // vertices below this were near before and are dropped
  double high, least;

  static __device__ __forceinline__ double infinity() { return __longlong_as_double(0x7ff0000000000000ll); }

  __device__ __forceinline__ void begin() {
    high = near.grid.real(WORD_LEVELS);
    least = infinity();
    near.begin();
    far.begin();
  }

  __device__ __forceinline__ void push(bool has, i32 vertex) {
    bool is_near = false, is_far = false;
    if (has) {
      double value = (double)functor.priority(vertex, iteration);
      bool open = value >= low && value < infinity();
      is_near = open && value < high && (!UNIQUE || first_time(near.grid, stamps, vertex, iteration));
      is_far = open && value >= high && first_time(near.grid, far_stamps, vertex, far_stamp);
      if (open && value >= high && value < least) least = value;  // also if the vertex waits already and its priority fell
    }
    near.push(is_near, vertex);
    far.push(is_far, vertex);
  }

  __device__ void end() {
    near.gather_left();
    far.gather_left();
    if (__any_sync(ALL, least < infinity())) {
      least = warp_min(least);
      if (lane_id() == 0) near.grid.lower_least(least);
    }
    __syncthreads();
    if (near.state->left == 0 && far.state->left == 0) return;  // the same for the whole block
    if (threadIdx.x == 0) near.make_room();
    if (threadIdx.x == WARP) far.make_room();
    __syncthreads();
    near.put_left();
    far.put_left();
  }
};

// Puts every item of a list through a split.
template <class SplitT>
__device__ void deal(Grid &grid, SplitT split, const i32 *items, i64 length) {
  split.begin();
  for (i64 base = grid.warp() * WARP; base < length; base += grid.warps() * WARP) {
    i64 i = base + lane_id();
    split.push(i < length, i < length ? __ldcg(items + i) : 0);
  }
  split.end();
}

}  // namespace minigr
