"""The dtypes of elements: their names in NumPy, CUDA C++ and LLVM, and the uses of each dtype.

Numba uses NumPy's names.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Number:
    """A dtype. There is one object per dtype, so dtypes are compared by identity.

    Attributes
    ----------
    name : str
        The name in NumPy.
    kind : str
        The kind in NumPy, one of ``biuf``.
    bits : int
    c : str
        The type in device code; see ``jit/warp.cuh``.
    register, memory : str
        The types in LLVM's language, in a register and in memory.
    """

    name: str
    kind: str
    bits: int
    c: str
    register: str
    memory: str

    def __str__(self) -> str:
        return self.name

    @property
    def is_whole(self) -> bool:
        return self.kind in "iu"

    @property
    def parts(self) -> tuple[str, ...]:
        return (self.register,)


NUMBERS = {
    number.name: number
    for number in (
        Number("bool", "b", 8, "bool", "i1", "i8"),
        *(Number(f"int{bits}", "i", bits, f"i{bits}", f"i{bits}", f"i{bits}") for bits in (8, 16, 32, 64)),
        *(Number(f"uint{bits}", "u", bits, f"u{bits}", f"i{bits}", f"i{bits}") for bits in (8, 16, 32, 64)),
        Number("float32", "f", 32, "float", "float", "float"),
        Number("float64", "f", 64, "double", "double", "double"),
    )
}
"""All dtypes that device code computes with, by name."""

WHOLE = ("int32", "int64")
"""The dtypes of ids, and of bits that atomics and reductions combine."""
REAL = (*WHOLE, "float32", "float64")
"""The dtypes of weights, of reduced values, and of elements that atomics change."""
FIELDS = (*REAL, "bool", "uint8")
"""The dtypes of the elements of fields."""


def c_name(dtype: str) -> str:
    """The name in device code of a dtype, from the name of the dtype.

    Examples
    --------
    >>> c_name("int64"), c_name("float32")
    ('i64', 'float')
    """
    return NUMBERS[dtype].c
