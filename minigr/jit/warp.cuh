// The base of all device code: names of types, lanes of a warp, loads that see the stores of other blocks.
#pragma once

namespace minigr {

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

constexpr int WARP = 32;
constexpr u32 ALL = 0xffffffffu;

__device__ __forceinline__ int lane_id() { return threadIdx.x & (WARP - 1); }
__device__ __forceinline__ u32 lanes_below() { return (1u << lane_id()) - 1; }

// A load that sees the writes of other blocks: it bypasses the L1 cache and is never kept in a register. A struct of numbers is
// loaded number by number. Its T::each makes a struct from the results of a function for each number.
template <class T>
__device__ __forceinline__ T load_fresh(const T *p) {
  if constexpr (__is_class(T)) {
    return T::each(*p, [](const auto &number) { return load_fresh(&number); });
  } else {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a word or two");
    T x;
    if constexpr (sizeof(T) == 4) {
      u32 bits;
      asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(bits) : "l"(p) : "memory");
      memcpy(&x, &bits, 4);
    } else {
      u64 bits;
      asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(bits) : "l"(p) : "memory");
      memcpy(&x, &bits, 8);
    }
    return x;
  }
}

// An addition in shared memory by one lane of a warp. For atomicAdd, the compiler would generate code that first sums over
// lanes.
__device__ __forceinline__ i32 add_shared(i32 *p, i32 n) {
  i32 before;
  asm volatile("atom.shared.add.u32 %0, [%1], %2;"
               : "=r"(before)
               : "r"((u32)__cvta_generic_to_shared(p)), "r"(n)
               : "memory");
  return before;
}

// A load of data that isn't read again and should not replace other data in the L1 cache.
__device__ __forceinline__ int load_once(const int *p) {
  int x;
  asm("ld.global.nc.L1::no_allocate.b32 %0, [%1];" : "=r"(x) : "l"(p));
  return x;
}
__device__ __forceinline__ int4 load_once(const int4 *p) {
  int4 x;
  asm("ld.global.nc.L1::no_allocate.v4.b32 {%0, %1, %2, %3}, [%4];" : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w) : "l"(p));
  return x;
}

// A load of data that is constant while the kernel runs. The compiler has been seen to replace __ldg by a plain load if its
// result is one of two values of a struct.
__device__ __forceinline__ i64 load_constant(const i64 *p) {
  i64 x;
  asm("ld.global.nc.s64 %0, [%1];" : "=l"(x) : "l"(p));
  return x;
}

// Prefetch the cache line of `p` into the L2 cache.
template <class T>
__device__ __forceinline__ void fetch(const T *p) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
}

// Prefetch if all elements of an array are requested. The first element in each sector of the cache is enough.
template <class T>
__device__ __forceinline__ void fetch_in_turn(const T *p) {
  if ((u64)p % 32 == 0) fetch(p);
}

// The value of another lane, in groups of LANES lanes: a number, or a struct of numbers as for load_fresh.
template <class T>
__device__ __forceinline__ T shuffle(T x, int lane) {
  if constexpr (__is_class(T))
    return T::each(x, [&](auto number) { return shuffle(number, lane); });
  else
    return __shfl_sync(ALL, x, lane);
}
template <int LANES = WARP, class T>
__device__ __forceinline__ T shuffle_down(T x, int lanes) {
  if constexpr (__is_class(T))
    return T::each(x, [&](auto number) { return shuffle_down<LANES>(number, lanes); });
  else
    return __shfl_down_sync(ALL, x, lanes, LANES);
}

template <class T>
__device__ __forceinline__ T warp_sum(T x) {
#pragma unroll
  for (int o = WARP / 2; o; o >>= 1) x += __shfl_xor_sync(ALL, x, o);
  return x;
}

__device__ __forceinline__ u32 warp_sum(u32 x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_add_sync(ALL, x);
#else
  return warp_sum<u32>(x);
#endif
}

__device__ __forceinline__ double warp_min(double x) {
#pragma unroll
  for (int o = WARP / 2; o; o >>= 1) {
    double other = __shfl_xor_sync(ALL, x, o);
    if (other < x) x = other;
  }
  return x;
}

}  // namespace minigr
