// The part of the runtime that kernels use.
#pragma once
#include "arithmetic.h"

// Reasons for which lanes of a warp wait for each other.
enum Kind {
  SHFL_UP, SHFL_DOWN, SHFL_BFLY, SHFL_IDX, VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT, MATCH_ANY, MATCH_ALL, REDUX_ADD,
  REDUX_MIN_U, REDUX_MAX_U, REDUX_MIN_S, REDUX_MAX_S, REDUX_AND, REDUX_OR, REDUX_XOR, WARP_BAR
};
enum BarrierKind { BAR_SYNC, BAR_POPC, BAR_AND, BAR_OR };

typedef struct Warp Warp;
typedef struct Block Block;

typedef struct Thread {
  void *stack_pointer;
  char *stack;
  u32 tid[3], lane;
  Warp *warp;
  Block *block;
  char *shared;
  // The reason and the line where the thread waits for others, its contribution, and its result.
  s32 kind, line, barrier;
  u32 mask, b, c, passed;
  u64 a, result;
} Thread;

extern s64 fuel;        // backward branches until the next turn of another thread
extern u32 launch_ntid[3], launch_nctaid[3], launch_shared_size;
const u32 *block_id(const Thread *self);

void preempt(Thread *self, int line);
u64 warp_meet(Thread *self, int kind, u32 mask, u64 a, u32 b, u32 c, int line);
u32 active_mask(Thread *self, int line);
u32 block_meet(Thread *self, int kind, u32 number, u32 threads, int value, int line);
_Noreturn void leave(Thread *self);
_Noreturn void fail(const Thread *self, int line, const char *format, ...);
void set_conditional(u64 handle, u32 value);
u64 clock_now(void);

// ---- memory ---------------------------------------------------------------------------------------------------------

typedef struct { u64 begin, end; } Range;
extern Range recent[256];
extern int checks_reads;
void check_range(Thread *self, u64 address, u32 size, int writes, int line);

static inline __attribute__((always_inline)) void *at(Thread *self, u64 address, u32 size, int writes, int line) {
  if (__builtin_expect(address % size != 0, 0))
    fail(self, line, "an access of %u bytes at %#llx is not aligned", size, (unsigned long long)address);
  const Range *range = &recent[address >> 12 & 255];
  if (__builtin_expect(address < range->begin || address + size > range->end, 0))
    check_range(self, address, size, writes, line);
  return (void *)address;
}
static inline __attribute__((always_inline)) void *at_shared(Thread *self, u64 offset, u32 size, int line) {
  offset = (u32)offset;
  if (__builtin_expect(offset % size != 0, 0))
    fail(self, line, "an access of %u bytes at %#x in shared memory is not aligned", size, (u32)offset);
  if (__builtin_expect(offset + size > launch_shared_size, 0))
    fail(self, line, "an access of %u bytes at %#x is outside the block's %u bytes of shared memory", size,
         (u32)offset, launch_shared_size);
  return self->shared + offset;
}
#define GLOBAL(T, address, bytes, writes, line) ((T *)at(self, (u64)(address), bytes, writes, line))
#define SHARED(T, address, bytes, writes, line) ((T *)at_shared(self, (u64)(address), bytes, line))
#define OWN(T, address, bytes, writes, line) ((T *)(address))

// Points where another thread may run: backward branches, and with TURN_AT_ACCESSES each access of memory that other
// threads see.
#define TURN(line) do { if (__builtin_expect(--fuel < 0, 0)) preempt(self, line); } while (0)
#ifdef TURN_AT_ACCESSES
#define ACCESS(line) TURN(line)
#else
#define ACCESS(line) ((void)0)
#endif
