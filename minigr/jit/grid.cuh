// A grid of co-resident blocks that runs a whole loop: barriers, the control block, counters.
//
// Every operator is a device function that all threads of the grid call together. Lengths stand in device memory, in
// the control block (minigr/enactor/control.py), so nothing in a loop returns to the host. Phases are separated by
// Grid::barrier; the last block to arrive runs the phase's completion while all others wait, so what it does to the
// control block needs no atomics.
#pragma once
#include "jit/warp.cuh"

namespace minigr {

// Counters of a block, added to the control block once a phase.
struct BlockCounters {
  u64 edges;       // edges looked at
  u64 next_edges;  // sum of the degrees of the vertices put out
};

__device__ __forceinline__ BlockCounters &block_counters() {
  __shared__ BlockCounters counters;
  return counters;
}

// The words of the control block that steer a loop, as of the last barrier that could change them.
__device__ __forceinline__ i64 *steering_words() {
  __shared__ i64 words[STEERING_WORDS];
  return words;
}

struct Grid {
  u32 *sync;  // [0] blocks that arrived, [32] generation
  i64 *control;

  // All threads, before anything else.
  __device__ void begin() const {
    if (threadIdx.x == 0) block_counters() = BlockCounters{0, 0};
    if (threadIdx.x < STEERING_WORDS) steering_words()[threadIdx.x] = load_fresh(control + threadIdx.x);
    __syncthreads();
  }

  // A word of the control block: from shared memory where only completions write it.
  __device__ __forceinline__ i64 word(int w) const {
    return w < STEERING_WORDS ? steering_words()[w] : load_fresh(control + w);
  }
  __device__ __forceinline__ i64 thread() const { return (i64)blockIdx.x * blockDim.x + threadIdx.x; }
  __device__ __forceinline__ i64 threads() const { return (i64)gridDim.x * blockDim.x; }
  __device__ __forceinline__ i64 warp() const { return thread() / WARP; }
  __device__ __forceinline__ i64 warps() const { return threads() / WARP; }

  // All blocks wait for each other.
  __device__ void barrier() const {
    u32 generation;
    if (arrive(generation)) {
      if (threadIdx.x == 0) release(generation);
    } else if (threadIdx.x == 0) {
      wait(generation);
    }
    __syncthreads();
  }

  // All blocks wait for each other. The last one to come runs `fold` with all its threads, then `complete` with one. What
  // `complete` is given is a copy of the control block in shared memory, because a single thread that went to global
  // memory word by word would keep the whole grid waiting for microseconds.
  template <class Fold, class Complete>
  __device__ void barrier(Fold fold, Complete complete) const {
    __shared__ i64 copy[CONTROL_WORDS];
    u32 generation;
    if (arrive(generation)) {
      for (int i = threadIdx.x; i < CONTROL_WORDS; i += blockDim.x) copy[i] = load_fresh(control + i);
      fold();
      __syncthreads();
      if (threadIdx.x == 0) complete(copy);
      __syncthreads();
      for (int i = threadIdx.x; i < CONTROL_WORDS; i += blockDim.x) *(volatile i64 *)(control + i) = copy[i];
      if (threadIdx.x < STEERING_WORDS) steering_words()[threadIdx.x] = copy[threadIdx.x];
      __syncthreads();
      if (threadIdx.x == 0) release(generation);
    } else if (threadIdx.x < WARP) {
      if (threadIdx.x == 0) wait(generation);
      __syncwarp();
      if (threadIdx.x < STEERING_WORDS) steering_words()[threadIdx.x] = load_fresh(control + threadIdx.x);
    }
    __syncthreads();
  }

  // What every thread counted, summed by warp into the block's counters.
  __device__ __forceinline__ void count(u64 edges, u64 next_edges) const {
    edges = warp_sum(edges);
    next_edges = warp_sum(next_edges);
    if (lane_id() == 0) {
      if (edges) atomicAdd(&block_counters().edges, edges);
      if (next_edges) atomicAdd(&block_counters().next_edges, next_edges);
    }
  }

 private:
  // True for all threads of the last block to come. The fences on both sides of the arrival make what any thread wrote
  // before visible to every thread after, and drop what the L1 caches hold.
  __device__ bool arrive(u32 &generation) const {
    __shared__ bool is_last;
    __syncthreads();
    if (threadIdx.x == 0) {
      BlockCounters &counters = block_counters();
      if (counters.edges) atomicAdd((u64 *)(control + WORD_EDGES), counters.edges);
      if (counters.next_edges) atomicAdd((u64 *)(control + WORD_NEXT_EDGES), counters.next_edges);
      counters = BlockCounters{0, 0};
      generation = load_fresh(sync + 32);
      __threadfence();
      is_last = atomicAdd(sync, 1) == gridDim.x - 1;
      __threadfence();
    }
    __syncthreads();
    return is_last;
  }

  __device__ void release(u32 generation) const {
    *(volatile u32 *)sync = 0;
    __threadfence();
    atomicExch(sync + 32, generation + 1);
  }

  __device__ void wait(u32 generation) const {
    while (load_fresh(sync + 32) == generation) {
    }
    __threadfence();
  }
};

}  // namespace minigr
