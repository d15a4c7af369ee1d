// The functions of minigr/jit/warps.py on a GPU, by the names that numba_intrinsics.py uses.
#pragma once
#include "jit/warp.cuh"

namespace minigr {

// One of the lanes that call this function together with the same cell changes the cell for all of them. Each lane gets the
// value that it would have found if the lanes had changed the cell in their order.
template <class T, class Combine, class Change>
__device__ __forceinline__ T change_together(T *cell, T value, Combine combine, Change change) {
  const u32 together = __activemask(), peers = __match_any_sync(together, (u64)cell), below = peers & lanes_below();
  const int last = WARP - 1 - __clz(peers), before = below ? WARP - 1 - __clz(below) : lane_id();
  // `combined` covers the peers after `next` up to this lane. After a few turns it covers all peers up to this lane.
  T combined = value;
  int next = below ? before : -1;
  while (__any_sync(together, next >= 0)) {
    const int from = next < 0 ? lane_id() : next;
    const T earlier = __shfl_sync(together, combined, from);
    const int further = __shfl_sync(together, next, from);
    if (next >= 0) combined = combine(earlier, combined), next = further;
  }
  T found = value;
  if (lane_id() == last) found = change(cell, combined);
  found = __shfl_sync(together, found, last);
  const T earlier = __shfl_sync(together, combined, before);
  return below ? combine(found, earlier) : found;
}

struct Sum {
  template <class T>
  __device__ T operator()(T a, T b) const { return a + b; }
  template <class T>
  static __device__ T change(T *cell, T value) {
    if constexpr (sizeof(T) == 8 && T(0.5) == 0) return (T)atomicAdd((u64 *)cell, (u64)value);
    else return atomicAdd(cell, value);
  }
};

struct Union {
  template <class T>
  __device__ T operator()(T a, T b) const { return a | b; }
  template <class T>
  static __device__ T change(T *cell, T value) { return atomicOr(cell, value); }
};

// The bits of floats have the order of the floats, except that the order of negative floats is reversed. NaN is no extremum.
template <bool LEAST>
struct Extremum {
  template <class T>
  __device__ T operator()(T a, T b) const { return (LEAST ? b < a : b > a) || a != a ? b : a; }
  template <class T>
  static __device__ T change(T *cell, T value) {
    if constexpr (T(0.5) == 0) {
      return LEAST ? atomicMin(cell, value) : atomicMax(cell, value);
    } else if constexpr (sizeof(T) == 4) {
      const i32 bits = __float_as_int(value);
      if (bits < 0) return __uint_as_float(LEAST ? atomicMax((u32 *)cell, (u32)bits) : atomicMin((u32 *)cell, (u32)bits));
      return __int_as_float(LEAST ? atomicMin((i32 *)cell, bits) : atomicMax((i32 *)cell, bits));
    } else {
      const i64 bits = __double_as_longlong(value);
      const u64 found = bits < 0 ? (LEAST ? atomicMax((u64 *)cell, (u64)bits) : atomicMin((u64 *)cell, (u64)bits))
                                 : (u64)(LEAST ? atomicMin((i64 *)cell, bits) : atomicMax((i64 *)cell, bits));
      return __longlong_as_double((i64)found);
    }
  }
};

}  // namespace minigr

#define AGGREGATED(NAME, T, OPERATION)                                                                      \
  extern "C" __device__ T NAME(T *cell, T value) {                                                          \
    return minigr::change_together(cell, value, OPERATION(), [](T *p, T x) { return OPERATION::change(p, x); }); \
  }
#define AGGREGATED_EACH(T, DTYPE)                                             \
  AGGREGATED(minigr_warp_add_##DTYPE, T, minigr::Sum)                         \
  AGGREGATED(minigr_warp_min_##DTYPE, T, minigr::Extremum<true>)              \
  AGGREGATED(minigr_warp_max_##DTYPE, T, minigr::Extremum<false>)

AGGREGATED_EACH(minigr::i32, int32)
AGGREGATED_EACH(minigr::i64, int64)
AGGREGATED_EACH(float, float32)
AGGREGATED_EACH(double, float64)
AGGREGATED(minigr_warp_or_int32, minigr::i32, minigr::Union)
AGGREGATED(minigr_warp_or_int64, minigr::i64, minigr::Union)

extern "C" __device__ int minigr_warp_any(int condition) { return __any_sync(__activemask(), condition); }
extern "C" __device__ int minigr_warp_all(int condition) { return __all_sync(__activemask(), condition); }
extern "C" __device__ int minigr_warp_elect(int condition) {
  const unsigned chosen = __ballot_sync(__activemask(), condition);
  return __ffs(chosen) - 1 == minigr::lane_id();
}
