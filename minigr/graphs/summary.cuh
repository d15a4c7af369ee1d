// The minimum, the sum and the maximum of weights.
#pragma once
#include "primitives/fold.cuh"

namespace minigr {

struct WeightSummary {
  double least, sum, greatest;

  __device__ WeightSummary() : least(infinity()), sum(0.0), greatest(-infinity()) {}
  static __device__ __forceinline__ double infinity() { return __longlong_as_double(0x7ff0000000000000ll); }

  __device__ __forceinline__ void add(double weight) {
    least = Min()(least, weight);
    sum += weight;
    greatest = Max()(greatest, weight);
  }

  // Combines the summaries of the threads of a block. `parts` has three rows with an element for each block.
  __device__ void write(double *parts) {
    least = block_reduce(least, Min(), infinity());
    sum = block_reduce(sum, Add(), 0.0);
    greatest = block_reduce(greatest, Max(), -infinity());
    if (threadIdx.x > 0) return;
    parts[blockIdx.x] = least;
    parts[gridDim.x + blockIdx.x] = sum;
    parts[2 * gridDim.x + blockIdx.x] = greatest;
  }
};

}  // namespace minigr
