// lbs, the load-balanced search: finds for each work item its segment and its rank in the segment. All threads of the
// grid call it together.
#pragma once
#include "primitives/merge_path.cuh"

namespace minigr {

// Calls visit(idx, seg, rank) for each item of the segments.
template <int THREADS, int ITEMS, class O, class Visit>
__device__ void lbs(i64 segments, const O *offsets, Visit visit) {
  for_merge_tiles<THREADS, ITEMS>(segments, offsets, [&](const MergeTile<THREADS, ITEMS> &tile) {
    for (int k = threadIdx.x; k < tile.items; k += THREADS) visit(tile.item + k, tile.seg(k), tile.rank(k));
  });
}

}  // namespace minigr
