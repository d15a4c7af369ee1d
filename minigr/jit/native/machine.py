"""From LLVM's language to machine code in this process. This is the only module that uses llvmlite."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Sequence
from functools import cache, wraps
from typing import Any, TypeVar, cast

from minigr.jit import private
from minigr.jit.native.module import ENTRY
from minigr.signals import deferred

_Function = TypeVar("_Function", bound=Callable[..., Any])
_LEVEL = 3
# These passes remove many functions and instructions before the passes that take time.
_FIRST = ("always_inliner", "global_dead_code_eliminate", "sroa", "sccp", "simplify_cfg", "instruction_combine")


@cache
def _binding() -> Any:
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding


def _whole(function: _Function) -> _Function:
    """`function`, with all signal handlers deferred while it runs.

    A handler that raised between the lines in which llvmlite acquires and releases its lock would leave the lock held.
    The next thread that compiles would then wait forever.
    """

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        with deferred():
            return function(*arguments, **options)

    return cast(_Function, call)


@cache
@_whole
def processor() -> str:
    """The processor that code is compiled for: its kind, its name and its features."""
    binding = _binding()
    features = binding.get_host_cpu_features().flatten()
    return f"{binding.get_process_triple()} {binding.get_host_cpu_name()} {features}"


@cache
def _target() -> Any:
    binding = _binding()
    return binding.Target.from_triple(binding.get_process_triple()).create_target_machine(
        cpu=binding.get_host_cpu_name(),
        features=binding.get_host_cpu_features().flatten(),
        opt=_LEVEL,
        reloc="pic",
        codemodel="jitdefault",
        jit=True,
    )


@_whole
def machine_code(text: str, linked: Sequence[str] = (), vectorize: bool = False) -> bytes:
    """Optimize a program together with linked programs; return the bytes of the object file.

    With `vectorize`, LLVM vectorizes loops where it can, which takes several times as long.
    """
    binding = _binding()
    # Many passes depend on the widths and the memory layout of the processor's numbers.
    layout = f'target datalayout = "{_target().target_data}"\ntarget triple = "{_target().triple}"\n'
    module = binding.parse_assembly(layout + text)
    for other in linked:
        module.link_in(binding.parse_assembly(other))
    for function in module.functions:
        if not function.is_declaration and function.name != ENTRY:
            function.linkage = "internal"
    tuning = binding.create_pipeline_tuning_options(_LEVEL)
    tuning.loop_unrolling = True  # of short loops of known length, such as the loops over the lanes of a slab
    tuning.loop_vectorization = tuning.slp_vectorization = vectorize
    builder = binding.create_pass_builder(_target(), tuning)
    if vectorize:
        builder.getModulePassManager().run(module, builder)
    else:
        _simplify(module, builder)
    code: bytes = _target().emit_object(module)
    return code


def _simplify(module: Any, builder: Any) -> None:
    """Optimize in a third of the time that LLVM's own order of passes takes."""
    passes = _binding().create_new_module_pass_manager()
    for name in _FIRST:
        getattr(passes, f"add_{name}_pass")()
    passes.run(module, builder)
    # Functions that are worth inlining are inlined by now. So each function is simplified once, not after each callee.
    simplify = builder.getFunctionPassManager()
    for function in module.functions:
        if not function.is_declaration:
            simplify.run(function, builder)


_HELPER = re.compile(rb"(?<!\w)numba_(\w+)")  # in an object file, a call of one of Numba's functions in C
_Prototype = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)  # a function that is called without the GIL
_loaded: list[Any] = []  # libraries, which keep their code in memory


@cache
def _linker() -> Any:
    _target()
    return _binding().create_lljit_compiler()


@_whole
def load(code: bytes, name: str, prototype: Any = _Prototype) -> Callable[..., int]:
    """The entry of an object file, as a function of the address of its words, or with another prototype."""
    builder = _binding().JITLibraryBuilder().add_object_img(code).add_current_process().export_symbol(ENTRY)
    for helper in set(_HELPER.findall(code)):
        address = private.c_helpers.get(helper.decode())
        if address is not None:  # otherwise it is a part of another name
            builder.import_symbol(f"numba_{helper.decode()}", address)
    library = builder.link(_linker(), name)
    _loaded.append(library)
    return prototype(library[ENTRY])
