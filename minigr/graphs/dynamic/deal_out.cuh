// Dealing a large batch out by owner, so that arcs that are worked on at one time meet in slabs that are in the L2 cache.
//
// Two passes: parts are counted, then arcs are written to their parts, a tile of a block at a time so that those of one
// part go next to one another. The order within a part depends on which block was quicker.
#pragma once
#include "graphs/dynamic/update.cuh"

namespace minigr {
namespace dynamic {

constexpr int PARTS = 128;
constexpr int ARCS_OF_A_THREAD = 16;

// Add the number of arcs in each part, owner >> shift, to `counts`. The block's.
__device__ __forceinline__ void count_parts(const Batch &batch, int shift, u64 *counts) {
  __shared__ u32 here[PARTS];
  for (int part = threadIdx.x; part < PARTS; part += blockDim.x) here[part] = 0;
  __syncthreads();
  for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < batch.arcs(); i += (i64)gridDim.x * blockDim.x) {
    i32 owner, key;
    if (batch.arc(i, owner, key)) atomicAdd(here + (owner >> shift), 1u);
  }
  __syncthreads();
  for (int part = threadIdx.x; part < PARTS; part += blockDim.x)
    if (here[part]) atomicAdd(counts + part, (u64)here[part]);
}

// Write the arcs to their parts; `cursors` says where each part goes on. The block's.
__device__ __forceinline__ void deal_out(const Batch &batch, int shift, u64 *cursors, i32 *owners, i32 *keys) {
  __shared__ u32 here[PARTS];
  __shared__ u64 begins[PARTS];
  const i64 tile = (i64)blockDim.x * ARCS_OF_A_THREAD;
  for (i64 first = blockIdx.x * tile; first < batch.arcs(); first += gridDim.x * tile) {
    for (int part = threadIdx.x; part < PARTS; part += blockDim.x) here[part] = 0;
    __syncthreads();
    i32 owner[ARCS_OF_A_THREAD], key[ARCS_OF_A_THREAD], rank[ARCS_OF_A_THREAD];
#pragma unroll
    for (int k = 0; k < ARCS_OF_A_THREAD; ++k) {
      i64 i = first + k * blockDim.x + threadIdx.x;
      rank[k] = -1;
      if (i < batch.arcs() && batch.arc(i, owner[k], key[k])) rank[k] = (i32)atomicAdd(here + (owner[k] >> shift), 1u);
    }
    __syncthreads();
    for (int part = threadIdx.x; part < PARTS; part += blockDim.x)
      if (here[part]) begins[part] = atomicAdd(cursors + part, (u64)here[part]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ARCS_OF_A_THREAD; ++k) {
      if (rank[k] < 0) continue;
      u64 at = begins[owner[k] >> shift] + rank[k];
      owners[at] = owner[k];
      keys[at] = key[k];
    }
    __syncthreads();
  }
}

}  // namespace dynamic
}  // namespace minigr
