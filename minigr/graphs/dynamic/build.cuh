// Building a graph from all of its edges at once, without reading a slab.
//
// The vertices are laid out by their degrees. The arcs are then divided into parts, by the first base slab of their owner.
// A block collects the arcs of a part in slabs in shared memory and writes each slab once. Arcs that don't fit into their
// base slab are set aside and inserted later.
#pragma once
#include "graphs/dynamic/update.cuh"

namespace minigr {
namespace dynamic {

constexpr int BUILDERS = 512;       // threads of a block that builds slabs
constexpr int DEALERS = 1024;       // threads of a block that divides the arcs into parts
constexpr int ARCS_OF_DEALER = 16;  // arcs in a tile, for each thread
constexpr int ARCS_AT_ONCE = 8;
constexpr int MOST_PARTS = 8192;    // as in build_cuda.py
constexpr int WINDOW = 368;         // slabs that fit into the shared memory of a block
constexpr int MOST_WINDOWS = 2;     // a larger vertex has so many arcs that all blocks should insert them
constexpr int STRIDE = KEYS + 1;    // odd, so that the same lane of many slabs is in many banks; the last word is the owner

// Count how many arcs each vertex owns in `out`, and how often it is a key in `into`, unless `into` is null.
__device__ __forceinline__ void count_arcs(const Batch &batch, i64 vertices, i32 *out, i32 *into, const Report &report) {
  for (i64 e = (i64)blockIdx.x * blockDim.x + threadIdx.x; e < batch.pairs; e += (i64)gridDim.x * blockDim.x) {
    i32 u = __ldg(batch.src + e), v = __ldg(batch.dst + e);
    if (!batch.is_in_range(e, u, v, vertices, report.words) || (u == v && !batch.loops)) continue;
    atomicAdd(out + u, 1);
    if (batch.mirror && u != v) atomicAdd(out + v, 1);
    if (into) atomicAdd(into + v, 1);
  }
  report.publish();
}

// Place the runs of base slabs. The runs of the vertices of a block follow one another.
__device__ __forceinline__ void lay_out(const i32 *degrees, i64 vertices, double keys_of_bucket, int2 *heads,
                                        const Report &report) {
  __shared__ i64 begin;
  const i64 tiles = (vertices + THREADS - 1) / THREADS;
  for (i64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    i64 v = tile * THREADS + threadIdx.x;
    i32 degree = v < vertices ? degrees[v] : 0;
    i64 buckets = v >= vertices ? 0 : buckets_for(degree, keys_of_bucket);
    i64 all;
    const i64 before = block_sum_before(buckets, all);
    if (threadIdx.x == 0) begin = (i64)atomicAdd((u64 *)report.words + WORD_RUNS, (u64)all);
    __syncthreads();
    if (v < vertices) heads[v] = make_int2((i32)(begin + before), (i32)buckets);
    __syncthreads();
  }
  report.publish();
}

// Write the owner into each base slab.
__device__ __forceinline__ void set_owners(const int2 *heads, i64 vertices, i32 *pool) {
  for (i64 first = warp_id() * WARP; first < vertices; first += warps() * WARP) {
    i64 v = first + lane_id();
    int2 head = v < vertices ? heads[v] : make_int2(0, 0);
    if (head.y == 1) pool[(i64)head.x * LANES + OWNER] = (i32)v;
    for (u32 many = __ballot_sync(ALL, head.y > 1); many; many &= many - 1) {
      int which = __ffs(many) - 1;
      i32 base = __shfl_sync(ALL, head.x, which), buckets = __shfl_sync(ALL, head.y, which);
      for (i32 j = lane_id(); j < buckets; j += WARP) pool[(i64)(base + j) * LANES + OWNER] = (i32)(first + which);
    }
  }
}

// Count the arcs of each part: the sum of the degrees of its vertices.
__device__ __forceinline__ void count_parts(const int2 *heads, const i32 *degrees, i64 vertices, int shift, u32 *counts) {
  __shared__ u32 here[MOST_PARTS];
  for (int part = threadIdx.x; part < MOST_PARTS; part += blockDim.x) here[part] = 0;
  __syncthreads();
  for (i64 v = (i64)blockIdx.x * blockDim.x + threadIdx.x; v < vertices; v += (i64)gridDim.x * blockDim.x)
    if (degrees[v]) atomicAdd(here + (heads[v].x >> shift), (u32)degrees[v]);
  __syncthreads();
  for (int part = threadIdx.x; part < MOST_PARTS; part += blockDim.x)
    if (here[part]) atomicAdd(counts + part, here[part]);
}

// Place the parts. `begins` says where each part begins; `cursors` says where the next arc of each part goes.
__device__ __forceinline__ void place_parts(const u32 *counts, u32 *begins, u32 *cursors, u32 *end) {
  for (int part = blockIdx.x * blockDim.x + threadIdx.x; part < MOST_PARTS; part += gridDim.x * blockDim.x)
    begins[part] = cursors[part] = counts[part] ? atomicAdd(end, counts[part]) : 0;
}

// The ARCS_AT_ONCE arcs from k on of a thread's share of a tile, so that their loads overlap. The owner is NIL where there
// is no arc.
struct Hand {
  i32 owner[ARCS_AT_ONCE], key[ARCS_AT_ONCE];

  __device__ __forceinline__ Hand(const Batch &batch, i64 first, int k) {
#pragma unroll
    for (int j = 0; j < ARCS_AT_ONCE; ++j) {
      i64 i = first + (k + j) * DEALERS + threadIdx.x;
      if (i >= batch.arcs() || !batch.arc(i, owner[j], key[j])) owner[j] = NIL;
    }
  }
};

// Write the arcs to their parts. A block takes one tile at a time, so that the arcs of a tile that belong to one part are
// contiguous. The order within a part depends on the order in which blocks finish. The block's.
__device__ __forceinline__ void deal_out(const Batch &batch, const int2 *heads, int shift, int parts, u32 *cursors,
                                         i32 *owners, i32 *keys) {
  __shared__ u32 here[MOST_PARTS];  // arcs of this tile in each part, then where these arcs go
  const i64 tile = DEALERS * ARCS_OF_DEALER;
  for (i64 first = blockIdx.x * tile; first < batch.arcs(); first += gridDim.x * tile) {
    for (int part = threadIdx.x; part < parts; part += DEALERS) here[part] = 0;
    __syncthreads();
    u32 place[ARCS_OF_DEALER];  // the part, and the rank among the arcs of the tile in this part
#pragma unroll
    for (int k = 0; k < ARCS_OF_DEALER; k += ARCS_AT_ONCE) {
      Hand hand(batch, first, k);
#pragma unroll
      for (int j = 0; j < ARCS_AT_ONCE; ++j)
        place[k + j] = hand.owner[j] == NIL ? ALL : (u32)__ldg(heads + hand.owner[j]).x >> shift;
#pragma unroll
      for (int j = 0; j < ARCS_AT_ONCE; ++j)
        if (place[k + j] != ALL) place[k + j] = place[k + j] << 16 | atomicAdd(here + place[k + j], 1u);
    }
    __syncthreads();
    for (int part = threadIdx.x; part < parts; part += DEALERS)
      if (here[part]) here[part] = atomicAdd(cursors + part, here[part]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ARCS_OF_DEALER; k += ARCS_AT_ONCE) {
      Hand hand(batch, first, k);
#pragma unroll
      for (int j = 0; j < ARCS_AT_ONCE; ++j) {
        if (hand.owner[j] == NIL) continue;
        u32 at = here[place[k + j] >> 16] + (place[k + j] & 0xffff);
        owners[at] = hand.owner[j];
        keys[at] = hand.key[j];
      }
    }
    __syncthreads();
  }
}
static_assert(MOST_PARTS < 1 << 15 && DEALERS * ARCS_OF_DEALER <= 1 << 16, "a part and a rank fit into a word");

// Build the slabs of each part. `states` says which arcs are settled. A part may need several windows of slabs, one after
// the other, because the run of its last vertex may be long.
__device__ __forceinline__ void build_parts(const Slabs &graph, const i32 *owners, const i32 *keys, const u32 *begins,
                                            const u32 *cursors, i64 parts, int shift, u8 *states, const Report &report) {
  __shared__ i32 slabs[WINDOW * STRIDE];
  __shared__ i32 fill[WINDOW];
  __shared__ u32 left;
  Counters counters;
  for (i64 part = blockIdx.x; part < parts; part += gridDim.x) {
    const u32 begin = begins[part], end = cursors[part];
    if (threadIdx.x == 0 && begin < end) report.add(WORD_LISTED, end - begin);
    for (i64 window = 0; begin < end; ++window) {
      const i32 low = (i32)((part << shift) + window * WINDOW);
      for (int i = threadIdx.x; i < WINDOW * STRIDE; i += blockDim.x) slabs[i] = EMPTY;
      for (int i = threadIdx.x; i < WINDOW; i += blockDim.x) fill[i] = 0;
      if (threadIdx.x == 0) left = 0;
      __syncthreads();
      u32 later = 0;
      for (u32 i = begin + threadIdx.x; i < end; i += blockDim.x) {
        if (window && states[i] != WITHOUT_SLAB) continue;
        i32 owner = owners[i], key = keys[i], slab = graph.first_slab(owner, key) - low;
        bool is_here = slab >= 0 && slab < WINDOW;
        int lane = is_here ? atomicAdd(fill + slab, 1) : KEYS;
        if (lane < KEYS) slabs[slab * STRIDE + lane] = key;
        if (lane == 0) slabs[slab * STRIDE + KEYS] = owner;
        states[i] = lane < KEYS ? UNCHANGED : is_here ? LONG_CHAIN : WITHOUT_SLAB;
        counters.long_chain += is_here && lane >= KEYS;
        later += slab >= WINDOW;
      }
      if (later) atomicAdd(&left, later);
      __syncthreads();
      for (int s = threadIdx.x / WARP; s < WINDOW; s += blockDim.x / WARP) {
        if (!fill[s]) continue;
        i32 key = lane_id() < KEYS ? slabs[s * STRIDE + lane_id()] : NO_KEY - lane_id();
        u32 equal = __match_any_sync(ALL, key);
        bool kept = lane_id() < KEYS && key != EMPTY && !(equal & lanes_below());
        u32 lanes = __ballot_sync(ALL, kept);
        __syncwarp();
        i32 owner = slabs[s * STRIDE + KEYS];
        if (lane_id() < KEYS) slabs[s * STRIDE + lane_id()] = EMPTY;
        __syncwarp();
        if (kept) slabs[s * STRIDE + __popc(lanes & lanes_below())] = key;
        __syncwarp();
        i32 word = lane_id() <= OWNER ? slabs[s * STRIDE + lane_id()] : NIL;
        graph.pool[(i64)(low + s) * LANES + lane_id()] = word;
        if (lane_id() == 0) atomicAdd(graph.degrees + owner, __popc(lanes));
        counters.count(kept ? CHANGED : UNCHANGED, key == owner);
      }
      bool more = left && window + 1 < MOST_WINDOWS;
      if (!more && threadIdx.x == 0) counters.without_slab += left;
      __syncthreads();
      if (!more) break;
    }
  }
  __syncwarp();
  counters.add_to(report);
  report.publish();
}

}  // namespace dynamic
}  // namespace minigr
