// Teams, the warps or blocks that work on a unit, and units.
#pragma once
#include "jit/warp.cuh"

namespace minigr {
namespace batch {

// T threads that work together. 32 threads are one warp of a block that has several teams; more threads are a block.
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

  // Whether `mine` is true for any thread of the team. Like `sync`, this orders memory accesses.
  __device__ __forceinline__ static bool any(bool mine) {
    if constexpr (T == WARP) {
      bool found = __any_sync(ALL, mine);
      __syncwarp();
      return found;
    } else {
      return __syncthreads_or(mine);
    }
  }

  // The sum over the team, for all of its threads. The order of the terms is always the same.
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

// The batch, and the units of a launch.
struct Work {
  const i64 *offsets;      // of the rows that the kernel reads
  const i32 *indices;
  const i64 *starts;       // where the vertices of each graph start
  const i32 *unit_graph, *unit_first;
  i64 begin, end;          // units
  i32 width;               // the most sources in a unit
};

// Some vertices of a graph, which are the sources of searches.
struct Unit {
  i64 base;  // where the vertices of the graph start
  i32 graph, n, first, count;

  __device__ __forceinline__ Unit(const Work &work, i64 i) {
    graph = work.unit_graph[i];
    first = work.unit_first[i];
    base = work.starts[graph];
    n = (i32)(work.starts[graph + 1] - base);
    count = min(work.width, n - first);
  }
};

// The memory of a team: a share of the shared memory of the block, or of an array if the graph is too large for that.
template <int T, bool SHARED>
__device__ __forceinline__ char *own_memory(char *global, i64 bytes) {
  extern __shared__ __align__(16) char shared[];
  if constexpr (SHARED) return shared + Team<T>::within_block() * bytes;
  else return global + Team<T>::number() * bytes;
}

}  // namespace batch
}  // namespace minigr
