// Searches by hops from 64 vertices at once: each vertex has a word with a bit for each source; see hops_cpu.py.
//
// A vertex gathers the bits of its neighbors until it has all bits, so a search needs no atomics, and one barrier for each
// level. Four words of bits hold the hops of each vertex, as the index of the level among the last 15 levels. When these
// levels are used up or the search is over, the hops are written one row at a time and in order, even if the search has
// found them in another order.
#pragma once
#include "batch/team.cuh"

namespace minigr {
namespace batch {

// The bits in `missing` that v gets from its neighbors.
__device__ __forceinline__ u64 gather(const Work &work, i64 base, i32 v, const u64 *front, u64 missing) {
  u64 got = 0;
  i64 end = work.offsets[base + v + 1];
  const i32 offset = (i32)base;
  for (i64 e = work.offsets[base + v]; e < end && (missing & ~got); e++) got |= front[work.indices[e] - offset];
  return got & missing;
}

// Take one step of a search: pass bits on along the rows, and call came(v, bits) for the new bits of each vertex. `full`
// has all bits set. Returns whether any bits were new.
template <int T, class Came>
__device__ __forceinline__ bool hand_on(const Work &work, const Unit &unit, u64 full, u64 *seen, const u64 *front, u64 *next,
                                        Came came) {
  bool found = false;
  for (i32 v = Team<T>::rank(); v < unit.n; v += T) {
    u64 missing = full & ~seen[v], got = 0;
    if (missing) {
      got = gather(work, unit.base, v, front, missing);
      if (got) {
        found = true;
        seen[v] = (full & ~missing) | got;
        came(v, got);
      }
    }
    next[v] = got;
  }
  return Team<T>::any(found);
}

template <int T>
__device__ __forceinline__ void put_sources(const Unit &unit, u64 *seen, u64 *front) {
  for (i32 v = Team<T>::rank(); v < unit.n; v += T) {
    i32 own = v - unit.first;
    seen[v] = front[v] = own >= 0 && own < unit.count ? 1ull << own : 0;
  }
}

// Write the hops so far to `out`, which begins at the unit's first column of a matrix.
template <int T>
__device__ __forceinline__ void write_levels(const Unit &unit, const u64 *seen, const u64 *digits, i32 before, bool last,
                                             i32 *out) {
  const i32 n = unit.n, count = unit.count, rows = T / count, rest = T - rows * count;
  i32 v = Team<T>::rank() / count, bit = Team<T>::rank() - v * count;
  while (v < n) {
    i32 level = (digits[v] >> bit & 1) | (digits[n + v] >> bit & 1) << 1 | (digits[2 * n + v] >> bit & 1) << 2 |
                (digits[3 * n + v] >> bit & 1) << 3;
    i64 at = (i64)v * n + bit;
    if (level) out[at] = before + level;
    else if (before == 0 && v == unit.first + bit) out[at] = 0;
    else if (last && !(seen[v] >> bit & 1)) out[at] = -1;
    v += rows;
    bit += rest;
    if (bit >= count) bit -= count, v++;
  }
}

template <int T, bool SHARED>
__device__ void distances(const Work &work, const i64 *pair_offsets, char *memory, i64 bytes, i32 *out) {
  u64 *words = (u64 *)own_memory<T, SHARED>(memory, bytes);
  for (i64 i = work.begin + Team<T>::number(); i < work.end; i += Team<T>::teams()) {
    const Unit unit(work, i);
    const i32 n = unit.n;
    const u64 full = unit.count == 64 ? ~0ull : (1ull << unit.count) - 1;
    u64 *seen = words, *front = words + n, *next = words + 2 * n, *digits = words + 3 * n;
    i32 *matrix = out + pair_offsets[unit.graph] + unit.first;
    put_sources<T>(unit, seen, front);
    for (i32 v = Team<T>::rank(); v < 4 * n; v += T) digits[v] = 0;
    Team<T>::sync();
    i32 before = 0;
    for (i32 level = 1;; level++) {
      const bool found = hand_on<T>(work, unit, full, seen, front, next, [&](i32 v, u64 bits) {
        for (int k = 0; k < 4; k++) {
          if ((level - before) >> k & 1) digits[k * n + v] |= bits;
        }
      });
      if (!found) break;
      u64 *other = front;
      front = next, next = other;
      if (level - before == LEVELS) {
        write_levels<T>(unit, seen, digits, before, false, matrix);
        Team<T>::sync();
        for (i32 v = Team<T>::rank(); v < n; v += T) {
          for (int k = 0; k < 4; k++) digits[k * n + v] = 0;
        }
        before = level;
      }
    }
    write_levels<T>(unit, seen, digits, before, true, matrix);
    Team<T>::sync();
  }
}

template <int T, bool SHARED>
__device__ void nearness(const Work &work, const i64 *part_offsets, char *memory, i64 bytes, bool harmonic,
                         double *parts) {
  u64 *words = (u64 *)own_memory<T, SHARED>(memory, bytes);
  for (i64 i = work.begin + Team<T>::number(); i < work.end; i += Team<T>::teams()) {
    const Unit unit(work, i);
    const i32 n = unit.n;
    const u64 full = unit.count == 64 ? ~0ull : (1ull << unit.count) - 1;
    u64 *seen = words, *front = words + n, *next = words + 2 * n;
    double *sum = (double *)(words + 3 * n);
    put_sources<T>(unit, seen, front);
    for (i32 v = Team<T>::rank(); v < n; v += T) sum[v] = 0;
    Team<T>::sync();
    for (i32 level = 1;; level++) {
      const double gain = harmonic ? 1.0 / level : level * TOTAL + 1.0;
      if (!hand_on<T>(work, unit, full, seen, front, next, [&](i32 v, u64 bits) { sum[v] += __popcll(bits) * gain; })) break;
      u64 *other = front;
      front = next, next = other;
    }
    double *part = parts + part_offsets[unit.graph] + unit.first / 64 * (i64)n;
    for (i32 v = Team<T>::rank(); v < n; v += T) part[v] = sum[v];
    Team<T>::sync();
  }
}

// The centrality of a vertex: sums the parts of the units of its graph in their order.
__device__ __forceinline__ double centrality(const double *part, i32 n, bool harmonic) {
  double inverse = 0, hops = 0, reached = 0;
  for (i32 first = 0; first < n; first += 64, part += n) {
    double whole = floor(*part / TOTAL);
    inverse += *part;
    hops += whole;
    reached += *part - whole * TOTAL;
  }
  return harmonic ? inverse : hops > 0 ? reached / hops * (reached / (n - 1)) : 0;
}

}  // namespace batch
}  // namespace minigr
