// Betweenness of a small graph from 32 vertices at once: each lane has one source, and each warp takes one vertex at a time.
//
// All lanes read the same edges, so no lane waits for another, and the data of a vertex is one row of shared memory. Words
// with a bit for each source say which edges matter; a warp skips the other edges, 32 at a time. The search goes through
// the levels in ascending order and then in descending order, so the warps of a team need one barrier for each level.
#pragma once
#include "batch/paths.cuh"

namespace minigr {
namespace batch {

constexpr int SOURCES = WARP;

// For each lane in `lanes`, the sum over the neighbors of v whose words have the bit of the lane.
__device__ __forceinline__ double sum_neighbors(const i64 *offsets, const i32 *indices, i64 base, i32 v, u32 lanes,
                                                const u32 *words, const double *values) {
  const int lane = lane_id();
  const i64 end = offsets[base + v + 1];
  double sum = 0;
  for (i64 e = offsets[base + v]; e < end; e += WARP) {
    i32 u = e + lane < end ? indices[e + lane] - (i32)base : 0;
    u32 word = e + lane < end ? words[u] & lanes : 0;
    for (u32 useful = __ballot_sync(ALL, word != 0); useful; useful &= useful - 1) {
      int k = __ffs(useful) - 1;
      i32 from = __shfl_sync(ALL, u, k);
      if (__shfl_sync(ALL, word, k) >> lane & 1) sum += values[from * SOURCES + lane];
    }
  }
  return sum;
}

template <int T, bool SHARED>
__device__ void betweenness_together(const Work &work, const Rows &in, const i64 *part_offsets, char *memory, i64 bytes,
                                     double ends, i32 *flags, double *parts) {
  constexpr u16 UNSEEN = 0xffff;
  const int lane = lane_id(), warp = threadIdx.x / WARP;
  char *own = own_memory<T, SHARED>(memory, bytes);
  for (i64 i = work.begin + Team<T>::number(); i < work.end; i += Team<T>::teams()) {
    const Unit unit(work, i);
    const i32 n = unit.n, source = unit.first + lane;
    double *paths = (double *)own, *share = paths + SOURCES * n;
    u32 *front = (u32 *)(share + SOURCES * n), *next = front + n, *seen = next + n;
    u16 *levels = (u16 *)(seen + n);
    const u32 full = unit.count == WARP ? ALL : (1u << unit.count) - 1;
    for (i32 v = warp; v < n; v += T / WARP) {
      const bool here = v == source && lane < unit.count;
      paths[v * SOURCES + lane] = here;
      levels[v * SOURCES + lane] = here ? 0 : UNSEEN;
      u32 word = __ballot_sync(ALL, here);
      if (lane == 0) front[v] = seen[v] = word;
    }
    Team<T>::sync();

    i32 level = 0;
    for (bool found = true; found; level++) {
      found = false;
      for (i32 v = warp; v < n; v += T / WARP) {
        const u32 missing = full & ~seen[v];
        double sum = missing ? sum_neighbors(in.offsets, in.indices, unit.base, v, missing, front, paths) : 0;
        const u32 fresh = __ballot_sync(ALL, sum > 0);
        if (sum > 0) {
          paths[v * SOURCES + lane] = sum;
          levels[v * SOURCES + lane] = level + 1;
          if (sum > MOST_PATHS) atomicOr(flags + unit.graph, TOO_MANY_PATHS);
        }
        if (lane == 0) next[v] = fresh, seen[v] |= fresh;
        found |= fresh != 0;
      }
      found = Team<T>::any(found);
      if (found) {
        u32 *other = front;
        front = next, next = other;
      }
    }

    // `level` is one more than the last level, and `front` has the bits of the last level. On the way back, dependents
    // replace the paths.
    u32 *here = front, *behind = next, *before = seen;
    const i32 last = level - 1;
    for (level = last; level > 0; level--) {
      for (i32 v = warp; v < n; v += T / WARP) {
        const i32 at = v * SOURCES + lane;
        const u32 lanes = here[v];
        if (lanes) {
          double sum = level < last ? sum_neighbors(work.offsets, work.indices, unit.base, v, lanes, behind, share) : 0;
          if (lanes >> lane & 1) {
            double dependents = paths[at] * sum;
            share[at] = (1 + dependents) / paths[at];
            paths[at] = dependents;
          }
        }
        u32 word = __ballot_sync(ALL, levels[at] == level - 1);
        if (lane == 0) before[v] = word;
      }
      Team<T>::sync();
      u32 *other = behind;
      behind = here, here = before, before = other;
    }

    double *part = parts + part_offsets[unit.graph] + unit.first / work.width * (i64)n;
    if (ends > 0) {  // how many vertices each source reaches
      if (warp == 0) {
        i32 reached = 0;
        for (i32 v = 0; v < n; v++) reached += levels[v * SOURCES + lane] != UNSEEN;
        if (lane < unit.count) paths[source * SOURCES + lane] = (reached - 1) * ends;
      }
      Team<T>::sync();
    }
    for (i32 v = warp; v < n; v += T / WARP) {
      const i32 at = v * SOURCES + lane;
      double mine = levels[at] == UNSEEN ? 0 : levels[at] > 0 ? paths[at] + ends : ends > 0 ? paths[at] : 0;
      double sum = warp_sum(mine);
      if (lane == 0) part[v] = sum;
    }
    Team<T>::sync();
  }
}

}  // namespace batch
}  // namespace minigr
