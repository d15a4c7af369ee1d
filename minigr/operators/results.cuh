// Where the results of neighbor_reduce go.
#pragma once
#include "jit/grid.cuh"

namespace minigr {

// Where results of type T go: to an array, or for a struct of numbers to an array for each of them.
template <class T, bool = __is_class(T)>
struct Arrays {
  T *array;
  __device__ __forceinline__ void put(i64 place, T x) const { array[place] = x; }
};
template <class T>
struct Arrays<T, true> : T::Arrays {};

// What is done with apply's result: nothing, or a reduction by this thread, later by its block.
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
