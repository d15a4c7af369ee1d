"""The number of threads of a team: the requested number, or the number of cores of this process."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache, lru_cache
from pathlib import Path, PurePosixPath

from minigr.errors import SettingError

THREADS_VARIABLE = "MINIGR_NUM_THREADS"
THREADS_A_CORE = 32  # at most; a search takes 30 times as long with 32 as with one, and 3000 times with 500
_asked_for: int | None = None


def set_num_threads(count: int | None) -> None:
    """Set the number of threads that run each call on the CPU from now on, in this process.

    Parameters
    ----------
    count : int or None
        Number of threads of a team, at most 32 for each core; overrides ``MINIGR_NUM_THREADS``. With None, the variable
        or the number of cores decides again. Calls that are running keep their threads.

    Raises
    ------
    SettingError
        If the count is not an integer of at least 1, or is more than 32 times the number of cores. The threads of a
        team wait for each other thousands of times in a run, and each time all threads must have had their turn.

    Examples
    --------
    >>> import minigr as mg
    >>> mg.set_num_threads(1)
    >>> mg.get_num_threads()
    1
    >>> mg.set_num_threads(None)
    """
    global _asked_for
    _asked_for = None if count is None else _as_threads(str(count), f"set_num_threads({count!r})")


def get_num_threads() -> int:
    """Return the number of threads that run a call on the CPU.

    The number is the last count passed to `set_num_threads`; else ``MINIGR_NUM_THREADS``; else the number of cores that
    this process may use. The number of cores follows from the affinity of the process and from the quota of its control
    groups, which containers have. A fraction of a core is not counted, because threads that wait for each other would
    use up the quota, and then all of them would be stopped. The quota is read once.

    Raises
    ------
    SettingError
        If the variable is invalid, as for `set_num_threads`.

    Examples
    --------
    >>> import minigr as mg
    >>> mg.get_num_threads() >= 1
    True
    """
    return threads_asked_for() or _cores()


def threads_asked_for() -> int | None:
    """Return the number of threads that a call or the variable requests; raises the errors of `get_num_threads`."""
    if _asked_for is not None:
        return _asked_for
    text = os.environ.get(THREADS_VARIABLE)
    return None if text is None else _as_threads(text, f"{THREADS_VARIABLE}={text!r}")


@contextmanager
def threads_set_within() -> Iterator[None]:
    """Limit the effect of `set_num_threads` within the block to the block."""
    global _asked_for
    before = _asked_for
    try:
        yield
    finally:
        _asked_for = before


@lru_cache(maxsize=8)
def _as_threads(text: str, given: str) -> int:
    most = THREADS_A_CORE * _cores()
    count = int(text) if text.isdecimal() and len(text) < 100 else 0
    if count < 1:
        raise SettingError(f"{given}: give a whole number of at least 1")
    if count > most:
        raise SettingError(
            f"{given}: so many threads would only wait for each other on {_cores()} cores; give at most {most}, or "
            "leave the number out to have one thread per core"
        )
    return count


def _cores() -> int:
    """The cores that this process may use."""
    by_affinity = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(int(min(by_affinity, quota())), 1)


@cache
def quota(root: Path = Path("/")) -> float:
    """Return the number of cores that this process's control groups and their parents allow; infinity without a limit.

    `root` holds the system's folders. If `root` has no control groups, as on other systems, there is no limit.
    """
    try:
        groups = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return math.inf
    limits = [math.inf]
    for number, controllers, path in (line.split(":", 2) for line in groups):
        if number == "0":  # version 2
            top, read = root / "sys/fs/cgroup", _limit_of_version_2
        elif "cpu" in controllers.split(","):
            top, read = root / "sys/fs/cgroup/cpu", _limit_of_version_1
        else:
            continue
        group = PurePosixPath(path.lstrip("/"))
        for each in (group, *group.parents):
            with suppress(FileNotFoundError):  # the top has no limit, and a container sees its own group as the top
                limits.append(read(top / each))
    return min(limits)


def _limit_of_version_2(group: Path) -> float:
    most, period = (group / "cpu.max").read_text().split()
    return math.inf if most == "max" else int(most) / int(period)


def _limit_of_version_1(group: Path) -> float:
    most = int((group / "cpu.cfs_quota_us").read_text())
    return math.inf if most < 0 else most / int((group / "cpu.cfs_period_us").read_text())
