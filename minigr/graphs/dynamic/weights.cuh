// The summary of all weights that algorithms need.
#pragma once
#include "graphs/dynamic/slabs.cuh"
#include "primitives/fold.cuh"

namespace minigr {
namespace dynamic {

// The minimum, the sum and the maximum of the weights that a block reads. `parts` has three rows with an element for each
// block.
template <class T>
__device__ void summarize_weights(const Slabs &graph, const T *weights, double *parts) {
  const double infinity = __longlong_as_double(0x7ff0000000000000ll);
  double least = infinity, sum = 0.0, greatest = -infinity;
  const i64 lanes = graph.slabs * LANES, step = (i64)gridDim.x * blockDim.x;
  for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < lanes; i += step) {
    if (i % LANES >= KEYS || graph.pool[i] < 0) continue;
    const double weight = (double)weights[i];
    least = Min()(least, weight);
    sum += weight;
    greatest = Max()(greatest, weight);
  }
  least = block_reduce(least, Min(), infinity);
  sum = block_reduce(sum, Add(), 0.0);
  greatest = block_reduce(greatest, Max(), -infinity);
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = least;
    parts[gridDim.x + blockIdx.x] = sum;
    parts[2 * gridDim.x + blockIdx.x] = greatest;
  }
}

}  // namespace dynamic
}  // namespace minigr
