// Putting out items: from lanes to a warp's stage, from there to the block's, from there to the output.
//
// A frontier's length is one address that every writer would meet at. A warp hands over 32 items at a time; while the
// block's stage has room they go there, and it is written out once at the end of the phase, with one addition to the
// length for the whole block. What no longer fits goes straight to the output, 32 items for each addition.
#pragma once
#include "jit/grid.cuh"

namespace minigr {

constexpr int BLOCK_STAGE = 1024;
constexpr int WARP_STAGE = 2 * WARP;
constexpr int MAX_WARPS = 32;

// Shared memory of one sink; kernels with two sinks have two of them.
template <class T>
struct SinkMemory {
  T block[BLOCK_STAGE];
  T warp[MAX_WARPS][WARP_STAGE];
  u32 count;    // items asked for in the block's stage
  u32 limit;    // items that fit
  i64 base;
};

template <class T>
struct Sink {
  T *output;
  i64 capacity;
  i64 *length;
  i64 *overflow;  // control word that names the slot which was too small
  int slot;
  SinkMemory<T> *memory;
  int count;  // items in this warp's stage

  // All threads of the block, before the first push of a phase.
  __device__ __forceinline__ void begin() {
    count = 0;
    if (threadIdx.x == 0) {
      memory->count = 0;
      memory->limit = BLOCK_STAGE;
    }
    __syncthreads();
  }

  __device__ __forceinline__ T *stage() { return memory->warp[threadIdx.x / WARP]; }

  // All lanes of a warp together; those with `has` put out `value`.
  __device__ __forceinline__ void push(bool has, T value) {
    u32 mask = __ballot_sync(ALL, has);
    if (mask == 0) return;
    if (has) stage()[count + __popc(mask & lanes_below())] = value;
    count += __popc(mask);
    __syncwarp();
    if (count >= WARP) {
      hand_over(WARP);
      T rest = stage()[WARP + lane_id()];
      __syncwarp();
      stage()[lane_id()] = rest;
      count -= WARP;
      __syncwarp();
    }
  }

  // All threads of the block, after the last push of a phase.
  __device__ void end() {
    if (count) hand_over(count);
    count = 0;
    __syncthreads();
    u32 staged = min(memory->count, memory->limit);
    if (staged == 0) return;  // the same for the whole block
    if (threadIdx.x == 0) memory->base = reserve(staged);
    __syncthreads();
    i64 base = memory->base;
    if (base >= 0)
      for (u32 i = threadIdx.x; i < staged; i += blockDim.x) output[base + i] = memory->block[i];
    __syncthreads();
  }

 private:
  // The first n items of the warp's stage, to the block's stage or to the output.
  __device__ __forceinline__ void hand_over(int n) {
    i64 base = 0;
    bool fits = false;
    if (lane_id() == 0) {
      u32 at = load_fresh(&memory->count) >= BLOCK_STAGE ? BLOCK_STAGE : atomicAdd(&memory->count, (u32)n);
      fits = at + n <= BLOCK_STAGE;
      // Once one group doesn't fit, none after it does, so what was staged ends where the first such group would be.
      if (!fits) atomicMin(&memory->limit, at);
      base = fits ? (i64)at : reserve(n);
    }
    fits = __shfl_sync(ALL, fits, 0);
    base = __shfl_sync(ALL, base, 0);
    if (lane_id() < n && base >= 0) (fits ? memory->block : output)[base + lane_id()] = stage()[lane_id()];
    __syncwarp();
  }

  // Room for n items in the output; -1, and a note for the host, if there is none.
  __device__ __forceinline__ i64 reserve(int n) {
    i64 base = (i64)atomicAdd((u64 *)length, (u64)n);
    if (base + n > capacity) {
      *(volatile i64 *)overflow = slot + 1;
      return -1;
    }
    return base;
  }
};

// Stands for a sink where nothing is put out.
struct NoSink {
  __device__ __forceinline__ void begin() {}
  template <class T>
  __device__ __forceinline__ void push(bool, T) {}
  __device__ __forceinline__ void end() {}
};

// True for one caller for each vertex and stamp.
__device__ __forceinline__ bool first_time(i32 *stamps, i64 vertex, i32 stamp) {
  return load_fresh(stamps + vertex) != stamp && atomicExch(stamps + vertex, stamp) != stamp;
}

}  // namespace minigr
