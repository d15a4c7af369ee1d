"""Descriptions of the arguments of functors' functions, the same for the compilers of both targets."""

from __future__ import annotations

from typing import Any, NamedTuple


class Argument(NamedTuple):
    """The argument of a function for one of its parameters.

    Attributes
    ----------
    dtype : str or tuple of str
        The name of the dtype of a number or of the elements of an array; for a tuple of numbers, the names of their
        dtypes.
    is_array : bool
        Whether the argument is an array.
    columns : int
        The number of elements in a row of the array, which then has two indexes; 0 for an array with one index.
    is_checked : bool
        Whether the indexes of the array are checked, as in debug mode; see `minigr.jit.index_checks`.
    writable : bool
        Whether the function may write to the array.
    """

    dtype: Any
    is_array: bool = False
    columns: int = 0
    is_checked: bool = False
    writable: bool = True

    def numbers(self) -> list[Argument]:
        """The arguments that stand for this argument if the numbers of a tuple are passed one by one."""
        return [Argument(each) for each in self.dtype] if isinstance(self.dtype, tuple) else [self]
