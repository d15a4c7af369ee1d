// The rows of the vertices that an advance puts out. The next step begins with these rows.
#pragma once
#include "graphs/csr.cuh"

namespace minigr {

// COUNTS: sum the edges of the rows.
template <class Rows, bool COUNTS>
struct NextRows {
  typedef typename Rows::Row Row;
  const Rows &rows;
  u64 edges = 0;
  Row last{};  // of the vertex that was put out last

  __device__ __forceinline__ void count(const Row &row) {
    if (COUNTS) edges += row.edges();
  }
  // A loaded row is used one vertex later, so that no lane waits for the load.
  __device__ __forceinline__ void put(i32 vertex) {
    count(last);
    last = rows.row(vertex);
  }
  // Returns the number of edges. In a short step, a lane waits for every load, so the beginning of the last row is
  // fetched meanwhile. OUTWARD: the next step reads these rows.
  template <bool WEIGHT, bool OUTWARD>
  __device__ __forceinline__ u64 end(const Grid &grid) {
    if (OUTWARD && last.length() > 0) grid.look_ahead(last.begin(), last.end());
    rows.template fetch_row<WEIGHT>(last);
    count(last);
    return edges;
  }
};

}  // namespace minigr
