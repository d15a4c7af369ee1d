// segreduce: reduces the values of each segment to one value, along the merge path. All threads of the grid call it
// together.
//
// Blocks and threads own fixed, consecutive pieces of the path. If a segment goes on after a piece, the partial result
// is passed to the next piece, in order: among threads by a scan, among blocks when all blocks are done. No atomics are
// used, so the result depends only on the size of the grid, and `op` need not commute.
#pragma once
#include "primitives/fold.cuh"
#include "primitives/merge_path.cuh"

namespace minigr {

// The reduction of the last items of a piece of the path: the items after the end of the last segment that ended in the
// piece.
template <class T>
struct Carry {
  T value;
  bool any;   // there are such items
  bool ends;  // some segment ended

  template <class Op>
  __device__ __forceinline__ void append(T x, Op op) {
    value = any ? op(value, x) : x;
    any = true;
  }

  // Puts the piece `left` before this one.
  template <class Op>
  __device__ __forceinline__ void prepend(const Carry &left, Op op) {
    if (!ends) {
      if (left.any) {
        value = any ? op(left.value, value) : left.value;
        any = true;
      }
      ends = left.ends;
    }
  }

  __device__ __forceinline__ Carry from_below(int o) const {
    return Carry{__shfl_up_sync(ALL, value, o), (bool)__shfl_up_sync(ALL, (int)any, o),
                 (bool)__shfl_up_sync(ALL, (int)ends, o)};
  }
};

// All threads of the block call this. Returns what the threads before this one, and `before`, pass on to this thread.
// `before` becomes what the whole block passes on.
template <int THREADS, class T, class Op>
__device__ Carry<T> block_carry(Carry<T> mine, Carry<T> &before, Op op) {
  constexpr int WARPS = THREADS / WARP;
  __shared__ T values[WARPS];
  __shared__ bool any[WARPS], ends[WARPS];
  const int warp = threadIdx.x / WARP;
#pragma unroll
  for (int o = 1; o < WARP; o <<= 1) {
    Carry<T> left = mine.from_below(o);
    if (lane_id() >= o) mine.prepend(left, op);
  }
  __syncthreads();
  if (lane_id() == WARP - 1) {
    values[warp] = mine.value;
    any[warp] = mine.any;
    ends[warp] = mine.ends;
  }
  __syncthreads();
  Carry<T> result = before;
  for (int w = 0; w < WARPS; w++) {
    if (w == warp) result = before;
    Carry<T> next{values[w], any[w], ends[w]};
    next.prepend(before, op);
    before = next;
  }
  Carry<T> left = mine.from_below(1);
  if (lane_id() > 0) {
    left.prepend(result, op);
    result = left;
  }
  return result;
}

// What each block leaves for `segreduce_carries`. Each array has an element for each block of the grid.
template <class T>
struct BlockCarries {
  T *heads;       // of the first segment that ended in the block, which may have begun before it
  T *tails;
  i64 *segments;  // the number of this first segment; -1 if none ended
  i32 *any;  // bit 0: the head has items, bit 1: the tail has items
};

// All blocks call this. When all blocks are done, one block must call `segreduce_carries`.
template <int THREADS, int ITEMS, class O, class Value, class Op, class T>
__device__ void segreduce(i64 segments, const O *offsets, Value value, Op op, T initial, BlockCarries<T> carries,
                          T *out) {
  __shared__ T values[THREADS * ITEMS];
  __shared__ T head;
  __shared__ i64 head_segment;
  __shared__ bool head_any;
  Carry<T> before{initial, false, false};
  if (threadIdx.x == 0) {
    head = initial;
    head_segment = -1;
    head_any = false;
  }
  __syncthreads();
  for_merge_tiles<THREADS, ITEMS>(segments, offsets, [&](const MergeTile<THREADS, ITEMS> &tile) {
    for (int k = threadIdx.x; k < tile.items; k += THREADS) values[k] = (T)value(tile.item + k, tile.seg(k), tile.rank(k));
    __syncthreads();

    // Each thread goes through its part twice: first to find what it passes on, and then, when it knows what was passed
    // to it, to find its results.
    const int places = tile.segments + tile.items;
    const int first = min((int)threadIdx.x * ITEMS, places), last = min(first + ITEMS, places);
    const int begin = tile.first_segment(first);
    Carry<T> mine{initial, false, false};
    for (int s = begin, k = first - s; k + s < last;) {
      if (k < tile.ends[s]) {
        mine.append(values[k++], op);
      } else {
        mine = Carry<T>{initial, false, true};
        s++;
      }
    }
    Carry<T> running = block_carry<THREADS>(mine, before, op);
    for (int s = begin, k = first - s; k + s < last;) {
      if (k < tile.ends[s]) {
        running.append(values[k++], op);
        continue;
      }
      if (running.ends) {
        out[tile.segment + s] = running.any ? op(initial, running.value) : initial;
      } else {  // the first segment that ends in this block: only one thread comes here
        head = running.value;
        head_any = running.any;
        head_segment = tile.segment + s;
      }
      running = Carry<T>{initial, false, true};
      s++;
    }
    __syncthreads();
  });
  if (threadIdx.x == 0) {
    carries.heads[blockIdx.x] = head;
    carries.tails[blockIdx.x] = before.value;
    carries.segments[blockIdx.x] = head_segment;
    carries.any[blockIdx.x] = (head_any ? 1 : 0) | (before.any ? 2 : 0);
  }
}

// All threads of one block call this when all blocks are done. Finishes the first segment that ended in each block,
// with what came before it.
template <int THREADS, class Op, class T>
__device__ void segreduce_carries(Op op, T initial, BlockCarries<T> carries, T *out) {
  const int share = (gridDim.x + THREADS - 1) / THREADS;
  const int first = min((int)threadIdx.x * share, (int)gridDim.x), last = min(first + share, (int)gridDim.x);
  auto tail = [&](int b) {
    return Carry<T>{load_fresh(carries.tails + b), (load_fresh(carries.any + b) & 2) != 0,
                    load_fresh(carries.segments + b) >= 0};
  };
  Carry<T> mine{initial, false, false};
  for (int b = first; b < last; b++) {
    Carry<T> next = tail(b);
    next.prepend(mine, op);
    mine = next;
  }
  Carry<T> before{initial, false, false};
  Carry<T> running = block_carry<THREADS>(mine, before, op);
  for (int b = first; b < last; b++) {
    const i64 segment = load_fresh(carries.segments + b);
    if (segment >= 0) {
      Carry<T> whole{load_fresh(carries.heads + b), (load_fresh(carries.any + b) & 1) != 0, false};
      whole.prepend(running, op);
      out[segment] = whole.any ? op(initial, whole.value) : initial;
    }
    Carry<T> next = tail(b);
    next.prepend(running, op);
    running = next;
  }
}

// All threads of all blocks call this. Returns true for the last block that comes here, which sees what the others
// wrote. `arrived` is zero before and after.
__device__ __forceinline__ bool is_last_block(u32 *arrived) {
  __shared__ bool is_last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    is_last = atomicAdd(arrived, 1u) == gridDim.x - 1;
    if (is_last) *(volatile u32 *)arrived = 0;
    __threadfence();
  }
  __syncthreads();
  return is_last;
}

}  // namespace minigr
