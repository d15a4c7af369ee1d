"""The private interfaces of Numba, llvmlite, CuPy, cuda.core, NumPy and Python in use. Any release may change them.

Public interfaces are those that the packages document for users and for writers of extensions: names without a leading
underscore in `numba`, `numba.types`, `numba.extending`, `numba.cuda`, `numba.core.errors` and `numba.core.cgutils`; in
`llvmlite.ir` and `llvmlite.binding`; in `numpy`, `cupy` and `cupyx`; in `cuda.core` and `cuda.bindings`. Objects that
Numba passes to functions registered by `numba.extending` are also public. Everything else is imported, accessed and
named in this module only. A test reads the sources of the package and reports other uses. The packages are imported
only on use.
"""

from __future__ import annotations

import ctypes
import pickle
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

from minigr.jit.native.types import BOOL, Array, Number, Tuple

_NAMES = {
    # Passes in Numba's pipeline replace operations of a functor, and check its content after Numba has found the types.
    # `numba.extending` has no hook there. The developers' manual shows such a pass but promises no stability.
    "Compiler": "numba.core.compiler",
    "DefaultPassBuilder": "numba.core.compiler",
    "FunctionPass": "numba.core.compiler_machinery",
    "LiteralUnroll": "numba.core.untyped_passes",
    "NopythonTypeInference": "numba.core.typed_passes",
    "register_pass": "numba.core.compiler_machinery",
    # These passes use Numba's intermediate code. The message for a functor that writes to a scalar field also reads it,
    # before the types are known. The syntax tree could replace the second use.
    "ir": "numba.core",
    "run_frontend": "numba.core.compiler",
    # Functions in C that Numba calls for some functions of `math`, by name and address. Numba gives LLVM their
    # addresses when it first compiles, but a program that is read from the cache compiles nothing.
    "c_helpers": "numba._helperlib",
    # Registers implementations of operations for numba-cuda only. `numba.extending` registers them for the CPU, too.
    # numba-cuda has the module for writers of extensions, but doesn't document that the last implementation counts.
    "lower_builtin": "numba.cuda.extending",
    # Launches with packed arguments, and the number of blocks that run at once. `cuda.bindings.driver` also has both,
    # but would have to be imported too.
    "driver": "cupy.cuda",
}


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = getattr(import_module(_NAMES[name]), name)
    return globals()[name]


# --- NumPy ------------------------------------------------------------------------------------------------------------

# The places in an array object of the address of its elements and of the address of the lengths of its dimensions.
# Compiled code gets the address of the object and reads both, because ``array.ctypes.data`` takes a microsecond.
# NumPy's headers have this struct only for programs from the time of NumPy 1.6. The documented way is
# ``array.__array_struct__``, a capsule with another struct.
ARRAY_DATA = object.__basicsize__
ARRAY_DIMENSIONS = ARRAY_DATA + 8
ARRAY_LENGTHS = ARRAY_DATA + 16
ARRAY_DTYPE = ARRAY_DATA + 40
ARRAY_FLAGS = ARRAY_DATA + 48
SCALAR_VALUE = object.__basicsize__  # of a NumPy number, and of a Python float

# --- Python -----------------------------------------------------------------------------------------------------------

# The place in an object of the address of its type, and the places in a tuple of its length and its items. Compiled
# code reads the types of a call's arguments there in a tenth of the time that Python takes.
OBJECT_TYPE = object.__basicsize__ - 8
TUPLE_LENGTH = object.__basicsize__
TUPLE_ITEMS = tuple.__basicsize__

# --- Numba's dispatchers ----------------------------------------------------------------------------------------------

# The module and name of the lock that a thread holds while it compiles. A process must not fork while the lock is held.
# The lock has no public name.
COMPILER_LOCK = ("numba.core.compiler_lock", "global_compiler_lock")

# Options of ``njit``. References of arrays need not be counted, because nothing allocates. Wrappers are not needed,
# because only compiled code calls the functions. Without these options the same code would have more code around it.
LEAN: dict[str, Any] = {"_nrt": False, "no_cfunc_wrapper": True, "no_cpython_wrapper": True}


@contextmanager
def wrapping_integers(package: str) -> Iterator[None]:
    """Make Numba, or "numba.cuda", compile sums and products of whole numbers that wrap around, in this ``with``.

    Numba lets LLVM assume that signed numbers don't overflow, so ``x + 1 > x`` is always true. No public option changes
    this. The lock of Numba's compiler keeps other compilations out.
    """
    numbers: Any = import_module(f"{package}.cpython.numbers")
    with getattr(import_module(f"{package}.core.compiler_lock"), COMPILER_LOCK[1]):
        flags = numbers._int_arith_flags
        numbers._int_arith_flags = lambda kind: []
        try:
            yield
        finally:
            numbers._int_arith_flags = flags


def is_dispatcher(value: Any) -> bool:
    """Whether `value` is a function that Numba compiles for a CPU or a GPU.

    `numba.extending.is_jitted` would import Numba, and doesn't recognize functions for GPUs.
    """
    return type(value).__name__.endswith("Dispatcher") and hasattr(value, "py_func")


def is_intrinsic(value: Any) -> bool:
    """Whether `value` was made by `numba.extending.intrinsic`; Numba has no function for this check."""
    return type(value).__name__ == "_Intrinsic"


def asked_of(dispatcher: Any) -> dict[str, Any]:
    """The options of a dispatcher, its types of local variables, and its signatures if it accepts no others.

    The public attributes of a dispatcher give only its signatures.
    """
    asked = {option: value for option, value in dispatcher.targetoptions.items() if value}
    if getattr(dispatcher, "locals", None):
        asked["locals"] = dispatcher.locals
    if not getattr(dispatcher, "_can_compile", True):
        asked["signatures"] = [str(signature) for signature in dispatcher.signatures]
    return asked


def pipeline_of(dispatcher: Any) -> Any:
    """The class of a dispatcher's compiler pipeline. No public attribute has it."""
    return dispatcher._compiler.pipeline_class


def compiled_as(dispatcher: Any, arguments: tuple[Any, ...]) -> tuple[str, Any]:
    """The name of compiled code in the text of ``inspect_llvm``, and the type that the code returns.

    The names of functions made by ``cfunc`` are public, but these functions print their errors and continue.
    """
    overload = dispatcher.overloads[arguments]
    return overload.fndesc.llvm_func_name, overload.signature.return_type


def place_compiled() -> tuple[str, int]:
    """File and line of the statement that Numba compiles now.

    Numba doesn't pass them to the function that writes the code of an access. The lowering of the user's function is a
    few frames up, and its attribute ``loc`` has the place, even in an inlined helper.
    """
    frame = sys._getframe(1)
    while frame.f_back is not None:
        caller: Any = frame.f_locals.get("self")
        if hasattr(caller, "func_ir") and hasattr(caller, "loc"):
            return caller.loc.filename, caller.loc.line
        frame = frame.f_back
    raise AssertionError("Numba's lowering is not among the callers")


# --- Numba's code for the CPU -----------------------------------------------------------------------------------------
# minigr's kernels call functions that Numba compiled, in Numba's own calling convention. ``cfunc`` has a public calling
# convention, but it passes no errors on, and its functions are not inlined.


class NumbaCall(NamedTuple):
    """A call as text: the declaration, whether the function raised, and the places of its error and its result."""

    declaration: str
    raised: str
    error: str
    result: str


def numba_call(code: Any, name: str, returns: Any, arguments: Sequence[tuple[Any, Sequence[str]]]) -> NumbaCall:
    """Call a function that Numba compiled. It takes the places for the result and the error, and then the arguments.

    Parameters
    ----------
    code : minigr.jit.native.code.Code
    name : str
    returns : type
        One of `minigr.jit.native.types`.
    arguments : sequence
        The type and the parts of each argument.
    """
    result, error = code.variable(_stored(returns)), code.variable("ptr")
    given = [("ptr", result), ("ptr", error)]
    for kind, texts in arguments:
        given += _parts(code, kind, texts)
    status = code.new(f"call i32 @{name}({', '.join(map(' '.join, given))})")
    declaration = f"declare i32 @{name}({', '.join(part for part, _ in given)})"
    return NumbaCall(declaration, code.new(f"icmp sgt i32 {status}, 0"), error, result)


def _parts(code: Any, kind: Any, texts: Sequence[str]) -> list[tuple[str, str]]:
    """An argument in the form that Numba's functions take."""
    if isinstance(kind, Array):
        size = str(kind.element.bits // 8)
        words = [("i64", texts[1]), ("i64", size), ("ptr", texts[0]), ("i64", texts[1]), ("i64", size)]
        return [("ptr", "null"), ("ptr", "null"), *words]
    if kind is BOOL:
        return [("i8", code.new(f"zext i1 {texts[0]} to i8"))]
    return list(zip(kind.parts, texts, strict=True))  # for a tuple, the parts of its numbers in order


def _stored(kind: Any) -> str:
    """The type in memory of a result of Numba's functions."""
    if isinstance(kind, Tuple):
        return "{" + ", ".join(map(_stored, kind.items)) + "}"
    return kind.memory if isinstance(kind, Number) else "ptr"


def numba_results(code: Any, kind: Any, place: str) -> list[tuple[Number, str]]:
    """Each number that a function of Numba returned, and its address."""
    if isinstance(kind, Number):
        return [(kind, place)]
    found: list[tuple[Number, str]] = []
    for number, item in enumerate(kind.items if isinstance(kind, Tuple) else ()):
        at = code.new(f"getelementptr {_stored(kind)}, ptr {place}, i32 0, i32 {number}")
        found += numba_results(code, item, at)
    return found


def may_write(text: str, name: str) -> bool:
    """Whether a function of Numba may write, by LLVM's attributes of its memory and of each of its pointers.

    The function writes to the pointers for its result and its error. It may only read from other pointers.
    """
    (head,) = (line for line in text.splitlines() if line.startswith("define ") and f"@{name}(" in line)
    number = re.search(r"\) (?:local_unnamed_addr )?#(\d+)", head)
    attributes = re.search(rf"(?m)^attributes #{number[1]} = .*$", text) if number else None
    if attributes is None or not re.search(r"memory\((none|read|argmem: (read|readwrite))\)", attributes[0]):
        return True
    pointers = re.findall(r"[(,] ?ptr ([^%]*%[\w.]+)", head)  # the attributes and the name of each pointer
    return not all(re.search(r"%(retptr|excinfo)\b|\bread(only|none)\b", each) for each in pointers)


def error_at(address: int) -> BaseException:
    """The exception that compiled code raised, from the address of Numba's description of it."""
    content = ctypes.c_void_p.from_address(address).value
    size = ctypes.c_int32.from_address(address + ctypes.sizeof(ctypes.c_void_p)).value
    kind, arguments, _ = pickle.loads(ctypes.string_at(content or 0, size))
    found: BaseException = kind(*(arguments or ()))
    return found
