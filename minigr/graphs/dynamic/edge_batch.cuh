// A batch of pairs, the report of a launch over it, and the supply of slabs.
#pragma once
#include "graphs/dynamic/look.cuh"

namespace minigr {
namespace dynamic {

// A batch of pairs. It stands for the arcs of its pairs, for these arcs and the reverse ones, or only for the reverse ones.
struct Batch {
  const i32 *src;
  const i32 *dst;
  i64 pairs;
  bool mirror, reverse, loops;

  __device__ __forceinline__ i64 arcs() const { return mirror ? 2 * pairs : pairs; }
  __device__ __forceinline__ i64 pair(i64 arc) const { return arc < pairs ? arc : arc - pairs; }

  // False for arcs that must be left out: self-loops unless `loops` is set, and the second arc of mirrored self-loops.
  __device__ __forceinline__ bool arc(i64 i, i32 &owner, i32 &key) const {
    i64 e = pair(i);
    bool back = i >= pairs;
    i32 u = __ldg(src + e), v = __ldg(dst + e);
    bool turned = back != reverse;
    owner = turned ? v : u;
    key = turned ? u : v;
    return u != v || (loops && !back);
  }

  // Prefetch the ends of 32 arcs from `arc` on into the L2 cache. The warp's.
  __device__ __forceinline__ void ask_for(i64 arc) const {
    if (arc >= arcs() || lane_id() != 0) return;
    fetch(src + pair(arc));
    fetch(dst + pair(arc));
  }

  // Whether both ends are vertices. The report gets the first pair of the batch that has an end that is not a vertex.
  __device__ __forceinline__ bool is_in_range(i64 i, i32 owner, i32 key, i64 vertices, i64 *words) const {
    if ((u32)owner < vertices && (u32)key < vertices) return true;
    atomicMin((u64 *)words + WORD_BAD, (u64)pair(i));
    return false;
  }

  // Load an arc and check its range. This checks the ends of arcs that are left out, too.
  __device__ __forceinline__ bool arc_in_range(i64 i, i32 &owner, i32 &key, i64 vertices, i64 *words) const {
    const bool kept = arc(i, owner, key);
    return is_in_range(i, owner, key, vertices, words) && kept;
  }
};

// The words in which the blocks of a launch report, and the place where the host reads these words.
struct Report {
  i64 *words;
  i64 *host;  // page-locked
  i64 number;  // of the launch; the host finds it behind the words when the words are there

  __device__ __forceinline__ void add(int word, u64 n) const { atomicAdd((u64 *)words + word, n); }

  // The last block to finish copies the words to the host and resets them. All threads of all blocks must call this.
  __device__ void publish() const {
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      last = atomicAdd((u64 *)words + WORD_DONE, 1ull) == (u64)gridDim.x * gridDim.y - 1;
      __threadfence();
    }
    __syncthreads();
    if (!last) return;
    if (threadIdx.x < REPORT_WORDS) {
      host[threadIdx.x] = __ldcg(words + threadIdx.x);
      words[threadIdx.x] = threadIdx.x == WORD_BAD ? NOT_BAD : 0;
      __threadfence_system();
    }
    __syncthreads();
    if (threadIdx.x == 0) *(volatile i64 *)(host + REPORT_WORDS) = number;
  }
};

// The counts of each lane. A block sums the counts of its lanes before it adds them to the report.
struct Counters {
  u32 changed = 0, loops = 0, without_slab = 0, long_chain = 0;

  __device__ __forceinline__ void count(int state, bool loop) {
    changed += state == CHANGED;
    loops += state == CHANGED && loop;
    without_slab += state == WITHOUT_SLAB;
    long_chain += state == LONG_CHAIN;
  }

  // All threads of the block must call this.
  __device__ void add_to(const Report &report) const {
    __shared__ u32 sums[4];
    if (threadIdx.x < 4) sums[threadIdx.x] = 0;
    __syncthreads();
    u32 own[4] = {warp_sum(changed), warp_sum(loops), warp_sum(without_slab), warp_sum(long_chain)};
    if (lane_id() == 0) {
      for (int i = 0; i < 4; ++i)
        if (own[i]) atomicAdd(sums + i, own[i]);
    }
    __syncthreads();
    const int place[4] = {WORD_CHANGED, WORD_LOOPS, WORD_WITHOUT_SLAB, WORD_LONG_CHAIN};
    if (threadIdx.x < 4 && sums[threadIdx.x]) report.add(place[threadIdx.x], sums[threadIdx.x]);
  }
};

// Where new slabs come from: first the slabs that were freed, then the slabs that were never used.
struct Supply {
  const i32 *free;
  i64 free_count, bump, capacity;
  i32 *returned;  // slabs that a warp took but did not link, because another warp was quicker
  Report report;

  // A slab, or NIL if none is left. The warp's.
  __device__ __forceinline__ i32 take() const {
    i32 slab = NIL;
    if (lane_id() == 0) {
      i64 taken = (i64)atomicAdd((u64 *)report.words + WORD_TAKEN, 1ull);
      i64 next = bump + taken - free_count;
      slab = taken < free_count ? free[taken] : next < capacity ? (i32)next : NIL;
    }
    return __shfl_sync(ALL, slab, 0);
  }

  // The slab that follows `tail`, which had no next slab. It is the slab of another warp, or `spare`, which the warp holds
  // or takes now. NIL if no slab is left. The warp's.
  __device__ __forceinline__ i32 append(i32 *pool, i32 tail, i32 owner, i32 &spare) const {
    if (spare == NIL) spare = take();
    if (spare == NIL) return NIL;
    pool[(i64)spare * LANES + lane_id()] = lane_id() == OWNER ? owner : EMPTY;
    __threadfence();
    __syncwarp();
    i32 next = NIL;
    if (lane_id() == 0) next = atomicCAS(pool + (i64)tail * LANES + NEXT, NIL, spare);
    next = __shfl_sync(ALL, next, 0);
    if (next != NIL) return next;
    next = spare;
    spare = NIL;
    return next;
  }

  // Return a slab that was not linked. The warp's.
  __device__ __forceinline__ void give_back(i32 *pool, i32 spare) const {
    if (spare == NIL) return;
    pool[(i64)spare * LANES + lane_id()] = EMPTY;
    if (lane_id() == 0) returned[atomicAdd((u64 *)report.words + WORD_RETURNED, 1ull)] = spare;
  }
};

}  // namespace dynamic
}  // namespace minigr
