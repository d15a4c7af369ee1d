// Sorted compressed sparse rows. Groups of eight lanes sort the rows that fit in one slab, in registers. Blocks sort
// longer rows in shared memory. The longest rows are sorted afterwards.
#pragma once
#include "graphs/dynamic/look.cuh"

namespace minigr {
namespace dynamic {

constexpr int LONG_ROW = 2048;  // the most keys that a block sorts; as in rows_cuda.py
constexpr i32 NO_MORE = 0x7fffffff;

// Sort the 32 keys of a group, four to a lane. `from` says where each key was before. This is a bitonic sort: element e is
// word e % 4 of lane e / 4. The warp's.
__device__ __forceinline__ void sort_group(i32 (&key)[4], i32 (&from)[4]) {
  const int base = group_lane() * 4;
#pragma unroll
  for (int size = 2; size <= 32; size <<= 1) {
#pragma unroll
    for (int step = size / 2; step; step >>= 1) {
      if (step >= 4) {
        const bool lower = !(base & step), rising = !(base & size);
#pragma unroll
        for (int w = 0; w < 4; ++w) {
          i32 other = __shfl_xor_sync(ALL, key[w], step / 4), origin = __shfl_xor_sync(ALL, from[w], step / 4);
          bool takes = lower == rising ? other < key[w] : other > key[w];
          key[w] = takes ? other : key[w];
          from[w] = takes ? origin : from[w];
        }
      } else {
#pragma unroll
        for (int w = 0; w < 4; ++w) {
          if (w & step) continue;
          const bool rising = !((base + w) & size);
          i32 a = key[w], b = key[w + step], x = from[w], y = from[w + step];
          bool swap = rising ? b < a : b > a;
          key[w] = swap ? b : a;
          key[w + step] = swap ? a : b;
          from[w] = swap ? y : x;
          from[w + step] = swap ? x : y;
        }
      }
    }
  }
}

// Write the rows of vertices that have a single slab, and list the other vertices.
template <class W>
__device__ __forceinline__ void short_rows(const Slabs &graph, const i64 *ends, const W *weights, i32 *keys, W *out,
                                           i32 *listed, u64 *count) {
  __shared__ i32 waiting[THREADS / WARP][2 * WARP];
  i32 *mine = waiting[threadIdx.x / WARP];
  int held = 0;
  const int of_warp = WARP / GROUP;
  for (i64 first = warp_id() * of_warp; first < graph.vertices; first += warps() * of_warp) {
    const i64 v = first + lane_id() / GROUP;
    int2 head = v < graph.vertices ? graph.heads[v] : make_int2(NIL, 0);
    Quad quad{{NO_MORE, NO_MORE, NO_MORE, NO_MORE}};
    if (head.x != NIL && head.y == 1) quad = load_slab(graph.pool, head.x);
    i32 next = __shfl_sync(ALL, quad.word[3], GROUP - 1, GROUP);
    bool is_short = head.y == 1 && next == NIL, is_long = head.y >= 1 && !is_short;
    i32 from[4];
    for (int w = 0; w < 4; ++w) {
      from[w] = group_lane() * 4 + w;
      if (w >= Quad::keys() || quad.word[w] < 0 || !is_short) quad.word[w] = NO_MORE;
    }
    sort_group(quad.word, from);
    if (is_short) {
      i64 begin = v ? ends[v - 1] : 0;
      int length = (int)(ends[v] - begin);
      for (int w = 0; w < 4; ++w) {
        int rank = group_lane() * 4 + w;
        if (rank >= length) continue;
        keys[begin + rank] = quad.word[w];
        if (out) out[begin + rank] = weights[(i64)head.x * LANES + from[w]];
      }
    }
    const bool lists = is_long && group_lane() == 0;
    const Kept kept(lists);
    if (lists) mine[held + kept.place()] = (i32)v;
    held += kept.count();
    bool is_done = first + warps() * of_warp >= graph.vertices;
    if (held < WARP && !(held && is_done)) continue;
    __syncwarp();
    const i64 at = warp_room([&] { return (i64)atomicAdd(count, (u64)held); });
    for (int i = lane_id(); i < held; i += WARP) listed[at + i] = mine[i];
    __syncwarp();
    held = 0;
  }
}

// Write the listed rows. Rows of at most LONG_ROW keys are sorted. A block takes one row at a time.
template <class W>
__device__ __forceinline__ void long_rows(const Slabs &graph, const i64 *ends, const W *weights, i32 *keys, W *out,
                                          const i32 *listed, const u64 *count) {
  __shared__ i32 row[LONG_ROW];
  __shared__ W value[LONG_ROW];
  __shared__ int used;
  for (i64 i = blockIdx.x; i < (i64)*count; i += gridDim.x) {
    const i32 v = listed[i];
    const int2 head = graph.heads[v];
    const i64 begin = v ? ends[v - 1] : 0, length = ends[v] - begin;
    const bool fits = length <= LONG_ROW;
    int size = 1;
    while (fits && size < length) size <<= 1;
    if (threadIdx.x == 0) used = 0;
    if (fits)
      for (int k = (int)length + threadIdx.x; k < size; k += blockDim.x) row[k] = NO_MORE;
    __syncthreads();
    for (i32 bucket = threadIdx.x / GROUP; bucket < head.y; bucket += blockDim.x / GROUP) {
      for (i32 slab = head.x + bucket; slab != NIL;) {
        Quad quad = load_slab(graph.pool, slab);
        i32 live = 0;
        for (int w = 0; w < 4; ++w) live += w < Quad::keys() && quad.word[w] >= 0;
        int at = 0, place = group_scan(live), all = group_sum(live);
        if (group_lane() == 0) at = atomicAdd(&used, all);
        at = from_lane(at, 0) + place;
        for (int w = 0; w < 4; ++w) {
          if (w >= Quad::keys() || quad.word[w] < 0) continue;
          (fits ? row : keys + begin)[at] = quad.word[w];
          if (out) (fits ? value : out + begin)[at] = weights[slot_of(slab, group_lane(), w)];
          ++at;
        }
        slab = quad.next();
      }
    }
    __syncthreads();
    for (int run = 2; fits && run <= size; run <<= 1) {
      for (int step = run / 2; step; step >>= 1) {
        for (int k = threadIdx.x; k < size / 2; k += blockDim.x) {
          int low = 2 * k - (k & (step - 1)), high = low + step;
          bool rising = !(low & run);
          i32 a = row[low], b = row[high];
          if (rising ? b < a : b > a) {
            row[low] = b;
            row[high] = a;
            if (out) {
              W x = value[low];
              value[low] = value[high];
              value[high] = x;
            }
          }
        }
        __syncthreads();
      }
    }
    for (int k = threadIdx.x; fits && k < length; k += blockDim.x) {
      keys[begin + k] = row[k];
      if (out) out[begin + k] = value[k];
    }
    __syncthreads();
  }
}

}  // namespace dynamic
}  // namespace minigr
