"""Python functions, compiled to LTO-IR by numba-cuda. nvJitLink inlines them into kernels; see `minigr.jit.link_cuda`.

The cache keeps compiled functions under the digest of all their inputs, so a second program that calls a function need
not compile the function again. None of this needs a GPU.
"""

from __future__ import annotations

import dis
import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from minigr.dtypes import NUMBERS, c_name
from minigr.errors import FunctorError
from minigr.jit import cache, capture, check, private
from minigr.jit.arguments import Argument
from minigr.jit.cuda_imports import numba_cuda
from minigr.jit.facts import returned_type_of
from minigr.jit.functor import Bound
from minigr.jit.index_checks import source_lines

# The packages that compile, and the headers. NVIDIA's packages have different names for CUDA 13 and CUDA 12,
# and at most one of the two is installed.
PACKAGES = (
    *("numba", "numba-cuda", "llvmlite", "numpy", "cuda-core", "cuda-bindings", "cuda-toolkit"),
    *("nvidia-cuda-nvrtc", "nvidia-nvjitlink", "nvidia-nvvm", "nvidia-cuda-runtime", "nvidia-cuda-cccl"),
    *("nvidia-cuda-nvrtc-cu12", "nvidia-nvjitlink-cu12", "nvidia-cuda-nvcc-cu12", "nvidia-cuda-runtime-cu12"),
)
_NOTHING = ("none", "void")  # the return type of a function without a result, in Numba and in C


@dataclass(frozen=True)
class DeviceFunction:
    """A function compiled to LTO-IR.

    Attributes
    ----------
    symbol : str
        The name for the linker.
    declaration : str
        The declaration in CUDA C++, on one line.
    code : bytes
    """

    symbol: str
    declaration: str
    code: bytes


_functions: dict[str, DeviceFunction] = {}  # of this process, by their keys in the cache


def compile_functor(bound: Bound, arguments: Sequence[Argument], architecture: int) -> DeviceFunction:
    """A user function compiled for arguments of these types; from the cache if any program used it before.

    Raises
    ------
    FunctorError
        If the function can't be compiled, or returns the wrong type.
    """
    content = [capture.digest(bound.function), str(list(arguments)), str(bound.results)]
    if any(each.is_checked for each in arguments):
        content.append(source_lines(bound.function))
    symbol = f"minigr_{hashlib.sha256(repr(content).encode()).hexdigest()[:32]}"
    # The inputs of the checks: a function that passes them for one operator may fail them for another.
    checked = (bound.name, bound.method, bound.arguments, bound.operand, bound.reduced, bound.scalars)

    def compile_it() -> tuple[str, bytes]:
        code, returned = _compile_user(symbol, bound, arguments, architecture)
        return _declaration(symbol, bound, returned, arguments), code

    return _kept(symbol, [*content, repr(checked)], architecture, compile_it)


def compile_helper(
    symbol: str, function: FunctionType, arguments: Sequence[Argument], architecture: int
) -> DeviceFunction:
    """A function of the package that returns nothing; from the cache if any program used it before."""
    content = [capture.digest(function), str(list(arguments))]

    def compile_it() -> tuple[str, bytes]:
        return _declared(symbol, "void", arguments), _ltoir(symbol, function, arguments, architecture)[0]

    return _kept(symbol, content, architecture, compile_it)


def _kept(
    symbol: str, content: list[str], architecture: int, compile_it: Callable[[], tuple[str, bytes]]
) -> DeviceFunction:
    key = cache.key("function", symbol, *content, str(architecture), packages=PACKAGES)
    if key not in _functions:
        entry = cache.read("lto", key)
        if entry is None:
            declaration, code = compile_it()
            cache.write("lto", key, b"\n".join([declaration.encode(), code]))
        else:
            line, code = entry.split(b"\n", 1)
            declaration = line.decode()
        _functions[key] = DeviceFunction(symbol, declaration, code)
    return _functions[key]


def _type(argument: Argument) -> Any:
    from numba import from_dtype

    from minigr.jit.numba_fields import CheckedField, PlainField

    element = from_dtype(np.dtype(argument.dtype))
    if not argument.is_array:
        return element
    field = CheckedField if argument.is_checked else PlainField
    return field(element, argument.columns, on_gpu=True)


def _ltoir(name: str, function: FunctionType, arguments: Sequence[Argument], architecture: int) -> tuple[bytes, Any]:
    whole = _rebuilt(function)
    return _compile_device(name, whole, tuple(map(_type, arguments)), architecture)


def _inlined(function: FunctionType) -> Any:
    """A helper. If inlined, it is typed with its caller; compiled alone, it would be typed for this machine's GPU."""
    return numba_cuda().jit(device=True, inline="always")(_divided(function))


def _rebuilt(function: FunctionType) -> FunctionType:
    from minigr.jit.numba_functions import replaced

    return _divided(capture.rebuild(function, _inlined, replaced))


def _divided(function: FunctionType) -> FunctionType:
    """`function` with ``x / y`` in place of ``x /= y``, which is an integer for numba-cuda if both are integers."""
    code = _with_plain_divisions(function.__code__)
    made = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _with_plain_divisions(code: CodeType) -> CodeType:
    instructions = bytearray(code.co_code)
    for each in dis.get_instructions(code):
        if (each.opcode, each.arg or 0) == _IN_PLACE:
            instructions[each.offset : each.offset + 2] = bytes(_PLAIN)
    constants = [_with_plain_divisions(each) if isinstance(each, CodeType) else each for each in code.co_consts]
    return code.replace(co_code=bytes(instructions), co_consts=tuple(constants))


def _division(text: str) -> tuple[int, int]:
    """The instruction of Python that divides in `text`, and its argument."""
    names = ("BINARY_OP", "BINARY_TRUE_DIVIDE", "INPLACE_TRUE_DIVIDE")  # the last two before Python 3.11
    (found,) = (each for each in dis.get_instructions(compile(text, "", "exec")) if each.opname in names)
    return found.opcode, found.arg or 0


_IN_PLACE, _PLAIN = _division("x /= y"), _division("x / y")


def _compile_device(name: str, function: Any, signature: tuple[Any, ...], architecture: int) -> tuple[bytes, Any]:
    """The LTO-IR of a function with C's calling convention, and the type that it returns."""
    from numba import types

    options: dict[str, Any] = {"device": True, "abi": "c", "abi_info": {"abi_name": name}, "output": "ltoir"}
    options["cc"] = divmod(architecture, 10)

    def compile_it() -> Any:
        compiler = numba_cuda()
        with private.wrapping_integers("numba.cuda"):
            return compiler.compile(function, signature, **options)

    # A thread of its own, because Numba leaves errors in reference cycles, whose frames would keep all objects of the
    # callers alive, including graphs. Numba also can't continue after an exception in the middle of a compilation, and
    # a signal handler may raise such an exception on the main thread.
    with ThreadPoolExecutor(1) as thread:
        code, returned = thread.submit(compile_it).result()
    return code, types.unliteral(returned)


def _compile_user(name: str, bound: Bound, arguments: Sequence[Argument], architecture: int) -> tuple[bytes, Any]:
    returned_type_of(bound, arguments)
    if bound.results or _flat(arguments) != list(arguments):
        return _compile_tuples(name, bound, arguments, architecture)
    return check.compile_checked(bound, lambda: _ltoir(name, bound.function, arguments, architecture))


def _compile_tuples(name: str, bound: Bound, arguments: Sequence[Argument], architecture: int) -> tuple[bytes, Any]:
    """A function that takes or returns tuples, which C doesn't have.

    The compiled function takes the numbers of a tuple one by one, and a pointer for each number that it returns.
    """
    whole = _rebuilt(bound.function)
    given, inputs = [], 0
    for each in arguments:
        count = len(each.numbers())
        numbers = "".join(f"a{i}, " for i in range(inputs, inputs + count))
        given.append(f"({numbers})" if isinstance(each.dtype, tuple) else numbers.removesuffix(", "))
        inputs += count
    parameters = [*(f"a{i}" for i in range(inputs)), *(f"r{i}" for i in range(len(bound.results)))]
    found = "".join(f"x{i}, " for i in range(len(bound.results)))
    stores = "".join(f"    r{i}[0] = x{i}\n" for i in range(len(bound.results)))
    call = f"    {f'{found}= ' if found else 'return '}function({', '.join(given)})\n"
    scope: dict[str, Any] = {"function": _inlined(whole)}
    exec(f"def stored({', '.join(parameters)}):\n{call}{stores}", scope)
    signature = tuple(map(_type, [*_flat(arguments), *_result_pointers(bound)]))
    return check.compile_checked(bound, lambda: _compile_device(name, scope["stored"], signature, architecture))


def _flat(arguments: Sequence[Argument]) -> list[Argument]:
    """The arguments with tuples replaced by their numbers."""
    return [number for each in arguments for number in each.numbers()]


def _result_pointers(bound: Bound) -> list[Argument]:
    return [Argument(dtype, is_array=True) for dtype in bound.results]


def _declaration(name: str, bound: Bound, returned: Any, arguments: Sequence[Argument]) -> str:
    if str(returned) not in (*NUMBERS, *_NOTHING):
        raise FunctorError(
            f"{bound.label} returns {returned}, which has no counterpart in CUDA: convert it to a number"
        )
    return _declared(name, str(returned), [*arguments, *_result_pointers(bound)])


def _declared(name: str, returned: str, arguments: Sequence[Argument]) -> str:
    parameters = ", ".join(map(_c_type, _flat(arguments)))
    return f'extern "C" __device__ {"void" if returned in _NOTHING else c_name(returned)} {name}({parameters});'


def _c_type(argument: Argument) -> str:
    if argument.is_checked:
        return "i64 *"  # pointer to its words
    return c_name(argument.dtype) + (" *" if argument.is_array else "")
