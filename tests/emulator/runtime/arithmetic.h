// PTX arithmetic that differs from that of C.
#pragma once
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef float f32;
typedef double f64;
typedef unsigned __int128 u128;
typedef __int128 s128;

#define CAST(name, to, from) static inline to name(from x) { to y; memcpy(&y, &x, sizeof y); return y; }
CAST(bits_f32, u32, f32)
CAST(bits_f64, u64, f64)
CAST(f32_bits, f32, u32)
CAST(f64_bits, f64, u64)

static inline u64 shl_(u64 x, u32 n, u32 width) { return n >= width ? 0 : x << n; }
static inline u64 shr_u(u64 x, u32 n, u32 width) { return n >= width ? 0 : x >> n; }
static inline s64 shr_s(s64 x, u32 n, u32 width) { return x >> (n >= width ? width - 1 : n); }
static inline u32 brev32(u32 x) {
  u32 y = 0;
  for (int i = 0; i < 32; i++) y |= (x >> i & 1) << (31 - i);
  return y;
}
static inline u64 brev64(u64 x) { return (u64)brev32((u32)x) << 32 | brev32((u32)(x >> 32)); }
static inline u32 clz32(u32 x) { return x ? (u32)__builtin_clz(x) : 32; }
static inline u32 clz64(u64 x) { return x ? (u32)__builtin_clzll(x) : 64; }
static inline u32 bfind_u(u64 x) { return x ? 63 - (u32)__builtin_clzll(x) : ~0u; }
static inline u64 bfi_(u64 from, u64 into, u32 position, u32 length, u32 width) {
  position &= 255, length &= 255;
  for (u32 i = 0; i < length && position + i < width; i++)
    into = (into & ~(1ull << (position + i))) | (from >> i & 1) << (position + i);
  return into;
}
static inline u64 bfe_u(u64 x, u32 position, u32 length, u32 width) {
  position &= 255, length &= 255;
  u64 y = 0;
  for (u32 i = 0; i < length && position + i < width && i < width; i++) y |= (x >> (position + i) & 1) << i;
  return y;
}
static inline s64 bfe_s(u64 x, u32 position, u32 length, u32 width) {
  position &= 255, length &= 255;
  if (!length) return 0;
  u32 last = position + length - 1 < width - 1 ? position + length - 1 : width - 1;
  u64 sign = x >> last & 1, y = sign ? ~0ull : 0;
  for (u32 i = 0; i < length && position + i < width; i++) y = (y & ~(1ull << i)) | (x >> (position + i) & 1) << i;
  return (s64)y;
}
static inline u32 prmt_(u32 a, u32 b, u32 selector) {
  u64 both = (u64)b << 32 | a;
  u32 y = 0;
  for (int i = 0; i < 4; i++) {
    u32 s = selector >> 4 * i & 15;
    u32 byte = (u32)(both >> 8 * (s & 7)) & 255;
    if (s & 8) byte = byte & 128 ? 255 : 0;
    y |= byte << 8 * i;
  }
  return y;
}
static inline u32 lop3_(u32 a, u32 b, u32 c, u32 table) {
  u32 y = 0;
  for (int i = 0; i < 8; i++)
    if (table >> i & 1) y |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return y;
}
static inline u32 shf_l(u32 a, u32 b, u32 n) { return (u32)((((u64)b << 32 | a) << n) >> 32); }
static inline u32 shf_r(u32 a, u32 b, u32 n) { return (u32)(((u64)b << 32 | a) >> n); }

#define EXTREMES(T, min_, max_) \
  static inline T min_(T a, T b) { return a != a ? b : b != b ? a : a < b || (a == b && signbit(a)) ? a : b; } \
  static inline T max_(T a, T b) { return a != a ? b : b != b ? a : a > b || (a == b && signbit(b)) ? a : b; }
EXTREMES(f32, min_f32, max_f32)
EXTREMES(f64, min_f64, max_f64)
// Convert a float to an integer of type T; use the nearest value if the float is out of range.
#define WHOLE(T, least, most, of_nan) \
  static inline T to_##T(f64 x) { \
    return x != x ? (T)(of_nan) : x <= (f64)(least) ? (T)(least) : x >= (f64)(most) ? (T)(most) : (T)x; \
  }
WHOLE(s8, INT8_MIN, INT8_MAX, 0)
WHOLE(s16, INT16_MIN, INT16_MAX, 0)
WHOLE(s32, INT32_MIN, INT32_MAX, 0)
WHOLE(s64, INT64_MIN, INT64_MAX, INT64_MIN)
WHOLE(u8, 0, UINT8_MAX, 0)
WHOLE(u16, 0, UINT16_MAX, 0)
WHOLE(u32, 0, UINT32_MAX, 0)
WHOLE(u64, 0, UINT64_MAX, INT64_MIN)

// Round a number toward zero, down or up when it is converted from a wider type.
static inline f32 f32_down(f64 x) { f32 y = (f32)x; return y > x ? nextafterf(y, -INFINITY) : y; }
static inline f32 f32_up(f64 x) { f32 y = (f32)x; return y < x ? nextafterf(y, INFINITY) : y; }
static inline f32 f32_zero(f64 x) { return x < 0 ? f32_up(x) : f32_down(x); }
