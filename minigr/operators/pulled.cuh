// An advance that pulls: vertices search their in-edges for sources that are in the frontier. pull.cuh has the
// schedule.
#pragma once
#include "operators/advance.cuh"
#include "schedules/pull.cuh"

namespace minigr {

// REPEATS: put out a vertex once for each edge, instead of once in total.
template <class Advance, class Rows, bool REPEATS>
struct Pulled {
  static constexpr bool ONCE = Advance::VERTICES && !REPEATS, EACH = Advance::EDGES || (Advance::VERTICES && REPEATS);
  Advance &advance;
  const Rows &in;
  Bitmap frontier;

  __device__ __forceinline__ void begin() { advance.begin(); }
  __device__ __forceinline__ bool target(i32 dst) const {
    return advance.functor.target(dst, advance.iteration);
  }
  __device__ __forceinline__ bool look(i32 src, i32 dst, i64 position, i64 begin) {
    return frontier.has(src) && advance.let(in, src, dst, position, in.id(position, src, dst), position - begin, position, dst);
  }
  __device__ __forceinline__ void put(bool hit, i32 dst, i64 id) { advance.sink.push(hit, Advance::EDGES ? id : dst); }
  __device__ __forceinline__ void count(bool edge) { advance.edges += edge; }
  __device__ __forceinline__ void found(bool hit, i32 dst, const typename Rows::Row &row) {
    if (hit) advance.next.count(row);
    if (ONCE) put(hit, dst, 0);
  }
  __device__ __forceinline__ void end() { advance.end(); }
};

}  // namespace minigr
