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
  u32 generation;  // of the barrier to come; thread 0's

  // All threads, before anything else.
  __device__ void begin() {
    if (threadIdx.x == 0) {
      block_counters() = BlockCounters{0, 0};
      generation = load_fresh(sync + 32);
    }
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
  __device__ void barrier() {
    if (arrive()) {
      if (threadIdx.x == 0) release();
    } else if (threadIdx.x == 0) {
      wait();
    }
    __syncthreads();
  }

  // All blocks wait for each other. The last one to come runs `fold` with all its threads, then `complete` with one. What
  // `complete` is given is a copy of the control block in shared memory, because a single thread that went to global
  // memory word by word would keep the whole grid waiting for microseconds.
  template <class Fold, class Complete>
  __device__ void barrier(Fold fold, Complete complete) {
    __shared__ i64 copy[CONTROL_WORDS];
    if (arrive()) {
      for (int i = threadIdx.x; i < CONTROL_WORDS; i += blockDim.x) copy[i] = load_fresh(control + i);
      fold();
      __syncthreads();
      if (threadIdx.x == 0) complete(copy);
      __syncthreads();
      for (int i = threadIdx.x; i < CONTROL_WORDS; i += blockDim.x) *(volatile i64 *)(control + i) = copy[i];
      if (threadIdx.x < STEERING_WORDS) steering_words()[threadIdx.x] = copy[threadIdx.x];
      __syncthreads();
      if (threadIdx.x == 0) release();
    } else if (threadIdx.x < WARP) {
      if (threadIdx.x == 0) wait();
      __syncwarp();
      if (threadIdx.x < STEERING_WORDS) steering_words()[threadIdx.x] = load_fresh(control + threadIdx.x);
    }
    __syncthreads();
  }

  // Add what this lane counted to the block's counters; the sums reach the control block at the next barrier. Few lanes
  // have anything to add in a small step, where a reduction over the warp would cost more than their additions.
  __device__ __forceinline__ void count(u64 edges, u64 next_edges) const {
    add(&block_counters().edges, edges);
    add(&block_counters().next_edges, next_edges);
  }

 private:
  __device__ __forceinline__ static void add(u64 *counter, u64 x) {
    u32 lanes = __ballot_sync(ALL, x != 0);
    if (__popc(lanes) > 4) {
      x = warp_sum(x);
      if (lane_id() == 0) atomicAdd(counter, x);
    } else if (x) {
      atomicAdd(counter, x);
    }
  }

  // True for all threads of the last block to come. The arrival releases what the block wrote and acquires what others
  // did, and drops what the L1 caches hold.
  __device__ bool arrive() const {
    __shared__ bool is_last;
    __syncthreads();
    if (threadIdx.x == 0) {
      BlockCounters &counters = block_counters();
      if (counters.edges) atomicAdd((u64 *)(control + WORD_EDGES), counters.edges);
      if (counters.next_edges) atomicAdd((u64 *)(control + WORD_NEXT_EDGES), counters.next_edges);
      counters = BlockCounters{0, 0};
      u32 before;
      asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(sync) : "memory");
      is_last = before == gridDim.x - 1;
    }
    __syncthreads();
    return is_last;
  }

  __device__ void release() {
    generation++;
    *(volatile u32 *)sync = 0;
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(sync + 32), "r"(generation) : "memory");
  }

  __device__ void wait() {
    generation++;
    u32 seen;
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(sync + 32) : "memory");
    } while (seen != generation);
  }
};

}  // namespace minigr
