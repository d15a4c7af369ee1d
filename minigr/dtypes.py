"""The dtypes of elements: what NumPy, CUDA C++ and LLVM call each, and which of them are for what.

Numba calls them as NumPy does.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Number:
    """A dtype. There is one object for each, so they are compared by identity.

    Attributes
    ----------
    name : str
        NumPy's.
    kind : str
        NumPy's, one of ``biuf``.
    bits : int
    c : str
        The type in device code; see ``jit/warp.cuh``.
    register, memory : str
        The types in LLVM's language.
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
"""Of ids, and of bits that atomics and reductions combine."""
REAL = (*WHOLE, "float32", "float64")
"""Of weights, of what is reduced, of what atomics change."""
FIELDS = (*REAL, "bool", "uint8")
"""Of the elements of fields."""


def c_name(dtype: str) -> str:
    """The type in device code of a dtype, by the dtype's name.

    Examples
    --------
    >>> c_name("int64"), c_name("float32")
    ('i64', 'float')
    """
    return NUMBERS[dtype].c
