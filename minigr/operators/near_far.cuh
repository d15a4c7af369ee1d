// near_far: a frontier, and later the far pile, split by priority.
//
// `levels` holds the threshold, the band width, the threshold before, and the least priority parked.
#pragma once
#include "operators/sink.cuh"

namespace minigr {

// Lower *p to x; x may have any sign but is not NaN. The order of doubles is that of their bits as signed integers where
// the sign bit is clear, and the reverse of their order as unsigned ones where it is set.
__device__ __forceinline__ void atomic_min_double(double *p, double x) {
  i64 bits = __double_as_longlong(x);
  if (bits >= 0)
    atomicMin((i64 *)p, bits);
  else
    atomicMax((u64 *)p, (u64)bits);
}

// A sink that splits: vertices below the threshold go near, others onto the far pile. UNIQUE: whoever puts vertices out may
// put one out twice, so stamps must let each go near once a step.
template <class Functor, class NearSink, class FarSink, bool UNIQUE>
struct Split {
  Functor functor;
  NearSink near;
  FarSink far;
  i32 *stamps;
  i32 *far_stamps;
  i32 far_stamp;
  double *levels;
  i32 iteration;
  double low;  // vertices below were near before and are dropped
  double high, least;

  static __device__ __forceinline__ double infinity() { return __longlong_as_double(0x7ff0000000000000ll); }

  __device__ __forceinline__ void begin() {
    high = load_fresh(levels);
    least = infinity();
    near.begin();
    far.begin();
  }

  __device__ __forceinline__ void push(bool has, i32 vertex) {
    bool is_near = false, is_far = false;
    if (has) {
      double value = (double)functor.priority(vertex, iteration);
      bool open = value >= low && value < infinity();
      is_near = open && value < high && (!UNIQUE || first_time(stamps, vertex, iteration));
      is_far = open && value >= high && first_time(far_stamps, vertex, far_stamp);
      if (open && value >= high && value < least) least = value;  // also of one that waits already, whose priority fell
    }
    near.push(is_near, vertex);
    far.push(is_far, vertex);
  }

  __device__ void end() {
    near.end();
    far.end();
#pragma unroll
    for (int o = WARP / 2; o; o >>= 1) {
      double other = __shfl_xor_sync(ALL, least, o);
      if (other < least) least = other;
    }
    if (lane_id() == 0 && least < infinity()) atomic_min_double(levels + 3, least);
  }
};

// Put every item of a list through a split.
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
