"""A CUDA program's text and its user functions, compiled apart to LTO-IR and linked into one cubin.

User functions go through numba-cuda, the text through NVRTC, and nvJitLink inlines one into the other. None of it needs
a GPU. Cubins are kept in the cache under the digest of everything that went into them.
"""

from __future__ import annotations

import math
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache as memoize
from multiprocessing.util import Finalize
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from minigr.errors import FunctorError
from minigr.jit import cache, capture, check
from minigr.jit.cuda_imports import cuda_core, numba_cuda
from minigr.jit.facts import returned_type_of
from minigr.jit.functor import Bound
from minigr.jit.index_checks import CHECKED
from minigr.signals import deferred

ARCHITECTURES = (75, 80, 86, 89, 90, 100, 120)
# What compiles, and the headers; NVIDIA's by the names of CUDA 13 and 12, of which one is installed at most.
_PACKAGES = (
    *("numba", "numba-cuda", "llvmlite", "numpy", "cuda-core", "cuda-bindings", "cuda-toolkit"),
    *("nvidia-cuda-nvrtc", "nvidia-nvjitlink", "nvidia-nvvm", "nvidia-cuda-runtime", "nvidia-cuda-cccl"),
    *("nvidia-cuda-nvrtc-cu12", "nvidia-nvjitlink-cu12", "nvidia-cuda-nvcc-cu12", "nvidia-cuda-runtime-cu12"),
)
_INCLUDE = Path(__file__).resolve().parent.parent
_C_TYPES = {
    "bool": "bool",
    "int8": "signed char",
    "int16": "short",
    "int32": "int",
    "int64": "long long",
    "uint8": "unsigned char",
    "uint16": "unsigned short",
    "uint32": "unsigned",
    "uint64": "unsigned long long",
    "float32": "float",
    "float64": "double",
    "none": "void",
    "void": "void",
}

_C_TYPES |= {CHECKED + name: "long long" for name in ("int32", "int64", "float32", "float64", "bool")}

#: an argument of a user function: the name of a dtype, and whether it is a pointer to such elements
Argument = tuple[str, bool]


def compile_program(
    text: str,
    users: Mapping[str, Bound],
    signatures: Mapping[str, Sequence[Argument]],
    helpers: Mapping[str, tuple[FunctionType, Sequence[Argument]]],
    architecture: int,
) -> Path:
    """Compile and link `text` for one architecture; the path of the cubin.

    Parameters
    ----------
    text : str
        CUDA C++ with the word DECLARATIONS where user functions are to be declared.
    users : mapping
        Name in the text to bound functor function; `signatures` has the types of the arguments.
    helpers : mapping
        Name in the text to a Python function of the package and its argument types; declared by the text itself.
    architecture : int
        Compute capability times ten, such as 90.

    Raises
    ------
    FunctorError
        If a user function can't be compiled, can't be frozen, or returns the wrong type.
    """
    parts = [text, str(architecture)]
    for name, bound in sorted(users.items()):
        check.refuse(bound)
        parts += [name, capture.digest(bound.function), str(list(signatures[name])), str(bound.results)]
    key = cache.key(*parts, packages=_PACKAGES)
    cubin = cache.read("cuda", key)
    if cubin is None:
        cubin = _compile(text, users, signatures, helpers, architecture)
        cache.write("cuda", key, cubin)
    return _file(key, cubin)


def _file(key: str, cubin: bytes) -> Path:
    """A file of this process with what was compiled, because CuPy loads programs from files only."""
    path = _files(os.getpid()) / f"minigr_{key}.cubin"
    path.write_bytes(cubin)
    return path


@memoize
def _files(process: int) -> Path:
    """A folder for them, until the process ends; a forked one has another."""
    folder = tempfile.mkdtemp(prefix="minigr-")
    Finalize(None, shutil.rmtree, (folder, True), exitpriority=0)  # which a worker runs too, but not another's
    return Path(folder)


def _compile(
    text: str,
    users: Mapping[str, Bound],
    signatures: Mapping[str, Sequence[Argument]],
    helpers: Mapping[str, tuple[FunctionType, Sequence[Argument]]],
    architecture: int,
) -> bytes:
    core = cuda_core()
    modules, declarations = [], []
    for name, bound in users.items():
        code, returned = _compile_user(name, bound, signatures[name], architecture)
        modules.append(core.ObjectCode.from_ltoir(code, name=name))
        declarations.append(_declaration(name, bound, returned, signatures[name]))
    for name, (function, arguments) in helpers.items():
        modules.append(
            core.ObjectCode.from_ltoir(_compile_helper(name, function, tuple(arguments), architecture), name=name)
        )
    program = _compile_text(text.replace("DECLARATIONS", "\n".join(declarations)), architecture)
    options = core.LinkerOptions(arch=f"sm_{architecture}", link_time_optimization=True)
    return bytes(core.Linker(program, *modules, options=options).link("cubin").code)


def _compile_text(text: str, architecture: int) -> Any:
    core = cuda_core()
    options = core.ProgramOptions(
        arch=f"sm_{architecture}",
        std="c++17",
        link_time_optimization=True,
        relocatable_device_code=True,
        include_path=[str(_INCLUDE)],
    )
    return core.Program(text, "c++", options).compile("ltoir")


def _types(arguments: Sequence[Argument]) -> tuple[Any, ...]:
    return tuple(_type(dtype, is_pointer) for dtype, is_pointer in arguments)


def _type(dtype: str, is_pointer: bool) -> Any:
    from numba import from_dtype, types

    from minigr.jit.checked_field import CheckedField

    element = from_dtype(np.dtype(dtype.removeprefix(CHECKED)))
    if dtype.startswith(CHECKED):
        return CheckedField(element, on_gpu=True)
    return types.CPointer(element) if is_pointer else element


def _ltoir(name: str, function: FunctionType, arguments: Sequence[Argument], architecture: int) -> tuple[bytes, Any]:
    whole = _rebuilt(function)
    code, returned = _compile_device(name, whole, _types(arguments), architecture)
    from numba.core import types

    return code, types.unliteral(returned)


def _inlined(function: FunctionType) -> Any:
    """A function that others call. Inlined, it is typed with its caller; by itself, for this machine's GPU."""
    return numba_cuda().jit(device=True, inline="always")(function)


def _rebuilt(function: FunctionType) -> FunctionType:
    return capture.rebuild(function, _inlined, _replaced)


def _replaced(value: Any) -> Any:
    """What takes the place of a module or function that a functor reads."""
    if value is math:
        return _python_math()
    whole = _WHOLE.get(value) if isinstance(value, BuiltinFunctionType) else None
    return value if whole is None else getattr(_python_math(), value.__name__)


def _ceil(x):
    return np.int64(math.ceil(x))


def _floor(x):
    return np.int64(math.floor(x))


def _trunc(x):
    return np.int64(math.trunc(x))


_WHOLE: dict[Any, Any] = {math.ceil: _ceil, math.floor: _floor, math.trunc: _trunc}


@memoize
def _python_math() -> ModuleType:
    """The module ``math`` with functions that give whole numbers, as in Python; those of numba-cuda give floats."""
    module = ModuleType("math")
    module.__dict__.update(vars(math))
    for function, whole in _WHOLE.items():
        setattr(module, function.__name__, _inlined(whole))
    return module


def _compile_device(name: str, function: Any, types: tuple[Any, ...], architecture: int) -> tuple[bytes, Any]:
    """The LTO-IR of a function with C's calling convention, and the type that it returns."""
    options: dict[str, Any] = {"device": True, "abi": "c", "abi_info": {"abi_name": name}, "output": "ltoir"}
    with deferred():  # Numba can't go on after an exception in the middle of a compilation
        code, returned = numba_cuda().compile(function, types, cc=divmod(architecture, 10), **options)
    return code, returned


@memoize
def _compile_helper(name: str, function: FunctionType, arguments: tuple[Argument, ...], architecture: int) -> bytes:
    return _ltoir(name, function, arguments, architecture)[0]


def _compile_user(name: str, bound: Bound, arguments: Sequence[Argument], architecture: int) -> tuple[bytes, Any]:
    returned_type_of(bound, arguments)
    if bound.results:
        return _compile_results(name, bound, arguments, architecture)
    return check.compile_checked(bound, lambda: _ltoir(name, bound.function, arguments, architecture))


def _compile_results(name: str, bound: Bound, arguments: Sequence[Argument], architecture: int) -> tuple[bytes, Any]:
    """A function that returns a tuple, which the C ABI can't: it gets a pointer for each of the numbers instead."""
    whole = _rebuilt(bound.function)
    inputs = ", ".join(f"a{i}" for i in range(len(arguments)))
    outputs = ", ".join(f"r{i}" for i in range(len(bound.results)))
    numbers = ", ".join(f"x{i}" for i in range(len(bound.results)))
    stores = "".join(f"    r{i}[0] = x{i}\n" for i in range(len(bound.results)))
    scope: dict[str, Any] = {"function": _inlined(whole)}
    exec(f"def stored({inputs}, {outputs}):\n    {numbers} = function({inputs})\n{stores}", scope)
    signature = _types([*arguments, *_result_pointers(bound)])
    return check.compile_checked(bound, lambda: _compile_device(name, scope["stored"], signature, architecture))


def _result_pointers(bound: Bound) -> list[Argument]:
    return [(dtype, True) for dtype in bound.results]


def _declaration(name: str, bound: Bound, returned: Any, arguments: Sequence[Argument]) -> str:
    if str(returned) not in _C_TYPES:
        raise FunctorError(
            f"{bound.label} returns {returned}, which has no counterpart in CUDA: convert it to a number"
        )
    given = [*arguments, *_result_pointers(bound)]
    parameters = ", ".join(_C_TYPES[dtype] + (" *" if is_pointer else "") for dtype, is_pointer in given)
    return f'extern "C" __device__ {_C_TYPES[str(returned)]} {name}({parameters});'
