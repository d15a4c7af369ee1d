// Searches from one vertex at a time, by a team: weighted distances, and betweenness; see paths_cpu.py.
//
// A vertex gathers from its neighbors in the order of its row, and a single thread computes the sums of a vertex. So the
// results do not depend on the order in which threads run. A step of a search goes over all vertices of the graph, which
// is cheap because the graphs are small.
#pragma once
#include "batch/team.cuh"

namespace minigr {
namespace batch {

// Rows with weights; `weights` is null if the kernel reads no weights.
struct Rows {
  const i64 *offsets;
  const i32 *indices;
  const double *weights;
};

// The state of a search. Each array has an element for each vertex.
struct Search {
  double *paths, *share, *score, *distance;
  i32 *level;
};

// The distance of every vertex from `source`, by the given in-rows. The sum of a path is rounded in the order of the path,
// so the minimum of these sums does not depend on how it was found.
template <int T>
__device__ void find_distances(const Rows &rows, i64 base, i32 n, i32 source, double *distance) {
  const i32 offset = (i32)base;
  const double infinity = __longlong_as_double(0x7ff0000000000000ll);
  for (i32 v = Team<T>::rank(); v < n; v += T) distance[v] = v == source ? 0 : infinity;
  Team<T>::sync();
  bool changed;
  do {
    changed = false;
    for (i32 v = Team<T>::rank(); v < n; v += T) {
      double least = distance[v], before = least;
      for (i64 e = rows.offsets[base + v], end = rows.offsets[base + v + 1]; e < end; e++) {
        double way = distance[rows.indices[e] - offset] + rows.weights[e];
        if (way < least) least = way;
      }
      if (least < before) distance[v] = least, changed = true;
    }
  } while (Team<T>::any(changed));
}

// Calls each(unit, source, distance) for each source of a team's units, after its distances have been found.
template <int T, bool SHARED, class Each>
__device__ __forceinline__ void each_search(const Work &work, const double *weights, char *memory, i64 bytes, Each each) {
  double *distance = (double *)own_memory<T, SHARED>(memory, bytes);
  const Rows rows{work.offsets, work.indices, weights};
  for (i64 i = work.begin + Team<T>::number(); i < work.end; i += Team<T>::teams()) {
    const Unit unit(work, i);
    for (i32 s = unit.first; s < unit.first + unit.count; s++) {
      find_distances<T>(rows, unit.base, unit.n, s, distance);
      each(unit, s, distance);
      Team<T>::sync();
    }
  }
}

template <int T, bool SHARED>
__device__ void weighted_distances(const Work &work, const double *weights, const i64 *pair_offsets, char *memory,
                                   i64 bytes, double *out) {
  each_search<T, SHARED>(work, weights, memory, bytes, [&](const Unit &unit, i32 s, const double *distance) {
    double *row = out + pair_offsets[unit.graph] + (i64)s * unit.n;
    for (i32 v = Team<T>::rank(); v < unit.n; v += T) row[v] = distance[v];
  });
}

// Writes the scores directly, without parts. The searches go against the edges, so a search gives the score of one vertex.
template <int T, bool SHARED>
__device__ void weighted_nearness(const Work &work, const double *weights, char *memory, i64 bytes, bool harmonic,
                                  double *score) {
  each_search<T, SHARED>(work, weights, memory, bytes, [&](const Unit &unit, i32 s, const double *distance) {
    double total = 0, inverse = 0, reached = 0;
    for (i32 v = Team<T>::rank(); v < unit.n; v += T) {
      double d = distance[v];
      if (v == s || isinf(d)) continue;
      total += d;
      reached += 1;
      if (d > 0) inverse += 1 / d;
    }
    if (harmonic) {
      inverse = Team<T>::sum(inverse);
    } else {
      total = Team<T>::sum(total);
      reached = Team<T>::sum(reached);
    }
    if (Team<T>::rank() == 0) {
      score[unit.base + s] = harmonic ? inverse : total > 0 ? reached / total * (reached / (unit.n - 1)) : 0;
    }
  });
}

// Set the level at which a search by hops reaches each vertex, and the number of shortest paths to it. Returns the last level.
template <int T>
__device__ i32 count_paths_by_hops(const Rows &in, i64 base, i32 n, const Search &search, i32 *flag) {
  const i32 offset = (i32)base;
  for (i32 level = 0;; level++) {
    bool found = false;
    for (i32 v = Team<T>::rank(); v < n; v += T) {
      if (search.level[v] >= 0) continue;
      double paths = 0;
      for (i64 e = in.offsets[base + v], end = in.offsets[base + v + 1]; e < end; e++) {
        i32 u = in.indices[e] - offset;
        if (search.level[u] == level) paths += search.paths[u];
      }
      if (paths > 0) {
        search.paths[v] = paths;
        search.level[v] = level + 1;
        found = true;
        if (paths > MOST_PATHS) atomicOr(flag, TOO_MANY_PATHS);
      }
    }
    if (!Team<T>::any(found)) return level;
  }
}

// The same by weight. The level of a vertex is one more than the highest level of its predecessors on shortest paths.
template <int T>
__device__ i32 count_paths_by_weight(const Rows &in, i64 base, i32 n, i32 source, const Search &search, i32 *flag) {
  const i32 offset = (i32)base;
  find_distances<T>(in, base, n, source, search.distance);
  for (i32 level = 0;; level++) {
    bool found = false, waiting = false;
    for (i32 v = Team<T>::rank(); v < n; v += T) {
      const double here = search.distance[v];
      if (search.level[v] >= 0 || isinf(here)) continue;
      double paths = 0;
      bool ready = true;
      for (i64 e = in.offsets[base + v], end = in.offsets[base + v + 1]; e < end; e++) {
        i32 u = in.indices[e] - offset;
        if (u == v || search.distance[u] + in.weights[e] != here) continue;
        if (search.distance[u] >= here) atomicOr(flag, LOST_WEIGHT);
        i32 before = search.level[u];
        if (before < 0 || before > level) {
          ready = false;
          break;
        }
        paths += search.paths[u];
      }
      if (ready) {
        search.paths[v] = paths;
        search.level[v] = level + 1;
        found = true;
        if (paths > MOST_PATHS) atomicOr(flag, TOO_MANY_PATHS);
      } else {
        waiting = true;
      }
    }
    found = Team<T>::any(found);
    if (!found || !Team<T>::any(waiting)) return found ? level + 1 : level;
  }
}

template <int T, bool SHARED, bool WEIGHTED>
__device__ void betweenness(const Work &work, const double *weights, const Rows &in, const i64 *part_offsets,
                            char *memory, i64 bytes, double ends, i32 *flags, double *parts) {
  double *own = (double *)own_memory<T, SHARED>(memory, bytes);
  for (i64 i = work.begin + Team<T>::number(); i < work.end; i += Team<T>::teams()) {
    const Unit unit(work, i);
    const i32 n = unit.n, offset = (i32)unit.base;
    Search search{own, own + n, own + 2 * n, own + 3 * n, (i32 *)(own + (WEIGHTED ? 4 : 3) * n)};
    for (i32 v = Team<T>::rank(); v < n; v += T) search.score[v] = 0;
    for (i32 s = unit.first; s < unit.first + unit.count; s++) {
      for (i32 v = Team<T>::rank(); v < n; v += T) {
        search.level[v] = v == s ? 0 : -1;
        search.paths[v] = 1;
      }
      Team<T>::sync();
      i32 last;
      if constexpr (WEIGHTED) last = count_paths_by_weight<T>(in, unit.base, n, s, search, flags + unit.graph);
      else last = count_paths_by_hops<T>(in, unit.base, n, search, flags + unit.graph);
      double reached = 0;
      for (i32 level = last; level > 0; level--) {
        for (i32 v = Team<T>::rank(); v < n; v += T) {
          if (search.level[v] != level) continue;
          double shares = 0;
          if (level < last) {
            for (i64 e = work.offsets[unit.base + v], end = work.offsets[unit.base + v + 1]; e < end; e++) {
              i32 w = work.indices[e] - offset;
              bool behind;
              if constexpr (WEIGHTED) behind = w != v && search.distance[v] + weights[e] == search.distance[w];
              else behind = search.level[w] == level + 1;
              if (behind) shares += search.share[w];
            }
          }
          double dependents = search.paths[v] * shares;
          search.share[v] = (1 + dependents) / search.paths[v];
          search.score[v] += dependents + ends;
          reached += 1;
        }
        Team<T>::sync();
      }
      if (ends > 0) {
        reached = Team<T>::sum(reached);
        if (s % T == Team<T>::rank()) search.score[s] += reached * ends;
      }
    }
    double *part = parts + part_offsets[unit.graph] + unit.first / work.width * (i64)n;
    for (i32 v = Team<T>::rank(); v < n; v += T) part[v] = search.score[v];
    Team<T>::sync();
  }
}

}  // namespace batch
}  // namespace minigr
