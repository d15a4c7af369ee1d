// Hash tables by open addressing (Knuth, The Art of Computer Programming 3, section 6.4), in shared or global memory.
//
// A table is an array that is zero where it is empty. So a word stands for a key, which is never zero; the one key that would
// be has a place of its own behind the others. Places are tried one after the other, which stays in a cache line.
#pragma once
#include "primitives/fold.cuh"

namespace minigr {

template <int SIZE>
struct WordOf;
template <>
struct WordOf<4> {
  typedef u32 Type;
};
template <>
struct WordOf<8> {
  typedef u64 Type;
};

// Of numbers that are compared: an unsigned word in the same order, in which the least number is zero.
template <class T>
struct Ordered {
  typedef typename WordOf<sizeof(T)>::Type Word;
  static constexpr Word SIGN = (Word)1 << (8 * sizeof(T) - 1);
  static constexpr bool REAL = (T)0.5 != (T)0;

  __device__ __forceinline__ static Word word(T x) {
    Word bits;
    memcpy(&bits, &x, sizeof bits);
    return REAL && (bits & SIGN) ? ~bits : bits ^ SIGN;
  }
  __device__ __forceinline__ static T number(Word word) {
    Word bits = REAL && !(word & SIGN) ? ~word : word ^ SIGN;
    T x;
    memcpy(&x, &bits, sizeof x);
    return x;
  }
};

// The keys of a table: `size` places, and the least key's behind them.
template <class K>
struct Keys {
  typedef typename WordOf<sizeof(K)>::Type Word;
  Word *words;
  i64 size;

  // The place of `key`, which is put there if it is new; -1 if `tries` places are others'. Anyone may call it at any time.
  __device__ __forceinline__ i64 claim(K key, i32 tries, bool &is_new) const {
    const Word word = Ordered<K>::word(key), mark = word == 0 ? 1 : word;
    i64 place = word == 0 ? size : (i64)((u64)mixed(word) * (u64)size >> 32);
    is_new = false;
    for (; tries > 0; tries--) {
      const Word there = atomicCAS(words + place, (Word)0, mark);  // to look first would take as long, and twice for a new key
      is_new = there == 0;
      if (is_new || there == mark) return place;
      place = place + 1 < size ? place + 1 : 0;
    }
    return -1;
  }

  // Take the key out of a place, after a barrier; false if there is none.
  __device__ __forceinline__ bool take(i64 place, K &key) const {
    const Word there = words[place];
    if (there == 0) return false;
    words[place] = 0;
    key = Ordered<K>::number(place == size ? 0 : there);
    return true;
  }

 private:
  __device__ __forceinline__ static u32 mixed(u32 x) { return (x ^ x >> 15) * 0x9e3779b1u; }
  __device__ __forceinline__ static u32 mixed(u64 x) { return (u32)((x ^ x >> 32) * 0x9e3779b97f4a7c15ull >> 32); }
};

// A value that many add to: a word that starts as zero.
__device__ __forceinline__ void add_atomically(i64 *p, i64 x) { atomicAdd((u64 *)p, (u64)x); }
template <class T>
__device__ __forceinline__ void add_atomically(T *p, T x) {
  atomicAdd(p, x);
}

template <class Op, class T>
struct Cell;

template <class T>
struct Cell<Add, T> {
  __device__ __forceinline__ static void put(T *p, T x) { add_atomically(p, x); }
  __device__ __forceinline__ static T value(T stored) { return stored; }
};
template <class T>
struct Cell<Or, T> {
  typedef typename WordOf<sizeof(T)>::Type Word;
  __device__ __forceinline__ static void put(T *p, T x) { atomicOr((Word *)p, (Word)x); }
  __device__ __forceinline__ static T value(T stored) { return stored; }
};
// The greatest of words in the order of the numbers, or in the opposite one.
template <class T, bool LEAST>
struct ExtremeCell {
  typedef typename WordOf<sizeof(T)>::Type Word;
  __device__ __forceinline__ static void put(T *p, T x) {
    const Word word = Ordered<T>::word(x);
    atomicMax((Word *)p, LEAST ? ~word : word);
  }
  __device__ __forceinline__ static T value(T stored) {
    Word word;
    memcpy(&word, &stored, sizeof word);
    return Ordered<T>::number(LEAST ? ~word : word);
  }
};
template <class T>
struct Cell<Max, T> : ExtremeCell<T, false> {};
template <class T>
struct Cell<Min, T> : ExtremeCell<T, true> {};

}  // namespace minigr
