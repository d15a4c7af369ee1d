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

template <class Functor, class NearSink, class FarSink>
struct NearFar {
  const Grid &grid;
  Functor functor;
  NearSink near;
  FarSink far;
  i32 *far_stamps;
  double *levels;
  i32 iteration;

  // Items below the threshold go near, others onto the far pile; those below `low` were near before and are dropped.
  __device__ void deal(const i32 *items, i64 length, i32 stamp, bool drops) {
    const double inf = __longlong_as_double(0x7ff0000000000000ll);
    double high = load_fresh(levels + 0), low = drops ? load_fresh(levels + 2) : -inf, least = inf;
    near.begin();
    far.begin();
    for (i64 base = grid.warp() * WARP; base < length; base += grid.warps() * WARP) {
      i64 i = base + lane_id();
      bool is_near = false, is_far = false;
      i32 vertex = 0;
      if (i < length) {
        vertex = __ldcg(items + i);
        double value = (double)functor.priority(vertex, iteration);
        bool open = value >= low && value < inf;
        is_near = open && value < high;
        is_far = open && !is_near && first_time(far_stamps, vertex, stamp);
        if (is_far && value < least) least = value;
      }
      near.push(is_near, vertex);
      far.push(is_far, vertex);
    }
    near.end();
    far.end();
#pragma unroll
    for (int o = WARP / 2; o; o >>= 1) {
      double other = __shfl_xor_sync(ALL, least, o);
      if (other < least) least = other;
    }
    if (lane_id() == 0 && least < inf) atomic_min_double(levels + 3, least);
  }
};

}  // namespace minigr
