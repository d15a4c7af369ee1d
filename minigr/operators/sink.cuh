// Putting out items: from lanes to a warp's stage, from there to the output.
//
// A frontier's length is one address that every writer would meet at. A warp gathers items in its stage and makes room for
// many of them with one addition to the length; what is left at the end of a phase goes out with one for the whole block.
#pragma once
#include "jit/grid.cuh"
#include "primitives/collectives.cuh"

namespace minigr {

constexpr int WARP_STAGE = 4 * WARP;

// What a block knows of one sink; kernels with two sinks have two of them.
struct SinkState {
  i64 base;
  i32 left;  // items left in all the warps' stages; 0 between two phases
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
  int length;  // control word
  int slot;
  SinkState *state;
  SinkStages<T> *stages;
  i32 count;   // items in this warp's stage
  i32 before;  // of the block's items left, those of other warps that go first; lane 0's

  // All threads of the block, before the first push of a phase; `left` is 0 then.
  __device__ __forceinline__ void begin() { count = 0; }

  // All lanes of a warp together; those with `has` put out `value`.
  __device__ __forceinline__ void push(bool has, T value) {
    const Kept kept(has);
    if (!kept.any()) return;
    if (has) stage()[count + kept.place()] = value;
    count += kept.count();
    if (count > WARP_STAGE - WARP) flush();
  }

  // All threads of the block, after the last push of a phase.
  __device__ void end() {
    gather_left();
    __syncthreads();
    if (state->left == 0) return;  // the same for the whole block
    if (threadIdx.x == 0) make_room();
    __syncthreads();
    put_left();
  }

  // The steps of that, for who ends two sinks at once and waits for both together. Between two of them all threads of the
  // block meet. First what is left in each warp's stage is counted;
  __device__ __forceinline__ void gather_left() {
    before = 0;
    if (count && lane_id() == 0) before = add_shared(&state->left, count);
  }
  // then one thread makes room for all of it;
  __device__ __forceinline__ void make_room() { state->base = state->left ? reserve(state->left) : -1; }
  // then it is put there. Nobody looks at `left` again before the barrier that ends the phase.
  __device__ __forceinline__ void put_left() {
    if (threadIdx.x == 0) state->left = 0;
    if (count && state->base >= 0) write(state->base + __shfl_sync(ALL, before, 0));
    count = 0;
  }

 private:
  __device__ __forceinline__ T *stage() { return stages->items[threadIdx.x / WARP]; }

  // The warp's stage to a place of its own in the output.
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

  // Room for n items in the output; -1, and a note for the host, if there is none.
  __device__ __forceinline__ i64 reserve(i32 n) {
    i64 base = grid.add(length, n);
    if (base + n <= capacity) return base;
    grid.overflow(slot);
    return -1;
  }
};

// Stands for a sink where nothing is put out.
struct NoSink {
  __device__ __forceinline__ void begin() {}
  template <class T>
  __device__ __forceinline__ void push(bool, T) {}
  __device__ __forceinline__ void end() {}
};

// True for one caller for each vertex and stamp. Looking first spares exchanges where many edges lead to a vertex; in a small
// step it is one more load to wait for.
__device__ __forceinline__ bool first_time(const Grid &grid, i32 *stamps, i64 vertex, i32 stamp) {
  if (grid.team != FEW && load_fresh(stamps + vertex) == stamp) return false;
  return atomicExch(stamps + vertex, stamp) != stamp;
}

}  // namespace minigr
