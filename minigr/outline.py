"""Arrays without memory. They have a shape, a dtype and a device, and support the NumPy functions that algorithms use.

A rehearsal (`minigr.rehearsal`) passes outlines instead of arrays to an algorithm. Arrays that the algorithm makes from
outlines are counted as allocated for as long as the algorithm holds them. Outlines of arrays that exist before the call
have values, and so have the results of ufuncs on such outlines. All other outlines have no values. An outline without
values gives the number 0 (1.0 as a float). `any` gives False; `all` and every other truth value are True, so that
checks pass and searches find their targets. A list whose length depends on values has its maximum length.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minigr.device import device_of
from minigr.errors import EstimateError

_PIECE = 1 << 14  # elements that are computed together


class Made:
    """The values that a ufunc makes from other values, computed for a piece of the elements at a time."""

    def __init__(self, ufunc: Any, inputs: tuple[Any, ...]) -> None:
        self._ufunc, self._inputs = ufunc, inputs

    def __getitem__(self, key: slice) -> Any:
        return self._ufunc(*(x[key] if isinstance(x, Made) or np.ndim(x) else x for x in self._inputs))


class Ends:
    """The first and the last of values that are not known."""

    def __init__(self, first: Any, last: Any) -> None:
        self._ends = {0: first, -1: last}

    def __getitem__(self, key: Any) -> Any:
        return self._ends.get(key) if isinstance(key, int) else None


class Outline(np.lib.mixins.NDArrayOperatorsMixin):
    """An array that a rehearsal makes, or a view of one.

    Parameters
    ----------
    device : Rehearsed
        The device of the array, which counts the bytes of the array.
    shape : int or tuple of int
    dtype : dtype
    of : object, optional
        The object that holds the memory of this array; None if the array has its own memory.
    values : array, optional
        The values, if they are known: the values of an array that existed before the call, the result of a ufunc on
        such arrays, or `Ends`.
    locked : bool
        Whether the array is in page-locked memory of the host, where a GPU reads it.
    given_up : bool
        Whether the memory of `of` becomes free when no object of the rehearsal holds this outline any more.

    Attributes
    ----------
    shape : tuple of int
    dtype : numpy.dtype
    device : Rehearsed
    is_locked : bool
    true : int
        For a mask: the number of its true elements, as far as is known.
    longest : int or None
        For offsets: the length of the longest row. For lengths: the greatest length. None if it is not known.
    """

    __slots__ = (
        "__weakref__", "_base", "_home", "_own", "device", "dtype", "is_locked", "longest", "shape", "true", "values",
    )  # fmt: skip

    def __init__(
        self,
        device: Any,
        shape: Any,
        dtype: Any,
        of: Any = None,
        values: Any = None,
        locked: bool = False,
        given_up: bool = False,
    ) -> None:
        self._own, self._home, self.is_locked = 0, device.host if locked else device, locked
        self.device, self.dtype, self._base, self.values = device, np.dtype(dtype), of, values
        self.shape: tuple[int, ...] = tuple(map(int, shape)) if isinstance(shape, tuple) else (int(shape),)
        if of is None and self.shape:
            self._own = self._home.take(self.nbytes)
        elif given_up:
            self._own = self._home.taken_by(self.nbytes)
        self.true, self.longest = self.size, None

    def __del__(self) -> None:
        if self._own:
            self._home.give_back(self._own)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise EstimateError(
            "the call needs the values of an array, but an estimate has none, because it allocates and runs nothing"
        )

    __dlpack__ = get = tolist = __array__

    @property
    def __array_interface__(self) -> Any:
        """The attribute that identifies an array. It does not exist, because an outline has no elements to read."""
        raise AttributeError

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: math.prod(self.shape))
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self.size * self.itemsize)
    T = property(lambda self: self.reshape(self.shape[::-1]))
    flags = property(lambda self: np.empty(0).flags)  # contiguous and writable
    strides = property(lambda self: np.broadcast_to(self._sample(), self.shape).strides)

    @property
    def known(self) -> Any:
        """The values, if all of them are known, not only the ends."""
        return None if isinstance(self.values, Ends) else self.values

    # --- reads of values ---------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        """At most two elements, as in `Device.rounds`."""
        return (self[k] for k in range(min(len(self), 2)))

    def __int__(self) -> int:
        return 0 if self.values is None else int(self.values)

    def __index__(self) -> int:
        return 0

    def __float__(self) -> float:
        return 1.0

    def __bool__(self) -> bool:
        return True

    def any(self) -> bool:
        """False, because code calls `any` mostly to find errors or rare elements."""
        return False

    def all(self) -> bool:
        """True."""
        return True

    def item(self) -> int | float:
        """The single element as a number."""
        return float(self) if self.dtype.kind == "f" else int(self)

    def min(self) -> Outline:
        """The least element."""
        return self._extreme(min, "min")

    def max(self) -> Outline:
        """The greatest element."""
        return self._extreme(max, "max") if self.longest is None else self._number(self.longest)

    def sum(self, dtype: Any = None) -> Outline:
        """The sum, without a value."""
        return self._number(None, dtype)

    argmax = argmin = mean = sum

    def pieces(self) -> Iterator[Any]:
        """The values in pieces, if there are values."""
        for low in range(0, self.size, _PIECE):
            yield self.values[low : min(low + _PIECE, self.size)]

    def _extreme(self, choose: Callable[[Any], Any], name: str) -> Outline:
        known = self.known is not None and self.ndim == 1 and self.size > 0
        return self._number(choose(getattr(piece, name)() for piece in self.pieces()) if known else None)

    def _number(self, value: Any, dtype: Any = None) -> Outline:
        return Outline(self.device, (), self.dtype if dtype is None else dtype, values=value)

    # --- arrays made from an outline ---------------------------------------------------------------------------------

    def like(self, dtype: Any = None, size: Any = None, *, locked: bool = False) -> Outline:
        """A new array of the same shape and dtype, or of another size or dtype."""
        shape, dtype = self.shape if size is None else size, self.dtype if dtype is None else dtype
        return Outline(self.device, shape, dtype, locked=locked)

    def astype(self, dtype: Any, *, copy: bool = True) -> Outline:
        """A copy with another dtype."""
        return self if not copy and self.dtype == dtype else self._copy_on(self.device, dtype)

    def copy(self) -> Outline:
        """A copy."""
        return self._copy_on(self.device, self.dtype)

    def _copy_on(self, device: Any, dtype: Any) -> Outline:
        made = Outline(device, self.shape, dtype, values=self.values)
        made.longest = self.longest
        return made

    def cumsum(self, dtype: Any = None) -> Outline:
        """Cumulative sums. NumPy first converts all elements to the dtype of the sums."""
        _cast = None if self.device.is_cuda or dtype is None else self.astype(dtype, copy=False)
        summed = self.like(dtype)
        if self.known is not None and self.ndim == 1 and self.size:
            summed.values = Ends(self.values[:1], sum(int(piece.sum()) for piece in self.pieces()))
        return summed

    def clip(self, *_: Any) -> Outline:
        """A copy within bounds."""
        return self.like()

    def reshape(self, *shape: Any) -> Outline:
        """A view of another shape."""
        wanted = shape[0] if isinstance(shape[0], tuple) else shape
        known = math.prod(length for length in wanted if length >= 0)
        view = self._view(tuple(self.size // max(known, 1) if length < 0 else length for length in wanted), self.dtype)
        view.values = None if self.known is None or isinstance(self.known, Made) else self.known.reshape(wanted)
        return view

    ravel = property(lambda self: lambda: self.reshape(-1))

    def view(self, dtype: Any) -> Outline:
        """A view of another dtype."""
        return self._view((*self.shape[:-1], self.shape[-1] * self.itemsize // np.dtype(dtype).itemsize), dtype)

    def fill(self, _: Any) -> None:
        """Set its elements."""
        self.values = None

    def __setitem__(self, _: Any, __: Any) -> None:
        """Set elements."""
        self.values = None

    def __getitem__(self, key: Any) -> Outline:
        if isinstance(key, Outline) and key.dtype == np.bool_:
            return self._taken(key)
        if isinstance(key, Outline | np.ndarray) and key.shape:
            return self.like(size=(*key.shape, *self.shape[1:]))
        key = 0 if isinstance(key, Outline) else key
        shape = np.broadcast_to(self._sample(), self.shape)[key].shape
        values = None if self.values is None or isinstance(self.values, Made) else self.values[key]
        found = Outline(self.device, shape, self.dtype, of=self, values=values, locked=self.is_locked)
        found.longest = self.longest if shape else None
        return found

    def take(self, places: Any) -> Outline:
        """The elements at the positions `places`."""
        return self[places]

    def moved_to(self, device: Any) -> Outline:
        """This array on another device: a copy, unless the array is already there."""
        where = self.device.beside(device)
        if where == self.device:
            return self
        if self.is_locked and not where.is_cuda:
            return self.as_locked_for(where)
        size = self.nbytes if where.is_cuda and not self.is_locked else 0
        staged = Outline(self.device, size, np.uint8)  # CuPy's page-locked buffer
        moved = self._copy_on(where, self.dtype)
        del staged
        return moved

    def locked_for(self, device: Any) -> Outline:
        """This array in page-locked memory of the host, as a GPU sees it: a copy, unless the array is already there."""
        held = self if self.is_locked else Outline(device.host, self.shape, self.dtype, values=self.values, locked=True)
        return held.as_locked_for(device)

    def as_locked_for(self, device: Any) -> Outline:
        """This array of the host as a device sees it, as if the array had been page-locked from the start."""
        return Outline(device, self.shape, self.dtype, of=self, values=self.values, locked=True)

    def _taken(self, mask: Outline) -> Outline:
        """The elements for which a mask is true. CuPy scans the mask."""
        scanned = mask.like(np.int32 if mask.size < 2**31 else np.int64, mask.size if self.device.is_cuda else 0)
        taken = self.like(size=(mask.true, *self.shape[1:]))
        del scanned
        return taken

    def _view(self, shape: tuple[int, ...], dtype: Any) -> Outline:
        return Outline(self.device, shape, dtype, of=self, locked=self.is_locked)

    def _sample(self) -> Any:
        """One element, which is not counted as allocated."""
        return np.ones((), self.dtype)

    # --- NumPy's functions -------------------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        if method != "__call__":
            raise EstimateError(f"there is no estimate of {ufunc.__name__}.{method}")
        with np.errstate(all="ignore"):
            samples = ufunc(*(x._sample() if isinstance(x, Outline) else x for x in inputs), **options)
        if out is not None:
            for each in out:
                each.values = None
            return out[0] if len(out) == 1 else out
        shape = np.broadcast_shapes(*(np.shape(x) if not isinstance(x, Outline) else x.shape for x in inputs))
        if isinstance(samples, tuple):
            return tuple(Outline(self.device, shape, sample.dtype) for sample in samples)
        given = tuple(x.known if isinstance(x, Outline) else x for x in inputs)
        alike = all(x is not None and np.shape(y) in ((), shape) for x, y in zip(given, inputs, strict=True))
        made = Outline(self.device, shape, samples.dtype, values=Made(ufunc, given) if alike and not options else None)
        if ufunc is np.subtract and isinstance(inputs[0], Outline):
            made.longest = inputs[0].longest
        return made

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        found = _FUNCTIONS.get(function)
        if found is None:
            raise EstimateError(f"there is no estimate of numpy.{function.__name__}")
        return found(*arguments, **options)


def _sorted_by_gpu(array: Outline, *carried: Any) -> None:
    """Count the memory of Thrust's sort of a copy of an array: another copy of the array, and of each carried array."""
    if array.device.is_cuda:
        room = [array.like(dtype) for dtype in (array.dtype, *carried)]
        del room


def _argsort(array: Outline, kind: Any = None) -> Outline:
    ids, keys = array.like(np.int64), array.like(size=len(array) if array.device.is_cuda else 0)
    _sorted_by_gpu(array, np.int64)
    del keys
    return ids


def _sort(array: Outline) -> Outline:
    found = array.copy()
    _sorted_by_gpu(array)
    return found


def _bincount(array: Outline, minlength: int = 0) -> Outline:
    looked_at = array.like(np.bool_) if array.device.is_cuda else array.astype(np.int64, copy=False)
    found = array.like(np.int64, minlength)
    del looked_at
    return found


def _flatnonzero(mask: Outline) -> Outline:
    return Outline(mask.device, (mask.size,), np.int64, of=mask)._taken(mask)


def _concatenate(arrays: Any) -> Outline:
    dtype = np.result_type(*(array.dtype for array in arrays))
    return next(a for a in arrays if isinstance(a, Outline)).like(dtype, sum(map(len, arrays)))


def _stack(arrays: Any, axis: int = 0) -> Outline:
    together = _concatenate(arrays)
    return together.reshape(len(arrays[0]), len(arrays)) if axis else together.reshape(len(arrays), len(arrays[0]))


def _unique(array: Outline, return_inverse: bool = False) -> Any:
    order = _argsort(array) if return_inverse else None
    in_order, differs = _sort(array), array.like(np.bool_)
    known = None if isinstance(array.known, Made) else array.known
    values = None if known is None else device_of(known).xp.unique(known)
    found = Outline(array.device, array.shape if values is None else len(values), array.dtype, values=values)
    if not return_inverse:
        return found
    summed = array.like(np.int64)
    numbers = array.like(np.int64)  # minus one
    del summed
    inverse = array.like(np.int64)
    del order, in_order, differs, numbers
    return found, inverse


def _where(condition: Outline, one: Any, other: Any) -> Outline:
    dtype = np.where(True, *(x._sample() if isinstance(x, Outline) else x for x in (one, other))).dtype
    return condition.like(dtype, np.broadcast_shapes(condition.shape, *(getattr(x, "shape", ()) for x in (one, other))))


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.argsort: _argsort,
    np.bincount: _bincount,
    np.concatenate: _concatenate,
    np.cumsum: lambda array, dtype=None, out=None: array.cumsum(dtype) if out is None else out,
    np.diff: lambda array: array.like(size=max(array.size - 1, 0)),
    np.empty_like: Outline.like,
    np.flatnonzero: _flatnonzero,
    np.ndim: lambda array: array.ndim,
    np.ones_like: Outline.like,
    np.packbits: lambda array, **_: array.like(np.uint8, -(-array.size // 8)),
    np.roll: lambda array, _: array.like(),
    np.searchsorted: lambda array, values, **_: values.like(np.int64),
    np.shape: lambda array: array.shape,
    np.sort: _sort,
    np.stack: _stack,
    np.unique: _unique,
    np.where: _where,
    np.zeros_like: Outline.like,
}
