// Schedule "block": a warp takes consecutive vertices, and each lane gets a row.
//
// The operator chooses how the edges of these rows are assigned to lanes: by a search over the scanned lengths, or each
// short row to one lane and each longer row to the warp. Hubs are put off.
#pragma once
#include "schedules/tiles.cuh"

namespace minigr {

// If there is work for all warps, each warp comes back at least TURNS times.
template <int TURNS = 1, class Rows, class Vertices, class Hubs, class Work>
__device__ void by_rows(Grid &grid, const Rows &rows, const Vertices &vertices, const Hubs &hubs, Work &work) {
  typedef typename Rows::Row Row;
  const i64 warps = grid.warps();
  // Vertices that a warp takes at a time: few enough that every warp has some.
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
    if (Vertices::EVERY) next = row_at(seg + stride);  // loaded while the current row is read
    if (has) work.meet(vertex, row.edges());
    const bool hub = hubs.holds(row.length());
    hubs.defer(grid, hub, vertex, row.begin(), row.length(), seg);
    work.tiles(WholeRows<Row>{vertex, row, hub ? 0 : (i32)row.length(), base, has && !hub});
  }
  work.end();
}

}  // namespace minigr
