// A sink writes items to an output: from the lanes to a warp's stage, and from there to the output.
//
// The length of a frontier is one address at which all writers would collide. So a warp gathers items in its stage, and
// reserves room for many items with one addition to the length. The items that are left at the end of a phase are
// written with one addition for the whole block.
#pragma once
#include "jit/grid.cuh"
#include "primitives/collectives.cuh"

namespace minigr {

constexpr int WARP_STAGE = 4 * WARP;

// What a block keeps for one sink. A kernel with two sinks has two SinkStates.
struct SinkState {
  i64 base;
  i32 left;  // items that are left in the stages of all warps; 0 between two phases
};

template <class T>
struct SinkStages {
  T items[MAX_WARPS][WARP_STAGE];
};

template <class T>
struct Sink {
  const Grid &grid;
  T *output;
  i64 capacity;
  int length;  // control word that holds the length of the output
  int slot;
  SinkState *state;
  SinkStages<T> *stages;
  i32 count;  // items in the stage of this warp
  i32 before;  // number of left items of other warps of the block that are written before this warp's items; only in lane 0

  // All threads of the block call this before the first push of a phase. `left` is 0 then.
  __device__ __forceinline__ void begin() { count = 0; }

  // All lanes of a warp call this together. The lanes with `has` put out `value`.
  __device__ __forceinline__ void push(bool has, T value) {
    const Kept kept(has);
    if (!kept.any()) return;
    if (has) stage()[count + kept.place()] = value;
    count += kept.count();
    if (count > WARP_STAGE - WARP) flush();
  }

  // All threads of the block call this after the last push of a phase.
  __device__ void end() {
    gather_left();
    __syncthreads();
    if (state->left == 0) return;  // the same for the whole block
    if (threadIdx.x == 0) make_room();
    __syncthreads();
    put_left();
  }

  // The three steps of `end`, for a caller that ends two sinks with the same barriers. All threads of the block must
  // meet between two steps. The first step counts the items left in the stage of each warp.
  __device__ __forceinline__ void gather_left() {
    before = 0;
    if (count && lane_id() == 0) before = add_shared(&state->left, count);
  }
  // The second step: one thread reserves room for all of these items.
  __device__ __forceinline__ void make_room() { state->base = state->left ? reserve(state->left) : -1; }
  // The third step writes the items. No thread reads `left` again before the barrier that ends the phase.
  __device__ __forceinline__ void put_left() {
    if (threadIdx.x == 0) state->left = 0;
    if (count && state->base >= 0) write(state->base + __shfl_sync(ALL, before, 0));
    count = 0;
  }

 private:
  __device__ __forceinline__ T *stage() { return stages->items[threadIdx.x / WARP]; }

  // Writes the stage of the warp to a range of its own in the output.
  __device__ __forceinline__ void flush() {
    const i64 base = warp_room([&] { return reserve(count); });
    if (base >= 0) write(base);
    count = 0;
    __syncwarp();
  }

  __device__ __forceinline__ void write(i64 base) {
    __syncwarp();
#pragma unroll 1
    for (i32 i = lane_id(); i < count; i += WARP) output[base + i] = stage()[i];
  }

  // Reserves room for n items in the output. If there is no room, returns -1 and tells the host.
  __device__ __forceinline__ i64 reserve(i32 n) {
    i64 base = grid.add(length, n);
    if (base + n <= capacity) return base;
    grid.overflow(slot);
    return -1;
  }
};

// Takes the place of a sink where nothing is put out.
struct NoSink {
  __device__ __forceinline__ void begin() {}
  template <class T>
  __device__ __forceinline__ void push(bool, T) {}
  __device__ __forceinline__ void end() {}
};

// True for one caller for each vertex and stamp. The load before the exchange saves exchanges where many edges lead to
// a vertex. In a small step, this load would only be one more load to wait for, so it is left out.
__device__ __forceinline__ bool first_time(const Grid &grid, i32 *stamps, i64 vertex, i32 stamp) {
  if (grid.team != FEW && load_fresh(stamps + vertex) == stamp) return false;
  return atomicExch(stamps + vertex, stamp) != stamp;
}

}  // namespace minigr
