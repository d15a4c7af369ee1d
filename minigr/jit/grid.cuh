// Blocks that run the phases of a program together: barriers, the control block, counters, and the teams of a phase.
//
// Every operator is a device function that all threads of the team call together. Lengths are in the control block
// (minigr/program/control.py), so a loop never returns to the host.
//
// Each block has a copy of the control block in shared memory. During a phase, workers add to `news`, a set of the same words
// that starts empty. At the barrier that ends the phase, every block adds the news to its copy and runs the phase's completion
// on the copy. All blocks get the same result, so no block waits for another block to steer. Three sets of news take turns: a
// late block may still read one, one is written, and one is empty for the next phase. (When a block has passed a barrier, all
// blocks have read the set of the previous phase, which is then emptied.)
//
// A phase is run by one of three teams, which the previous completion chose by the amount of work:
// - FEW: a persistent kernel with few threads. Every block that takes part accesses the same cache lines at a barrier, and
//   every warp waits for the other warps of its block, so few threads finish a small step sooner.
// - WHOLE: a persistent kernel with as many threads as fit.
// - WIDE: a separate kernel for the phase, which its last block ends.
//
// If a graph is in parts, several grids run a program at the same time (jit/across.cuh). Each block then has two copies of the
// control block: one with the counts of its own grid, which operators use, and one with the counts of all grids together, which
// steers the loop.
#pragma once
#include "jit/across.cuh"

namespace minigr {

constexpr int OF_ALL = CONTROL_WORDS + NEWS_SETS * NEWS_STRIDE;
constexpr int WORD_LEAST = WORD_LEVELS + 3;
constexpr u64 NO_ROOM = 1ull << 32;  // added to WORD_CHANGED, whose lower bits count
constexpr i64 INFINITE = 0x7ff0000000000000ll;  // the bits of a double

// The size of shared memory that is used for several purposes in turn.
__device__ constexpr u64 largest(u64 size) { return size; }
template <class... Sizes>
__device__ constexpr u64 largest(u64 one, u64 other, Sizes... more) {
  return largest(one > other ? one : other, more...);
}

// Counters of a block's warps. They are added to the news at the end of a phase.
struct Counters {
  u64 edges;       // edges that were looked at
  u64 next_edges;  // sum of the degrees of the output vertices
};

__device__ __forceinline__ Counters *warp_counters() {
  __shared__ Counters counters[MAX_WARPS];
  return counters;
}

// Rows that the next step begins with, one for each thread. A team FEW fetches the data of these rows while it waits.
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

// This block's copy of the control block with the counts of all grids together.
__device__ __forceinline__ i64 *state_of_all() {
#if PARTS > 1
  __shared__ i64 words[CONTROL_WORDS];
  return words;
#else
  return state();
#endif
}

// Lower *p to x. x may have any sign but must not be NaN. If the sign bit is clear, doubles have the order of their bits as
// signed integers. If it is set, they have the reverse order of their bits as unsigned integers.
__device__ __forceinline__ void atomic_min_double(i64 *p, double x) {
  i64 bits = __double_as_longlong(x);
  if (bits >= 0)
    atomicMin(p, bits);
  else
    atomicMax((u64 *)p, (u64)bits);
}

struct Grid {
  u64 *sync;        // words for barriers: SYNC_ARRIVED, SYNC_DONE
  i64 *memory;      // the control block in global memory, NEWS_SETS sets of news, and the control block of all grids
  const Tier team;  // the team that runs
  const Across across;
  i64 *news;        // the set that this phase adds to

  __device__ Grid(u64 *sync, i64 *memory, Tier team, Across across = {})
      : sync(sync), memory(memory), team(team), across(across) {
    if (lane_id() == 0) warp_counters()[threadIdx.x / WARP] = Counters{0, 0};
    read_state();
  }

  // A word of the control block as of the last barrier.
  __device__ __forceinline__ i64 word(int w) const { return state()[w]; }
  __device__ __forceinline__ i64 word_of_all(int w) const { return state_of_all()[w]; }  // with the counts of all grids
  __device__ __forceinline__ double real(int w) const { return __longlong_as_double(state()[w]); }
  __device__ __forceinline__ int phase() const { return (int)word(WORD_PHASE); }
  __device__ __forceinline__ i64 thread() const { return (i64)blockIdx.x * blockDim.x + threadIdx.x; }
  __device__ __forceinline__ i64 threads() const { return (i64)gridDim.x * blockDim.x; }
  __device__ __forceinline__ i64 warp() const { return thread() / WARP; }
  __device__ __forceinline__ i64 warps() const { return threads() / WARP; }

  // Add n to a counter. Returns its value before, with the additions of all blocks.
  __device__ __forceinline__ i64 add(int w, i64 n) const {
    return word(w) + (i64)atomicAdd((u64 *)(news + w / WORDS_PER_COUNTER), (u64)n);
  }

  // Note for the host that the buffer of `slot` was too small.
  __device__ __forceinline__ void overflow(int slot) const { *(volatile i64 *)(news + NEWS_OVERFLOW) = slot + 1; }

#if PARTS > 1
  // Reserve space for n more elements in the mail for grid q.
  __device__ __forceinline__ i64 send(int q, i64 n) const {
    return word(WORD_SENT + across.place(q)) + (i64)atomicAdd((u64 *)(news + NEWS + q), (u64)n);
  }

  // The length of the mail that grid q sent to this grid, in the previous phase and in earlier phases of the same mail.
  __device__ __forceinline__ i64 sent_by(int q) const { return across.counted_by(q, NEWS); }

  // Note that this phase changed data that other grids need, in the counter of edges, which no grid uses here; and that the
  // mail had no space for some of the data.
  __device__ __forceinline__ void note_change() const { note(1); }
  __device__ __forceinline__ void note_no_room() const { note(NO_ROOM); }
#endif

  // Lower the least priority in a far pile.
  __device__ __forceinline__ void lower_least(double x) const { atomic_min_double(news + NEWS_LEAST, x); }

  // The place for this block's partial result, for the fold at the end of the phase. A late block may still read the partial
  // results of the previous phase.
  template <class T>
  __device__ __forceinline__ T *partials(T *both, i64 most_blocks) const {
    return both + (word(WORD_EPOCH) & 1) * most_blocks;
  }

  // Add the counts of this lane to the counters of its warp. The sums reach the news at the end of the phase. The number of
  // edges looked at does not steer the loop, so a persistent kernel, which has short steps, doesn't count them.
  __device__ __forceinline__ void count(u64 edges, u64 next_edges) const {
    if (team == WIDE) gather(&warp_counters()[threadIdx.x / WARP].edges, edges);
    gather(&warp_counters()[threadIdx.x / WARP].next_edges, next_edges);
  }

  // Note the row of a vertex that this thread added to the output.
  __device__ __forceinline__ void look_ahead(i64 begin, i64 end) const {
    if (team == FEW) rows_ahead()[threadIdx.x] = Row{begin, end};
  }

  // ---- the kernels of the three teams ------------------------------------------------------------------------------

  // A persistent kernel: run phases until the loop stops or the next phase belongs to another team. `told`: the host's copy of
  // the control block.
  template <class Program>
  __device__ void run(i64 *told) {
    if (!is_due()) return;
    begin<Program>();
#if PARTS > 1
    if (word(WORD_EPOCH) == 0) {  // only from here on may other grids send to this grid
      Program::begin_run(*this);
      meet<Program>();
    }
#endif
    do {
      const int phase = this->phase();
      Program::work(*this, phase);
      barrier<Program>();
      steer<Program>(phase, gridDim.x, blockIdx.x == 0);
      if (Program::UNTIL_READS_ARRAYS) meet<Program>();  // the arrays may change when the first block continues
    } while (is_due());
    if (blockIdx.x != 0) return;
    write_state();
    if (word(WORD_TELLS)) tell(told);
  }

  // A kernel for one phase: run the phase if it is due.
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

  // Called after meet_own: lengthen the step's input by the amount that was added to a counter in this phase.
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

  // Pass the control block to the host. When the host sees that WORD_TELLS is 0, it also sees the other words. Called by one
  // block.
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

  // After the barrier, each block adds the news and runs the completion for itself. `arrivals`: the arrivals at this barrier.
  // `empties`: whether this block empties a set for all blocks.
  template <class Program>
  __device__ void steer(int phase, i64 arrivals, bool empties) {
    // Only the first warp can see here that a grid is lost. The other warps of the block need not know before the end.
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
      // Every block writes the result for itself. No other block can already have gone on and need another result, because the
      // blocks meet again before that.
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
      // Among the steering words, only the length of the input is specific to a grid.
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

  // The sum of word i of a set and `x`, the same word of another set or of the control block; for some words the maximum or
  // minimum.
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

  // Add the counters of the block to the news; called by the first warp.
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

  // The sum over a warp. It usually fits 32 bits, which the hardware adds.
  __device__ __forceinline__ static u64 sum(u64 x) {
    return __any_sync(ALL, x >> 26) ? warp_sum(x) : warp_sum((u32)x);
  }

  // All blocks wait for each other. Each block releases its writes and acquires the writes of the others, which invalidates the
  // L1 cache. Only the first warp may continue at once; the other warps of the block continue after the next __syncthreads.
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
        __nanosleep(20);  // less frequent polls disturb arriving blocks less
      }
    }
#endif
    __syncwarp();
  }

  // While the first warp waits, the other warps fetch the first neighbors of the noted rows, and the data of these neighbors.
  // A short next step would otherwise wait for these loads one after the other.
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

  // True for all threads of the last block of a wide kernel to arrive. This block sees the writes of the others.
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
