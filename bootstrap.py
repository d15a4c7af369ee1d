#!/usr/bin/env python3
"""Set up minigr beside this file and use it; needs Python 3.10 or newer with venv and pip, and nothing else.

    python3 bootstrap.py demo          BFS, SSSP and PageRank on the graphs that come with minigr
    python3 bootstrap.py test [ARG]    the tests; arguments go to pytest
    python3 bootstrap.py lint          ruff and mypy
    python3 bootstrap.py kernels       compile and link every CUDA kernel for every architecture, and the tests that ask
                                       how; needs no GPU
    python3 bootstrap.py emulate       some tests of CUDA programs on a CPU; needs no GPU, but x86-64 Linux and gcc
    python3 bootstrap.py docs          build the documentation into site/
    python3 bootstrap.py wheel         build the wheel, install it in an empty environment, and use it there
    python3 bootstrap.py versions      some tests with the oldest and the newest Python, Numba and NumPy there are

The environment is .venv. It is installed into again only when pyproject.toml, this folder's place, the Python version
or the extras that are needed have changed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
ENVIRONMENT = ROOT / ".venv"
STAMP = ENVIRONMENT / "minigr-installed.json"
PYTHON = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

EXTRAS = {
    "demo": ("",),
    "test": ("dev",),
    "lint": ("dev",),
    "kernels": ("kernels", "dev"),
    "emulate": ("kernels", "dev"),
    "docs": ("docs",),
    "wheel": ("",),
    "versions": ("",),
}
# Tests that pass over what needs the compilers for GPUs, which the extras of `test` don't bring.
COMPILERS = [
    *(f"tests/jit/test_{name}.py" for name in ("cache", "cuda_imports", "graph_parameter", "link_cuda", "subset")),
    *(f"tests/prepare/test_{name}.py" for name in ("check", "machine")),
]
# A process for each core, which begins with tests that follow one another: they need the same compiled programs.
PYTEST = ["pytest", "-n", "auto", "--dist", "worksteal"]
COMMANDS = {
    "demo": [
        ["minigr", "run", "bfs", "pagerank", "wordnet"],
        ["minigr", "run", "bfs", "sssp", "pagerank", "roads"],
    ],
    "test": [PYTEST],
    "lint": [["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"]],
    "kernels": [["minigr.prepare.check"], [*PYTEST, "-m", "not gpu", *COMPILERS]],
    "emulate": [["tests.emulator"]],
    "docs": [["sphinx", "-W", "-q", "docs", "site"]],
    "wheel": [["benchmarks.wheel"]],
    "versions": [["tests.versions"]],
}


def check_version(version: tuple[Any, ...]) -> None:
    """Exit with a message unless `version` is one that minigr runs on."""
    if tuple(version[:2]) < (3, 10):
        found = ".".join(map(str, version[:3]))
        sys.exit(f"minigr needs Python 3.10 or newer and this is {found}: run bootstrap.py with a newer python3")


def parse(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """The task, and the arguments to pass on to its tool."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=list(COMMANDS))
    options, rest = parser.parse_known_args(arguments)
    if rest and options.task != "test":
        parser.error(f"{options.task} takes no arguments, got: {' '.join(rest)}")
    return options.task, rest


def install(*extras: str) -> None:
    """Make the environment where it is missing, and install minigr with `extras` where they aren't there already."""
    project = hashlib.sha256((ROOT / "pyproject.toml").read_bytes() + str(ROOT).encode()).hexdigest()
    wanted: dict[str, Any] = {"python": f"{sys.base_prefix} {sys.version}", "project": project, "extras": []}
    found = json.loads(STAMP.read_text()) if STAMP.exists() else None
    if found is None or found["python"] != wanted["python"]:
        create_environment(ours=found is not None)
        found = wanted
        STAMP.write_text(json.dumps(wanted))
    if found["project"] == project:
        if set(extras) <= set(found["extras"]):
            return
        wanted["extras"] = found["extras"]
    wanted["extras"] = sorted({*wanted["extras"], *extras})

    listed = ",".join(filter(None, wanted["extras"]))
    print(f"installing minigr{f' with {listed}' if listed else ''} into {ENVIRONMENT}", flush=True)
    target = f"{ROOT}[{listed}]" if listed else str(ROOT)
    run_module("pip", "install", "--quiet", "--disable-pip-version-check", "--editable", target)
    STAMP.write_text(json.dumps(wanted))


def create_environment(ours: bool) -> None:
    """Make an empty environment; one that this script did not make is left alone."""
    if ENVIRONMENT.exists() and not ours:
        sys.exit(f"{ENVIRONMENT} exists and bootstrap.py did not make it: move it away or remove it first")
    command = [sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT)]
    if subprocess.run(command, check=False).returncode != 0:
        shutil.rmtree(ENVIRONMENT, ignore_errors=True)
        sys.exit(f"could not make {ENVIRONMENT}: {sys.executable} may lack venv or ensurepip (Debian: python3-venv)")


def run_module(*command: str) -> None:
    """Run ``python -m`` in the environment; exit with its code if it fails."""
    code = subprocess.run([str(PYTHON), "-m", *command], cwd=ROOT, check=False).returncode
    if code != 0:
        print(f"failed with exit code {code}: python -m {' '.join(command)}", file=sys.stderr)
        sys.exit(code)


def main(arguments: Sequence[str]) -> None:
    check_version(sys.version_info)
    task, rest = parse(arguments)
    install(*EXTRAS[task])
    for command in COMMANDS[task]:
        print(f"$ python -m {' '.join([*command, *rest])}", flush=True)
        run_module(*command, *rest)


if __name__ == "__main__":
    main(sys.argv[1:])
