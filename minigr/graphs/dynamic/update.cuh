// Insertion, deletion and search by groups of eight lanes; what happens to each arc is what update_cpu.py does.
//
// Insertions of one launch race for lanes by compare-and-swap. That keeps arcs unique: lanes are filled in order, so two
// groups with one key in a chain want the same lane or find it taken, and look again (Awad et al. 2020, section IV-C).
#pragma once
#include "graphs/dynamic/slabs.cuh"

namespace minigr {
namespace dynamic {

// A batch of pairs, and which arcs it stands for: the pairs' own, those and the ones back, or only the ones back.
struct Batch {
  const i32 *src;
  const i32 *dst;
  i64 pairs;
  bool mirror, reverse, loops;

  __device__ __forceinline__ i64 arcs() const { return mirror ? 2 * pairs : pairs; }
  __device__ __forceinline__ i64 pair(i64 arc) const { return arc < pairs ? arc : arc - pairs; }

  // False for arcs that are to be left out: self-loops, and of mirrored ones the second.
  __device__ __forceinline__ bool arc(i64 i, i32 &owner, i32 &key) const {
    i64 e = pair(i);
    bool back = i >= pairs;
    i32 u = __ldg(src + e), v = __ldg(dst + e);
    bool turned = back != reverse;
    owner = turned ? v : u;
    key = turned ? u : v;
    return u != v || (loops && !back);
  }

  // Whether both ends are vertices. What is not goes to the report, the first such pair of all.
  __device__ __forceinline__ bool is_in_range(i64 i, i32 owner, i32 key, i64 vertices, i64 *report) const {
    if ((u32)owner < vertices && (u32)key < vertices) return true;
    if (group_lane() == 0) atomicMin((u64 *)report + WORD_BAD, (u64)pair(i));
    return false;
  }
};

// What each group counts, added up for the block before it goes to the report.
struct Counters {
  u32 changed = 0, loops = 0, without_slab = 0, long_chain = 0;

  __device__ __forceinline__ void count(int state, bool loop) {
    changed += state == CHANGED;
    loops += state == CHANGED && loop;
    without_slab += state == WITHOUT_SLAB;
    long_chain += state == LONG_CHAIN;
  }

  // All threads of the block; only the first lane of each group has counted.
  __device__ void report(i64 *words) const {
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
    if (threadIdx.x < 4 && sums[threadIdx.x]) atomicAdd((u64 *)words + place[threadIdx.x], (u64)sums[threadIdx.x]);
  }
};

__device__ __forceinline__ i64 group_id() { return ((i64)blockIdx.x * blockDim.x + threadIdx.x) / GROUP; }
__device__ __forceinline__ i64 groups() { return (i64)gridDim.x * blockDim.x / GROUP; }

// Where fresh slabs come from: those that were freed, then those never used.
struct Supply {
  const i32 *free;
  i64 free_count, bump, capacity;
  i32 *returned;  // what a group took, and another was quicker to link
  i64 *report;

  // A slab for the group, or NIL if there is none left.
  __device__ __forceinline__ i32 take() const {
    i32 slab = NIL;
    if (group_lane() == 0) {
      i64 taken = (i64)atomicAdd((u64 *)report + WORD_TAKEN, 1ull);
      i64 next = bump + taken - free_count;
      slab = taken < free_count ? free[free_count - 1 - taken] : next < capacity ? (i32)next : NIL;
    }
    return from_lane(slab, 0);
  }

  __device__ __forceinline__ void give_back(i32 slab, i32 *pool) const {
    store_empty(pool, slab, NIL);
    if (group_lane() == 0) returned[atomicAdd((u64 *)report + WORD_RETURNED, 1ull)] = slab;
  }
};

// Insert one arc unless it is there; its state, and in `slot` where it stands. `spare` is a slab the group holds.
__device__ __forceinline__ int insert_arc(const Slabs &graph, const Supply &supply, i32 owner, i32 key, i32 limit,
                                          i32 &spare, i64 &slot) {
  i32 slab = graph.first_slab(owner, key);
  for (i32 length = 1;;) {
    Quad quad = load_slab(graph.pool, slab);
    int word = quad.find(key);
    u32 hit = group_ballot(word >= 0);
    if (hit) {
      int lane = __ffs(hit) - 1;
      slot = slot_of(slab, lane, from_lane(word, lane));
      return UNCHANGED;
    }
    i32 next = quad.next();
    word = quad.find(EMPTY);
    u32 open = group_ballot(word >= 0);
    if (open) {
      int lane = __ffs(open) - 1;
      slot = slot_of(slab, lane, from_lane(word, lane));
      i32 before = EMPTY;
      if (group_lane() == lane) before = atomicCAS(graph.pool + slot, EMPTY, key);
      before = from_lane(before, lane);
      if (before == EMPTY) return CHANGED;
      if (before == key) return UNCHANGED;
      continue;  // somebody else's key: look at the slab again
    }
    if (next == NIL) {
      if (length >= limit) return LONG_CHAIN;
      if (spare == NIL) spare = supply.take();
      if (spare == NIL) return WITHOUT_SLAB;
      store_empty(graph.pool, spare, owner);
      __threadfence();
      __syncwarp(group_mask());
      if (group_lane() == 0) next = atomicCAS(graph.pool + (i64)slab * LANES + NEXT, NIL, spare);
      next = from_lane(next, 0);
      if (next == NIL) {
        next = spare;
        spare = NIL;
      }
    }
    slab = next;
    ++length;
  }
}

// Insert the arcs that are not settled. `resume`: `states` tells which these are; otherwise all. Ids are looked at on the
// way, because a pass of its own would take as long as a small batch: the host deletes what was inserted if one is bad.
__device__ __forceinline__ void insert(const Batch &batch, const Slabs &graph, const Supply &supply, i32 limit,
                                       bool resume, u8 *states, i64 *slots) {
  Counters counters;
  i32 spare = NIL;
  for (i64 i = group_id(); i < batch.arcs(); i += groups()) {
    if (resume && states[i] < WITHOUT_SLAB) continue;
    i32 owner, key;
    i64 slot = -1;
    int state = UNCHANGED;
    if (batch.arc(i, owner, key) && batch.is_in_range(i, owner, key, graph.vertices, supply.report))
      state = insert_arc(graph, supply, owner, key, limit, spare, slot);
    if (group_lane() == 0) {
      states[i] = (u8)state;
      if (slots) slots[i] = slot;
      if (state == CHANGED) atomicAdd(graph.degrees + owner, 1);
      counters.count(state, owner == key);
    }
  }
  if (spare != NIL) supply.give_back(spare, graph.pool);
  __syncwarp();
  counters.report(supply.report);
}

// Put a tombstone in the place of each arc that is there; with `only_changed` of those whose state is CHANGED.
__device__ __forceinline__ void remove(const Batch &batch, const Slabs &graph, bool only_changed, u8 *states,
                                       i64 *report) {
  if (load_fresh(report + WORD_BAD) != NOT_BAD) return;
  Counters counters;
  for (i64 i = group_id(); i < batch.arcs(); i += groups()) {
    if (only_changed && states[i] != CHANGED) continue;
    i32 owner, key;
    i64 slot = -1;
    if (batch.arc(i, owner, key)) slot = graph.find(owner, key);
    if (group_lane() == 0) {
      int state = slot >= 0 && atomicCAS(graph.pool + slot, key, TOMBSTONE) == key ? CHANGED : UNCHANGED;
      states[i] = (u8)state;
      if (state == CHANGED) atomicSub(graph.degrees + owner, 1);
      counters.count(state, owner == key);
    }
  }
  __syncwarp();
  counters.report(report);
}

// Whether each arc is there, and where; both outputs may be null.
__device__ __forceinline__ void find(const Batch &batch, const Slabs &graph, bool *found, i64 *slots, i64 *report) {
  for (i64 i = group_id(); i < batch.arcs(); i += groups()) {
    i32 owner, key;
    i64 slot = -1;
    if (batch.arc(i, owner, key) && batch.is_in_range(i, owner, key, graph.vertices, report))
      slot = graph.find(owner, key);
    if (group_lane() == 0) {
      if (found) found[i] = slot >= 0;
      if (slots) slots[i] = slot;
    }
  }
}

// The first pair that names no vertex goes to the report. One thread for each pair.
__device__ __forceinline__ void check(const Batch &batch, i64 vertices, i64 *report) {
  for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < batch.pairs; i += (i64)gridDim.x * blockDim.x) {
    if ((u32)__ldg(batch.src + i) >= vertices || (u32)__ldg(batch.dst + i) >= vertices)
      atomicMin((u64 *)report + WORD_BAD, (u64)i);
  }
}

// --- the first or last of equal pairs ---------------------------------------------------------------------------------

// A hash table of pairs with linear probing. A cell holds the number of a pair, from which its ends can be read, so that
// four bytes do for a cell; equal pairs replace each other, by the lower or the higher number.
struct Table {
  i32 *cells;
  u32 mask;  // cells less one, a power of two less one
  bool unordered;

  __device__ __forceinline__ void ends(const Batch &batch, i64 i, i32 &u, i32 &v) const {
    u = __ldg(batch.src + i);
    v = __ldg(batch.dst + i);
    if (unordered && u > v) {
      i32 t = u;
      u = v;
      v = t;
    }
  }

  __device__ __forceinline__ u32 hash(i32 u, i32 v) const {
    u64 x = ((u64)(u32)u << 32 | (u32)v) * 0x9E3779B97F4A7C15ull;
    return (u32)(x >> 32) ^ (u32)(x >> 47);
  }

  __device__ __forceinline__ void put(const Batch &batch, i32 i, bool last) const {
    i32 u, v;
    ends(batch, i, u, v);
    for (u32 cell = hash(u, v) & mask;; cell = (cell + 1) & mask) {
      i32 held = atomicCAS(cells + cell, NIL, i);
      if (held == NIL) return;
      i32 a, b;
      ends(batch, held, a, b);
      if (a == u && b == v) {
        if (last)
          atomicMax(cells + cell, i);
        else
          atomicMin(cells + cell, i);
        return;
      }
    }
  }

  // The pair that was kept of those that equal i, which is in the table.
  __device__ __forceinline__ i32 get(const Batch &batch, i64 i) const {
    i32 u, v;
    ends(batch, i, u, v);
    for (u32 cell = hash(u, v) & mask;; cell = (cell + 1) & mask) {
      i32 held = __ldg(cells + cell), a, b;
      ends(batch, held, a, b);
      if (a == u && b == v) return held;
    }
  }
};

}  // namespace dynamic
}  // namespace minigr
