// Grids that run one program at the same time, each over its part of a graph, mostly on a GPU of its own.
//
// All grids have as many blocks and do the same phases, so they count arrivals alike. At a barrier the last block of a grid to
// arrive tells the other grids, waits for them, and lets its own go on. A grid that doesn't come in time is lost: then all
// others leave. What a grid has for the others stands in its own memory, at addresses that a table has for each grid.
#pragma once
#include "jit/warp.cuh"

namespace minigr {

// A load of what a thread of another GPU wrote, or of what stands in another GPU's memory. PTX gives a volatile load the
// meaning of ld.relaxed.sys.
template <class T>
__device__ __forceinline__ T load_across(const T *p) {
  return *(const volatile T *)p;
}

#if PARTS > 1
struct Across {
  const u64 *peers;  // for each grid its addresses, PEER_COLUMNS of them
  int part;          // number of this grid
  i32 first, end;    // the vertices of its part, where parts own ranges
  u64 patience;      // nanoseconds that it waits for others

  static constexpr u64 LOST = ~0ull;  // in the place of a number of arrivals

  // An address of grid q's.
  template <class T>
  __device__ __forceinline__ T *at(int q, int column) const { return (T *)peers[q * PEER_COLUMNS + column]; }

  // The rule of minigr/graphs/partitioned/deal.py.
  __device__ __forceinline__ bool owns(i32 vertex) const {
    if (HASHED) return (((u32)vertex * 0x9E3779B1u) >> 8) % PARTS == part;
    return vertex >= first && vertex < end;
  }

  // One thread of each block: wait until `all` blocks of each grid have arrived; false if a grid is lost.
  __device__ bool meet(u64 *sync, u64 all) const {
    if (load_across(sync + SYNC_GO) == LOST) return false;
    u64 before;
    asm volatile("atom.acq_rel.gpu.global.add.u64 %0, [%1], 1;" : "=l"(before) : "l"(sync + SYNC_ARRIVED) : "memory");
    if (before + 1 == all) {
      tell(all);
      const u64 told = are_here(sync, all) ? all : LOST;
      if (told == LOST) tell(LOST);
      asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(sync + SYNC_GO), "l"(told) : "memory");
      return told != LOST;
    }
    while (true) {
      u64 seen;
      asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(seen) : "l"(sync + SYNC_GO) : "memory");
      if (seen >= all) return seen != LOST;
      __nanosleep(20);
    }
  }

  // The same for the blocks of this grid alone.
  __device__ static void meet_own(u64 *sync, u64 all) {
    asm volatile("red.release.gpu.global.add.u64 [%0], 1;" ::"l"(sync + SYNC_ARRIVED) : "memory");
    u64 seen;
    do asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(seen) : "l"(sync + SYNC_ARRIVED) : "memory");
    while (seen < all);
  }

 private:
  __device__ void tell(u64 number) const {
    for (int q = 0; q < PARTS; q++) {
      if (q == part) continue;
      asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(at<u64>(q, PEER_SYNC) + SYNC_FLAGS + part), "l"(number) : "memory");
    }
  }

  __device__ bool are_here(u64 *sync, u64 all) const {
    const u64 begin = now();
    for (int q = 0; q < PARTS; q++) {
      if (q == part) continue;
      while (true) {
        u64 seen;
        asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(seen) : "l"(sync + SYNC_FLAGS + q) : "memory");
        if (seen == LOST) return false;
        if (seen >= all) break;
        if (now() - begin > patience) return false;
      }
    }
    return true;
  }

  __device__ static u64 now() {
    u64 time;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
    return time;
  }
};
#else
// There is one grid.
struct Across {
  __device__ __forceinline__ static constexpr bool owns(i32) { return true; }
};
#endif

}  // namespace minigr
