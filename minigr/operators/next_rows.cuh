// The rows of the vertices that an advance puts out: the next step begins with them.
#pragma once
#include "graphs/csr.cuh"

namespace minigr {

// COUNTS: sum their edges.
template <class Rows, bool COUNTS>
struct NextRows {
  typedef typename Rows::Row Row;
  const Rows &rows;
  u64 edges = 0;
  Row last{};  // of the vertex put out last

  __device__ __forceinline__ void count(const Row &row) {
    if (COUNTS) edges += row.edges();
  }
  // The loads are used one vertex later, so that nothing waits for them.
  __device__ __forceinline__ void put(i32 vertex) {
    count(last);
    last = rows.row(vertex);
  }
  // The number of edges. In a short step every load is waited for, so the last row is fetched meanwhile. OUTWARD: the next
  // step goes along these rows.
  template <bool WEIGHT, bool OUTWARD>
  __device__ __forceinline__ u64 end(const Grid &grid) {
    if (OUTWARD && last.length() > 0) grid.look_ahead(last.begin(), last.end());
    rows.template fetch_row<WEIGHT>(last);
    count(last);
    return edges;
  }
};

}  // namespace minigr
