"""Test with the oldest and the newest versions that minigr supports: of Python, Numba, NumPy and other dependencies.

    python -m tests.versions

This makes two environments in .venv-versions/: one with the oldest versions that pyproject.toml allows, on the oldest
Python found; and one with the newest versions, on the newest Python found. In each it runs the tests of code that
depends on internals of other packages, and a selection of the other tests. It looks for Python 3.10 to 3.14 on the path
and in the folder of pyenv; the Python that runs this script is always included. It prints which Pythons it did not
find. It needs a package index.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENTS = ROOT / ".venv-versions"
SUPPORTED = range(10, 15)
"""The supported minor versions of Python 3."""
FIRST = {
    "numpy": {13: "2.1", 14: "2.3.2"},
    "numba": {14: "0.63"},
    "pandas": {13: "2.2.3", 14: "2.3.3"},
}
"""The first versions for a Python that is newer than those that minigr's oldest versions support."""
TOOLS = ("pytest", "hypothesis", "networkx", "scipy")
TESTS = (
    "tests/jit/test_private.py",
    "tests/jit/test_subset.py",
    "tests/jit/test_functors.py",
    "tests/jit/test_atomics.py",
    "tests/jit/test_debug.py",
    "tests/jit/test_purity.py",
    "tests/jit/test_graph_parameter.py",
    "tests/jit/test_union_find.py",
    "tests/jit/test_cache.py::test_keys_depend_on_parts_packages_and_settings",
    "tests/jit/test_spmd.py::test_forks_while_another_thread_compiles_hang_nobody",
    "tests/jit/native/test_constructs.py::test_expressions[False]",
    "tests/jit/native/test_constructs.py::test_transform_with_what_is_left_to_numba",
    "tests/jit/native/test_constructs.py::test_an_enactor_with_what_is_left_to_numba",
    "tests/primitives/test_transform.py",
    "tests/primitives/test_scan.py::test_refused",
    "tests/enactor/test_debug.py::test_variable",
    "tests/apps/test_dynamic_graphs.py",
    "tests/io/test_frames.py",
    "tests/io/test_stored.py",
    "tests/io/test_text_formats.py::test_wrong",
    "tests/networkx/test_dispatch.py",
    "tests/cli/test_completion.py",
    "tests/cli/test_info.py",
    "tests/cli/test_stream.py::test_a_row_for_each_batch",
)
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--durations=5")
INSTALLED = """
import importlib.metadata as metadata
import sys
names = ("numpy", "numba", "llvmlite", "pandas", "click", "rich")
print("Python", sys.version.split()[0], *(f"{name} {metadata.version(name)}" for name in names))
"""
_installing = threading.Lock()  # two installations would build the checkout at the same time


class Case(NamedTuple):
    """An environment for tests: its name, the Python that makes it, and packages to install in addition to minigr."""

    name: str
    python: str
    versions: Mapping[str, str]


def found_pythons() -> dict[int, str]:
    """The Pythons that run here, by their minor versions."""
    found = {sys.version_info.minor: sys.executable}
    for minor in SUPPORTED:
        path = next((path for path in places(minor) if minor not in found and works(path, minor)), None)
        if path is not None:
            found[minor] = str(path)
    return dict(sorted(found.items()))


def places(minor: int) -> Iterator[Path]:
    """Files that may be Python 3.`minor`. Files of pyenv on the path run only where a version was chosen."""
    for folder in os.get_exec_path():
        yield Path(folder) / f"python3.{minor}"
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from sorted(pyenv.glob(f"versions/3.{minor}.*/bin/python"))


def works(path: Path, minor: int) -> bool:
    """Whether a file is Python 3.`minor` and can make environments."""
    test = f"import ensurepip, sys, venv; sys.exit(sys.version_info[:2] != (3, {minor}))"
    return path.is_file() and subprocess.run([path, "-c", test], capture_output=True, check=False).returncode == 0


def oldest_versions(project: str, minor: int) -> dict[str, str]:
    """The lower bounds in the text of pyproject.toml, or the first versions for this Python if they are newer.

    Examples
    --------
    >>> oldest_versions('dependencies = [ "numpy>=1.26", "click>=8.1", ]', 10)
    {'numpy': '1.26', 'click': '8.1'}
    >>> oldest_versions('dependencies = [ "numpy>=1.26", "click>=8.1", ]', 14)
    {'numpy': '2.3.2', 'click': '8.1'}
    """
    dependencies = re.search(r"(?s)^dependencies = \[(.*?)\]", project, re.MULTILINE)
    assert dependencies is not None
    bounds = dict(re.findall(r'"([\w-]+)>=([\d.]+)"', dependencies[1]))
    return {name: max(bound, FIRST.get(name, {}).get(minor, bound), key=number) for name, bound in bounds.items()}


def number(version: str) -> tuple[int, ...]:
    """A version as numbers that can be compared."""
    return tuple(map(int, version.split(".")))


def cases(pythons: Mapping[int, str], project: str) -> list[Case]:
    """The environments: the oldest versions on the oldest Python, and the newest ones on the newest Python."""
    first, last = min(pythons), max(pythons)
    return [
        Case(f"oldest-3.{first}", pythons[first], oldest_versions(project, first)),
        Case(f"newest-3.{last}", pythons[last], {}),
    ]


def try_out(case: Case) -> bool:
    """Make an environment and run the tests in it; print their output in one piece at the end."""
    environment, begin = ENVIRONMENTS / case.name, time.perf_counter()
    python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pins = [f"{name}=={version}" for name, version in case.versions.items()]
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--editable", ROOT]
    surroundings = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    surroundings["MINIGR_CACHE_DIR"] = str(environment / "cache")
    output: list[str] = []

    def succeeds(*command: str | Path) -> bool:
        done = subprocess.run(command, cwd=ROOT, env=surroundings, capture_output=True, text=True, check=False)
        output.append(done.stdout if done.returncode == 0 else done.stdout + done.stderr)
        return done.returncode == 0

    with _installing:
        passed = succeeds(case.python, "-m", "venv", "--clear", environment) and succeeds(*install, *TOOLS, *pins)
    passed = passed and succeeds(python, "-c", INSTALLED) and succeeds(python, *PYTEST, *TESTS)
    seconds = time.perf_counter() - begin
    print(f"--- {case.name} {'passed' if passed else 'failed'} after {seconds:.0f} s", *output, sep="\n", flush=True)
    return passed


def main() -> None:
    pythons = found_pythons()
    chosen = cases(pythons, (ROOT / "pyproject.toml").read_text())
    for case in chosen:
        pins = ", ".join(f"{name} {version}" for name, version in case.versions.items())
        print(f"{case.name}: {pins or 'the newest of everything'}, by {case.python}", flush=True)
    with ThreadPoolExecutor(len(chosen)) as pool:
        passed = list(pool.map(try_out, chosen))
    for case, fine in zip(chosen, passed, strict=True):
        print(f"{case.name} {'passed' if fine else 'failed'}")
    missing = [f"3.{minor}" for minor in SUPPORTED if minor not in pythons]
    if missing:
        print(f"not found, and so not tested: Python {', '.join(missing)}")
    if not all(passed):
        sys.exit(1)


if __name__ == "__main__":
    main()
