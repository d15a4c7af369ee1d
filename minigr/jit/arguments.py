"""What the functions of functors are given for their parameters, told alike to the compilers of both targets."""

from __future__ import annotations

from typing import Any, NamedTuple


class Argument(NamedTuple):
    """What a function is given for one of its parameters.

    Attributes
    ----------
    dtype : str or tuple of str
        The dtype of a number, or of the elements of an array, by its name; or those of a tuple of numbers.
    is_array : bool
        Whether it is an array.
    columns : int
        How many elements a row of the array has, which is indexed by two numbers then; 0 where one number is enough.
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
        """What stands for it where the numbers of a tuple are given one by one."""
        return [Argument(each) for each in self.dtype] if isinstance(self.dtype, tuple) else [self]
