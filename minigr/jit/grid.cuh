// Blocks that run a program's phases together: barriers, the control block, counters, and who takes part in a phase.
//
// Every operator is a device function that all threads of the team call together. Lengths stand in the control block
// (minigr/program/control.py), so nothing in a loop returns to the host.
//
// Each block has a copy of the control block in shared memory. What workers add to it during a phase goes to `news`, a
// set of the same words that starts empty. At the barrier that ends the phase every block adds the news to its copy and
// runs the phase's completion on it: all come to the same result, so nobody waits for one block to steer for the others.
// Three sets of news take turns: one may still be read by a late block, one is written, and one is empty for the next
// phase. (Who has passed a barrier knows that all have read the set of the phase before, which is then emptied.)
//
// A phase is done by one of three teams, which the completion before it chose by the work there is:
// - FEW: a persistent kernel of few threads. Every block that takes part asks for the same lines of memory at a barrier,
//   and every warp waits for its block's others, so a small step is done sooner by few.
// - WHOLE: a persistent kernel of as many threads as fit.
// - WIDE: a kernel of the phase's own, ended by its last block.
//
// Where a graph is in parts, several grids run a program at the same time (jit/across.cuh). Each block then has two copies of
// the control block: of what its own grid counted, by which operators go, and of what all grids counted together, by which
// the loop is steered.
#pragma once
#include "jit/across.cuh"

namespace minigr {

constexpr int OF_ALL = CONTROL_WORDS + NEWS_SETS * NEWS_STRIDE;
constexpr int WORD_LEAST = WORD_LEVELS + 3;
constexpr u64 NO_ROOM = 1ull << 32;  // added to WORD_CHANGED; below are counts
constexpr i64 INFINITE = 0x7ff0000000000000ll;  // the bits of a double

// The size of shared memory that is used for one thing after the other.
__device__ constexpr u64 largest(u64 size) { return size; }
template <class... Sizes>
__device__ constexpr u64 largest(u64 one, u64 other, Sizes... more) {
  return largest(one > other ? one : other, more...);
}

// Counters of a block's warps, added to the news at the end of a phase.
struct Counters {
  u64 edges;       // edges looked at
  u64 next_edges;  // sum of the degrees of the vertices put out
};

__device__ __forceinline__ Counters *warp_counters() {
  __shared__ Counters counters[MAX_WARPS];
  return counters;
}

// Rows that the next step begins with, one for each thread: a team of FEW fetches what belongs to them while it waits.
struct Row {
  i64 begin, end;
};

__device__ __forceinline__ Row *rows_ahead() {
  __shared__ Row rows[FEW_THREADS];
  return rows;
}

// This block's copy of the control block, as of the last barrier.
__device__ __forceinline__ i64 *state() {
  __shared__ i64 words[CONTROL_WORDS];
  return words;
}

// The same of what all grids counted together.
__device__ __forceinline__ i64 *state_of_all() {
#if PARTS > 1
  __shared__ i64 words[CONTROL_WORDS];
  return words;
#else
  return state();
#endif
}

// Lower *p to x; x may have any sign but is not NaN. The order of doubles is that of their bits as signed integers where
// the sign bit is clear, and the reverse of their order as unsigned ones where it is set.
__device__ __forceinline__ void atomic_min_double(i64 *p, double x) {
  i64 bits = __double_as_longlong(x);
  if (bits >= 0)
    atomicMin(p, bits);
  else
    atomicMax((u64 *)p, (u64)bits);
}

struct Grid {
  u64 *sync;        // words to meet at: SYNC_ARRIVED, SYNC_DONE
  i64 *memory;      // the control block in global memory, NEWS_SETS sets of news, and the control block of all grids
  const Tier team;  // that runs
  const Across across;
  i64 *news;        // the set that this phase adds to

  __device__ Grid(u64 *sync, i64 *memory, Tier team, Across across = {})
      : sync(sync), memory(memory), team(team), across(across) {
    if (lane_id() == 0) warp_counters()[threadIdx.x / WARP] = Counters{0, 0};
    read_state();
  }

  // A word of the control block as of the last barrier.
  __device__ __forceinline__ i64 word(int w) const { return state()[w]; }
  __device__ __forceinline__ i64 word_of_all(int w) const { return state_of_all()[w]; }  // counted by all grids
  __device__ __forceinline__ double real(int w) const { return __longlong_as_double(state()[w]); }
  __device__ __forceinline__ int phase() const { return (int)word(WORD_PHASE); }
  __device__ __forceinline__ i64 thread() const { return (i64)blockIdx.x * blockDim.x + threadIdx.x; }
  __device__ __forceinline__ i64 threads() const { return (i64)gridDim.x * blockDim.x; }
  __device__ __forceinline__ i64 warp() const { return thread() / WARP; }
  __device__ __forceinline__ i64 warps() const { return threads() / WARP; }

  // Add n to a counter; its value before, counting everyone's additions.
  __device__ __forceinline__ i64 add(int w, i64 n) const {
    return word(w) + (i64)atomicAdd((u64 *)(news + w / WORDS_PER_COUNTER), (u64)n);
  }

  // Note for the host that the buffer of `slot` was too small.
  __device__ __forceinline__ void overflow(int slot) const { *(volatile i64 *)(news + NEWS_OVERFLOW) = slot + 1; }

#if PARTS > 1
  // Room for n elements more in the mail for grid q.
  __device__ __forceinline__ i64 send(int q, i64 n) const {
    return word(WORD_SENT + across.place(q)) + (i64)atomicAdd((u64 *)(news + NEWS + q), (u64)n);
  }

  // How much mail grid q sent to this one, in the phase before and in earlier phases of the same mail.
  __device__ __forceinline__ i64 sent_by(int q) const { return across.counted_by(q, NEWS); }

  // Note that this phase changed what other grids have to know, in the place of the edges that no grid counts here; and that
  // the mail had no room for some of it.
  __device__ __forceinline__ void note_change() const { note(1); }
  __device__ __forceinline__ void note_no_room() const { note(NO_ROOM); }
#endif

  // Lower the least priority that waits in a far pile.
  __device__ __forceinline__ void lower_least(double x) const { atomic_min_double(news + NEWS_LEAST, x); }

  // Where this block leaves a partial result for the fold at the end of the phase; a late block may still be reading
  // those of the phase before.
  template <class T>
  __device__ __forceinline__ T *partials(T *both, i64 most_blocks) const {
    return both + (word(WORD_EPOCH) & 1) * most_blocks;
  }

  // Add what this lane counted to its warp's counters; the sums reach the news at the end of the phase. Nobody steers by
  // the edges looked at, so a persistent kernel, whose steps are short, doesn't count them.
  __device__ __forceinline__ void count(u64 edges, u64 next_edges) const {
    if (team == WIDE) gather(&warp_counters()[threadIdx.x / WARP].edges, edges);
    gather(&warp_counters()[threadIdx.x / WARP].next_edges, next_edges);
  }

  // Note a row of a vertex that this thread put out.
  __device__ __forceinline__ void look_ahead(i64 begin, i64 end) const {
    if (team == FEW) rows_ahead()[threadIdx.x] = Row{begin, end};
  }

  // ---- the kernels of the three teams ------------------------------------------------------------------------------

  // Run phases until the loop stops or the next one is another team's: a persistent kernel. `told`: where the host has the
  // control block.
  template <class Program>
  __device__ void run(i64 *told) {
    if (!is_due()) return;
    begin<Program>();
#if PARTS > 1
    if (word(WORD_EPOCH) == 0) {  // others may tell this grid something only now
      Program::begin_run(*this);
      meet<Program>();
    }
#endif
    do {
      const int phase = this->phase();
      Program::work(*this, phase);
      barrier<Program>();
      steer<Program>(phase, gridDim.x, blockIdx.x == 0);
      if (Program::UNTIL_READS_ARRAYS) meet<Program>();  // they may change as soon as the first block goes on
    } while (is_due());
    if (blockIdx.x != 0) return;
    write_state();
    if (word(WORD_TELLS)) tell(told);
  }

  // Run one phase if it is due: a kernel for that phase.
  template <class Program>
  __device__ void run_one(int phase, i64 *told) {
    if (!is_due() || this->phase() != phase) return;
    begin<Program>();
    Program::work(*this, phase);
    if (!is_last()) return;
    steer<Program>(phase, 0, true);
    write_state();
    if (threadIdx.x == 0) *(volatile u64 *)(sync + SYNC_DONE) = 0;
    if (word(WORD_STOP) != 0 && word(WORD_TELLS)) tell(told);
  }

  // A barrier that ends no phase.
  template <class Program>
  __device__ void meet() const {
    barrier<Program>(false);
    __syncthreads();
    count_arrivals();
  }

#if PARTS > 1
  // A barrier of this grid's blocks alone, which ends no phase.
  __device__ void meet_own() const {
    __syncthreads();
    if (threadIdx.x == 0) across.meet_own(sync, (u64)word(WORD_ARRIVALS) + gridDim.x);
    count_arrivals();
  }

  // After it: have the step's input longer by what was added to a counter in this phase.
  __device__ void lengthen_input(int w) const {
    if (threadIdx.x == 0) state()[WORD_INPUT_LENGTH] += load_fresh(news + w / WORDS_PER_COUNTER);
    __syncthreads();
  }
#endif

 private:
#if PARTS > 1
  // Several lanes may note something at the same time.
  __device__ __forceinline__ void note(u64 bit) const { atomicOr(&warp_counters()[threadIdx.x / WARP].edges, bit); }
#endif

  __device__ __forceinline__ bool is_due() const { return word(WORD_STOP) == 0 && word(WORD_TIER) == team; }

  template <class Program>
  __device__ void begin() {
    if (threadIdx.x == 0) Program::begin();
    look_ahead(0, 0);
    __syncthreads();
  }

  __device__ void read_state() {
    __syncthreads();
#if PARTS > 1
    across.begin(memory);
#endif
    for (int i = threadIdx.x; i < CONTROL_WORDS; i += blockDim.x) {
      state()[i] = load_fresh(memory + i);
      if (PARTS > 1) state_of_all()[i] = load_fresh(memory + OF_ALL + i);
    }
    __syncwarp();  // the words may end in the middle of a warp
    __syncthreads();
    turn();
  }

  __device__ void write_state() const {
    for (int i = threadIdx.x; i < CONTROL_WORDS; i += blockDim.x) {
      *(volatile i64 *)(memory + i) = state()[i];
      if (PARTS > 1) *(volatile i64 *)(memory + OF_ALL + i) = state_of_all()[i];
    }
  }

  // Hand the control block to the host, which sees the other words when it sees that WORD_TELLS is 0. One block.
  __device__ void tell(i64 *told) const {
    for (int i = threadIdx.x; i < CONTROL_WORDS; i += blockDim.x)
      if (i != WORD_TELLS) *(volatile i64 *)(told + i) = state()[i];
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0) *(volatile i64 *)(told + WORD_TELLS) = 0;
  }

  __device__ __forceinline__ i64 *set(i64 epoch) const {
    return memory + CONTROL_WORDS + (u32)epoch % NEWS_SETS * NEWS_STRIDE;
  }
  __device__ __forceinline__ void turn() { news = set(word(WORD_EPOCH)); }

  // After the barrier: the news, and the completion, by this block for itself. `arrivals`: at that barrier. `empties`: a
  // set, for all.
  template <class Program>
  __device__ void steer(int phase, i64 arrivals, bool empties) {
    // Only the first warp can see here that a grid is lost. The block's others need not know before the end.
    const bool steers = threadIdx.x < WARP && !(PARTS > 1 && word(WORD_STOP) == STOP_LOST);
    if (steers) {
#pragma unroll 1
      for (int i = threadIdx.x; i < NEWS; i += WARP) {
        const int at = i == NEWS_OVERFLOW ? WORD_OVERFLOW : i == NEWS_LEAST ? WORD_LEAST : i * WORDS_PER_COUNTER;
#if PARTS > 1
        const i64 own = across.counted_by(across.part, i);
        i64 of_all = own;
        for (int q = 0; q < PARTS; q++)
          if (q != across.part) of_all = joined(i, of_all, across.counted_by(q, i));
        state_of_all()[at] = joined(i, state_of_all()[at], of_all);
        state()[at] = joined(i, state()[at], i == NEWS_OVERFLOW || i == NEWS_LEAST ? of_all : own);
#else
        state()[at] = joined(i, state()[at], load_fresh(news + i));
#endif
      }
      __syncwarp();
    }
    if (Program::FOLDS) {
      // Every block writes the result for itself. No other can have gone on and want another, because before it does the
      // blocks meet again.
      __syncthreads();
      Program::fold(*this, phase);
    }
    if (steers && threadIdx.x == 0) {
      Program::complete(state_of_all(), state(), phase);
      state_of_all()[WORD_EPOCH] += 1;
      state_of_all()[WORD_ARRIVALS] += arrivals;
    }
#if PARTS > 1
    if (steers) {
      // Of all that steers only the length of the input is a grid's own.
      __syncwarp();
      for (int i = threadIdx.x; i < STEERING_WORDS; i += WARP)
        if (i != WORD_INPUT_LENGTH) state()[i] = state_of_all()[i];
      const int q = threadIdx.x;
      if (Program::GOES_ON != 0 && q < PARTS && q != across.part) {
        const bool goes_on = Program::GOES_ON >> state_of_all()[WORD_PHASE] & 1;
        i64 &sent = state()[WORD_SENT + across.place(q)];
        sent = goes_on ? sent + load_fresh(news + NEWS + q) : 0;
      }
    }
#endif
    __syncthreads();
    turn();
    if (!empties) return;
    i64 *next = set(word(WORD_EPOCH) + 1);
    for (int i = threadIdx.x; i < SET; i += blockDim.x) *(volatile i64 *)(next + i) = i == NEWS_LEAST ? INFINITE : 0;
  }

  __device__ __forceinline__ void count_arrivals() const {
    if (threadIdx.x == 0) {
      state()[WORD_ARRIVALS] += gridDim.x;
      if (PARTS > 1) state_of_all()[WORD_ARRIVALS] += gridDim.x;
    }
    __syncthreads();
  }

  // What a set's word i and `x`, in another set or in the control block, come to.
  __device__ __forceinline__ static i64 joined(int i, i64 before, i64 x) {
    if (i == NEWS_OVERFLOW) return max(before, x);
    if (i == NEWS_LEAST) return __longlong_as_double(x) < __longlong_as_double(before) ? x : before;
    return before + x;
  }

  // ---- arriving and waiting ---------------------------------------------------------------------------------------

  __device__ __forceinline__ static void gather(u64 *counter, u64 x) {
    if (!__any_sync(ALL, x != 0)) return;
    x = sum(x);
    if (lane_id() == 0) *counter += x;
  }

  // The counters of the block into the news; the first warp.
  __device__ void hand_in() const {
    Counters mine{0, 0};
    if (threadIdx.x < blockDim.x / WARP) {
      mine = warp_counters()[threadIdx.x];
      warp_counters()[threadIdx.x] = Counters{0, 0};
    }
    if ((team == WIDE || PARTS > 1) && __any_sync(ALL, mine.edges != 0)) to_news(WORD_EDGES, mine.edges);
    if (__any_sync(ALL, mine.next_edges != 0)) to_news(WORD_NEXT_EDGES, mine.next_edges);
  }
  __device__ __forceinline__ void to_news(int w, u64 x) const {
    x = sum(x);
    if (threadIdx.x == 0) atomicAdd((u64 *)(news + w / WORDS_PER_COUNTER), x);
  }

  // Over a warp; mostly the sum fits 32 bits, which hardware adds.
  __device__ __forceinline__ static u64 sum(u64 x) {
    return __any_sync(ALL, x >> 26) ? warp_sum(x) : warp_sum((u32)x);
  }

  // All blocks wait for each other: each releases what it wrote and acquires what the others did, which drops what
  // the L1 cache holds. Only the first warp may go on at once; the block's others after the next __syncthreads.
  template <class Program>
  __device__ void barrier(bool ends_phase = true) const {
    __syncthreads();
    if (threadIdx.x >= WARP) return fetch_ahead<Program>();
    hand_in();
#if PARTS > 1
    const i64 *own = ends_phase ? news : nullptr;
    const bool shares = Program::SHARES >> phase() & 1;
    const i64 *sent = state() + WORD_SENT;
    const bool met = across.meet(sync, (u64)word(WORD_ARRIVALS) + gridDim.x, own, word(WORD_EPOCH), shares, sent);
    if (!met && threadIdx.x == 0) state()[WORD_STOP] = STOP_LOST;
#else
    if (threadIdx.x == 0) {
      asm volatile("red.release.gpu.global.add.u64 [%0], 1;" ::"l"(sync + SYNC_ARRIVED) : "memory");
      const u64 all = (u64)word(WORD_ARRIVALS) + gridDim.x;
      while (true) {
        u64 seen;
        asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(seen) : "l"(sync + SYNC_ARRIVED) : "memory");
        if (seen >= all) break;
        __nanosleep(20);  // who asks less often is less in the way of those that arrive
      }
    }
#endif
    __syncwarp();
  }

  // While the first warp waits, the others fetch the first neighbors of the rows that were noted, and what belongs to these:
  // loads that the next step, where it is short, would wait for one after the other.
  template <class Program>
  __device__ __forceinline__ void fetch_ahead() const {
    constexpr int NEIGHBORS = 4;
    if (team != FEW || !Program::FETCHES) return;
    for (int i = threadIdx.x - WARP; i < blockDim.x; i += blockDim.x - WARP) {
      const Row row = rows_ahead()[i];
      rows_ahead()[i] = Row{0, 0};
#pragma unroll
      for (int k = 0; k < NEIGHBORS; k++)
        if (row.begin + k < row.end) Program::fetch_neighbor(row.begin + k);
    }
  }

  // True for all threads of the last block of a wide kernel to come, which sees what the others wrote.
  __device__ bool is_last() const {
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x < WARP) hand_in();
    if (threadIdx.x == 0) {
      u64 before;
      asm volatile("atom.acq_rel.gpu.global.add.u64 %0, [%1], 1;" : "=l"(before) : "l"(sync + SYNC_DONE) : "memory");
      last = before == gridDim.x - 1;
    }
    __syncthreads();
    return last;
  }
};

}  // namespace minigr
