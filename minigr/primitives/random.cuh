// Random bits that depend only on a key and a counter. They are the same as in random_cpu.py, on any device and in any
// order.
#pragma once

typedef unsigned long long u64;

// splitmix64: returns the state after `counter` steps from `key`, finalised.
__device__ inline u64 random_bits(u64 key, u64 counter) {
  u64 z = key + counter * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

// A permutation of 0 .. 2^bits - 1. Each step of a round can be undone (odd multiple and sum, xor with a right shift).
__device__ inline u64 shuffled_label(u64 x, int bits, u64 key) {
  const u64 mask = (1ull << bits) - 1;
  const int shift = bits / 2 + 1;
  for (int round = 0; round < 4; ++round) {
    const u64 bitsOfRound = random_bits(key, round);
    x = (x * (bitsOfRound | 1) + (bitsOfRound >> 32)) & mask;
    x ^= x >> shift;
  }
  return x;
}
