// near_far with more than two bins: splits a frontier by priority, and later each bin that is due.
#pragma once
#include "operators/near_far.cuh"

namespace minigr {

constexpr int PARKED = -1;  // takes the place of the drawn pile if items come from a frontier
constexpr int PILE_STAGE = 2 * WARP;

// The control word that holds the length of a pile. `first` is the control word of bin number 2.
__device__ __forceinline__ int pile_word(int pile, int first) {
  return pile < 2 ? WORD_FAR_LENGTH + pile * FAR_STEP : first + (pile - 2) * WORDS_PER_COUNTER;
}

// The pile that is due: a bin, or the far pile.
__device__ __forceinline__ int drawn_pile(const Grid &grid) {
  return (int)(grid.word(WORD_DRAWING) == 1 ? grid.word(WORD_FAR_TOGGLE) : grid.word(WORD_DRAWING));
}

// The vertices that each warp has not yet written to their piles.
struct PileMemory {
  u64 stage[MAX_WARPS][PILE_STAGE];
};

// Puts vertices into piles that lie one after the other. Lanes gather vertices in the stage of their warp. Then the
// lanes whose vertices go to the same pile reserve room together.
struct PileSink {
  const Grid &grid;
  i32 *piles;
  i64 capacity;  // of one pile
  int first;  // control word that holds the length of bin number 2
  int slot;
  PileMemory *memory;
  i32 count;  // vertices in the stage of this warp

  __device__ __forceinline__ void begin() { count = 0; }

  // All lanes of a warp call this together.
  __device__ __forceinline__ void push(bool has, i32 vertex, int pile) {
    const Kept kept(has);
    if (!kept.any()) return;
    if (has) stage()[count + kept.place()] = (u64)pile << 32 | (u32)vertex;
    count += kept.count();
    if (count > PILE_STAGE - WARP) flush();
  }

  __device__ __forceinline__ void flush() {
    __syncwarp();
#pragma unroll 1
    for (i32 begin = 0; begin < count; begin += WARP) {
      const bool has = begin + lane_id() < count;
      const u64 item = has ? stage()[begin + lane_id()] : ~0ull;
      const int pile = (int)(item >> 32);
      const u32 same = __match_any_sync(ALL, pile);
      const int leader = __ffs(same) - 1;
      i64 base = has && lane_id() == leader ? reserve(pile, __popc(same)) : 0;
      base = __shfl_sync(ALL, base, leader);
      if (has && base >= 0) piles[pile * capacity + base + __popc(same & lanes_below())] = (i32)(u32)item;
    }
    count = 0;
    __syncwarp();
  }

 private:
  __device__ __forceinline__ u64 *stage() { return memory->stage[threadIdx.x / WARP]; }

  // Reserves room for n vertices in a pile. If there is no room, returns -1 and tells the host.
  __device__ __forceinline__ i64 reserve(int pile, i32 n) {
    const i64 base = grid.add(pile_word(pile, first), n);
    if (base + n <= capacity) return base;
    grid.overflow(slot);
    return -1;
  }
};

// A sink that splits: vertices below the threshold go near, and other vertices go into the bins of their bands. UNIQUE:
// as in Split.
template <class Functor, class NearSink, int BINS, bool UNIQUE>
struct BinSplit {
  Functor functor;
  NearSink near;
  PileSink piles;
  i32 *stamps;
  i32 *waits;  // for each vertex, a bit for each pile that holds the vertex
  int drawn;  // the pile that the items come from, or PARKED
  int ends;  // control word that holds the end of the first band
  i32 iteration;
  double low;  // vertices below this were near before and are dropped
  double high, least;

  __device__ __forceinline__ void begin() {
    high = near.grid.real(WORD_LEVELS);
    least = infinity();
    near.begin();
    piles.begin();
  }

  __device__ __forceinline__ void push(bool has, i32 vertex) {
    bool is_near = false, is_far = false;
    int pile = 0;
    if (has) {
      if (drawn != PARKED) atomicAnd((u32 *)waits + vertex, ~(1u << drawn));
      const double value = (double)functor.priority(vertex, iteration);
      const bool open = value >= low && value < infinity();
      is_near = open && value < high && (!UNIQUE || first_time(near.grid, stamps, vertex, iteration));
      is_far = open && value >= high;
      if (is_far) {
        const int passed = count_passed(value);
        pile = passed + 1;
        if (passed == BINS - 1) {
          pile = far();
          if (value < least) least = value;  // also if the vertex waits already: its priority may have fallen
        }
        is_far = joins(vertex, 1u << pile);
      }
    }
    near.push(is_near, vertex);
    piles.push(is_far, vertex, pile);
  }

  __device__ void end() {
    piles.flush();
    if (__any_sync(ALL, least < infinity())) {
      least = warp_min(least);
      if (lane_id() == 0) near.grid.lower_least(least);
    }
    near.end();
  }

 private:
  static __device__ __forceinline__ double infinity() { return __longlong_as_double(INFINITE); }

  // The far pile that is being filled. While the current far pile is split, this is the other one.
  __device__ __forceinline__ int far() const {
    const int current = (int)near.grid.word(WORD_FAR_TOGGLE);
    return drawn == current ? 1 - current : current;
  }

  // The number of bands that end at or before `value`.
  __device__ __forceinline__ int count_passed(double value) const {
    int low = 0, high = BINS - 1;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (near.grid.real(ends + middle) <= value)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  // True for one caller for each vertex and pile, and false for all callers if the vertex is in the pile already.
  __device__ __forceinline__ bool joins(i32 vertex, u32 bit) const {
    if (near.grid.team != FEW && (load_fresh(waits + vertex) & bit)) return false;
    return !(atomicOr((u32 *)waits + vertex, bit) & bit);
  }
};

}  // namespace minigr
