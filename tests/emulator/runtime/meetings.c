// Points where threads wait for each other: the lanes of a warp, and the warps of a block.
#include "scheduler.h"

// Give each of `lanes` its result.
static void exchange(Warp *warp, u32 lanes, int kind) {
  Thread *t = warp->threads;
  u64 sum = kind == REDUX_MIN_U || kind == REDUX_AND ? UINT32_MAX
            : kind == REDUX_MIN_S                    ? INT32_MAX
            : kind == REDUX_MAX_S                    ? (u32)INT32_MIN
                                                     : 0;
  u32 ballot = 0, same = 1;
  const u32 first = (u32)__builtin_ctz(lanes);
  for (u32 i = 0; i < LANES; i++) {
    if (!(lanes >> i & 1)) continue;
    const u32 x = (u32)t[i].a;
    if (t[i].a) ballot |= 1u << i;
    same &= t[i].a == t[first].a;
    switch (kind) {
      case REDUX_ADD: sum += x; break;
      case REDUX_MIN_U: sum = x < sum ? x : sum; break;
      case REDUX_MAX_U: sum = x > sum ? x : sum; break;
      case REDUX_MIN_S: sum = (s32)x < (s32)sum ? x : sum; break;
      case REDUX_MAX_S: sum = (s32)x > (s32)sum ? x : sum; break;
      case REDUX_AND: sum &= x; break;
      case REDUX_OR: sum |= x; break;
      case REDUX_XOR: sum ^= x; break;
    }
  }
  for (u32 i = 0; i < LANES; i++) {
    if (!(lanes >> i & 1)) continue;
    Thread *self = &t[i];
    const u32 b = self->b & 31, c = self->c & 31, segment = self->c >> 8 & 31;
    const s32 most = (s32)((i & segment) | (c & ~segment)), least = (s32)(i & segment);
    s32 from = (s32)i;
    switch (kind) {
      case SHFL_UP: from = (s32)i - (s32)b, self->passed = from >= most; break;
      case SHFL_DOWN: from = (s32)(i + b), self->passed = from <= most; break;
      case SHFL_BFLY: from = (s32)(i ^ b), self->passed = from <= most; break;
      case SHFL_IDX: from = (s32)((u32)least | (b & ~segment)), self->passed = from <= most; break;
      case VOTE_ALL: self->result = ballot == lanes; break;
      case VOTE_ANY: self->result = ballot != 0; break;
      case VOTE_UNI: self->result = ballot == lanes || !ballot; break;
      case VOTE_BALLOT: self->result = ballot; break;
      case MATCH_ANY:
        self->result = 0;
        for (u32 j = 0; j < LANES; j++) self->result |= (lanes >> j & 1 && t[j].a == self->a) ? 1u << j : 0;
        break;
      case MATCH_ALL: self->result = same ? lanes : 0, self->passed = same; break;
      case WARP_BAR: break;
      default: self->result = (u32)sum;
    }
    if (kind <= SHFL_IDX) {
      if (!self->passed) from = (s32)i;
      // The value of an absent lane is undefined.
      self->result = lanes >> from & 1 ? (u32)t[from].a : 0xdeadbeefu;
    }
  }
}

// Wake the lanes that this lane waits for if all of them have arrived; return whether this is so.
int complete_meeting(Warp *warp, const Thread *one) {
  const u32 lanes = one->mask & warp->alive;
  if ((warp->meeting & lanes) != lanes) return 0;
  for (u32 i = 0; i < LANES; i++) {
    const Thread *other = &warp->threads[i];
    if (!(lanes >> i & 1)) continue;
    if (other->mask != one->mask) return 0;
    if (other->kind != one->kind)
      fail(one, one->line, "lanes of one warp meet at different instructions, lane %u at line %d", i, other->line);
  }
  exchange(warp, lanes, one->kind);
  warp->meeting &= ~lanes;
  wake(warp, lanes);
  return 1;
}

u64 warp_meet(Thread *self, int kind, u32 mask, u64 a, u32 b, u32 c, int line) {
  Warp *warp = self->warp;
  const u32 bit = 1u << self->lane;
  if (!(mask & bit)) fail(self, line, "lane %u is not in its own mask of lanes, %#x", self->lane, mask);
  self->kind = kind, self->mask = mask, self->a = a, self->b = b, self->c = c, self->line = line;
  warp->meeting |= bit;
  set_aside(self);
  if (complete_meeting(warp, self) && order != RANDOM)
    warp->fresh &= ~bit;  // this turn goes on
  else
    go_on(self);
  return self->result;
}

// Any set of lanes that contains the asking lane is a valid result. To return sets of many lanes, a lane waits until no
// other lane of the warp can run, or until one has run for long. The lanes that then wait at one instruction form a set.
u32 active_mask(Thread *self, int line) {
  self->line = line;
  self->warp->asking |= 1u << self->lane;
  set_aside(self);
  go_on(self);
  return (u32)self->result;
}

// Give results to all lanes of a warp that wait for their active mask.
void answer(Warp *warp) {
  const u32 lanes = warp->asking;
  for (u32 i = 0; i < LANES; i++) {
    if (!(lanes >> i & 1)) continue;
    Thread *self = &warp->threads[i];
    self->result = 0;
    for (u32 j = 0; j < LANES; j++)
      if (lanes >> j & 1 && warp->threads[j].line == self->line) self->result |= 1u << j;
  }
  warp->asking = 0;
  wake(warp, lanes);
}

// ---- blocks -------------------------------------------------------------------------------------------------------

static void open_barrier(Block *block, u32 number) {
  block->waiting -= block->arrived[number];
  block->arrived[number] = 0;
  for (u32 i = 0; i < block->warps; i++) {
    Warp *warp = &block->first[i];
    u32 lanes = 0;
    for (u32 k = 0; k < LANES; k++) {
      if (!(warp->barred >> k & 1) || warp->threads[k].barrier != (s32)number) continue;
      Thread *t = &warp->threads[k];
      t->result = t->kind == BAR_POPC  ? block->sum[number]
                  : t->kind == BAR_AND ? block->all[number]
                                       : block->sum[number] != 0;
      lanes |= 1u << k;
    }
    warp->barred &= ~lanes;
    wake(warp, lanes);
  }
}

// Open a barrier if enough threads have reached it.
void try_barrier(Block *block, u32 number) {
  const u32 expected = block->expected[number] ? block->expected[number] : block->threads_left;
  if (block->arrived[number] && block->arrived[number] >= expected) open_barrier(block, number);
}

u32 block_meet(Thread *self, int kind, u32 number, u32 expected, int value, int line) {
  Block *block = self->block;
  if (number >= BARRIERS) fail(self, line, "there is no barrier %u", number);
  if (!block->arrived[number]) block->sum[number] = 0, block->all[number] = 1, block->expected[number] = expected;
  block->arrived[number]++, block->waiting++;
  block->sum[number] += value != 0;
  block->all[number] &= value != 0;
  self->kind = kind, self->barrier = (s32)number, self->line = line;
  self->warp->barred |= 1u << self->lane;
  set_aside(self);
  try_barrier(block, number);
  go_on(self);
  return (u32)self->result;
}
