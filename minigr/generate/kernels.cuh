// The kernels of the generators: one thread for each edge, vertex or arc. Results equal those of kernels_cpu.py bit for bit.
#include "primitives/random.cuh"

typedef long long i64;

#define FOR_EACH(i, count) \
  for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < count; i += (i64)gridDim.x * blockDim.x)

__device__ inline void rmat_edge(i64 i, int scale, u64 a, u64 ab, u64 abc, u64 key, u64 label_key, int& src, int& dst) {
  const u64 per_edge = (scale + 1) / 2;
  u64 u = 0, v = 0, bits = 0;
  for (int level = 0; level < scale; ++level) {
    if (level % 2 == 0) bits = random_bits(key, i * per_edge + level / 2);  // 32 bits choose a quadrant
    const u64 r = bits & 0xFFFFFFFFull;
    bits >>= 32;
    u = (u << 1) | (r >= ab);
    v = (v << 1) | ((r >= a && r < ab) || r >= abc);
  }
  src = (int)shuffled_label(u, scale, label_key);
  dst = (int)shuffled_label(v, scale, label_key);
}

__device__ inline void uniform_edge(i64 i, u64 n, u64 key, int& src, int& dst) {
  src = (int)(random_bits(key, (u64)i << 1) % n);
  dst = (int)(random_bits(key, (u64)i << 1 | 1) % n);
}

extern "C" __global__ void rmat(i64 count, i64 first, int scale, u64 a, u64 ab, u64 abc, u64 key, u64 label_key, int* src, int* dst) {
  FOR_EACH(i, count) rmat_edge(first + i, scale, a, ab, abc, key, label_key, src[i], dst[i]);
}

extern "C" __global__ void uniform(i64 count, i64 first, u64 n, u64 key, int* src, int* dst) {
  FOR_EACH(i, count) uniform_edge(first + i, n, key, src[i], dst[i]);
}

// The edges of many graphs, one graph after the other: R-MAT if the scale is at least 0, else uniform.
extern "C" __global__ void graphs(i64 count, int graphs, const i64* edge_offsets, const int* scales, const i64* sizes,
                                  const u64* keys, const u64* label_keys, u64 a, u64 ab, u64 abc, int* src, int* dst) {
  FOR_EACH(i, count) {
    int low = 0, high = graphs;  // the graph of edge i is the last one in low .. high - 1 that begins at i or before
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      if (edge_offsets[middle] <= i) low = middle;
      else high = middle;
    }
    const i64 edge = i - edge_offsets[low];
    if (scales[low] >= 0) rmat_edge(edge, scales[low], a, ab, abc, keys[low], label_keys[low], src[i], dst[i]);
    else uniform_edge(edge, sizes[low], keys[low], src[i], dst[i]);
  }
}

// Launched twice: first to count the neighbors of each vertex into offsets[v + 1], then to write them at offsets[v].
extern "C" __global__ void lattice(i64 n, bool counting, i64* offsets, int* indices, i64 width, i64 height, u64 threshold,
                                   u64 right_key, u64 down_key) {
  FOR_EACH(v, n) {
    const i64 x = v % width;
    // the edges to the right and below belong to v, those to the left and above to the neighbor there
    const i64 neighbor[4] = {v - width, v - 1, v + 1, v + width};
    const i64 owner[4] = {v - width, v - 1, v, v};
    const u64 key[4] = {down_key, right_key, right_key, down_key};
    const bool exists[4] = {v >= width, x > 0, x < width - 1, v < (height - 1) * width};
    i64 at = counting ? 0 : offsets[v];
    for (int k = 0; k < 4; ++k) {
      if (!exists[k] || random_bits(key[k], owner[k]) >> 11 >= threshold) continue;
      if (!counting) indices[at] = (int)neighbor[k];
      ++at;
    }
    if (counting) offsets[v + 1] = at;
  }
}

extern "C" __global__ void points(i64 count, u64 x_key, u64 y_key, unsigned* x, unsigned* y) {
  FOR_EACH(i, count) {
    x[i] = (unsigned)(random_bits(x_key, i) >> 33);
    y[i] = (unsigned)(random_bits(y_key, i) >> 33);
  }
}

// Launched twice, like lattice. Cells and their points are numbered row by row, so this order visits sorted neighbors.
extern "C" __global__ void geometric(i64 n, bool counting, i64* offsets, int* indices, const unsigned* x, const unsigned* y,
                                     const i64* cell_starts, i64 grid, u64 reach) {
  FOR_EACH(p, n) {
    const i64 cell_x = (i64)x[p] * grid >> 31, cell_y = (i64)y[p] * grid >> 31;
    i64 at = counting ? 0 : offsets[p];
    for (i64 row = max(cell_y - 1, 0ll); row < min(cell_y + 2, grid); ++row) {
      const i64 first = row * grid + max(cell_x - 1, 0ll), last = row * grid + min(cell_x + 1, grid - 1);
      for (i64 q = cell_starts[first]; q < cell_starts[last + 1]; ++q) {
        const i64 dx = (i64)x[p] - x[q], dy = (i64)y[p] - y[q];
        if (q == p || (u64)(dx * dx) + (u64)(dy * dy) > reach) continue;
        if (!counting) indices[at] = (int)q;
        ++at;
      }
    }
    if (counting) offsets[p + 1] = at;
  }
}

template <typename Weight>
__device__ inline void weigh(i64 count, const int* rows, const int* indices, bool directed, i64 low, u64 span, u64 key,
                             Weight* out) {
  FOR_EACH(e, count) {
    const u64 u = rows[e], v = indices[e];
    const u64 pair = directed || u < v ? u << 32 | v : v << 32 | u;
    out[e] = (Weight)(low + (i64)(random_bits(key, pair) % span));
  }
}

#define WEIGHTS(dtype, Weight)                                                                                           \
  extern "C" __global__ void weights_##dtype(i64 count, const int* rows, const int* indices, bool directed, i64 low,     \
                                             u64 span, u64 key, Weight* out) {                                           \
    weigh(count, rows, indices, directed, low, span, key, out);                                                          \
  }
WEIGHTS(int32, int)
WEIGHTS(int64, i64)
WEIGHTS(float32, float)
WEIGHTS(float64, double)
