// Where neighbor_reduce stores its results.
#pragma once
#include "jit/grid.cuh"

namespace minigr {

// Stores results of type T in an array. For a struct of numbers, there is an array for each number.
template <class T, bool = __is_class(T)>
struct Arrays {
  T *array;
  __device__ __forceinline__ void put(i64 place, T x) const { array[place] = x; }
};
template <class T>
struct Arrays<T, true> : T::Arrays {};

// What happens to the return value of `apply`: it is dropped, or this thread reduces it, and later the block does.
struct Discard {
  template <class Functor, class T>
  __device__ __forceinline__ void operator()(const Functor &f, i32 vertex, T x, i64 seg, i32 iteration) const {
    f.apply(vertex, x, seg, iteration);
  }
};

template <class Results>
struct Collect {
  Results *total;
  template <class Functor, class T>
  __device__ __forceinline__ void operator()(const Functor &f, i32 vertex, T x, i64 seg, i32 iteration) const {
    total->add(f.apply(vertex, x, seg, iteration));
  }
};

}  // namespace minigr
