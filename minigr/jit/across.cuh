// Grids that run one program at the same time, each over its part of a graph, usually on its own GPU.
//
// All grids have the same number of blocks and run the same phases, so they count arrivals alike. At a barrier, the last block
// of a grid to arrive sends the counts of its grid to the other grids. Each block waits for the blocks of its own grid and for
// the words from the other grids. A grid that doesn't arrive in time is lost, and then all other grids leave.
//
// The words sent at a barrier have 32 bits of a number, and 32 bits of the number of arrivals that they belong to. So a word
// itself shows that it has arrived. A grid need not wait for the arrival of its numbers before it announces them.
//
// A grid stores into the memory of other grids and loads from its own memory, because a load from another GPU takes as long as
// a barrier. A table has the addresses in other grids of the data for this grid. Each block has a copy of the table in shared
// memory.
#pragma once
#include "jit/warp.cuh"

namespace minigr {

// A set of news holds the counters close together, because every block reads them all at once. In place of the first counters
// it has two other words: NEWS_OVERFLOW and NEWS_LEAST. If there are several grids, a word for each grid follows: the length of
// the mail that this grid sends it.
constexpr int NEWS = CONTROL_WORDS / WORDS_PER_COUNTER, SET = PARTS > 1 ? NEWS + PARTS : NEWS;

// A load of a value that a thread of another GPU wrote, or of a word in another GPU's memory. PTX gives a volatile load the
// meaning of ld.relaxed.sys.
template <class T>
__device__ __forceinline__ T load_across(const T *p) {
  return *(const volatile T *)p;
}

#if PARTS > 1
// For each grid, PEER_COLUMNS addresses and numbers.
__device__ __forceinline__ u64 *peers_table() {
  __shared__ u64 table[PARTS * PEER_COLUMNS];
  return table;
}

// The counts of all grids in the last phase: for each grid the words of its set of news, followed by the length of its mail for
// this grid. The warp of a block that waits at the barrier stores them here.
__device__ __forceinline__ i64 *counted() {
  __shared__ i64 words[PARTS * (NEWS + 1)];
  return words;
}

struct Across {
  const u64 *peers;  // the table in this GPU's memory
  int part;          // number of this grid
  i32 first, end;    // the vertices of this part, if parts own ranges
  const i32 *owned;  // this part's own vertices, if a hash assigns vertices
  i64 num_owned;
  u64 patience;      // nanoseconds to wait for other grids
  i32 *looked_at;    // by page of vertices: iteration of the last advance that looked at it; null for short lists

  static constexpr u64 LOST = ~0ull;  // in place of a number of arrivals

  // Called first, by all threads of a block. `memory`: the control block.
  __device__ __forceinline__ void begin(const i64 *memory) const {
    if (peers == nullptr) return;
    for (int i = threadIdx.x; i < PARTS * PEER_COLUMNS; i += blockDim.x) peers_table()[i] = load_fresh(peers + i);
    __syncthreads();
    // The last barrier may belong to another kernel. The counters of this grid have been added since.
    const i64 turn = load_fresh(memory + WORD_EPOCH) - 1;
    for (int i = threadIdx.x; i < (PARTS - 1) * SENT; i += blockDim.x)
      received(i) = (u32)load_fresh(inbox(other(i), turn) + i % SENT);
  }

  // An address in grid q, or a number of grid q.
  template <class T>
  __device__ __forceinline__ T *at(int q, int column) const { return (T *)peers_table()[q * PEER_COLUMNS + column]; }
  __device__ __forceinline__ i64 number(int q, int column) const { return (i64)peers_table()[q * PEER_COLUMNS + column]; }

  // Word `word` of the counts of grid q; for NEWS, the length of its mail for this grid.
  __device__ __forceinline__ i64 counted_by(int q, int word) const { return counted()[q * (NEWS + 1) + word]; }

  // The same rule as in minigr/graphs/partitioned/deal.py.
  __device__ __forceinline__ bool owns(i32 vertex) const {
    return HASHED ? owner(vertex) == part : vertex >= first && vertex < end;
  }
  __device__ __forceinline__ int owner(i32 vertex) const {
    if (HASHED) return (((u32)vertex * 0x9E3779B1u) >> 8) % PARTS;
    int q = 0;
    while (q + 1 < PARTS && vertex >= number(q + 1, PEER_FIRST_OWNED)) q++;
    return q;
  }
  // Note that an advance may change a vertex in this iteration.
  __device__ __forceinline__ void look_at(i32 vertex, i32 iteration) const {
    if (looked_at && looked_at[vertex / PAGE] != iteration) looked_at[vertex / PAGE] = iteration;
  }

  // The position of grid q among the other grids.
  __device__ __forceinline__ int place(int q) const { return q - (q > part); }

  // The own vertices in ascending order: their number among all `vertices`, and the i-th own vertex.
  __device__ __forceinline__ i64 own_count(i64 vertices) const { return HASHED ? num_owned : end - first; }
  __device__ __forceinline__ i32 own(i64 i) const { return HASHED ? __ldg(owned + i) : first + (i32)i; }

  // Called by the first warp of each block: wait until all blocks of each grid have arrived, `all` per grid; false if a grid is
  // lost. `news`: the set to send; null if the barrier ends no phase. After the call, earlier writes of all grids are visible.
  // `shares`: whether the phase wrote data for other grids besides mail. `sent`: for each other grid, the length of the mail
  // that this grid sent in earlier phases, if this phase adds to that mail.
  __device__ bool meet(u64 *sync, u64 all, const i64 *news, i64 turn, bool shares, const i64 *sent) const {
    u64 arrived = 0;
    if (lane_id() == 0)
      asm volatile("atom.acq_rel.gpu.global.add.u64 %0, [%1], 1;" : "=l"(arrived) : "l"(sync + SYNC_ARRIVED) : "memory");
    if (__shfl_sync(ALL, arrived, 0) + 1 == all) {  // the last block sends for this grid
      __syncwarp();
      if (news)
        send(news, all, turn, shares, sent);
      else
        tell(all);
    }
    // Every block polls for the words of other grids. Waiting for one block that has seen them would take longer.
    const bool here = __all_sync(ALL, news ? has_come(sync, all, news, turn) : is_here(sync, all));
    if (!here) tell(LOST);
    return here;
  }

  // A barrier of this grid's blocks only, called by one thread of each block.
  __device__ static void meet_own(u64 *sync, u64 all) {
    asm volatile("red.release.gpu.global.add.u64 [%0], 1;" ::"l"(sync + SYNC_ARRIVED) : "memory");
    u64 seen;
    do asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(seen) : "l"(sync + SYNC_ARRIVED) : "memory");
    while (seen < all);
  }

 private:
  static constexpr int SENT = 2 * (NEWS + 1);  // words that a grid sends to another grid

  // The inbox for grid q. Two boxes take turns, because a late block may still read the words of the last barrier.
  __device__ __forceinline__ const u64 *inbox(int q, i64 turn) const {
    return at<u64>(part, PEER_INBOX) + ((q - part) * 2 + (turn & 1)) * SENT;
  }

  // The grid that word i is sent to or comes from, among the words for all other grids.
  __device__ __forceinline__ int other(int i) const { return i / SENT + (i / SENT >= part); }

  // The block's place for the half of a number that is in word i, among the words of all other grids.
  __device__ __forceinline__ u32 &received(int i) const { return ((u32 *)counted())[other(i) * SENT + i % SENT]; }

  __device__ void send(const i64 *news, u64 all, i64 turn, bool shares, const i64 *sent) const {
    const bool mails = lane_id() < PARTS && load_fresh(news + NEWS + lane_id()) != 0;
    for (int base = 0; base < (PARTS - 1) * SENT; base += WARP) {
      const int i = base + lane_id(), q = other(i), half = i % SENT, word = half / 2;
      const bool has = i < (PARTS - 1) * SENT;
      const u64 x = !has ? 0 : word < NEWS ? load_fresh(news + word) : load_fresh(news + NEWS + q) + sent[i / SENT];
      // The writes of the blocks must be visible before the words. If the blocks wrote nothing for other grids, a fence would
      // only take time.
      if (base == 0 && (shares || __any_sync(ALL, mails))) asm volatile("fence.acq_rel.sys;" ::: "memory");
      if (has) *(volatile u64 *)(at<u64>(q, PEER_INBOX) + (turn & 1) * SENT + half) = all << 32 | (u32)(half & 1 ? x >> 32 : x);
    }
  }

  // Wait for the blocks of this grid and for the words of all other grids; false if a grid is lost. Then counted() has all
  // numbers. The words of other grids usually come last, so the counters of this grid are loaded in the meantime.
  __device__ bool has_come(u64 *sync, u64 all, const i64 *news, i64 turn) const {
    constexpr int EACH = (NEWS + WARP - 1) / WARP;
    if (!wait(part, [&] { return acquire(sync + SYNC_ARRIVED) >= all; })) return false;
    i64 own[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) own[k] = k * WARP + lane_id() < NEWS ? load_fresh(news + k * WARP + lane_id()) : 0;
    for (int i = lane_id(); i < (PARTS - 1) * SENT; i += WARP) {
      const u64 *word = inbox(other(i), turn) + i % SENT;
      u64 x = 0;
      if (!wait(other(i), [&] { return (x = acquire(word)) >> 32 == (u32)all; })) return false;
      received(i) = (u32)x;
    }
#pragma unroll
    for (int k = 0; k < EACH; k++)
      if (k * WARP + lane_id() < NEWS) counted()[part * (NEWS + 1) + k * WARP + lane_id()] = own[k];
    return true;
  }

  // The flag in the memory of grid `of` by which grid q announces its arrival, or that a grid is lost. Each grid also has a
  // flag for itself, which is only used for the latter.
  __device__ __forceinline__ u64 *flag(int of, int q) const { return at<u64>(of, PEER_SYNC) + SYNC_FLAGS + q; }

  // Called by one lane for each grid.
  __device__ void tell(u64 number) const {
    const int q = lane_id();
    if (q >= PARTS || (q == part && number != LOST)) return;
    asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(flag(q, part)), "l"(number) : "memory");
  }

  __device__ bool is_here(u64 *sync, u64 all) const {
    const int q = lane_id();
    if (q >= PARTS) return true;
    const u64 *word = q == part ? sync + SYNC_ARRIVED : flag(part, q);
    u64 seen = 0;
    return wait(q, [&] { return (seen = acquire(word)) >= all; }) && seen != LOST;
  }

  // Wait until holds() is true for the words of grid q; false if that grid or this grid announces a lost grid, or if the words
  // don't come in time.
  template <class Holds>
  __device__ bool wait(int q, Holds holds) const {
    constexpr int LOOKS = 64;  // polls between two reads of the clock, which take longer than many polls
    u64 begin = 0;
    for (int look = 1; !holds(); look++) {
      __nanosleep(20);  // less frequent polls disturb arriving blocks less
      if (look % LOOKS) continue;
      const u64 time = now();
      if (begin == 0) begin = time;
      if (time - begin > patience || acquire(flag(part, q)) == LOST || acquire(flag(part, part)) == LOST) return false;
    }
    return true;
  }

  // A load of a value that another GPU may have stored. Earlier writes of that GPU are visible after the load.
  __device__ __forceinline__ static u64 acquire(const u64 *p) {
    u64 x;
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(x) : "l"(p) : "memory");
    return x;
  }

  __device__ static u64 now() {
    u64 time;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
    return time;
  }
};
#else
// The only grid.
struct Across {
  __device__ __forceinline__ static constexpr bool owns(i32) { return true; }
  __device__ __forceinline__ static constexpr void look_at(i32, i32) {}
  __device__ __forceinline__ static constexpr i64 own_count(i64 vertices) { return vertices; }
  __device__ __forceinline__ static constexpr i32 own(i64 i) { return (i32)i; }
};
#endif

}  // namespace minigr
