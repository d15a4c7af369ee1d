// Error messages, with the positions of all threads.
#include <stdarg.h>
#include <stdio.h>

#include "scheduler.h"

char message[MESSAGE];
int failed, checks_reads;
Range recent[256];
Range *ranges;
u64 range_count;

static int same_state(const Warp *warp, u32 one, u32 other) {
  const Thread *a = &warp->threads[one], *b = &warp->threads[other];
  const int is_meeting = warp->meeting >> one & 1;
  return is_meeting == (int)(warp->meeting >> other & 1) && (warp->barred >> one & 1) == (warp->barred >> other & 1) &&
         a->line == b->line && (!is_meeting || a->mask == b->mask);
}

static void append_values(const char *format, va_list values) {
  const size_t begin = strlen(message);
  vsnprintf(message + begin, MESSAGE - begin, format, values);
}

static void append(const char *format, ...) {
  va_list values;
  va_start(values, format);
  append_values(format, values);
  va_end(values);
}

// Append the positions of threads: for each warp, the lanes that are in the same state at the same line.
static void describe_threads(void) {
  for (u32 w = 0; w < warp_count; w++) {
    const Warp *warp = &warps[w];
    for (u32 left = warp->alive, same; left; left &= ~same) {
      const u32 one = (u32)__builtin_ctz(left);
      const Thread *t = &warp->threads[one];
      same = 0;
      for (u32 i = 0; i < LANES; i++)
        if (left >> i & 1 && same_state(warp, one, i)) same |= 1u << i;
      append("  block %u warp %u lanes %08x: line %d, ", t->block->id[0], t->tid[0] / LANES, same, t->line);
      if (warp->meeting >> one & 1)
        append("waiting for lanes %08x\n", t->mask);
      else if (warp->barred >> one & 1)
        append("at barrier %d, which %u of %u have reached\n", t->barrier, t->block->arrived[t->barrier],
               t->block->threads_left);
      else
        append("running\n");
    }
  }
}

static void name_thread(const Thread *self, const char *where, int line) {
  const u32 *id = self->block->id, *tid = self->tid;
  append("block %u,%u,%u thread %u,%u,%u %s line %d: ", id[0], id[1], id[2], tid[0], tid[1], tid[2], where, line);
}

_Noreturn void fail(const Thread *self, int line, const char *format, ...) {
  name_thread(self, "at", line);
  va_list values;
  va_start(values, format);
  append_values(format, values);
  va_end(values);
  stop();
}

_Noreturn void time_out(const Thread *self, int line) {
  name_thread(self, "at", line);
  append("the kernel ran longer than it may\nwhere threads are:\n");
  describe_threads();
  stop();
}

_Noreturn void report_deadlock(void) {
  append("no thread can go on:\n");
  describe_threads();
  stop();
}

void report_fault(const Thread *self, const void *address, int signal) {
  name_thread(self, "after", self->line);
  append("no memory at %p (signal %d)", address, signal);
  failed = 1;
}

// Find the allocated memory that contains an access; stop the kernel if there is none.
void check_range(Thread *self, u64 address, u32 size, int writes, int line) {
  u64 low = 0, high = range_count;
  while (low < high) {
    const u64 middle = (low + high) / 2;
    if (ranges[middle].begin <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low && address + size <= ranges[low - 1].end) {
    recent[address >> 12 & 255] = ranges[low - 1];
    return;
  }
  const u64 stack = (u64)self->stack;
  if (address >= stack && address + size <= stack + STACK) return;
  const u64 shared = (u64)self->shared;
  if (address >= shared && address + size <= shared + launch_shared_size) return;
  if (!writes && !checks_reads) return;
  const char *what = writes ? "a store of" : "a load of";
  const unsigned long long place = address;
  const Range *before = low ? &ranges[low - 1] : NULL;
  if (before && address - before->end < 1 << 20)
    fail(self, line, "%s %u bytes at %#llx, which is %lld bytes behind the end of %lld allocated ones", what, size,
         place, (long long)(address - before->end), (long long)(before->end - before->begin));
  fail(self, line, "%s %u bytes at %#llx, which nobody allocated", what, size, place);
}
