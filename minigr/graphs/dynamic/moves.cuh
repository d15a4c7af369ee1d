// Moving vertices to new runs of base slabs, and rehashing whole graphs. Keys go directly from slab to slab, without a
// copy in between.
//
// The host reads the report twice: after `plan_moves`, to make room, and at the end, to update its counts. moves_cuda.py
// calls these kernels in between: `open_runs` makes the new slabs and lists the old ones, `move_slabs` moves the contents
// of the old slabs, and `close_slabs` empties the old slabs. structs.py describes the fields of a Plan.
#pragma once
#include "graphs/dynamic/chains.cuh"
#include "graphs/dynamic/update.cuh"

namespace minigr {
namespace dynamic {

constexpr i64 NO_LIMIT = 0x7fffffffffffffffll;

__device__ __forceinline__ i32 first_of_run(const Plan &plan, const i32 *free, i64 free_count, i64 bump) {
  return plan.run < 0 ? free[free_count + plan.run] : (i32)bump + plan.run;
}

// List the owners of the arcs that were set aside because their chains are long, and count the arcs that each will get.
__device__ __forceinline__ void list_owners(const Batch &batch, const u8 *states, i32 *coming, i32 *listed,
                                            const Report &report) {
  for (i64 first = warp_id() * WARP; first < batch.arcs(); first += warps() * WARP) {
    i64 i = first + lane_id();
    i32 owner, key;
    bool fresh = i < batch.arcs() && states[i] == LONG_CHAIN && batch.arc(i, owner, key) &&
                 atomicAdd(coming + owner, 1) == 0;
    const i64 at = warp_append(fresh, (u64 *)report.words + WORD_LISTED);
    if (fresh) listed[at] = owner;
  }
}

// Count the slabs of a vertex. The warp's.
__device__ __forceinline__ u32 held_slabs(const i32 *pool, i32 base, i32 buckets) {
  u32 held = 0;
  for (i32 bucket = lane_id(); bucket < buckets; bucket += WARP)
    for (i32 slab = base + bucket; slab != NIL; slab = next_slab(pool, slab)) ++held;
  return warp_sum(held);
}

// Choose which of the listed vertices get new runs. These are all vertices if `all` is set. Otherwise they are the
// vertices that should have far more buckets, and those that hold at least twice the slabs that they need, because of
// tombstones. Both can happen only after a share of the edges of a vertex came or went, and these changes pay for the
// move. `coming` says how many arcs each vertex will get; null: none.
__device__ __forceinline__ void plan_moves(const Slabs &graph, const i32 *listed, i64 count, const i32 *coming, bool all,
                                           double keys_of_bucket, double growth, i64 tombstones, i64 free_count,
                                           Plan *plans, const Report &report) {
  for (i64 first = warp_id() * WARP; first < count; first += warps() * WARP) {
    i64 i = first + lane_id();
    i32 v = i < count ? listed[i] : NIL;
    Plan plan{0, 0, 0, 0};
    i64 degree = 0, size = 0;
    if (v != NIL) {
      int2 head = graph.heads[v];
      plan.old_base = head.x;
      plan.old_buckets = head.y;
      degree = graph.degrees[v];
      size = degree + (coming ? coming[v] : 0);
    }
    const i32 ideal = buckets_for(size, keys_of_bucket);
    const i64 enough = 2 * max((i64)ideal, size / KEYS);
    bool moves = v != NIL && (all || ideal >= growth * plan.old_buckets);
    // A slab is added to a chain only if the other slabs of the chain are full, so this bounds the number of slabs.
    i64 most = plan.old_buckets + (degree + tombstones) / KEYS;
    for (u32 unsure = __ballot_sync(ALL, v != NIL && !moves && most >= enough); unsure; unsure &= unsure - 1) {
      int asks = __ffs(unsure) - 1;
      i32 base = __shfl_sync(ALL, plan.old_base, asks), buckets = __shfl_sync(ALL, plan.old_buckets, asks);
      u32 held = held_slabs(graph.pool, base, buckets);
      if (lane_id() == asks) moves = held >= enough;
    }
    const i64 taken = warp_append(moves && ideal == 1, (u64 *)report.words + WORD_SINGLES);
    bool is_free = moves && ideal == 1 && taken < free_count;
    const i64 in_run = moves && !is_free ? ideal : 0, end = warp_prefix(in_run);
    i64 at = 0;
    if (lane_id() == WARP - 1 && end) at = (i64)atomicAdd((u64 *)report.words + WORD_RUNS, (u64)end);
    at = __shfl_sync(ALL, at, WARP - 1) + end - in_run;
    plan.run = is_free ? (i32)(-1 - taken) : (i32)at;
    plan.buckets = moves ? ideal : 0;
    if (moves) atomicMax((u64 *)report.words + WORD_WIDEST, (u64)ideal);
    if (i < count) plans[i] = plan;
    i64 extra = warp_sum(moves ? degree / KEYS : 0), old = warp_sum(moves ? plan.old_buckets + degree / KEYS + 1 : 0);
    if (lane_id() == 0 && old) {
      report.add(WORD_OVERFLOW, (u64)extra);
      report.add(WORD_OLD, (u64)old);
    }
  }
  report.publish();
}

// Make the new slabs, set the heads of the vertices to them, and list the old slabs. The second dimension of the grid
// divides the buckets of a vertex.
__device__ __forceinline__ void open_runs(const Slabs &graph, const i32 *listed, i64 count, const Plan *plans,
                                          const i32 *free, i64 free_count, int2 *heads, i32 *old, const Report &report) {
  const int chunk = blockIdx.y, chunks = gridDim.y;
  for (i64 i = warp_id(); i < count; i += warps()) {
    Plan plan = plans[i];
    if (!plan.buckets) continue;
    i32 base = first_of_run(plan, free, free_count, graph.slabs), v = listed[i];
    for (i32 j = chunk * (WARP / GROUP) + lane_id() / GROUP; j < plan.buckets; j += chunks * (WARP / GROUP))
      store_empty(graph.pool, base + j, v);
    for (i32 j = chunk * WARP; j < plan.old_buckets; j += chunks * WARP) {
      i32 slab = j + lane_id() < plan.old_buckets ? plan.old_base + j + lane_id() : NIL;
      while (__any_sync(ALL, slab != NIL)) {
        const i64 at = warp_append(slab != NIL, (u64 *)report.words + WORD_OLD);
        if (slab == NIL) continue;
        old[at] = slab;
        slab = next_slab(graph.pool, slab);
      }
    }
    if (chunk == 0 && lane_id() == 0) heads[v] = make_int2(base, plan.buckets);
  }
}

// Insert some of the contents of slabs of `source` into `target`, together with weights of `width` bytes. The slabs are
// listed in `old`, and the report says how many there are. If `old` is null, they are all slabs of `source`. AGAIN: some
// keys may already be in `target`.
template <bool AGAIN>
__device__ __forceinline__ void move_slabs(const Slabs &source, const i32 *old, Part part, const Slabs &target,
                                           const Supply &supply, int width, const void *given, void *weights) {
  const i64 count = old ? __ldcg(supply.report.words + WORD_OLD) : source.slabs;
  Counters counters;
  u32 tombstones = 0;
  i32 spare = NIL;
  for (i64 i = warp_id(); i < count; i += warps()) {
    i32 slab = old ? old[i] : (i32)i;
    i32 word = __ldcg(source.pool + (i64)slab * LANES + lane_id());
    i32 owner = __shfl_sync(ALL, word, OWNER);
    if (owner == NIL) continue;
    bool here = lane_id() < KEYS && (part == EVERYTHING || (lane_id() < source.marks[slab]) == (part == BEFORE_MARK));
    bool wanted = here && word >= 0;
    tombstones += here && word <= TOMBSTONE;
    i64 slot = -1, from = (i64)slab * LANES + lane_id();
    int state = insert_lanes<!AGAIN>(target, supply, wanted, owner, word, NO_LIMIT, spare, slot);
    counters.count(state, false);
    if (!wanted || slot < 0 || !weights) continue;
    if (width == 4)
      ((u32 *)weights)[slot] = ((const u32 *)given)[from];
    else
      ((u64 *)weights)[slot] = ((const u64 *)given)[from];
  }
  __syncwarp();
  supply.give_back(target.pool, spare);
  counters.add_to(supply.report);
  tombstones = warp_sum(tombstones);
  if (lane_id() == 0 && tombstones) supply.report.add(WORD_TOMBSTONES, tombstones);
}

// Note how many lanes of their slabs the moved vertices use now. Keys in later lanes will be newer than the mark.
__device__ __forceinline__ void note_moved(const Slabs &graph, const i32 *listed, i64 count, const Plan *plans, u8 *marks) {
  const int chunk = blockIdx.y, chunks = gridDim.y;
  for (i64 i = warp_id(); i < count; i += warps()) {
    i32 buckets = plans[i].buckets;
    if (!buckets) continue;
    i32 base = graph.heads[listed[i]].x;
    for (i32 j = chunk * (WARP / GROUP) + lane_id() / GROUP; j < buckets; j += chunks * (WARP / GROUP))
      note_fill(graph, base + j, marks);
  }
}

// Empty the old slabs, and clear their owners and marks.
__device__ __forceinline__ void close_slabs(const i32 *old, i32 *pool, u8 *marks, const Report &report) {
  const i64 count = __ldcg(report.words + WORD_OLD);
  for (i64 i = warp_id(); i < count; i += warps()) {
    pool[(i64)old[i] * LANES + lane_id()] = EMPTY;
    if (marks && lane_id() == 0) marks[old[i]] = 0;
  }
  report.publish();
}

}  // namespace dynamic
}  // namespace minigr
