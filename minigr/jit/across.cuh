// Grids that run one program at the same time, each over its part of a graph, mostly on a GPU of its own.
//
// All grids have as many blocks and do the same phases, so they count arrivals alike. At a barrier the last block of a grid to
// arrive sends what its grid counted to the other grids, tells them, waits for them, and lets its own go on. A grid that
// doesn't come in time is lost: then all others leave.
//
// A grid stores into the memory of others, and loads from its own, because a load from another GPU takes as long as a barrier.
// Where others have what is for a grid says a table, which each block has in shared memory.
#pragma once
#include "jit/warp.cuh"

namespace minigr {

// A set of news holds the counters close together, because every block reads them all at once, and two more words where
// the first counters would be: NEWS_OVERFLOW and NEWS_LEAST. Behind them several grids have a word for each grid: how much
// this one sends it.
constexpr int NEWS = CONTROL_WORDS / WORDS_PER_COUNTER, SET = PARTS > 1 ? NEWS + PARTS : NEWS;

// A load of what a thread of another GPU wrote, or of what stands in another GPU's memory. PTX gives a volatile load the
// meaning of ld.relaxed.sys.
template <class T>
__device__ __forceinline__ T load_across(const T *p) {
  return *(const volatile T *)p;
}

#if PARTS > 1
// For each grid its addresses, PEER_COLUMNS of them, and numbers.
__device__ __forceinline__ u64 *peers_table() {
  __shared__ u64 table[PARTS * PEER_COLUMNS];
  return table;
}

struct Across {
  const u64 *peers;  // the table in this GPU's memory
  int part;          // number of this grid
  i32 first, end;    // the vertices of its part, where parts own ranges
  u64 patience;      // nanoseconds that it waits for others

  static constexpr u64 LOST = ~0ull;  // in the place of a number of arrivals

  // All threads of a block, before anything else.
  __device__ __forceinline__ void begin() const {
    if (peers == nullptr) return;
    for (int i = threadIdx.x; i < PARTS * PEER_COLUMNS; i += blockDim.x) peers_table()[i] = load_fresh(peers + i);
  }

  // An address of grid q's, or a number about it.
  template <class T>
  __device__ __forceinline__ T *at(int q, int column) const { return (T *)peers_table()[q * PEER_COLUMNS + column]; }
  __device__ __forceinline__ i64 number(int q, int column) const { return (i64)peers_table()[q * PEER_COLUMNS + column]; }

  // What grid q sent at a barrier: a set of news and what it has for this grid alone. Two turns of barriers take turns,
  // because a late block may still read what came at the last one.
  __device__ __forceinline__ const i64 *sent_by(int q, i64 turn) const {
    return at<i64>(part, PEER_INBOX) + ((q - part) * 2 + (turn & 1)) * (NEWS + 1);
  }

  // The rule of minigr/graphs/partitioned/deal.py.
  __device__ __forceinline__ bool owns(i32 vertex) const {
    if (HASHED) return (((u32)vertex * 0x9E3779B1u) >> 8) % PARTS == part;
    return vertex >= first && vertex < end;
  }

  // The first warp of each block: wait until `all` blocks of each grid have arrived; false if a grid is lost. `news`: the
  // set to send; none where the barrier ends no phase.
  __device__ bool meet(u64 *sync, u64 all, const i64 *news, i64 turn) const {
    u64 arrived = 0;
    if (lane_id() == 0)
      asm volatile("atom.acq_rel.gpu.global.add.u64 %0, [%1], 1;" : "=l"(arrived) : "l"(sync + SYNC_ARRIVED) : "memory");
    if (__shfl_sync(ALL, arrived, 0) + 1 == all) {
      __syncwarp();
      const bool lost = load_across(sync + SYNC_GO) == LOST;
      if (news) send(news, turn);
      __syncwarp();
      if (lost) return false;
      tell(all);
      const bool here = __all_sync(ALL, is_here(sync, all));
      if (!here) tell(LOST);
      __syncwarp();
      if (lane_id() == 0)
        asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(sync + SYNC_GO), "l"(here ? all : LOST) : "memory");
      return here;
    }
    u64 seen = 0;
    while (lane_id() == 0) {
      asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(seen) : "l"(sync + SYNC_GO) : "memory");
      if (seen >= all) break;
      __nanosleep(20);
    }
    return __shfl_sync(ALL, seen, 0) != LOST;
  }

  // The same for the blocks of this grid alone; one thread of each block.
  __device__ static void meet_own(u64 *sync, u64 all) {
    asm volatile("red.release.gpu.global.add.u64 [%0], 1;" ::"l"(sync + SYNC_ARRIVED) : "memory");
    u64 seen;
    do asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(seen) : "l"(sync + SYNC_ARRIVED) : "memory");
    while (seen < all);
  }

 private:
  // Each lane that has the number of another grid is for this one.
  __device__ __forceinline__ bool is_for_one() const { return lane_id() < PARTS && lane_id() != part; }

  __device__ void send(const i64 *news, i64 turn) const {
    for (int i = lane_id(); i < PARTS * (NEWS + 1); i += WARP) {
      const int q = i / (NEWS + 1), word = i % (NEWS + 1);
      if (q == part) continue;
      i64 *box = at<i64>(q, PEER_INBOX) + (turn & 1) * (NEWS + 1);
      *(volatile i64 *)(box + word) = load_fresh(news + (word < NEWS ? word : NEWS + q));
    }
  }

  __device__ void tell(u64 number) const {
    if (!is_for_one()) return;
    u64 *flag = at<u64>(lane_id(), PEER_SYNC) + SYNC_FLAGS + part;
    asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(flag), "l"(number) : "memory");
  }

  __device__ bool is_here(u64 *sync, u64 all) const {
    if (!is_for_one()) return true;
    const u64 begin = now();
    while (true) {
      u64 seen;
      asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(seen) : "l"(sync + SYNC_FLAGS + lane_id()) : "memory");
      if (seen == LOST) return false;
      if (seen >= all) return true;
      if (now() - begin > patience) return false;
    }
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
