// Schedules "thread", "tile" and "warp": a group of lanes takes a vertex, without a search. These schedules suit
// degrees that are similar. Hubs are put off.
#pragma once
#include "schedules/tiles.cuh"

namespace minigr {

template <int LANES, class Rows, class Vertices, class Hubs, class Work>
__device__ void by_groups(Grid &grid, const Rows &rows, const Vertices &vertices, const Hubs &hubs, Work &work) {
  typedef typename Rows::Row Row;
  constexpr int PER = WARP / LANES;
  const bool first = lane_id() % LANES == 0;
  work.begin();
  for (i64 base = grid.warp() * PER; base < vertices.length; base += grid.warps() * PER) {
    const i64 seg = base + lane_id() / LANES;
    const bool has = seg < vertices.length;
    const i32 vertex = has ? vertices.vertex(seg) : 0;
    const Row row = has ? rows.row(vertex) : Row();
    if (first && has) work.meet(vertex, row.edges());
    const bool hub = hubs.holds(row.length());
    hubs.defer(grid, first && hub, vertex, row.begin(), row.length(), seg);
    work.template group<LANES>(Tile{vertex, row.begin(), 0, row.begin(), seg}, hub ? 0 : (i32)row.length(),
                               FinishRow<Work>{work, vertex, seg, has && !hub});
  }
  work.end();
}

}  // namespace minigr
