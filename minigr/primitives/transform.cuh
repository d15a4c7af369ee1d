// transform: stores a function of each index. All threads of the grid call it together.
#pragma once
#include "jit/warp.cuh"

namespace minigr {

template <class Value, class T>
__device__ void transform(i64 count, Value value, T *out) {
  const i64 threads = (i64)gridDim.x * blockDim.x;
  for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) out[i] = (T)value(i);
}

// Calls a function for its effects.
template <class Value>
__device__ void for_each(i64 count, Value value) {
  const i64 threads = (i64)gridDim.x * blockDim.x;
  for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) value(i);
}

}  // namespace minigr
