"""What is private in Numba, llvmlite, CuPy, cuda.core, NumPy and Python, and used: no release has to keep it.

Public is what their documentation has for users and for writers of extensions: names without a leading underscore in
`numba`, `numba.types`, `numba.extending`, `numba.cuda`, `numba.core.errors` and `numba.core.cgutils`; in `llvmlite.ir`
and `llvmlite.binding`; in `numpy`, `cupy` and `cupyx`; in `cuda.core` and `cuda.bindings`. So are the objects that
Numba hands to functions registered by `numba.extending`. Anything else is imported, accessed and spelled out here only:
a test reads the package's sources and says where it is not. Nothing of these packages is imported before it is used.
"""

from __future__ import annotations

import ctypes
import pickle
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

from minigr.jit.native.types import BOOL, Array, Number, Tuple

_NAMES = {
    # What a functor may contain is decided after Numba has typed it, by a pass in its pipeline. `numba.extending` has
    # no hook there, and the developers' manual, which shows such a pass, promises nothing.
    "Compiler": "numba.core.compiler",
    "DefaultPassBuilder": "numba.core.compiler",
    "FunctionPass": "numba.core.compiler_machinery",
    "NopythonTypeInference": "numba.core.typed_passes",
    "register_pass": "numba.core.compiler_machinery",
    # Such a pass reads Numba's intermediate code. So does the message for a functor that writes to a scalar field,
    # before types are known. The syntax tree could replace the second use.
    "ir": "numba.core",
    "run_frontend": "numba.core.compiler",
    # Functions in C that Numba calls for some of those in `math`, by name and address. Numba tells LLVM of them when it
    # first compiles, and a program that is read from the cache compiles nothing.
    "c_helpers": "numba._helperlib",
    # Launches with packed arguments, and how many blocks run at once: `cuda.bindings.driver` has both, and would have
    # to be imported too.
    "driver": "cupy.cuda",
}


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = getattr(import_module(_NAMES[name]), name)
    return globals()[name]


# --- NumPy ------------------------------------------------------------------------------------------------------------

# Where an array's object has the address of its elements, and that of the lengths of its dimensions. Compiled code gets
# the object's address and reads them: ``array.ctypes.data`` takes a microsecond. NumPy's headers have this struct for
# programs of NumPy 1.6's time only. Documented is ``array.__array_struct__``, a capsule with another struct in it.
ARRAY_DATA = object.__basicsize__
ARRAY_DIMENSIONS = ARRAY_DATA + 8
ARRAY_LENGTHS = ARRAY_DATA + 16
ARRAY_DTYPE = ARRAY_DATA + 40
ARRAY_FLAGS = ARRAY_DATA + 48
SCALAR_VALUE = object.__basicsize__  # of a number of NumPy's, and of a float of Python's

# --- Python -----------------------------------------------------------------------------------------------------------

# Where an object has the address of its type, and a tuple its length and its items: what the types of a call's
# arguments are told by, which takes a tenth of the call's time in Python.
OBJECT_TYPE = object.__basicsize__ - 8
TUPLE_LENGTH = object.__basicsize__
TUPLE_ITEMS = tuple.__basicsize__

# --- Numba's dispatchers ----------------------------------------------------------------------------------------------

# The lock that a thread holds while it compiles, by module and name: a process must not fork meanwhile. There is no
# public name for it.
COMPILER_LOCK = ("numba.core.compiler_lock", "global_compiler_lock")

# Options of ``njit``: nothing allocates, so references of arrays need not be counted; and only compiled code calls what
# is compiled. Without these options the same code would come with more around it.
LEAN: dict[str, Any] = {"_nrt": False, "no_cfunc_wrapper": True, "no_cpython_wrapper": True}


def is_dispatcher(value: Any) -> bool:
    """Whether it is a function that Numba compiles, for a CPU or a GPU.

    `numba.extending.is_jitted` would import Numba, and doesn't know those for GPUs.
    """
    return type(value).__name__.endswith("Dispatcher") and hasattr(value, "py_func")


def is_intrinsic(value: Any) -> bool:
    """Whether it was made by `numba.extending.intrinsic`; Numba has no function that tells."""
    return type(value).__name__ == "_Intrinsic"


def asked_of(dispatcher: Any) -> dict[str, Any]:
    """The options of a dispatcher, its types of local variables, and its signatures if it takes no others.

    The public attributes of a dispatcher tell its signatures, and no more.
    """
    asked = {option: value for option, value in dispatcher.targetoptions.items() if value}
    if getattr(dispatcher, "locals", None):
        asked["locals"] = dispatcher.locals
    if not getattr(dispatcher, "_can_compile", True):
        asked["signatures"] = [str(signature) for signature in dispatcher.signatures]
    return asked


def pipeline_of(dispatcher: Any) -> Any:
    """The class of the pipeline that a dispatcher compiles by, which no public attribute tells."""
    return dispatcher._compiler.pipeline_class


def compiled_as(dispatcher: Any, arguments: tuple[Any, ...]) -> tuple[str, Any]:
    """The name that compiled code has in ``inspect_llvm``'s text, and the type that it returns.

    ``cfunc`` makes functions whose names are public, but these print their errors and go on.
    """
    overload = dispatcher.overloads[arguments]
    return overload.fndesc.llvm_func_name, overload.signature.return_type


def place_compiled() -> tuple[str, int]:
    """File and line of the statement that Numba compiles now.

    Numba doesn't pass them to the function that writes the code of an access. But the lowering of the user's function
    is a few frames up, and its attribute ``loc`` is the place, also in a helper that was inlined.
    """
    frame = sys._getframe(1)
    while frame.f_back is not None:
        caller: Any = frame.f_locals.get("self")
        if hasattr(caller, "func_ir") and hasattr(caller, "loc"):
            return caller.loc.filename, caller.loc.line
        frame = frame.f_back
    raise AssertionError("Numba's lowering is not among the callers")


# --- Numba's code for the CPU -----------------------------------------------------------------------------------------
# minigr's kernels call what Numba compiled in Numba's own calling convention: ``cfunc`` has a public one, but passes no
# errors on, and its functions are not inlined.


class NumbaCall(NamedTuple):
    """A call as text: what declares the function, whether it raised, where it left its error and its result."""

    declaration: str
    raised: str
    error: str
    result: str


def numba_call(code: Any, name: str, returns: Any, arguments: Sequence[tuple[Any, Sequence[str]]]) -> NumbaCall:
    """Call a function that Numba compiled: it takes where to leave the result, where to leave an error, and arguments.

    Parameters
    ----------
    code : minigr.jit.native.code.Code
    name : str
    returns : type
        One of `minigr.jit.native.types`.
    arguments : sequence
        The type and the parts of each.
    """
    result, error = code.variable(_stored(returns)), code.variable("ptr")
    given = [("ptr", result), ("ptr", error)]
    for kind, texts in arguments:
        given += _parts(code, kind, texts)
    status = code.new(f"call i32 @{name}({', '.join(map(' '.join, given))})")
    declaration = f"declare i32 @{name}({', '.join(part for part, _ in given)})"
    return NumbaCall(declaration, code.new(f"icmp sgt i32 {status}, 0"), error, result)


def _parts(code: Any, kind: Any, texts: Sequence[str]) -> list[tuple[str, str]]:
    """An argument as Numba's functions take it."""
    if isinstance(kind, Array):
        size = str(kind.element.bits // 8)
        words = [("i64", texts[1]), ("i64", size), ("ptr", texts[0]), ("i64", texts[1]), ("i64", size)]
        return [("ptr", "null"), ("ptr", "null"), *words]
    if kind is BOOL:
        return [("i8", code.new(f"zext i1 {texts[0]} to i8"))]
    return list(zip(kind.parts, texts, strict=True))  # of a tuple those of its numbers, one after the other


def _stored(kind: Any) -> str:
    """The type in memory of what Numba's functions return."""
    if isinstance(kind, Tuple):
        return "{" + ", ".join(map(_stored, kind.items)) + "}"
    return kind.memory if isinstance(kind, Number) else "ptr"


def numba_results(code: Any, kind: Any, place: str) -> list[tuple[Number, str]]:
    """Each number that a function of Numba's returned, and its address."""
    if isinstance(kind, Number):
        return [(kind, place)]
    found: list[tuple[Number, str]] = []
    for number, item in enumerate(kind.items if isinstance(kind, Tuple) else ()):
        at = code.new(f"getelementptr {_stored(kind)}, ptr {place}, i32 0, i32 {number}")
        found += numba_results(code, item, at)
    return found


def may_write(text: str, name: str) -> bool:
    """Whether a function of Numba's may write, by LLVM's attributes: of its memory, and of each pointer it is given.

    It takes pointers to where it leaves its result and its error; of others it may only read.
    """
    (head,) = (line for line in text.splitlines() if line.startswith("define ") and f"@{name}(" in line)
    number = re.search(r"\) (?:local_unnamed_addr )?#(\d+)", head)
    attributes = re.search(rf"(?m)^attributes #{number[1]} = .*$", text) if number else None
    if attributes is None or not re.search(r"memory\((none|read|argmem: (read|readwrite))\)", attributes[0]):
        return True
    pointers = re.findall(r"[(,] ?ptr ([^%]*%[\w.]+)", head)  # the attributes of each, and its name
    return not all(re.search(r"%(retptr|excinfo)\b|\bread(only|none)\b", each) for each in pointers)


def error_at(address: int) -> BaseException:
    """The exception that compiled code raised, from the address of what Numba keeps of it."""
    content = ctypes.c_void_p.from_address(address).value
    size = ctypes.c_int32.from_address(address + ctypes.sizeof(ctypes.c_void_p)).value
    kind, arguments, _ = pickle.loads(ctypes.string_at(content or 0, size))
    found: BaseException = kind(*(arguments or ()))
    return found
