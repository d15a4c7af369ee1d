// Hash tables by open addressing (Knuth, The Art of Computer Programming 3, section 6.4), in shared or global memory.
//
// An empty table is an array of zeros. So each key is stored as a word that is never zero. The one key whose word would
// be zero has a place of its own, behind the others. In shared memory, a key tries one place after the other. In global
// memory, a key looks at all places of a bucket at once, because runs of taken places grow long where a table is nearly
// full, and each place tried would be one more wait.
#pragma once
#include "primitives/collectives.cuh"

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

// Maps numbers to unsigned words in the same order. The least number becomes zero.
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

// The keys of a table: `size` places, and behind them a place for the least key.
template <class K>
struct Keys {
  typedef typename WordOf<sizeof(K)>::Type Word;
  static constexpr int BUCKET = 32 / sizeof(Word);
  Word *words;
  i64 size;

  // Returns the place of `key`, and puts the key there if it is new. Returns -1 if `tries` places hold other keys. Any
  // thread may call this at any time.
  __device__ __forceinline__ i64 claim(K key, i32 tries, bool &is_new) const {
    const Word word = Ordered<K>::word(key), mark = word == 0 ? 1 : word;
    i64 place = word == 0 ? size : (i64)((u64)mixed(word) * (u64)size >> 32);
    is_new = false;
    for (; tries > 0; tries--) {
      // a load first would take as long, and twice as long for a new key
      const Word there = atomicCAS(words + place, (Word)0, mark);
      is_new = there == 0;
      if (is_new || there == mark) return place;
      place = place + 1 < size ? place + 1 : 0;
    }
    return -1;
  }

  // Like `claim`, for a table in global memory. The table consists of whole buckets, which begin at multiples of 32
  // bytes. A key is in the first bucket, from its own bucket on, that had an empty place when the key came. So the
  // search for a key ends at a bucket with an empty place.
  __device__ __forceinline__ i64 claim_in_buckets(K key) const {
    const Word word = Ordered<K>::word(key);
    if (word == 0) {
      *(volatile Word *)(words + size) = 1;
      return size;
    }
    const i64 buckets = size / BUCKET;
    i64 bucket = (i64)((u64)mixed(word) * (u64)buckets >> 32);
    for (;;) {
      const i64 first = bucket * BUCKET;
      const uint4 halves[2] = {__ldcg((const uint4 *)(words + first)), __ldcg((const uint4 *)(words + first) + 1)};
      Word there[BUCKET];
      memcpy(there, halves, sizeof there);
      int found = -1, empty = -1;
#pragma unroll
      for (int j = BUCKET - 1; j >= 0; j--) {
        if (there[j] == word) found = j;
        if (there[j] == 0) empty = j;
      }
      if (found >= 0) return first + found;
      if (empty >= 0) {
        const Word was = atomicCAS(words + first + empty, (Word)0, word);
        if (was == 0 || was == word) return first + empty;
      } else {
        bucket = bucket + 1 < buckets ? bucket + 1 : 0;
      }
    }
  }

  // Returns the key that is stored as `word` at a place.
  __device__ __forceinline__ K key(i64 place, Word word) const { return Ordered<K>::number(place == size ? 0 : word); }

  // Takes the key out of a place, after a barrier. Returns false if the place has no key.
  __device__ __forceinline__ bool take(i64 place, K &key) const {
    const Word there = words[place];
    if (there == 0) return false;
    words[place] = 0;
    key = this->key(place, there);
    return true;
  }

 private:
  __device__ __forceinline__ static u32 mixed(u32 x) { return (x ^ x >> 15) * 0x9e3779b1u; }
  __device__ __forceinline__ static u32 mixed(u64 x) { return (u32)((x ^ x >> 32) * 0x9e3779b97f4a7c15ull >> 32); }
};

// Adds to a value that many threads add to. The value starts as a word of zero.
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
// Keeps the greatest of words, in the order of the numbers or, for LEAST, in the opposite order.
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

// Memory for the keys and the values of a table: `size` + 1 places.
template <class K, class T>
struct TableMemory {
  u64 *memory;
  i64 size;

  // The array with the wider elements comes first, so that both arrays are aligned.
  static constexpr bool KEYS_FIRST = sizeof(K) >= sizeof(T);
  __device__ __forceinline__ Keys<K> keys() const {
    return {(typename Keys<K>::Word *)(KEYS_FIRST ? (T *)memory : (T *)memory + size + 1), size};
  }
  __device__ __forceinline__ T *values() const { return (T *)(KEYS_FIRST ? (K *)memory + size + 1 : (K *)memory); }
};

// A table in global memory (`BUCKETS`) or in the shared memory of a block. Any thread may put values into the table at
// any time. After a barrier, the values are taken out.
template <class Op, class K, class T, bool BUCKETS>
struct Table {
  Keys<K> keys;
  T *values;

  // All threads of a block call this together, each with its number and the number of threads.
  __device__ __forceinline__ void clear(i64 thread, i64 threads) const {
    for (i64 place = thread; place <= keys.size; place += threads) keys.words[place] = 0, values[place] = 0;
  }

  // The same memory as a table for at most `most` keys. Fewer places take less time to go through, and with half of
  // them empty, an empty place is found soon.
  __device__ __forceinline__ Table of(i64 most) const { return {{keys.words, min(keys.size, 2 * most)}, values}; }

  __device__ __forceinline__ void put(K key, T x) const {
    bool is_new;
    Cell<Op, T>::put(values + (BUCKETS ? keys.claim_in_buckets(key) : keys.claim(key, 1 << 30, is_new)), x);
  }

  // All lanes of a warp call this together. Calls visit(there, key, value) for each place in a part of the table, and
  // leaves this part empty. A lane loads AT_ONCE places at once. All loads come before the first store, because a load
  // after a store to the next place was seen to wait very long. If a place is empty, `there` is false, and the key and
  // the value are copies from another place. So a visit that only reads need not wait until `there` is known.
  template <int AT_ONCE, class Visit>
  __device__ __forceinline__ void take(i64 part, i64 parts, Visit visit) const {
    const i64 end = (keys.size + 1) * (part + 1) / parts;
    for (i64 first = (keys.size + 1) * part / parts + lane_id(); first < end; first += AT_ONCE * WARP) {
      typename Keys<K>::Word words[AT_ONCE];
      T values[AT_ONCE];
      int some = -1;
#pragma unroll
      for (int j = 0; j < AT_ONCE; j++) values[j] = first + j * WARP < end ? this->values[first + j * WARP] : 0;
#pragma unroll
      for (int j = 0; j < AT_ONCE; j++) words[j] = first + j * WARP < end ? keys.words[first + j * WARP] : 0;
#pragma unroll
      for (int j = 0; j < AT_ONCE; j++) {
        if (words[j] == 0) continue;
        const i64 place = first + j * WARP;
        keys.words[place] = 0, this->values[place] = 0;
        some = j;
      }
      if (some < 0) continue;
      K other = 0;
      T x = 0;
#pragma unroll
      for (int j = 0; j < AT_ONCE; j++)
        if (j == some) other = keys.key(first + j * WARP, words[j]), x = values[j];
#pragma unroll
      for (int j = 0; j < AT_ONCE; j++) {
        const bool there = words[j] != 0;
        visit(there, there ? keys.key(first + j * WARP, words[j]) : other, Cell<Op, T>::value(there ? values[j] : x));
      }
    }
  }
};

// A table of one warp in shared memory. All lanes call its functions together.
template <class Op, class K, class T, int PLACES>
struct WarpTable {
  u64 *memory;  // PLACES + 1 keys and values
  i32 size = PLACES;  // number of places that are in use

  // The same memory as a table for at most `most` keys; see `Table`.
  __device__ __forceinline__ WarpTable of(i32 most) const { return {memory, min(PLACES, 2 * most)}; }

  __device__ __forceinline__ void clear() const {
    for (int place = lane_id(); place <= PLACES; place += WARP) keys().words[place] = 0;
    __syncwarp();
  }

  // The lanes with `has` put a value into the table; no two of them have the same key. Returns false if `tries` places
  // hold other keys.
  __device__ __forceinline__ bool put(bool has, K key, T x, i32 tries) const {
    bool is_new;
    const i64 place = has ? keys().claim(key, tries, is_new) : -1;
    if (place >= 0) values()[place] = is_new ? x : Op()(values()[place], x);
    __syncwarp();
    return place >= 0;
  }

  // Calls visit(key, value) for all keys, and leaves the table empty.
  template <class Visit>
  __device__ __forceinline__ void take(Visit visit) const {
    for (int place = lane_id(); place <= size; place += WARP) {
      K key;
      if (keys().take(place, key)) visit(key, values()[place]);
    }
    __syncwarp();
  }

 private:
  __device__ __forceinline__ Keys<K> keys() const { return {TableMemory<K, T>{memory, PLACES}.keys().words, size}; }
  __device__ __forceinline__ T *values() const { return TableMemory<K, T>{memory, PLACES}.values(); }
};

// All lanes of a warp call this together. Among the lanes that have a value and are in `lanes`, those with the same key
// reduce their values in the order of lanes. Returns true for the first of these lanes, which gets the result.
template <class Op, class K, class T>
__device__ __forceinline__ bool warp_reduce_by_key(bool has, K key, T &x, u32 lanes = ALL) {
  const u32 there = __ballot_sync(ALL, has);
  if (there == 0) return false;
  const u32 same = has ? __match_any_sync(there, Ordered<K>::word(key)) & lanes : 0;
  // `left`: the later lanes with the same key that are still in the reduction. In each turn, a lane adds the value of
  // the next of them, and every second lane drops out (Adinets, Voting and Shuffling to Optimize Atomic Operations,
  // 2014).
  u32 rank = __popc(same & lanes_below()), left = same & ~lanes_below() & ~(1u << lane_id());
  while (__any_sync(ALL, left)) {
    const int next = __ffs(left) - 1;
    const T y = __shfl_sync(ALL, x, next & (WARP - 1));
    if (next >= 0) x = Op()(x, y);
    left &= ~__ballot_sync(ALL, rank & 1);
    rank >>= 1;
  }
  return has && (same & lanes_below()) == 0;
}

}  // namespace minigr
