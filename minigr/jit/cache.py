"""Where compiled code is kept between processes, and the part of its key that every program shares.

The folder is ``MINIGR_CACHE_DIR``, or the user's cache folder. Entries are named by a digest of all that can change
them, so a stale one is never read; the folder may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
from functools import cache
from importlib.metadata import version
from pathlib import Path

DIRECTORY_VARIABLE = "MINIGR_CACHE_DIR"
_PACKAGE = Path(__file__).resolve().parent.parent
_COMPILED = (
    "*_cpu.py",
    "*.cuh",
    "jit/atomics.py",
    "jit/kernel.py",
    "jit/ordered.py",
    "jit/spmd.py",
    "jit/vertices.py",
    "enactor/control.py",
    "enactor/loop.py",
)


def directory(part: str) -> Path:
    """The folder for one kind of entry, made if it is missing."""
    root = os.environ.get(DIRECTORY_VARIABLE)
    folder = (Path(root) if root else _user_cache() / "minigr") / part
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _user_cache() -> Path:
    """Where the platform wants a user's caches."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


@cache
def _own_sources() -> str:
    """A digest of the package's files that are compiled into programs."""
    digest = hashlib.sha256()
    for pattern in _COMPILED:
        for path in sorted(_PACKAGE.rglob(pattern)):
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


_made = 0


def programs_made() -> int:
    """How many programs this process has compiled or loaded; times in which that grew are not those of the programs."""
    return _made


def key(*parts: str, packages: tuple[str, ...]) -> str:
    """A name for a cache entry made from `parts`, the versions of `packages`, Python's, and minigr's own sources."""
    global _made
    _made += 1  # each program asks for its name once
    versions = [f"{name}={version(name)}" for name in packages]
    everything = "\0".join([*parts, *versions, sys.version, _own_sources()])
    return hashlib.sha256(everything.encode()).hexdigest()[:32]


def write(path: Path, content: bytes) -> None:
    """Write an entry so that another process sees all of it or nothing."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    temporary.write_bytes(content)
    os.replace(temporary, path)
