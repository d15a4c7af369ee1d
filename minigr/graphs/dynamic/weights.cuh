// The summary of all weights that algorithms need.
#pragma once
#include "graphs/dynamic/slabs.cuh"
#include "graphs/summary.cuh"

namespace minigr {
namespace dynamic {

// The summary of the weights that a block reads goes into `parts`.
template <class T>
__device__ void summarize_weights(const Slabs &graph, const T *weights, double *parts) {
  WeightSummary summary;
  const i64 lanes = graph.slabs * LANES, step = (i64)gridDim.x * blockDim.x;
  for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < lanes; i += step)
    if (i % LANES < KEYS && graph.pool[i] >= 0) summary.add((double)weights[i]);
  summary.write(parts);
}

}  // namespace dynamic
}  // namespace minigr
