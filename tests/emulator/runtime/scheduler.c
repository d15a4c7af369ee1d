// Runs the threads of a kernel as fibers of one thread of the system. A fiber runs until it waits for others, or until
// its fuel is used up. All blocks that the device holds at once exist at once, because persistent kernels need this for
// their barriers.
#include <time.h>

#include "scheduler.h"

s64 fuel;
u32 launch_ntid[3], launch_nctaid[3], launch_shared_size;
Kernel *kernels;
u64 blocks_each;
char *arguments;
u64 next_block, block_count, blocks_running;
Block *vacant;
double deadline;
Thread *threads, *current;
Warp *warps;
Block *blocks;
u32 warp_count, current_warp, turns_left;
void *main_stack;
enum Order order;
u64 random_state, preemptions;
s64 slice;

static u64 draw(void) {
  u64 x = random_state;
  x ^= x << 13, x ^= x >> 7, x ^= x << 17;
  return random_state = x;
}

double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
u64 clock_now(void) { return (u64)(seconds() * 1e9); }

static void enter(void) {
  current->block->kernel(current, arguments);
  leave(current);
}

static void prepare(Thread *thread) {
  void **top = (void **)(((u64)thread->stack + STACK) / 64 * 64 - 64);
  *--top = 0;  // the stack of a function is aligned after its return address was pushed
  *--top = (void *)enter;
  for (int i = 0; i < 6; i++) *--top = 0;
  thread->stack_pointer = top;
}

void begin_block(u32 slot) {
  Block *block = &blocks[slot];
  const u32 size = launch_ntid[0] * launch_ntid[1] * launch_ntid[2];
  u64 id = next_block++;
  if (order == FALL) id = block_count - 1 - id;
  block->kernel = kernels[id / blocks_each], id %= blocks_each;
  block->id[0] = (u32)(id % launch_nctaid[0]);
  block->id[1] = (u32)(id / launch_nctaid[0] % launch_nctaid[1]);
  block->id[2] = (u32)(id / launch_nctaid[0] / launch_nctaid[1]);
  block->threads_left = size, block->waiting = 0;
  memset(block->arrived, 0, sizeof block->arrived);
  memset(block->shared, 0xa5, launch_shared_size);
  for (u32 i = 0; i < size; i++) {
    Thread *thread = &threads[(u64)slot * size + i];
    thread->tid[0] = i % launch_ntid[0], thread->tid[1] = i / launch_ntid[0] % launch_ntid[1];
    thread->tid[2] = i / launch_ntid[0] / launch_ntid[1];
    thread->lane = i % LANES, thread->block = block, thread->warp = &block->first[i / LANES];
    thread->shared = block->shared;
    prepare(thread);
  }
  for (u32 i = 0; i < block->warps; i++) {
    Warp *warp = &block->first[i];
    const u32 lanes = size - i * LANES < LANES ? size - i * LANES : LANES;
    warp->threads = &threads[(u64)slot * size + i * LANES];
    warp->alive = warp->ready = lanes == LANES ? ~0u : (1u << lanes) - 1;
    warp->fresh = warp->meeting = warp->barred = warp->asking = 0;
  }
  blocks_running++;
}

static u32 lane_of(u32 set) {
  if (order == RISE) return (u32)__builtin_ctz(set);
  if (order == FALL) return 31 - (u32)__builtin_clz(set);
  u32 nth = (u32)(draw() % (u32)__builtin_popcount(set));
  while (nth--) set &= set - 1;
  return (u32)__builtin_ctz(set);
}

static int find_warp(void) {
  const u32 from = order == RANDOM ? (u32)(draw() % warp_count)
                   : order == FALL ? current_warp + warp_count - 1
                                   : current_warp + 1;
  for (u32 i = 0; i < warp_count; i++) {
    const u32 candidate = (order == FALL ? from + warp_count - i : from + i) % warp_count;
    if (warps[candidate].ready) {
      current_warp = candidate;
      warps[candidate].fresh = warps[candidate].ready;
      turns_left = order == RANDOM ? 1 + (u32)(draw() % 500) : 2000;
      return 1;
    }
  }
  return 0;
}

Thread *next_thread(void) {
  Warp *warp = &warps[current_warp];
  if (!warp->fresh || turns_left-- == 0) {
    if (!find_warp()) return NULL;
    warp = &warps[current_warp];
  }
  const u32 lane = lane_of(warp->fresh);
  warp->fresh &= ~(1u << lane);
  return &warp->threads[lane];
}

_Noreturn static void to_main(void) {
  void *unused;
  switch_stack(&unused, main_stack);
  __builtin_unreachable();
}

_Noreturn void stop(void) {
  failed = 1;
  to_main();
}

// Let the next thread run, which may be the same. A thread that will never run again passes NULL.
void go_on(Thread *self) {
  if (warps[current_warp].asking && !warps[current_warp].ready) answer(&warps[current_warp]);
  Thread *next = next_thread();
  if (!next && !blocks_running) to_main();
  if (!next) report_deadlock();
  if (next == self) return;
  void *unused, **save = self ? &self->stack_pointer : &unused;
  current = next;
  switch_stack(save, next->stack_pointer);
}

// Give a thread no turns until another thread wakes it.
void set_aside(Thread *self) {
  const u32 bit = 1u << self->lane;
  self->warp->ready &= ~bit;
  self->warp->fresh &= ~bit;
}

void preempt(Thread *self, int line) {
  fuel = order == RANDOM ? (s64)(draw() % (u64)slice) : slice;
  self->line = line;
  if (self->warp->asking) answer(self->warp);
  if (++preemptions % 256 == 0 && seconds() > deadline) time_out(self, line);
  go_on(self);
}

void wake(Warp *warp, u32 lanes) {
  warp->ready |= lanes;
  if (warp == &warps[current_warp]) warp->fresh |= lanes;
}

const u32 *block_id(const Thread *self) { return self->block->id; }

_Noreturn void leave(Thread *self) {
  Warp *warp = self->warp;
  Block *block = self->block;
  warp->alive &= ~(1u << self->lane);
  set_aside(self);
  for (u32 i = 0; warp->meeting && i < LANES; i++)
    if (warp->meeting >> i & 1) complete_meeting(warp, &warp->threads[i]);
  if (--block->threads_left == 0) {
    blocks_running--;
    if (next_block < block_count) {  // the main stack starts the next block, because that reuses this thread's stack
      vacant = block;
      to_main();
    }
  } else {
    for (u32 number = 0; block->waiting && number < BARRIERS; number++) try_barrier(block, number);
  }
  go_on(NULL);
  __builtin_unreachable();
}
