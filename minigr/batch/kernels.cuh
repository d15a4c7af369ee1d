// The kernels that Python launches: thin wrappers, one for each team size and memory space of the team.
#pragma once
#include "batch/hops.cuh"
#include "batch/paths.cuh"
#include "batch/together.cuh"

using namespace minigr;
using namespace minigr::batch;

#define WORK_PARAMETERS                                                                                        \
  const i64 *offsets, const i32 *indices, const i64 *starts, const i32 *unit_graph, const i32 *unit_first, i64 begin, \
      i64 end, i32 width
#define WORK \
  Work { offsets, indices, starts, unit_graph, unit_first, begin, end, width }
#define IN_PARAMETERS const i64 *in_offsets, const i32 *in_indices, const double *in_weights
#define IN \
  Rows { in_offsets, in_indices, in_weights }
#define FOR_EACH_TEAM(KERNELS) KERNELS(warp, 32, true) KERNELS(small, 128, true) KERNELS(large, 512, true) KERNELS(huge, 512, false)

#define KERNELS(NAME, T, SHARED)                                                                                       \
  extern "C" __global__ void __launch_bounds__(Team<T>::BLOCK)                                                          \
      distances_##NAME(WORK_PARAMETERS, const i64 *pair_offsets, char *memory, i64 bytes, i32 *out) {                   \
    distances<T, SHARED>(WORK, pair_offsets, memory, bytes, out);                                                       \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(Team<T>::BLOCK)                                                          \
      nearness_##NAME(WORK_PARAMETERS, const i64 *part_offsets, char *memory, i64 bytes, bool harmonic, double *parts) { \
    nearness<T, SHARED>(WORK, part_offsets, memory, bytes, harmonic, parts);                                            \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(Team<T>::BLOCK)                                                          \
      weighted_distances_##NAME(WORK_PARAMETERS, const double *weights, const i64 *pair_offsets, char *memory,          \
                                i64 bytes, double *out) {                                                              \
    weighted_distances<T, SHARED>(WORK, weights, pair_offsets, memory, bytes, out);                                     \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(Team<T>::BLOCK)                                                          \
      weighted_nearness_##NAME(WORK_PARAMETERS, const double *weights, char *memory, i64 bytes, bool harmonic,          \
                               double *score) {                                                                        \
    weighted_nearness<T, SHARED>(WORK, weights, memory, bytes, harmonic, score);                                        \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(Team<T>::BLOCK)                                                          \
      betweenness_##NAME(WORK_PARAMETERS, IN_PARAMETERS, const i64 *part_offsets, char *memory, i64 bytes, double ends, \
                         i32 *flags, double *parts) {                                                                  \
    betweenness<T, SHARED, false>(WORK, nullptr, IN, part_offsets, memory, bytes, ends, flags, parts);                  \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(Team<T>::BLOCK)                                                          \
      weighted_betweenness_##NAME(WORK_PARAMETERS, const double *weights, IN_PARAMETERS, const i64 *part_offsets,       \
                                  char *memory, i64 bytes, double ends, i32 *flags, double *parts) {                   \
    betweenness<T, SHARED, true>(WORK, weights, IN, part_offsets, memory, bytes, ends, flags, parts);                   \
  }
FOR_EACH_TEAM(KERNELS)
#undef KERNELS

#define KERNEL(NAME, T, SHARED)                                                                                        \
  extern "C" __global__ void __launch_bounds__(T)                                                                       \
      together_##NAME(WORK_PARAMETERS, IN_PARAMETERS, const i64 *part_offsets, char *memory, i64 bytes, double ends,    \
                      i32 *flags, double *parts) {                                                                     \
    betweenness_together<T, SHARED>(WORK, IN, part_offsets, memory, bytes, ends, flags, parts);                         \
  }
KERNEL(small, 128, true)
KERNEL(large, 512, true)
KERNEL(huge, 512, false)
#undef KERNEL

#define FOR_EACH(i, count) \
  for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (i64)gridDim.x * blockDim.x)

extern "C" __global__ void sum_nearness(const i64 *starts, const i32 *owners, i64 vertices, const i64 *part_offsets,
                                        bool harmonic, const double *parts, double *score) {
  FOR_EACH(v, vertices) {
    i32 graph = owners[v];
    i64 base = starts[graph];
    score[v] = centrality(parts + part_offsets[graph] + (v - base), (i32)(starts[graph + 1] - base), harmonic);
  }
}

extern "C" __global__ void sum_parts(const i64 *starts, const i32 *owners, i64 vertices, const i64 *part_offsets,
                                     i64 small, i32 small_width, i32 width, const double *scale, const double *parts,
                                     double *score) {
  FOR_EACH(v, vertices) {
    i32 graph = owners[v];
    i64 base = starts[graph], n = starts[graph + 1] - base;
    const double *part = parts + part_offsets[graph] + (v - base);
    double sum = 0;
    for (i64 first = 0; first < n; first += n <= small ? small_width : width, part += n) sum += *part;
    score[v] = sum * scale[graph];
  }
}
