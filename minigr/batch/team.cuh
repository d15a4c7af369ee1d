// Who works on a unit: a warp, or a block. And what a unit is.
#pragma once
#include "jit/warp.cuh"

namespace minigr {
namespace batch {

// T threads that work together: 32 are a warp of a block of several, more are a block.
template <int T>
struct Team {
  static constexpr int BLOCK = T == WARP ? TEAMS_OF_A_BLOCK * WARP : T;

  __device__ __forceinline__ static int rank() { return T == WARP ? lane_id() : threadIdx.x; }
  __device__ __forceinline__ static i64 number() {
    return T == WARP ? (i64)blockIdx.x * TEAMS_OF_A_BLOCK + threadIdx.x / WARP : blockIdx.x;
  }
  __device__ __forceinline__ static i64 teams() { return (i64)gridDim.x * (T == WARP ? TEAMS_OF_A_BLOCK : 1); }
  __device__ __forceinline__ static int within_block() { return T == WARP ? threadIdx.x / WARP : 0; }

  __device__ __forceinline__ static void sync() {
    if constexpr (T == WARP) __syncwarp();
    else __syncthreads();
  }

  // Whether any of the team says so; memory is in order afterwards, as after `sync`.
  __device__ __forceinline__ static bool any(bool mine) {
    if constexpr (T == WARP) {
      bool found = __any_sync(ALL, mine);
      __syncwarp();
      return found;
    } else {
      return __syncthreads_or(mine);
    }
  }

  // The sum over the team, for all of it; in one order always.
  __device__ __forceinline__ static double sum(double mine) {
    double total = warp_sum(mine);
    if constexpr (T > WARP) {
      __shared__ double sums[T / WARP];
      if (lane_id() == 0) sums[threadIdx.x / WARP] = total;
      __syncthreads();
      total = 0;
      for (int i = 0; i < T / WARP; i++) total += sums[i];
      __syncthreads();
    }
    return total;
  }
};

// The batch, and which units a launch is over.
struct Work {
  const i64 *offsets;      // of the rows that are read
  const i32 *indices;
  const i64 *starts;       // of the graphs' vertices
  const i32 *unit_graph, *unit_first;
  i64 begin, end;          // units
  i32 width;               // the most vertices that one is to search from
};

// Some vertices of a graph.
struct Unit {
  i64 base;  // of the graph's vertices
  i32 graph, n, first, count;

  __device__ __forceinline__ Unit(const Work &work, i64 i) {
    graph = work.unit_graph[i];
    first = work.unit_first[i];
    base = work.starts[graph];
    n = (i32)(work.starts[graph + 1] - base);
    count = min(work.width, n - first);
  }
};

// A team's own memory: a share of the block's shared memory, or of an array where a graph is too large for that.
template <int T, bool SHARED>
__device__ __forceinline__ char *own_memory(char *global, i64 bytes) {
  extern __shared__ __align__(16) char shared[];
  if constexpr (SHARED) return shared + Team<T>::within_block() * bytes;
  else return global + Team<T>::number() * bytes;
}

}  // namespace batch
}  // namespace minigr
