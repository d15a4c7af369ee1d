// Declarations that the files of the runtime share: warps, blocks, and the state of one launch.
#pragma once
#include "runtime.h"

enum { LANES = 32, BARRIERS = 16, MESSAGE = 4096 };
// Bytes of a thread's stack. The size is not a multiple of a large power of two, because the tops of all stacks would
// otherwise share a few lines of the cache. build.py limits the bytes that a kernel may use of a stack.
enum { STACK = 128 * 1024 + 13 * 64 };
enum Order { RISE, FALL, RANDOM };

typedef void (*Kernel)(Thread *, char *);

struct Warp {
  Thread *threads;       // the first is that of lane 0
  u32 alive;             // lanes that have not exited
  u32 ready;             // lanes that do not wait
  u32 fresh;             // lanes that are ready and have not run in this turn of the warp
  u32 meeting, barred;   // lanes that wait for other lanes, and lanes that wait at a barrier of the block
  u32 asking;            // lanes that wait for their active mask
};

struct Block {
  u32 id[3], threads_left, warps, waiting;
  Warp *first;
  Kernel kernel;
  char *shared;
  u32 arrived[BARRIERS], expected[BARRIERS], sum[BARRIERS], all[BARRIERS];
};

#pragma GCC visibility push(hidden)

// The launch: one kernel, or several kernels with the same number of blocks that run at the same time.
extern Kernel *kernels;
extern u64 blocks_each;
extern char *arguments;
extern u64 next_block, block_count, blocks_running;
extern Block *vacant;  // a block whose threads have all exited; the next block takes its place
extern double deadline;
// Threads of all blocks that the device holds at once.
extern Thread *threads, *current;
extern Warp *warps;
extern Block *blocks;
extern u32 warp_count, current_warp, turns_left;
extern void *main_stack;
// The order of turns.
extern enum Order order;
extern u64 random_state, preemptions;
extern s64 slice;
// The error message.
extern char message[MESSAGE];
extern int failed;
// Memory that kernels may access, in order.
extern Range *ranges;
extern u64 range_count;

void switch_stack(void **save, void *load);
double seconds(void);
void begin_block(u32 slot);
Thread *next_thread(void);
void go_on(Thread *self);
void set_aside(Thread *self);
void wake(Warp *warp, u32 lanes);
void answer(Warp *warp);
int complete_meeting(Warp *warp, const Thread *one);
void try_barrier(Block *block, u32 number);
_Noreturn void stop(void);
_Noreturn void time_out(const Thread *self, int line);
_Noreturn void report_deadlock(void);
void report_fault(const Thread *self, const void *address, int signal);

#pragma GCC visibility pop
