// Insertion, deletion and search, 32 arcs to a warp. The effect on each arc is the same as in update_cpu.py.
//
// The insertions of one launch compete for lanes by compare-and-swap. This keeps arcs unique: lanes are filled in order,
// so two insertions of the same key into a chain try the same lane, or find it taken and try the next one (Awad et al.
// 2020, section IV-C). The reuse of tombstones keeps this order: the first free lane of a chain is its first tombstone, or
// its first unused lane if it has no tombstone. Within a launch, lanes are taken, but none becomes free. If a thread finds
// that a later lane is the first free one, the thread has seen another key in each earlier lane, so no thread can put the
// same key there.
#pragma once
#include "graphs/dynamic/table.cuh"

namespace minigr {
namespace dynamic {

// The fields of the struct that a launch over a batch gets. structs.py lists the fields, and launch_cuda.py packs them.
struct Update : UpdateFields {
  __device__ __forceinline__ bool has(int option) const { return options & option; }
  __device__ __forceinline__ Batch batch() const {
    return Batch{src, dst, pairs, has(MIRROR), has(REVERSE), has(KEEP_LOOPS)};
  }
  __device__ __forceinline__ Slabs graph() const { return Slabs{vertices, slabs, heads, degrees, pool, marks}; }
  __device__ __forceinline__ Report report() const { return Report{words, host, number}; }
  __device__ __forceinline__ Table table(i32 *of) const { return Table{of, (u32)cells - 1, has(MIRROR)}; }
  // Enter pair i into the tables of last and first pairs, as far as the launch has these tables.
  __device__ __forceinline__ void note_pair(const Batch &batch, i64 i) const {
    if (i >= pairs) return;
    if (last) table(last).put(batch, (i32)i, true);
    if (first) table(first).put(batch, (i32)i, false);
  }
  // Whether the weight of a pair is NaN, if the options ask for this check. The report then gets the pair.
  __device__ __forceinline__ bool is_nan(i64 pair) const {
    const bool nan = has(FLOAT32)   ? isnan(__ldg((const float *)weights + pair))
                     : has(FLOAT64) ? isnan(__ldg((const double *)weights + pair))
                                    : false;
    if (nan) atomicMin((u64 *)words + WORD_BAD, (u64)pair);
    return nan;
  }
  __device__ __forceinline__ Supply supply() const {
    return Supply{free, free_count, slabs, capacity, free + free_count, report()};
  }
};

// Insert each wanted lane's key into a chain of its owner, unless the key is there. Returns the state of the arc, and its
// position in `slot`. A chain grows to at most `limit` slabs. `spare` is a slab that the warp holds. DISTINCT: no other
// warp inserts any of these keys, and none of them is in the graph. Then the lanes of the warp that want the same slab can
// begin at different lanes of it. The warp's.
template <bool DISTINCT>
__device__ __forceinline__ int insert_lanes(const Slabs &graph, const Supply &supply, bool wanted, i32 owner, i32 key,
                                            i64 limit, i32 &spare, i64 &slot) {
  i32 slab = wanted ? graph.first_slab(owner, key) : NIL;
  int state = UNCHANGED;
  for (i64 length = 1; __any_sync(ALL, slab != NIL); ++length) {
    int seen = look(graph.pool, slab, key);
    int ahead = 0;
    if (DISTINCT) ahead = __popc(__match_any_sync(ALL, slab) & lanes_below());
    i32 next = NIL;
    if (slab != NIL) {
      i32 *keys = graph.pool + (i64)slab * LANES;
      int lane = seen < UNUSED ? seen : min(seen - UNUSED + ahead, KEYS);
      if (seen >= UNUSED) {
        for (; lane < KEYS; ++lane) {
          i32 held = atomicCAS(keys + lane, EMPTY, key);
          if (held == EMPTY) state = CHANGED;
          if (held == EMPTY || held == key) break;
        }
      }
      if (lane < KEYS) {
        slot = (i64)slab * LANES + lane;
        slab = NIL;
      } else {
        next = next_slab(graph.pool, slab);
        if (next == NIL && length >= limit) {
          state = LONG_CHAIN;
          slab = NIL;
        }
      }
    }
    for (u32 ends = __ballot_sync(ALL, slab != NIL && next == NIL); ends;) {
      int leader = __ffs(ends) - 1;
      i32 tail = __shfl_sync(ALL, slab, leader), of = __shfl_sync(ALL, owner, leader);
      i32 fresh = supply.append(graph.pool, tail, of, spare);
      if (slab == tail) next = fresh;
      ends &= ~__ballot_sync(ALL, slab == tail);
    }
    if (slab != NIL && next == NIL) state = WITHOUT_SLAB;
    slab = slab == NIL ? NIL : next;
  }
  return state;
}

// Put each wanted lane's key in the place of the first tombstone of its chain, unless the key is there. Returns the state
// of the arc, and its position in `slot`. The state is WITHOUT_SLAB if the chain has no tombstone. The tombstones of a
// slab are left alone if the first of them is older than the mark. A tombstone that keeps its key can be overwritten like
// any other, because the batch that left it can't be undone any more. The warp's.
__device__ __forceinline__ int reuse_lanes(const Slabs &graph, bool wanted, i32 owner, i32 key, i64 &slot) {
  i32 slab = wanted ? graph.first_slab(owner, key) : NIL;
  int state = wanted ? WITHOUT_SLAB : UNCHANGED;
  i64 room = -1;
  while (__any_sync(ALL, slab != NIL)) {
    int4 quad[GROUP];  // loaded once, because a lane that is free in one load might hold the key in the next
    load_slabs(graph.pool, slab, quad);
    make_tombstones_alike(quad);
    const int seen = look_into(quad, key), free = look_into(quad, TOMBSTONE);
    if (slab == NIL) continue;
    if (room < 0 && free < UNUSED && (!graph.marks || free >= graph.marks[slab])) room = (i64)slab * LANES + free;
    if (seen < UNUSED) {
      slot = (i64)slab * LANES + seen;
      state = UNCHANGED;
      slab = NIL;
      continue;
    }
    slab = seen < FULL ? NIL : next_slab(graph.pool, slab);
    if (slab != NIL || room < 0) continue;
    const i32 before = __ldcg(graph.pool + room);
    const i32 held = before <= TOMBSTONE ? atomicCAS(graph.pool + room, before, key) : before;
    if (held <= TOMBSTONE || held == key) {
      slot = room;
      state = held == key ? UNCHANGED : CHANGED;
    } else {  // another key was quicker, so search the chain again
      room = -1;
      slab = graph.first_slab(owner, key);
    }
  }
  return state;
}

// Insert the arcs that are not settled. RESUME: the states say which arcs these are; otherwise they are all arcs. The ids
// are checked in the same pass, because another pass would take as long as a small batch. If an id is bad, the host
// deletes the arcs that were inserted. REUSES: tombstones are reused.
template <bool REUSES>
__device__ __forceinline__ void insert(const Update &update) {
  const Batch batch = update.batch();
  const Slabs graph = update.graph();
  const Supply supply = update.supply();
  const bool resume = update.has(RESUME);
  Counters counters;
  u32 reused = 0;
  i32 spare = NIL;
  for (i64 first = warp_id() * WARP; first < batch.arcs(); first += warps() * WARP) {
    batch.ask_for(first + warps() * WARP);
    i64 i = first + lane_id();
    if (!resume) update.note_pair(batch, i);
    bool open = i < batch.arcs() && !(resume && update.states[i] < WITHOUT_SLAB);
    if (!__any_sync(ALL, open)) continue;
    i32 owner = 0, key = 0;
    i64 slot = -1;
    bool wanted = open && batch.arc_in_range(i, owner, key, graph.vertices, update.words) && !update.is_nan(batch.pair(i));
    int before = UNCHANGED;
    if (REUSES) {
      before = reuse_lanes(graph, wanted, owner, key, slot);
      reused += before == CHANGED;
      wanted = before == WITHOUT_SLAB;
    }
    int state = insert_lanes<false>(graph, supply, wanted, owner, key, update.limit, spare, slot);
    if (REUSES && !wanted) state = before;
    if (!open) continue;
    update.states[i] = (u8)state;
    if (update.slots) update.slots[i] = slot;
    if (state == CHANGED) atomicAdd(graph.degrees + owner, 1);
    counters.count(state, owner == key);
  }
  __syncwarp();
  supply.give_back(graph.pool, spare);
  if (REUSES && (reused = warp_sum(reused)) && lane_id() == 0) supply.report.add(WORD_REUSED, reused);
  counters.add_to(supply.report);
  supply.report.publish();
}

// Put a tombstone in the place of each arc that is there. ONLY_CHANGED: only of arcs whose state is CHANGED. `slots`, if
// not null, gets the position of each deleted arc, or -1. The ids are checked as in `insert`.
__device__ __forceinline__ void remove(const Update &update) {
  const Batch batch = update.batch();
  const Slabs graph = update.graph();
  const bool only_changed = update.has(ONLY_CHANGED);
  Counters counters;
  for (i64 first = warp_id() * WARP; first < batch.arcs(); first += warps() * WARP) {
    batch.ask_for(first + warps() * WARP);
    i64 i = first + lane_id();
    if (!only_changed) update.note_pair(batch, i);
    bool open = i < batch.arcs() && !(only_changed && update.states[i] != CHANGED);
    if (!__any_sync(ALL, open)) continue;
    i32 owner = 0, key = 0;
    bool wanted = open && batch.arc_in_range(i, owner, key, graph.vertices, update.words);
    i64 slot = find_lanes(graph, wanted, owner, key);
    if (!open) continue;
    int state = slot >= 0 && atomicExch(graph.pool + slot, TOMBSTONE) == key ? CHANGED : UNCHANGED;
    if (update.states) update.states[i] = (u8)state;
    if (update.slots) update.slots[i] = state == CHANGED ? slot : -1;
    if (state == CHANGED) atomicSub(graph.degrees + owner, 1);
    counters.count(state, owner == key);
  }
  __syncwarp();
  counters.add_to(update.report());
  update.report().publish();
}

// Put back the arcs that `remove` has deleted, each in its slot. One thread for each arc.
__device__ __forceinline__ void restore(const Update &update) {
  const Batch batch = update.batch();
  for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < batch.arcs(); i += (i64)gridDim.x * blockDim.x) {
    if (update.slots[i] < 0) continue;
    i32 owner, key;
    batch.arc(i, owner, key);
    update.pool[update.slots[i]] = key;
    atomicAdd(update.degrees + owner, 1);
  }
}

// Find whether each arc is there, and where. Both outputs may be null.
__device__ __forceinline__ void find(const Update &update) {
  const Batch batch = update.batch();
  const Slabs graph = update.graph();
  for (i64 first = warp_id() * WARP; first < batch.arcs(); first += warps() * WARP) {
    batch.ask_for(first + warps() * WARP);
    i64 i = first + lane_id();
    i32 owner = 0, key = 0;
    bool wanted = i < batch.arcs() && batch.arc_in_range(i, owner, key, graph.vertices, update.words);
    i64 slot = find_lanes(graph, wanted, owner, key);
    if (i >= batch.arcs()) continue;
    if (update.found) update.found[i] = slot >= 0;
    if (update.slots) update.slots[i] = slot;
  }
  update.report().publish();
}

// Set the bit of each arc that is there, and list the arcs whose bit was not set before, in no particular order. If `only`
// is not null, it says which pairs count. The report says how many arcs are listed.
__device__ __forceinline__ void mark(const Update &update) {
  const Batch batch = update.batch();
  const Slabs graph = update.graph();
  for (i64 first = warp_id() * WARP; first < batch.arcs(); first += warps() * WARP) {
    batch.ask_for(first + warps() * WARP);
    const i64 i = first + lane_id();
    i32 owner = 0, key = 0;
    const bool wanted = i < batch.arcs() && batch.arc_in_range(i, owner, key, graph.vertices, update.words) &&
                        !(update.only && !update.only[batch.pair(i)]);
    const i64 slot = find_lanes(graph, wanted, owner, key);
    const u32 bit = 1u << (slot & 31);
    const bool is_new = slot >= 0 && !(atomicOr(update.bits + slot / 32, bit) & bit);
    const i64 at = warp_append(is_new, (u64 *)update.words + WORD_LISTED);
    if (is_new) update.slots[at] = slot;
  }
  update.report().publish();
}

}  // namespace dynamic
}  // namespace minigr
