// The data that the parts of a graph send each other between two operators, where each part runs the loop on a GPU.
//
// A part lists its copies of vertices of other parts (ghosts) by owner. Each owner lists these vertices (mirrors) in
// the same order. So a place in a list identifies a vertex. A part writes to the memory of other parts, and reads only
// its own memory.
#pragma once
#include "jit/grid.cuh"
#include "primitives/collectives.cuh"
#include "primitives/fold.cuh"

namespace minigr {

// The lists for all other parts, one after the other. The peers' table says where the list for each part begins and
// ends.
//
// Long lists are divided into pages of PAGE vertices, and parts keep track of changes by page, because a look at all
// ghosts or mirrors would take as long as a large step. A page has the iteration in which an advance last looked at one
// of its vertices. For each field that is refreshed, a page also has the phase in which an owner last sent an element
// of one of the page's ghosts.
struct Lists {
  const i32 *ghosts;
  const i32 *mirrors;
  i64 pages;  // 0 if lists are short
  const i32 *ghost_pages;  // by part: where the ghosts of each page begin, and where the last page ends
  const i32 *mirror_pages;
  const i32 *looked_at;
  const i32 *refreshed;  // all pages of one field, then all pages of the next

  // Goes through the places in the list of part q's vertices. All lanes of a warp call visit(from, to, page) together:
  // with pages, for each page for which is_due(page) holds; without pages (page < 0), for each WARP places.
  template <class IsDue, class Visit>
  __device__ __forceinline__ void each(const Grid &grid, i64 begin, i64 end, int q, const i32 *starts, IsDue is_due,
                                       Visit visit) const {
    if (pages == 0) {
      for (i64 base = begin + grid.warp() * WARP; base < end; base += grid.warps() * WARP)
        visit(base, min(base + WARP, end), -1);
      return;
    }
    starts += q * (pages + 1);
    for (i64 first = grid.warp(); first < pages; first += grid.warps() * WARP) {
      const i64 mine = first + lane_id() * grid.warps();
      for (u32 due = __ballot_sync(ALL, mine < pages && is_due(mine)); due; due &= due - 1) {
        const i64 page = first + (__ffs(due) - 1) * grid.warps();
        visit(starts[page], starts[page + 1], page);
      }
    }
  }
};

// Whether two elements differ in their bits.
template <class T>
__device__ __forceinline__ bool differ(T x, T y) {
  if constexpr (sizeof(T) == 4) {
    u32 a, b;
    memcpy(&a, &x, 4);
    memcpy(&b, &y, 4);
    return a != b;
  } else {
    u64 a, b;
    memcpy(&a, &x, 8);
    memcpy(&b, &y, 8);
    return a != b;
  }
}

// Where the mail of a step begins in a part's box, if another part shares `vertices` vertices with it. With MAILS = 2,
// the box has two halves that take turns. Then a part may read the mail of a step while other parts send the mail of
// the next step.
__device__ __forceinline__ i64 mail_begin(i64 iteration, i64 vertices) {
  return MAILS == 2 && (iteration & 1) ? vertices : 0;
}

// Sends the changes of ghosts to their owners, for the pages that an advance looked at in this iteration. what(i,
// vertex) returns bits that describe the change of ghost number i of all ghosts; 0: no change. Then put(i, vertex, q,
// place) writes the elements to this place of the mail of owner q.
template <class What, class Put>
__device__ void send_ghosts(const Grid &grid, const Lists &lists, What what, Put put) {
  constexpr int EACH = 4;  // a warp reserves room for EACH vertices of each lane at once, because all warps use one counter
  const i64 iteration = grid.word(WORD_ITERATION);
  for (int q = 0; q < PARTS; q++) {
    if (q == grid.across.part) continue;
    const i64 begin = grid.across.number(q, PEER_GHOST_BEGIN), end = grid.across.number(q, PEER_GHOST_END);
    u64 *heads = grid.across.at<u64>(q, PEER_HEADS);
    const i64 first = mail_begin(iteration, end - begin);
    const auto is_due = [&](i64 page) { return lists.looked_at[page] == (i32)iteration; };
    lists.each(grid, begin, end, q, lists.ghost_pages, is_due, [&](i64 from, i64 to, i64) {
      for (; from < to; from += EACH * WARP) {
        u32 bits[EACH];
        i32 vertices[EACH], count = 0;
#pragma unroll
        for (int k = 0; k < EACH; k++) {
          const i64 i = from + k * WARP + lane_id();
          vertices[k] = i < to ? lists.ghosts[i] : -1;
          bits[k] = i < to ? what(i, vertices[k]) : 0;
          count += Kept(bits[k] != 0).count();
        }
        if (count == 0) continue;
        i64 place = first + warp_room([&] { return grid.send(q, count); });
        if (lane_id() == 0) grid.note_change();
#pragma unroll
        for (int k = 0; k < EACH; k++) {
          const Kept kept(bits[k] != 0);
          const i64 i = from + k * WARP + lane_id(), at = place + kept.place();
          place += kept.count();
          if (bits[k] == 0) continue;
          heads[at] = (u64)bits[k] << 32 | (u32)(i - begin);
          put(i, vertices[k], q, at);
        }
      }
    });
  }
}

// Sends vertices to their owners while an advance runs. All lanes of a warp call this together; the lanes that are
// `away` have a vertex. put(q, place) writes the elements to this place of the mail of owner q. The mail has room for
// as many vertices as there are ghosts.
template <class Put>
__device__ __forceinline__ void send_claimed(const Grid &grid, bool away, i32 vertex, Put put) {
  if (!__any_sync(ALL, away)) return;
  const int owner = away ? grid.across.owner(vertex) : -1;
  for (int q = 0; q < PARTS; q++) {
    const Kept kept(owner == q);
    if (kept.count() == 0) continue;
    const i64 base = warp_room([&] { return grid.send(q, kept.count()); }), place = base + kept.place();
    const i64 room = grid.across.number(q, PEER_GHOST_END) - grid.across.number(q, PEER_GHOST_BEGIN);
    if (owner == q && place < room) {
      const i64 at = mail_begin(grid.word(WORD_ITERATION), room) + place;
      grid.across.at<u64>(q, PEER_HEADS)[at] = (u64)(u32)vertex;
      put(q, at);
    }
    if (lane_id() == 0 && base + kept.count() > room) grid.note_no_room();
  }
  if (lane_id() == 0) grid.note_change();
}

// Reads the mail that other parts sent in a step, part by part in their order. All lanes of a warp call take(has, at,
// mirror, vertex, bits) together: `at` is a place in the mail, and `mirror` is a place in the list of all mirrors.
// `by_id`: send_claimed sent the mail, so the mail has the vertex itself, and there is no mirror.
template <class Take>
__device__ void take_mail(const Grid &grid, const Lists &lists, const u64 *heads, i32 iteration, bool by_id, Take take) {
  for (int q = 0, left = PARTS - 1; q < PARTS; q++) {
    if (q == grid.across.part) continue;
    const i64 begin = grid.across.number(q, PEER_MIRROR_BEGIN), end = grid.across.number(q, PEER_MIRROR_END);
    const i64 first = MAILS * begin + mail_begin(iteration, end - begin), count = grid.sent_by(q);
    for (i64 base = grid.warp() * WARP; base < count; base += grid.warps() * WARP) {
      const i64 i = base + lane_id();
      const bool has = i < count;
      const u64 head = has ? load_across(heads + first + i) : 0;
      const i64 mirror = by_id ? -1 : begin + (u32)head;
      take(has, first + i, mirror, !has ? -1 : by_id ? (i32)head : lists.mirrors[mirror], (u32)(head >> 32));
    }
    if (--left > 0) grid.meet_own();  // the mail of one part is processed before the mail of the next part
  }
}

// Stores x if the element has the bits of `expected`. Returns the element as it was before.
template <class T>
__device__ T compare_and_swap(T *p, T expected, T x) {
  if constexpr (sizeof(T) == 4) {
    u32 before, after;
    memcpy(&before, &expected, 4);
    memcpy(&after, &x, 4);
    before = atomicCAS((u32 *)p, before, after);
    memcpy(&x, &before, 4);
  } else {
    u64 before, after;
    memcpy(&before, &expected, 8);
    memcpy(&after, &x, 8);
    before = atomicCAS((u64 *)p, before, after);
    memcpy(&x, &before, 8);
  }
  return x;
}

// Sets an element to x if x improves the element: if x is less (LESS), or greater. Returns whether it did. The mail may
// have a vertex several times.
template <bool LESS, class T>
__device__ bool improve(T *p, T x) {
  T before = load_fresh(p);
  while (LESS ? x < before : x > before) {
    const T found = compare_and_swap(p, before, x);
    if (!differ(found, before)) return true;
    before = found;
  }
  return false;
}

// Sends changed mirrors to the parts that have ghosts of them. refresh(mirror, vertex, q, place), where part q has the
// ghost at this place of its list, stores the elements that changed to the memory of part q, in the order of the list.
// It returns a bit for each field that changed. Where this is worth a phase, part q itself then copies the elements to
// its ghosts (settle_ghosts), because stores to scattered places in the memory of another GPU take many times as long.
// `all`: visit all pages, and not only the pages that an advance looked at in this iteration.
template <int FIELDS, class Refresh>
__device__ void refresh_mirrors(const Grid &grid, const Lists &lists, bool all, Refresh refresh) {
  const i64 iteration = grid.word(WORD_ITERATION);
  for (int q = 0; q < PARTS; q++) {
    if (q == grid.across.part) continue;
    const i64 begin = grid.across.number(q, PEER_MIRROR_BEGIN), end = grid.across.number(q, PEER_MIRROR_END);
    const auto is_due = [&](i64 page) { return all || lists.looked_at[page] == (i32)iteration; };
    lists.each(grid, begin, end, q, lists.mirror_pages, is_due, [&](i64 from, i64 to, i64 page) {
      u32 changed = 0;
      for (i64 i = from + lane_id(); i < to; i += WARP) changed |= refresh(i, lists.mirrors[i], q, i - begin);
      for (int field = 0; page >= 0 && field < FIELDS; field++)
        if (__any_sync(ALL, changed >> field & 1) && lane_id() == 0)
          grid.across.at<i32>(q, PEER_REFRESHED)[field * lists.pages + page] = (i32)grid.word(WORD_EPOCH);
    });
  }
}

// Copies the elements of a field that owners sent in the phase before to the ghosts. settle(i, vertex) does this for
// ghost number i of all ghosts.
template <class Settle>
__device__ void settle_ghosts(const Grid &grid, const Lists &lists, int field, Settle settle) {
  const i32 before = (i32)grid.word(WORD_EPOCH) - 1;
  for (int q = 0; q < PARTS; q++) {
    if (q == grid.across.part) continue;
    const i64 begin = grid.across.number(q, PEER_GHOST_BEGIN), end = grid.across.number(q, PEER_GHOST_END);
    const auto is_due = [&](i64 page) { return load_across(lists.refreshed + field * lists.pages + page) == before; };
    lists.each(grid, begin, end, q, lists.ghost_pages, is_due, [&](i64 from, i64 to, i64) {
#pragma unroll 4
      for (i64 i = from + lane_id(); i < to; i += WARP) settle(i, lists.ghosts[i]);
    });
  }
}

// Notes a change if differs(i, vertex) holds for a mirror: the mirror differs from the value that other parts know. If
// there are many mirrors, a change is noted without a look at the mirrors, because the look would take longer than the
// barrier that it may save. The last threads take the first mirrors, because the first threads look at ghosts.
template <class Differs>
__device__ void note_mirrors(const Grid &grid, const Lists &lists, Differs differs) {
  const i64 end = grid.across.number(PARTS - 1, PEER_MIRROR_END), i = grid.threads() - 1 - grid.thread();
  if (end > grid.threads() ? i == 0 : i < end && differs(i, lists.mirrors[i])) grid.note_change();
}

// Some vertices of a list, with their parents and grandparents in a union-find. A thread loads several at once, so that
// it waits only once for all of these loads.
template <class T>
struct Ancestors {
  static constexpr int EACH = 4;
  i32 vertex[EACH];
  T above[EACH], top[EACH];  // below 0 if a vertex is in no set, or if there is no vertex

  // The vertices at places i, i + stride and so on before `end`.
  __device__ __forceinline__ Ancestors(const i32 *vertices, const T *parent, i64 i, i64 end, i64 stride) {
#pragma unroll
    for (int k = 0; k < EACH; k++) vertex[k] = i + k * stride < end ? vertices[i + k * stride] : -1;
#pragma unroll
    for (int k = 0; k < EACH; k++) above[k] = vertex[k] >= 0 ? parent[vertex[k]] : -1;
#pragma unroll
    for (int k = 0; k < EACH; k++) top[k] = above[k] >= 0 ? parent[above[k]] : -1;
  }
};

// Tells other parts the roots of vertices that these parts know too. `vertices` has the vertices of one part after the
// other; the numbers in columns `begins` and `ends` say where. find(i, vertex) stores a root to told[i]. A part is told
// a root only if this part has not told it that root before, and if that part has not told this part the same root
// (`roots`). `column`: where each part stores the roots that it is told.
template <class T, class Find>
__device__ void tell_roots(const Grid &grid, const i32 *vertices, const T *parent, T *told, const T *roots, int begins,
                           int ends, int column, Find find) {
  const i64 stride = grid.threads();
  bool news = false;
  for (int q = 0; q < PARTS; q++) {
    if (q == grid.across.part) continue;
    const i64 begin = grid.across.number(q, begins), end = grid.across.number(q, ends);
    T *there = grid.across.at<T>(q, column);
    for (i64 base = begin + grid.thread(); base < end; base += Ancestors<T>::EACH * stride) {
      const Ancestors<T> some(vertices, parent, base, end, stride);
      T root[Ancestors<T>::EACH];
#pragma unroll
      for (int k = 0; k < Ancestors<T>::EACH; k++) root[k] = some.top[k] != some.above[k] ? parent[some.top[k]] : some.top[k];
#pragma unroll
      for (int k = 0; k < Ancestors<T>::EACH; k++) {
        const i64 i = base + k * stride;
        if (some.above[k] < 0) continue;
        const T before = told[i], heard = load_across(roots + i);
        if (root[k] != some.top[k]) {  // the root is further up
          find(i, some.vertex[k]);
          root[k] = told[i];
        }
        if (root[k] == before || root[k] == heard) continue;
        told[i] = there[i - begin] = root[k];
        news = true;
      }
    }
  }
  if (news) grid.note_change();
}

// Joins vertices with the roots that other parts told; column `ends` says how many vertices there are.
//
// A vertex that is a root here may be hung below any lesser element of the other set. This takes one atomic, and the
// thread goes on to the next vertex without a wait. Most vertices that only the other part has joined to another vertex
// are such roots.
template <class T, class Join>
__device__ void hear_roots(const Grid &grid, const i32 *vertices, T *parent, const T *roots, int ends, Join join) {
  constexpr int EACH = Ancestors<T>::EACH;
  const i64 count = grid.across.number(PARTS - 1, ends), stride = grid.threads();
  for (i64 base = grid.thread(); base < count; base += EACH * stride) {
    const Ancestors<T> some(vertices, parent, base, count, stride);
    T root[EACH], above_root[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) root[k] = some.above[k] >= 0 ? load_across(roots + base + k * stride) : -1;
#pragma unroll
    for (int k = 0; k < EACH; k++) above_root[k] = root[k] >= 0 ? parent[root[k]] : -1;
    bool joins[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
      const T vertex = some.vertex[k];
      // In most cases both are in the largest set, and the roots of this set in the two parts have been joined already.
      joins[k] = root[k] >= 0 && root[k] != some.above[k] && root[k] != some.top[k] && above_root[k] != some.top[k];
      if (joins[k] && some.above[k] == vertex && above_root[k] < vertex)
        joins[k] = compare_and_swap(parent + vertex, vertex, above_root[k]) != vertex;
    }
#pragma unroll
    for (int k = 0; k < EACH; k++)
      if (joins[k]) join(some.vertex[k], root[k]);
  }
}

// Like fold_blocks, but over the blocks of all grids, in the order of parts. `column`: where grids have their partial
// results.
template <class T, class Op>
__device__ void fold_across(const Grid &grid, int column, i64 most_blocks, T *result, Op op, T identity, T before,
                            int blocks, T *also) {
  T total = before;
  for (int q = 0; q < PARTS; q++) {
    const T *partials = grid.partials(grid.across.at<T>(q, column), most_blocks);
    T of_part = identity;
    for (int i = threadIdx.x; i < blocks; i += blockDim.x) of_part = op(of_part, load_across(partials + i));
    total = op(total, block_reduce(of_part, op, identity));
  }
  if (threadIdx.x > 0) return;
  *(volatile T *)result = total;
  if (also) *(volatile T *)also = total;
}

}  // namespace minigr
