"""Everything except the graph that a measurement depends on: machine, libraries, and the version of minigr."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import minigr
from minigr.device import Device

PACKAGES = ("numpy", "scipy", "numba", "llvmlite", "numba-cuda", "cupy-cuda13x", "cupy-cuda12x", "cuda-core")
_ROOT = Path(minigr.__file__).resolve().parents[1]


def facts(device: Device) -> dict[str, Any]:
    """Facts about the machine for JSON: processor, cores, versions of packages, and the GPU if `device` is one.

    Examples
    --------
    >>> from minigr.device import CPU
    >>> found = facts(CPU)
    >>> found["cores"] >= 1, "numpy" in found["packages"]
    (True, True)
    """
    found: dict[str, Any] = {
        "system": f"{platform.system()} {platform.release()}",
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "python": platform.python_version(),
        "packages": {name: number for name in PACKAGES if (number := installed(name)) is not None},
    }
    if device.is_cuda:
        runtime = device.xp.cuda.runtime
        properties = runtime.getDeviceProperties(device.index)
        found["gpu"] = properties["name"].decode()
        found["gpu_memory"] = int(properties["totalGlobalMem"])
        found["driver"] = _driver() or f"CUDA {runtime.driverGetVersion()}"
        found["cuda_runtime"] = int(runtime.runtimeGetVersion())
    return found


def this_minigr() -> dict[str, Any]:
    """The version of minigr and, in a git checkout, the commit and whether files were changed after it."""
    commit = _git("rev-parse", "HEAD") if (_ROOT / ".git").exists() else None
    found: dict[str, Any] = {"version": minigr.__version__, "commit": commit}
    if commit is not None:
        found["modified"] = bool(_git("status", "--porcelain", "--untracked-files=no"))
    return found


def installed(package: str) -> str | None:
    """The version of an installed package, None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def processor() -> str:
    """The name of the CPU, if the system tells it."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass  # not Linux
    return platform.processor() or platform.machine()


def _driver() -> str | None:
    """The version of NVIDIA's driver, from the kernel module, because CUDA only tells which CUDA it supports."""
    try:
        return Path("/sys/module/nvidia/version").read_text().strip()
    except OSError:
        return None


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], cwd=_ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
