// Schedule "block": a warp takes a run of vertices, a row for each lane.
//
// What deals out the edges of these rows to the lanes is the operator's choice: a search over the scanned lengths, or short
// rows to one lane each and longer ones to the warp. Hubs are put off.
#pragma once
#include "schedules/tiles.cuh"

namespace minigr {

// Where there is work for all warps, each comes back TURNS times at least.
template <int TURNS = 1, class Rows, class Vertices, class Hubs, class Work>
__device__ void by_rows(Grid &grid, const Rows &rows, const Vertices &vertices, const Hubs &hubs, Work &work) {
  typedef typename Rows::Row Row;
  const i64 warps = grid.warps();
  // Vertices for each warp at a time: few enough that every warp has some.
  int per = 1;
  while (per < WARP && vertices.length > warps * per * TURNS) per *= 2;
  const auto row_at = [&](i64 seg) {
    return lane_id() < per && seg < vertices.length ? rows.row(vertices.vertex(seg)) : Row();
  };
  work.begin();
  const i64 stride = warps * per;
  Row next = Vertices::EVERY ? row_at(grid.warp() * per + lane_id()) : Row();
  for (i64 base = grid.warp() * per; base < vertices.length; base += stride) {
    const i64 seg = base + lane_id();
    const bool has = lane_id() < per && seg < vertices.length;
    const i32 vertex = has ? vertices.vertex(seg) : 0;
    const Row row = Vertices::EVERY ? next : has ? rows.row(vertex) : Row();
    if (Vertices::EVERY) next = row_at(seg + stride);  // while this one is walked
    if (has) work.meet(vertex, row.edges());
    const bool hub = hubs.holds(row.length());
    hubs.defer(grid, hub, vertex, row.begin(), row.length(), seg);
    work.tiles(WholeRows<Row>{vertex, row, hub ? 0 : (i32)row.length(), base, has && !hub});
  }
  work.end();
}

}  // namespace minigr
