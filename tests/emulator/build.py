"""Compile PTX and the runtime with gcc, and keep them in minigr's cache."""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from functools import cache as memoize
from pathlib import Path
from typing import Any

from minigr.jit import cache, link_cuda
from minigr.jit.cuda_imports import cuda_core
from minigr.jit.link_cuda import CudaCode, Part
from tests.emulator.settings import SETTINGS
from tests.emulator.translation.ptx import read
from tests.emulator.translation.translate import translate

_RUNTIME = Path(__file__).parent / "runtime"
_TRANSLATION = Path(__file__).parent / "translation"
_OPTIONS = ["-std=gnu11", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-fno-math-errno"]
_TURNS = ["-DTURN_AT_ACCESSES"] if SETTINGS.turns_at_accesses else []


@memoize
def version(*files: Path) -> str:
    """Return a digest of gcc's options and of these files."""
    digest = hashlib.sha256(repr((_OPTIONS, _TURNS)).encode())
    for path in sorted(files):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def kernels_version() -> str:
    """Return a digest of everything except the PTX that determines the code of kernels."""
    return version(*_TRANSLATION.glob("*.py"), *_RUNTIME.glob("*.h"))


def linked(code: CudaCode, part: Part = ()) -> str:
    """Return a part of a program as PTX, optimized like a cubin."""
    options: dict[str, Any] = {"ptx": True, "optimization_level": 3}
    if part:
        options["kernels_used"] = list(part)
    if part and code._variable:
        options["variables_used"] = [code._variable]
    return link_cuda._linked(cuda_core(), code._modules, "ptx", arch="sm_90", **options).decode().rstrip("\0")


def library(ptx: str) -> bytes:
    """Compile PTX to a shared library. The PTX is kept in the cache, because messages name its lines."""
    path = _folder() / f"{hashlib.sha256(ptx.encode()).hexdigest()[:16]}.ptx"
    path.write_text(ptx)
    code = translate(read(ptx)) + f"const char source[] = {json.dumps(str(path))};\n"
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "kernels.c")
        source.write_text(code)
        # Most code runs only a few times on small graphs, so compiling takes longer than running.
        return _compile([source], ["-O0", "-Wno-all", "-Werror=frame-larger-than=120000", *_TURNS])


@memoize
def runtime() -> ctypes.CDLL:
    """Return the scheduler of threads, which libraries of kernels call."""
    found = _folder() / f"runtime-{version(*_RUNTIME.glob('*.*'))}.so"
    if not found.exists():
        whole = found.with_suffix(f".{os.getpid()}")
        whole.write_bytes(_compile(sorted([*_RUNTIME.glob("*.c"), *_RUNTIME.glob("*.S")]), ["-O2"]))
        whole.replace(found)
    loaded = ctypes.CDLL(str(found), ctypes.RTLD_GLOBAL)
    loaded.launch_kernels.restype = ctypes.c_char_p
    loaded.conditional.restype = ctypes.c_uint32
    loaded.conditional.argtypes = [ctypes.c_uint64]
    loaded.set_conditional.argtypes = [ctypes.c_uint64, ctypes.c_uint32]
    return loaded


def _folder() -> Path:
    folder = (cache.root() or Path(tempfile.gettempdir())) / "emulated"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _compile(sources: list[Path], options: list[str]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "code.so")
        command = ["gcc", *_OPTIONS, *options, "-shared", "-fPIC", f"-I{_RUNTIME}", *map(str, sources)]
        done = subprocess.run([*command, "-o", str(target), "-lm"], capture_output=True, text=True, check=False)
        if done.returncode:
            copies = [str(shutil.copy(source, _folder())) for source in sources]
            raise RuntimeError(f"gcc refused {', '.join(copies)}:\n{done.stderr[:4000]}")
        return target.read_bytes()
