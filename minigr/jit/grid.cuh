// Blocks that run a program's phases together: barriers, the control block, counters, and who takes part in a phase.
//
// Every operator is a device function that all threads of the team call together. Lengths stand in the control block
// (minigr/enactor/control.py), so nothing in a loop returns to the host. Work is cut into phases; between two of them the
// last block to arrive runs the phase's completion while all others wait, so what it does to the control block needs no
// atomics.
//
// A phase is done by one of three teams, which the completion before it chose by the work there is:
// - SOLO: the first cluster of blocks, which meet at the cluster's own barrier and keep the control block in shared
//   memory. All others wait. Only where the architecture has clusters.
// - WHOLE: all blocks of a persistent kernel, which meet at a barrier in global memory.
// - WIDE: a kernel of the phase's own, ended by its last block.
#pragma once
#include "jit/warp.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define MINIGR_CLUSTERS 1
#else
#define MINIGR_CLUSTERS 0
#endif

namespace minigr {

enum Tier { SOLO, WHOLE, WIDE };  // the same as in enactor/control.py

// Counters of a block's warps, added to the control block once a phase.
struct Counters {
  u64 edges;       // edges looked at
  u64 next_edges;  // sum of the degrees of the vertices put out
};

__device__ __forceinline__ Counters *warp_counters() {
  __shared__ Counters counters[MAX_WARPS];
  return counters;
}

// The words of the control block that steer a loop, as of the last barrier that could change them.
__device__ __forceinline__ i64 *steering_words() {
  __shared__ i64 words[STEERING_WORDS];
  return words;
}

// The control block in shared memory: a completion's working copy, and the only one while a cluster is alone. A single
// thread that went through global memory word by word would keep everyone waiting for microseconds.
__device__ __forceinline__ i64 *control_copy() {
  __shared__ i64 copy[CONTROL_WORDS];
  return copy;
}

#if MINIGR_CLUSTERS
__device__ __forceinline__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Where `p`, an address in this block's shared memory, is in the first block of the cluster.
__device__ __forceinline__ i64 *in_first_block(i64 *p) {
  u64 mapped;
  asm volatile("mapa.u64 %0, %1, 0;" : "=l"(mapped) : "l"(p));
  return (i64 *)mapped;
}
#endif

struct Grid {
  u32 *sync;     // [0] blocks that arrived, [32] generation
  i64 *memory;   // the control block in global memory
  i64 *control;  // the one in use: that, or the first block's copy
  i32 blocks;    // of the team
  bool alone;    // this block's cluster works alone
  u32 generation;  // of the barrier to come; thread 0's

  __device__ Grid(u32 *sync, i64 *memory)
      : sync(sync), memory(memory), control(memory), blocks(gridDim.x), alone(false), generation(0) {}

  // A word of the control block: from shared memory where only completions write it.
  __device__ __forceinline__ i64 word(int w) const {
    return w < STEERING_WORDS ? steering_words()[w] : load_fresh(control + w);
  }
  __device__ __forceinline__ int phase() const { return (int)word(WORD_PHASE); }
  __device__ __forceinline__ bool stopped() const { return word(WORD_STOP) != 0; }
  __device__ __forceinline__ i64 thread() const { return (i64)blockIdx.x * blockDim.x + threadIdx.x; }
  __device__ __forceinline__ i64 threads() const { return (i64)blocks * blockDim.x; }
  __device__ __forceinline__ i64 warp() const { return thread() / WARP; }
  __device__ __forceinline__ i64 warps() const { return threads() / WARP; }

  // Add what this lane counted to its warp's counters; the sums reach the control block at the end of the phase. Nobody
  // steers by the edges looked at, so a persistent kernel, whose steps are short, doesn't count them.
  __device__ __forceinline__ void count(u64 edges, u64 next_edges) const {
    if (word(WORD_TIER) == WIDE) add(&warp_counters()[threadIdx.x / WARP].edges, edges);
    add(&warp_counters()[threadIdx.x / WARP].next_edges, next_edges);
  }

  // ---- a persistent kernel: SOLO and WHOLE ------------------------------------------------------------------------

  // Run phases until the loop stops or is a wide kernel's to go on with.
  template <class Program>
  __device__ void run() {
    begin();
    if (goes_on() && solo() && in_first_cluster()) enter();
    while (goes_on()) {
      if (solo() && !in_first_cluster()) {
        barrier(true);  // until that cluster is no longer alone
        read_steering();
        continue;
      }
      const int phase = this->phase();
      Program::work(*this, phase);
      if (alone)
        meet_alone<Program>(phase);
      else
        meet<Program>(phase);
    }
  }

  // ---- a kernel for one phase: WIDE -------------------------------------------------------------------------------

  template <class Program>
  __device__ void run_one(int phase) {
    begin();
    if (stopped() || word(WORD_TIER) != WIDE || this->phase() != phase) return;
    Program::work(*this, phase);
    if (arrive()) {
      complete<Program>(phase);
      if (threadIdx.x == 0) *(volatile u32 *)sync = 0;
    }
  }

 private:
  __device__ __forceinline__ bool solo() const { return word(WORD_TIER) == SOLO; }
  __device__ __forceinline__ bool goes_on() const { return !stopped() && word(WORD_TIER) != WIDE; }
  __device__ __forceinline__ bool in_first_cluster() const { return blockIdx.x < CLUSTER; }

  __device__ void begin() {
    if (lane_id() == 0) warp_counters()[threadIdx.x / WARP] = Counters{0, 0};
    if (threadIdx.x == 0) generation = load_fresh(sync + 32);
    read_steering();
  }

  __device__ void read_steering() {
    if (threadIdx.x < STEERING_WORDS) steering_words()[threadIdx.x] = load_fresh(control + threadIdx.x);
    __syncthreads();
  }

  // All blocks wait for each other; the last one to come runs the completion.
  template <class Program>
  __device__ void meet(int phase) {
    if (arrive()) {
      complete<Program>(phase);
      if (threadIdx.x < STEERING_WORDS) steering_words()[threadIdx.x] = control_copy()[threadIdx.x];
      __syncthreads();
      if (threadIdx.x == 0) release();
    } else if (threadIdx.x < WARP) {
      if (threadIdx.x == 0) wait(false);
      __syncwarp();
      if (threadIdx.x < STEERING_WORDS) steering_words()[threadIdx.x] = load_fresh(control + threadIdx.x);
    }
    __syncthreads();
    if (goes_on() && solo() && in_first_cluster()) enter();
  }

  // All threads of one block: the completion, on a copy of the control block, then put back.
  template <class Program>
  __device__ void complete(int phase) {
    i64 *copy = control_copy();
    for (int i = threadIdx.x; i < CONTROL_WORDS; i += blockDim.x) copy[i] = load_fresh(memory + i);
    Program::fold(*this, phase);
    __syncthreads();
    if (threadIdx.x == 0) Program::complete(copy, phase);
    __syncthreads();
    for (int i = threadIdx.x; i < CONTROL_WORDS; i += blockDim.x) *(volatile i64 *)(memory + i) = copy[i];
  }

  __device__ void barrier(bool patient) {
    if (arrive()) {
      if (threadIdx.x == 0) release();
    } else if (threadIdx.x == 0) {
      wait(patient);
    }
    __syncthreads();
  }

  // ---- one cluster alone ------------------------------------------------------------------------------------------

  __device__ void enter() {
#if MINIGR_CLUSTERS
    i64 *copy = control_copy();
    if (blockIdx.x == 0)
      for (int i = threadIdx.x; i < CONTROL_WORDS; i += blockDim.x) copy[i] = load_fresh(memory + i);
    control = in_first_block(copy);
    blocks = CLUSTER;
    alone = true;
    cluster_barrier();
#endif
  }

  template <class Program>
  __device__ void meet_alone(int phase) {
#if MINIGR_CLUSTERS
    __syncthreads();
    if (threadIdx.x == 0) hand_in();
    cluster_barrier();
    if (blockIdx.x == 0) {
      Program::fold(*this, phase);
      if (threadIdx.x == 0) Program::complete(control_copy(), phase);
    }
    cluster_barrier();
    read_steering();
    if (!(goes_on() && solo())) leave();
#endif
  }

  __device__ void leave() {
    if (blockIdx.x == 0)
      for (int i = threadIdx.x; i < CONTROL_WORDS; i += blockDim.x) *(volatile i64 *)(memory + i) = control_copy()[i];
    control = memory;
    blocks = gridDim.x;
    alone = false;
    barrier(false);
  }

  // ---- arriving and waiting ---------------------------------------------------------------------------------------

  __device__ __forceinline__ static void add(u64 *counter, u64 x) {
    if (!__any_sync(ALL, x != 0)) return;
    x = __any_sync(ALL, x >> 26) ? warp_sum(x) : warp_sum((u32)x);
    if (lane_id() == 0) *counter += x;
  }

  // The counters of the block into the control block; one thread.
  __device__ void hand_in() const {
    Counters total{0, 0}, *counters = warp_counters();
    for (int w = 0; w < blockDim.x / WARP; w++) {
      total.edges += counters[w].edges;
      total.next_edges += counters[w].next_edges;
      counters[w] = Counters{0, 0};
    }
    if (total.edges) atomicAdd((u64 *)(control + WORD_EDGES), total.edges);
    if (total.next_edges) atomicAdd((u64 *)(control + WORD_NEXT_EDGES), total.next_edges);
  }

  // True for all threads of the last block to come. The arrival releases what the block wrote and acquires what others
  // did, and drops what the L1 caches hold.
  __device__ bool arrive() const {
    __shared__ bool is_last;
    __syncthreads();
    if (threadIdx.x == 0) {
      hand_in();
      u32 before;
      asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(sync) : "memory");
      is_last = before == gridDim.x - 1;
    }
    __syncthreads();
    return is_last;
  }

  __device__ void release() {
    generation++;
    *(volatile u32 *)sync = 0;
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(sync + 32), "r"(generation) : "memory");
  }

  // `patient`: a cluster that works alone may take long, and is not to be disturbed by everyone's asking.
  __device__ void wait(bool patient) {
    generation++;
    u32 seen;
    do {
#if MINIGR_CLUSTERS
      if (patient) __nanosleep(200);
#endif
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(sync + 32) : "memory");
    } while (seen != generation);
  }
};

}  // namespace minigr
