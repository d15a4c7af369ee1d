// Slabs in device code: loads, searches, and the view of a dynamic graph that updates hold by value. Operators hold the
// view of adjacency.cuh instead. layout.py writes the constants before this file is included.
//
// Groups of eight lanes do the work. Each lane loads 16 bytes of a slab, so that a warp runs four searches at the same
// time. (SlabGraph and Meerkat use one warp for each search: Awad et al. 2020, section IV-B.) All lanes of a group must
// call a function together if its comment ends in "The group's." The groups of a warp may diverge. For "The warp's." and
// "The block's." in other files, the same holds for all lanes of a warp and all threads of a block.
#pragma once
#include "primitives/collectives.cuh"

namespace minigr {
namespace dynamic {

constexpr int GROUP = 8;

// How many buckets a vertex of a degree gets, as in layout.py.
__device__ __forceinline__ i32 buckets_for(i64 degree, double keys_of_bucket) {
  return degree <= KEYS ? degree >= 0 : max(1, (i32)ceil((double)degree / keys_of_bucket));
}

__device__ __forceinline__ int group_lane() { return threadIdx.x & (GROUP - 1); }
__device__ __forceinline__ int group_shift() { return threadIdx.x & (WARP - GROUP); }
__device__ __forceinline__ u32 group_mask() { return 0xffu << group_shift(); }

// Which lanes of the group hold `p`, as bits 0 to 7.
__device__ __forceinline__ u32 group_ballot(bool p) {
  return (__ballot_sync(group_mask(), p) >> group_shift()) & 0xffu;
}

template <class T>
__device__ __forceinline__ T from_lane(T x, int lane) {
  return __shfl_sync(group_mask(), x, lane, GROUP);
}

__device__ __forceinline__ i32 group_sum(i32 x) {
#pragma unroll
  for (int o = GROUP / 2; o; o >>= 1) x += __shfl_xor_sync(group_mask(), x, o, GROUP);
  return x;
}

// Sum over the lanes below this one.
__device__ __forceinline__ i32 group_scan(i32 x) {
  i32 sum = x;
#pragma unroll
  for (int o = 1; o < GROUP; o <<= 1) {
    i32 y = __shfl_up_sync(group_mask(), sum, o, GROUP);
    if (group_lane() >= o) sum += y;
  }
  return sum - x;
}

// A lane's part of a slab: four words. The third and fourth words of the last lane are the owner and the next slab.
struct Quad {
  i32 word[4];

  // How many of the words are keys.
  __device__ __forceinline__ static int keys() { return group_lane() == GROUP - 1 ? 2 : 4; }

  // The index of the first word that equals `key`, or -1.
  __device__ __forceinline__ int find(i32 key) const {
    bool all = group_lane() != GROUP - 1;
    return word[0] == key ? 0 : word[1] == key ? 1 : all && word[2] == key ? 2 : all && word[3] == key ? 3 : -1;
  }

  __device__ __forceinline__ i32 owner() const { return from_lane(word[2], GROUP - 1); }
  __device__ __forceinline__ i32 next() const { return from_lane(word[3], GROUP - 1); }
};

// Load a slab. The load bypasses the L1 cache, so that it sees what other blocks wrote. The group's.
__device__ __forceinline__ Quad load_slab(const i32 *pool, i32 slab) {
  int4 v = __ldcg((const int4 *)pool + (i64)slab * GROUP + group_lane());
  return Quad{{v.x, v.y, v.z, v.w}};
}

// Store an empty slab. The group's.
__device__ __forceinline__ void store_empty(i32 *pool, i32 slab, i32 owner) {
  bool last = group_lane() == GROUP - 1;
  ((int4 *)pool)[(i64)slab * GROUP + group_lane()] = make_int4(EMPTY, EMPTY, last ? owner : EMPTY, last ? NIL : EMPTY);
}

__device__ __forceinline__ i64 slot_of(i32 slab, int lane, int word) { return (i64)slab * LANES + lane * 4 + word; }

// The bucket of a key: a multiplicative hash, and a multiplication instead of a modulo.
__device__ __forceinline__ u32 bucket_of(i32 key, u32 buckets) {
  u32 bits = (u32)key * HASH_FACTOR;
  bits ^= bits >> HASH_SHIFT;
  return __umulhi(bits, buckets);
}

// A graph in device code. Weights, if any, have the same positions as the keys in a pool of their own.
struct Slabs {
  i64 vertices;
  i64 slabs;          // upper bound of the slabs in use: slabs below it were taken at some time
  const int2 *heads;  // first base slab and buckets of each vertex
  i32 *degrees;
  i32 *pool;
  const u8 *marks;  // how many lanes of each slab are older than the mark; null if there is no mark

  __device__ __forceinline__ i32 first_slab(i32 v, i32 key) const {
    int2 head = __ldg(heads + v);
    return head.x + (i32)bucket_of(key, (u32)head.y);
  }

  // The position of an arc in the pool, or -1. The group's.
  __device__ __forceinline__ i64 find(i32 v, i32 key) const {
    i32 slab = first_slab(v, key);
    while (true) {
      Quad quad = load_slab(pool, slab);
      int word = quad.find(key);
      u32 hit = group_ballot(word >= 0);
      if (hit) {
        int lane = __ffs(hit) - 1;
        return slot_of(slab, lane, from_lane(word, lane));
      }
      i32 next = quad.next();
      if (group_ballot(quad.find(EMPTY) >= 0) || next == NIL) return -1;
      slab = next;
    }
  }
};

}  // namespace dynamic
}  // namespace minigr
