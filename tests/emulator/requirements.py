"""The requirements of the emulator on the machine."""

from __future__ import annotations

import platform
import shutil
from importlib.util import find_spec


def missing() -> str:
    """Return the reason why the emulator can't run here, or an empty string."""
    system, machine = platform.system(), platform.machine()
    if (system, machine) != ("Linux", "x86_64"):
        return f"the emulator runs on x86-64 Linux only, and this is {system} on {machine}"
    if shutil.which("gcc") is None:
        return "the emulator needs gcc, which is not on the path: install gcc"
    if find_spec("numba_cuda") is None or find_spec("cuda") is None:
        return "the emulator needs numba-cuda and cuda-core: install minigr[cuda13]"
    return ""
