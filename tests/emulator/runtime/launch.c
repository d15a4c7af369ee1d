// Launches of kernels, and the conditions of graphs.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "scheduler.h"

static char *stacks, *shared_memory;
static u64 stacks_held, shared_held;
static sigjmp_buf fault;
static volatile int running;

static void on_fault(int number, siginfo_t *info, void *context) {
  (void)context;
  if (!running) {
    signal(number, SIG_DFL);
    return;
  }
  report_fault(current, info->si_addr, number);
  siglongjmp(fault, 1);
}

// Grow a piece of memory to at least `bytes` bytes; return false if this fails.
static int reserve(char **memory, u64 *held, u64 bytes) {
  if (*held >= bytes) return 1;
  if (*held) munmap(*memory, *held);
  *held = 0;
  *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (*memory == MAP_FAILED) return 0;
  *held = bytes;
  madvise(*memory, bytes, MADV_HUGEPAGE);
  return 1;
}

// Make the threads of the first blocks; return whether there is room for them.
static int begin_blocks(u32 slots, u32 per_block) {
  const u32 in_block = (per_block + LANES - 1) / LANES;
  const u64 shared_each = (launch_shared_size + 4095ull) / 4096 * 4096 + 4096;
  warp_count = slots * in_block;
  threads = calloc((u64)slots * per_block, sizeof *threads);
  warps = calloc(warp_count, sizeof *warps);
  blocks = calloc(slots, sizeof *blocks);
  if (!threads || !warps || !blocks || !reserve(&stacks, &stacks_held, (u64)slots * per_block * STACK) ||
      !reserve(&shared_memory, &shared_held, slots * shared_each))
    return 0;
  for (u64 i = 0; i < (u64)slots * per_block; i++) threads[i].stack = stacks + i * STACK;
  for (u32 i = 0; i < slots; i++) {
    blocks[i].warps = in_block, blocks[i].first = warps + (u64)i * in_block;
    blocks[i].shared = shared_memory + i * shared_each;
    begin_block(i);
  }
  current_warp = order == FALL ? 0 : warp_count - 1;
  turns_left = 0;
  return 1;
}

// Run all fibers to their end, or until one fails.
static void run(void) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE};
  static char handler_stack[1 << 16];
  struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK}, before[3];
  stack_t other = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack}, other_before;
  action.sa_sigaction = on_fault;
  sigaltstack(&other, &other_before);
  for (int i = 0; i < 3; i++) sigaction(signals[i], &action, &before[i]);
  if (!sigsetjmp(fault, 1)) {
    running = 1;
    do {
      if (vacant) begin_block((u32)(vacant - blocks));
      vacant = NULL;
      current = next_thread();
      switch_stack(&main_stack, current->stack_pointer);
    } while (vacant && !failed);
  }
  running = 0;
  for (int i = 0; i < 3; i++) sigaction(signals[i], &before[i], NULL);
  sigaltstack(&other_before, NULL);
}

// Run kernels to their end, at the same time, each on its own device. Return an error message, or an empty string.
const char *launch_kernels(void **functions, u32 count, char *packed, const u32 *grid, const u32 *size, u32 shared,
                           u32 resident, int how, u64 seed, s64 turn, double limit, Range *known, u64 known_count,
                           int reads) {
  kernels = (Kernel *)functions, arguments = packed, launch_shared_size = shared;
  memcpy(launch_nctaid, grid, sizeof launch_nctaid);
  memcpy(launch_ntid, size, sizeof launch_ntid);
  order = (enum Order)how, random_state = seed * 0x9e3779b97f4a7c15ull + 0x1234567, slice = turn, fuel = turn;
  ranges = known, range_count = known_count, checks_reads = reads;
  memset(recent, 0, sizeof recent);
  message[0] = 0, failed = 0, preemptions = 0, vacant = NULL;
  deadline = seconds() + limit;
  const u32 per_block = size[0] * size[1] * size[2];
  blocks_each = (u64)grid[0] * grid[1] * grid[2], block_count = count * blocks_each, next_block = 0, blocks_running = 0;
  if (!block_count || !per_block) return "a launch of no blocks or no threads";
  const u64 at_once = (u64)resident * count;
  const int has_room = begin_blocks((u32)(block_count < at_once ? block_count : at_once), per_block);
  if (has_room) run();
  free(threads), free(warps), free(blocks);
  return has_room ? message : "there is no memory for the threads";
}

// ---- conditions of graphs -------------------------------------------------------------------------------------------

static u32 conditions[1 << 16];

void set_conditional(u64 handle, u32 value) { conditions[handle & 0xffff] = value; }
u32 conditional(u64 handle) { return conditions[handle & 0xffff]; }
