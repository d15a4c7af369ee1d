// Decoupled look-back: finds what stands before each tile of a sequence, in one pass over the sequence. Merrill and
// Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back (NVIDIA NVR-2016-002), section 4.
//
// A block takes tiles by ticket, so that every tile that it waits for belongs to a block that has begun already. The
// block first publishes the aggregate of its tile. Then it adds the aggregates of preceding tiles until it reaches a
// tile whose whole prefix is known, and publishes the prefix of its own tile. A value and the status that announces it
// are stored apart, because no architecture below sm_90 writes a value of 64 bits and a status at once. Fences order
// the two stores.
//
// A status counts only if it has the stamp of this use of the workspace. So the workspace is cleared only once, when it
// is made. Between two uses, all blocks must have met at a barrier or at the end of a kernel.
#pragma once
#include "jit/warp.cuh"

namespace minigr {

template <class T>
struct LookBack {
  static constexpr int TICKET = 0, USES = 1, STATUS = 16;  // positions in `words`
  static constexpr u64 AGGREGATE = 1, PREFIX = 2, STAMP = 4;

  u64 *words;  // STATUS words, and a word for each tile; zero before the first use
  T *aggregates;  // one for each tile
  T *prefixes;
  u64 stamp;

  __device__ LookBack(u64 *words, T *aggregates, T *prefixes)
      : words(words), aggregates(aggregates), prefixes(prefixes), stamp(0) {}

  // All threads of the block call this before the first tile.
  __device__ void begin() { stamp = STAMP * (load_fresh(words + USES) + 1); }

  // All threads of the block call this. Returns the next tile, or a number past the last tile. Each block must call
  // this until it gets such a number.
  __device__ i64 next(i64 tiles) {
    __shared__ i64 tile;
    __syncthreads();  // all have read the stamp, and the number of the previous tile
    if (threadIdx.x == 0) {
      __threadfence();
      tile = (i64)atomicAdd(words + TICKET, 1ull);
      if (tile == tiles + gridDim.x - 1) {  // the last call of all: every other block has got its last number
        *(volatile u64 *)(words + TICKET) = 0;
        *(volatile u64 *)(words + USES) = stamp / STAMP;
      }
    }
    __syncthreads();
    return tile;
  }

  // All lanes of one warp call this. Returns the prefix before the tile, which begins with `initial`. Publishes what
  // later tiles need.
  template <class Op>
  __device__ T before(i64 tile, T aggregate, T initial, Op op) const {
    if (tile == 0) {
      if (lane_id() == 0) publish(prefixes, tile, op(initial, aggregate), PREFIX);
      return initial;
    }
    if (lane_id() == 0) publish(aggregates, tile, aggregate, AGGREGATE);
    T running = aggregate;
    bool begun = false, ended = false;
    for (i64 nearest = tile - 1; !ended; nearest -= WARP) {
      const i64 mine = nearest - lane_id();
      u64 status;
      u32 whole;
      bool ready;
      do {  // until the statuses are announced, back to the nearest whole prefix
        status = mine < 0 ? stamp + AGGREGATE : load_fresh(words + STATUS + mine);
        whole = __ballot_sync(ALL, status == stamp + PREFIX);
        const u32 needed = whole ? (whole & (0u - whole)) - 1 : ALL;
        ready = (__ballot_sync(ALL, status > stamp) & needed) == needed;
      } while (!ready);
      __threadfence();
      const int last = whole ? __ffs(whole) - 1 : WARP - 1;
      ended = whole != 0;
      T x = aggregate;
      if (lane_id() <= last) x = load_fresh((lane_id() == last && ended ? prefixes : aggregates) + mine);
      // Higher lanes hold earlier tiles, so their values are left operands.
#pragma unroll
      for (int o = 1; o < WARP; o <<= 1) {
        T y = __shfl_down_sync(ALL, x, o);
        if (lane_id() + o <= last) x = op(y, x);
      }
      x = __shfl_sync(ALL, x, 0);
      running = begun ? op(x, running) : x;
      begun = true;
    }
    if (lane_id() == 0) publish(prefixes, tile, op(running, aggregate), PREFIX);
    return running;
  }

 private:
  __device__ __forceinline__ void publish(T *values, i64 tile, T value, u64 kind) const {
    *(volatile T *)(values + tile) = value;
    __threadfence();
    *(volatile u64 *)(words + STATUS + tile) = stamp + kind;
  }
};

}  // namespace minigr
