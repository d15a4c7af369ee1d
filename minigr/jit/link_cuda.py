"""CUDA programs: the text and the functions are compiled separately to LTO-IR, and then linked into cubins.

NVRTC compiles the text, numba-cuda compiles the functions, and nvJitLink links and inlines them. None of this needs a
GPU. A program may be linked in parts. Each part has some of the kernels. Parts are linked on request and in parallel.
The cache keeps a cubin under the digest of the LTO-IR that the cubin is linked from, and this digest for each program.
A known program is therefore only read. After an edit of the package, programs are compiled again, but a program whose
LTO-IR is the same is not linked again. Linking takes most of the time.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache as memoize
from functools import lru_cache, partial
from multiprocessing.util import Finalize
from pathlib import Path
from types import FunctionType
from typing import Any

from minigr.cached import cached_property
from minigr.errors import ProblemError
from minigr.jit import cache, capture, check
from minigr.jit.arguments import Argument
from minigr.jit.compile_cuda import PACKAGES, DeviceFunction, compile_functor, compile_helper
from minigr.jit.cuda_imports import cuda_core
from minigr.jit.functor import Bound
from minigr.jit.notice import compiling, program_name
from minigr.jit.warps import WARPS

ARCHITECTURES = (75, 80, 86, 89, 90, 100, 120)
# LTO-IR for one of these architectures also serves the architectures up to the next one, with the same machine code as
# LTO-IR for the architecture itself: warp.cuh has a condition at 80, and from 100 on the compilers use a newer form of
# LLVM code.
_GENERATIONS = (75, 80, 100)
_INCLUDE = Path(__file__).resolve().parent.parent
_COALESCED = "jit/coalesced.cuh"
_TOO_MUCH_SHARED = re.compile(r"uses too much shared data \((0x\w+) bytes, (0x\w+) max\)")

#: names of kernels that are linked together; () means all kernels of a program
Part = tuple[str, ...]


class CudaCode:
    """The sources of one program, for one architecture.

    Parameters
    ----------
    text : str
        CUDA C++ with the word DECLARATIONS in the place of the declarations of functions.
    users : mapping
        Name in the text to bound functor function. `signatures` has the types of their arguments.
    helpers : mapping
        Name in the text to a Python function of the package, which returns nothing, and its argument types. Functions
        whose names are not in the text are left out.
    architecture : int
        Compute capability times ten, such as 90.
    variable : str
        The variable in constant memory that the host writes to. Each part has its own copy. Empty if there is none.

    Attributes
    ----------
    key : str
        A digest of everything that the code is compiled from.
    users : mapping of str to Bound
        The functions of functors, by their names in the text.

    Raises
    ------
    FunctorError
        If a user function contains what device code can't do, or can't be frozen.
    """

    def __init__(
        self,
        text: str,
        users: Mapping[str, Bound],
        signatures: Mapping[str, Sequence[Argument]],
        helpers: Mapping[str, tuple[FunctionType, Sequence[Argument]]],
        architecture: int,
        variable: str = "",
    ) -> None:
        self._text, self.users, self._signatures = text, users, signatures
        self._helpers = {name: helper for name, helper in helpers.items() if name in text}
        self._architecture, self._variable = architecture, variable
        self._generation = max(least for least in _GENERATIONS if least <= architecture)
        self._paths: dict[Part, Path] = {}
        parts = [text, str(self._generation)]
        for name, bound in sorted(users.items()):
            check.refuse(bound)
            returned = bound.reduced, str(bound.results)
            parts += [name, capture.digest(bound.function), str(list(signatures[name])), *returned]
        self.key = cache.key(*parts, packages=PACKAGES)

    def compile(self) -> None:
        """Compile the program, if it was not compiled before, to find its errors; nothing is linked.

        Raises
        ------
        FunctorError
            If a user function can't be compiled or returns the wrong type.
        """
        assert self._digest

    def cubins(self, parts: Sequence[Part]) -> list[Path]:
        """A file for each part. Parts in the cache are read, and all other parts are linked in parallel.

        Raises
        ------
        FunctorError
            If a user function can't be compiled or returns the wrong type.
        """
        found = self.kept([part for part in parts if part not in self._paths])
        self._paths |= {part: _file(cubin) for part, cubin in found.items()}
        return [self._paths[part] for part in parts]

    def kept(self, parts: Sequence[Part]) -> dict[Part, bytes]:
        """The cubins of parts, which are then in the cache; see `cubins`."""
        keys = {part: self.content_key(part) for part in parts}
        found = {part: cubin for part, key in keys.items() if (cubin := cache.read("cuda", key)) is not None}
        missing = [part for part in keys if part not in found]
        for part, cubin in zip(missing, self._link(missing), strict=True):
            cache.write("cuda", keys[part], cubin)
            found[part] = cubin
        return found

    def cubin(self) -> Path:
        """A file with all kernels."""
        return self.cubins([()])[0]

    def load(self, kernel: str) -> Any:
        """A kernel for the current device, as CuPy launches it, linked without the other kernels."""
        return self.modules([(kernel,)])[0].get_function(kernel)

    def modules(self, parts: Sequence[Part], *, cooperative: bool = False) -> list[Any]:
        """Parts as CuPy modules on the current device. With `cooperative`, all blocks of a launch run at once."""
        import cupy

        return [cupy.RawModule(path=str(path), enable_cooperative_groups=cooperative) for path in self.cubins(parts)]

    def content_key(self, part: Part) -> str:
        """The key of a part's cubin in the cache, from everything that it is linked from; may have to compile."""
        return cache.content_key(self._digest, str(self._architecture), *part, packages=PACKAGES)

    def link(self, part: Part = ()) -> bytes:
        """Link the cubin of a part, even if it is in the cache."""
        return self._link([part])[0]

    def ptx(self) -> str:
        """All kernels as PTX, linked but not optimized, in a tenth of the time that `link` takes."""
        options: dict[str, Any] = {"ptx": True, "optimization_level": 0}
        return _linked(cuda_core(), self._modules, "ptx", arch=f"sm_{self._architecture}", **options).decode()

    def _noted(self) -> AbstractContextManager[None]:
        return compiling(f"{program_name(self.users.values(), 'kernels')} for sm_{self._architecture}")

    # --- compiling ----------------------------------------------------------------------------------------------------

    @cached_property
    def _digest(self) -> str:
        """The digest of all modules that are linked."""
        known = cache.read("lto", self.key)
        if known is not None:
            return known.decode()
        found = hashlib.sha256()
        for name, code in self._modules:
            found.update(f"{name}\0{len(code)}\0".encode())
            found.update(code)
        cache.write("lto", self.key, found.hexdigest().encode())
        return found.hexdigest()

    @cached_property
    def _modules(self) -> list[tuple[str, bytes]]:
        """Names and LTO-IR of the text and of each function."""
        with self._noted():
            return self._compile_modules()

    def _compile_modules(self) -> list[tuple[str, bytes]]:
        architecture = self._generation
        functions: dict[str, DeviceFunction] = {}
        names = []
        for name, bound in self.users.items():
            function = compile_functor(bound, self._signatures[name], architecture)
            functions[function.symbol] = function
            names.append(f"#define {name} {function.symbol}")
        for name, (helper, arguments) in self._helpers.items():
            functions[name] = compile_helper(name, helper, arguments, architecture)
        if any(each in WARPS for bound in self.users.values() for each in capture.intrinsics_called(bound.function)):
            functions[_COALESCED] = DeviceFunction(
                _COALESCED, "", _compile_text(f'#include "{_COALESCED}"', architecture)
            )
        declarations = [*(function.declaration for function in functions.values()), *names]
        text = _compile_text(self._text.replace("DECLARATIONS", "\n".join(declarations)), architecture)
        return [("text", text), *((symbol, functions[symbol].code) for symbol in sorted(functions))]

    # --- linking ------------------------------------------------------------------------------------------------------

    def _link(self, parts: list[Part]) -> list[bytes]:
        if not parts:
            return []
        with self._noted():
            core, modules = cuda_core(), self._modules
            if len(parts) == 1:
                return [self._link_part(core, modules, parts[0])]
            with ThreadPoolExecutor(min(len(parts), os.cpu_count() or 1)) as pool:  # nvJitLink needs no Python lock
                return list(pool.map(partial(self._link_part, core, modules), parts))

    def _link_part(self, core: Any, modules: list[tuple[str, bytes]], part: Part) -> bytes:
        # If kernels are named, the linker takes a variable that is not named as never written, and compiles its zeros
        # in.
        used: dict[str, Any] = {"kernels_used": list(part)} if part else {}
        if part and self._variable:
            used["variables_used"] = [self._variable]
        return _linked(core, modules, "cubin", arch=f"sm_{self._architecture}", **used)


def _linked(core: Any, modules: list[tuple[str, bytes]], target: str, **options: Any) -> bytes:
    codes = [core.ObjectCode.from_ltoir(code, name=name) for name, code in modules]
    linker = core.Linker(*codes, options=core.LinkerOptions(link_time_optimization=True, **options))
    try:
        return bytes(linker.link(target).code)
    except Exception as error:  # an error of the linker
        if (sizes := _TOO_MUCH_SHARED.search(str(error))) is None:
            raise
        needed, most = (int(size, 16) for size in sizes.groups())
        raise ProblemError(
            f"the program needs {needed:,} bytes of shared memory for a block of threads, and a GPU has {most:,}: each "
            "operator of a step takes some, so split the step between two enactors, or run on the CPU, with "
            "graph.to('cpu')"
        ) from error
    finally:
        linker.close()  # a traceback keeps it, and nvJitLink crashes if another thread destroys a failed linker


@lru_cache(maxsize=4)  # for callers that link for several architectures in turn
def _compile_text(text: str, architecture: int) -> bytes:
    core = cuda_core()
    options = core.ProgramOptions(
        arch=f"sm_{architecture}",
        std="c++17",
        link_time_optimization=True,
        relocatable_device_code=True,
        device_as_default_execution_space=True,  # without it, CUDA 13.0 takes generic lambdas for host functions
        include_path=[str(_INCLUDE)],
    )
    return bytes(core.Program(_in_ascii(text), "c++", options).compile("ltoir").code)


def _in_ascii(text: str) -> str:
    """`text` with C++'s universal names of all other characters, such as those in a field's name."""
    return re.sub(r"[^\x00-\x7f]", lambda found: f"\\U{ord(found[0]):08x}", text)


def _file(cubin: bytes) -> Path:
    """A file of this process with a cubin, because CuPy loads programs from files only.

    CuPy loads each path once. Each program has its own files, because programs with the same machine code would
    otherwise share the variable that the host writes to.
    """
    with tempfile.NamedTemporaryFile(dir=_files(os.getpid()), suffix=".cubin", delete=False) as file:
        file.write(cubin)
    return Path(file.name)


@memoize
def _files(process: int) -> Path:
    """A folder for the files of a process, until the process ends. A forked process has its own folder."""
    folder = tempfile.mkdtemp(prefix="minigr-")
    Finalize(None, shutil.rmtree, (folder, True), exitpriority=0)  # runs in workers too, but not for other processes
    return Path(folder)
