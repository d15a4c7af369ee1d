"""The cache of compiled code on disk: one for CPU and GPU, shared by processes.

The folder is ``MINIGR_CACHE_DIR``, or the user's cache folder. The key of an entry is a digest of all inputs that can
change the entry, so an entry is never stale. An entry carries a checksum, and a damaged entry counts as missing. The
folder may be deleted at any time. If the folder can't be used, one `CacheWarning` gives the reason, and programs are
compiled in each process.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import stat
import sys
import tempfile
import time
import warnings
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from minigr.errors import CacheWarning
from minigr.jit.told import tell

DIRECTORY_VARIABLE = "MINIGR_CACHE_DIR"
MOST_BYTES = 1 << 30  # of the entries of a kind; entries that were not used for longest are removed first
_PACKAGE = Path(__file__).resolve().parent.parent
_MARK = b"minigr cache 1\n"
_CHECKSUM = hashlib.sha256().digest_size
_NOT_COMPILED = {"bench", "calls", "cli", "distributed", "plot", "prepare"}  # folders without sources of compiled code
_DAY = 86400.0
_UNIT = 1 << 16  # bytes that one byte of a tally represents
# Settings of Numba that don't change the compiled code, but differ between machines or runs.
_HARMLESS = {
    "CACHE_DIR", "CACHE_LOCATOR_CLASSES", "COLOR_SCHEME", "DEBUG_CACHE", "NUMBA_DEFAULT_NUM_THREADS",
    "NUMBA_NUM_THREADS", "RUNNING_UNDER_PROFILER",
}  # fmt: skip

_made = 0
_warned = False


# --- keys -------------------------------------------------------------------------------------------------------------


def key(*parts: str, packages: tuple[str, ...]) -> str:
    """Return the key of the code that these `packages` compile from `parts` in this process.

    The key includes the version and the sources of minigr, and the versions of Python and of `packages`. If Numba is
    one of the packages, the key includes Numba's settings.
    """
    return _hashed(parts, _surroundings(packages), _settings() if "numba" in packages else ())


def content_key(*parts: str, packages: tuple[str, ...]) -> str:
    """Return the key of the content that `packages` make from `parts` alone, without minigr's sources and settings."""
    return _hashed(parts, _versions(packages))


def _hashed(*everything: Any) -> str:
    global _made
    _made += 1  # code that compiles or loads a program asks for a key first
    return hashlib.sha256(repr(everything).encode()).hexdigest()[:32]


def programs_made() -> int:
    """Return the number of programs that this process has compiled or loaded.

    If the number grew during a measurement, the measured time is not the time of the programs alone.
    """
    return _made


@cache
def _surroundings(packages: tuple[str, ...]) -> tuple[str, ...]:
    """The parts of a key that stay the same while the process runs."""
    python = (sys.implementation.name, sys.version, platform.machine(), sys.platform)
    return (_sources(), *python, *_versions(packages))


@cache
def _versions(packages: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{name}={_version(name)}" for name in packages)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


@cache
def _sources() -> str:
    """A digest of all source files that compiled code may depend on. One of them contains the package's version."""
    digest = hashlib.sha256()
    parts = sorted(set(os.listdir(_PACKAGE)) - _NOT_COMPILED)
    files = [os.path.join(_PACKAGE, part) for part in parts]
    for part in parts:
        files += [os.path.join(at, name) for at, _, names in os.walk(_PACKAGE / part) for name in names]
    for path in sorted(path for path in files if path.endswith((".py", ".cuh"))):
        with open(path, "rb", buffering=0) as file:
            content = file.read()
        digest.update(f"{path[len(str(_PACKAGE)) :]}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def _settings() -> tuple[tuple[str, str], ...]:
    """Numba's and CUDA's current settings. Numba's may come from variables, a file or the program.

    Settings for CUDA are read from variables, because numba-cuda changes Numba's settings when it is imported.
    """
    from numba import config

    names = {name for name in vars(config) if name.isupper() and "CUDA" not in name} - _HARMLESS
    cuda = [item for item in os.environ.items() if item[0].startswith(("NUMBA_CUDA_", "CUDA_HOME", "CUDA_PATH"))]
    return tuple(sorted([(name, repr(getattr(config, name))) for name in names] + cuda))


# --- entries ----------------------------------------------------------------------------------------------------------


def read(kind: str, key: str) -> bytes | None:
    """Return the content of an entry; None if the entry is missing or damaged."""
    folder = _folder(kind)
    if folder is None:
        return None
    path = folder / key
    try:
        entry = path.read_bytes()
        _note_use(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        _warn(folder, f"can't be read ({error})")
        return None
    content = entry[len(_MARK) + _CHECKSUM :]
    if entry != _entry(key, content):
        return None
    tell("found", (kind, key))
    return content


def write(kind: str, key: str, content: bytes) -> None:
    """Make or replace an entry. Another process sees the whole entry or nothing, even after a crash.

    After a crash an entry may be damaged, and its checksum detects the damage. So no call waits until the entry is on
    disk.
    """
    folder = _folder(kind)
    if folder is None:
        return
    try:
        _replace(folder / key, _entry(key, content))
        if _room_is_due(folder, len(content)):
            _make_room(folder)
        tell("made", (kind, key))
    except OSError as error:
        _warn(folder, f"can't be written ({error})")


def root() -> Path | None:
    """Return the folder of all entries; None if the folder can't be used."""
    folder = _folder("cpu")
    return None if folder is None else folder.parent


def sizes(kind: str) -> dict[str, int] | None:
    """Return the bytes of each entry of a kind, by its key; None if the folder can't be used."""
    folder = _folder(kind)
    if folder is None:
        return None
    return {path.name: path.stat().st_size for path in folder.iterdir() if path.suffix != ".tmp"}


def _entry(key: str, content: bytes) -> bytes:
    """The content of an entry's file. An entry in the file of another key has a wrong checksum."""
    return _MARK + hashlib.sha256(key.encode() + content).digest() + content


def _replace(path: Path, content: bytes) -> None:
    number, temporary = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.", suffix=".tmp")
    try:
        with open(number, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _note_use(path: Path) -> None:
    """Update the time of an entry's file, at most once a day, for `_make_room`."""
    if time.time() - path.stat().st_mtime > _DAY:
        with contextlib.suppress(OSError):  # no entries are removed from a read-only folder either
            os.utime(path)


def _room_is_due(folder: Path, size: int) -> bool:
    """Whether all processes together wrote a sixteenth of `MOST_BYTES` to a folder since the last time this was true.

    A look at every entry takes a quarter of a second if there are many entries, and would be needed for each new
    program. Instead a tally file grows with the written bytes, by one byte per unit.
    """
    tally = folder.with_name(f"{folder.name}.tally")
    with open(tally, "ab") as file:
        file.write(bytes(size // _UNIT + 1))
        due = file.tell() * _UNIT > MOST_BYTES // 16
        if due:
            file.truncate(0)
    return due


def _make_room(folder: Path) -> None:
    """Remove the files that were not used for longest, if the files together are too large."""
    found = []
    for file in os.scandir(folder):
        with contextlib.suppress(FileNotFoundError):  # another process removed it
            status = file.stat()
            found.append((status.st_mtime, status.st_size, file.path))
    surplus = sum(size for _, size, _ in found) - MOST_BYTES
    for _, size, path in sorted(found):
        if surplus <= 0:
            return
        Path(path).unlink(missing_ok=True)
        surplus -= size


# --- the folder -------------------------------------------------------------------------------------------------------


def _folder(kind: str) -> Path | None:
    """The folder of one kind of entry, made if it is missing; None, with a warning, if it can't be used."""
    named = os.environ.get(DIRECTORY_VARIABLE)
    try:
        root = Path(named) if named else _user_cache() / "minigr"
    except RuntimeError as error:  # there is no home folder
        _warn("of the user", f"can't be found ({error})")
        return None
    folder = root / kind
    try:
        root.parent.mkdir(parents=True, exist_ok=True)
        root.mkdir(mode=0o700, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        strange = _of_others(root) or _of_others(folder)
    except OSError as error:
        strange = f"can't be used ({error})"
    if strange:
        _warn(root, strange)
    return None if strange else folder


def _of_others(folder: Path) -> str:
    """Why another user could put files into a folder whose files are executed; empty if no other user could."""
    if not hasattr(os, "geteuid"):
        return ""  # on Windows access lists decide, and those of a user's own folders exclude other users
    status = folder.stat()
    if status.st_uid not in (os.geteuid(), 0):
        return (
            f"is not used, because user {status.st_uid} owns {folder}, and code in it would be executed: "
            "use a folder of your own"
        )
    if stat.S_IMODE(status.st_mode) & 0o022:
        return (
            f"is not used, because other users may write to {folder}, and code in it is executed: "
            f"run chmod go-w {folder}"
        )
    return ""


def _user_cache() -> Path:
    """The platform's folder for a user's caches."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _warn(folder: Path | str, why: str) -> None:
    """Warn once in a process that the cache can't be used."""
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(
            f"minigr's cache folder {folder} {why}. Programs are compiled in each process until the folder can be "
            f"used; name another folder with the variable {DIRECTORY_VARIABLE}",
            CacheWarning,
            stacklevel=2,
        )
